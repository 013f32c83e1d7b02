//! Changes of a task, compared with each other: each begins with the state that the change before it left. A difference means that the
//! task was edited by hand between the two.

use std::collections::HashMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::findings::Findings;
use crate::domain::task::Operation;
use crate::domain::time::Timestamp;
use crate::store::chains::Link;
use crate::store::records::Kind;

/// Version and digest of each task's state after its last change, by task number.
#[derive(Debug, Default)]
pub struct Succession(HashMap<i64, (i64, [u8; 32])>);

impl Succession {
    /// Compares a change with the one before it. After an erased change there is nothing to compare, and a purge clears both states.
    pub fn take(&mut self, link: &Link, body: &Value, found: &mut Findings) {
        let (before, after) = (&body["before"], &body["after"]);
        let Some((number, version)) = after["task_id"].as_i64().zip(after["version"].as_i64()) else { return };
        if link.kind != Kind::Change.as_str() {
            return;
        }
        let earlier = self.0.insert(number, (version, digest(after)));
        let differs = |(version, left): (i64, [u8; 32])| before["version"] == version && digest(before) != left;
        if body["operation"] != Operation::Purge.as_str() && earlier.is_some_and(differs) {
            let problem = format!("task #{number} was edited without a record before this change.");
            found.broken(link.user, link.seq, &link.kind, problem);
        }
    }
}

/// Returns the digest of a task's fields. Times count as instants, since their offset depends on the time zone rules.
fn digest(task: &Value) -> [u8; 32] {
    let due =
        task["due"].as_str().map(|due| Timestamp::parse(due).map_or_else(|_| due.to_owned(), |at| at.to_string()));
    let fields =
        ["title", "description", "status", "priority", "project", "tags", "recurrence"].map(|name| &task[name]);
    let state = json!([fields, due, task["deleted_at"].is_null()]);
    Sha256::digest(state.to_string()).into()
}
