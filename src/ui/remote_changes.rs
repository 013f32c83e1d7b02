//! Changes made elsewhere: by an agent, or by the same user in another tab. A row shows for a moment who made them.

use std::time::Duration;

use leptos::prelude::*;
use serde_json::Value;

use crate::api::ApiError;
use crate::domain::id::TaskNumber;
use crate::domain::task::Actor;
use crate::messages::{chat, tasks as messages};

/// Time that a row shows a change.
const STAY: Duration = Duration::from_secs(4);
/// Number of this page's own changes to remember.
const KNOWN: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub task: TaskNumber,
    pub actor: Actor,
    /// Display name of the actor.
    pub who: String,
    /// Timestamp of the change; all changes of one form share it.
    at: String,
}

/// Recent changes for the rows to show.
#[derive(Clone, Copy)]
pub struct RemoteChanges {
    seen: RwSignal<Vec<Change>>,
    /// The user's changes received while a form of this page was in flight: the form may have made them.
    held: StoredValue<Vec<Change>>,
    /// Number of forms in flight.
    sent: StoredValue<u32>,
    /// Timestamps of this page's own changes.
    own: StoredValue<Vec<String>>,
}

impl RemoteChanges {
    pub fn empty() -> Self {
        Self {
            seen: RwSignal::new(vec![]),
            held: StoredValue::new(vec![]),
            sent: StoredValue::new(0),
            own: StoredValue::new(vec![]),
        }
    }

    /// Returns the last change of a task that its row still shows.
    pub fn of(self, task: TaskNumber) -> Option<Change> {
        self.seen.with(|seen| seen.iter().rev().find(|change| change.task == task).cloned())
    }

    /// Registers a form that is being sent.
    pub fn begin(self) {
        self.sent.update_value(|sent| *sent += 1);
    }

    /// Registers the answer to a form, whose changes are not shown here.
    pub fn end(self, answer: &Result<Value, ApiError>) {
        let told = self.own.try_update_value(|own| {
            let before = own.len();
            if let Ok(answer) = answer {
                moments(answer, own);
            }
            let told = own.len() > before;
            drop(own.drain(..own.len().saturating_sub(KNOWN)));
            told
        });
        // The page may be gone when the answer arrives.
        let Some(told) = told else { return };
        self.sent.update_value(|sent| *sent = sent.saturating_sub(1));
        if self.sent.try_get_value() == Some(0) {
            let held = self.held.try_update_value(std::mem::take).unwrap_or_default();
            // An answer without tasks does not identify its own changes.
            let others = held.into_iter().filter(|_| told || answer.is_err());
            others.for_each(|change| self.hear_of(change));
        }
    }

    /// Handles a `task.changed` event.
    pub fn hear(self, data: &Value) {
        let Some(change) = read(data) else { return };
        let Some(sent) = self.sent.try_get_value() else { return };
        if change.actor == Actor::User && sent > 0 {
            self.held.update_value(|held| held.push(change));
        } else {
            self.hear_of(change);
        }
    }

    fn hear_of(self, change: Change) {
        // The page is gone, or it made the change itself.
        if self.own.try_with_value(|own| own.contains(&change.at)) != Some(false) {
            return;
        }
        let (task, at) = (change.task, change.at.clone());
        self.seen.update(|seen| seen.push(change));
        let over = move || {
            self.seen.try_update(|seen| seen.retain(|it| it.task != task || it.at != at));
        };
        set_timeout(over, STAY);
    }
}

/// Parses an event's task, actor and timestamp; `None` for changes by the system.
fn read(data: &Value) -> Option<Change> {
    let (actor, who) = match data["actor"].as_str()? {
        "user" => (Actor::User, messages::YOU_ELSEWHERE),
        "agent" => (Actor::Agent, chat::DOCKET),
        "external" => (Actor::External, data["agent"].as_str().unwrap_or(messages::AN_OUTSIDE_AGENT)),
        _ => return None,
    };
    let (task, at) = (data["task"]["task_id"].as_i64()?, data["task"]["updated_at"].as_str()?);
    Some(Change { task: TaskNumber(task), actor, who: who.to_owned(), at: at.to_owned() })
}

/// Collects the `updated_at` timestamps of an answer, at any depth.
fn moments(answer: &Value, found: &mut Vec<String>) {
    match answer {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str().filter(|_| name == "updated_at") {
                    Some(at) => found.push(at.to_owned()),
                    None => moments(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| moments(item, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_says_who_it_was() {
        let told = |actor: &str, agent: Option<&str>| {
            let task = json!({"task_id": 7, "updated_at": "2026-03-11T09:30:00Z"});
            read(&json!({"task": task, "actor": actor, "agent": agent})).map(|change| change.who)
        };
        assert_eq!(told("user", None).as_deref(), Some("you, elsewhere"));
        assert_eq!(told("agent", None).as_deref(), Some("Docket"));
        assert_eq!(told("external", Some("Planner")).as_deref(), Some("Planner"));
        assert_eq!(told("external", None).as_deref(), Some("an outside agent"));
        assert_eq!(told("system", None), None);
    }

    #[test]
    fn remote_change_after_page_disposal_is_ignored() {
        let owner = Owner::new();
        let elsewhere = owner.with(RemoteChanges::empty);
        elsewhere.begin();
        owner.cleanup();
        let task = json!({"task_id": 7, "updated_at": "2026-03-11T09:30:00Z"});
        elsewhere.hear(&json!({"task": task, "actor": "user"}));
        elsewhere.end(&Ok(task));
        elsewhere.hear(&json!({"task": {"task_id": 7, "updated_at": "b"}, "actor": "agent"}));
    }

    #[test]
    fn the_moments_of_an_answer_are_found_wherever_they_stand() {
        let mut found = vec![];
        moments(
            &json!({"updated_at": "a", "tasks": [{"updated_at": "b"}, {"task": {"updated_at": "c"}}], "done": "d"}),
            &mut found,
        );
        found.sort();
        assert_eq!(found, ["a", "b", "c"]);
    }
}
