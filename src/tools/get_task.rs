//! The tool that returns one task.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::Moment;
use super::registry::{Hints, Prepared, Tool, schema_of};
use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::tool::{Risk, ToolName};

use crate::usecases::invocations::{Applied, Operation};
use crate::usecases::{By, Ctx, Error, Tx, tasks};

pub const TOOL: Tool = Tool {
    name: ToolName::GetTask,
    title: "Show a task",
    description: "Shows everything about one task: title, notes, due date, priority, project, tags and status.",
    risk: Risk::Low,
    hints: Hints { read_only: true, destructive: false, idempotent: true, open_world: false },
    input: schema_of::<Arguments>,
    output,
    prepare,
};

/// One task.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The task's number, e.g. 3.
    #[schemars(range(min = 1))]
    task_id: i64,
}

struct GetTask {
    arguments: Value,
    number: TaskNumber,
}

fn output() -> Value {
    json!({
        "type": "object",
        "properties": { "task_id": { "type": "integer" }, "title": { "type": "string" }, "status": { "type": "string" } },
        "required": ["task_id", "title", "status"],
    })
}

fn prepare(arguments: Value, _moment: &Moment) -> Prepared {
    let given: Arguments =
        serde_json::from_value(arguments).map_err(|error| Invalid::because(format!("get_task: {error}.")))?;
    let number = TaskNumber::parse(&given.task_id.to_string())?;
    Ok(Box::new(GetTask { arguments: json!({ "task_id": number }), number }))
}

#[async_trait]
impl Operation for GetTask {
    fn tool(&self) -> ToolName {
        ToolName::GetTask
    }

    fn arguments(&self) -> &Value {
        &self.arguments
    }

    fn targets(&self) -> Vec<TaskNumber> {
        vec![self.number]
    }

    fn risk(&self, _before: &[TaskNumber]) -> Risk {
        Risk::Low
    }

    async fn apply(&self, _ctx: &Ctx, tx: &mut Tx, by: By<'_>) -> Result<Applied, Error> {
        let task = tasks::one(tx, by.caller, self.number).await?;
        Ok(Applied { value: json!(task), changed: vec![] })
    }
}
