//! Columns that no body states because they follow from other rows, and ids that are none.

use sqlx::{AssertSqlSafe, FromRow};

use super::TABLES;
use crate::domain::id::{ApprovalId, UserId};
use crate::store::records::Kind;
use crate::store::{Conn, Error, Tx, on};

/// Ids by which verification finds rows of other tables than the audited ones.
const IDS: [(&str, &str); 10] = [
    ("records", "user_id"),
    ("bodies", "user_id"),
    ("erasures", "user_id"),
    ("heads", "user_id"),
    ("tasks", "user_id"),
    ("users", "id"),
    ("tokens", "id"),
    ("tokens", "user_id"),
    ("turns", "id"),
    ("conversations", "id"),
];

/// Agents' requests that are looked at together.
const REQUESTS: i64 = 500;

/// Returns the tables with rows whose owner or key is no id of 16 bytes, with those columns. SQLite takes bytes of any number.
pub async fn malformed_ids(tx: &mut Tx) -> Result<Vec<(&'static str, &'static str)>, Error> {
    let Conn::Sqlite(conn) = &mut tx.conn else { return Ok(vec![]) };
    let audited = TABLES.iter().flat_map(|table| [(table.name, "user_id"), (table.name, table.key)]);
    let mut malformed = vec![];
    for (table, column) in IDS.into_iter().chain(audited) {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE length({column}) <> 16)");
        if sqlx::query_scalar::<_, bool>(AssertSqlSafe(sql)).fetch_one(&mut **conn).await? {
            malformed.push((table, column));
        }
    }
    Ok(malformed)
}

/// Returns the first record of each user and kind whose conversation is missing or somebody else's. `owner` is whose; `None` is
/// everyone's.
pub async fn others_conversations(tx: &mut Tx, owner: Option<UserId>) -> Result<Vec<(UserId, i64, Kind)>, Error> {
    let of_messages = "messages x";
    let of_approvals = "approvals x";
    let of_turns = "(SELECT d.user_id, d.record_seq, t.conversation_id FROM decisions d
         JOIN turns t ON t.id = d.turn_id AND t.user_id = d.user_id) x";
    let mut found = vec![];
    for (kind, rows) in
        [(Kind::Message, of_messages), (Kind::ApprovalRequest, of_approvals), (Kind::Decision, of_turns)]
    {
        let sql = format!(
            "SELECT x.user_id, MIN(x.record_seq) FROM {rows}
             LEFT JOIN conversations c ON c.id = x.conversation_id AND c.user_id = x.user_id
             WHERE c.id IS NULL AND (CAST($1 AS UUID) IS NULL OR x.user_id = $1) GROUP BY x.user_id"
        );
        let rows: Vec<(UserId, i64)> =
            on!(tx, |conn| sqlx::query_as(AssertSqlSafe(sql)).bind(owner).fetch_all(conn).await)?;
        found.extend(rows.into_iter().map(|(user, seq)| (user, seq, kind)));
    }
    Ok(found)
}

/// Returns the decisions of turns that name another agent than the token that started them: owners and records. Turns from before
/// starters were kept have none to compare with. `owner` is whose; `None` is everyone's.
pub async fn others_agents(tx: &mut Tx, owner: Option<UserId>) -> Result<Vec<(UserId, i64)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT d.user_id, d.record_seq FROM decisions d JOIN turns t ON t.id = d.turn_id
         WHERE (CASE WHEN t.cause <> 'mcp' THEN t.token_id IS NOT NULL
                 ELSE t.starter_door IS NOT NULL AND t.token_id IS DISTINCT FROM t.starter_token END)
             AND (CAST($1 AS UUID) IS NULL OR d.user_id = $1) ORDER BY d.user_id, d.record_seq"
    )
    .bind(owner)
    .fetch_all(conn)
    .await)?)
}

/// A request with the digest of the agent's call that asked for it, and a call that it is about.
#[derive(Debug, FromRow)]
pub struct AgentRequest {
    pub id: ApprovalId,
    #[sqlx(rename = "user_id")]
    pub user: UserId,
    #[sqlx(rename = "record_seq")]
    pub seq: i64,
    pub has_agent: bool,
    pub call_digest: Option<Vec<u8>>,
    /// True if something of the owner's was erased, and the digest with it perhaps.
    pub is_erased: bool,
    /// Body of the call's record; `None` once erased.
    pub call: Option<String>,
}

/// Returns the requests of agents after the one of that id, a page of them in the order of their ids, one for each of their calls.
/// `owner` is whose; `None` is everyone's.
pub async fn agent_requests(
    tx: &mut Tx,
    owner: Option<UserId>,
    after: Option<ApprovalId>,
) -> Result<Vec<AgentRequest>, Error> {
    let begin = if after.is_some() { ">" } else { ">=" };
    let sql = format!(
        "SELECT a.id, a.user_id, a.record_seq, a.token_id IS NOT NULL AS has_agent, a.call_digest,
             EXISTS (SELECT 1 FROM erasures e WHERE e.user_id = a.user_id) AS is_erased, b.body AS call
         FROM (SELECT * FROM approvals WHERE id {begin} $2 AND (token_id IS NOT NULL OR call_digest IS NOT NULL)
                 AND (CAST($1 AS UUID) IS NULL OR user_id = $1) ORDER BY id LIMIT {REQUESTS}) AS a
         LEFT JOIN invocations i ON i.user_id = a.user_id AND i.approval_id = a.id AND i.status = 'awaiting_approval'
         LEFT JOIN bodies b ON b.user_id = i.user_id AND b.seq = i.record_seq
         ORDER BY a.id"
    );
    let after = after.map_or(uuid::Uuid::nil(), |after| after.0);
    Ok(on!(tx, |conn| sqlx::query_as(AssertSqlSafe(sql)).bind(owner).bind(after).fetch_all(conn).await)?)
}
