//! Reads hash chains for verification. Rows may have been tampered with, so values are read without validation.

use sqlx::FromRow;

use super::{Conn, Error, Tx, on, sequences};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;

/// A stored record with its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub user: UserId,
    pub seq: i64,
    pub kind: String,
    pub at: String,
    pub digest: Vec<u8>,
    pub previous: Vec<u8>,
    pub hash: Vec<u8>,
    /// Salt and canonical JSON; `None` if erased.
    pub body: Option<(Vec<u8>, String)>,
    /// Number of the record of the erasure that removed the body.
    pub erased_by: Option<i64>,
    /// Digest of the row's columns at the time of erasure; `None` if the record has no row.
    pub said: Option<Vec<u8>>,
}

/// The end of a chain according to its owner's counters.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Head {
    #[sqlx(rename = "record_seq")]
    pub seq: i64,
    #[sqlx(rename = "record_hash")]
    pub hash: Vec<u8>,
}

/// A stored record. Times are unchecked text on SQLite and native on PostgreSQL.
#[derive(FromRow)]
struct Row<At> {
    seq: i64,
    kind: String,
    at: At,
    digest: Vec<u8>,
    previous: Vec<u8>,
    hash: Vec<u8>,
    salt: Option<Vec<u8>>,
    body: Option<String>,
    erased_by: Option<i64>,
    said: Option<Vec<u8>>,
}

impl<At: ToString> Row<At> {
    fn link(self, user: UserId) -> Link {
        Link {
            user,
            seq: self.seq,
            kind: self.kind,
            at: self.at.to_string(),
            digest: self.digest,
            previous: self.previous,
            hash: self.hash,
            body: self.salt.zip(self.body),
            erased_by: self.erased_by,
            said: self.said,
        }
    }
}

/// Returns all users with a chain, including the system.
pub async fn owners(tx: &mut Tx) -> Result<Vec<UserId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT id FROM users UNION SELECT user_id FROM heads UNION SELECT user_id FROM records
         UNION SELECT user_id FROM bodies ORDER BY 1"
    )
    .fetch_all(conn)
    .await)?)
}

/// Maximum bytes of the texts of a page of records, but at least one record.
const PAGE_BYTES: i64 = 4 << 20;

/// Returns how many of the next `limit` records after number `after` fit a page.
pub(super) async fn page(tx: &mut Tx, user: UserId, after: i64, limit: i64) -> Result<i64, Error> {
    let sizes: Vec<i64> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT CAST(COALESCE(octet_length(b.body), 0) AS BIGINT) FROM records r
         LEFT JOIN bodies b ON b.user_id = r.user_id AND b.seq = r.seq
         WHERE r.user_id = $1 AND r.seq > $2 ORDER BY r.seq LIMIT $3"
    )
    .bind(user)
    .bind(after)
    .bind(limit)
    .fetch_all(conn)
    .await)?;
    Ok(fitting(&sizes, PAGE_BYTES))
}

/// Returns at most `limit` records after number `after`, in order, and fewer if their texts are long; none only at the end.
pub async fn links(tx: &mut Tx, user: UserId, after: i64, limit: i64) -> Result<Vec<Link>, Error> {
    const SQL: &str =
        "SELECT r.seq, r.kind, r.at, r.digest, r.previous, r.hash, b.salt, b.body, e.record_seq AS erased_by, e.said
         FROM records r
         LEFT JOIN bodies b ON b.user_id = r.user_id AND b.seq = r.seq
         LEFT JOIN erasures e ON e.user_id = r.user_id AND e.seq = r.seq
         WHERE r.user_id = $1 AND r.seq > $2 ORDER BY r.seq LIMIT $3";
    let limit = page(tx, user, after, limit).await?;
    macro_rules! rows {
        ($conn:expr, $at:ty) => {{
            let rows: Vec<Row<$at>> =
                sqlx::query_as(SQL).bind(user).bind(after).bind(limit).fetch_all(&mut **$conn).await?;
            rows.into_iter().map(|row| row.link(user)).collect()
        }};
    }
    Ok(match &mut tx.conn {
        Conn::Sqlite(conn) => rows!(conn, String),
        Conn::Pg(conn) => rows!(conn, Timestamp),
    })
}

/// Returns how many rows of these sizes, from the first, have at most `most` bytes together; at least 1 if there is a row.
pub fn fitting(sizes: &[i64], most: i64) -> i64 {
    let sums = sizes.iter().scan(0_i64, |sum, size| {
        *sum = sum.saturating_add(*size);
        Some(*sum)
    });
    let count = sums.take_while(|sum| *sum <= most).count().max(sizes.len().min(1));
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Returns the end of the user's chain; `None` before its first row of any kind.
pub async fn head(tx: &mut Tx, user: UserId) -> Result<Option<Head>, Error> {
    // This transaction's records are not yet in the table.
    if let Some((seq, hash)) = sequences::appended_end(tx, user) {
        return Ok(Some(Head { seq, hash }));
    }
    Ok(on!(tx, |conn| sqlx::query_as("SELECT record_seq, record_hash FROM heads WHERE user_id = $1")
        .bind(user)
        .fetch_optional(conn)
        .await)?)
}

/// Returns the lowest number below 1 among the user's records, bodies and erasure marks. A valid chain has none.
pub async fn below_first(tx: &mut Tx, user: UserId) -> Result<Option<i64>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT MIN(s.seq) FROM (
             SELECT seq FROM records WHERE user_id = $1 AND seq < 1
             UNION ALL SELECT seq FROM bodies WHERE user_id = $1 AND seq < 1
             UNION ALL SELECT seq FROM erasures WHERE user_id = $1 AND seq < 1) AS s"
    )
    .bind(user)
    .fetch_one(conn)
    .await)?)
}

/// Returns the first of the user's bodies and erasure marks without a record.
pub async fn stray(tx: &mut Tx, user: UserId) -> Result<Option<i64>, Error> {
    let seq: Option<i64> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT MIN(s.seq) FROM (
             SELECT user_id, seq FROM bodies WHERE user_id = $1
             UNION ALL SELECT user_id, seq FROM erasures WHERE user_id = $1) AS s
         LEFT JOIN records r ON r.user_id = s.user_id AND r.seq = s.seq WHERE r.seq IS NULL"
    )
    .bind(user)
    .fetch_one(conn)
    .await)?;
    Ok(seq)
}
