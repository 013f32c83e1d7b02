//! The tool that adds a task.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::{self, Moment};
use super::gate::{self, Assessed};
use super::registry::{Hints, Prepared, Tool, schema_of};
use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::task::{NewTask, Task, Title};
use crate::domain::tool::{Risk, ToolName};

use crate::usecases::invocations::{Applied, Operation};
use crate::usecases::{By, Ctx, Error, Tx, tasks};

pub const TOOL: Tool = Tool {
    name: ToolName::AddTask,
    title: "Add a task",
    description: "Adds one task to the list. Call it once for each task. Give a due date only if the person said one.",
    risk: Risk::Medium,
    hints: Hints { read_only: false, destructive: false, idempotent: false, open_world: false },
    input: schema_of::<Arguments>,
    output,
    prepare,
};

/// A new task.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The title in the person's words, e.g. "buy milk": 1 to 200 characters.
    #[schemars(length(min = 1, max = 200))]
    title: Option<String>,
    /// Notes. At most 4,000 characters.
    #[schemars(length(max = 4000))]
    description: Option<String>,
    /// When: an ISO date (2026-03-11), a date-time with offset, or a phrase such as "tomorrow 5pm".
    due: Option<String>,
    /// none, low, medium or high.
    priority: Option<String>,
    /// The project that it belongs to.
    #[schemars(length(max = 60))]
    project: Option<String>,
    /// Tags, without @.
    #[schemars(length(max = 20))]
    tags: Option<Vec<String>>,
    /// The recurrence: an RRULE or a phrase such as "every monday".
    recurrence: Option<String>,
}

struct AddTask {
    arguments: Value,
    new: NewTask,
}

fn output() -> Value {
    json!({
        "type": "object",
        "properties": { "task_id": { "type": "integer" }, "status": { "const": "created" }, "title": { "type": "string" } },
        "required": ["task_id", "status", "title"],
    })
}

fn prepare(arguments: Value, moment: &Moment) -> Prepared {
    let given: Arguments =
        serde_json::from_value(arguments).map_err(|error| Invalid::because(format!("add_task: {error}.")))?;
    // A model that gives only a description meant the title (INTERFACE, Tools).
    let (title, notes) = match (given.title, given.description) {
        (Some(title), notes) => (title, notes),
        (None, Some(only)) => (only, None),
        (None, None) => return Err(Invalid::because("add_task needs a title.")),
    };
    let due = given.due.as_deref().filter(|due| !due.trim().is_empty());
    let recurrence = given.recurrence.as_deref().filter(|rule| !rule.trim().is_empty());
    let (recurrence, begins) = recurrence.map(|rule| arguments::recurrence(rule, moment)).transpose()?.unzip();
    let new = NewTask {
        title: Title::parse(&title)?,
        description: notes.as_deref().map(arguments::description).transpose()?.flatten(),
        due: due.map(|due| arguments::due(due, moment)).transpose()?.or(begins.flatten()),
        priority: given.priority.as_deref().map(arguments::priority).transpose()?.unwrap_or_default(),
        project: given.project.as_deref().map(arguments::project).transpose()?.flatten(),
        tags: arguments::tags(&given.tags.unwrap_or_default())?,
        recurrence,
    };
    Ok(Box::new(AddTask { arguments: canonical(&new), new }))
}

fn canonical(new: &NewTask) -> Value {
    let mut canonical = json!({ "title": new.title });
    let mut set = |name: &str, value: Value| canonical[name] = value;
    if let Some(description) = &new.description {
        set("description", json!(description));
    }
    if let Some(due) = &new.due {
        set("due", json!(due));
    }
    if new.priority != Default::default() {
        set("priority", json!(new.priority));
    }
    if let Some(project) = &new.project {
        set("project", json!(project));
    }
    if !new.tags.is_empty() {
        set("tags", json!(new.tags));
    }
    if let Some(rule) = &new.recurrence {
        set("recurrence", json!(rule));
    }
    canonical
}

#[async_trait]
impl Operation for AddTask {
    fn tool(&self) -> ToolName {
        ToolName::AddTask
    }

    fn arguments(&self) -> &Value {
        &self.arguments
    }

    fn targets(&self) -> Vec<TaskNumber> {
        vec![]
    }

    fn risk(&self, before: &[TaskNumber]) -> Risk {
        gate::risk(&Assessed { tool: self.tool(), renames: false, targets: &[], before })
    }

    fn refuses_first(&self) -> bool {
        true
    }

    async fn apply(&self, ctx: &Ctx, tx: &mut Tx, by: By<'_>) -> Result<Applied, Error> {
        let changed = tasks::add(ctx, tx, by, self.new.clone()).await?;
        Ok(Applied { value: created(&changed.after), changed: vec![changed] })
    }
}

/// Returns the task with `created` as its status.
fn created(task: &Task) -> Value {
    let mut value = json!(task);
    value["status"] = json!("created");
    value
}
