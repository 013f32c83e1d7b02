//! Weight of a call: its risk, and what it touches and effects.

use serde_json::Value;

use super::Operation;
use crate::domain::id::TaskNumber;
use crate::domain::task::Status;
use crate::domain::tool::{CallStatus, Risk, ToolName};
use crate::domain::turn::Invocation;

/// Risk of a call and number of existing tasks that it touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight {
    pub risk: Risk,
    pub tasks: usize,
    pub includes: Effects,
}

/// Effects of other tools that a call includes, so that their policies hold as well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effects {
    /// A task is completed.
    pub completes: bool,
    /// A task moves to the bin.
    pub bins: bool,
}

impl Effects {
    /// Returns the tools with these effects.
    pub fn tools(self) -> impl Iterator<Item = ToolName> {
        let tools = [self.completes.then_some(ToolName::CompleteTask), self.bins.then_some(ToolName::DeleteTask)];
        tools.into_iter().flatten()
    }
}

/// Returns existing tasks that calls of the same tool touched, or requested to touch, earlier in the turn. An update of the status to
/// completed is a call of `complete_task`, too.
pub(super) fn touched(earlier: &[Invocation], operation: &dyn Operation) -> Vec<TaskNumber> {
    let tools = |tool: ToolName, arguments: &Value| {
        let completes = tool == ToolName::UpdateTask && arguments["status"] == Status::Completed.as_str();
        [tool, if completes { ToolName::CompleteTask } else { tool }]
    };
    let own = tools(operation.tool(), operation.arguments());
    let alike = |earlier: &Invocation| {
        earlier.tool.is_some_and(|tool| tools(tool, &earlier.arguments).iter().any(|tool| own.contains(tool)))
    };
    let of_tool = earlier.iter().filter(|invocation| alike(invocation));
    let effective =
        of_tool.filter(|invocation| matches!(invocation.result.status, CallStatus::Ok | CallStatus::AwaitingApproval));
    effective.flat_map(|invocation| targets_in(&invocation.arguments)).collect()
}

fn targets_in(arguments: &Value) -> Vec<TaskNumber> {
    let single = arguments["task_id"].as_i64();
    let many = arguments["task_ids"].as_array().into_iter().flatten().filter_map(Value::as_i64);
    single.into_iter().chain(many).map(TaskNumber).collect()
}
