//! A user's counters and the end of their hash chain. A transaction locks the row once, counts in memory and writes it back at
//! commit. The lock serialises a user's writers, which makes all sequences gap-free.

use super::{Conn, Error, Tx, on};
use crate::domain::id::{TaskNumber, UserId};

/// One user's counters. Each holds the last number used; 0 before the first.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct UserCounters {
    user_id: UserId,
    event_seq: i64,
    record_seq: i64,
    record_hash: Vec<u8>,
    task_number: i64,
    turn_ordinal: i64,
    /// Number of records appended by this transaction.
    #[sqlx(skip)]
    pub appended: u64,
    /// True if a counter changed.
    #[sqlx(skip)]
    moved: bool,
    /// True if events were added (`heard`), and if one of them ended a turn (`ended`).
    #[sqlx(skip)]
    heard: bool,
    #[sqlx(skip)]
    ended: bool,
}

/// A user whose event listeners to wake after a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wakeup {
    pub user: UserId,
    /// True if one of the user's turns ended.
    pub ended: bool,
}

impl UserCounters {
    /// Returns the next event number; `ends` marks an event that ends a turn.
    pub fn next_event(&mut self, ends: bool) -> i64 {
        (self.moved, self.heard, self.ended) = (true, true, self.ended || ends);
        self.event_seq += 1;
        self.event_seq
    }

    pub fn next_task(&mut self) -> TaskNumber {
        self.moved = true;
        self.task_number += 1;
        TaskNumber(self.task_number)
    }

    pub fn next_turn(&mut self) -> i64 {
        self.moved = true;
        self.turn_ordinal += 1;
        self.turn_ordinal
    }

    /// Appends a link to the hash chain. `link` computes the hash from the record number and the previous hash. Returns the
    /// number, the previous hash and the hash.
    pub fn next_record(&mut self, link: impl FnOnce(i64, &[u8]) -> [u8; 32]) -> (i64, Vec<u8>, [u8; 32]) {
        self.moved = true;
        self.appended += 1;
        self.record_seq += 1;
        let hash = link(self.record_seq, &self.record_hash);
        let previous = std::mem::replace(&mut self.record_hash, hash.to_vec());
        (self.record_seq, previous, hash)
    }
}

/// Locks and returns the user's counters. The user's other writers wait until this transaction ends.
pub(super) async fn take(tx: &mut Tx, user: UserId) -> Result<&mut UserCounters, Error> {
    if let Some(at) = tx.heads.iter().position(|head| head.user_id == user) {
        return Ok(&mut tx.heads[at]);
    }
    let head = match standing(tx, user).await? {
        Some(head) => head,
        None => on!(tx, |conn| sqlx::query_as(
            "INSERT INTO heads (user_id, record_hash) VALUES ($1, $2)
             ON CONFLICT (user_id) DO UPDATE SET user_id = excluded.user_id
             RETURNING user_id, event_seq, record_seq, record_hash, task_number, turn_ordinal"
        )
        .bind(user)
        .bind([0_u8; 32].as_slice())
        .fetch_one(conn)
        .await)?,
    };
    tx.heads.push(head);
    Ok(tx.heads.last_mut().expect("it was just pushed"))
}

/// Returns the user's counters if the row exists and needs no lock. SQLite has a single writer, so a read is enough.
async fn standing(tx: &mut Tx, user: UserId) -> Result<Option<UserCounters>, Error> {
    let Conn::Sqlite(conn) = &mut tx.conn else { return Ok(None) };
    Ok(sqlx::query_as(
        "SELECT user_id, event_seq, record_seq, record_hash, task_number, turn_ordinal FROM heads WHERE user_id = $1",
    )
    .bind(user)
    .fetch_optional(&mut **conn)
    .await?)
}

/// Returns the number and hash of the last record in the user's chain if this transaction appended to it.
pub(super) fn appended_end(tx: &Tx, user: UserId) -> Option<(i64, Vec<u8>)> {
    let head = tx.heads.iter().find(|head| head.user_id == user && head.appended > 0)?;
    Some((head.record_seq, head.record_hash.clone()))
}

/// Returns the number of the user's newest event; 0 before the first.
pub(super) async fn newest_event(tx: &mut Tx, user: UserId) -> Result<i64, Error> {
    if let Some(head) = tx.heads.iter().find(|head| head.user_id == user) {
        return Ok(head.event_seq);
    }
    let seq: Option<i64> = on!(tx, |conn| sqlx::query_scalar("SELECT event_seq FROM heads WHERE user_id = $1")
        .bind(user)
        .fetch_optional(conn)
        .await)?;
    Ok(seq.unwrap_or(0))
}

macro_rules! put {
    () => {
        "UPDATE heads SET event_seq = $2, record_seq = $3, record_hash = $4, task_number = $5, turn_ordinal = $6
         WHERE user_id = $1"
    };
}

/// Writes changed counters back. Returns the users whose listeners to wake after the commit.
pub(super) async fn flush(tx: &mut Tx) -> Result<Vec<Wakeup>, Error> {
    let mut heard = vec![];
    for head in std::mem::take(&mut tx.heads).into_iter().filter(|head| head.moved) {
        // Notifies the other processes at commit. A lost notification does no harm.
        let sql = match &tx.conn {
            Conn::Pg(_) if head.ended => concat!(put!(), " RETURNING pg_notify('docket_ends', CAST(user_id AS TEXT))"),
            Conn::Pg(_) if head.heard => {
                concat!(put!(), " RETURNING pg_notify('docket_events', CAST(user_id AS TEXT))")
            }
            Conn::Pg(_) | Conn::Sqlite(_) => put!(),
        };
        on!(tx, |conn| sqlx::query(sql)
            .bind(head.user_id)
            .bind(head.event_seq)
            .bind(head.record_seq)
            .bind(&head.record_hash)
            .bind(head.task_number)
            .bind(head.turn_ordinal)
            .execute(conn)
            .await
            .map(drop))?;
        if !head.heard {
            continue;
        }
        heard.push(Wakeup { user: head.user_id, ended: head.ended });
    }
    Ok(heard)
}
