//! Audited rows, compared with their records: every column, a row for every record and a record for every row.

use serde_json::Value;
use uuid::Uuid;

use super::derived;
use super::findings::Findings;
use super::tasks::{self, Left};
use crate::domain::id::UserId;
use crate::store::Tx;
use crate::store::audited_columns::{self, Cell, Column, Row, TABLES, Table};
use crate::store::records::Kind;
use crate::usecases::Error;

/// Compares all rows, or one user's. Requires the chains to be read.
pub async fn compare(tx: &mut Tx, owner: Option<UserId>, found: &mut Findings) -> Result<(), Error> {
    found.count_unnamed();
    for table in TABLES {
        let mut after = None::<Uuid>;
        loop {
            let (rows, last) = audited_columns::rows(tx, table, owner, after).await?;
            let mut left = Left::default();
            for row in &rows {
                if let Some(body) = one(table, row, found)
                    && table.kind == Kind::Change
                {
                    left.take(row.user, row.seq, body);
                }
                if row.turn.is_none() {
                    found.broken(
                        row.user,
                        row.seq,
                        table.kind.as_str(),
                        "its turn is missing or belongs to another user.",
                    );
                }
            }
            left.compare(tx, found).await?;
            if last.is_none() {
                break;
            }
            after = last;
            tokio::task::yield_now().await;
        }
        for user in audited_columns::unrecorded(tx, table, owner).await? {
            found.broken(user, 0, table.kind.as_str(), format!("a row in {} refers to no record.", table.name));
        }
        for (user, missing) in found.balances(table.kind) {
            let without = audited_columns::without_row(tx, table, user).await?;
            let seq = without.into_iter().find(|seq| found.replaced_by(user, *seq).is_none());
            let problem = match seq {
                Some(_) => format!("its row in {} is missing.", table.name),
                None if missing == 0 => continue,
                // One of the rows differs from its record, which is the finding.
                None if found.is_broken(user) => continue,
                None => format!("{} has {} rows too many.", table.name, -missing),
            };
            found.broken(user, seq.unwrap_or(1), table.kind.as_str(), problem);
        }
    }
    for (user, seq) in found.approvals_left() {
        found.broken(user, seq, Kind::ApprovalVerdict.as_str(), "no row in approvals refers to it.");
    }
    for (user, seq) in audited_columns::decided_and_open(tx, owner).await? {
        found.broken(user, seq, Kind::Decision.as_str(), "its turn is open again.");
    }
    for (user, seq) in audited_columns::settled_by_nobody(tx, owner).await? {
        found.broken(user, seq, Kind::ApprovalRequest.as_str(), "it was decided without a recorded verdict.");
    }
    derived::compare(tx, owner, found).await?;
    tasks::compare(tx, owner, found).await
}

/// Compares a row with its record; returns the record's body if both agree.
fn one(table: &Table, row: &Row, found: &mut Findings) -> Option<Value> {
    let kind = table.kind.as_str();
    if row.kind.as_deref() != Some(kind) {
        found.broken(
            row.user,
            row.seq,
            kind,
            format!("a row in {} refers to it, but it is a record of another kind.", table.name),
        );
        return None;
    }
    found.count(row.user, kind, -1);
    if let Some(last) = found.replaced_by(row.user, row.seq) {
        let problem = format!("a row in {} refers to record {}, which this one replaced.", table.name, row.seq);
        found.broken(row.user, last, kind, problem);
        return None;
    }
    if table.kind == Kind::ApprovalVerdict
        && let Some(id) = found.take_approval(row.user, row.seq)
        && row.cells.first() != Some(&Ok(id))
    {
        found.broken(row.user, row.seq, kind, "it replaced a verdict on another approval.");
    }
    if row.body.is_none() && row.turn.is_some() && !row.holds_what_it_said(table) {
        let problem = format!("its row in {} changed after the text was erased.", table.name);
        found.broken(row.user, row.seq, kind, problem);
    }
    let body: Value = serde_json::from_str(row.body.as_deref()?).ok()?;
    for (column, cell) in table.columns.iter().zip(&row.cells) {
        let mut said = column.said(&body);
        if table.kind == Kind::ApprovalRequest && column.name == "expires_at" {
            said = found.extended(&body["approval_id"]).cloned().unwrap_or(said);
        }
        // The record of an extension may be the broken one.
        let settled = column.name == "expires_at" && found.is_broken(row.user) || !column.is_stated(&body);
        if cell.as_ref() != Ok(&said) && !settled {
            let problem = format!("{}.{} does not match the record.", table.name, column.name);
            found.broken(row.user, row.seq, kind, problem);
            return None;
        }
    }
    of_turn(table, row, &body, found);
    Some(body)
}

/// Compares the row's turn with the record's body.
fn of_turn(table: &Table, row: &Row, body: &Value, found: &mut Findings) {
    let Some(cells) = &row.turn else { return };
    if !table.tells_of_turn(body) {
        return;
    }
    let unlike = |(column, cell): &(&Column, &Cell)| column.is_stated(body) && **cell != Ok(column.said(body));
    if let Some((column, _)) = table.turn.iter().zip(cells).find(unlike) {
        let problem = format!("turns.{} does not match the record.", column.name);
        found.broken(row.user, row.seq, table.kind.as_str(), problem);
    }
}
