//! Changes of a task, compared with each other: each begins with the state that the change before it left. A difference means that the
//! task was edited by hand between the two.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::findings::Findings;
use crate::domain::task::Operation;
use crate::domain::time::Timestamp;
use crate::store::chains::Link;
use crate::store::records::Kind;

/// Fields that a purge keeps.
const KEPT: [&str; 7] = ["task_id", "status", "version", "created_at", "updated_at", "completed_at", "deleted_at"];

/// States of a chain's tasks after the changes so far.
#[derive(Debug, Default)]
pub struct Succession {
    left: HashMap<i64, State>,
    /// Number of changes whose text is erased. Each may have changed any task.
    erased: u64,
}

/// State of a task, as digests.
#[derive(Debug, PartialEq, Eq)]
struct State {
    whole: [u8; 32],
    /// Of the fields that a purge keeps.
    kept: [u8; 32],
    /// Time zone of the due time; `None` also for older records.
    zone: Option<String>,
    version: u64,
    /// Number of erased changes before it.
    erased: u64,
}

impl Succession {
    /// Notes a change whose text is erased.
    pub fn skip(&mut self, link: &Link) {
        self.erased += u64::from(link.kind == Kind::Change.as_str());
    }

    /// Compares a change with the one before it.
    pub fn take(&mut self, link: &Link, body: &Value, found: &mut Findings) {
        match Kind::parse(&link.kind) {
            Some(Kind::Change) => self.change(link, body, found),
            Some(Kind::Standing) => {
                for task in body["tasks"].as_array().into_iter().flatten() {
                    if let Some(number) = task["task_id"].as_i64() {
                        self.left.insert(number, self.state(task, &body["zones"][number.to_string()]));
                    }
                }
            }
            _ => {}
        }
    }

    fn change(&mut self, link: &Link, body: &Value, found: &mut Findings) {
        let (before, after) = (&body["before"], &body["after"]);
        let Some(number) = after["task_id"].as_i64() else { return };
        let earlier = self.left.insert(number, self.state(after, &body["zone_after"]));
        let is_purge = body["operation"] == Operation::Purge.as_str();
        let follows = match (earlier, before.is_null()) {
            (None, true) => true,
            // All changes before it are erased, each at a version.
            (None, false) => (1..=self.erased).contains(&version_of(before)),
            (Some(_), true) => false,
            (Some(earlier), false) => earlier.continues(&self.state(before, &body["zone_before"]), is_purge),
        };
        if !follows {
            let problem = format!("task #{number} was edited without a record before this change.");
            found.broken(link.user, link.seq, &link.kind, problem);
        }
    }

    fn state(&self, task: &Value, zone: &Value) -> State {
        let known = |(name, value): (&String, &Value)| (!value.is_null()).then(|| (name.clone(), value.clone()));
        let mut fields: Map<String, Value> = task.as_object().into_iter().flatten().filter_map(known).collect();
        // Times count as instants, since their offset depends on the time zone rules.
        if let Some(due) = fields.get("due").and_then(Value::as_str).and_then(|due| Timestamp::parse(due).ok()) {
            fields.insert("due".to_owned(), json!(due));
        }
        let digest = |value: Value| Sha256::digest(value.to_string()).into();
        let kept = KEPT.map(|name| fields.get(name).cloned());
        State {
            kept: digest(json!(kept)),
            whole: digest(Value::Object(fields)),
            zone: zone.as_str().map(str::to_owned),
            version: version_of(task),
            erased: self.erased,
        }
    }
}

/// Returns the version of a task; 0 if it is not a positive integer.
fn version_of(task: &Value) -> u64 {
    task["version"].as_u64().unwrap_or_default()
}

impl State {
    /// Returns true if a change may begin with `next`: the same state, or a later version after erased changes. A purge states only
    /// the fields that it keeps.
    fn continues(&self, next: &Self, is_purge: bool) -> bool {
        // Each change raises the version by one.
        let between = next.version.saturating_sub(self.version);
        if (1..=next.erased - self.erased).contains(&between) {
            return true;
        }
        let in_zone = self.zone.is_none() || next.zone.is_none() || self.zone == next.zone;
        self.kept == next.kept && (is_purge || self.whole == next.whole && in_zone)
    }
}
