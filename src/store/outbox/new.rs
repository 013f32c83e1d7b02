//! Cards at the end of their users' queues.

use crate::domain::channel::{Card, ChatId};
use crate::domain::id::{CardId, UserId};
use crate::domain::text::ClientKey;
use crate::domain::time::Timestamp;
use crate::store::{Conn, Error, Tx, now_ms, on};

/// A card to be shown.
#[derive(Debug, Clone)]
pub struct NewCard<'a> {
    pub chat: ChatId,
    pub card: &'a Card,
    /// What brought it about; there is one card of each key.
    pub key: Option<&'a ClientKey>,
}

/// Puts a card at the end of its user's queue; `None` where its key brought one already.
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

/// Returns the id of the user's next card, and the time by the database's clock. Ids are the order of the queue: after the clock was set
/// back, and where another process's is behind, a fresh one would come before those that wait.
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
