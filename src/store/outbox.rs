//! The outbox: messages for channels other than the browser. A sender claims an entry under a lease by the database's clock, with
//! a fence token. Each user's entries are sent in order.

use sqlx::FromRow;

use super::clock::{LONGEST_WAIT_MS, longest_wait_ms, now_ms as now};
use super::{Conn, Error, Tx, on};
use crate::domain::channel::{Card, ChatId};
use crate::domain::id::{ApprovalId, CardId, TurnId, UserId};
use crate::domain::text::ClientKey;

mod left;
mod new;
mod places;

pub use left::{any_over, sweep, take_over};
pub use new::{NewCard, insert};
pub use places::{add_message, keep_messages};

/// An outbox entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardRow {
    pub id: CardId,
    pub user: UserId,
    pub chat: ChatId,
    pub card: Card,
    /// Incremented when the content has to be sent again.
    pub version: i64,
    /// Ids of the channel messages that show the entry, in order.
    pub messages: Vec<i64>,
    /// The stored `messages` when the row was read; later ones were added by others.
    read: Vec<i64>,
    /// Fence token: the number of claims.
    pub fence: i64,
    /// Failed attempts since the last success.
    pub failures: i64,
    /// Sequence of the user's newest event when the entry was read; the content is at least as new.
    pub head: i64,
    /// Time of the last delivery according to the channel, in seconds since 1970; 0 if unknown.
    pub shown_at: i64,
    /// End of the last delivery by the database's clock, in milliseconds since 1970; 0 before the first.
    pub delivered_ms: i64,
}

#[derive(FromRow)]
struct Row {
    id: CardId,
    user_id: UserId,
    address: ChatId,
    card: String,
    version: i64,
    messages: String,
    fence: i64,
    failures: i64,
    head: i64,
    shown_at: i64,
    delivered_ms: i64,
}

macro_rules! columns {
    () => {
        "id, user_id, address, card, version, messages, fence, failures, shown_at, delivered_ms,
             COALESCE((SELECT h.event_seq FROM heads h WHERE h.user_id = outbox.user_id), 0) AS head"
    };
}

/// Condition that an entry is due by `$1`. Also true beyond the maximum delay, which means that the clock was set back.
macro_rules! is_due {
    ($card:literal) => {
        concat!(
            " ",
            $card,
            ".ready_at IS NOT NULL AND ",
            $card,
            ".ready_at NOT BETWEEN $1 + 1 AND $1 + ",
            longest_wait_ms!(),
            " AND (",
            $card,
            ".lease_until IS NULL OR ",
            $card,
            ".lease_until NOT BETWEEN $1 AND $1 + ",
            longest_wait_ms!(),
            ") "
        )
    };
}

/// Claims due entries that match `$whose`, in the order of `$order`. Claims only the first waiting entry of each user.
macro_rules! claims {
    ($whose:literal, $order:literal, $lock:literal) => {
        concat!(
            "UPDATE outbox SET lease_until = $1 + $2, fence = fence + 1 WHERE id IN (
                 SELECT o.id FROM outbox o
                 WHERE ",
            $whose,
            is_due!("o"),
            "AND NOT EXISTS (
                     SELECT 1 FROM outbox e WHERE e.user_id = o.user_id AND e.id < o.id AND e.ready_at IS NOT NULL
                         AND (e.messages = '[]' OR e.lease_until BETWEEN $1 AND $1 + ",
            longest_wait_ms!(),
            "))
                 ORDER BY ",
            $order,
            " LIMIT $3 ",
            $lock,
            ") RETURNING ",
            columns!()
        )
    };
}

/// Schedules the turn's entry to be sent again in `after_ms` milliseconds, or earlier if already scheduled.
pub async fn refresh_turn(tx: &mut Tx, user: UserId, turn: TurnId, after_ms: i64) -> Result<(), Error> {
    let at = now(tx).await? + after_ms;
    on!(tx, |conn| sqlx::query(
        "UPDATE outbox SET version = version + 1, ready_at = CASE WHEN ready_at < $3 THEN ready_at ELSE $3 END
         WHERE user_id = $1 AND turn_id = $2"
    )
    .bind(user)
    .bind(turn)
    .bind(at)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Schedules an entry to be sent again now.
pub async fn refresh(tx: &mut Tx, user: UserId, id: CardId) -> Result<(), Error> {
    let now = now(tx).await?;
    on!(tx, |conn| sqlx::query(
        "UPDATE outbox SET version = version + 1, ready_at = $3 WHERE user_id = $1 AND id = $2"
    )
    .bind(user)
    .bind(id)
    .bind(now)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Schedules all entries with this content to be sent again now.
pub async fn refresh_alike(tx: &mut Tx, user: UserId, card: &Card) -> Result<(), Error> {
    let now = now(tx).await?;
    on!(tx, |conn| sqlx::query(
        "UPDATE outbox SET version = version + 1, ready_at = $3 WHERE user_id = $1 AND card = $2"
    )
    .bind(user)
    .bind(serde_json::to_string(card).expect("a card is JSON"))
    .bind(now)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

pub async fn get(tx: &mut Tx, user: UserId, id: CardId) -> Result<Option<CardRow>, Error> {
    let row: Option<Row> =
        on!(tx, |conn| sqlx::query_as(concat!("SELECT ", columns!(), " FROM outbox WHERE user_id = $1 AND id = $2"))
            .bind(user)
            .bind(id)
            .fetch_optional(conn)
            .await)?;
    row.map(CardRow::try_from).transpose()
}

/// Returns the newest entry shown by a message of the user's chat.
pub async fn in_message(tx: &mut Tx, user: UserId, chat: ChatId, message: i64) -> Result<Option<Card>, Error> {
    // serde_json writes the list without spaces.
    let card: Option<String> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT card FROM outbox WHERE user_id = $1 AND address = $2
             AND (messages = $3 OR messages LIKE $4 OR messages LIKE $5 OR messages LIKE $6) ORDER BY id DESC LIMIT 1"
    )
    .bind(user)
    .bind(chat)
    .bind(format!("[{message}]"))
    .bind(format!("[{message},%"))
    .bind(format!("%,{message},%"))
    .bind(format!("%,{message}]"))
    .fetch_optional(conn)
    .await)?;
    let unreadable = |_| Error::Corrupt("a card that is no JSON".into());
    card.map(|card| serde_json::from_str(&card).map_err(unreadable)).transpose()
}

/// Returns the chat in which the approval was requested.
pub async fn chat_of_approval(tx: &mut Tx, user: UserId, approval: ApprovalId) -> Result<Option<ChatId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT o.address FROM approvals a JOIN outbox o ON o.turn_id = a.turn_id AND o.user_id = a.user_id
         WHERE a.user_id = $1 AND a.id = $2"
    )
    .bind(user)
    .bind(approval)
    .fetch_optional(conn)
    .await)?)
}

/// Returns true if an entry was created under this idempotency key.
pub async fn has_key(tx: &mut Tx, user: UserId, key: &ClientKey) -> Result<bool, Error> {
    let found: Option<i32> =
        on!(tx, |conn| sqlx::query_scalar("SELECT 1 FROM outbox WHERE user_id = $1 AND client_key = $2")
            .bind(user)
            .bind(key.as_str())
            .fetch_optional(conn)
            .await)?;
    Ok(found.is_some())
}

/// Returns true if an entry of any user is due, for the sender.
pub async fn any_ready(tx: &mut Tx) -> Result<bool, Error> {
    let now = now(tx).await?;
    let found: Option<i32> =
        on!(tx, |conn| sqlx::query_scalar(concat!("SELECT 1 FROM outbox WHERE", is_due!("outbox"), "LIMIT 1"))
            .bind(now)
            .fetch_optional(conn)
            .await)?;
    Ok(found.is_some())
}

/// Claims at most `limit` due entries, only the first of each user. Drops undecodable ones.
pub async fn claim(tx: &mut Tx, lease_ms: i64, limit: i64) -> Result<Vec<CardRow>, Error> {
    let now = now(tx).await?;
    let rows: Vec<Row> = match &mut tx.conn {
        Conn::Sqlite(conn) => {
            sqlx::query_as(claims!("", "o.ready_at", ""))
                .bind(now)
                .bind(lease_ms)
                .bind(limit)
                .fetch_all(&mut **conn)
                .await?
        }
        Conn::Pg(conn) => {
            let sql = claims!("", "o.ready_at", "FOR UPDATE OF o SKIP LOCKED");
            sqlx::query_as(sql).bind(now).bind(lease_ms).bind(limit).fetch_all(&mut **conn).await?
        }
    };
    readable(tx, rows).await
}

/// Decodes the rows. Drops those that cannot be decoded.
async fn readable(tx: &mut Tx, rows: Vec<Row>) -> Result<Vec<CardRow>, Error> {
    let mut held = vec![];
    for row in rows {
        let (id, user) = (row.id, row.user_id);
        match CardRow::try_from(row) {
            Ok(card) => held.push(card),
            Err(error) => {
                tracing::warn!(card = %id, %user, %error, "a card cannot be read; it is not sent");
                drop_card(tx, user, id).await?;
            }
        }
    }
    Ok(held)
}

/// Drops an undecodable entry so that it does not block the user's queue.
async fn drop_card(tx: &mut Tx, user: UserId, id: CardId) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "UPDATE outbox SET ready_at = NULL, lease_until = NULL, turn_id = NULL WHERE user_id = $1 AND id = $2"
    )
    .bind(user)
    .bind(id)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Returns true if the claim is still valid.
pub async fn holds(tx: &mut Tx, held: &CardRow) -> Result<bool, Error> {
    let found: Option<i32> =
        on!(tx, |conn| sqlx::query_scalar("SELECT 1 FROM outbox WHERE user_id = $1 AND id = $2 AND fence = $3")
            .bind(held.user)
            .bind(held.id)
            .bind(held.fence)
            .fetch_optional(conn)
            .await)?;
    Ok(found.is_some())
}

/// Claims the user's first due entry, unless an earlier one has to wait.
pub async fn claim_of(tx: &mut Tx, user: UserId, lease_ms: i64) -> Result<Option<CardRow>, Error> {
    let now = now(tx).await?;
    let rows: Vec<Row> = match &mut tx.conn {
        Conn::Sqlite(conn) => {
            let sql = claims!("o.user_id = $4 AND", "o.id", "");
            sqlx::query_as(sql).bind(now).bind(lease_ms).bind(1_i64).bind(user).fetch_all(&mut **conn).await?
        }
        Conn::Pg(conn) => {
            let sql = claims!("o.user_id = $4 AND", "o.id", "FOR UPDATE OF o SKIP LOCKED");
            sqlx::query_as(sql).bind(now).bind(lease_ms).bind(1_i64).bind(user).fetch_all(&mut **conn).await?
        }
    };
    Ok(readable(tx, rows).await?.pop())
}

/// Ends the claim of a delivered entry and stores the delivery. Keeps the entry scheduled if its version has changed.
pub async fn settle(tx: &mut Tx, held: &CardRow) -> Result<(), Error> {
    let Some(messages) = places::of_held(tx, held).await? else { return Ok(()) };
    on!(tx, |conn| {
        sqlx::query(
        "UPDATE outbox SET ready_at = CASE WHEN version = $3 THEN NULL ELSE ready_at END, lease_until = NULL, failures = 0,
             messages = $4, shown_seq = $5, shown_at = $6, delivered_ms = $7
         WHERE user_id = $1 AND id = $2"
    )
    .bind(held.user)
    .bind(held.id)
    .bind(held.version)
    .bind(messages)
    .bind(held.head)
    .bind(held.shown_at)
    .bind(held.delivered_ms)
    .execute(conn)
    .await
    .map(drop)
    })?;
    Ok(())
}

/// Ends the claim and schedules a retry in `after_ms`, at most [`LONGEST_WAIT_MS`]. `counts` adds a failed attempt.
pub async fn put_off(tx: &mut Tx, held: &CardRow, after_ms: i64, counts: bool) -> Result<(), Error> {
    let at = now(tx).await? + after_ms.min(LONGEST_WAIT_MS);
    on!(tx, |conn| sqlx::query(
        "UPDATE outbox SET ready_at = $4, lease_until = NULL, failures = failures + $5
         WHERE user_id = $1 AND id = $2 AND fence = $3"
    )
    .bind(held.user)
    .bind(held.id)
    .bind(held.fence)
    .bind(at)
    .bind(i64::from(counts))
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Cancels a claimed entry for good. Returns false if another sender has claimed it.
pub async fn give_up(tx: &mut Tx, held: &CardRow) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query(
        "UPDATE outbox SET ready_at = NULL, lease_until = NULL, turn_id = NULL
         WHERE user_id = $1 AND id = $2 AND fence = $3"
    )
    .bind(held.user)
    .bind(held.id)
    .bind(held.fence)
    .execute(conn)
    .await
    .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Cancels all entries of the user and invalidates their claims.
pub async fn stop(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "UPDATE outbox SET ready_at = NULL, turn_id = NULL, lease_until = NULL, fence = fence + 1
         WHERE user_id = $1 AND (ready_at IS NOT NULL OR turn_id IS NOT NULL OR lease_until IS NOT NULL)"
    )
    .bind(user)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

impl TryFrom<Row> for CardRow {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        let messages = places::parse(&row.messages)?;
        Ok(Self {
            id: row.id,
            user: row.user_id,
            chat: row.address,
            card: serde_json::from_str(&row.card)
                .map_err(|_| Error::Corrupt("a card with nothing that it is about".into()))?,
            version: row.version,
            read: messages.clone(),
            messages,
            fence: row.fence,
            failures: row.failures,
            head: row.head,
            shown_at: row.shown_at,
            delivered_ms: row.delivered_ms,
        })
    }
}
