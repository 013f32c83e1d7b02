//! Stop, before a turn begins and while its engine thinks.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;

use super::*;
use crate::domain::decision::Engine;
use crate::domain::tool::Call;
use crate::llm::{Act, Entry, Llm, LlmError, Reply, Request};
use crate::usecases::conversations;

/// Adds milk in its first call and never comes back from its second.
struct Endless(UnboundedSender<&'static str>);

/// Tells when it goes.
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
        let call = Call { tool: "add_task".into(), arguments: json!({ "title": "milk" }), provider_id: None };
        let act = Act::Calls { text: String::new(), calls: vec![call] };
        Ok(Reply::plain(act, "add"))
    }
}

#[tokio::test]
async fn a_stop_gives_up_a_running_model_call_and_says_what_was_done() {
    // Asked of the process that runs the turn, and of another on the same database, which is found out by looking.
    for elsewhere in [false, true] {
        for mut world in worlds().await {
            let (sender, mut heard) = mpsc::unbounded_channel();
            world.state.engine = Arc::new(Endless(sender));
            let incoming = Incoming { text: "shop".into(), conversation: None, client_key: None };
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
async fn a_turn_that_is_stopped_before_it_begins_does_nothing() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let asked = world.say("delete task 1").await;
        for text in ["yes", "add milk"] {
            // No place for a turn: it is accepted and left.
            let places: Vec<_> = std::iter::from_fn(|| world.state.slot()).collect();
            let incoming = Incoming { text: text.into(), conversation: world.conversation, client_key: None };
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
