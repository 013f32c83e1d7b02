//! The tool that updates fields of tasks.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::arguments::{self, Moment, Targets, name_targets};
use super::gate::{self, Assessed};
use super::registry::{Hints, Prepared, Tool, schema_of};
use super::reply;
use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::task::{Edit, Status, Title};
use crate::domain::tool::{self, Risk, ToolName};
use crate::domain::when;
use crate::usecases::invocations::{Applied, Effects, Operation, Weight};
use crate::usecases::{By, Ctx, Error, Tx, recurrence, tasks};

/// Maximum bytes of new text, over all tasks of a call. Its approval keeps each task as it would become.
const MOST_TEXT: usize = 256 << 10;

pub const TOOL: Tool = Tool {
    name: ToolName::UpdateTask,
    title: "Change tasks",
    description: "Changes fields of one task, or of several: due date, priority, notes, project, tags, repetition, title or status. \
                  Null leaves a field as it is; clear takes values away. Status pending reopens. The person is asked first for a title and for several tasks.",
    risk: Risk::Medium,
    hints: Hints { read_only: false, destructive: false, idempotent: true, open_world: false },
    input: schema_of::<Arguments>,
    output: || reply::schema("updated"),
    prepare,
};

/// The tasks and the fields to set; a field that is left out, null or empty stays as it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The task's number, e.g. 3.
    #[schemars(range(min = 1))]
    task_id: Option<i64>,
    /// Several tasks' numbers, to do the same to all of them.
    #[schemars(length(min = 1, max = 1000))]
    task_ids: Option<Vec<i64>>,
    /// A new title. 1 to 200 characters.
    #[schemars(length(min = 1, max = 200))]
    title: Option<String>,
    /// New notes.
    description: Option<String>,
    /// An ISO date, a date-time with offset, or a phrase such as "friday 5pm".
    due: Option<String>,
    /// none, low, medium or high.
    priority: Option<String>,
    /// The project that it belongs to.
    project: Option<String>,
    /// All tags that it is to have, without @.
    tags: Option<Vec<String>>,
    /// Its repetition: an RRULE or a phrase such as "every monday".
    recurrence: Option<String>,
    /// pending reopens, completed completes.
    status: Option<String>,
    /// Fields to clear, e.g. ["due", "notes"]. The only way to take a value away.
    clear: Option<Vec<Clearable>>,
}

/// A field that can be without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Clearable {
    Description,
    // Alias of the description, as the user interface names it. A doc comment would split the schema's list of values.
    Notes,
    Due,
    Priority,
    Project,
    Tags,
    Recurrence,
}

impl Clearable {
    /// Returns the field's name in the arguments.
    fn name(self) -> &'static str {
        match self {
            Self::Description | Self::Notes => "description",
            Self::Due => "due",
            Self::Priority => "priority",
            Self::Project => "project",
            Self::Tags => "tags",
            Self::Recurrence => "recurrence",
        }
    }
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
    let edit = edit(&given, moment)?;
    if edit == Edit::default() {
        return Err(Invalid::because(
            "update_task requires at least one field to change; null leaves a field unchanged, and clear: [\"due\"] \
                 clears one.",
        ));
    }
    if text(&edit).saturating_mul(numbers.len()) > MOST_TEXT {
        let problem = format!("The new text is too long for {} tasks at once; change fewer of them.", numbers.len());
        return Err(Invalid::because(problem));
    }
    Ok(Box::new(UpdateTask { arguments: canonical(&numbers, &edit), numbers, edit }))
}

/// Returns the bytes that the edit writes into each task.
fn text(edit: &Edit) -> usize {
    let description = edit.description.iter().flatten().map(|text| text.as_str().len());
    let tags = edit.tags.iter().flatten().map(|tag| tag.as_str().len());
    edit.title.as_ref().map_or(0, |title| title.as_str().len()) + description.chain(tags).sum::<usize>()
}

fn edit(given: &Arguments, moment: &Moment) -> Result<Edit, Invalid> {
    /// Returns the new value of a field: `Some(None)` if it is cleared, `None` if it is not given.
    fn field<T: ?Sized, U>(
        given: &Arguments,
        name: &str,
        value: Option<&T>,
        read: impl FnOnce(&T) -> Result<Option<U>, Invalid>,
    ) -> Result<Option<Option<U>>, Invalid> {
        match (value, given.clear.iter().flatten().any(|cleared| cleared.name() == name)) {
            (Some(_), true) => {
                Err(Invalid::because(format!("{name} is both set and cleared; do only one of the two.")))
            }
            (Some(value), false) => read(value).map(Some),
            (None, true) => Ok(Some(None)),
            (None, false) => Ok(None),
        }
    }
    let priority = field(given, "priority", given.priority.as_deref(), |text| arguments::priority(text).map(Some))?;
    let tags = field(given, "tags", given.tags.as_deref(), |texts| arguments::tags(texts).map(Some))?;
    let repeating = |text: &str| arguments::recurrence(text, moment).map(Some);
    let repeats = field(given, "recurrence", given.recurrence.as_deref(), repeating)?;
    let due = field(given, "due", given.due.as_deref(), |text| arguments::due_with_day(text, moment).map(Some))?;
    Ok(Edit {
        title: given.title.as_deref().map(Title::parse).transpose()?,
        description: field(given, "description", given.description.as_deref(), arguments::description)?,
        due: due.or_else(|| when::timed_start(repeats.as_ref()?.as_ref()?.1.as_ref()).map(Some)),
        priority: priority.map(Option::unwrap_or_default),
        project: field(given, "project", given.project.as_deref(), arguments::project)?,
        tags: tags.map(Option::unwrap_or_default),
        recurrence: repeats.map(|repeats| repeats.map(|(rule, _)| rule)),
        status: given.status.as_deref().map(arguments::status).transpose()?,
    })
}

/// Returns the canonical arguments. Cleared fields follow the order of [`tool::CLEARED_BY_NAME`]; a cleared priority is an ordinary value.
fn canonical(numbers: &[TaskNumber], edit: &Edit) -> Value {
    let mut canonical = Map::new();
    name_targets(&mut canonical, numbers);
    let fields = [
        ("title", edit.title.as_ref().map(|title| json!(title))),
        ("description", edit.description.as_ref().map(|text| json!(text))),
        ("due", edit.due.as_ref().map(|due| json!(due))),
        ("priority", edit.priority.map(|priority| json!(priority))),
        ("project", edit.project.as_ref().map(|project| json!(project))),
        ("tags", edit.tags.as_ref().map(|tags| json!(tags))),
        ("recurrence", edit.recurrence.as_ref().map(|rule| json!(rule))),
        ("status", edit.status.map(|status| json!(status))),
    ];
    canonical.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    tool::name_cleared(&mut canonical);
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

    /// A change of the status completes a task as `complete_task` does. Reopening may bin the next occurrence.
    async fn weigh(&self, _: &Ctx, tx: &mut Tx, by: By<'_>, before: &[TaskNumber]) -> Result<Weight, Error> {
        let mut includes = Effects { completes: self.edit.status == Some(Status::Completed), bins: false };
        if self.edit.status == Some(Status::Pending) {
            for number in &self.numbers {
                includes.bins |= recurrence::reopening_bins(tx, by, *number).await?;
            }
        }
        Ok(Weight { risk: self.risk(before), tasks: self.numbers.len(), includes })
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
