//! Tasks, compared with their last changes: each column follows from the last change, or from a record of kind `standing` if that change is
//! erased.

use std::collections::HashMap;

use serde_json::Value;

use super::findings::Findings;
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::task::Operation;
use crate::store::Tx;
use crate::store::audited_columns::{self, StatedTask};
use crate::store::chains::Link;
use crate::store::records::Kind;
use crate::usecases::Error;

/// Compares versions and purges of all tasks, or of one user's.
pub async fn compare(tx: &mut Tx, owner: Option<UserId>, found: &mut Findings) -> Result<(), Error> {
    let kind = Kind::Change.as_str();
    // A missing or wrong change leaves its task unexplained; the change is the finding.
    for (user, number) in audited_columns::changed_by_nobody(tx, owner).await? {
        if !found.is_broken(user) {
            let seq = audited_columns::last_change(tx, user, number).await?.unwrap_or(1);
            found.broken(user, seq, kind, format!("task #{number} has later changes without a record."));
        }
    }
    for (user, number, seq) in audited_columns::out_of_order(tx, owner).await? {
        if !found.is_broken(user) {
            found.broken(user, seq, kind, format!("task #{number} was edited without a record before this change."));
        }
    }
    for (user, number, seq) in audited_columns::changed_by_erased(tx, owner).await? {
        if !found.stands(user, number) && !found.is_broken(user) {
            found.broken(user, seq, kind, format!("no record contains task #{number} as the erased change left it."));
        }
    }
    for (user, number, seq) in audited_columns::purged_otherwise(tx, owner).await? {
        if !found.is_broken(user) {
            found.broken(user, seq, kind, format!("task #{number} was not purged as recorded."));
        }
    }
    for (user, number) in audited_columns::unsearchable(tx, owner).await? {
        if !found.is_broken(user) {
            let seq = audited_columns::last_change(tx, user, number).await?.unwrap_or(1);
            found.broken(user, seq, kind, format!("the search index does not match task #{number}."));
        }
    }
    for (user, seq) in audited_columns::changes_of_nothing(tx, owner).await? {
        if !found.is_broken(user) {
            found.broken(user, seq, kind, "the task that it changed is missing.");
        }
    }
    Ok(())
}

/// Compares tasks with a record of their state that replaces erased changes.
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

/// States of tasks after a page of changes, by owner and number; the last change wins.
#[derive(Default)]
pub struct Left(HashMap<UserId, HashMap<TaskNumber, (i64, StatedTask)>>);

impl Left {
    /// Applies the body of a change.
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

    /// Compares tasks that are at the version of the page's last change and returns them. [`compare`] reports tasks at other versions.
    pub async fn compare(self, tx: &mut Tx, found: &mut Findings) -> Result<Vec<(UserId, TaskNumber)>, Error> {
        let mut compared = vec![];
        for (user, left) in self.0 {
            let numbers: Vec<TaskNumber> = left.keys().copied().collect();
            for row in audited_columns::task_rows(tx, user, &numbers).await? {
                let Some((seq, stated)) = left.get(&row.number).filter(|(_, stated)| row.is_at(stated.version()))
                else {
                    continue;
                };
                compared.push((user, row.number));
                // `purged_otherwise` reports the others.
                if row.is_purged == stated.is_purged
                    && let Some(field) = row.differs(stated)
                {
                    let problem = if stated.is_purged {
                        format!("task #{} was not purged as recorded.", row.number)
                    } else {
                        format!("{field} of task #{} does not match the record.", row.number)
                    };
                    found.broken(user, *seq, Kind::Change.as_str(), problem);
                }
            }
        }
        Ok(compared)
    }
}
