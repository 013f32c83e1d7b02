//! Parsing of arguments into their canonical form: phrases resolved in the caller's time zone, all values validated.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::domain::Invalid;
use crate::domain::comparison::is_blank;
use crate::domain::id::TaskNumber;
use crate::domain::task::{Description, Due, Priority, Project, Status, Tag};
use crate::domain::time::Timestamp;
use crate::domain::tool::MOST_TARGETS;
use crate::domain::when;

/// Time and time zone of a call, needed to resolve phrases such as "tomorrow".
#[derive(Debug, Clone)]
pub struct Moment {
    pub now: Timestamp,
    /// IANA time zone.
    pub zone: String,
}

/// One task, or several of them. Exactly one of the two is given.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Targets {
    /// The task's number, e.g. 3.
    #[schemars(range(min = 1))]
    pub task_id: Option<i64>,
    /// Several tasks' numbers, to do the same to all of them.
    #[schemars(length(min = 1, max = 1000))]
    pub task_ids: Option<Vec<i64>>,
}

impl Targets {
    /// Returns the numbers without duplicates, in the given order.
    pub fn numbers(task_id: Option<i64>, task_ids: Option<&[i64]>) -> Result<Vec<TaskNumber>, Invalid> {
        let given = match (task_id, task_ids) {
            (Some(one), None) => vec![one],
            (None, Some(many)) => many.to_vec(),
            _ => return Err(Invalid::because("Give either task_id or task_ids.")),
        };
        if given.is_empty() || given.len() > MOST_TARGETS {
            return Err(Invalid::because(format!(
                "task_ids must have 1 to {MOST_TARGETS} tasks, not {}.",
                given.len()
            )));
        }
        let mut numbers = Vec::with_capacity(given.len());
        for number in given {
            let number = TaskNumber::parse(&number.to_string())?;
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        Ok(numbers)
    }
}

/// Writes the canonical targets: one as `task_id`, several as `task_ids`.
pub fn name_targets(canonical: &mut Map<String, Value>, numbers: &[TaskNumber]) {
    match numbers {
        [one] => canonical.insert("task_id".into(), json!(one)),
        many => canonical.insert("task_ids".into(), json!(many)),
    };
}

/// Parses an ISO date or date-time, or a phrase.
pub fn due(text: &str, moment: &Moment) -> Result<Due, Invalid> {
    when::resolve(text, &moment.now, &moment.zone)
}

/// Parses the new due date of a task; a time alone would move the task to another day.
pub fn due_with_day(text: &str, moment: &Moment) -> Result<Due, Invalid> {
    when::resolve_with_day(text, &moment.now, &moment.zone)
}

/// Parses an RRULE, or a phrase such as "every monday", which also gives its first date.
pub fn recurrence(text: &str, moment: &Moment) -> Result<(String, Option<Due>), Invalid> {
    when::resolve_recurrence(text, &moment.now, &moment.zone)
}

/// Parses notes; `None` for an empty text.
pub fn description(text: &str) -> Result<Option<Description>, Invalid> {
    let description = Description::parse(text)?;
    Ok(Some(description).filter(|description| !description.as_str().is_empty()))
}

/// Parses a project; `None` for a blank name.
pub fn project(text: &str) -> Result<Option<Project>, Invalid> {
    if is_blank(text) { Ok(None) } else { Project::parse(text.trim_start_matches('#')).map(Some) }
}

/// Parses tags with or without `@` or `#`.
pub fn tags(texts: &[String]) -> Result<Vec<Tag>, Invalid> {
    Tag::several(texts.iter().map(|text| text.trim().trim_start_matches('#')))
}

/// Parses a status by its name, or by the names of other programs.
pub fn status(text: &str) -> Result<Status, Invalid> {
    let name = text.trim().to_lowercase();
    match name.as_str() {
        "open" | "todo" | "to do" | "needsaction" | "notstarted" => Ok(Status::Pending),
        "done" | "complete" | "closed" => Ok(Status::Completed),
        name => Status::parse(name)
            .map_err(|_| Invalid::because(format!("“{text}” is not a status; use pending or completed."))),
    }
}

pub fn priority(text: &str) -> Result<Priority, Invalid> {
    Priority::parse(text)
}
