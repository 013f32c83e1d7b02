//! Turns: the durable jobs. A worker claims one under a lease by the database's clock, with a fence token.

use sqlx::FromRow;

use super::clock::longest_wait_ms;
use super::{Conn, Error, Tx, credentials, now_ms, on, sequences};
use crate::domain::credential::Credential;
use crate::domain::id::{ApprovalId, ConversationId, TurnId, UserId};
use crate::domain::text::ClientKey;
use crate::domain::time::Timestamp;
use crate::domain::trace::Traceparent;
use crate::domain::turn::{Cause, TurnStatus};

mod recent;
pub use recent::messages_within;

/// A stored turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRow {
    pub id: TurnId,
    pub user: UserId,
    pub conversation: ConversationId,
    /// Order of acceptance among the user's turns.
    pub ordinal: i64,
    pub cause: Cause,
    /// The approval that this turn carries out.
    pub approval: Option<ApprovalId>,
    pub status: TurnStatus,
    /// Fence token: the number of claims.
    pub fence: i64,
    pub stop_asked: bool,
    pub accepted_at: Timestamp,
    /// Trace context; `None` if tracing was off at acceptance.
    pub trace: Option<Traceparent>,
    /// Credential of the sender, as ids only. `None` for the turn of an expiry, and for turns from before it was stored.
    pub starter: Option<Credential>,
}

#[derive(FromRow)]
struct Row {
    id: TurnId,
    user_id: UserId,
    conversation_id: ConversationId,
    ordinal: i64,
    cause: String,
    approval_id: Option<ApprovalId>,
    status: String,
    fence: i64,
    stop_asked: bool,
    accepted_at: Timestamp,
    trace: Option<String>,
    #[sqlx(flatten)]
    starter: credentials::Starter,
}

macro_rules! columns {
    () => {
        "id, user_id, conversation_id, ordinal, cause, approval_id, status, fence, stop_asked, accepted_at, trace,
         starter_door, starter_token, starter_session"
    };
}

/// A turn to accept.
#[derive(Debug, Clone)]
pub struct NewTurn<'a> {
    pub conversation: ConversationId,
    pub cause: Cause,
    pub approval: Option<ApprovalId>,
    pub client_key: Option<&'a ClientKey>,
    /// Lease in milliseconds for running it in this process at once; `None` leaves it to any worker.
    pub lease_ms: Option<i64>,
    /// Credential of the sender; `None` without one.
    pub starter: Option<&'a Credential>,
}

/// Accepts a turn at the end of its user's queue. Claims it at once if `lease_ms` is set and no turn of the conversation is
/// unfinished, which saves a commit.
pub async fn insert(tx: &mut Tx, user: UserId, new: &NewTurn<'_>, at: &Timestamp) -> Result<TurnRow, Error> {
    // The lock on the counters also serialises acceptances in a conversation.
    let ordinal = sequences::take(tx, user).await?.next_turn();
    let id = TurnId::new();
    let held = put(tx, user, (id, ordinal), new, at).await?;
    Ok(TurnRow {
        id,
        user,
        conversation: new.conversation,
        ordinal,
        cause: new.cause,
        approval: new.approval,
        status: if held { TurnStatus::Running } else { TurnStatus::Queued },
        fence: i64::from(held),
        stop_asked: false,
        accepted_at: at.clone(),
        trace: None,
        starter: new.starter.map(Credential::ids),
    })
}

/// Inserts the row. Returns true if the turn is claimed.
async fn put(
    tx: &mut Tx,
    user: UserId,
    (id, ordinal): (TurnId, i64),
    new: &NewTurn<'_>,
    at: &Timestamp,
) -> Result<bool, Error> {
    macro_rules! sql {
        ($db:ident, $told:literal) => {
            concat!(
                "INSERT INTO turns (id, user_id, conversation_id, ordinal, cause, approval_id, client_key, accepted_at,
                     starter_door, starter_token, starter_session, status, fence, lease_until)
                 SELECT $1, $2, $3, $4, $5, $6, $7, $8, $10, $11, $12, CASE WHEN first THEN 'running' ELSE 'queued' END,
                     CASE WHEN first THEN 1 ELSE 0 END, CASE WHEN first THEN ",
                now_ms!($db),
                " + $9 END
                 FROM (SELECT $9 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns e WHERE e.conversation_id = $3
                     AND e.ordinal < $4 AND e.status <> 'done') AS first) AS held RETURNING fence",
                $told
            )
        };
    }
    let key = new.client_key.map(ClientKey::as_str);
    let (door, token, session) = credentials::columns(new.starter);
    macro_rules! fence {
        ($sql:expr, $tx:ident) => {
            sqlx::query_scalar::<_, i64>($sql)
                .bind(id)
                .bind(user)
                .bind(new.conversation)
                .bind(ordinal)
                .bind(new.cause.as_str())
                .bind(new.approval)
                .bind(key)
                .bind(at)
                .bind(new.lease_ms)
                .bind(door)
                .bind(token)
                .bind(session)
                .fetch_one(&mut **$tx)
                .await?
        };
    }
    let fence = match &mut tx.conn {
        Conn::Sqlite(tx) => fence!(sql!(sqlite, ""), tx),
        Conn::Pg(tx) => fence!(sql!(pg, ", pg_notify('docket_turns', '')"), tx),
    };
    Ok(fence == 1)
}

/// Condition that a turn is queued or its lease has expired. A lease beyond the maximum predates a clock change and counts as
/// expired. The first term matches the partial index of open turns.
macro_rules! claimable {
    ($db:ident, $turn:literal) => {
        concat!(
            $turn,
            ".status <> 'done' AND (",
            $turn,
            ".status = 'queued' OR (",
            $turn,
            ".status = 'running' AND ",
            $turn,
            ".lease_until NOT BETWEEN ",
            now_ms!($db),
            " AND ",
            now_ms!($db),
            " + ",
            longest_wait_ms!(),
            "))"
        )
    };
}

/// Returns true if a turn is queued or its lease has expired.
pub async fn any_claimable(tx: &mut Tx) -> Result<bool, Error> {
    macro_rules! sql {
        ($db:ident) => {
            concat!("SELECT EXISTS (SELECT 1 FROM turns WHERE ", claimable!($db, "turns"), ")")
        };
    }
    Ok(match &mut tx.conn {
        Conn::Sqlite(tx) => sqlx::query_scalar(sql!(sqlite)).fetch_one(&mut **tx).await?,
        Conn::Pg(tx) => sqlx::query_scalar(sql!(pg)).fetch_one(&mut **tx).await?,
    })
}

/// Claims the oldest turn that is queued or whose lease has expired. Skips turns behind an unfinished one of their conversation.
pub async fn claim(tx: &mut Tx, lease_ms: i64) -> Result<Option<TurnRow>, Error> {
    macro_rules! sql {
        ($db:ident, $lock:literal) => {
            concat!(
                "UPDATE turns SET status = 'running', fence = fence + 1, lease_until = ",
                now_ms!($db),
                " + $1 WHERE id = (SELECT t.id FROM turns t WHERE ",
                claimable!($db, "t"),
                " AND NOT EXISTS (SELECT 1 FROM turns e WHERE e.conversation_id = t.conversation_id
                     AND e.ordinal < t.ordinal AND e.status <> 'done')
                   ORDER BY t.accepted_at, t.ordinal LIMIT 1 ",
                $lock,
                ") RETURNING ",
                columns!()
            )
        };
    }
    let row: Option<Row> = match &mut tx.conn {
        Conn::Sqlite(tx) => sqlx::query_as(sql!(sqlite, "")).bind(lease_ms).fetch_optional(&mut **tx).await?,
        Conn::Pg(tx) => {
            sqlx::query_as(sql!(pg, "FOR UPDATE OF t SKIP LOCKED")).bind(lease_ms).fetch_optional(&mut **tx).await?
        }
    };
    row.map(TurnRow::try_from).transpose()
}

/// Renews the lease of a turn. Returns false if another worker has claimed it.
pub async fn renew(tx: &mut Tx, user: UserId, id: TurnId, fence: i64, lease_ms: i64) -> Result<bool, Error> {
    macro_rules! sql {
        ($db:ident) => {
            concat!(
                "UPDATE turns SET lease_until = ",
                now_ms!($db),
                " + $4 WHERE user_id = $1 AND id = $2 AND fence = $3 AND status = 'running'"
            )
        };
    }
    let rows = match &mut tx.conn {
        Conn::Sqlite(tx) => sqlx::query(sql!(sqlite))
            .bind(user)
            .bind(id)
            .bind(fence)
            .bind(lease_ms)
            .execute(&mut **tx)
            .await?
            .rows_affected(),
        Conn::Pg(tx) => sqlx::query(sql!(pg))
            .bind(user)
            .bind(id)
            .bind(fence)
            .bind(lease_ms)
            .execute(&mut **tx)
            .await?
            .rows_affected(),
    };
    Ok(rows == 1)
}

/// Returns true if the turn is still claimed under this fence token, and prevents other claims until commit. An expired lease
/// counts until another worker claims the turn. PostgreSQL locks the row; SQLite has one writer.
pub async fn held(tx: &mut Tx, user: UserId, id: TurnId, fence: i64) -> Result<bool, Error> {
    macro_rules! sql {
        ($lock:literal) => {
            concat!("SELECT 1 FROM turns WHERE user_id = $1 AND id = $2 AND fence = $3 AND status = 'running'", $lock)
        };
    }
    let found: Option<i32> = match &mut tx.conn {
        Conn::Sqlite(tx) => {
            sqlx::query_scalar(sql!("")).bind(user).bind(id).bind(fence).fetch_optional(&mut **tx).await?
        }
        Conn::Pg(tx) => {
            let sql = sql!(" FOR NO KEY UPDATE");
            sqlx::query_scalar(sql).bind(user).bind(id).bind(fence).fetch_optional(&mut **tx).await?
        }
    };
    Ok(found.is_some())
}

/// Expires all leases, so that turns can be claimed at once. Used when the only server of an SQLite file starts after another
/// one.
pub async fn take_over(tx: &mut Tx) -> Result<u64, Error> {
    Ok(on!(tx, |conn| sqlx::query("UPDATE turns SET lease_until = 0 WHERE status = 'running'")
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Claims all unfinished turns of the user, queued or running, in order of acceptance.
pub async fn seize(tx: &mut Tx, user: UserId, lease_ms: i64) -> Result<Vec<TurnRow>, Error> {
    macro_rules! sql {
        ($db:ident) => {
            concat!(
                "UPDATE turns SET status = 'running', fence = fence + 1, lease_until = ",
                now_ms!($db),
                " + $2 WHERE user_id = $1 AND status <> 'done' RETURNING ",
                columns!()
            )
        };
    }
    let mut rows: Vec<Row> = match &mut tx.conn {
        Conn::Sqlite(tx) => sqlx::query_as(sql!(sqlite)).bind(user).bind(lease_ms).fetch_all(&mut **tx).await?,
        Conn::Pg(tx) => sqlx::query_as(sql!(pg)).bind(user).bind(lease_ms).fetch_all(&mut **tx).await?,
    };
    rows.sort_by_key(|row| row.ordinal);
    rows.into_iter().map(TurnRow::try_from).collect()
}

/// Ends a turn. Returns false if another worker has claimed it.
pub async fn finish(tx: &mut Tx, user: UserId, id: TurnId, fence: i64, at: &Timestamp) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query(
        "UPDATE turns SET status = 'done', lease_until = NULL, finished_at = $4
         WHERE user_id = $1 AND id = $2 AND fence = $3 AND status = 'running'"
    )
    .bind(user)
    .bind(id)
    .bind(fence)
    .bind(at)
    .execute(conn)
    .await
    .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Ends a turn that was rejected on acceptance, without a worker.
pub async fn refuse(tx: &mut Tx, user: UserId, id: TurnId, at: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "UPDATE turns SET status = 'done', lease_until = NULL, finished_at = $3 WHERE user_id = $1 AND id = $2"
    )
    .bind(user)
    .bind(id)
    .bind(at)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Stores a stop request and notifies the process that runs the turn.
pub async fn ask_stop(tx: &mut Tx, user: UserId, id: TurnId) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "UPDATE turns SET stop_asked = TRUE WHERE user_id = $1 AND id = $2 AND status <> 'done'"
    )
    .bind(user)
    .bind(id)
    .execute(conn)
    .await
    .map(drop))?;
    if let Conn::Pg(conn) = &mut tx.conn {
        sqlx::query("SELECT pg_notify('docket_events', $1)").bind(user.to_string()).execute(&mut **conn).await?;
    }
    Ok(())
}

pub async fn get(tx: &mut Tx, user: UserId, id: TurnId) -> Result<Option<TurnRow>, Error> {
    let row: Option<Row> =
        on!(tx, |conn| sqlx::query_as(concat!("SELECT ", columns!(), " FROM turns WHERE user_id = $1 AND id = $2"))
            .bind(user)
            .bind(id)
            .fetch_optional(conn)
            .await)?;
    row.map(TurnRow::try_from).transpose()
}

/// Returns the unfinished turns of the conversation, in order of acceptance.
pub async fn open_of(tx: &mut Tx, user: UserId, conversation: ConversationId) -> Result<Vec<TurnId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT id FROM turns WHERE user_id = $1 AND conversation_id = $2 AND status <> 'done' ORDER BY ordinal"
    )
    .bind(user)
    .bind(conversation)
    .fetch_all(conn)
    .await)?)
}

/// Returns the turn accepted under a client's idempotency key.
pub async fn by_client_key(tx: &mut Tx, user: UserId, key: &ClientKey) -> Result<Option<TurnRow>, Error> {
    let row: Option<Row> = on!(tx, |conn| sqlx::query_as(concat!(
        "SELECT ",
        columns!(),
        " FROM turns WHERE user_id = $1 AND client_key = $2"
    ))
    .bind(user)
    .bind(key.as_str())
    .fetch_optional(conn)
    .await)?;
    row.map(TurnRow::try_from).transpose()
}

impl TryFrom<Row> for TurnRow {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        let corrupt = |what: &str| Error::Corrupt(format!("a turn with {what}"));
        Ok(Self {
            id: row.id,
            user: row.user_id,
            conversation: row.conversation_id,
            ordinal: row.ordinal,
            cause: Cause::parse(&row.cause).ok_or_else(|| corrupt("an unknown cause"))?,
            approval: row.approval_id,
            status: TurnStatus::parse(&row.status).ok_or_else(|| corrupt("an unknown status"))?,
            fence: row.fence,
            stop_asked: row.stop_asked,
            accepted_at: row.accepted_at,
            trace: row.trace.as_deref().and_then(Traceparent::read),
            starter: row.starter.read()?,
        })
    }
}
