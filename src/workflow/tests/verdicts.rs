//! Tests of verdicts: concurrent, by strangers, late, repeated, with a reason, and requested again.

use std::sync::Arc;

use async_trait::async_trait;

use super::*;
use crate::domain::decision::Engine;
use crate::domain::id::{ApprovalId, InvocationId};
use crate::domain::policy::Asker;
use crate::domain::tool::{Call, ToolName};
use crate::llm::scripted::Scripted;
use crate::llm::{Act, Entry, Llm, LlmError, Reply, Request};
use crate::store::turns::NewTurn;
use crate::tools::arguments::Moment;
use crate::tools::registry::Registry;
use crate::usecases::invocations::{self, Attempt};

mod effects;
mod inline;
mod newest;

/// Rounds on each database; the end-to-end test adds 20 on each, 1,000 in total.
const ROUNDS: usize = 480;

impl World {
    /// Makes the model request these calls in every turn, and then give a last reply.
    pub(super) fn scripted(&mut self, calls: &[(&str, serde_json::Value)]) {
        let call = |(tool, arguments): &(&str, serde_json::Value)| Call {
            tool: (*tool).into(),
            arguments: arguments.clone(),
            provider_id: None,
        };
        let calls = Act::Calls { text: String::new(), calls: calls.iter().map(call).collect() };
        let last = || Act::Say { text: "That is that.".into() };
        // A turn that confirms itself has its calls twice: as requested, and as approved.
        self.state.engine = Arc::new(Scripted::new(vec![calls, last(), last()]));
    }

    async fn approval(&self, id: ApprovalId) -> crate::domain::approval::Approval {
        approvals::get(&self.state.ctx, &self.caller, id).await.unwrap()
    }

    pub(super) async fn again(&self, id: ApprovalId) -> Result<Turn, Error> {
        let accepted = inbox::ask_again(&self.state, &self.caller, id, None).await?;
        worker::settle(&self.state).await.unwrap();
        inbox::wait(&self.state, &self.caller, accepted.turn).await
    }

    async fn restore(&self, number: TaskNumber) {
        let ctx = &self.state.ctx;
        let mut tx = ctx.write().await.unwrap();
        tasks::restore(ctx, &mut tx, By::person(&self.caller), number, None).await.unwrap();
        ctx.commit(tx).await.unwrap();
    }

    async fn rename(&self, number: TaskNumber, title: &str) {
        let ctx = &self.state.ctx;
        let edit = crate::domain::task::Edit { title: Some(Title::parse(title).unwrap()), ..Default::default() };
        let mut tx = ctx.write().await.unwrap();
        tasks::edit(ctx, &mut tx, By::person(&self.caller), number, edit, None).await.unwrap();
        ctx.commit(tx).await.unwrap();
    }

    async fn version(&self, number: TaskNumber) -> i64 {
        let mut tx = self.state.ctx.read().await.unwrap();
        store::tasks::get(&mut tx, self.caller.id(), number).await.unwrap().unwrap().task.version
    }
}

fn asked(turn: &Turn) -> ApprovalId {
    turn.approval.as_ref().unwrap().approval_id
}

/// Sends a verdict on `id` from browser, API and chat concurrently, each to a process. Returns the winners and the messages to the others.
/// The chat gets a head start of that many yields, because its path is the longest.
async fn race(
    world: &World,
    id: ApprovalId,
    [web, api, chat]: [(Verdict, &AppState); 3],
    head_start: usize,
) -> (Vec<DecidedVia>, Vec<String>) {
    let press = |(verdict, state): (_, &AppState), via| {
        let (state, caller) = (state.clone(), world.caller.clone());
        tokio::spawn(async move { inbox::decide(&state, &caller, id, verdict, via, None).await })
    };
    let said = {
        let text = if chat.0 == Verdict::Approve { "yes" } else { "no" };
        let incoming = IncomingMessage { text: text.into(), conversation: world.conversation, client_key: None };
        let (state, caller) = (chat.1.clone(), world.caller.clone());
        tokio::spawn(async move { inbox::accept(&state, &caller, incoming).await })
    };
    for _ in 0..head_start {
        tokio::task::yield_now().await;
    }
    let pressed = [(web, DecidedVia::Web), (api, DecidedVia::Api)].map(|(door, via)| (via, press(door, via)));
    let (mut winners, mut told) = (vec![], vec![]);
    for (via, answer) in pressed {
        match answer.await.unwrap() {
            Ok(_) => winners.push(via),
            Err(Error::Conflict(text)) => told.push(text),
            Err(error) => panic!("{error}"),
        }
    }
    let turn = said.await.unwrap().unwrap().turn;
    // Each process runs the turns that wait for another one.
    for state in [web.1, api.1, chat.1] {
        worker::settle(state).await.unwrap();
    }
    let turn = inbox::wait(chat.1, &world.caller, turn).await.unwrap();
    match turn.decision.unwrap().outcome {
        Outcome::TaskCompleted | Outcome::UserRejected => winners.push(DecidedVia::Chat),
        Outcome::ResponseGiven => told.push(turn.reply.unwrap()),
        other => panic!("{other:?}: {:?}", turn.reply),
    }
    (winners, told)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_verdicts_have_one_winner_and_one_effect() {
    let runs = worlds().await.into_iter().map(|world| tokio::spawn(rounds(world)));
    futures::future::try_join_all(runs).await.unwrap();
}

async fn rounds(mut world: World) {
    world.state.ctx.limits.messages_per_minute = 0;
    let one = world.task("wash car").await;
    world.scripted(&[("delete_task", json!({ "task_id": 1 }))]);
    let mut other = world.replica().await;
    other.engine = world.state.engine.clone();
    for round in 0..ROUNDS {
        world.conversation = None;
        let before = world.version(one).await;
        let id = asked(&world.say("tidy up").await);
        let verdict = |bit: usize| if round >> bit & 1 == 0 { Verdict::Approve } else { Verdict::Reject };
        // One of the channels in turn uses another process.
        let doors = std::array::from_fn(|at| (verdict(at), if at == round % 3 { &other } else { &world.state }));
        let (winners, told) = race(&world, id, doors, round % 7 * 60).await;
        let [winner] = winners[..] else { panic!("round {round}: {winners:?} {told:?}") };

        let approval = world.approval(id).await;
        let yes = approval.status == ApprovalStatus::Approved;
        assert_eq!(approval.decided_via, Some(winner), "round {round}");
        let effects = world.version(one).await - before;
        assert_eq!(effects, i64::from(yes), "round {round}: one effect after a yes, none after a no");
        let verb = if yes { "approved" } else { "declined" };
        let sentence = format!("This was already {verb} by ada {} (09:30).", winner.in_words());
        assert_eq!(told, [&*sentence; 2], "round {round}");
        if yes {
            world.restore(one).await;
        }
    }
    let mut tx = world.state.ctx.read().await.unwrap();
    let bodies = store::testing::bodies(&mut tx, world.caller.id()).await;
    let verdicts = bodies.iter().filter(|(kind, _)| kind == "approval_verdict").count();
    assert_eq!(verdicts, ROUNDS, "one verdict is recorded for each request");
}

#[tokio::test]
async fn a_stranger_another_id_and_a_replay_have_no_effect() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let turn = world.say("delete task 1").await;
        let eve = world.beside(person(&world.state.ctx, "eve").await);
        let stranger = eve.press(&turn, Verdict::Approve).await.unwrap_err();
        assert!(matches!(&stranger, Error::NotFound(text) if text == "There is no such approval."), "{stranger}");
        let state = &world.state;
        let unknown =
            inbox::decide(state, &world.caller, ApprovalId::new(), Verdict::Approve, DecidedVia::Api, None).await;
        assert!(matches!(unknown, Err(Error::NotFound(_))));
        assert!(world.has(one).await);

        world.press(&turn, Verdict::Approve).await.unwrap();
        world.restore(one).await;
        world.press(&turn, Verdict::Approve).await.unwrap_err();
        assert!(world.has(one).await, "a replayed verdict is none");

        // Even a second turn that claims to carry out the approval cannot.
        let moment = Moment { now: state.ctx.now(), zone: "Europe/London".into() };
        let operation = Registry::default().prepare(ToolName::DeleteTask, json!({ "task_id": 1 }), &moment).unwrap();
        let new = NewTurn {
            conversation: turn.conversation_id,
            cause: Cause::Mcp,
            approval: None,
            client_key: None,
            lease_ms: Some(9_000),
            starter: None,
        };
        let mut tx = state.ctx.write().await.unwrap();
        let other = store::turns::insert(&mut tx, world.caller.id(), &new, &state.ctx.now()).await.unwrap();
        state.ctx.commit(tx).await.unwrap();
        let id = InvocationId { turn: other.id, step: 0, index: 0 };
        let (asker, called_as) = (Asker::Mcp, "delete_task");
        let attempt = Attempt { id, fence: other.fence, conversation: turn.conversation_id, asker, called_as };
        let replayed =
            invocations::run_approved(&state.ctx, &world.caller, asked(&turn), &[attempt], &[operation]).await;
        assert!(matches!(&replayed, Err(Error::Forbidden(text)) if text.contains("already been used")), "{replayed:?}");
        assert!(world.has(one).await);
    }
}

#[tokio::test]
async fn extended_approval_can_be_answered_after_its_original_expiry() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let turn = world.say("delete task 1").await;
        let (ctx, day) = (world.state.ctx.clone(), world.state.ctx.limits.approval_ttl_s);
        ctx.clock.advance(day - 10);
        let extended = approvals::extend(&ctx, &world.caller, asked(&turn)).await.unwrap();
        assert_eq!(extended.expires_at, ctx.now().plus_seconds(day));
        ctx.clock.advance(20);
        world.press(&turn, Verdict::Approve).await.unwrap();
        assert!(!world.has(one).await);
        let late = approvals::extend(&ctx, &world.caller, asked(&turn)).await.unwrap_err();
        assert!(matches!(&late, Error::Conflict(text) if text.contains("approved by ada")), "{late}");
        let bodies = store::testing::bodies(&mut ctx.read().await.unwrap(), world.caller.id()).await;
        assert_eq!(bodies.iter().filter(|(kind, _)| kind == "approval_extension").count(), 1);
    }
}

/// An engine that records its requests and gives a fixed reply.
struct Listening(mpsc::UnboundedSender<Request>);

#[async_trait]
impl Llm for Listening {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        self.0.send(request.clone()).unwrap();
        Ok(Reply::plain(Act::Say { text: "I see.".into() }, "listen"))
    }
}

#[tokio::test]
async fn rejection_reason_is_in_the_transcript_and_later_model_input() {
    for mut world in worlds().await {
        world.task("wash car").await;
        let turn = world.say("delete task 1").await;
        let (id, why) = (asked(&turn), "it is not mine to delete");
        let accepted =
            inbox::decide(&world.state, &world.caller, id, Verdict::Reject, DecidedVia::Web, Some(why)).await.unwrap();
        worker::settle(&world.state).await.unwrap();
        let refused = inbox::wait(&world.state, &world.caller, accepted.turn).await.unwrap();
        ended(&refused, DecisionKind::RespondOnly, Outcome::UserRejected);
        let told = "All right, nothing was changed: wash car (#1). Your reason: it is not mine to delete";
        assert_eq!(refused.reply.as_deref(), Some(told));
        assert_eq!(world.approval(id).await.reason.as_deref(), Some(why));

        let (sender, mut heard) = mpsc::unbounded_channel();
        world.state.engine = Arc::new(Listening(sender));
        world.say("and now?").await;
        let request = heard.try_recv().unwrap();
        let verdict = request.entries.iter().find(|entry| matches!(entry, Entry::Verdict { .. })).unwrap();
        let question = "Are you sure you want to delete task 1? (yes/no)".to_owned();
        assert_eq!(verdict, &Entry::Verdict { question, approved: false, reason: Some(why.into()) });
    }
}

#[tokio::test]
async fn expired_approval_is_renewed_once_with_a_current_preview() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let turn = world.say("delete task 1").await;
        let early = world.again(asked(&turn)).await.unwrap_err();
        assert!(matches!(&early, Error::Conflict(text) if text.contains("still pending")), "{early}");
        world.state.ctx.clock.advance(86_400);
        world.rename(one, "wash both cars").await;
        let late = world.say("yes").await;
        assert!(late.reply.as_deref().unwrap().contains("ask again if you still want it"), "{late:#?}");

        let fresh = world.again(asked(&turn)).await.unwrap();
        ended(&fresh, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        let question = "Are you sure you want to delete task 1? (yes/no)\n• wash both cars (#1) goes to the bin";
        assert_eq!(fresh.reply.as_deref(), Some(question));
        let approval = fresh.approval.as_ref().unwrap();
        assert_eq!((approval.status, approval.preview[0].before.version), (ApprovalStatus::Pending, 2));
        assert_ne!(approval.approval_id, asked(&turn));
        assert_eq!(world.again(asked(&turn)).await.unwrap().turn_id, fresh.turn_id, "asking twice is one turn");
        assert!(world.has(one).await);
        let yes = world.say("yes").await;
        ended(&yes, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert!(!world.has(one).await);
    }
}

#[tokio::test]
async fn renewed_bulk_approval_asks_again_unless_its_task_is_gone() {
    for mut world in worlds().await {
        let (_, two) = (world.task("wash car").await, world.task("book flights").await);
        world.scripted(&[("complete_task", json!({ "task_id": 1 })), ("complete_task", json!({ "task_id": 2 }))]);
        let turn = world.say("finish up").await;
        world.state.ctx.clock.advance(86_400);
        worker::settle(&world.state).await.unwrap();
        let fresh = world.again(asked(&turn)).await.unwrap();
        ended(&fresh, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        let task = tasks::get(&world.state.ctx, &world.caller, two).await.unwrap();
        assert_eq!(task.status, Status::Pending, "alone it would have run without a question");

        world.state.ctx.clock.advance(86_400);
        world.state.ctx.limits.messages_per_minute = 0;
        worker::settle(&world.state).await.unwrap();
        let ctx = world.state.ctx.clone();
        let mut tx = ctx.write().await.unwrap();
        tasks::delete(&ctx, &mut tx, By::person(&world.caller), two, None).await.unwrap();
        ctx.commit(tx).await.unwrap();
        let gone = world.again(asked(&fresh)).await.unwrap();
        ended(&gone, DecisionKind::InvokeTool, Outcome::ApprovalVoid);
        assert_eq!(gone.reply.as_deref(), Some("There is no task #2."));
    }
}

#[tokio::test]
async fn approval_of_several_calls_is_exact_and_atomic() {
    for fails in [true, false] {
        for mut world in worlds().await {
            let (one, two) = (world.task("wash car").await, world.task("book flights").await);
            world.rename(two, "book trains").await;
            world.scripted(&[
                ("update_task", json!({ "task_id": 1, "title": "wash both" })),
                ("delete_task", json!({ "task_id": 2 })),
            ]);
            let turn = world.say("tidy up").await;
            let approval = turn.approval.as_ref().unwrap();
            let shown: Vec<_> = approval.preview.iter().map(|target| (target.task_id, target.before.version)).collect();
            assert_eq!((approval.calls.len(), shown), (2, vec![(one, 1), (two, 2)]));
            if fails {
                world.state.ctx.faults = crate::fault::Faults::plan();
                let fault =
                    crate::fault::Fault { tool: ToolName::DeleteTask, times: 1, error: "database is locked".into() };
                world.state.ctx.faults.add(fault);
            }
            let ran = world.press(&turn, Verdict::Approve).await.unwrap();
            let statuses: Vec<_> = ran.tool_calls.iter().map(|call| call.status).collect();
            let title = tasks::get(&world.state.ctx, &world.caller, one).await.unwrap().title;
            if fails {
                ended(&ran, DecisionKind::InvokeTool, Outcome::ToolFailed);
                assert_eq!(statuses, [CallStatus::Skipped, CallStatus::Error]);
                assert_eq!((title.as_str(), world.has(two).await), ("wash car", true));
            } else {
                assert_eq!(statuses, [CallStatus::Ok, CallStatus::Ok]);
                assert_eq!((title.as_str(), world.has(two).await), ("wash both", false));
            }
        }
    }
}

#[tokio::test]
async fn late_yes_reports_the_earlier_verdict_every_time() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let turn = world.say("delete task 1").await;
        world.press(&turn, Verdict::Reject).await.unwrap();
        // The same conversation: the approval is decided, and each late yes gets that reply.
        for _ in 0..2 {
            let late = world.say("yes").await;
            ended(&late, DecisionKind::RespondOnly, Outcome::ResponseGiven);
            assert_eq!(late.reply.as_deref(), Some("This was already declined by ada in the browser (09:30)."));
        }
        assert!(world.has(one).await);
    }
}
