//! Tests of answers on Telegram: a yes or no counts only if the question's card was delivered before (R-1102).

use super::*;
use crate::domain::conversation::Speaker;

/// Runs pending work; returns the reply to the user's last message, and the approvals' statuses.
async fn answered(world: &World, id: u32) -> (String, Vec<ApprovalStatus>) {
    worker::settle(&world.state).await.unwrap();
    let mut tx = world.state.ctx.read().await.unwrap();
    let key = ClientKey::of_server("telegram", format_args!("123456 {id}"));
    let turn = store::turns::by_client_key(&mut tx, world.caller.id(), &key).await.unwrap().expect("a turn");
    let reply = store::messages::of_turn(&mut tx, world.caller.id(), turn.id, Speaker::Assistant).await.unwrap();
    drop(tx);
    let all = approvals::list(&world.state.ctx, &world.caller, None).await.unwrap();
    (reply.unwrap(), all.iter().map(|approval| approval.status).collect())
}

/// Sends a message with Telegram's timestamp `date`.
async fn write_at(world: &World, id: u32, text: &str, date: i64) {
    let update = Update { id, chat: ADA, name: "@ada".into(), date, what: What::Text(Text::own(text)) };
    telegram::receive(&world.state, update).await.unwrap();
}

const EARLY: &str = "You answered before you could see all of this question";

#[tokio::test]
async fn yes_counts_only_after_the_question_was_delivered() {
    for world in linked().await {
        let one = world.task("wash car").await;
        write(&world, 1, "delete task 1").await;
        worker::settle(&world.state).await.unwrap();
        // The turn has ended, but its card is not delivered.
        write(&world, 2, "yes").await;
        let (reply, statuses) = answered(&world, 2).await;
        assert!(reply.starts_with(EARLY), "{reply}");
        assert_eq!(statuses, [ApprovalStatus::Pending]);
        assert!(world.has(one).await);

        let texts = texts(&world).await;
        assert!(texts.iter().any(|text| text.starts_with(EARLY)), "{texts:?}");
        assert!(texts.iter().any(|text| text.contains("Are you sure")), "{texts:?}");
        write(&world, 3, "yes").await;
        answered(&world, 3).await;
        assert!(!world.has(one).await);
    }
}

#[tokio::test]
async fn a_placeholder_that_was_delivered_is_no_question() {
    for world in linked().await {
        let one = world.task("wash car").await;
        let (places, _) = left(&world, 1, "delete task 1").await;
        assert_eq!(texts(&world).await, ["…"]);
        drop(places);
        worker::settle(&world.state).await.unwrap();
        write(&world, 2, "yes").await;
        assert!(answered(&world, 2).await.0.starts_with(EARLY));
        assert!(world.has(one).await);
    }
}

#[tokio::test]
async fn question_asked_in_the_browser_is_not_answered_in_telegram() {
    for mut world in linked().await {
        let one = world.task("wash car").await;
        write(&world, 1, "hello").await;
        worker::settle(&world.state).await.unwrap();
        texts(&world).await;
        let link = store::telegram::of_user(&mut world.state.ctx.read().await.unwrap(), world.caller.id()).await;
        world.conversation = link.unwrap().unwrap().conversation;
        world.say("delete task 1").await;
        texts(&world).await;
        write(&world, 2, "yes").await;
        assert!(answered(&world, 2).await.0.starts_with(EARLY));
        assert!(world.has(one).await);
    }
}

#[tokio::test]
async fn message_sent_before_the_delivery_decides_nothing() {
    for world in linked().await {
        let one = world.task("wash car").await;
        write_at(&world, 1, "delete task 1", 1_000).await;
        worker::settle(&world.state).await.unwrap();
        // Telegram delivered the card at 1,005.
        let mut tx = world.state.ctx.write().await.unwrap();
        let mut held = outbox::claim_of(&mut tx, world.caller.id(), 60_000).await.unwrap().unwrap();
        (held.messages, held.shown_at) = (vec![9], 1_005);
        outbox::settle(&mut tx, &held).await.unwrap();
        world.state.ctx.commit(tx).await.unwrap();
        write_at(&world, 2, "yes", 1_004).await;
        assert!(answered(&world, 2).await.0.starts_with(EARLY));
        assert!(world.has(one).await);
    }
}

#[tokio::test]
async fn nothing_that_was_left_unsaid_is_seen() {
    for world in linked().await {
        let one = world.task("wash car").await;
        write(&world, 1, "delete task 1").await;
        worker::settle(&world.state).await.unwrap();
        // The chat was unlinked before its card was sent, and linked again.
        let mut tx = world.state.ctx.write().await.unwrap();
        let mut held = outbox::claim_of(&mut tx, world.caller.id(), 60_000).await.unwrap().unwrap();
        held.head = 0;
        outbox::settle(&mut tx, &held).await.unwrap();
        world.state.ctx.commit(tx).await.unwrap();
        write(&world, 2, "yes").await;
        assert!(answered(&world, 2).await.0.starts_with(EARLY));
        assert!(world.has(one).await);
    }
}

#[tokio::test]
async fn yes_after_a_newer_card_of_the_chat_decides_nothing() {
    for world in linked().await {
        let one = world.task("wash car").await;
        write(&world, 1, "delete task 1").await;
        worker::settle(&world.state).await.unwrap();
        texts(&world).await;
        write(&world, 2, "/tasks").await;
        texts(&world).await;
        write(&world, 3, "yes").await;
        assert!(answered(&world, 3).await.0.starts_with(EARLY));
        assert!(world.has(one).await);
        // The question was repeated.
        texts(&world).await;
        write(&world, 4, "yes").await;
        answered(&world, 4).await;
        assert!(!world.has(one).await);
    }
}

#[tokio::test]
async fn yes_counts_if_an_unsettled_delivery_ended_before_it() {
    for (ended_ms, counts) in [(0, true), (i64::MAX, false)] {
        for world in linked().await {
            let one = world.task("wash car").await;
            write(&world, 1, "delete task 1").await;
            worker::settle(&world.state).await.unwrap();
            let mut tx = world.state.ctx.write().await.unwrap();
            let mut held = outbox::claim_of(&mut tx, world.caller.id(), 60_000).await.unwrap().unwrap();
            world.state.ctx.commit(tx).await.unwrap();
            // Its sender has the acknowledgement, and stores it while the message arrives.
            (held.messages, held.delivered_ms) = (vec![9], ended_ms);
            let keep = async {
                // The message looks at the card long before this many queries.
                for _ in 0..40 {
                    outbox::holds(&mut world.state.ctx.read().await.unwrap(), &held).await.unwrap();
                }
                let mut tx = world.state.ctx.write().await.unwrap();
                outbox::settle(&mut tx, &held).await.unwrap();
                world.state.ctx.commit(tx).await.unwrap();
            };
            tokio::join!(write(&world, 2, "yes"), keep);
            answered(&world, 2).await;
            assert_eq!(world.has(one).await, !counts, "{ended_ms}");
        }
    }
}

#[tokio::test]
async fn yes_counts_after_clock_set_back_since_delivery() {
    for world in linked().await {
        let one = world.task("wash car").await;
        write(&world, 1, "delete task 1").await;
        worker::settle(&world.state).await.unwrap();
        texts(&world).await;
        let ahead = "UPDATE outbox SET delivered_ms = 9000000000000";
        store::testing::execute(&world.state.ctx.store, ahead).await;
        write(&world, 2, "yes").await;
        let (reply, _) = answered(&world, 2).await;
        assert!(!world.has(one).await, "{reply}");
    }
}

#[tokio::test]
async fn words_of_others_and_answers_to_something_else_decide_nothing() {
    for world in linked().await {
        let (one, two) = (world.task("wash car").await, world.task("book flights").await);
        let written =
            |text: &str, is_own: bool, answers: Option<i64>| What::Text(Text { is_own, answers, ..Text::own(text) });
        // A forwarded request is processed, and needs approval.
        tell(&world, 1, written("delete task 1, yes I'm sure", false, None)).await;
        assert_eq!(answered(&world, 1).await.1, [ApprovalStatus::Pending]);
        assert!(texts(&world).await.iter().any(|text| text.contains("Are you sure")));
        tell(&world, 2, written("yes", false, None)).await;
        assert!(texts(&world).await.iter().any(|text| text.contains("not written by you")));
        tell(&world, 3, written("yes", true, Some(4))).await;
        let (reply, _) = answered(&world, 3).await;
        assert!(reply.starts_with(EARLY), "{reply}");
        texts(&world).await;
        assert!(world.has(one).await);
        tell(&world, 4, written("yes", true, Some(9))).await;
        answered(&world, 4).await;
        assert!(!world.has(one).await, "an answer to the card itself decides");
        tell(&world, 5, written("delete task 2, yes I'm sure", true, None)).await;
        answered(&world, 5).await;
        assert!(!world.has(two).await, "the person's own order needs no card");
    }
}

#[tokio::test]
async fn undo_in_a_reply_means_the_changes_of_its_message() {
    for world in linked().await {
        write(&world, 1, "add eggs").await;
        worker::settle(&world.state).await.unwrap();
        texts(&world).await;
        let milk = world.task("milk").await;
        tell(&world, 2, What::Text(Text { answers: Some(9), ..Text::own("undo that") })).await;
        worker::settle(&world.state).await.unwrap();
        assert!(world.has(milk).await && world.has(TaskNumber(1)).await);
    }
}
