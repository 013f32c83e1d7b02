//! The wording of replies: a line per part, made from what the tools returned.

use serde_json::Value;

use super::intent::ListQuery;
use super::recall::tasks_in;
use super::status;
use crate::domain::task::{Due, Priority, Status, Task};
use crate::domain::time::{CivilDate, Timestamp};
use crate::domain::tool::{Call, CallResult, CallStatus, ToolName};
use crate::domain::when;

/// Where and when a reply is read.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub now: &'a Timestamp,
    pub zone: &'a str,
}

/// The lines for one call and what it came to.
pub(super) fn call(call: &Call, result: &CallResult, reader: Reader) -> Vec<String> {
    match result.status {
        CallStatus::Ok => done(call, &result.value, reader),
        CallStatus::Error => vec![error(call, &result.value)],
        CallStatus::AwaitingApproval => vec!["This waits for your yes.".to_owned()],
        CallStatus::Rejected => vec!["Nothing was changed.".to_owned()],
        CallStatus::Expired => {
            vec!["The request has expired; nothing was changed. Ask again if you still want it.".to_owned()]
        }
        CallStatus::Void => {
            vec!["The task had changed meanwhile, so nothing was done. Ask again to see it afresh.".to_owned()]
        }
        CallStatus::Skipped | CallStatus::Stopped => vec!["That part was not run.".to_owned()],
    }
}

fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field).and_then(Value::as_str)
}

/// Each of a batch, or the one result.
fn each(value: &Value) -> Vec<&Value> {
    match value.get("tasks").and_then(Value::as_array) {
        Some(tasks) => tasks.iter().collect(),
        None => vec![value],
    }
}

fn done(call: &Call, value: &Value, reader: Reader) -> Vec<String> {
    let Some(tool) = ToolName::parse(&call.tool) else { return vec!["Done.".to_owned()] };
    match tool {
        ToolName::ListTasks => list(&ListQuery::default(), &tasks_in(value), value, reader),
        ToolName::GetTask => {
            tasks_in(value).first().map_or_else(|| vec!["Done.".to_owned()], |task| vec![details(task, reader)])
        }
        ToolName::AddTask => {
            each(value).into_iter().map(|task| line("Created task", task) + &when_due(task, reader)).collect()
        }
        ToolName::CompleteTask => each(value).into_iter().map(|task| line("Completed task", task)).collect(),
        ToolName::DeleteTask => each(value).into_iter().map(|task| line("Deleted task", task)).collect(),
        ToolName::UpdateTask => each(value).into_iter().map(|task| updated(task, reader)).collect(),
    }
}

/// `Created task: TITLE (#N)`.
fn line(what: &str, task: &Value) -> String {
    let title = text(task, "title").or_else(|| task.get("after").and_then(|after| text(after, "title"))).unwrap_or("?");
    let number = task.get("task_id").and_then(Value::as_i64).unwrap_or_default();
    format!("{what}: {title} (#{number})")
}

/// `, due Tomorrow 17:00`, or nothing.
fn when_due(task: &Value, reader: Reader) -> String {
    text(task, "due").and_then(|due| due_label(due, reader)).map_or_else(String::new, |label| format!(", due {label}"))
}

fn due_label(due: &str, reader: Reader) -> Option<String> {
    let due = match CivilDate::parse(due) {
        Ok(date) => Due::Date(date),
        Err(_) => Due::at(Timestamp::parse(due).ok()?, reader.zone)?,
    };
    Some(when::label(&due, reader.now, reader.zone))
}

/// What an update changed, from its before and after.
fn updated(task: &Value, reader: Reader) -> String {
    let field = |side: &str, name: &str| task.get(side).and_then(|side| side.get(name)).cloned().unwrap_or(Value::Null);
    let changed = |name: &str| field("before", name) != field("after", name);
    if changed("status") && field("after", "status") == "pending" {
        return line("Reopened task", task);
    }
    if changed("status") {
        return line("Completed task", task);
    }
    let mut said = vec![];
    if changed("title") {
        let before = field("before", "title");
        said.push(format!("it was “{}”", before.as_str().unwrap_or_default()));
    }
    if changed("due") {
        let after = field("after", "due");
        said.push(
            after
                .as_str()
                .and_then(|due| due_label(due, reader))
                .map_or("no due date".to_owned(), |label| format!("due {label}")),
        );
    }
    if changed("priority") {
        said.push(format!("priority {}", field("after", "priority").as_str().unwrap_or("none")));
    }
    if changed("description") {
        said.push("notes saved".to_owned());
    }
    if changed("project") {
        said.push(field("after", "project").as_str().map_or("in no project".to_owned(), |name| format!("in #{name}")));
    }
    if changed("tags") {
        let after = field("after", "tags");
        let tags = after.as_array().into_iter().flatten().filter_map(Value::as_str);
        let tags: Vec<String> = tags.map(|tag| format!("@{tag}")).collect();
        said.push(if tags.is_empty() { "no tags".to_owned() } else { format!("tagged {}", tags.join(" ")) });
    }
    if changed("recurrence") {
        said.push("repeats".to_owned());
    }
    let head = line(if changed("title") { "Renamed task" } else { "Updated task" }, task);
    if said.is_empty() { format!("{head}, as it was") } else { format!("{head}, {}", said.join(", ")) }
}

/// One task with everything that is known of it.
fn details(task: &Task, reader: Reader) -> String {
    let mut lines = vec![format!("Task #{}: {} ({})", task.task_id, task.title, task.status.as_str())];
    if let Some(label) = task.due.as_deref().and_then(|due| due_label(due, reader)) {
        lines.push(format!("Due: {label}"));
    }
    if task.priority != Priority::None {
        lines.push(format!("Priority: {}", task.priority.as_str()));
    }
    if let Some(project) = &task.project {
        lines.push(format!("Project: {project}"));
    }
    if !task.tags.is_empty() {
        lines.push(format!("Tags: {}", task.tags.iter().map(|tag| format!("@{tag}")).collect::<Vec<_>>().join(" ")));
    }
    if task.recurrence.is_some() {
        lines.push("It repeats.".to_owned());
    }
    if let Some(description) = task.description.as_ref().filter(|text| !text.as_str().is_empty()) {
        lines.push(format!("Notes: {description}"));
    }
    lines.join("\n")
}

/// ` in #Work tagged @home with “milk”`, as far as a list is narrowed so.
fn labels(query: &ListQuery) -> String {
    let project = query.project.as_ref().map_or(String::new(), |name| format!(" in #{name}"));
    let tag = query.tag.as_ref().map_or(String::new(), |name| format!(" tagged @{name}"));
    let words = query.words.as_ref().map_or(String::new(), |words| format!(" with “{words}”"));
    project + &tag + &words
}

/// A numbered list, or the answer to "is it on my list?".
pub(super) fn list(query: &ListQuery, tasks: &[Task], value: &Value, reader: Reader) -> Vec<String> {
    if query.asks {
        let words = query.words.as_deref().unwrap_or_default();
        let there: Vec<&Task> = tasks.iter().filter(|task| status::mentions(task.title.as_str(), words)).collect();
        return match there.as_slice() {
            [] => vec![format!("No, I don't see “{words}” among your open tasks. Say “add {words}” to put it there.")],
            found => vec![format!(
                "Yes: {}.",
                found.iter().map(|task| format!("{} (#{})", task.title, task.task_id)).collect::<Vec<_>>().join(", ")
            )],
        };
    }
    let total = value.get("total").and_then(Value::as_u64).unwrap_or(tasks.len() as u64);
    let kind = match query.status {
        Some(Status::Pending) => "open ",
        Some(Status::Completed) => "completed ",
        None => "",
    };
    let due = match query.due.as_deref() {
        None => String::new(),
        Some("overdue") => " that are overdue".to_owned(),
        Some("week") => " due this week".to_owned(),
        Some(day) => format!(" due {}", due_label(day, reader).unwrap_or_else(|| day.to_owned()).to_lowercase()),
    };
    let level = query.priority.map_or(String::new(), |level| format!("{} priority ", level.as_str()));
    let labels = labels(query);
    if tasks.is_empty() {
        return vec![format!("You have no {kind}{level}tasks{labels}{due}. Say “add buy milk tomorrow” to add one.")];
    }
    let noun = if total == 1 { "task" } else { "tasks" };
    let mut lines = vec![format!("You have {total} {kind}{level}{noun}{labels}{due}:")];
    for (at, task) in tasks.iter().enumerate() {
        let mut entry = format!("{}. {} (#{})", at + 1, task.title, task.task_id);
        if let Some(label) = task.due.as_deref().and_then(|due| due_label(due, reader)) {
            entry += &format!(", due {label}");
        }
        if task.priority != Priority::None {
            entry += &format!(", {} priority", task.priority.as_str());
        }
        if task.status == Status::Completed && query.status.is_none() {
            entry += ", done";
        }
        lines.push(entry);
    }
    if (tasks.len() as u64) < total {
        lines.push(format!("… and {} more.", total - tasks.len() as u64));
    }
    vec![lines.join("\n")]
}

/// A tool's error in its own words.
pub(super) fn refused(value: &Value) -> String {
    text(value, "message").unwrap_or("That did not work, and nothing was changed.").to_owned()
}

/// A tool's error with one way on.
fn error(call: &Call, value: &Value) -> String {
    let number = value.get("task_id").or_else(|| call.arguments.get("task_id")).and_then(Value::as_i64);
    match (text(value, "error"), number) {
        (Some("not_found"), Some(number)) => {
            format!("I couldn't find task #{number}. Would you like to see your current tasks?")
        }
        (Some("internal"), _) => {
            let message = text(value, "message").unwrap_or("a fault on my side").trim_end_matches('.');
            format!("That did not work: {message}. Nothing was changed. You can say “try again”.")
        }
        // The sentence names the missing scope and the way on; no list is to be had either.
        (Some("forbidden"), _) if value["scope"].is_string() => refused(value),
        (_, _) => {
            let message = text(value, "message").unwrap_or("That did not work, and nothing was changed.").trim_end();
            format!("{message} You can say “show my tasks” to see what is there.")
        }
    }
}
