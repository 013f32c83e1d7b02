//! The tool that lists tasks.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::arguments::{self, Moment};
use super::registry::{Hints, Prepared, Tool, schema_of};
use crate::domain::comparison::is_blank;
use crate::domain::id::TaskNumber;
use crate::domain::rank::Order;
use crate::domain::task::{Filter, Status, Tag};
use crate::domain::tool::{Risk, ToolName};
use crate::domain::{Invalid, day_filter, when};

use crate::usecases::invocations::{Applied, Operation};
use crate::usecases::{By, Ctx, Error, Tx, tasks};

/// Default page size.
const PAGE: i64 = 50;

pub const TOOL: Tool = Tool {
    name: ToolName::ListTasks,
    title: "List tasks",
    description: "Lists the person's tasks by due date, all of them or those that fit every filter given; completed ones newest first.",
    risk: Risk::Low,
    hints: Hints { read_only: true, destructive: false, idempotent: true, open_world: false },
    input: schema_of::<Arguments>,
    output,
    prepare,
};

/// A selection of tasks. Every field narrows it.
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
    /// The first due date, as a date or a phrase such as "monday".
    #[serde(skip_serializing_if = "Option::is_none")]
    due_from: Option<String>,
    /// The last due date, as a date or a phrase. Without it, everything from due_from on.
    #[serde(skip_serializing_if = "Option::is_none")]
    due_to: Option<String>,
    /// Only what was completed then: today, yesterday, week, month, or a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    completed: Option<String>,
    /// urgency (overdue first, then by priority and due date) instead of by due date. For the first tasks only: no cursor.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    /// none, low, medium or high.
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<String>,
    /// The project's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    /// One tag, without @.
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    /// Most tasks to list: 1 to 1000 (200 by urgency), 50 when left out. A page ends early after 256 KB of text. `total` counts all; `next` leads to the others.
    #[schemars(range(min = 1, max = 1000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<i64>,
    /// The cursor: `next` of the previous page.
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
        None => None,
        Some(text) if matches!(text.trim().to_lowercase().as_str(), "all" | "any") => None,
        Some(text) => Some(
            arguments::status(text)
                .map_err(|_| Invalid::because(format!("“{text}” is not a status; use all, pending or completed.")))?,
        ),
    };
    let due = given.due.as_deref().filter(|due| !due.trim().is_empty()).map(|due| {
        day_filter::span_of(due, &moment.now, &moment.zone).ok_or_else(|| {
            Invalid::because(format!("“{due}” is not a date range; use overdue, today, week or a date."))
        })
    });
    let given_due = due.transpose()?;
    let between =
        day_filter::days_between(given.due_from.as_deref(), given.due_to.as_deref(), &moment.now, &moment.zone)?;
    if given_due.is_some() && between.is_some() {
        return Err(Invalid::because("Give either due, or due_from and due_to."));
    }
    let completed = given.completed.as_deref().map(|text| {
        day_filter::completed_in(text, &moment.now, &moment.zone)
            .ok_or_else(|| Invalid::because(format!("“{text}” is not a past period; use today, week or a date.")))
    });
    let completed = completed.transpose()?;
    if completed.is_some() && status == Some(Status::Pending) {
        return Err(Invalid::because("completed already selects completed tasks; omit status."));
    }
    let order = order(&given, completed.is_some() || status == Some(Status::Completed), moment)?;
    let status = status.or(completed.as_ref().map(|_| Status::Completed));
    let filter = Filter {
        status,
        query: given.query.clone().filter(|query| !is_blank(query)),
        due: given_due.or(between),
        completed,
        order,
        priority: given.priority.as_deref().map(arguments::priority).transpose()?,
        project: given.project.as_deref().map(arguments::project).transpose()?.flatten(),
        tag: given.tag.as_deref().map(|tag| Tag::parse(tag.trim_start_matches(['@', '#']))).transpose()?,
        ..Filter::default()
    };
    let limit = given.limit.unwrap_or(PAGE);
    let cursor = given.cursor.clone();
    Ok(Box::new(ListTasks { arguments: json!(given), filter, limit, cursor }))
}

/// Returns the order of the list; completed tasks are sorted newest first.
fn order(given: &Arguments, is_completed: bool, moment: &Moment) -> Result<Order, Invalid> {
    let line = || when::overdue(&moment.now, &moment.zone);
    match given.order.as_deref() {
        None | Some("date") if is_completed => Ok(Order::Rested),
        None | Some("date") => Ok(Order::Day(line())),
        Some("urgency") if given.cursor.is_some() => {
            Err(Invalid::because("The order urgency has no cursor; omit order to read more pages."))
        }
        Some("urgency") => Ok(Order::Urgency(line())),
        Some(order) => Err(Invalid::because(format!("“{order}” is not an order; use date or urgency."))),
    }
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
