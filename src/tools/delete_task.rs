//! The tool that moves tasks to the bin.

use super::arguments::Targets;
use super::registry::{Hints, Tool, schema_of};
use super::{bulk, reply};
use crate::domain::tool::{Risk, ToolName};
use crate::usecases::tasks;

const STATUS: &str = "deleted";

pub const TOOL: Tool = Tool {
    name: ToolName::DeleteTask,
    title: "Delete tasks",
    description: "Moves one task, or several, to the bin. The person is asked first. Use complete_task for what is done.",
    risk: Risk::High,
    hints: Hints { read_only: false, destructive: true, idempotent: true, open_world: false },
    input: schema_of::<Targets>,
    output: || reply::schema(STATUS),
    prepare: |arguments, _| bulk::prepare(ToolName::DeleteTask, STATUS, DELETE, arguments),
};

const DELETE: bulk::TaskAction = |ctx, tx, by, number| Box::pin(tasks::delete(ctx, tx, by, number, None));
