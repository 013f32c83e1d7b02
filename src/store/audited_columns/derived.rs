//! Verification of columns that no body states because they follow from other rows, and of malformed ids.

use sqlx::{AssertSqlSafe, FromRow};

use super::TABLES;
use crate::domain::id::{ApprovalId, UserId};
use crate::store::records::Kind;
use crate::store::{Conn, Error, Tx, on};

/// Id columns that verification uses in tables other than the audited ones.
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

/// Approvals per page.
const REQUESTS: i64 = 500;

/// Returns tables and columns with an id that is not 16 bytes long, which SQLite does not enforce.
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

/// Returns the first record of each user and kind whose conversation is missing or another user's. `owner` restricts them to one
/// user.
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

/// Returns owner and record number of decisions whose turn names another agent than the token that started it. Skips turns from
/// before that token was stored. `owner` restricts them to one user.
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

/// An agent client's approval with the digest of the requesting call, and one of the calls that it is about.
#[derive(Debug, FromRow)]
pub struct AgentRequest {
    pub id: ApprovalId,
    #[sqlx(rename = "user_id")]
    pub user: UserId,
    #[sqlx(rename = "record_seq")]
    pub seq: i64,
    pub has_agent: bool,
    pub call_digest: Option<Vec<u8>>,
    /// True if any text of the owner was erased, which may have removed the digest.
    pub is_erased: bool,
    /// Body of the call's record; `None` if erased.
    pub call: Option<String>,
}

/// Returns a page of agent clients' approvals after `after`, ordered by id, with one row per call. `owner` restricts them to one
/// user.
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
