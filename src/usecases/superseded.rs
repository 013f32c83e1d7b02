//! Verdicts superseded by a later verdict of their approval. An approval that was approved and then became void has two verdict
//! records, but one row, which belongs to the later record. Verification reads that from the later record's body, or from the record of its
//! erasure. An amendment states it for erasures by older versions.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Error;
use crate::domain::approval::{ApprovalStatus, DecidedVia};
use crate::domain::id::{ApprovalId, UserId};
use crate::store::audited_columns::{self, Table};
use crate::store::chains::{self, Link};
use crate::store::records::Kind;
use crate::store::{self, Tx};

/// A superseded verdict as a record states it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Superseded {
    /// Number of the verdict's record.
    pub seq: i64,
    /// Number of the record of the approval's last verdict.
    pub by: i64,
    /// Values of the row's columns in the verdict, the approval's id first. Contains no text written by a person.
    pub columns: Vec<Value>,
}

/// Returns the superseded verdicts that a record states; only erasures and amendments state any.
pub fn stated(kind: &str, body: &Value) -> Vec<Superseded> {
    if ![Kind::Erasure, Kind::Amendment].iter().any(|states| states.as_str() == kind) {
        return vec![];
    }
    serde_json::from_value(body["superseded"].clone()).unwrap_or_default()
}

/// Returns the superseded verdicts that cannot be proven any more once the bodies of these verdicts are erased.
pub async fn by_erasing(tx: &mut Tx, user: UserId, verdicts: &[(i64, Value)]) -> Result<Vec<Superseded>, Error> {
    let mut superseded: Vec<Superseded> = vec![];
    for (seq, body) in verdicts {
        let Some(id) = approval_of(body) else { continue };
        let Some(by) = store::approvals::last_verdict(tx, user, id).await? else { continue };
        if by != *seq {
            superseded.push(Superseded { seq: *seq, by, columns: table().cells(body) });
        }
        for seq in earlier(tx, user, body).await? {
            if seq < by
                && superseded.iter().all(|known| known.seq != seq)
                && let Some(link) = link(tx, user, seq).await?
                && let Some(columns) = columns(&link, id)
            {
                superseded.push(Superseded { seq, by, columns });
            }
        }
    }
    superseded.sort_by_key(|it| it.seq);
    superseded.dedup_by_key(|it| it.seq);
    Ok(superseded)
}

/// Returns superseded verdicts without a row that neither a body nor an erasure states. Each is proven by the digest that its erasure
/// recorded: it approved an approval that is void now.
pub async fn unstated(tx: &mut Tx, user: UserId, is_stated: impl Fn(i64) -> bool) -> Result<Vec<Superseded>, Error> {
    let without_row = audited_columns::without_row(tx, table(), user).await?;
    let mut voided = store::approvals::voided(tx, user).await?;
    let mut superseded = vec![];
    for seq in without_row.into_iter().filter(|seq| !is_stated(*seq)) {
        let Some(link) = link(tx, user, seq).await? else { continue };
        let proof = |(at, (id, by)): (usize, &(ApprovalId, i64))| {
            (seq < *by).then(|| columns(&link, *id)).flatten().map(|columns| (at, columns))
        };
        if let Some((at, columns)) = voided.iter().enumerate().find_map(proof) {
            let (_, by) = voided.swap_remove(at);
            superseded.push(Superseded { seq, by, columns });
        }
    }
    Ok(superseded)
}

fn table() -> &'static Table {
    Table::of(Kind::ApprovalVerdict).expect("verdicts have rows")
}

fn approval_of(body: &Value) -> Option<ApprovalId> {
    serde_json::from_value(body["approval_id"].clone()).ok()
}

/// Returns the records that the verdict may have superseded. Verdicts of early versions name none.
async fn earlier(tx: &mut Tx, user: UserId, body: &Value) -> Result<Vec<i64>, Error> {
    match body["replaces"].as_i64() {
        Some(seq) => Ok(vec![seq]),
        None if is_unnamed(body) => Ok(audited_columns::without_row(tx, table(), user).await?),
        None => Ok(vec![]),
    }
}

/// Returns true if a verdict superseded another without naming it: only an approved approval becomes void without a reason.
pub fn is_unnamed(body: &Value) -> bool {
    body["replaces"].is_null() && body["status"] == ApprovalStatus::Void.as_str() && body["reason"].is_null()
}

async fn link(tx: &mut Tx, user: UserId, seq: i64) -> Result<Option<Link>, Error> {
    Ok(chains::links(tx, user, seq - 1, 1).await?.into_iter().find(|link| link.seq == seq))
}

/// Returns the column values of a verdict about this approval. Without its body, they must match the digest in its mark: an approval by the
/// chain's owner, with the columns of the versions that recorded only the digest.
fn columns(link: &Link, id: ApprovalId) -> Option<Vec<Value>> {
    if link.kind != Kind::ApprovalVerdict.as_str() {
        return None;
    }
    if let Some((_, body)) = &link.body {
        let body: Value = serde_json::from_str(body).ok()?;
        return (approval_of(&body) == Some(id)).then(|| table().cells(&body));
    }
    let said = link.said.as_ref()?;
    let approved = |via: DecidedVia| {
        [json!(id), json!(ApprovalStatus::Approved), json!(link.at), json!(link.user), json!(via)].to_vec()
    };
    let mut ways = DecidedVia::ALL.into_iter().map(approved);
    ways.find(|columns| table().holds(said, columns, &[]))
}
