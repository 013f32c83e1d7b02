//! Tests of a clock that is set back: no wait exceeds its window, and nothing outlives it.

use super::*;
use crate::domain::tool::ToolName;
use crate::domain::user::Scope;
use crate::usecases::accounts::{Outsider, agent_of_token, create_token};
use crate::workflow::agent_call;
use crate::workflow::inbox::Source;

const DAY: i64 = 86_400;
const ADDRESS: std::net::Ipv4Addr = std::net::Ipv4Addr::new(203, 0, 113, 7);

impl World {
    /// Sends a message from an address; returns the seconds to wait if it was refused.
    async fn wait_for(&mut self, text: &str) -> Option<i64> {
        let incoming = IncomingMessage { text: text.into(), conversation: self.conversation, client_key: None };
        let way = Source { address: Some(ADDRESS.into()), ..Source::default() };
        let accepted = inbox::accept_from_web(&self.state, &self.caller, incoming, way).await.unwrap();
        self.conversation = Some(accepted.conversation);
        worker::settle(&self.state).await.unwrap();
        accepted.retry_after_s
    }

    async fn robot(&self, budget: i64) -> Outsider {
        let scopes = [Scope::TasksRead, Scope::TasksWrite, Scope::TasksDelete];
        let (_, token) = create_token(&self.state.ctx, "ada", "robot", &scopes, budget).await.unwrap();
        agent_of_token(&self.state.ctx, &token, None).await.unwrap().unwrap()
    }

    /// Adds a task as an agent; returns the error, if any.
    async fn adds(&self, agent: &Outsider) -> Option<String> {
        let added = agent_call::call(&self.state, agent, "add_task", json!({ "title": "milk" })).await.unwrap();
        added.result.value["message"].as_str().map(str::to_owned)
    }

    async fn expires_at(&self, turn: &Turn) -> Timestamp {
        let id = turn.approval.as_ref().unwrap().approval_id;
        approvals::get(&self.state.ctx, &self.caller, id).await.unwrap().expires_at
    }
}

#[tokio::test]
async fn chat_is_open_after_the_clock_goes_back() {
    for step in [-DAY, -3_600, -600] {
        for (of_sender, of_address) in [(2, 0), (0, 2)] {
            for mut world in worlds().await {
                world.state.ctx.limits.messages_per_minute = of_sender;
                world.state.ctx.limits.messages_per_address = of_address;
                for _ in 0..2 {
                    assert_eq!(world.wait_for("hello").await, None);
                }
                assert!(world.wait_for("hello").await.is_some());
                world.state.ctx.clock.advance(step);
                for _ in 0..2 {
                    assert_eq!(world.wait_for("hello").await, None, "{step}");
                }
                // The limit also holds on the new clock.
                let wait = world.wait_for("hello").await.expect("a refusal");
                assert!((1..=61).contains(&wait), "{wait}");
                world.state.ctx.clock.advance(wait);
                assert_eq!(world.wait_for("hello").await, None);
            }
        }
    }
}

#[tokio::test]
async fn agents_may_call_and_change_after_the_clock_goes_back() {
    for mut world in worlds().await {
        let robot = world.robot(2).await;
        world.state.ctx.limits.messages_per_minute = 3;
        assert_eq!([world.adds(&robot).await, world.adds(&robot).await], [None, None]);
        let over = world.adds(&robot).await.expect("over its budget");
        assert!(over.contains("the limit of 2 changes"), "{over}");
        let fast = world.adds(&robot).await.expect("too fast");
        assert!(fast.contains("Too many requests"), "{fast}");
        world.state.ctx.clock.advance(-DAY);
        assert_eq!([world.adds(&robot).await, world.adds(&robot).await], [None, None]);
        assert!(world.adds(&robot).await.is_some(), "the budget is the same by the new clock");
    }
}

#[tokio::test]
async fn approval_expires_by_its_ttl_after_clock_set_back() {
    for mut world in worlds().await {
        let (one, two) = (world.task("wash car").await, world.task("book flights").await);
        let ttl = world.state.ctx.limits.approval_ttl_s;
        let first = world.say("delete task 1").await;
        let second = world.say("delete task 2").await;
        world.state.ctx.clock.advance(-10 * DAY);
        worker::settle(&world.state).await.unwrap();
        let latest = world.state.ctx.now().plus_seconds(ttl);
        assert_eq!(world.expires_at(&first).await, latest);
        worker::settle(&world.state).await.unwrap();
        world.state.ctx.clock.advance(ttl - 1);
        worker::settle(&world.state).await.unwrap();
        world.press(&first, Verdict::Approve).await.unwrap();
        assert!(!world.has(one).await);
        world.state.ctx.clock.advance(1);
        worker::settle(&world.state).await.unwrap();
        let id = second.approval.as_ref().unwrap().approval_id;
        let expired = approvals::get(&world.state.ctx, &world.caller, id).await.unwrap();
        assert_eq!((expired.status, expired.expires_at), (ApprovalStatus::Expired, latest));
        assert!(world.has(two).await);
    }
}

#[tokio::test]
async fn agent_gets_its_latest_verdict_after_clock_set_back() {
    for world in worlds().await {
        world.task("wash car").await;
        let robot = world.robot(0).await;
        let delete = async || {
            let arguments = json!({ "task_id": 1 });
            agent_call::call(&world.state, &robot, ToolName::DeleteTask.as_str(), arguments).await.unwrap()
        };
        let decide = async |verdict: Verdict, asked: &agent_call::Answer| {
            let id = asked.waits.as_ref().expect("it waits").approval_id;
            inbox::decide(&world.state, &world.caller, id, verdict, DecidedVia::Web, None).await.unwrap();
            worker::settle(&world.state).await.unwrap();
        };
        let asked = delete().await;
        decide(Verdict::Reject, &asked).await;
        assert!(delete().await.waits.is_none(), "it hears the no");
        world.state.ctx.clock.advance(-DAY);
        let asked = delete().await;
        decide(Verdict::Approve, &asked).await;
        let done = delete().await;
        assert_eq!((done.result.status, &done.result.value["status"]), (CallStatus::Ok, &json!("deleted")), "{done:?}");
    }
}

#[tokio::test]
async fn turn_whose_lease_ends_a_day_ahead_is_taken_over() {
    for mut world in worlds().await {
        let places: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
        let incoming = IncomingMessage { text: "add milk".into(), conversation: None, client_key: None };
        let accepted = inbox::accept(&world.state, &world.caller, incoming).await.unwrap();
        world.conversation = Some(accepted.conversation);
        drop(places);
        // A process claimed it before the clock was set back, and died.
        let mut tx = world.state.ctx.write().await.unwrap();
        store::turns::claim(&mut tx, world.state.ctx.limits.lease_ms).await.unwrap().expect("the turn");
        world.state.ctx.commit(tx).await.unwrap();
        let ahead = "UPDATE turns SET lease_until = lease_until + 86400000 WHERE status = 'running'";
        store::testing::execute(&world.state.ctx.store, ahead).await;
        worker::settle(&world.state).await.unwrap();
        let status = conversations::status(&world.state.ctx, &world.caller, accepted.turn).await.unwrap();
        assert_eq!(status, TurnStatus::Done);
        assert!(world.has(TaskNumber(1)).await);
    }
}
