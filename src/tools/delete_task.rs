//! Moves tasks to the bin.

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::arguments::{Moment, Targets, name_targets};
use super::gate::{self, Assessed};
use super::registry::{Hints, Tool, schema_of};
use super::reply;
use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::tool::{Risk, ToolName};

use crate::usecases::invocations::{Applied, Operation};
use crate::usecases::{By, Ctx, Error, Tx, tasks};

pub const TOOL: Tool = Tool {
    name: ToolName::DeleteTask,
    title: "Delete tasks",
    description: "Moves one task, or several, to the bin. The person is asked first. Use complete_task for what is done.",
    risk: Risk::High,
    hints: Hints { read_only: false, destructive: true, idempotent: true, open_world: false },
    input: schema_of::<Targets>,
    output: || reply::schema("deleted"),
    prepare,
};

struct DeleteTask {
    arguments: Value,
    numbers: Vec<TaskNumber>,
}

fn prepare(arguments: Value, _moment: &Moment) -> Result<Box<dyn Operation>, Invalid> {
    let given: Targets =
        serde_json::from_value(arguments).map_err(|error| Invalid::because(format!("delete_task: {error}.")))?;
    let numbers = Targets::numbers(given.task_id, given.task_ids.as_deref())?;
    let mut canonical = Map::new();
    name_targets(&mut canonical, &numbers);
    Ok(Box::new(DeleteTask { arguments: canonical.into(), numbers }))
}

#[async_trait]
impl Operation for DeleteTask {
    fn tool(&self) -> ToolName {
        ToolName::DeleteTask
    }

    fn arguments(&self) -> &Value {
        &self.arguments
    }

    fn targets(&self) -> Vec<TaskNumber> {
        self.numbers.clone()
    }

    fn risk(&self, before: &[TaskNumber]) -> Risk {
        gate::risk(&Assessed { tool: self.tool(), renames: false, targets: &self.numbers, before })
    }

    async fn apply(&self, ctx: &Ctx, tx: &mut Tx, by: By<'_>) -> Result<Applied, Error> {
        let mut changed = Vec::with_capacity(self.numbers.len());
        for number in &self.numbers {
            changed.push(tasks::delete(ctx, tx, by, *number, None).await?);
        }
        let each = changed
            .iter()
            .map(|edit| json!({ "task_id": edit.after.task_id, "status": "deleted", "title": edit.after.title }));
        Ok(Applied { value: reply::one_or_many(each.collect()), changed })
    }
}
