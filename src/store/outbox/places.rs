//! Channel messages that show an outbox entry. The sender adds those it sends. A button press can reveal another, sent without an
//! acknowledgement. Both may happen at once, so each update merges with the stored list.

use super::CardRow;
use crate::domain::id::{CardId, UserId};
use crate::store::{Conn, Error, Tx, clock, on};

/// Adds a message, whose sending was not acknowledged, to an entry.
pub async fn add_message(tx: &mut Tx, user: UserId, card: CardId, message: i64) -> Result<(), Error> {
    let Some((mut messages, _)) = stored(tx, user, card).await? else { return Ok(()) };
    if messages.contains(&message) {
        return Ok(());
    }
    messages.push(message);
    messages.sort_unstable();
    on!(tx, |conn| sqlx::query("UPDATE outbox SET messages = $3 WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(card)
        .bind(text(&messages))
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Stores the messages of a claimed entry and renews the lease. Returns false if another sender has claimed it.
pub async fn keep_messages(tx: &mut Tx, held: &mut CardRow, lease_ms: i64) -> Result<bool, Error> {
    let Some(messages) = of_held(tx, held).await? else { return Ok(false) };
    let now = clock::now_ms(tx).await?;
    on!(tx, |conn| sqlx::query(
        "UPDATE outbox SET messages = $3, lease_until = $4, failures = 0 WHERE user_id = $1 AND id = $2"
    )
    .bind(held.user)
    .bind(held.id)
    .bind(messages)
    .bind(now + lease_ms)
    .execute(conn)
    .await
    .map(drop))?;
    // The sender's messages are now stored: if it drops one later, that is not an addition by others.
    held.read.clone_from(&held.messages);
    Ok(true)
}

/// Returns the messages to store for a claimed entry: the sender's, and those added by others meanwhile. Locks the row. Returns
/// `None` if another sender has claimed the entry.
pub(super) async fn of_held(tx: &mut Tx, held: &CardRow) -> Result<Option<String>, Error> {
    let Some((stored, fence)) = stored(tx, held.user, held.id).await? else { return Ok(None) };
    if fence != held.fence {
        return Ok(None);
    }
    let mut messages = held.messages.clone();
    messages.extend(stored.into_iter().filter(|it| !held.read.contains(it) && !held.messages.contains(it)));
    if messages.len() > held.messages.len() {
        messages.sort_unstable();
    }
    Ok(Some(text(&messages)))
}

/// Returns messages and fence token of an entry, and locks its row.
async fn stored(tx: &mut Tx, user: UserId, card: CardId) -> Result<Option<(Vec<i64>, i64)>, Error> {
    const STORED: &str = "SELECT messages, fence FROM outbox WHERE user_id = $1 AND id = $2";
    let row: Option<(String, i64)> = match &mut tx.conn {
        Conn::Sqlite(conn) => sqlx::query_as(STORED).bind(user).bind(card).fetch_optional(&mut **conn).await?,
        Conn::Pg(conn) => {
            let sql = "SELECT messages, fence FROM outbox WHERE user_id = $1 AND id = $2 FOR UPDATE";
            sqlx::query_as(sql).bind(user).bind(card).fetch_optional(&mut **conn).await?
        }
    };
    row.map(|(messages, fence)| Ok((parse(&messages)?, fence))).transpose()
}

/// Parses a stored list of messages.
pub(super) fn parse(messages: &str) -> Result<Vec<i64>, Error> {
    serde_json::from_str(messages).map_err(|_| Error::Corrupt("a card with messages that are no list".into()))
}

fn text(messages: &[i64]) -> String {
    serde_json::to_string(messages).expect("numbers are JSON")
}
