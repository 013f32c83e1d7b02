//! Effects of a turn: the difference between the task tables before and after it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::Error;
use crate::domain::id::TaskNumber;
use crate::domain::task::{Filter, Status, Task};
use crate::domain::user::Caller;
use crate::state::AppState;
use crate::usecases::tasks;

/// All tasks of a user by number, including the bin.
pub type Table = BTreeMap<TaskNumber, Task>;

pub async fn table(state: &AppState, caller: &Caller) -> Result<Table, Error> {
    let mut table = Table::new();
    for binned in [false, true] {
        let filter = Filter { binned, ..Filter::default() };
        let mut cursor: Option<String> = None;
        loop {
            let page = tasks::list(&state.ctx, caller, &filter, cursor.as_deref(), 200).await?;
            table.extend(page.tasks.into_iter().map(|task| (task.task_id, task)));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
    }
    Ok(table)
}

/// Returns the changes between two tables. `name` returns a task's name in predictions.
pub fn between(before: &Table, after: &Table, name: impl Fn(TaskNumber) -> Value) -> Vec<Value> {
    let mut effects = vec![];
    for (number, task) in after {
        let mut effect = |op: &str, fields: Value| {
            let mut effect = json!({ "op": op, "task_id": name(*number) });
            effect.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
            effects.push(effect);
        };
        let Some(was) = before.get(number) else {
            effect("add", json!({ "title": task.title }));
            continue;
        };
        if was.deleted_at.is_none() && task.deleted_at.is_some() {
            effect("delete", json!({}));
            continue;
        }
        match (was.status, task.status) {
            (Status::Pending, Status::Completed) => effect("complete", json!({})),
            (Status::Completed, Status::Pending) => effect("reopen", json!({})),
            _ => {}
        }
        let mut fields = json!({});
        if was.title != task.title {
            fields["title"] = json!(task.title);
        }
        if was.description != task.description {
            fields["description"] = json!(task.description);
        }
        let other = (&was.due, was.priority, &was.project, &was.tags, &was.recurrence)
            != (&task.due, task.priority, &task.project, &task.tags, &task.recurrence);
        if other || fields != json!({}) {
            effect("update", fields);
        }
    }
    effects
}
