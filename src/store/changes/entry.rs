//! A stored change with the data for undoing it.

use serde::{Deserialize, Serialize};

use crate::domain::id::{ActionId, ChangeId};
use crate::domain::task::{Change, Due, Task};
use crate::domain::time::{CivilDate, Timestamp};
use crate::store::Error;

/// A change with the data for undoing it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    #[serde(flatten)]
    pub change: Change,
    /// Time zone of the due time before the change; the task itself has only an offset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_after: Option<String>,
    /// Changes caused by this one and undone with it, e.g. the next occurrence of a recurring task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub brought: Vec<ChangeId>,
    /// Snooze time of the reminder, which undo restores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_off: Option<Timestamp>,
    /// The owner's bulk action that this change belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionId>,
}

impl Entry {
    /// Returns the entry without the task's texts, as shown after a purge.
    pub fn emptied(self) -> Self {
        let Change { before, after, .. } = &self.change;
        let change = Change { before: before.as_ref().map(Task::emptied), after: after.emptied(), ..self.change };
        let (brought, action) = (self.brought, self.action);
        Self { change, zone_before: None, zone_after: None, brought, put_off: None, action }
    }

    /// Returns the due date before the change.
    pub fn due_before(&self) -> Result<Option<Due>, Error> {
        let text = self.change.before.as_ref().and_then(|task| task.due.as_deref());
        due(text, self.zone_before.as_deref())
    }

    /// Returns the due date after the change.
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
