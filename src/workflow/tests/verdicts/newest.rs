//! Tests of answers: they belong to the newest question, even if older approvals are pending (R-1104).

use super::*;

const FIRST: &str = "Are you sure you want to delete task 1? (yes/no)\n• wash car (#1) goes to the bin";
const SECOND: &str = "Are you sure you want to delete task 2? (yes/no)\n• book flights (#2) goes to the bin";
const THIRD: &str = "Are you sure you want to delete task 3? (yes/no)\n• milk (#3) goes to the bin";

impl World {
    /// Adds three tasks and requests the deletion of the first `count`, in order.
    async fn asks_to_delete(&mut self, count: usize) {
        self.state.ctx.limits.messages_per_minute = 0;
        for title in ["wash car", "book flights", "milk"] {
            self.task(title).await;
        }
        for number in 1..=count {
            self.say(&format!("delete task {number}")).await;
        }
    }

    /// Returns the statuses of the approvals, in the order of their requests.
    async fn requests(&self) -> Vec<&'static str> {
        let mut all = approvals::list(&self.state.ctx, &self.caller, None).await.unwrap();
        all.sort_by(|one, other| (&one.created_at, one.approval_id).cmp(&(&other.created_at, other.approval_id)));
        all.iter().map(|approval| approval.status.as_str()).collect()
    }

    async fn tasks_left(&self) -> Vec<i64> {
        let mut left = vec![];
        for number in 1..=3 {
            if self.has(TaskNumber(number)).await {
                left.push(number);
            }
        }
        left
    }
}

#[tokio::test]
async fn no_rejects_the_newest_approval_and_repeats_the_older_question() {
    for text in ["no", "nope, keep it", "no!!", "never mind", "cancel", "no, don't", "decline it"] {
        for mut world in worlds().await {
            world.asks_to_delete(2).await;
            let no = world.say(text).await;
            ended(&no, DecisionKind::RespondOnly, Outcome::UserRejected);
            let reply = format!("All right, nothing was changed: book flights (#2).\nThis is still open:\n{FIRST}");
            assert_eq!((no.reply, no.options), (Some(reply), vec!["yes".to_owned(), "no".into()]), "{text}");
            assert_eq!(world.requests().await, ["pending", "rejected"], "{text}");
            let yes = world.say("yes").await;
            ended(&yes, DecisionKind::InvokeTool, Outcome::TaskCompleted);
            assert_eq!(world.tasks_left().await, [2, 3], "{text}");
        }
    }
}

#[tokio::test]
async fn no_with_another_request_leaves_the_older_approval_pending() {
    for mut world in worlds().await {
        world.asks_to_delete(2).await;
        let done = world.say("no, complete task 3 instead").await;
        ended(&done, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert_eq!(world.requests().await, ["pending", "rejected"]);
        assert_eq!(world.tasks_left().await, [1, 2, 3]);
    }
}

#[tokio::test]
async fn yes_with_two_pending_approvals_decides_nothing() {
    for text in ["yes", "yes please", "yes do it", "sure, why not", "yes?", "👍", "hmm", "ok"] {
        for mut world in worlds().await {
            world.asks_to_delete(2).await;
            let yes = world.say(text).await;
            ended(&yes, DecisionKind::RequestClarification, Outcome::UnclearIntent);
            let reply = yes.reply.unwrap();
            assert!(
                reply.starts_with("2 requests are open, so nothing was decided.") && reply.ends_with(SECOND),
                "{reply}"
            );
            assert_eq!(yes.options, ["no", "decline the others", "decline all"], "{text}");
            assert_eq!(
                (world.requests().await, world.tasks_left().await),
                (vec!["pending"; 2], vec![1, 2, 3]),
                "{text}"
            );
        }
    }
}

#[tokio::test]
async fn pending_approvals_can_be_rejected_together_or_except_the_newest() {
    for text in ["decline all", "no to all of them", "reject everything please", "cancel both"] {
        for mut world in worlds().await {
            world.asks_to_delete(2).await;
            let no = world.say(text).await;
            ended(&no, DecisionKind::RespondOnly, Outcome::UserRejected);
            let reply = "All right, nothing was changed: wash car (#1), book flights (#2).";
            assert_eq!(no.reply.as_deref(), Some(reply), "{text}");
            assert_eq!(world.requests().await, ["rejected"; 2], "{text}");
            let late = world.say("decline all").await;
            assert!(late.reply.unwrap().contains("already declined"), "{text}");
        }
    }
    for mut world in worlds().await {
        world.asks_to_delete(3).await;
        world.say("decline the others, I was in a muddle").await;
        assert_eq!(world.requests().await, ["rejected", "rejected", "pending"]);
    }
    for mut world in worlds().await {
        world.asks_to_delete(3).await;
        let no = world.say("decline the others").await;
        let reply =
            format!("All right, nothing was changed: wash car (#1), book flights (#2).\nThis is still open:\n{THIRD}");
        assert_eq!(no.reply.as_deref(), Some(reply.as_str()));
        assert_eq!(world.requests().await, ["rejected", "rejected", "pending"]);
        world.say("yes").await;
        assert_eq!(world.tasks_left().await, [1, 2]);
    }
}

#[tokio::test]
async fn corrected_or_obsolete_approval_does_not_block_an_answer() {
    for mut world in worlds().await {
        world.asks_to_delete(0).await;
        world.say("rename task 2 to trains").await;
        world.say("delete tasks 1 and 2").await;
        world.say("delete task 2").await;
        assert_eq!(world.requests().await, ["pending", "void", "pending"], "a renaming is no correction");
        world.say("decline the others").await;
        world.say("yes").await;
        assert_eq!(world.tasks_left().await, [1, 3]);
        world.say("delete task 1").await;
        world.say("delete task 1, yes I'm sure").await;
        world.say("rename task 3 to oat milk").await;
        let mut tx = world.state.ctx.write().await.unwrap();
        tasks::delete(&world.state.ctx, &mut tx, By::person(&world.caller), TaskNumber(3), None).await.unwrap();
        tx.commit().await.unwrap();
        world.task("bread").await;
        world.say("delete task 4").await;
        let yes = world.say("yes").await;
        ended(&yes, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert!(world.tasks_left().await.is_empty() && !world.has(TaskNumber(4)).await);
        world.say("decline all").await;
        assert!(!world.requests().await.contains(&"pending"));
    }
}

#[tokio::test]
async fn no_that_names_a_task_rejects_its_approval() {
    for mut world in worlds().await {
        world.asks_to_delete(2).await;
        world.say("show my tasks").await;
        let no = world.say("no dont delete the car").await;
        ended(&no, DecisionKind::RespondOnly, Outcome::UserRejected);
        let reply = format!("All right, nothing was changed: wash car (#1).\nThis is still open:\n{SECOND}");
        assert_eq!(no.reply.as_deref(), Some(reply.as_str()));
        assert_eq!(world.requests().await, ["rejected", "pending"]);
        // No approval for the milk is pending.
        world.say("show my tasks").await;
        world.say("don't delete the milk").await;
        assert_eq!(world.requests().await, ["rejected", "pending"]);
    }
}

#[tokio::test]
async fn a_short_answer_to_one_request_is_asked_back() {
    let unclear = "That is no clear yes or no to this, so nothing was decided.";
    for (text, lead) in [("yes?", unclear), ("yes no", unclear), ("no?", unclear), ("👍", ""), ("hmm", ""), ("ok", "")]
    {
        for mut world in worlds().await {
            world.asks_to_delete(1).await;
            let back = world.say(text).await;
            ended(&back, DecisionKind::RequestClarification, Outcome::UnclearIntent);
            let reply = if lead.is_empty() { FIRST.to_owned() } else { format!("{lead}\n{FIRST}") };
            assert_eq!((back.reply, back.options), (Some(reply), vec!["yes".to_owned(), "no".into()]), "{text}");
            world.say("yes").await;
            assert_eq!(world.tasks_left().await, [2, 3], "{text}");
        }
    }
}

#[tokio::test]
async fn answer_after_another_message_repeats_the_question() {
    for text in ["yes", "yes?", "no", "ok", "👍", "never mind", "no wait", "cancel"] {
        for mut world in worlds().await {
            world.asks_to_delete(1).await;
            world.say("show my tasks").await;
            let back = world.say(text).await;
            ended(&back, DecisionKind::RequestClarification, Outcome::UnclearIntent);
            assert_eq!(back.reply, Some(format!("This is still open:\n{FIRST}")), "{text}");
            assert_eq!((world.requests().await, world.tasks_left().await), (vec!["pending"], vec![1, 2, 3]), "{text}");
            world.say("yes").await;
            assert_eq!(world.tasks_left().await, [2, 3], "{text}");
        }
    }
}

#[tokio::test]
async fn a_newer_question_of_another_kind_takes_the_answer() {
    for mut world in worlds().await {
        world.asks_to_delete(1).await;
        let question = world.say("oat bread").await;
        ended(&question, DecisionKind::RequestClarification, Outcome::UnclearIntent);
        let added = world.say("yes").await;
        ended(&added, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert_eq!((world.requests().await, world.tasks_left().await), (vec!["pending"], vec![1, 2, 3]));
        world.say("oat bread rolls").await;
        let no = world.say("no").await;
        let reply = format!("All right, nothing was changed. This is still open:\n{FIRST}");
        assert_eq!(no.reply, Some(reply));
        assert_eq!(world.requests().await, ["pending"]);
    }
}

#[tokio::test]
async fn only_what_its_sender_could_see_is_declined() {
    for text in ["decline all", "no dont delete the car"] {
        for mut world in worlds().await {
            world.asks_to_delete(0).await;
            let seen =
                store::events::head(&mut world.state.ctx.read().await.unwrap(), world.caller.id()).await.unwrap();
            world.say("delete task 1").await;
            let incoming = IncomingMessage { text: text.into(), conversation: world.conversation, client_key: None };
            let way = Source { seen: Some(seen), ..Source::default() };
            let accepted = inbox::accept_from_web(&world.state, &world.caller, incoming, way).await.unwrap();
            worker::settle(&world.state).await.unwrap();
            let early = inbox::wait(&world.state, &world.caller, accepted.turn).await.unwrap();
            assert!(
                early.reply.unwrap().starts_with("You answered before you could see all of this question"),
                "{text}"
            );
            assert_eq!(world.requests().await, ["pending"], "{text}");
        }
    }
}
