//! Changes fields of tasks.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::arguments::{self, Moment, Targets, clearable, name_targets};
use super::gate::{self, Assessed};
use super::registry::{Hints, Prepared, Tool, schema_of};
use super::reply;
use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::task::{Edit, Status, Title};
use crate::domain::tool::{Risk, ToolName};

use crate::usecases::invocations::{Applied, Operation};
use crate::usecases::{By, Ctx, Error, Tx, tasks};

pub const TOOL: Tool = Tool {
    name: ToolName::UpdateTask,
    title: "Change tasks",
    description: "Changes fields of one task, or of several: due date, priority, notes, project, tags, repetition, title or status. \
                  Null clears a field. Status pending reopens. The person is asked first for a title and for several tasks.",
    risk: Risk::Medium,
    hints: Hints { read_only: false, destructive: false, idempotent: true, open_world: false },
    input: schema_of::<Arguments>,
    output: || reply::schema("updated"),
    prepare,
};

/// Which tasks, and the fields to set; fields that are left out stay as they are.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The task's number, e.g. 3.
    #[schemars(range(min = 1))]
    task_id: Option<i64>,
    /// Several tasks' numbers, to do the same to all of them.
    #[schemars(length(min = 1, max = 100))]
    task_ids: Option<Vec<i64>>,
    /// A new title. 1 to 200 characters.
    #[schemars(length(min = 1, max = 200))]
    title: Option<String>,
    /// New notes; null clears them.
    #[serde(default, deserialize_with = "clearable")]
    description: Option<Option<String>>,
    /// An ISO date, a date-time with offset, or a phrase such as "friday 5pm"; null clears it.
    #[serde(default, deserialize_with = "clearable")]
    due: Option<Option<String>>,
    /// none, low, medium or high; null means none.
    #[serde(default, deserialize_with = "clearable")]
    priority: Option<Option<String>>,
    /// The project that it belongs to; null takes it out.
    #[serde(default, deserialize_with = "clearable")]
    project: Option<Option<String>>,
    /// All tags that it is to have, without @; null clears them.
    #[serde(default, deserialize_with = "clearable")]
    tags: Option<Option<Vec<String>>>,
    /// How it repeats: an RRULE or a phrase such as "every monday"; null ends it.
    #[serde(default, deserialize_with = "clearable")]
    recurrence: Option<Option<String>>,
    /// pending reopens, completed completes.
    status: Option<String>,
}

struct UpdateTask {
    arguments: Value,
    numbers: Vec<TaskNumber>,
    edit: Edit,
}

fn prepare(arguments: Value, moment: &Moment) -> Prepared {
    let given: Arguments =
        serde_json::from_value(arguments).map_err(|error| Invalid::because(format!("update_task: {error}.")))?;
    let numbers = Targets::numbers(given.task_id, given.task_ids.as_deref())?;
    let edit = edit(given, moment)?;
    if edit == Edit::default() {
        return Err(Invalid::because("update_task needs at least one field to change."));
    }
    Ok(Box::new(UpdateTask { arguments: canonical(&numbers, &edit), numbers, edit }))
}

fn edit(given: Arguments, moment: &Moment) -> Result<Edit, Invalid> {
    /// Reads a field's text where one is given, and keeps "left out" and "null" apart.
    fn field<T, U>(
        given: Option<Option<T>>,
        read: impl FnOnce(T) -> Result<Option<U>, Invalid>,
    ) -> Result<Option<Option<U>>, Invalid> {
        given.map(|value| value.map_or(Ok(None), read)).transpose()
    }
    let priority = field(given.priority, |text| arguments::priority(&text).map(Some))?;
    let tags = field(given.tags, |texts| arguments::tags(&texts).map(Some))?;
    Ok(Edit {
        title: given.title.as_deref().map(Title::parse).transpose()?,
        description: field(given.description, |text| arguments::description(&text))?,
        due: field(given.due, |text| arguments::due(&text, moment).map(Some))?,
        priority: priority.map(Option::unwrap_or_default),
        project: field(given.project, |text| arguments::project(&text))?,
        tags: tags.map(Option::unwrap_or_default),
        recurrence: field(given.recurrence, |text| arguments::recurrence(&text, moment).map(|(rule, _)| Some(rule)))?,
        status: given.status.as_deref().map(Status::parse).transpose()?,
    })
}

fn canonical(numbers: &[TaskNumber], edit: &Edit) -> Value {
    let mut canonical = Map::new();
    name_targets(&mut canonical, numbers);
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            canonical.insert(name.into(), value);
        }
    };
    set("title", edit.title.as_ref().map(|title| json!(title)));
    set("description", edit.description.as_ref().map(|text| json!(text)));
    set("due", edit.due.as_ref().map(|due| json!(due)));
    set("priority", edit.priority.map(|priority| json!(priority)));
    set("project", edit.project.as_ref().map(|project| json!(project)));
    set("tags", edit.tags.as_ref().map(|tags| json!(tags)));
    set("recurrence", edit.recurrence.as_ref().map(|rule| json!(rule)));
    set("status", edit.status.map(|status| json!(status)));
    canonical.into()
}

#[async_trait]
impl Operation for UpdateTask {
    fn tool(&self) -> ToolName {
        ToolName::UpdateTask
    }

    fn arguments(&self) -> &Value {
        &self.arguments
    }

    fn targets(&self) -> Vec<TaskNumber> {
        self.numbers.clone()
    }

    fn risk(&self, before: &[TaskNumber]) -> Risk {
        let renames = self.edit.title.is_some();
        gate::risk(&Assessed { tool: self.tool(), renames, targets: &self.numbers, before })
    }

    async fn apply(&self, ctx: &Ctx, tx: &mut Tx, by: By<'_>) -> Result<Applied, Error> {
        let (ctx, mut changed) = (&ctx.at_once(), Vec::with_capacity(self.numbers.len()));
        for number in &self.numbers {
            changed.push(tasks::edit(ctx, tx, by, *number, self.edit.clone(), None).await?);
        }
        let each = changed.iter().map(|edit| {
            json!({ "task_id": edit.after.task_id, "status": "updated", "before": edit.before, "after": edit.after })
        });
        Ok(Applied { value: reply::one_or_many(each.collect()), changed })
    }
}
