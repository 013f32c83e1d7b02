//! Tests of tools and providers that fail during a turn.

use super::*;
use crate::domain::conversation::Standing;
use crate::domain::tool::{Call, ToolName};
use crate::fault::{Fault, Faults};
use crate::llm::Act;
use crate::llm::scripted::Scripted;

#[tokio::test]
async fn failed_tool_call_is_reported_once_and_not_retried() {
    for mut world in worlds().await {
        world.state.ctx.faults = Faults::plan();
        world.task("wash car").await;
        let fault = Fault { tool: ToolName::CompleteTask, times: 1, error: "database is locked".into() };
        world.state.ctx.faults.add(fault);
        let turn = world.say("complete task 1").await;
        ended(&turn, DecisionKind::InvokeTool, Outcome::ToolFailed);
        let tools: Vec<&str> = turn.tool_calls.iter().map(|call| call.tool.as_str()).collect();
        assert_eq!(tools, ["get_task", "complete_task"]);
        assert!(turn.reply.as_deref().unwrap().contains("database is locked"), "{turn:#?}");
        let task = tasks::get(&world.state.ctx, &world.caller, TaskNumber(1)).await.unwrap();
        assert_eq!(task.status, Status::Pending);
    }
}

#[tokio::test]
async fn reply_claiming_a_change_is_corrected_if_nothing_changed() {
    for mut world in worlds().await {
        world.task("wash car").await;
        for (priority, untrue) in [("none", true), ("high", false)] {
            let arguments = json!({ "task_id": 1, "priority": priority });
            let calls = vec![Call { tool: "update_task".into(), arguments, provider_id: None }];
            let text = "I have changed the priority of task 1.".to_owned();
            let script = vec![Act::Calls { text: String::new(), calls }, Act::Say { text: text.clone() }];
            world.state.engine = Arc::new(Scripted::new(script));
            world.conversation = None;
            let turn = world.say("the car matters").await;
            assert_eq!(turn.tool_calls[0].status, CallStatus::Ok);
            let expected = if untrue { format!("{text}\n\nNothing was changed.") } else { text };
            assert_eq!(turn.reply, Some(expected), "{priority}");
        }
    }
}

#[tokio::test]
async fn unreadable_user_row_blocks_no_other_approvals_expiry() {
    for mut world in worlds().await {
        let mut eve = world.beside(person(&world.state.ctx, "eve").await);
        for asks in [&mut eve, &mut world] {
            asks.task("wash car").await;
            asks.say("delete task 1").await;
        }
        // This user's row is unreadable, and their approval is due first.
        store::testing::execute(&world.state.ctx.store, "UPDATE users SET name = 'e ve' WHERE name = 'eve'").await;
        world.state.ctx.clock.advance(86_400);
        worker::settle(&world.state).await.unwrap();
        let statuses = async |of: &World| {
            let all = approvals::list(&of.state.ctx, &of.caller, None).await.unwrap();
            all.iter().map(|approval| approval.status).collect::<Vec<_>>()
        };
        assert_eq!(statuses(&world).await, [ApprovalStatus::Expired]);
        store::testing::execute(&world.state.ctx.store, "UPDATE users SET name = 'eve' WHERE name = 'e ve'").await;
        worker::settle(&world.state).await.unwrap();
        assert_eq!(statuses(&eve).await, [ApprovalStatus::Expired], "and is settled once it can be");
    }
}

/// Returns the state of the last message in the turn's conversation, and true if the user may resend the message before.
async fn last(world: &World, turn: &Turn) -> (Standing, bool) {
    let (ctx, conversation) = (&world.state.ctx, turn.conversation_id);
    let page = conversations::messages(ctx, &world.caller, conversation, None, 1).await.unwrap();
    (page.items[0].standing, page.items[0].may_repeat)
}

#[tokio::test]
async fn failed_turn_may_be_repeated_unless_it_changed_something() {
    for mut world in worlds().await {
        let add = |title: &str| ("add_task", json!({ "title": title }));
        // A script ends after its rounds, like a provider that fails.
        for (script, kind, again) in [
            (vec![], DecisionKind::RespondOnly, true),
            (vec![vec![("list_tasks", json!({}))]], DecisionKind::InvokeTool, true),
            (vec![vec![add("milk"), add("eggs")]], DecisionKind::InvokeTool, false),
        ] {
            world.state.engine = crate::state::scripted(script);
            let turn = world.say("shop").await;
            ended(&turn, kind, Outcome::LlmUnavailable);
            assert_eq!(last(&world, &turn).await, (Standing::Failed, again), "{kind:?}");
        }
        let filter = Default::default();
        assert_eq!(tasks::list(&world.state.ctx, &world.caller, &filter, None, 50).await.unwrap().total, 2);
    }
}
