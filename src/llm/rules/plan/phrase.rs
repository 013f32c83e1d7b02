//! Wording of replies: a line per part, from the tools' results.

use serde_json::{Value, json};

use crate::domain::task::{Due, Priority, Status, Task};
use crate::domain::task_line::TaskLine;
use crate::domain::time::{CivilDate, Timestamp};
use crate::domain::tool::{Call, CallResult, CallStatus, ToolName};
use crate::domain::when;
use crate::llm::rules::plan::recall::tasks_in;
use crate::llm::rules::read::intent::ListQuery;
use crate::llm::rules::read::status;
use crate::llm::rules::resolve::queries::of_topic;

/// The time and zone in which a reply is read.
#[derive(Clone, Copy)]
pub(in crate::llm::rules) struct Reader<'a> {
    pub now: &'a Timestamp,
    pub zone: &'a str,
}

/// Returns the lines for one call and its result.
pub(in crate::llm::rules) fn call(call: &Call, result: &CallResult, reader: Reader) -> Vec<String> {
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

/// Returns the answers to lists from the calls `made`.
pub(in crate::llm::rules) fn answers(
    lists: &[(&ListQuery, Call)],
    made: &[Call],
    results: &[CallResult],
    reader: Reader,
) -> Vec<String> {
    let result = |call: &Call| made.iter().position(|other| other == call).and_then(|at| results.get(at));
    let answered = lists.iter().filter_map(|(query, call)| Some((query, result(call)?)));
    let told = |(query, result): (&&ListQuery, &CallResult)| match result.status {
        CallStatus::Error => vec![refused(&result.value)],
        _ if query.filters() => {
            let found = tasks_in(&result.value);
            let (all, tasks) = (found.len() as u64, of_topic(query, found));
            let more = result.value["total"]
                .as_u64()
                .filter(|_| query.except.is_some())
                .map_or(0, |total| total.saturating_sub(all));
            list(query, &tasks, &json!({ "total": tasks.len() as u64 + more }), reader)
        }
        _ => list(query, &tasks_in(&result.value), &result.value, reader),
    };
    answered.flat_map(told).collect()
}

fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field).and_then(Value::as_str)
}

/// Returns the results of a batch, or the single result.
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
            let facts = |task: &Value| TaskLine::of_value(task).facts(reader.now, reader.zone);
            each(value).into_iter().map(|task| line("Created task", task) + &facts(task)).collect()
        }
        ToolName::CompleteTask => each(value).into_iter().map(|task| line("Completed task", task)).collect(),
        ToolName::DeleteTask => each(value).into_iter().map(|task| line("Deleted task", task)).collect(),
        ToolName::UpdateTask => each(value).into_iter().map(|task| updated(task, reader)).collect(),
        ToolName::Undo => undone(value, reader),
    }
}

/// Maximum lines of an undo.
const MOST_UNDONE: usize = 20;

/// Returns the lines of an undo: the state of each restored task, and the changes left out.
fn undone(value: &Value, reader: Reader) -> Vec<String> {
    let list = |name: &str| value.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (all, left) = (list("undone"), list("left"));
    let one = |task: &Value| match text(task, "what") {
        Some("deleted") => line("Undone", task) + " is in the bin again",
        Some("restored") => line("Undone", task) + " is back on your list",
        Some("pending") => line("Undone", task) + " is open again",
        Some("completed") => line("Undone", task) + " is done again",
        _ => line("Undone", task) + " is as it was before" + &differences(task, reader),
    };
    let mut lines: Vec<String> = all.iter().take(MOST_UNDONE).map(one).collect();
    if all.len() > MOST_UNDONE {
        lines.push(format!("… and {} more.", all.len() - MOST_UNDONE));
    }
    lines.extend(left.iter().filter_map(|left| text(left, "why")).map(|why| format!("Not undone: {why}")));
    lines
}

/// Returns `Created task: TITLE (#N)`.
fn line(what: &str, task: &Value) -> String {
    let title = text(task, "title").or_else(|| task.get("after").and_then(|after| text(after, "title"))).unwrap_or("?");
    let number = task.get("task_id").and_then(Value::as_i64).unwrap_or_default();
    format!("{what}: {title} (#{number})")
}

/// Bytes of a due date without a time.
const DAY: usize = 10;

fn due_label(due: &str, reader: Reader) -> Option<String> {
    let due = match due.len() {
        DAY => Due::Date(CivilDate::parse(due).ok()?),
        _ => Due::at(Timestamp::parse(due).ok()?, reader.zone)?,
    };
    Some(when::label(&due, reader.now, reader.zone))
}

/// Lowers the case of a day's label inside a sentence; weekdays keep their capitals.
fn in_sentence(label: String) -> String {
    if ["Today", "Tomorrow", "Yesterday"].iter().any(|day| label.starts_with(day)) {
        label.to_lowercase()
    } else {
        label
    }
}

/// Describes an update by its before and after.
fn updated(task: &Value, reader: Reader) -> String {
    let field = |side: &str, name: &str| task.get(side).and_then(|side| side.get(name)).cloned().unwrap_or(Value::Null);
    let changed = |name: &str| field("before", name) != field("after", name);
    if changed("status") && field("after", "status") == "pending" {
        return line("Reopened task", task);
    }
    if changed("status") {
        return line("Completed task", task);
    }
    let head = line(if changed("title") { "Renamed task" } else { "Updated task" }, task);
    let said = differences(task, reader);
    if said.is_empty() { format!("{head}, as it was") } else { format!("{head}{said}") }
}

/// Returns the fields that a change has set, in the format of a task's line.
fn differences(task: &Value, reader: Reader) -> String {
    let field = |side: &str, name: &str| task.get(side).and_then(|side| side.get(name)).cloned().unwrap_or(Value::Null);
    let changed = |name: &str| field("before", name) != field("after", name);
    let renamed = field("before", "title").as_str().map(str::to_owned).filter(|_| changed("title"));
    let was = renamed.map(|title| format!(", it was “{title}”")).unwrap_or_default();
    was + &set_facts(task, &changed, reader)
}

/// Returns the fields that an update set or cleared, in the format of a task's line.
fn set_facts(task: &Value, changed: &dyn Fn(&str) -> bool, reader: Reader) -> String {
    const CLEARED: [(&str, &str); 6] = [
        ("due", "no due date"),
        ("recurrence", "no repetition"),
        ("project", "in no project"),
        ("tags", "no tags"),
        ("priority", "no priority"),
        ("description", "no notes"),
    ];
    let after = TaskLine::of_value(task);
    let shown = TaskLine {
        title: "",
        due: after.due.filter(|_| changed("due")),
        recurrence: after.recurrence.filter(|_| changed("recurrence")),
        project: after.project.filter(|_| changed("project")),
        tags: if changed("tags") { after.tags } else { vec![] },
        priority: after.priority.filter(|_| changed("priority")),
        notes: after.notes.filter(|_| changed("description")),
    };
    let empty = |name: &str| match &task["after"][name] {
        Value::Null => true,
        Value::String(text) => text.is_empty() || name == "priority" && text == Priority::None.as_str(),
        Value::Array(values) => values.is_empty(),
        _ => false,
    };
    let cleared = CLEARED.iter().filter(|(name, _)| changed(name) && empty(name));
    shown.facts(reader.now, reader.zone) + &cleared.map(|(_, words)| format!(" · {words}")).collect::<String>()
}

/// Returns one task with all its fields.
fn details(task: &Task, reader: Reader) -> String {
    let facts = TaskLine { notes: None, ..TaskLine::from(task) }.facts(reader.now, reader.zone);
    let mut lines = vec![format!("Task #{}: {} ({}){facts}", task.task_id, task.title, task.status.as_str())];
    if let Some(description) = task.description.as_ref().filter(|text| !text.as_str().is_empty()) {
        lines.push(format!("Notes: {description}"));
    }
    lines.join("\n")
}

/// Returns the filters of a list: ` in #Work tagged @home with “milk”`.
fn labels(query: &ListQuery) -> String {
    let project = query.project.as_ref().map_or(String::new(), |name| format!(" in #{name}"));
    let tag = query.tag.as_ref().map_or(String::new(), |name| format!(" tagged @{name}"));
    let words = query.words.as_ref().map_or(String::new(), |words| format!(" with “{words}”"));
    let topic = query.topic.as_ref().map_or(String::new(), |topic| format!(" for “{topic}”"));
    project + &tag + &words + &topic
}

/// Returns a numbered list, or the answer to "is it on my list?".
pub(in crate::llm::rules) fn list(query: &ListQuery, tasks: &[Task], value: &Value, reader: Reader) -> Vec<String> {
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
    let label = |day: &String| in_sentence(due_label(day, reader).unwrap_or_else(|| day.clone()));
    let due = match query.due.as_deref() {
        None => match (&query.from, &query.to) {
            (Some(from), Some(to)) => format!(" due {} to {}", label(from), label(to)),
            (Some(from), None) => format!(" due {} or later", label(from)),
            (None, Some(to)) => format!(" due by {}", label(to)),
            (None, None) => String::new(),
        },
        Some("overdue") => " that are overdue".to_owned(),
        Some("week") => " due this week".to_owned(),
        Some(day) => format!(" due {}", label(&day.to_owned())),
    };
    let level = query.priority.map_or(String::new(), |level| format!("{} priority ", level.as_str()));
    let level = if query.repeats { format!("{level}repeating ") } else { level };
    let labels = labels(query);
    if let Some(time) = &query.completed {
        let time = match time.as_str() {
            "today" | "yesterday" => time.clone(),
            "week" | "month" => format!("this {time}"),
            day => format!("on {}", label(&day.to_owned())),
        };
        if tasks.is_empty() {
            return vec![format!("You have completed nothing {time}. Say “show my tasks” to see what is open.")];
        }
        return vec![entries(format!("You completed {total} {} {time}:", noun(total)), tasks, total, query, reader)];
    }
    if tasks.is_empty() {
        return vec![format!("You have no {kind}{level}tasks{labels}{due}. Say “add buy milk tomorrow” to add one.")];
    }
    let end = if query.first { ". Do these first:" } else { ":" };
    let head = format!("You have {total} {kind}{level}{}{labels}{due}{end}", noun(total));
    vec![entries(head, tasks, total, query, reader)]
}

fn noun(count: u64) -> &'static str {
    if count == 1 { "task" } else { "tasks" }
}

/// Returns a heading with a list numbered from 1, and how many of the total it shows.
fn entries(head: String, tasks: &[Task], total: u64, query: &ListQuery, reader: Reader) -> String {
    let mut lines = vec![head];
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
    if (tasks.len() as u64) < total && !query.first {
        lines.push(format!("{} of {total}. The Tasks page (/tasks) shows all of them.", tasks.len()));
    }
    lines.join("\n")
}

/// Returns the message of a tool's error.
pub(in crate::llm::rules) fn refused(value: &Value) -> String {
    text(value, "message").unwrap_or("That did not work, and nothing was changed.").to_owned()
}

/// Returns the message of a tool's error with a suggestion.
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
        // The message names the missing scope and the remedy; a list would be refused too.
        (Some("forbidden"), _) if value["scope"].is_string() => refused(value),
        (_, _) => {
            let message = text(value, "message").unwrap_or("That did not work, and nothing was changed.").trim_end();
            format!("{message} You can say “show my tasks” to see what is there.")
        }
    }
}
