//! Tasks as their last changes left them: each column of a task's row follows from its last change, or from a record of kind `standing`
//! once that change is erased.

use std::collections::HashMap;

use serde_json::Value;

use super::findings::Findings;
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::task::Operation;
use crate::store::Tx;
use crate::store::chains::Link;
use crate::store::records::Kind;
use crate::store::vouched::{self, StatedTask};
use crate::usecases::Error;

/// Compares what no single change tells: the versions of all tasks, or of one user's, and which of them are gone.
pub async fn compare(tx: &mut Tx, owner: Option<UserId>, found: &mut Findings) -> Result<(), Error> {
    let kind = Kind::Change.as_str();
    // A change that is missing or wrong leaves its task unaccounted for; the change is then the finding.
    for (user, number) in vouched::changed_by_nobody(tx, owner).await? {
        if !found.is_broken(user) {
            let seq = vouched::last_change(tx, user, number).await?.unwrap_or(1);
            found.broken(user, seq, kind, format!("task #{number} changed without a record since."));
        }
    }
    for (user, number, seq) in vouched::changed_by_erased(tx, owner).await? {
        if !found.stands(user, number) && !found.is_broken(user) {
            found.broken(user, seq, kind, format!("no record states what the erased change left of task #{number}."));
        }
    }
    for (user, number, seq) in vouched::purged_otherwise(tx, owner).await? {
        if !found.is_broken(user) {
            found.broken(user, seq, kind, format!("task #{number} is not purged as was recorded."));
        }
    }
    for (user, number) in vouched::unsearchable(tx, owner).await? {
        if !found.is_broken(user) {
            let seq = vouched::last_change(tx, user, number).await?.unwrap_or(1);
            found.broken(user, seq, kind, format!("searches do not find task #{number} by its words."));
        }
    }
    for (user, seq) in vouched::changes_of_nothing(tx, owner).await? {
        if !found.is_broken(user) {
            found.broken(user, seq, kind, "the task that it changed is missing.");
        }
    }
    Ok(())
}

/// Compares tasks with what is recorded of them in the place of changes that were erased.
pub async fn standing(tx: &mut Tx, link: &Link, mut body: Value, found: &mut Findings) -> Result<(), Error> {
    if link.kind != Kind::Standing.as_str() {
        return Ok(());
    }
    let zones = body["zones"].take();
    let mut left = Left::default();
    for task in body["tasks"].as_array_mut().into_iter().flatten() {
        let zone = zones[task["task_id"].to_string()].as_str().map(str::to_owned);
        left.keep(link.user, link.seq, StatedTask { task: task.take(), zone, is_purged: false });
    }
    for (user, number) in left.compare(tx, found).await? {
        found.stand(user, number);
    }
    Ok(())
}

/// Tasks as changes of a page left them, by owner and number; of several changes the last one.
#[derive(Default)]
pub struct Left(HashMap<UserId, HashMap<TaskNumber, (i64, StatedTask)>>);

impl Left {
    /// Takes the body of a change.
    pub fn take(&mut self, user: UserId, seq: i64, mut body: Value) {
        let is_purged = body["operation"] == Operation::Purge.as_str();
        let zone = body["zone_after"].as_str().map(str::to_owned);
        self.keep(user, seq, StatedTask { task: body["after"].take(), zone, is_purged });
    }

    fn keep(&mut self, user: UserId, seq: i64, task: StatedTask) {
        let Some(number) = task.number() else { return };
        let tasks = self.0.entry(user).or_default();
        if tasks.get(&number).is_none_or(|(_, known)| task.version() > known.version()) {
            tasks.insert(number, (seq, task));
        }
    }

    /// Compares the rows of those tasks that are at the version of their last change of the page. [`compare`] finds a task that is not
    /// at the version of its last change of all. Returns the tasks that were compared.
    pub async fn compare(self, tx: &mut Tx, found: &mut Findings) -> Result<Vec<(UserId, TaskNumber)>, Error> {
        let mut compared = vec![];
        for (user, left) in self.0 {
            let numbers: Vec<TaskNumber> = left.keys().copied().collect();
            for row in vouched::task_rows(tx, user, &numbers).await? {
                let Some((seq, stated)) = left.get(&row.number).filter(|(_, stated)| row.is_at(stated.version()))
                else {
                    continue;
                };
                compared.push((user, row.number));
                // `purged_otherwise` finds the others.
                if row.is_purged == stated.is_purged
                    && let Some(field) = row.differs(stated)
                {
                    let problem = if stated.is_purged {
                        format!("task #{} is not purged as was recorded.", row.number)
                    } else {
                        format!("{field} of task #{} is not what was recorded.", row.number)
                    };
                    found.broken(user, *seq, Kind::Change.as_str(), problem);
                }
            }
        }
        Ok(compared)
    }
}
