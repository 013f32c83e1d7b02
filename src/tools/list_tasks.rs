//! Lists tasks.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::arguments::{self, Moment};
use super::registry::{Hints, Prepared, Tool, schema_of};
use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::task::{Filter, Status, Tag};
use crate::domain::tool::{Risk, ToolName};
use crate::domain::when;

use crate::usecases::invocations::{Applied, Operation};
use crate::usecases::{By, Ctx, Error, Tx, tasks};

/// How many tasks a page has when the call does not say.
const PAGE: i64 = 50;

pub const TOOL: Tool = Tool {
    name: ToolName::ListTasks,
    title: "List tasks",
    description: "Lists the person's tasks in order of their numbers, all of them or those that fit every filter given.",
    risk: Risk::Low,
    hints: Hints { read_only: true, destructive: false, idempotent: true, open_world: false },
    input: schema_of::<Arguments>,
    output,
    prepare,
};

/// Which tasks. Every field narrows the list.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// all, pending (what is left) or completed. All when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    /// Words that the title or the notes contain.
    #[schemars(length(max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<String>,
    /// overdue, today, tomorrow, week, or a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<String>,
    /// none, low, medium or high.
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<String>,
    /// The project's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    /// One tag, without @.
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    /// Most tasks to list: 1 to 200, 50 when left out.
    #[schemars(range(min = 1, max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<i64>,
    /// Where to go on: `next` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

struct ListTasks {
    arguments: Value,
    filter: Filter,
    limit: i64,
    cursor: Option<String>,
}

fn output() -> Value {
    json!({
        "type": "object",
        "properties": {
            "tasks": { "type": "array", "items": { "type": "object" } },
            "total": { "type": "integer" },
            "next": { "type": "string" },
        },
        "required": ["tasks", "total"],
    })
}

fn prepare(arguments: Value, moment: &Moment) -> Prepared {
    let given: Arguments =
        serde_json::from_value(arguments).map_err(|error| Invalid::because(format!("list_tasks: {error}.")))?;
    let status = match given.status.as_deref() {
        None | Some("all") => None,
        Some(status) => Some(Status::parse(status)?),
    };
    let due = given.due.as_deref().filter(|due| !due.trim().is_empty()).map(|due| {
        when::span_of(due, &moment.now, &moment.zone).ok_or_else(|| {
            Invalid::because(format!("“{due}” is not a span of dates; use overdue, today, week or a date."))
        })
    });
    let filter = Filter {
        status,
        query: given.query.clone().filter(|query| !query.trim().is_empty()),
        due: due.transpose()?,
        priority: given.priority.as_deref().map(arguments::priority).transpose()?,
        project: given.project.as_deref().map(arguments::project).transpose()?.flatten(),
        tag: given.tag.as_deref().map(|tag| Tag::parse(tag.trim_start_matches('@'))).transpose()?,
        ..Filter::default()
    };
    let limit = given.limit.unwrap_or(PAGE);
    let cursor = given.cursor.clone();
    Ok(Box::new(ListTasks { arguments: json!(given), filter, limit, cursor }))
}

#[async_trait]
impl Operation for ListTasks {
    fn tool(&self) -> ToolName {
        ToolName::ListTasks
    }

    fn arguments(&self) -> &Value {
        &self.arguments
    }

    fn targets(&self) -> Vec<TaskNumber> {
        vec![]
    }

    fn risk(&self, _before: &[TaskNumber]) -> Risk {
        Risk::Low
    }

    async fn apply(&self, _ctx: &Ctx, tx: &mut Tx, by: By<'_>) -> Result<Applied, Error> {
        let list = tasks::page(tx, by.caller, &self.filter, self.cursor.as_deref(), self.limit).await?;
        Ok(Applied { value: json!(list), changed: vec![] })
    }
}
