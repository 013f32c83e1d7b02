//! Tests of answers in the chat: a yes or no counts only for the last question that its sender can have seen (R-403, R-1102).

use super::*;
use crate::domain::id::TurnId;
use crate::domain::policy::Asker;
use crate::domain::user::Scope;
use crate::llm::Act;
use crate::llm::scripted::Scripted;
use crate::usecases::accounts::{agent_of_token, create_token};
use crate::workflow::agent_call;
use crate::workflow::inbox::Source;

mod options;

/// Reply to an answer that came before the question was shown.
const UNSEEN: &str = "You answered before you could see all of this question, so nothing was decided.";
const QUESTION: &str = "Are you sure you want to delete task 1? (yes/no)\n• wash car (#1) goes to the bin";

impl World {
    /// Accepts a message from this source without starting its turn.
    async fn send(&mut self, text: &str, way: Source) -> TurnId {
        let incoming = IncomingMessage { text: text.into(), conversation: self.conversation, client_key: None };
        let places: Vec<_> = std::iter::from_fn(|| self.state.try_turn_slot()).collect();
        let accepted = inbox::accept_from_web(&self.state, &self.caller, incoming, way).await.unwrap();
        drop(places);
        self.conversation = Some(accepted.conversation);
        accepted.turn
    }

    /// Runs pending work; returns the finished turn.
    async fn ended(&self, turn: TurnId) -> Turn {
        worker::settle(&self.state).await.unwrap();
        inbox::wait(&self.state, &self.caller, turn).await.unwrap()
    }

    /// Sends a message with `seen` as the newest event on the screen.
    async fn say_seeing(&mut self, text: &str, seen: i64) -> Turn {
        let turn = self.send(text, Source { seen: Some(seen), ..Source::default() }).await;
        self.ended(turn).await
    }

    async fn head(&self) -> i64 {
        store::events::head(&mut self.state.ctx.read().await.unwrap(), self.caller.id()).await.unwrap()
    }

    async fn statuses(&self) -> Vec<ApprovalStatus> {
        let all = approvals::list(&self.state.ctx, &self.caller, None).await.unwrap();
        all.iter().map(|approval| approval.status).collect()
    }

    /// Makes the model reply with this text in the next turn.
    fn speaks(&mut self, text: &str) {
        self.state.engine = Arc::new(Scripted::new(vec![Act::Say { text: text.into() }]));
    }
}

#[track_caller]
fn unseen(turn: &Turn) {
    ended(turn, DecisionKind::RequestClarification, Outcome::UnclearIntent);
    assert_eq!(turn.reply.as_deref(), Some(format!("{UNSEEN}\n{QUESTION}").as_str()));
    assert!(turn.tool_calls.is_empty(), "{turn:#?}");
}

#[tokio::test]
async fn answer_sent_before_the_question_decides_nothing() {
    for text in ["yes", "Yes, do it!", "no", "never mind"] {
        for model in [false, true] {
            for mut world in worlds().await {
                let one = world.task("wash car").await;
                if model {
                    world.state.engine = crate::state::scripted(vec![vec![("delete_task", json!({ "task_id": 1 }))]]);
                }
                let asking = world.send("delete task 1", Source::default()).await;
                let early = world.send(text, Source::default()).await;
                let asked = world.ended(asking).await;
                ended(&asked, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
                unseen(&world.ended(early).await);
                assert_eq!(world.statuses().await, [ApprovalStatus::Pending], "{text}");
                assert!(world.has(one).await, "{text}");
                // Requested again, and seen.
                world.state.engine = Arc::new(crate::llm::rules::Rules);
                let yes = world.say("yes").await;
                ended(&yes, DecisionKind::InvokeTool, Outcome::TaskCompleted);
                assert!(!world.has(one).await, "{text}");
            }
        }
    }
}

#[tokio::test]
async fn only_a_tab_that_has_rendered_the_question_answers_it() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let before = world.head().await;
        world.say("delete task 1").await;
        let after = world.head().await;
        for seen in [0, before, after - 1] {
            unseen(&world.say_seeing("yes", seen).await);
        }
        assert!(world.has(one).await);
        // From a tab that shows the last question.
        let seen = world.head().await;
        let yes = world.say_seeing("yes", seen).await;
        ended(&yes, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert!(!world.has(one).await);
    }
}

#[tokio::test]
async fn seen_cursor_from_a_client_is_limited_to_existing_events() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let asking = world.send("delete task 1", Source::default()).await;
        let early = world.send("yes", Source { seen: Some(i64::MAX), ..Source::default() }).await;
        world.ended(asking).await;
        unseen(&world.ended(early).await);
        assert!(world.has(one).await);
    }
}

#[tokio::test]
async fn yes_from_a_tab_with_an_older_question_decides_nothing() {
    for mut world in worlds().await {
        let (one, two) = (world.task("wash car").await, world.task("book flights").await);
        let asked = world.say("delete task 2").await;
        let seen = world.head().await;
        // In another tab, the first is answered and the second requested.
        world.press(&asked, Verdict::Reject).await.unwrap();
        world.say("delete task 1").await;
        unseen(&world.say_seeing("yes", seen).await);
        assert!(world.has(one).await && world.has(two).await);
    }
}

#[tokio::test]
async fn early_no_runs_its_request_and_leaves_the_approval_pending() {
    for mut world in worlds().await {
        let (one, two) = (world.task("wash car").await, world.task("book flights").await);
        let asking = world.send("delete task 1", Source::default()).await;
        let early = world.send("no, complete task 2 instead", Source::default()).await;
        world.ended(asking).await;
        let done = world.ended(early).await;
        ended(&done, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert_eq!(tasks::get(&world.state.ctx, &world.caller, two).await.unwrap().status, Status::Completed);
        assert_eq!(world.statuses().await, [ApprovalStatus::Pending]);
        assert!(world.has(one).await);
    }
}

#[tokio::test]
async fn retry_under_the_same_key_keeps_the_first_seen_cursor() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let asking = world.send("delete task 1", Source::default()).await;
        let talk = world.conversation;
        let yes = async |world: &World| {
            let key = Some(ClientKey::parse("yes-1").unwrap());
            let incoming = IncomingMessage { text: "yes".into(), conversation: talk, client_key: key };
            inbox::accept_from_web(&world.state, &world.caller, incoming, Source::default()).await.unwrap().turn
        };
        let places: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
        let early = yes(&world).await;
        drop(places);
        world.ended(asking).await;
        unseen(&world.ended(early).await);
        assert_eq!(yes(&world).await, early);
        assert!(world.has(one).await);
    }
}

#[tokio::test]
async fn yes_taken_over_by_another_process_keeps_its_seen_cursor() {
    for (seen, decides) in [(0, false), (i64::MAX, true)] {
        for mut world in worlds().await {
            let one = world.task("wash car").await;
            world.say("delete task 1").await;
            let turn = world.send("yes", Source { seen: Some(seen), ..Source::default() }).await;
            // A worker claimed it and died.
            let mut tx = world.state.ctx.write().await.unwrap();
            assert!(store::turns::claim(&mut tx, world.state.ctx.limits.lease_ms).await.unwrap().is_some());
            tx.commit().await.unwrap();
            world.expire_leases().await;
            let other = world.replica().await;
            worker::settle(&other).await.unwrap();
            let turn = inbox::wait(&other, &world.caller, turn).await.unwrap();
            if decides {
                ended(&turn, DecisionKind::InvokeTool, Outcome::TaskCompleted);
            } else {
                unseen(&turn);
            }
            assert_eq!(world.has(one).await, !decides, "{seen}");
        }
    }
}

#[tokio::test]
async fn renewed_question_is_not_answered_by_an_earlier_yes() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let id = world.say("delete task 1").await.approval.unwrap().approval_id;
        world.state.ctx.clock.advance(86_400);
        worker::settle(&world.state).await.unwrap();
        let places: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
        let again = inbox::ask_again(&world.state, &world.caller, id, None).await.unwrap();
        drop(places);
        let early = world.send("yes", Source::default()).await;
        world.ended(again.turn).await;
        unseen(&world.ended(early).await);
        assert!(world.has(one).await);
        world.say("yes").await;
        assert!(!world.has(one).await);
    }
}

#[tokio::test]
async fn agent_request_is_answered_only_by_a_later_yes() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let (_, token) = create_token(&world.state.ctx, "ada", "desk", &[Scope::TasksDelete], 9).await.unwrap();
        let desk = agent_of_token(&world.state.ctx, &token, None).await.unwrap().unwrap();
        let before = world.head().await;
        let answer = agent_call::call(&world.state, &desk, "delete_task", json!({ "task_id": 1 })).await.unwrap();
        world.conversation = Some(answer.waits.unwrap().conversation_id);
        unseen(&world.say_seeing("yes", before).await);
        assert!(world.has(one).await);
        world.say("yes").await;
        assert!(!world.has(one).await);
    }
}

#[tokio::test]
async fn yes_does_not_answer_a_question_stopped_before_display() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let asking = world.send("delete task 1", Source::default()).await;
        inbox::stop(&world.state, &world.caller, asking).await.unwrap();
        let early = world.send("yes", Source::default()).await;
        world.ended(asking).await;
        assert!(world.ended(early).await.tool_calls.is_empty());
        world.say("yes").await;
        assert!(world.has(one).await);
    }
}

/// Replies in which a model quotes the question of an older approval, visibly or not.
const QUOTES: [&str; 11] = [
    "[Your list](https://docket.example \"Are you sure you want to delete task 1? (yes/no)\"). Shall I show it?",
    "```Are you sure you want to delete task 1? (yes/no)\n```\nShall I show your tasks?",
    "~~~ Are you sure you want to delete task 1? (yes/no)\nShall I show your tasks?",
    "Shall I show your tasks?\n\n[a]: https://docket.example 'Are you sure you want to delete task 1? (yes/no)'",
    "Shall I show your tasks? <!-- Are you sure you want to delete task 1? (yes/no) -->",
    "Shall I show your tasks? ![Are you sure you want to delete task 1? (yes/no)](https://docket.example)",
    "<span title=\"Are you sure you want to delete task 1? (yes/no)\">Shall I show your tasks?</span>",
    "Are you sure you want to delete task 1? (yes/no)\n\nBut first: shall I show your tasks?",
    "> Are you sure you want to delete task 1? (yes/no)\n\nYou were asked that. Shall I show your tasks?",
    "Shall I show your tasks?\nAre you sure you want to delete task 1? (yes/no)",
    "Are you sure you want to delete task 1? (yes/no)",
];

#[tokio::test]
async fn a_model_that_quotes_a_question_does_not_ask_it() {
    for reply in QUOTES {
        for mut world in worlds().await {
            let one = world.task("wash car").await;
            world.say("delete task 1").await;
            world.speaks(reply);
            world.say("what is on today?").await;
            world.speaks("Here you are.");
            let yes = world.say("yes").await;
            ended(&yes, DecisionKind::RespondOnly, Outcome::ResponseGiven);
            assert_eq!(world.statuses().await, [ApprovalStatus::Pending], "{reply}");
            assert!(world.has(one).await, "{reply}");
        }
    }
}

#[tokio::test]
async fn question_repeated_by_the_rules_can_be_answered() {
    for (vague, lead) in [("hmm", ""), ("can i get it back after?", "What is deleted rests in the bin for 30 days")] {
        for mut world in worlds().await {
            let one = world.task("wash car").await;
            world.say("delete task 1").await;
            let seen = world.head().await;
            let again = world.say(vague).await;
            ended(&again, DecisionKind::RequestClarification, Outcome::UnclearIntent);
            let reply = again.reply.as_deref().unwrap();
            assert!(reply.starts_with(lead) && reply.ends_with(QUESTION), "{reply}");
            assert_eq!(again.options, ["yes", "no"]);
            unseen(&world.say_seeing("yes", seen).await);
            let yes = world.say("yes").await;
            ended(&yes, DecisionKind::InvokeTool, Outcome::TaskCompleted);
            assert!(!world.has(one).await);
        }
    }
}

#[tokio::test]
async fn question_is_the_last_block_after_other_results() {
    for mut world in worlds().await {
        world.task("wash car").await;
        world.rules(Asker::Agent, crate::domain::tool::ToolName::AddTask, crate::domain::policy::Rule::Run).await;
        let calls = vec![("add_task", json!({ "title": "``` [x]: y '" })), ("delete_task", json!({ "task_id": 1 }))];
        world.state.engine = crate::state::scripted(vec![calls]);
        let asked = world.say("tidy up").await;
        ended(&asked, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        assert_eq!(asked.reply, Some(format!("Created task: ``` [x]: y ' (#2)\n{QUESTION}")));
        let page =
            conversations::messages(&world.state.ctx, &world.caller, asked.conversation_id, None, 10).await.unwrap();
        assert_eq!(page.items.last().unwrap().question.as_deref(), Some(QUESTION));
    }
}

#[tokio::test]
async fn the_record_holds_what_a_sender_could_see() {
    for mut world in worlds().await {
        world.task("wash car").await;
        let asking = world.send("delete task 1", Source::default()).await;
        let asked = world.ended(asking).await;
        let seen = world.head().await;
        let yes = world.say_seeing("yes", seen).await;
        let mut tx = world.state.ctx.read().await.unwrap();
        let bodies = store::testing::bodies(&mut tx, world.caller.id()).await;
        let of = |kind: &str, turn: &Turn| {
            let bodies = bodies.iter().filter(|(found, _)| found == kind);
            let mut bodies = bodies.map(|(_, body)| serde_json::from_str::<serde_json::Value>(body).unwrap());
            bodies.find(|body| body["turn_id"] == json!(turn.turn_id)).unwrap()
        };
        assert_eq!(of("message", &yes)["seen"], seen);
        let decision = of("decision", &asked);
        assert_eq!(decision["question"]["text"], QUESTION);
        assert!(decision["told_seq"].as_i64().unwrap() <= seen, "{decision}");
    }
}

#[tokio::test]
async fn undo_asks_for_what_its_sender_had_not_seen() {
    for mut world in worlds().await {
        let seen = world.head().await;
        // The person knows what they did by hand.
        world.task("eggs").await;
        ended(&world.say_seeing("undo that", seen).await, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        let seen = world.head().await;
        world.say("add milk").await;
        ended(&world.say_seeing("undo that", seen).await, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        assert!(world.has(TaskNumber(2)).await);
    }
}
