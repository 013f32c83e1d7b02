//! Tests of stop requests: before a turn, during a model call, and while calls run.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;

use super::*;
use crate::domain::decision::Engine;
use crate::domain::live::{Event, EventKind};
use crate::domain::tool::Call;
use crate::llm::{Act, Entry, Llm, LlmError, Piece, Reply, Request, Told};
use crate::usecases::conversations;

/// An engine that adds milk in its first call and never answers its second.
struct Endless(UnboundedSender<&'static str>);

/// Reports when it is dropped.
struct Waiting<'a>(&'a UnboundedSender<&'static str>);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.send("given up").ok();
    }
}

#[async_trait]
impl Llm for Endless {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        if request.entries.iter().any(|entry| matches!(entry, Entry::Calls { .. })) {
            self.0.send("asked").ok();
            let _waiting = Waiting(&self.0);
            return std::future::pending().await;
        }
        Ok(milk())
    }
}

/// An engine that optionally adds milk first, then streams a part of its reply and never ends it.
struct Talking {
    acts: bool,
}

#[async_trait]
impl Llm for Talking {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        let acted = request.entries.iter().any(|entry| matches!(entry, Entry::Calls { .. }));
        if self.acts && !acted {
            return Ok(milk());
        }
        std::future::pending().await
    }

    async fn stream(&self, request: &Request, told: &Told) -> Result<Reply, LlmError> {
        // A failed first attempt is retracted.
        let pieces = [Piece::Text("No".into()), Piece::Reset(None), Piece::Text("I have added milk, and ".into())];
        for piece in pieces.into_iter().chain([Piece::Text("now I look for \n".into())]) {
            told.send(piece).ok();
        }
        self.complete(request).await
    }
}

/// An engine that adds milk each time its gate opens.
pub(super) struct Thirsty {
    pub(super) heard: UnboundedSender<&'static str>,
    pub(super) gate: Arc<Semaphore>,
}

#[async_trait]
impl Llm for Thirsty {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, _request: &Request) -> Result<Reply, LlmError> {
        self.heard.send("asked").ok();
        self.gate.acquire().await.unwrap().forget();
        self.heard.send("answered").ok();
        Ok(milk())
    }
}

/// An engine that streams a text, and when its gate opens gives another reply or the same.
struct Thinking {
    aloud: &'static str,
    gate: Arc<Semaphore>,
}

#[async_trait]
impl Llm for Thinking {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, _request: &Request) -> Result<Reply, LlmError> {
        self.gate.acquire().await.unwrap().forget();
        Ok(Reply::plain(Act::Say { text: "Hello.".into() }, "answer"))
    }

    async fn stream(&self, request: &Request, told: &Told) -> Result<Reply, LlmError> {
        told.send(Piece::Text(self.aloud.into())).ok();
        self.complete(request).await
    }
}

fn milk() -> Reply {
    let call = Call { tool: "add_task".into(), arguments: json!({ "title": "milk" }), provider_id: None };
    Reply::plain(Act::Calls { text: String::new(), calls: vec![call] }, "add")
}

#[tokio::test]
async fn takeover_of_a_turn_retracts_text_streamed_before() {
    for mut world in worlds().await {
        world.state.engine = Arc::new(Talking { acts: false });
        let mut listener = world.state.ctx.live.listen(world.caller.id());
        let incoming = IncomingMessage { text: "shop".into(), conversation: None, client_key: None };
        let accepted = inbox::accept(&world.state, &world.caller, incoming).await.unwrap();
        while !kinds(&world).await.contains(&EventKind::TextDelta) {
            assert!(listener.woken().await);
        }
        let mut tx = world.state.ctx.write().await.unwrap();
        store::turns::take_over(&mut tx).await.unwrap();
        world.state.ctx.commit(tx).await.unwrap();
        let mut other = world.replica().await;
        // Completes within the debounce time, so that no delta is emitted.
        other.engine = Arc::new(crate::llm::scripted::Scripted::new(vec![Act::Say { text: "Hello.".into() }]));
        worker::settle(&other).await.unwrap();
        let turn = conversations::turn(&world.state.ctx, &world.caller, accepted.turn).await.unwrap();
        assert_eq!(turn.reply.as_deref(), Some("Hello."));
        let told = kinds(&world).await;
        let words = told.iter().rposition(|kind| *kind == EventKind::TextDelta).unwrap();
        assert!(told[words..].contains(&EventKind::TextReset), "{told:?}");
    }
}

async fn kinds(world: &World) -> Vec<EventKind> {
    let mut tx = world.state.ctx.read().await.unwrap();
    let events = store::events::after(&mut tx, world.caller.id(), 0, 100).await.unwrap();
    events.into_iter().map(|event| event.kind).collect()
}

#[tokio::test]
async fn streamed_text_that_is_not_the_reply_is_retracted() {
    for (aloud, taken_back) in [("They want milk.\n</think>\n\nHello.", true), ("Hello. \n", false)] {
        for mut world in worlds().await {
            let gate = Arc::new(Semaphore::new(0));
            world.state.engine = Arc::new(Thinking { aloud, gate: gate.clone() });
            let mut listener = world.state.ctx.live.listen(world.caller.id());
            let incoming = IncomingMessage { text: "hi".into(), conversation: None, client_key: None };
            let accepted = inbox::accept(&world.state, &world.caller, incoming).await.unwrap();
            while !kinds(&world).await.contains(&EventKind::TextDelta) {
                assert!(listener.woken().await);
            }
            gate.add_permits(1);
            let turn = inbox::wait(&world.state, &world.caller, accepted.turn).await.unwrap();
            assert_eq!(turn.reply.as_deref(), Some("Hello."));
            assert_eq!(kinds(&world).await.contains(&EventKind::TextReset), taken_back, "{aloud}");
        }
    }
}

#[tokio::test]
async fn stop_aborts_a_running_model_call_and_lists_completed_calls() {
    // Requested at the process that runs the turn, and at another one, which the database poll detects.
    for elsewhere in [false, true] {
        for mut world in worlds().await {
            let (sender, mut heard) = mpsc::unbounded_channel();
            world.state.engine = Arc::new(Endless(sender));
            let incoming = IncomingMessage { text: "shop".into(), conversation: None, client_key: None };
            let accepted = inbox::accept(&world.state, &world.caller, incoming).await.unwrap();
            assert_eq!(heard.recv().await, Some("asked"));
            let door = if elsewhere { world.state.restarted() } else { world.state.clone() };
            let before = inbox::stop(&door, &world.caller, accepted.turn).await.unwrap();
            assert_eq!(before.tool_calls.len(), 1, "the answer tells how far it was");
            assert_eq!(heard.recv().await, Some("given up"));
            let turn = inbox::wait(&world.state, &world.caller, accepted.turn).await.unwrap();
            ended(&turn, DecisionKind::InvokeTool, Outcome::Cancelled);
            let reply = "Created task: milk (#1)\nStopped. This much was already done.";
            assert_eq!(turn.reply.as_deref(), Some(reply));
            assert!(world.has(TaskNumber(1)).await);
        }
    }
}

#[tokio::test]
async fn stop_keeps_the_streamed_text_and_lists_completed_calls() {
    for (acts, kind, end) in [
        (false, DecisionKind::RespondOnly, "Stopped. Nothing was changed."),
        (true, DecisionKind::InvokeTool, "Created task: milk (#1)\nStopped. This much was already done."),
    ] {
        for mut world in worlds().await {
            world.state.engine = Arc::new(Talking { acts });
            let user = world.caller.id();
            let mut listener = world.state.ctx.live.listen(user);
            let incoming = IncomingMessage { text: "shop".into(), conversation: None, client_key: None };
            let accepted = inbox::accept(&world.state, &world.caller, incoming).await.unwrap();
            // Text next to tool calls is retracted; the reply's text comes after the last call.
            let called = |events: &[Event]| events.iter().rposition(|it| it.kind == EventKind::ToolStarted);
            loop {
                let mut tx = world.state.ctx.read().await.unwrap();
                let events = store::events::after(&mut tx, user, 0, 100).await.unwrap();
                drop(tx);
                let since = called(&events).map_or(0, |at| at + 1);
                let deltas = events[since..].iter().filter(|it| it.kind == EventKind::TextDelta).count();
                if (since > 0 || !acts) && deltas > 0 {
                    assert_eq!(deltas, 1, "what comes at once is told at once");
                    break;
                }
                assert!(listener.woken().await);
            }
            let running =
                conversations::running(&world.state.ctx, &world.caller, accepted.conversation).await.unwrap().unwrap();
            assert_eq!(running.said, "I have added milk, and now I look for \n", "a page that is opened now shows it");
            assert_eq!(running.tool.as_deref(), acts.then_some("add_task"));
            inbox::stop(&world.state, &world.caller, accepted.turn).await.unwrap();
            let turn = inbox::wait(&world.state, &world.caller, accepted.turn).await.unwrap();
            ended(&turn, kind, Outcome::Cancelled);
            let reply = format!("I have added milk, and now I look for…\n\n{end}");
            assert_eq!(turn.reply.as_deref(), Some(reply.as_str()));
            // The replay is compared when the test ends.
            let running = conversations::running(&world.state.ctx, &world.caller, accepted.conversation).await;
            assert_eq!(running.unwrap(), None);
        }
    }
}

#[tokio::test]
async fn stop_during_tool_calls_lets_them_finish_without_another_round() {
    for mut world in worlds().await {
        let (sender, mut heard) = mpsc::unbounded_channel();
        let gate = Arc::new(Semaphore::new(0));
        world.state.engine = Arc::new(Thirsty { heard: sender, gate: gate.clone() });
        let incoming = IncomingMessage { text: "shop".into(), conversation: None, client_key: None };
        let accepted = inbox::accept(&world.state, &world.caller, incoming).await.unwrap();
        assert_eq!(heard.recv().await, Some("asked"));
        // Written before the engine answers and committed afterwards: the wait for the engine is over by then, and the requested round
        // cannot be, because its writes wait for this one.
        let ctx = &world.state.ctx;
        let mut tx = ctx.write().await.unwrap();
        store::turns::ask_stop(&mut tx, world.caller.id(), accepted.turn).await.unwrap();
        gate.add_permits(1);
        assert_eq!(heard.recv().await, Some("answered"));
        ctx.commit(tx).await.unwrap();
        let turn = inbox::wait(&world.state, &world.caller, accepted.turn).await.unwrap();
        ended(&turn, DecisionKind::InvokeTool, Outcome::Cancelled);
        assert_eq!(turn.reply.as_deref(), Some("Created task: milk (#1)\nStopped. This much was already done."));
        assert!(heard.try_recv().is_err(), "the engine was asked again");
        assert!(world.has(TaskNumber(1)).await);
    }
}

#[tokio::test]
async fn a_turn_that_is_stopped_before_it_begins_does_nothing() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let asked = world.say("delete task 1").await;
        for text in ["yes", "add milk"] {
            // Without a free slot, the turn is accepted but not started.
            let places: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
            let incoming = IncomingMessage { text: text.into(), conversation: world.conversation, client_key: None };
            let accepted = inbox::accept(&world.state, &world.caller, incoming).await.unwrap();
            inbox::stop(&world.state, &world.caller, accepted.turn).await.unwrap();
            drop(places);
            worker::settle(&world.state).await.unwrap();
            let turn = conversations::turn(&world.state.ctx, &world.caller, accepted.turn).await.unwrap();
            ended(&turn, DecisionKind::RespondOnly, Outcome::Cancelled);
            assert_eq!(turn.reply.as_deref(), Some("Stopped. Nothing was changed."), "{text}");
        }
        let approval =
            approvals::get(&world.state.ctx, &world.caller, asked.approval.unwrap().approval_id).await.unwrap();
        assert_eq!(approval.status, ApprovalStatus::Pending, "a yes that was stopped is none");
        assert!(world.has(one).await && !world.has(TaskNumber(2)).await);
    }
}
