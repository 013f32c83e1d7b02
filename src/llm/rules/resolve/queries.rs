//! Calls that look up tasks.

use serde_json::{Map, Value, json};

use crate::domain::task::{Status, Task};
use crate::domain::tool::{Call, MOST_TARGETS, ToolName};
use crate::llm::rules::lex::matching;
use crate::llm::rules::read::intent::{ListQuery, Part, Scope};
use crate::llm::rules::resolve::steps::call;

/// Searches for the words of a description, in any status.
pub(in crate::llm::rules) fn query_call(text: &str) -> Call {
    call(ToolName::ListTasks, json!({ "status": "all", "query": matching::query(text), "limit": 50 }))
}

/// Lists the tasks of a bulk scope.
pub(in crate::llm::rules) fn bulk_call(scope: &Scope, part: &Part) -> Call {
    let status = scope.status.or(match part {
        Part::Complete(_) => Some(Status::Pending),
        Part::Reopen(_) => Some(Status::Completed),
        _ => None,
    });
    let mut fields = Map::new();
    fields.insert("status".into(), json!(status.map_or("all", Status::as_str)));
    if let Some(due) = scope.day.as_deref().or(scope.overdue.then_some("overdue")) {
        fields.insert("due".into(), json!(due));
    }
    for (name, value) in [("project", &scope.project), ("tag", &scope.tag)] {
        if let Some(value) = value {
            fields.insert(name.into(), json!(value));
        }
    }
    fields.insert("limit".into(), json!(MOST_TARGETS));
    call(ToolName::ListTasks, Value::Object(fields))
}

/// Returns the words of a search. Special characters are kept: “100%” is not “100 nails”.
fn searched(words: &str) -> String {
    if words.contains(['%', '&', '+', '/', '\\', '_', '*', '=']) { words.to_owned() } else { matching::query(words) }
}

/// Number of tasks that are searched for a topic.
pub(in crate::llm::rules) const MOST_TOPIC: usize = 500;

/// Returns the tasks that a list query asks for, of those that its call returned.
pub(in crate::llm::rules) fn of_topic(query: &ListQuery, tasks: Vec<Task>) -> Vec<Task> {
    let but = query.except.as_deref().unwrap_or_default().split([',', ';']).flat_map(|piece| piece.split(" and "));
    let but: Vec<_> = but.map(matching::stems).filter(|stems| !stems.is_empty()).collect();
    let left_out = |task: &Task| but.iter().any(|but| but.is_subset(&matching::stems(task.title.as_str())));
    let fits = |task: &Task| (!query.repeats || task.recurrence.is_some()) && !left_out(task);
    let tasks: Vec<Task> = tasks.into_iter().filter(fits).collect();
    let Some(topic) = &query.topic else { return tasks };
    let named = matching::normal(topic.trim_start_matches(['#', '@']));
    let labelled = |task: &Task| {
        let project = task.project.as_ref().is_some_and(|name| matching::normal(name.as_str()) == named);
        project || task.tags.iter().any(|tag| matching::normal(tag.as_str()) == named)
    };
    if tasks.iter().any(labelled) {
        return tasks.into_iter().filter(labelled).collect();
    }
    let said = matching::stems(topic);
    let notes = |task: &Task| task.description.as_ref().map_or(String::new(), |notes| notes.as_str().to_owned());
    let mentions = |task: &Task| said.is_subset(&matching::stems(&format!("{} {}", task.title, notes(task))));
    tasks.into_iter().filter(|task| !said.is_empty() && mentions(task)).collect()
}

/// Number of tasks shown for a question about the first ones.
const FIRST: usize = 5;

/// Returns the call that answers a list query.
pub(in crate::llm::rules) fn list_call(query: &ListQuery) -> Call {
    let mut fields = Map::new();
    fields.insert("status".into(), json!(query.status.map_or("all", Status::as_str)));
    if let Some(words) = &query.words {
        fields.insert("query".into(), json!(searched(words)));
    }
    if let Some(due) = &query.due {
        fields.insert("due".into(), json!(due));
    }
    for (name, value) in [("due_from", &query.from), ("due_to", &query.to), ("completed", &query.completed)] {
        if let Some(value) = value {
            fields.insert(name.into(), json!(value));
        }
    }
    if query.first {
        fields.insert("order".into(), json!("urgency"));
        fields.insert("limit".into(), json!(FIRST));
    }
    // The tool has no such filter, so all open tasks are filtered afterwards.
    if query.topic.is_some() || query.repeats {
        fields.insert("limit".into(), json!(MOST_TOPIC));
    }
    if let Some(project) = &query.project {
        fields.insert("project".into(), json!(project));
    }
    if let Some(tag) = &query.tag {
        fields.insert("tag".into(), json!(tag));
    }
    if let Some(priority) = query.priority {
        fields.insert("priority".into(), json!(priority.as_str()));
    }
    call(ToolName::ListTasks, Value::Object(fields))
}
