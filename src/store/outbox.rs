//! What is to be sent to doors other than the browser: cards, each with the messages in which it stands. A sender holds one under a
//! lease by the database's own clock, with a fence that counts its holders; a person's cards go out one after the other.

use sqlx::FromRow;

use super::clock::{LONGEST_WAIT_MS, longest_wait_ms, now_ms as now};
use super::{Conn, Error, Tx, on};
use crate::domain::channel::{Card, ChatId};
use crate::domain::id::{ApprovalId, CardId, TurnId, UserId};
use crate::domain::text::ClientKey;

/// Cards that nobody shows or holds any more.
mod left;
/// Cards at the end of their users' queues.
mod new;
/// In which messages a card stands.
mod places;

pub use left::{any_over, sweep, take_over};
pub use new::{NewCard, insert};
pub use places::{add_message, keep_messages};

/// A card as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardRow {
    pub id: CardId,
    pub user: UserId,
    pub chat: ChatId,
    pub card: Card,
    /// One more whenever it is to be shown anew.
    pub version: i64,
    /// The messages in which it stands, in their order.
    pub messages: Vec<i64>,
    /// Those that this says of what is stored; others there were added by others.
    read: Vec<i64>,
    /// How many senders have held it.
    pub fence: i64,
    /// Attempts in vain since the last that went well.
    pub failures: i64,
    /// Sequence of the user's newest event when the card was read: what it says is at least as new.
    pub head: i64,
    /// The channel's own time of the last delivery, in seconds since 1970; 0 if unknown.
    pub shown_at: i64,
    /// The end of the last delivery by the database's clock, in milliseconds since 1970; 0 if there was none.
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

/// The columns of [`Row`].
macro_rules! columns {
    () => {
        "id, user_id, address, card, version, messages, fence, failures, shown_at, delivered_ms,
             COALESCE((SELECT h.event_seq FROM heads h WHERE h.user_id = outbox.user_id), 0) AS head"
    };
}

/// True of a card of the alias that is due by `$1`, also of one that waits longer than any is put off: the clock was set back.
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

/// Takes cards that are to be sent, of each person only the first that waits: those of `$whose`, the first by `$order` first.
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

/// Has the card of a turn, if it has one, shown anew in `after_ms` milliseconds, or earlier where that is meant already.
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

/// Has a card shown anew.
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

/// Has the user's cards about the same as this one shown anew.
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

/// The user's card of that id.
pub async fn get(tx: &mut Tx, user: UserId, id: CardId) -> Result<Option<CardRow>, Error> {
    let row: Option<Row> =
        on!(tx, |conn| sqlx::query_as(concat!("SELECT ", columns!(), " FROM outbox WHERE user_id = $1 AND id = $2"))
            .bind(user)
            .bind(id)
            .fetch_optional(conn)
            .await)?;
    row.map(CardRow::try_from).transpose()
}

/// The chat in which the user was asked for an approval, if they were asked in one.
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

/// Whether a card of the user's was brought about under that key.
pub async fn has_key(tx: &mut Tx, user: UserId, key: &ClientKey) -> Result<bool, Error> {
    let found: Option<i32> =
        on!(tx, |conn| sqlx::query_scalar("SELECT 1 FROM outbox WHERE user_id = $1 AND client_key = $2")
            .bind(user)
            .bind(key.as_str())
            .fetch_optional(conn)
            .await)?;
    Ok(found.is_some())
}

/// Whether there is anything to send, for whoever sends: shown to nobody.
pub async fn any_ready(tx: &mut Tx) -> Result<bool, Error> {
    let now = now(tx).await?;
    let found: Option<i32> =
        on!(tx, |conn| sqlx::query_scalar(concat!("SELECT 1 FROM outbox WHERE", is_due!("outbox"), "LIMIT 1"))
            .bind(now)
            .fetch_optional(conn)
            .await)?;
    Ok(found.is_some())
}

/// Takes cards that are to be sent, at most `limit`, and of each person only the first that waits. One that cannot be read is passed
/// over and sent no more.
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

/// The cards of these rows but for those that nobody can read.
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

/// Sends a card no more that nobody can read: it would keep the others of its person waiting for ever.
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

/// Whether a card is still held by whoever claimed it so.
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

/// Takes the first card of the user that is to be sent, if none before it has to wait.
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

/// Lets go of a held card that was sent as it was at its version, and keeps what it took in; if it is to be shown anew by now, it
/// waits on.
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

/// Lets go of a held card that could not be sent, until `after_ms` from now, at most [`LONGEST_WAIT_MS`]; `counts` says whether that
/// was an attempt in vain.
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

/// Sends a held card no more, whatever becomes of it; `false` when another holds it by now.
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

/// Sends nothing more of what the user's cards were to say, and shows none of them anew. A sender that holds one loses it.
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
