//! Tests of MCP agents' calls: approvals, retries, budgets and access.

use serde_json::Value;

use super::*;
use crate::domain::approval::Approval;
use crate::domain::policy::{Asker, Rule};
use crate::domain::tool::ToolName;
use crate::domain::user::Scope;
use crate::usecases::accounts::{Manager, Outsider, agent_of_token, create_token, disable, revoke_token};
use crate::workflow::agent_call::{self, Answer};

impl World {
    /// Returns an agent with a token of the user and all scopes for agents.
    pub(super) async fn agent(&self) -> Outsider {
        let scopes = [Scope::TasksRead, Scope::TasksWrite, Scope::TasksDelete];
        self.agent_with(&scopes, 0).await
    }

    async fn agent_with(&self, scopes: &[Scope], budget: i64) -> Outsider {
        let ctx = &self.state.ctx;
        let (_, token) = create_token(ctx, "ada", "desk", scopes, budget).await.unwrap();
        agent_of_token(ctx, &token, None).await.unwrap().unwrap()
    }

    pub(super) async fn call(&self, agent: &Outsider, tool: ToolName, arguments: Value) -> Answer {
        agent_call::call(&self.state, agent, tool.as_str(), arguments).await.unwrap()
    }

    pub(super) async fn approve(&self, waits: &Approval) -> inbox::Accepted {
        let id = waits.approval_id;
        inbox::decide(&self.state, &self.caller, id, Verdict::Approve, DecidedVia::Web, None).await.unwrap()
    }
}

/// Returns the error code and message of a reply.
fn wrong(answer: &Answer) -> (&str, &str) {
    let value = &answer.result.value;
    (value["error"].as_str().unwrap_or_default(), value["message"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn approved_agent_call_is_not_repeated_after_rule_removal() {
    for world in worlds().await {
        let agent = world.agent().await;
        let milk = json!({ "title": "milk" });
        world.rules(Asker::Mcp, ToolName::AddTask, Rule::Ask).await;
        let asked = world.call(&agent, ToolName::AddTask, milk.clone()).await;
        world.approve(asked.waits.as_ref().unwrap()).await;
        worker::settle(&world.state).await.unwrap();
        world.rules(Asker::Mcp, ToolName::AddTask, Rule::Run).await;
        let heard = world.call(&agent, ToolName::AddTask, milk.clone()).await;
        assert_eq!((heard.result.status, &heard.result.value["task_id"]), (CallStatus::Ok, &json!(1)), "{heard:?}");
        assert!(!world.has(TaskNumber(2)).await, "once approved, once added");
        // The result was delivered: the same call is a new one.
        assert_eq!(world.call(&agent, ToolName::AddTask, milk).await.result.value["task_id"], 2);
    }
}

#[tokio::test]
async fn agent_gets_the_result_of_a_call_denied_since_approval() {
    for world in worlds().await {
        let (car, agent) = (world.task("wash car").await, world.agent().await);
        let delete = json!({ "task_id": car });
        let asked = world.call(&agent, ToolName::DeleteTask, delete.clone()).await;
        world.approve(asked.waits.as_ref().unwrap()).await;
        worker::settle(&world.state).await.unwrap();
        world.rules(Asker::Mcp, ToolName::DeleteTask, Rule::Deny).await;
        let heard = world.call(&agent, ToolName::DeleteTask, delete.clone()).await;
        assert_eq!(
            (heard.result.status, &heard.result.value["status"]),
            (CallStatus::Ok, &json!("deleted")),
            "{heard:?}"
        );
        // The result was delivered once; the next call is denied.
        let denied = world.call(&agent, ToolName::DeleteTask, delete).await;
        assert_eq!(wrong(&denied).0, "forbidden", "{denied:?}");

        // A pending approval is not shown: approving would not run it.
        world.rules(Asker::Mcp, ToolName::AddTask, Rule::Ask).await;
        let milk = json!({ "title": "milk" });
        assert!(world.call(&agent, ToolName::AddTask, milk.clone()).await.waits.is_some());
        world.rules(Asker::Mcp, ToolName::AddTask, Rule::Deny).await;
        let denied = world.call(&agent, ToolName::AddTask, milk).await;
        assert_eq!((wrong(&denied).0, denied.waits.is_some()), ("forbidden", false), "{denied:?}");
    }
}

#[tokio::test]
async fn agent_budget_is_freed_an_hour_after_each_change() {
    for world in worlds().await {
        let agent = world.agent_with(&[Scope::TasksRead, Scope::TasksWrite], 2).await;
        let add = async || world.call(&agent, ToolName::AddTask, json!({ "title": "milk" })).await;
        assert_eq!(add().await.result.status, CallStatus::Ok);
        world.state.ctx.clock.advance(1_800);
        assert_eq!(add().await.result.status, CallStatus::Ok);
        world.state.ctx.clock.advance(1_799);
        let refused = add().await;
        assert!(
            wrong(&refused).1.contains("the limit of 2 changes") && wrong(&refused).1.contains("2 are made"),
            "{refused:?}"
        );
        world.state.ctx.clock.advance(1);
        assert_eq!(add().await.result.status, CallStatus::Ok, "the first one is an hour ago");
        assert_eq!(wrong(&add().await).0, "forbidden", "the second one is not");
    }
}

#[tokio::test]
async fn pending_approvals_count_towards_an_agents_budget() {
    for world in worlds().await {
        let agent = world.agent_with(&[Scope::TasksWrite, Scope::TasksDelete], 3).await;
        for title in ["one", "two", "three", "four"] {
            world.task(title).await;
        }
        let delete = async |tasks: &[i64]| world.call(&agent, ToolName::DeleteTask, json!({ "task_ids": tasks })).await;
        let both = delete(&[1, 2]).await;
        assert!(both.waits.is_some(), "{both:?}");
        let refused = delete(&[3, 4]).await;
        assert!(wrong(&refused).1.contains("0 are made and 2 pending"), "{refused:?}");
        let third = delete(&[3]).await;
        assert!(third.waits.is_some(), "{third:?}");
        assert_eq!(wrong(&world.call(&agent, ToolName::AddTask, json!({ "title": "five" })).await).0, "forbidden");
        // First approved, then executed; a rejected call frees its part of the budget.
        let slots: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
        world.approve(both.waits.as_ref().unwrap()).await;
        assert_eq!(wrong(&delete(&[4]).await).0, "forbidden");
        drop(slots);
        worker::settle(&world.state).await.unwrap();
        let refused = delete(&[4]).await;
        assert!(wrong(&refused).1.contains("2 are made and 1 pending"), "{refused:?}");
        let id = third.waits.unwrap().approval_id;
        inbox::decide(&world.state, &world.caller, id, Verdict::Reject, DecidedVia::Web, None).await.unwrap();
        worker::settle(&world.state).await.unwrap();
        assert!(delete(&[4]).await.waits.is_some());
    }
}

#[tokio::test]
async fn agents_request_no_more_than_a_hundred_approvals() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_minute = 0;
        let agent = world.agent().await;
        world.rules(Asker::Mcp, ToolName::AddTask, Rule::Ask).await;
        let add = async |n: i32| world.call(&agent, ToolName::AddTask, json!({ "title": n.to_string() })).await;
        for n in 0..100 {
            assert!(add(n).await.waits.is_some(), "{n}");
        }
        assert!(wrong(&add(100).await).1.starts_with("100 approvals are pending"));
        assert!(add(0).await.waits.is_some(), "a repeated call has its approval");
    }
}

#[tokio::test]
async fn rate_limit_is_shared_by_all_agents_of_a_user() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_minute = 2;
        let (desk, phone) = (world.agent().await, world.agent().await);
        let list = async |agent: &Outsider| world.call(agent, ToolName::ListTasks, json!({})).await;
        assert_eq!(list(&desk).await.result.status, CallStatus::Ok);
        assert_eq!(list(&phone).await.result.status, CallStatus::Ok);
        assert!(wrong(&list(&desk).await).1.starts_with("Too many requests. Wait "));
        assert!(wrong(&list(&phone).await).1.starts_with("Too many requests. Wait "));
        let (ctx, _) = (&world.state.ctx, crate::usecases::testing::person(&world.state.ctx, "bob").await);
        let (_, token) = create_token(ctx, "bob", "desk", &[Scope::TasksRead], 0).await.unwrap();
        let bobs = agent_of_token(ctx, &token, None).await.unwrap().unwrap();
        assert_eq!(list(&bobs).await.result.status, CallStatus::Ok);
        ctx.clock.advance(61);
        assert_eq!(list(&phone).await.result.status, CallStatus::Ok);
    }
}

#[tokio::test]
async fn agent_retry_before_an_approved_call_runs_gets_its_status() {
    for world in worlds().await {
        let car = world.task("wash car").await;
        let agent = world.agent_with(&[Scope::Chat, Scope::TasksDelete], 0).await;
        let delete = json!({ "task_id": car });
        let asked = world.call(&agent, ToolName::DeleteTask, delete.clone()).await;
        // No server runs, and the earlier one left a turn open.
        let slots: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
        let verdict = (asked.waits.unwrap().approval_id, Verdict::Approve);
        agent_call::answered(&world.state, &agent, verdict, std::time::Duration::ZERO).await.unwrap();
        let early = world.call(&agent, ToolName::DeleteTask, delete.clone()).await;
        assert!(wrong(&early).1.contains("A running Docket server carries it out"), "{early:?}");
        assert!(world.has(car).await);
        drop(slots);
        worker::settle(&world.state).await.unwrap();
        let heard = world.call(&agent, ToolName::DeleteTask, delete).await;
        assert_eq!(heard.result.value["status"], "deleted", "{heard:?}");
    }
}

#[tokio::test]
async fn what_was_approved_and_then_stopped_says_so() {
    for world in worlds().await {
        let (car, agent) = (world.task("wash car").await, world.agent().await);
        let delete = json!({ "task_id": car });
        let asked = world.call(&agent, ToolName::DeleteTask, delete.clone()).await;
        // No worker has a free slot.
        let slots: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
        let accepted = world.approve(asked.waits.as_ref().unwrap()).await;
        let early = world.call(&agent, ToolName::DeleteTask, delete.clone()).await;
        assert!(wrong(&early).1.contains("A running Docket server carries it out"), "{early:?}");
        inbox::stop(&world.state, &world.caller, accepted.turn).await.unwrap();
        drop(slots);
        worker::settle(&world.state).await.unwrap();
        let stopped = world.call(&agent, ToolName::DeleteTask, delete.clone()).await;
        assert_eq!(wrong(&stopped).0, "conflict", "{stopped:?}");
        assert!(wrong(&stopped).1.contains("stopped before it ran"), "{stopped:?}");
        assert!(world.has(car).await);
        // The result was delivered once; then the call requests approval again.
        assert!(world.call(&agent, ToolName::DeleteTask, delete).await.waits.is_some());
    }
}

#[tokio::test]
async fn what_is_asked_afresh_is_still_the_agents() {
    for mut world in worlds().await {
        let (car, agent) = (world.task("wash car").await, world.agent().await);
        let asked = world.call(&agent, ToolName::DeleteTask, json!({ "task_id": car })).await;
        world.say("set priority of task 1 to high").await;
        let accepted = world.approve(asked.waits.as_ref().unwrap()).await;
        worker::settle(&world.state).await.unwrap();
        let void = inbox::wait(&world.state, &world.caller, accepted.turn).await.unwrap();
        let fresh = void.approval.clone().expect("a fresh question");
        assert_ne!(fresh.approval_id, asked.waits.unwrap().approval_id);
        // By the rule for agents, and by no other.
        world.rules(Asker::Mcp, ToolName::DeleteTask, Rule::Deny).await;
        let ran = world.press(&void, Verdict::Approve).await.unwrap();
        ended(&ran, DecisionKind::InvokeTool, Outcome::ToolFailed);
        assert!(world.has(car).await);
    }
}

#[tokio::test]
async fn agent_call_is_refused_once_token_revoked_or_owner_disabled() {
    for world in worlds().await {
        let (revoked, disabled) = (world.agent().await, world.agent().await);
        let refused = async |agent: &Outsider| {
            let answer = agent_call::call(&world.state, agent, "add_task", json!({ "title": "milk" })).await;
            assert!(matches!(answer, Err(Error::Forbidden(_))), "{answer:?}");
        };
        revoke_token(&world.state.ctx, revoked.agent.token_id).await.unwrap();
        refused(&revoked).await;
        assert!(!world.has(TaskNumber(1)).await);
        let ctx = &world.state.ctx;
        let mut tx = ctx.write().await.unwrap();
        disable(ctx, &mut tx, &Manager::CommandLine, world.caller.user.clone()).await.unwrap();
        ctx.commit(tx).await.unwrap();
        refused(&disabled).await;
        assert!(!world.has(TaskNumber(1)).await);
    }
}

#[tokio::test]
async fn proposal_names_the_approval_that_expires_first() {
    for mut world in worlds().await {
        let (car, agent) = (world.task("wash car").await, world.agent().await);
        let first = world.call(&agent, ToolName::DeleteTask, json!({ "task_id": car })).await;
        let first = first.waits.unwrap().approval_id;
        let (ctx, caller) = (world.state.ctx.clone(), world.caller.clone());
        let named = async || approvals::proposals(&ctx, &caller).await.unwrap().remove(&car);
        ctx.clock.advance(60);
        let second = world.say("delete task 1").await.approval.unwrap().approval_id;
        assert_eq!(named().await, Some(first));
        approvals::extend(&ctx, &caller, first).await.unwrap();
        ctx.clock.advance(1);
        approvals::extend(&ctx, &caller, first).await.unwrap();
        assert_eq!(named().await, Some(second));
    }
}
