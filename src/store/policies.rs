//! Tool policies: each user's own, and a global one without an owner. A missing row means the default, [`Rule::Run`].

use sqlx::FromRow;

use super::{Conn, Error, Tx, on};
use crate::domain::id::{TurnId, UserId};
use crate::domain::policy::{Asker, Entry, Rule, Rules};
use crate::domain::time::Timestamp;
use crate::domain::tool::ToolName;

/// Selects the user's and the global rule for user `$1`, asker `$2` and tool `$3`.
macro_rules! rules {
    ($nobody:literal) => {
        concat!(
            "(SELECT p.rule FROM policies p WHERE p.user_id = $1 AND p.asker = $2 AND p.tool = $3) AS own,
             (SELECT p.rule FROM policies p WHERE p.user_id = ",
            $nobody,
            " AND p.asker = $2 AND p.tool = $3) AS everyones"
        )
    };
}

#[derive(FromRow)]
struct Row {
    own: Option<String>,
    everyones: Option<String>,
}

/// Returns the policy for a call of a turn claimed under this fence token; `None` if claimed again. Locks the turn until commit.
pub async fn of_held(
    tx: &mut Tx,
    user: UserId,
    turn: TurnId,
    fence: i64,
    asker: Asker,
    tool: ToolName,
) -> Result<Option<Rules>, Error> {
    macro_rules! sql {
        ($nobody:literal, $lock:literal) => {
            concat!(
                "SELECT ",
                rules!($nobody),
                " FROM turns WHERE user_id = $1 AND id = $4 AND fence = $5 AND status = 'running'",
                $lock
            )
        };
    }
    let (asker, tool) = (asker.as_str(), tool.as_str());
    let row: Option<Row> = match &mut tx.conn {
        Conn::Sqlite(tx) => {
            let sql = sql!("zeroblob(16)", "");
            sqlx::query_as(sql)
                .bind(user)
                .bind(asker)
                .bind(tool)
                .bind(turn)
                .bind(fence)
                .fetch_optional(&mut **tx)
                .await?
        }
        Conn::Pg(tx) => {
            let sql = sql!("'00000000-0000-0000-0000-000000000000'", " FOR NO KEY UPDATE");
            sqlx::query_as(sql)
                .bind(user)
                .bind(asker)
                .bind(tool)
                .bind(turn)
                .bind(fence)
                .fetch_optional(&mut **tx)
                .await?
        }
    };
    row.map(Rules::try_from).transpose()
}

/// Returns the policy for a tool.
pub async fn of(tx: &mut Tx, user: UserId, asker: Asker, tool: ToolName) -> Result<Rules, Error> {
    let row: Row = match &mut tx.conn {
        Conn::Sqlite(tx) => {
            let sql = concat!("SELECT ", rules!("zeroblob(16)"));
            sqlx::query_as(sql).bind(user).bind(asker.as_str()).bind(tool.as_str()).fetch_one(&mut **tx).await?
        }
        Conn::Pg(tx) => {
            let sql = concat!("SELECT ", rules!("'00000000-0000-0000-0000-000000000000'"));
            sqlx::query_as(sql).bind(user).bind(asker.as_str()).bind(tool.as_str()).fetch_one(&mut **tx).await?
        }
    };
    row.try_into()
}

/// Returns the user's rules that differ from the default; [`UserId::SYSTEM`] has the global ones.
pub async fn list(tx: &mut Tx, user: UserId) -> Result<Vec<Entry>, Error> {
    let rows: Vec<(String, String, String)> = on!(tx, |conn| sqlx::query_as(
        "SELECT asker, tool, rule FROM policies WHERE user_id = $1 ORDER BY asker, tool"
    )
    .bind(user)
    .fetch_all(conn)
    .await)?;
    let corrupt = |_| Error::Corrupt("a policy that cannot be read".into());
    rows.into_iter()
        .map(|(asker, tool, rule)| Entry::parse(&format!("{asker}.{tool}.{rule}")).map_err(corrupt))
        .collect()
}

/// Sets a rule. Deletes the row if it is the default.
pub async fn set(tx: &mut Tx, user: UserId, entry: Entry, at: &Timestamp) -> Result<(), Error> {
    if entry.rule == Rule::Run {
        on!(tx, |conn| sqlx::query("DELETE FROM policies WHERE user_id = $1 AND asker = $2 AND tool = $3")
            .bind(user)
            .bind(entry.asker.as_str())
            .bind(entry.tool.as_str())
            .execute(conn)
            .await
            .map(drop))?;
        return Ok(());
    }
    on!(tx, |conn| sqlx::query(
        "INSERT INTO policies (user_id, asker, tool, rule, changed_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (user_id, asker, tool) DO UPDATE SET rule = excluded.rule, changed_at = excluded.changed_at"
    )
    .bind(user)
    .bind(entry.asker.as_str())
    .bind(entry.tool.as_str())
    .bind(entry.rule.as_str())
    .bind(at)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// The asker of a turn's calls as an SQL expression, from its decision.
macro_rules! asker {
    () => {
        "CASE WHEN d.engine = 'external' THEN 'mcp' WHEN d.engine = 'rules' THEN 'rules' ELSE 'agent' END"
    };
}

/// Returns the asker of a turn's calls; `None` until the turn has ended.
pub async fn asker_of(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<Option<Asker>, Error> {
    let asker: Option<String> = on!(tx, |conn| sqlx::query_scalar(concat!(
        "SELECT ",
        asker!(),
        " FROM turns t JOIN decisions d ON d.turn_id = t.id WHERE t.user_id = $1 AND t.id = $2"
    ))
    .bind(user)
    .bind(turn)
    .fetch_optional(conn)
    .await)?;
    asker.map(|asker| Asker::parse(&asker).map_err(|_| Error::Corrupt("a turn of nobody".into()))).transpose()
}

/// Numbers of calls by one asker of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    pub asker: Asker,
    pub tool: ToolName,
    /// Calls executed without an approval.
    pub unasked: i64,
    /// Calls executed, or submitted for approval.
    pub all: i64,
}

/// Returns call counts since `since` by asker and tool; `None` counts all users.
pub async fn tried(tx: &mut Tx, user: Option<UserId>, since: &Timestamp) -> Result<Vec<Tried>, Error> {
    let rows: Vec<(String, String, i64, i64)> = on!(tx, |conn| sqlx::query_as(concat!(
        "SELECT asker, tool, CAST(SUM(CASE WHEN approval_id IS NULL THEN 1 ELSE 0 END) AS BIGINT), COUNT(*)
         FROM (SELECT ",
        asker!(),
        " AS asker, i.tool, i.approval_id FROM decisions d JOIN turns t ON t.id = d.turn_id
              JOIN invocations i ON i.turn_id = t.id
              WHERE (d.user_id = $1 OR $3) AND d.at >= $2 AND i.tool IS NOT NULL
                  AND (i.status = 'awaiting_approval' OR i.status = 'ok' AND i.approval_id IS NULL)) AS calls
         GROUP BY asker, tool ORDER BY asker, tool"
    ))
    .bind(user.unwrap_or(UserId::SYSTEM))
    .bind(since)
    .bind(user.is_none())
    .fetch_all(conn)
    .await)?;
    let corrupt = || Error::Corrupt("a call that cannot be counted".into());
    rows.into_iter()
        .map(|(asker, tool, unasked, all)| {
            let asker = Asker::parse(&asker).map_err(|_| corrupt())?;
            Ok(Tried { asker, tool: ToolName::parse(&tool).ok_or_else(corrupt)?, unasked, all })
        })
        .collect()
}

impl TryFrom<Row> for Rules {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        let read = |rule: Option<String>| {
            let rule = rule.as_deref().map(Rule::parse).transpose();
            rule.map(Option::unwrap_or_default).map_err(|_| Error::Corrupt("a policy that cannot be read".into()))
        };
        Ok(Self { own: read(row.own)?, everyones: read(row.everyones)? })
    }
}
