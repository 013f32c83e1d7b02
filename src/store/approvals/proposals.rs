//! Tasks that pending approvals would change.

use serde::Deserialize;

use crate::domain::id::{ApprovalId, TaskNumber, UserId};
use crate::domain::time::Timestamp;
use crate::store::{Error, Tx, on};

/// Part of an invocation's body: the tasks that it would change.
#[derive(Deserialize)]
struct Asking {
    preview: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    task_id: TaskNumber,
}

/// Returns the tasks that pending approvals would change, each with its approval, soonest to expire first. Skips unreadable
/// calls, so that one of them cannot break a list, and approvals that further calls may join.
pub async fn proposals(tx: &mut Tx, user: UserId, now: &Timestamp) -> Result<Vec<(TaskNumber, ApprovalId)>, Error> {
    let rows: Vec<(ApprovalId, String)> = on!(tx, |conn| sqlx::query_as(
        "SELECT a.id, b.body FROM approvals a
         CROSS JOIN invocations i
         JOIN bodies b ON b.user_id = i.user_id AND b.seq = i.record_seq
         WHERE a.user_id = $1 AND a.status = 'pending' AND a.expires_at > $2
             AND i.turn_id = a.turn_id AND i.step = a.step AND i.user_id = $1 AND i.approval_id = a.id
             AND i.status = 'awaiting_approval'
             AND EXISTS (SELECT 1 FROM turns t WHERE t.id = a.turn_id AND t.status = 'done')
         ORDER BY a.expires_at, a.id, i.step, i.idx"
    )
    .bind(user)
    .bind(now)
    .fetch_all(conn)
    .await)?;
    Ok(rows.iter().flat_map(|(id, body)| targets(body).into_iter().map(|task| (task, *id))).collect())
}

/// Returns the tasks in the preview of an invocation's body.
pub(in crate::store) fn targets(body: &str) -> Vec<TaskNumber> {
    let asking = serde_json::from_str::<Asking>(body);
    asking.map_or_else(|_| vec![], |asking| asking.preview.into_iter().map(|target| target.task_id).collect())
}
