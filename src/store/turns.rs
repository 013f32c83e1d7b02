//! Turns: the durable jobs. A worker holds one under a lease by the database's own clock, with a fence that counts its holders.

use sqlx::FromRow;

use super::clock::longest_wait_ms;
use super::{Conn, Error, Tx, credentials, heads, now_ms, on};
use crate::domain::credential::Credential;
use crate::domain::id::{ApprovalId, ConversationId, TurnId, UserId};
use crate::domain::text::ClientKey;
use crate::domain::time::Timestamp;
use crate::domain::trace::Traceparent;
use crate::domain::turn::{Cause, TurnStatus};

/// Turns of the last minute, for rate limits.
mod recent;
pub use recent::messages_within;

/// A turn as it stands.
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
    /// How many workers have held it so far.
    pub fence: i64,
    pub stop_asked: bool,
    pub accepted_at: Timestamp,
    /// Its place in a trace; `None` where nobody collected spans when it was accepted.
    pub trace: Option<Traceparent>,
    /// Credential that started it, by its ids; `None` for the turn of an expiry and for turns from before this was kept.
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

/// The columns of [`Row`].
macro_rules! columns {
    () => {
        "id, user_id, conversation_id, ordinal, cause, approval_id, status, fence, stop_asked, accepted_at, trace,
         starter_door, starter_token, starter_session"
    };
}

/// A turn to be accepted.
#[derive(Debug, Clone)]
pub struct NewTurn<'a> {
    pub conversation: ConversationId,
    pub cause: Cause,
    pub approval: Option<ApprovalId>,
    pub client_key: Option<&'a ClientKey>,
    /// The lease in milliseconds if this process means to run it at once; `None` leaves it to any worker.
    pub lease_ms: Option<i64>,
    /// Credential that starts it; `None` if nobody does.
    pub starter: Option<&'a Credential>,
}

/// Accepts a turn at the end of its user's queue. It is held at once when `lease_ms` says so and nothing of the
/// conversation is unfinished: one commit instead of two.
pub async fn insert(tx: &mut Tx, user: UserId, new: &NewTurn<'_>, at: &Timestamp) -> Result<TurnRow, Error> {
    // The head's lock also orders concurrent acceptances of one conversation.
    let ordinal = heads::take(tx, user).await?.next_turn();
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

/// Writes the row; whether the turn is held.
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

/// A turn that waits or has outlived its lease, also one whose lease ends later than any that is taken now: the clock was set back.
/// The first condition is that of the index of open turns.
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

/// Whether any turn waits or has outlived its lease.
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

/// Takes the oldest turn that waits or whose lease ran out, unless an earlier one of its conversation is unfinished.
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

/// Lengthens the lease of a turn that is still held under this fence; `false` when another holds it by now.
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

/// Whether the turn is still held under this fence; nobody can take it until the commit. A lease that ran out is still held
/// while nobody else took it. SQLite has one writer anyway; PostgreSQL locks the row.
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

/// Lets go of every turn that is held, so that it can be claimed at once: for the one server of a SQLite file, whose turns
/// the process before has left.
pub async fn take_over(tx: &mut Tx) -> Result<u64, Error> {
    Ok(on!(tx, |conn| sqlx::query("UPDATE turns SET lease_until = 0 WHERE status = 'running'")
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Takes every unfinished turn of the user from whoever has it, or from the queue, in the order of their acceptance.
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

/// Ends a turn that is still held under this fence; `false` when another holds it by now.
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

/// Ends a turn that was refused at the door: no worker ever holds it.
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

/// Remembers that the user pressed Stop, and tells the process that runs the turn to look.
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

/// The user's turn.
pub async fn get(tx: &mut Tx, user: UserId, id: TurnId) -> Result<Option<TurnRow>, Error> {
    let row: Option<Row> =
        on!(tx, |conn| sqlx::query_as(concat!("SELECT ", columns!(), " FROM turns WHERE user_id = $1 AND id = $2"))
            .bind(user)
            .bind(id)
            .fetch_optional(conn)
            .await)?;
    row.map(TurnRow::try_from).transpose()
}

/// The turns of the user's conversation that are not done, in order of acceptance.
pub async fn open_of(tx: &mut Tx, user: UserId, conversation: ConversationId) -> Result<Vec<TurnId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT id FROM turns WHERE user_id = $1 AND conversation_id = $2 AND status <> 'done' ORDER BY ordinal"
    )
    .bind(user)
    .bind(conversation)
    .fetch_all(conn)
    .await)?)
}

/// The user's turn that was accepted under a client's key.
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
