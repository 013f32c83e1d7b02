//! Tools and providers that fail in the middle of a turn.

use super::*;
use crate::domain::tool::ToolName;
use crate::fault::{Fault, Faults};

#[tokio::test]
async fn a_tool_that_fails_is_told_once_and_not_tried_again() {
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
async fn a_provider_that_dies_in_its_second_call_leaves_what_was_done_and_says_so() {
    for mut world in worlds().await {
        let call = |title: &str| ("add_task", json!({ "title": title }));
        // The script ends after its first round, as a provider that dies.
        world.state.engine = crate::state::scripted(vec![vec![call("milk"), call("eggs")]]);
        let turn = world.say("shop").await;
        ended(&turn, DecisionKind::InvokeTool, Outcome::LlmUnavailable);
        assert_eq!(turn.tool_calls.len(), 2);
        let filter = Default::default();
        assert_eq!(tasks::list(&world.state.ctx, &world.caller, &filter, None, 50).await.unwrap().total, 2);
    }
}
