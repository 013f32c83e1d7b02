//! The tool that completes tasks.

use super::arguments::Targets;
use super::registry::{Hints, Tool, schema_of};
use super::{bulk, reply};
use crate::domain::tool::{Risk, ToolName};
use crate::usecases::tasks;

const STATUS: &str = "completed";

pub const TOOL: Tool = Tool {
    name: ToolName::CompleteTask,
    title: "Complete tasks",
    description: "Marks one task, or several, as done. The person is asked first when there are several.",
    risk: Risk::Medium,
    hints: Hints { read_only: false, destructive: false, idempotent: true, open_world: false },
    input: schema_of::<Targets>,
    output: || reply::schema(STATUS),
    prepare: |arguments, _| bulk::prepare(ToolName::CompleteTask, STATUS, COMPLETE, arguments),
};

const COMPLETE: bulk::TaskAction = |ctx, tx, by, number| Box::pin(tasks::complete(ctx, tx, by, number, None));
