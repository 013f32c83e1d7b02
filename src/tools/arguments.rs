//! Arguments as they come in, and their canonical form: phrases resolved in the caller's zone, everything checked.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::task::{Description, Due, Priority, Project, Tag};
use crate::domain::time::Timestamp;
use crate::domain::when;

/// Most tasks that one call may name.
pub const BATCH: usize = 100;

/// When a call is made, and where its caller lives: what a phrase such as "tomorrow" needs.
#[derive(Debug, Clone)]
pub struct Moment {
    pub now: Timestamp,
    /// IANA zone.
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
    #[schemars(length(min = 1, max = 100))]
    pub task_ids: Option<Vec<i64>>,
}

impl Targets {
    /// The numbers, each once, in the order given.
    pub fn numbers(task_id: Option<i64>, task_ids: Option<&[i64]>) -> Result<Vec<TaskNumber>, Invalid> {
        let given = match (task_id, task_ids) {
            (Some(one), None) => vec![one],
            (None, Some(many)) => many.to_vec(),
            _ => return Err(Invalid::because("Give either task_id or task_ids.")),
        };
        if given.is_empty() || given.len() > BATCH {
            return Err(Invalid::because(format!("task_ids names 1 to {BATCH} tasks, not {}.", given.len())));
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

/// Writes the targets as canonical arguments: one as `task_id`, several as `task_ids`.
pub fn name_targets(canonical: &mut Map<String, Value>, numbers: &[TaskNumber]) {
    match numbers {
        [one] => canonical.insert("task_id".into(), json!(one)),
        many => canonical.insert("task_ids".into(), json!(many)),
    };
}

/// Reads a field that may be left out, be null, or have a value: null clears.
pub fn clearable<'de, T, D>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

/// An ISO date or date-time, or a phrase.
pub fn due(text: &str, moment: &Moment) -> Result<Due, Invalid> {
    when::resolve(text, &moment.now, &moment.zone)
}

/// A repetition as RRULE, or as a phrase such as "every monday", which also says when it begins.
pub fn recurrence(text: &str, moment: &Moment) -> Result<(String, Option<Due>), Invalid> {
    if when::is_recurrence(text) {
        return Ok((text.trim().to_owned(), None));
    }
    let understood =
        when::parse(text, &moment.now, &moment.zone).and_then(|when| Some((when.recurrence?, Some(when.due))));
    understood.ok_or_else(|| {
        Invalid::because(format!(
            "“{text}” is not a repetition; write “every monday” or an RRULE like FREQ=WEEKLY;BYDAY=MO."
        ))
    })
}

/// Notes; `None` for an empty text.
pub fn description(text: &str) -> Result<Option<Description>, Invalid> {
    let description = Description::parse(text)?;
    Ok(Some(description).filter(|description| !description.as_str().is_empty()))
}

/// `None` for an empty name.
pub fn project(text: &str) -> Result<Option<Project>, Invalid> {
    if text.trim().is_empty() { Ok(None) } else { Project::parse(text.trim_start_matches('#')).map(Some) }
}

/// Tags with or without their `@`.
pub fn tags(texts: &[String]) -> Result<Vec<Tag>, Invalid> {
    Tag::several(texts.iter().map(String::as_str))
}

/// The name of a priority.
pub fn priority(text: &str) -> Result<Priority, Invalid> {
    Priority::parse(text)
}
