//! Tests of turns from trigger to decision, with the rules and scripted engines, on every available database.

use std::sync::Arc;

use serde_json::json;
use tempfile::TempDir;
use tokio::sync::mpsc;

use super::inbox::{self, IncomingMessage, Source};
use super::worker;
use crate::clock::Clock;
use crate::config::Config;
use crate::domain::approval::{ApprovalStatus, DecidedVia, Verdict};
use crate::domain::decision::{DecisionKind, Outcome};
use crate::domain::id::{ConversationId, TaskNumber};
use crate::domain::task::{NewTask, Status, Title};
use crate::domain::text::ClientKey;
use crate::domain::time::Timestamp;
use crate::domain::tool::CallStatus;
use crate::domain::turn::{Cause, Turn, TurnStatus};
use crate::domain::user::Caller;
use crate::state::AppState;
use crate::store::{self, Store};
use crate::usecases::testing::{NOW, person};
use crate::usecases::{By, Error, approvals, conversations, tasks, undo};

mod bin;
mod chats;
mod clocks;
mod crashes;
mod disabled;
mod erasure;
mod failures;
mod invariants;
mod kernel;
mod leases;
mod noting;
mod outside;
mod pace;
mod patience;
mod policies;
mod questions;
mod relinking;
mod remembering;
mod reminders;
mod replays;
mod scopes;
mod seen;
mod spending;
mod stop;
mod tamper;
mod told_again;
mod undoing;
mod verdicts;

/// Returns a user with a process on each available database.
async fn worlds() -> Vec<World> {
    let mut worlds = vec![];
    let folder = Arc::new(tempfile::tempdir().unwrap());
    for (_, url) in store::testing::urls_on_disk(folder.path()).await {
        worlds.push(world(&url, folder.clone()).await);
    }
    worlds
}

/// Returns a user with a process on an empty database.
async fn world(url: &str, folder: Arc<TempDir>) -> World {
    let store = Store::open(url, false).await.unwrap();
    let state = AppState::with(Config::from(|_| None).unwrap(), store, Clock::set(Timestamp::parse(NOW).unwrap()));
    let caller = person(&state.ctx, "ada").await;
    World { state, caller, conversation: None, url: url.to_owned(), _folder: folder }
}

struct World {
    state: AppState,
    caller: Caller,
    conversation: Option<ConversationId>,
    url: String,
    _folder: Arc<TempDir>,
}

impl Drop for World {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            store::testing::assert_invariants(&self.state.ctx.store);
            replays::assert_same(&self.state, &self.url);
        }
    }
}

impl World {
    /// Returns another user of the same server.
    fn beside(&self, caller: Caller) -> Self {
        let (state, url, _folder) = (self.state.clone(), self.url.clone(), self._folder.clone());
        Self { state, caller, conversation: None, url, _folder }
    }

    /// Returns another process on the same database; on PostgreSQL with separate connections.
    async fn replica(&self) -> AppState {
        let mut fresh = self.state.restarted();
        if !fresh.ctx.store.is_embedded() {
            fresh.ctx.store = store::testing::connect(&self.url).await;
        }
        fresh.ctx.limits = self.state.ctx.limits;
        fresh
    }

    async fn say(&mut self, text: &str) -> Turn {
        let incoming = IncomingMessage { text: text.into(), conversation: self.conversation, client_key: None };
        let accepted = inbox::accept(&self.state, &self.caller, incoming).await.unwrap();
        self.conversation = Some(accepted.conversation);
        worker::settle(&self.state).await.unwrap();
        inbox::wait(&self.state, &self.caller, accepted.turn).await.unwrap()
    }

    async fn press(&self, turn: &Turn, verdict: Verdict) -> Result<Turn, Error> {
        let id = turn.approval.as_ref().unwrap().approval_id;
        let accepted = inbox::decide(&self.state, &self.caller, id, verdict, DecidedVia::Web, None).await?;
        worker::settle(&self.state).await.unwrap();
        inbox::wait(&self.state, &self.caller, accepted.turn).await
    }

    async fn task(&self, title: &str) -> TaskNumber {
        let (ctx, new) = (&self.state.ctx, NewTask::titled(Title::parse(title).unwrap()));
        let mut tx = ctx.write().await.unwrap();
        let made = tasks::add(ctx, &mut tx, By::person(&self.caller), new).await.unwrap();
        ctx.commit(tx).await.unwrap();
        made.after.task_id
    }

    async fn has(&self, number: TaskNumber) -> bool {
        tasks::get(&self.state.ctx, &self.caller, number).await.is_ok()
    }
}

#[track_caller]
fn ended(turn: &Turn, kind: DecisionKind, outcome: Outcome) {
    let decision = turn.decision.unwrap();
    assert_eq!((decision.kind, decision.outcome), (kind, outcome), "{turn:#?}");
    assert_eq!(turn.status, TurnStatus::Done);
}

#[tokio::test]
async fn every_agent_tool_call_is_sent_as_tools_call() {
    for mut world in worlds().await {
        let (tap, mut wire) = mpsc::unbounded_channel();
        world.state.tap = Some(tap);
        let turn = world.say("add buy milk").await;
        let mut sent = vec![];
        while let Ok(line) = wire.try_recv() {
            let message: serde_json::Value = serde_json::from_str(&line).unwrap();
            if message["method"] == "tools/call" {
                sent.push(message["params"]["name"].as_str().unwrap().to_owned());
            }
        }
        let recorded: Vec<_> = turn.tool_calls.iter().map(|call| call.tool.clone()).collect();
        assert_eq!((sent, recorded.clone()), (recorded, vec!["add_task".to_owned()]));
    }
}

#[tokio::test]
async fn a_high_risk_call_waits_for_a_yes() {
    for mut world in worlds().await {
        let milk = world.task("buy milk").await;
        let asked = world.say("delete task 1").await;
        ended(&asked, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        assert_eq!(
            asked.reply.as_deref(),
            Some("Are you sure you want to delete task 1? (yes/no)\n• buy milk (#1) goes to the bin")
        );
        // The task was looked up before its deletion was requested.
        let states: Vec<CallStatus> = asked.tool_calls.iter().map(|call| call.status).collect();
        assert_eq!(states, [CallStatus::Ok, CallStatus::AwaitingApproval]);
        let approval = asked.approval.as_ref().unwrap();
        assert_eq!(approval.status, ApprovalStatus::Pending);
        assert!(approval.preview[0].before.deleted_at.is_none() && approval.preview[0].after.deleted_at.is_some());
        assert!(world.has(milk).await);

        let ran = world.press(&asked, Verdict::Approve).await.unwrap();
        ended(&ran, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert_eq!((ran.cause, ran.tool_calls[0].status), (Cause::Approval, CallStatus::Ok));
        assert!(!world.has(milk).await);

        let again = world.press(&asked, Verdict::Reject).await.unwrap_err();
        assert!(matches!(&again, Error::Conflict(text) if text.contains("ada")), "{again}");
    }
}

#[tokio::test]
async fn typed_yes_or_no_decides_only_the_last_question() {
    for mut world in worlds().await {
        let (one, two) = (world.task("wash car").await, world.task("book flights").await);
        world.say("delete task 1").await;
        let vague = world.say("hmm").await;
        ended(&vague, DecisionKind::RequestClarification, Outcome::UnclearIntent);
        let no = world.say("no").await;
        ended(&no, DecisionKind::RespondOnly, Outcome::UserRejected);
        assert!(world.has(one).await);

        world.say("delete task 2").await;
        world.say("show my tasks").await;
        let late = world.say("yes").await;
        assert!(late.tool_calls.is_empty(), "{late:#?}");
        assert!(world.has(two).await);

        world.say("delete task 1").await;
        // With two pending approvals, a yes is ambiguous.
        world.say("yes").await;
        assert!(world.has(one).await && world.has(two).await);
    }
}

#[tokio::test]
async fn what_was_asked_for_twice_is_one_request() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        world.say("delete task 1").await;
        world.say("show my tasks").await;
        world.say("delete task 1").await;
        let yes = world.say("yes").await;
        ended(&yes, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert!(!world.has(one).await);

        let two = world.task("wax car").await;
        world.say("delete task 2").await;
        world.say("show my tasks").await;
        world.say("delete task 2").await;
        let no = world.say("no").await;
        ended(&no, DecisionKind::RespondOnly, Outcome::UserRejected);
        assert!(world.has(two).await);
        // No approval is pending any more.
        let asked = approvals::list(&world.state.ctx, &world.caller, None).await.unwrap();
        let mut statuses: Vec<_> = asked.iter().map(|approval| approval.status.as_str()).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, ["approved", "rejected", "void", "void"]);
    }
}

#[tokio::test]
async fn a_yes_in_chat_runs_the_stored_call() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        world.say("rename task 1 to wash both cars").await;
        let yes = world.say("yes").await;
        ended(&yes, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        let task = tasks::get(&world.state.ctx, &world.caller, one).await.unwrap();
        assert_eq!(task.title.as_str(), "wash both cars");
        let approval = approvals::list(&world.state.ctx, &world.caller, None).await.unwrap().remove(0);
        assert_eq!((approval.status, approval.decided_via), (ApprovalStatus::Approved, Some(DecidedVia::Chat)));
    }
}

#[tokio::test]
async fn unanswered_approval_expires_in_its_own_turn() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let asked = world.say("delete task 1").await;
        world.state.ctx.clock.advance(86_400);
        let late = world.press(&asked, Verdict::Approve).await.unwrap_err();
        assert!(matches!(late, Error::Conflict(_)), "{late}");
        worker::settle(&world.state).await.unwrap();
        let approval = asked.approval.unwrap().approval_id;
        let approval = approvals::get(&world.state.ctx, &world.caller, approval).await.unwrap();
        assert_eq!(approval.status, ApprovalStatus::Expired);
        let page =
            conversations::messages(&world.state.ctx, &world.caller, asked.conversation_id, None, 10).await.unwrap();
        let last = page.items.last().unwrap();
        assert_eq!(last.decision.unwrap().outcome, Outcome::ApprovalExpired);
        assert!(world.has(one).await);
        // “That” is the question, which the reply quotes.
        world.task("pay rent").await;
        world.state.engine = crate::state::scripted(vec![vec![("undo", json!({ "scope": "last" }))]]);
        let turn = world.say("undo that").await;
        assert_eq!(turn.tool_calls[0].status, CallStatus::AwaitingApproval, "{turn:#?}");
    }
}

#[tokio::test]
async fn a_target_that_changed_voids_the_approval_and_asks_afresh() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let asked = world.say("delete task 1").await;
        let ctx = world.state.ctx.clone();
        let mut tx = ctx.write().await.unwrap();
        tasks::complete(&ctx, &mut tx, By::person(&world.caller), one, None).await.unwrap();
        ctx.commit(tx).await.unwrap();

        let void = world.press(&asked, Verdict::Approve).await.unwrap();
        ended(&void, DecisionKind::InvokeTool, Outcome::ApprovalVoid);
        let fresh = void.approval.as_ref().unwrap();
        assert_eq!((fresh.status, fresh.preview[0].before.status), (ApprovalStatus::Pending, Status::Completed));
        assert!(world.has(one).await);
        world.press(&void, Verdict::Approve).await.unwrap();
        assert!(!world.has(one).await);
    }
}

#[tokio::test]
async fn confirmation_in_the_same_message_runs_the_call_immediately() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let turn = world.say("delete task 1, yes I'm sure").await;
        ended(&turn, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert!(!world.has(one).await);
        let approval = approvals::list(&world.state.ctx, &world.caller, None).await.unwrap().remove(0);
        assert_eq!(approval.decided_via, Some(DecidedVia::Inline));
        assert!(approval.reason.is_some());
    }
}

#[tokio::test]
async fn one_verdict_over_several_tasks_runs_all_or_none() {
    for mut world in worlds().await {
        let (one, two) = (world.task("wash car").await, world.task("book flights").await);
        let asked = world.say("delete all my tasks").await;
        ended(&asked, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        assert_eq!(asked.approval.as_ref().unwrap().preview.len(), 2);
        world.press(&asked, Verdict::Approve).await.unwrap();
        assert!(!world.has(one).await && !world.has(two).await);
    }
}

#[tokio::test]
async fn a_turn_that_its_process_left_is_run_by_another() {
    for mut world in worlds().await {
        let script = || vec![vec![("add_task", json!({ "title": "milk" }))]];
        world.state.engine = crate::state::scripted(script());
        let incoming = IncomingMessage { text: "shop".into(), conversation: None, client_key: None };
        // Without a free slot, the turn is accepted but not started.
        let places: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
        let accepted = inbox::accept(&world.state, &world.caller, incoming).await.unwrap();
        drop(places);
        let mut other = world.state.restarted();
        other.engine = crate::state::scripted(script());
        worker::settle(&other).await.unwrap();
        let turn = inbox::wait(&other, &world.caller, accepted.turn).await.unwrap();
        assert_eq!((turn.status, turn.tool_calls.len()), (TurnStatus::Done, 1));
    }
}

#[tokio::test]
async fn what_a_turn_did_can_be_undone_as_a_whole() {
    for mut world in worlds().await {
        let turn = world.say("add milk and then add eggs").await;
        assert_eq!(turn.tool_calls.len(), 2, "{turn:#?}");
        let (ctx, mut tx) = (&world.state.ctx, world.state.ctx.write().await.unwrap());
        undo::turn(ctx, &mut tx, By::person(&world.caller), turn.turn_id).await.unwrap();
        ctx.commit(tx).await.unwrap();
        assert!(!world.has(TaskNumber(1)).await && !world.has(TaskNumber(2)).await);
    }
}
