//! Tests of partly erased turns: they are neither requested again nor replayed.

use super::amended::erase_as_first_release;
use super::*;

#[tokio::test]
async fn asking_again_about_what_was_erased_is_refused_at_once() {
    for mut world in worlds().await {
        let ctx = world.state.ctx.clone();
        for title in ["wash car", "book flights"] {
            world.task(title).await;
        }
        let delete = |number: i64| ("delete_task", json!({ "task_id": number }));
        world.state.engine = crate::state::scripted(vec![vec![delete(1), delete(2)]]);
        let asked = world.say("tidy up").await;
        ctx.clock.advance(86_400);
        worker::settle(&world.state).await.unwrap();
        ctx.clock.advance(60);
        let id = asked.approval.as_ref().unwrap().approval_id;
        let before = ctx.now();
        // One of the two calls is left, which alone was not the request.
        let user = world.caller.id();
        let links = store::chains::links(&mut ctx.read().await.unwrap(), user, 0, 1_000).await.unwrap();
        let calls = links.iter().filter(|link| {
            let body = link.body.as_ref().map_or("", |(_, body)| body);
            link.kind == "invocation" && body.contains("awaiting_approval")
        });
        let calls: Vec<i64> = calls.map(|link| link.seq).collect();
        assert_eq!(calls.len(), 2);
        erase_as_first_release(&world, |seq| seq == calls[0]).await;
        for _ in 0..2 {
            let refused = inbox::ask_again(&world.state, &world.caller, id, None).await.unwrap_err();
            assert!(matches!(&refused, Error::Conflict(why) if why.contains("have been erased")), "{refused}");
            erase(&world).await;
        }
        worker::settle(&world.state).await.unwrap();
        let turns = conversations::messages(&ctx, &world.caller, asked.conversation_id, None, 50).await.unwrap();
        assert!(turns.items.iter().all(|message| message.at < before), "no turn was begun for it");
        assert!(world.has(TaskNumber(1)).await && world.has(TaskNumber(2)).await);
    }
}

#[tokio::test]
async fn replay_skips_turns_that_rest_on_erased_ones() {
    for verdict in [Verdict::Approve, Verdict::Reject] {
        for mut world in worlds().await {
            let ctx = world.state.ctx.clone();
            world.task("wash car").await;
            let asked = world.say("delete task 1").await;
            ctx.clock.advance(3_600);
            let cut = ctx.now();
            world.press(&asked, verdict).await.unwrap();
            let last = world.say("show my tasks").await;
            ctx.clock.advance(60);
            // The verdict is recent, its approval is not.
            erasure::by_operator(&ctx, &world.caller.user, Some(&cut)).await.unwrap();
            let mut erased = vec![];
            for turn in replay::all(&world.state).await.unwrap() {
                match replay::unless_erased(&world.state, turn, Decider::Recorded).await.unwrap() {
                    Ok(replay) => assert!(replay.same, "{:?}", replay.differences),
                    Err(why) => {
                        assert!(why.contains("erased"), "{why}");
                        erased.push(turn);
                    }
                }
            }
            assert_eq!(erased.len(), 2, "{verdict:?}: what asked and what carried it out");
            let replayed = replay::unless_erased(&world.state, last.turn_id, Decider::Rules).await.unwrap();
            assert!(replayed.unwrap_err().contains("before this turn were erased"));
        }
    }
}

#[tokio::test]
async fn change_after_erased_ones_verifies_beside_a_pending_approval() {
    for mut world in worlds().await {
        for title in ["wash car", "book flights"] {
            world.task(title).await;
        }
        // The pending approval keeps the change of task 1.
        world.say("complete task 1 and then delete task 2").await;
        rename(&world, 1, "wash both cars").await;
        let clock = world.state.ctx.clock.clone();
        clock.advance(60);
        let until = clock.now();
        clock.advance(60);
        rename(&world, 1, "wash all cars").await;
        erasure::by_operator(&world.state.ctx, &world.caller.user, Some(&until)).await.unwrap();
        let (broken, erased) = verified(&world).await;
        assert_eq!(broken, Vec::<String>::new());
        assert!(erased > 0);
    }
}
