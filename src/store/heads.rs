//! A user's counters and the end of their chain. A transaction takes a head once, which makes the user's other writers wait
//! until it ends, counts in memory and writes the head back with its commit: that is what makes sequences gap-free.

use super::{Conn, Error, Tx, on};
use crate::domain::id::{TaskNumber, UserId};

/// One user's head. Each number is the one given out last; 0 before the first.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Head {
    user_id: UserId,
    event_seq: i64,
    record_seq: i64,
    record_hash: Vec<u8>,
    task_number: i64,
    turn_ordinal: i64,
    /// How many records the transaction has appended.
    #[sqlx(skip)]
    pub appended: u64,
    /// Whether there is something to be written back.
    #[sqlx(skip)]
    moved: bool,
    /// Whether events are among it, and whether one of them ended a turn.
    #[sqlx(skip)]
    heard: bool,
    #[sqlx(skip)]
    ended: bool,
}

/// Whose listeners are to be woken after a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heard {
    pub user: UserId,
    /// Whether a turn of theirs ended.
    pub ended: bool,
}

impl Head {
    /// The next number of the user's events, for one that ends a turn or does not.
    pub fn next_event(&mut self, ends: bool) -> i64 {
        (self.moved, self.heard, self.ended) = (true, true, self.ended || ends);
        self.event_seq += 1;
        self.event_seq
    }

    /// The next number of the user's tasks.
    pub fn next_task(&mut self) -> TaskNumber {
        self.moved = true;
        self.task_number += 1;
        TaskNumber(self.task_number)
    }

    /// The next number of the user's turns.
    pub fn next_turn(&mut self) -> i64 {
        self.moved = true;
        self.turn_ordinal += 1;
        self.turn_ordinal
    }

    /// Appends a link to the user's chain: `link` makes its hash of its number and the hash before it. Returns all three.
    pub fn next_record(&mut self, link: impl FnOnce(i64, &[u8]) -> [u8; 32]) -> (i64, Vec<u8>, [u8; 32]) {
        self.moved = true;
        self.appended += 1;
        self.record_seq += 1;
        let hash = link(self.record_seq, &self.record_hash);
        let previous = std::mem::replace(&mut self.record_hash, hash.to_vec());
        (self.record_seq, previous, hash)
    }
}

/// The user's head; from here on their other writers wait.
pub(super) async fn take(tx: &mut Tx, user: UserId) -> Result<&mut Head, Error> {
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

/// The user's head, where there is one and reading it is enough: on SQLite whoever writes is alone.
async fn standing(tx: &mut Tx, user: UserId) -> Result<Option<Head>, Error> {
    let Conn::Sqlite(conn) = &mut tx.conn else { return Ok(None) };
    Ok(sqlx::query_as(
        "SELECT user_id, event_seq, record_seq, record_hash, task_number, turn_ordinal FROM heads WHERE user_id = $1",
    )
    .bind(user)
    .fetch_optional(&mut **conn)
    .await?)
}

/// Returns the number and the hash of the last record of the user's chain, if the transaction has appended to it.
pub(super) fn appended_end(tx: &Tx, user: UserId) -> Option<(i64, Vec<u8>)> {
    let head = tx.heads.iter().find(|head| head.user_id == user && head.appended > 0)?;
    Some((head.record_seq, head.record_hash.clone()))
}

/// The number of the user's newest event; 0 before the first.
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

/// Writes back what has moved; returns whose listeners to wake after the commit.
pub(super) async fn put_back(tx: &mut Tx) -> Result<Vec<Heard>, Error> {
    let mut heard = vec![];
    for head in std::mem::take(&mut tx.heads).into_iter().filter(|head| head.moved) {
        // A hint for the other processes goes with it; delivered with the commit, lost without harm.
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
        heard.push(Heard { user: head.user_id, ended: head.ended });
    }
    Ok(heard)
}
