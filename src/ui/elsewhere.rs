//! Changes that were made elsewhere: by an agent, or by the same person in another tab. A row says for a moment who it was.

use std::time::Duration;

use leptos::prelude::*;
use serde_json::Value;

use crate::api::ApiError;
use crate::domain::id::TaskNumber;
use crate::domain::task::Actor;
use crate::words::{chat, tasks as words};

/// How long a row says it.
const STAY: Duration = Duration::from_secs(4);
/// How many of this page's own changes are known.
const KNOWN: usize = 200;

/// A change of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub task: TaskNumber,
    pub actor: Actor,
    /// Who made it, in words.
    pub who: String,
    /// When: what one form did and what came of it share the moment.
    at: String,
}

/// What rows are to say.
#[derive(Clone, Copy)]
pub struct Elsewhere {
    seen: RwSignal<Vec<Change>>,
    /// The person's own ones that were heard while a form of this page was on its way: they may be of that.
    held: StoredValue<Vec<Change>>,
    /// How many forms are on their way.
    sent: StoredValue<u32>,
    /// When this page's own changes were made.
    own: StoredValue<Vec<String>>,
}

impl Elsewhere {
    /// Nothing to say yet.
    pub fn empty() -> Self {
        Self {
            seen: RwSignal::new(vec![]),
            held: StoredValue::new(vec![]),
            sent: StoredValue::new(0),
            own: StoredValue::new(vec![]),
        }
    }

    /// The last change of a task that its row still tells of.
    pub fn of(self, task: TaskNumber) -> Option<Change> {
        self.seen.with(|seen| seen.iter().rev().find(|change| change.task == task).cloned())
    }

    /// A form of this page goes out.
    pub fn begin(self) {
        self.sent.update_value(|sent| *sent += 1);
    }

    /// Its answer is there: what it did is no news here.
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
        // The page may be gone when the answer comes.
        let Some(told) = told else { return };
        self.sent.update_value(|sent| *sent = sent.saturating_sub(1));
        if self.sent.try_get_value() == Some(0) {
            let held = self.held.try_update_value(std::mem::take).unwrap_or_default();
            // An answer without tasks does not say which of the changes were its own.
            let others = held.into_iter().filter(|_| told || answer.is_err());
            others.for_each(|change| self.hear_of(change));
        }
    }

    /// Takes in an event about a task.
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
        // Nobody looks any more, or it is known here.
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

/// An event's task, actor and moment; none of what the system does by itself.
fn read(data: &Value) -> Option<Change> {
    let (actor, who) = match data["actor"].as_str()? {
        "user" => (Actor::User, words::YOU_ELSEWHERE),
        "agent" => (Actor::Agent, chat::DOCKET),
        "external" => (Actor::External, data["agent"].as_str().unwrap_or(words::AN_OUTSIDE_AGENT)),
        _ => return None,
    };
    let (task, at) = (data["task"]["task_id"].as_i64()?, data["task"]["updated_at"].as_str()?);
    Some(Change { task: TaskNumber(task), actor, who: who.to_owned(), at: at.to_owned() })
}

/// When the tasks of an answer were changed last.
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
        assert_eq!(told("user", None).as_deref(), Some("you elsewhere"));
        assert_eq!(told("agent", None).as_deref(), Some("Docket"));
        assert_eq!(told("external", Some("Planner")).as_deref(), Some("Planner"));
        assert_eq!(told("external", None).as_deref(), Some("an outside agent"));
        assert_eq!(told("system", None), None);
    }

    #[test]
    fn what_is_heard_once_the_page_is_gone_is_let_go() {
        let owner = Owner::new();
        let elsewhere = owner.with(Elsewhere::empty);
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
