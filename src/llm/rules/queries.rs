//! The calls with which tasks are looked up.

use serde_json::{Map, Value, json};

use super::intent::{ListQuery, Part, Scope};
use super::matching;
use super::resolve::call;
use crate::domain::task::Status;
use crate::domain::tool::{Call, ToolName};

/// By the words of a description, in any status.
pub(super) fn query_call(text: &str) -> Call {
    call(ToolName::ListTasks, json!({ "status": "all", "query": matching::query(text), "limit": 50 }))
}

/// By what many tasks have in common.
pub(super) fn bulk_call(scope: &Scope, part: &Part) -> Call {
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
    fields.insert("limit".into(), json!(100));
    call(ToolName::ListTasks, Value::Object(fields))
}

/// By what a question asks for.
pub(super) fn list_call(query: &ListQuery) -> Call {
    let mut fields = Map::new();
    fields.insert("status".into(), json!(query.status.map_or("all", Status::as_str)));
    if let Some(words) = &query.words {
        fields.insert("query".into(), json!(matching::query(words)));
    }
    if let Some(due) = &query.due {
        fields.insert("due".into(), json!(due));
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
