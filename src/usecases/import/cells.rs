//! The fields of a row as they stand in its file, whatever that is written in.

use crate::domain::Invalid;
use crate::domain::task::{Description, NewTask, Priority, Project, Status, Tag, Title};
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::usecases::accounts::known_zone;

/// The names of the fields; a table's head line uses them, in any case.
pub const FIELDS: [&str; 9] =
    ["title", "description", "due", "due_zone", "priority", "project", "tags", "recurrence", "status"];

/// A row's fields; empty ones say nothing.
#[derive(Debug, Clone, Default)]
pub struct Cells {
    pub title: String,
    pub description: String,
    pub due: String,
    pub priority: String,
    pub project: String,
    pub tags: Vec<String>,
    pub recurrence: String,
    pub status: String,
    /// The zone in which times are meant, where it is not the user's.
    pub zone: Option<String>,
}

impl Cells {
    /// Sets the field of that name; false if there is no such field.
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        let field = match name {
            "title" => &mut self.title,
            "due" => &mut self.due,
            "priority" => &mut self.priority,
            "project" => &mut self.project,
            "recurrence" => &mut self.recurrence,
            "status" => &mut self.status,
            "due_zone" => {
                self.zone = given(value).map(str::to_owned);
                return true;
            }
            "tags" => {
                self.tags = tags(value);
                return true;
            }
            "description" => {
                value.clone_into(&mut self.description);
                return true;
            }
            _ => return false,
        };
        value.trim().clone_into(field);
        true
    }

    /// The task that the fields mean, and whether it is done.
    pub fn task(&self, now: &Timestamp, zone: &str) -> Result<(NewTask, bool), Invalid> {
        let own = self.zone.as_deref().map(known_zone).transpose()?;
        let zone = own.as_deref().unwrap_or(zone);
        let mut task = NewTask::titled(Title::parse(&self.title)?);
        // Its first line may be empty.
        task.description = given(&self.description).map(|_| Description::parse(&self.description)).transpose()?;
        if let Some(due) = given(&self.due) {
            task.due = Some(when::resolve(due, now, zone)?);
            task.recurrence = when::parse(due, now, zone).and_then(|when| when.recurrence);
        }
        task.priority = given(&self.priority).map(Priority::parse).transpose()?.unwrap_or_default();
        task.project = given(&self.project).map(|name| Project::parse(name.trim_start_matches('#'))).transpose()?;
        task.tags = Tag::several(self.tags.iter().map(String::as_str))?;
        if let Some(rule) = given(&self.recurrence) {
            task.recurrence = Some(recurrence(rule, now, zone)?);
        }
        let status = given(&self.status).map(|status| Status::parse(&status.to_lowercase())).transpose()?;
        Ok((task, status == Some(Status::Completed)))
    }

    /// All that the row says, in bytes that no other row's fields come to.
    pub fn said(&self) -> Vec<u8> {
        let description = self.description.trim();
        let single =
            [&self.title, description, &self.due, &self.priority, &self.project, &self.recurrence, &self.status];
        serde_json::to_vec(&(single, &self.tags, &self.zone)).expect("texts are JSON")
    }
}

/// The tags of a cell: separated by commas or semicolons, or a JSON list, which [`listed`] writes.
fn tags(cell: &str) -> Vec<String> {
    if let Ok(tags) = serde_json::from_str(cell) {
        return tags;
    }
    let tags = cell.split(SEPARATORS).map(str::trim).filter(|tag| !tag.is_empty());
    tags.map(str::to_owned).collect()
}

/// Tags as one cell: a JSON list where one of them has what separates them.
pub fn listed(tags: &[Tag]) -> String {
    let plain: Vec<_> = tags.iter().map(Tag::as_str).collect();
    if plain.iter().any(|tag| tag.contains(SEPARATORS) || tag.starts_with('[')) {
        return serde_json::json!(plain).to_string();
    }
    plain.join(",")
}

/// What separates tags.
const SEPARATORS: [char; 2] = [',', ';'];

fn given(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// A rule as it stands, or the rule that a phrase means.
fn recurrence(text: &str, now: &Timestamp, zone: &str) -> Result<String, Invalid> {
    if when::is_recurrence(text) {
        return Ok(text.to_owned());
    }
    let rule = when::parse(text, now, zone).and_then(|when| when.recurrence);
    rule.ok_or_else(|| Invalid::because(format!("“{text}” does not repeat; write it like “every monday”.")))
}
