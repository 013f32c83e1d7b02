//! A change with what undoing it needs.

use serde::{Deserialize, Serialize};

use crate::domain::id::{ActionId, ChangeId};
use crate::domain::task::{Change, Due, Task};
use crate::domain::time::{CivilDate, Timestamp};
use crate::store::Error;

/// A change with what undoing it needs beside the two states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    #[serde(flatten)]
    pub change: Change,
    /// The zone in which the due time before was meant; the task itself tells the offset only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_after: Option<String>,
    /// Changes that came of this one and are taken back with it, e.g. the next occurrence of a recurring task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub brought: Vec<ChangeId>,
    /// What its owner did at once by hand, of which it is a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionId>,
}

impl Entry {
    /// Without what the task said, as it is told once the task was purged.
    pub fn emptied(self) -> Self {
        let Change { before, after, .. } = &self.change;
        let change = Change { before: before.as_ref().map(Task::emptied), after: after.emptied(), ..self.change };
        Self { change, zone_before: None, zone_after: None, brought: self.brought, action: self.action }
    }

    /// The due date before, with its zone.
    pub fn due_before(&self) -> Result<Option<Due>, Error> {
        let text = self.change.before.as_ref().and_then(|task| task.due.as_deref());
        due(text, self.zone_before.as_deref())
    }

    /// The due date after, with its zone.
    pub fn due_after(&self) -> Result<Option<Due>, Error> {
        due(self.change.after.due.as_deref(), self.zone_after.as_deref())
    }
}

fn due(text: Option<&str>, zone: Option<&str>) -> Result<Option<Due>, Error> {
    let corrupt = || Error::Corrupt("a change with a bad due date".into());
    match (text, zone) {
        (None, _) => Ok(None),
        (Some(date), None) => Ok(Some(Due::Date(CivilDate::parse(date).map_err(|_| corrupt())?))),
        (Some(time), Some(zone)) => {
            let at = Timestamp::parse(time).map_err(|_| corrupt())?;
            Due::at(at, zone).map(Some).ok_or_else(corrupt)
        }
    }
}
