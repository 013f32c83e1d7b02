//! New outbox entries.

use crate::domain::channel::{Card, ChatId};
use crate::domain::id::{CardId, UserId};
use crate::domain::text::ClientKey;
use crate::domain::time::Timestamp;
use crate::store::{Conn, Error, Tx, now_ms, on};

/// An outbox entry to add.
#[derive(Debug, Clone)]
pub struct NewCard<'a> {
    pub chat: ChatId,
    pub card: &'a Card,
    /// Idempotency key; at most one entry has a given key.
    pub key: Option<&'a ClientKey>,
}

/// Adds an entry at the end of the user's queue. Returns `None` if one with its key exists.
pub async fn insert(tx: &mut Tx, user: UserId, new: &NewCard<'_>, at: &Timestamp) -> Result<Option<CardId>, Error> {
    let (id, now) = next(tx, user).await?;
    let (turn, task) = match new.card {
        Card::Turn { turn } => (Some(*turn), None),
        Card::Reminder { task } => (None, Some(*task)),
        Card::Tasks | Card::Relink { .. } | Card::Said { .. } | Card::Heard => (None, None),
    };
    let rows = on!(tx, |conn| sqlx::query(
        "INSERT INTO outbox (id, user_id, channel, address, card, turn_id, task, client_key, ready_at, created_at)
         VALUES ($1, $2, 'telegram', $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING"
    )
    .bind(id)
    .bind(user)
    .bind(new.chat)
    .bind(serde_json::to_string(new.card).expect("a card is JSON"))
    .bind(turn)
    .bind(task)
    .bind(new.key.map(ClientKey::as_str))
    .bind(now)
    .bind(at)
    .execute(conn)
    .await
    .map(|done| done.rows_affected()))?;
    Ok((rows == 1).then_some(id))
}

/// Returns the id of the user's next entry, and the time by the database's clock. Ids order the queue, so the id follows the last
/// waiting one even if a clock was set back.
async fn next(tx: &mut Tx, user: UserId) -> Result<(CardId, i64), Error> {
    macro_rules! sql {
        ($db:ident) => {
            concat!(
                "SELECT ",
                now_ms!($db),
                ", (SELECT id FROM outbox WHERE user_id = $1 AND ready_at IS NOT NULL ORDER BY id DESC LIMIT 1)"
            )
        };
    }
    let (now, last): (i64, Option<CardId>) = match &mut tx.conn {
        Conn::Sqlite(conn) => sqlx::query_as(sql!(sqlite)).bind(user).fetch_one(&mut **conn).await?,
        Conn::Pg(conn) => sqlx::query_as(sql!(pg)).bind(user).fetch_one(&mut **conn).await?,
    };
    Ok((CardId::new().max(last.map_or(CardId(uuid::Uuid::nil()), CardId::next)), now))
}
