//! The chains, read back to be verified. What somebody may have spoilt is read as it stands: nothing is taken for granted.

use sqlx::FromRow;

use super::{Conn, Error, Tx, heads, on};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;

/// A record as it is stored, with its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub user: UserId,
    pub seq: i64,
    pub kind: String,
    pub at: String,
    pub digest: Vec<u8>,
    pub previous: Vec<u8>,
    pub hash: Vec<u8>,
    /// The salt and the canonical JSON; `None` once erased.
    pub body: Option<(Vec<u8>, String)>,
    /// The number of the record that says that the body was erased.
    pub erased_by: Option<i64>,
    /// What the columns of its row said then, as a digest; `None` where it has no row.
    pub said: Option<Vec<u8>>,
}

/// The end of a chain, as its owner's counters know it.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Head {
    #[sqlx(rename = "record_seq")]
    pub seq: i64,
    #[sqlx(rename = "record_hash")]
    pub hash: Vec<u8>,
}

/// SQLite's times are text that anything can be written into; PostgreSQL's are times.
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

/// Whoever has a chain, the system included: work for a verification, shown to nobody.
pub async fn owners(tx: &mut Tx) -> Result<Vec<UserId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT id FROM users UNION SELECT user_id FROM heads UNION SELECT user_id FROM records
         UNION SELECT user_id FROM bodies ORDER BY 1"
    )
    .fetch_all(conn)
    .await)?)
}

/// The user's records after the one numbered `after`, in order, at most `limit`.
pub async fn links(tx: &mut Tx, user: UserId, after: i64, limit: i64) -> Result<Vec<Link>, Error> {
    const SQL: &str =
        "SELECT r.seq, r.kind, r.at, r.digest, r.previous, r.hash, b.salt, b.body, e.record_seq AS erased_by, e.said
         FROM records r
         LEFT JOIN bodies b ON b.user_id = r.user_id AND b.seq = r.seq
         LEFT JOIN erasures e ON e.user_id = r.user_id AND e.seq = r.seq
         WHERE r.user_id = $1 AND r.seq > $2 ORDER BY r.seq LIMIT $3";
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

/// The end of the user's chain; `None` before their first row of any kind.
pub async fn head(tx: &mut Tx, user: UserId) -> Result<Option<Head>, Error> {
    // It is written back with the commit.
    if let Some((seq, hash)) = heads::appended_end(tx, user) {
        return Ok(Some(Head { seq, hash }));
    }
    Ok(on!(tx, |conn| sqlx::query_as("SELECT record_seq, record_hash FROM heads WHERE user_id = $1")
        .bind(user)
        .fetch_optional(conn)
        .await)?)
}

/// The lowest number below 1 of the user's records, bodies and marks of erasure, if there is one: no chain has such a link.
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

/// The first of the user's bodies and marks of erasure that belong to no record, if there is one.
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
