//! The rows that records vouch for: each column as the record's body says it, a row for every record and a record for every row,
//! and every task as its last change left it.

use std::collections::HashMap;

use serde_json::{Value, json};
use uuid::Uuid;

use super::findings::Findings;
use crate::domain::id::{TaskNumber, UserId};
use crate::store::chains::Link;
use crate::store::records::Kind;
use crate::store::tasks::Stored;
use crate::store::vouched::{self, Row, TABLES, Table};
use crate::store::{self, Tx};
use crate::usecases::Error;

/// Compares all rows, or one user's, once the chains were read.
pub async fn compare(tx: &mut Tx, owner: Option<UserId>, found: &mut Findings) -> Result<(), Error> {
    found.count_unnamed();
    for table in TABLES {
        let mut after = Uuid::nil();
        loop {
            let (rows, last) = vouched::rows(tx, table, owner, after).await?;
            let mut left = Left::default();
            for row in &rows {
                if let Some(body) = one(table, row, found) {
                    left.take(table, row, body);
                }
                if row.turn.is_none() {
                    found.broken(row.user, row.seq, table.kind.as_str(), "its turn is missing or somebody else's.");
                }
            }
            left.compare(tx, found).await?;
            let Some(last) = last else { break };
            after = last;
            tokio::task::yield_now().await;
        }
        for (user, missing) in found.unbalanced(table.kind) {
            let without = vouched::without_row(tx, table, user).await?;
            let seq = without.into_iter().find(|seq| found.replaced_by(user, *seq).is_none());
            let problem = match seq {
                Some(_) => format!("its row in {} is missing.", table.name),
                // One of them is not as its record says, which is the finding.
                None if found.is_broken(user) => continue,
                None => format!("{} has {} rows too many.", table.name, -missing),
            };
            found.broken(user, seq.unwrap_or(1), table.kind.as_str(), problem);
        }
    }
    for (user, seq) in found.approvals_left() {
        found.broken(user, seq, Kind::ApprovalVerdict.as_str(), "no row in approvals names it.");
    }
    for (user, seq) in vouched::decided_and_open(tx, owner).await? {
        found.broken(user, seq, Kind::Decision.as_str(), "its turn is open again.");
    }
    for (user, seq) in vouched::settled_by_nobody(tx, owner).await? {
        found.broken(user, seq, Kind::ApprovalRequest.as_str(), "it was settled without a recorded verdict.");
    }
    tasks(tx, owner, found).await
}

/// Compares the versions of all tasks, or of one user's, with the changes that led to them.
async fn tasks(tx: &mut Tx, owner: Option<UserId>, found: &mut Findings) -> Result<(), Error> {
    // A change that is missing or wrong leaves its task unaccounted for; the change is then the finding.
    for (user, number) in vouched::changed_by_nobody(tx, owner).await? {
        if !found.is_broken(user) {
            let seq = vouched::last_change(tx, user, number).await?.unwrap_or(1);
            found.broken(user, seq, Kind::Change.as_str(), format!("task #{number} changed without a record since."));
        }
    }
    for (user, number, seq) in vouched::purged_otherwise(tx, owner).await? {
        if !found.is_broken(user) {
            found.broken(user, seq, Kind::Change.as_str(), format!("task #{number} is not purged as was recorded."));
        }
    }
    for (user, seq) in vouched::changes_of_nothing(tx, owner).await? {
        if !found.is_broken(user) {
            found.broken(user, seq, Kind::Change.as_str(), "the task that it changed is missing.");
        }
    }
    Ok(())
}

/// Compares a row with its record; returns the body if it is there and says the same.
fn one(table: &Table, row: &Row, found: &mut Findings) -> Option<Value> {
    let kind = table.kind.as_str();
    if row.kind.as_deref() != Some(kind) {
        found.broken(row.user, row.seq, kind, format!("a row in {} names it, but it is no such record.", table.name));
        return None;
    }
    found.count(row.user, kind, -1);
    if let Some(last) = found.replaced_by(row.user, row.seq) {
        let problem = format!("a row in {} names record {}, which this one replaced.", table.name, row.seq);
        found.broken(row.user, last, kind, problem);
        return None;
    }
    if table.kind == Kind::ApprovalVerdict
        && let Some(id) = found.take_approval(row.user, row.seq)
        && row.cells.first() != Some(&Ok(id))
    {
        found.broken(row.user, row.seq, kind, "what it replaced was a verdict about another approval.");
    }
    if row.body.is_none() && row.turn.is_some() && !row.holds_what_it_said(table) {
        let problem = format!("its row in {} is not what it was when the text was erased.", table.name);
        found.broken(row.user, row.seq, kind, problem);
    }
    let body: Value = serde_json::from_str(row.body.as_deref()?).ok()?;
    for (column, cell) in table.columns.iter().zip(&row.cells) {
        let mut said = column.said(&body);
        if table.kind == Kind::ApprovalRequest && column.name == "expires_at" {
            said = found.extended(&body["approval_id"]).cloned().unwrap_or(said);
        }
        // The record that extended it may be the broken one.
        let settled = column.name == "expires_at" && found.is_broken(row.user);
        if cell.as_ref() != Ok(&said) && !settled {
            let problem = format!("{}.{} is not what was recorded.", table.name, column.name);
            found.broken(row.user, row.seq, kind, problem);
            return None;
        }
    }
    of_turn(table, row, &body, found);
    Some(body)
}

/// Compares the row's turn with what the body says of it.
fn of_turn(table: &Table, row: &Row, body: &Value, found: &mut Findings) {
    let Some(cells) = &row.turn else { return };
    if !table.tells_of_turn(body) {
        return;
    }
    if let Some((column, _)) = table.turn.iter().zip(cells).find(|(column, cell)| **cell != Ok(column.said(body))) {
        let problem = format!("turns.{} is not what was recorded.", column.name);
        found.broken(row.user, row.seq, table.kind.as_str(), problem);
    }
}

/// Compares tasks with what is recorded of them in the place of changes that were erased.
pub async fn standing(tx: &mut Tx, link: &Link, mut body: Value, found: &mut Findings) -> Result<(), Error> {
    if link.kind != Kind::Standing.as_str() {
        return Ok(());
    }
    let mut left = Left::default();
    for task in body["tasks"].as_array_mut().into_iter().flatten() {
        left.keep(link.user, link.seq, task.take());
    }
    left.compare(tx, found).await
}

/// Tasks as changes of a page left them, by owner and number; of several changes the last one.
#[derive(Default)]
struct Left(HashMap<UserId, HashMap<TaskNumber, (i64, Value)>>);

impl Left {
    fn take(&mut self, table: &Table, row: &Row, mut body: Value) {
        if table.kind == Kind::Change {
            self.keep(row.user, row.seq, body["after"].take());
        }
    }

    fn keep(&mut self, user: UserId, seq: i64, after: Value) {
        let Some(number) = after["task_id"].as_i64().map(TaskNumber) else { return };
        let tasks = self.0.entry(user).or_default();
        let known = tasks.get(&number).map_or(0, |(_, task)| task["version"].as_i64().unwrap_or_default());
        if after["version"].as_i64().unwrap_or_default() > known {
            tasks.insert(number, (seq, after));
        }
    }

    async fn compare(self, tx: &mut Tx, found: &mut Findings) -> Result<(), Error> {
        for (user, left) in self.0 {
            let numbers: Vec<TaskNumber> = left.keys().copied().collect();
            let tasks = match store::tasks::of_numbers(tx, user, &numbers).await {
                Ok(tasks) => tasks,
                Err(store::Error::Corrupt(_)) => readable(tx, user, &left, found).await?,
                Err(error) => return Err(error.into()),
            };
            for task in tasks {
                let Some((seq, after)) = left.get(&task.task.task_id) else { continue };
                // At another version it is compared with another change.
                if after["version"].as_i64() == Some(task.task.version)
                    && let Some(field) = differs(after, &json!(task.task))
                {
                    let problem = format!("{field} of task #{} is not what was recorded.", task.task.task_id);
                    found.broken(user, *seq, Kind::Change.as_str(), problem);
                }
            }
        }
        Ok(())
    }
}

/// The tasks that can be read, one by one; the others are noted.
async fn readable(
    tx: &mut Tx,
    user: UserId,
    left: &HashMap<TaskNumber, (i64, Value)>,
    found: &mut Findings,
) -> Result<Vec<Stored>, Error> {
    let mut readable = vec![];
    for (number, (seq, _)) in left {
        match store::tasks::of_numbers(tx, user, &[*number]).await {
            Ok(task) => readable.extend(task),
            Err(store::Error::Corrupt(_)) => {
                found.broken(user, *seq, Kind::Change.as_str(), format!("task #{number} cannot be read any more."));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(readable)
}

/// The first field that the two have otherwise.
fn differs<'a>(one: &'a Value, other: &Value) -> Option<&'a str> {
    let fields = one.as_object()?;
    fields.iter().find(|(name, value)| other[name.as_str()] != **value).map(|(name, _)| name.as_str())
}
