//! All records of one turn, and its neighbours.

use super::{Error, Tx, on};
use crate::domain::id::{ApprovalId, ConversationId, TurnId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::turn_detail::Record;

/// A table of the approvals that turn $2 of user $1 requested, answered or carried out.
macro_rules! concerned {
    () => {
        "concerned (id) AS (
         SELECT approval_id FROM turns WHERE user_id = $1 AND id = $2 AND approval_id IS NOT NULL
         UNION SELECT asked_approval FROM decisions WHERE user_id = $1 AND turn_id = $2 AND asked_approval IS NOT NULL
         UNION SELECT approval_id FROM invocations WHERE user_id = $1 AND turn_id = $2 AND approval_id IS NOT NULL
         UNION SELECT id FROM approvals WHERE user_id = $1 AND turn_id = $2)"
    };
}

/// Returns all records of the turn, in order.
pub async fn records(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<Vec<Record>, Error> {
    let rows: Vec<(i64, String, Timestamp, Option<String>)> = on!(tx, |conn| sqlx::query_as(concat!(
        "WITH ",
        concerned!(),
        ", numbers (seq) AS (
         SELECT record_seq FROM messages WHERE user_id = $1 AND turn_id = $2
         UNION SELECT record_seq FROM steps WHERE user_id = $1 AND turn_id = $2
         UNION SELECT record_seq FROM invocations WHERE user_id = $1 AND turn_id = $2
         UNION SELECT record_seq FROM changes WHERE user_id = $1 AND turn_id = $2
         UNION SELECT record_seq FROM decisions WHERE user_id = $1 AND turn_id = $2
         UNION SELECT a.record_seq FROM concerned c JOIN approvals a ON a.id = c.id WHERE a.user_id = $1
         UNION SELECT a.decided_seq FROM concerned c JOIN approvals a ON a.id = c.id
             WHERE a.user_id = $1 AND a.decided_seq IS NOT NULL)
         SELECT r.seq, r.kind, r.at, b.body FROM numbers n JOIN records r ON r.user_id = $1 AND r.seq = n.seq
         LEFT JOIN bodies b ON b.user_id = r.user_id AND b.seq = r.seq ORDER BY r.seq"
    ))
    .bind(user)
    .bind(turn)
    .fetch_all(conn)
    .await)?;
    let read = |(record, kind, at, body): (i64, String, Timestamp, Option<String>)| {
        let body = body.as_deref().map(serde_json::from_str).transpose();
        let body = body.map_err(|_| Error::Corrupt("a record that is no JSON".into()))?;
        Ok(Record { record, kind, at, body })
    };
    rows.into_iter().map(read).collect()
}

/// Returns true if a record of the turn is erased, or the verdict that the turn carries out.
pub async fn is_erased(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<bool, Error> {
    let erased: i64 = on!(tx, |conn| sqlx::query_scalar(
        "SELECT COUNT(*) FROM (
             SELECT record_seq AS seq FROM messages WHERE user_id = $1 AND turn_id = $2
             UNION ALL SELECT record_seq FROM steps WHERE user_id = $1 AND turn_id = $2
             UNION ALL SELECT record_seq FROM invocations WHERE user_id = $1 AND turn_id = $2
             UNION ALL SELECT record_seq FROM decisions WHERE user_id = $1 AND turn_id = $2
             UNION ALL SELECT a.decided_seq FROM turns t JOIN approvals a ON a.id = t.approval_id AND a.user_id = $1
                 WHERE t.user_id = $1 AND t.id = $2) AS own
         JOIN erasures e ON e.user_id = $1 AND e.seq = own.seq"
    )
    .bind(user)
    .bind(turn)
    .fetch_one(conn)
    .await)?;
    Ok(erased > 0)
}

/// Returns the approvals that the turn requested, answered or carried out.
pub async fn approvals(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<Vec<ApprovalId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(concat!(
        "WITH ",
        concerned!(),
        " SELECT a.id FROM concerned c JOIN approvals a ON a.id = c.id WHERE a.user_id = $1 ORDER BY a.record_seq"
    ))
    .bind(user)
    .bind(turn)
    .fetch_all(conn)
    .await)?)
}

/// Returns the previous and the next turn of the conversation.
pub async fn beside(
    tx: &mut Tx,
    user: UserId,
    conversation: ConversationId,
    ordinal: i64,
) -> Result<(Option<TurnId>, Option<TurnId>), Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT (SELECT id FROM turns WHERE user_id = $1 AND conversation_id = $2 AND ordinal < $3
                 ORDER BY ordinal DESC LIMIT 1),
                (SELECT id FROM turns WHERE user_id = $1 AND conversation_id = $2 AND ordinal > $3
                 ORDER BY ordinal LIMIT 1)"
    )
    .bind(user)
    .bind(conversation)
    .bind(ordinal)
    .fetch_one(conn)
    .await)?)
}

/// Returns the turn triggered by the approval's verdict.
pub async fn carried_out_by(tx: &mut Tx, user: UserId, approval: ApprovalId) -> Result<Option<TurnId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT id FROM turns WHERE user_id = $1 AND approval_id = $2")
        .bind(user)
        .bind(approval)
        .fetch_optional(conn)
        .await)?)
}

/// Returns the cost of the turn in micro-units of the provider's currency; `None` if no price is known.
pub async fn cost(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<Option<i64>, Error> {
    let cost: Option<Option<i64>> =
        on!(tx, |conn| sqlx::query_scalar("SELECT cost_micros FROM decisions WHERE user_id = $1 AND turn_id = $2")
            .bind(user)
            .bind(turn)
            .fetch_optional(conn)
            .await)?;
    Ok(cost.flatten())
}
