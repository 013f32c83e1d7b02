//! Ticks tasks off.

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
    name: ToolName::CompleteTask,
    title: "Complete tasks",
    description: "Marks one task, or several, as done. The person is asked first when there are several.",
    risk: Risk::Medium,
    hints: Hints { read_only: false, destructive: false, idempotent: true, open_world: false },
    input: schema_of::<Targets>,
    output: || reply::schema("completed"),
    prepare,
};

struct CompleteTask {
    arguments: Value,
    numbers: Vec<TaskNumber>,
}

fn prepare(arguments: Value, _moment: &Moment) -> Result<Box<dyn Operation>, Invalid> {
    let given: Targets =
        serde_json::from_value(arguments).map_err(|error| Invalid::because(format!("complete_task: {error}.")))?;
    let numbers = Targets::numbers(given.task_id, given.task_ids.as_deref())?;
    let mut canonical = Map::new();
    name_targets(&mut canonical, &numbers);
    Ok(Box::new(CompleteTask { arguments: canonical.into(), numbers }))
}

#[async_trait]
impl Operation for CompleteTask {
    fn tool(&self) -> ToolName {
        ToolName::CompleteTask
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
            changed.push(tasks::complete(ctx, tx, by, *number, None).await?);
        }
        let each = changed
            .iter()
            .map(|edit| json!({ "task_id": edit.after.task_id, "status": "completed", "title": edit.after.title }));
        Ok(Applied { value: reply::one_or_many(each.collect()), changed })
    }
}
