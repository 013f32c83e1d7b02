//! Checkpoints: signed Merkle roots over the ends of all hash chains. A chain that was truncated or rewritten does not
//! match its signed ends.

use sqlx::FromRow;

use super::{Error, Tx, on};
use crate::domain::id::UserId;

mod files;
pub mod hex;
mod note;
mod tree;

pub use files::{Entry, Files, Tail};
pub use note::{Body, Signer, Verifier};
pub use tree::{End, Hash, Tree, root_by};

#[derive(FromRow)]
struct EndRow {
    user_id: UserId,
    seq: i64,
    hash: Vec<u8>,
}

impl From<EndRow> for End {
    fn from(EndRow { user_id, seq, hash }: EndRow) -> Self {
        Self { user: user_id, seq, hash }
    }
}

#[derive(FromRow)]
struct GrownRow {
    number: i64,
    #[sqlx(flatten)]
    end: EndRow,
}

/// A signed chain end that the chain does not contain.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Unmet {
    pub user_id: UserId,
    /// Record number of the signed end.
    pub seq: i64,
    /// The checkpoint that signed it.
    pub number: i64,
    /// Kind of the present record with that number; `None` if there is none.
    pub kind: Option<String>,
}

/// Returns number and note of the newest checkpoint.
pub async fn newest(tx: &mut Tx) -> Result<Option<(i64, String)>, Error> {
    let sql = "SELECT number, note FROM checkpoints ORDER BY number DESC LIMIT 1";
    Ok(on!(tx, |conn| sqlx::query_as(sql).fetch_optional(conn).await)?)
}

/// Returns the number of records in all chains.
pub async fn records(tx: &mut Tx) -> Result<i64, Error> {
    let sql = "SELECT CAST(COALESCE(SUM(record_seq), 0) AS BIGINT) FROM heads";
    Ok(on!(tx, |conn| sqlx::query_scalar(sql).fetch_one(conn).await)?)
}

/// Returns the ends of all non-empty chains, ordered by user.
pub async fn ends(tx: &mut Tx) -> Result<Vec<End>, Error> {
    let rows: Vec<EndRow> = on!(tx, |conn| sqlx::query_as(
        "SELECT user_id, record_seq AS seq, record_hash AS hash FROM heads WHERE record_seq > 0 ORDER BY user_id"
    )
    .fetch_all(conn)
    .await)?;
    Ok(rows.into_iter().map(End::from).collect())
}

/// Returns the chain ends that checkpoint `number` covers, ordered by user; none for 0.
pub async fn ends_at(tx: &mut Tx, number: i64) -> Result<Vec<End>, Error> {
    let rows: Vec<EndRow> = on!(tx, |conn| sqlx::query_as(
        "SELECT h.user_id, h.seq, h.hash FROM checkpoint_heads h
         JOIN (SELECT user_id, MAX(number) AS number FROM checkpoint_heads WHERE number <= $1 GROUP BY user_id) AS l
             ON l.user_id = h.user_id AND l.number = h.number ORDER BY h.user_id"
    )
    .bind(number)
    .fetch_all(conn)
    .await)?;
    Ok(rows.into_iter().map(End::from).collect())
}

/// Returns at most `limit` checkpoints after `number`, oldest first.
pub async fn after(tx: &mut Tx, number: i64, limit: i64) -> Result<Vec<Entry>, Error> {
    let sql = "SELECT number, note FROM checkpoints WHERE number > $1 ORDER BY number LIMIT $2";
    let notes: Vec<(i64, String)> = on!(tx, |conn| sqlx::query_as(sql).bind(number).bind(limit).fetch_all(conn).await)?;
    let Some((last, _)) = notes.last() else { return Ok(vec![]) };
    let grown: Vec<GrownRow> = on!(tx, |conn| sqlx::query_as(
        "SELECT number, user_id, seq, hash FROM checkpoint_heads WHERE number > $1 AND number <= $2
         ORDER BY number, user_id"
    )
    .bind(number)
    .bind(last)
    .fetch_all(conn)
    .await)?;
    let mut grown = grown.into_iter().peekable();
    let mut heads = |number| {
        let mut heads = vec![];
        while let Some(row) = grown.next_if(|row| row.number <= number) {
            // Skip heads without a checkpoint.
            if row.number == number {
                heads.push(row.end.into());
            }
        }
        heads
    };
    Ok(notes.into_iter().map(|(number, note)| Entry { number, note, heads: heads(number) }).collect())
}

/// Stores a checkpoint. Returns false if another process has stored one with this number.
pub async fn insert(tx: &mut Tx, checkpoint: &Entry) -> Result<bool, Error> {
    let Entry { number, note, heads } = checkpoint;
    let sql = "INSERT INTO checkpoints (number, note) VALUES ($1, $2) ON CONFLICT (number) DO NOTHING";
    let rows =
        on!(tx, |conn| sqlx::query(sql).bind(number).bind(note).execute(conn).await.map(|done| done.rows_affected()))?;
    if rows == 0 {
        return Ok(false);
    }
    for End { user, seq, hash } in heads {
        let sql = "INSERT INTO checkpoint_heads (number, user_id, seq, hash) VALUES ($1, $2, $3, $4)";
        on!(tx, |conn| sqlx::query(sql).bind(number).bind(user).bind(seq).bind(hash).execute(conn).await.map(drop))?;
    }
    Ok(true)
}

/// Returns signed ends that the chains do not contain, in record order within each chain. `owner` restricts them to one user.
pub async fn unmet(tx: &mut Tx, owner: Option<UserId>) -> Result<Vec<Unmet>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT h.user_id, h.seq, h.number, r.kind FROM checkpoint_heads h
         LEFT JOIN records r ON r.user_id = h.user_id AND r.seq = h.seq
         WHERE (r.seq IS NULL OR r.hash <> h.hash) AND (CAST($1 AS UUID) IS NULL OR h.user_id = $1)
         ORDER BY h.user_id, h.seq, h.number"
    )
    .bind(owner)
    .fetch_all(conn)
    .await)?)
}

/// Returns the last record before `before` that matches a signed end; 0 if there is none.
pub async fn met_before(tx: &mut Tx, user: UserId, before: i64) -> Result<i64, Error> {
    let seq: Option<i64> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT MAX(h.seq) FROM checkpoint_heads h JOIN records r ON r.user_id = h.user_id AND r.seq = h.seq
         WHERE h.user_id = $1 AND h.seq < $2 AND r.hash = h.hash"
    )
    .bind(user)
    .bind(before)
    .fetch_one(conn)
    .await)?;
    Ok(seq.unwrap_or(0))
}

/// Returns kind and hash of a record.
pub async fn record(tx: &mut Tx, user: UserId, seq: i64) -> Result<Option<(String, Vec<u8>)>, Error> {
    let sql = "SELECT kind, hash FROM records WHERE user_id = $1 AND seq = $2";
    Ok(on!(tx, |conn| sqlx::query_as(sql).bind(user).bind(seq).fetch_optional(conn).await)?)
}

/// Returns the number of the user's last record; 0 if there is none.
pub async fn last_record(tx: &mut Tx, user: UserId) -> Result<i64, Error> {
    let sql = "SELECT MAX(seq) FROM records WHERE user_id = $1";
    let seq: Option<i64> = on!(tx, |conn| sqlx::query_scalar(sql).bind(user).fetch_one(conn).await)?;
    Ok(seq.unwrap_or(0))
}
