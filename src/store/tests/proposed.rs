//! Tasks that pending approvals would change.

use super::*;
use crate::domain::approval::{ApprovalStatus, Preview};

/// Creates an approval, valid for `seconds`, for a call of that step that changes these tasks.
pub(super) async fn request(store: &Store, life: &Life, step: i32, seconds: i64, targets: &[TaskNumber]) -> ApprovalId {
    let mut tx = store.write().await.unwrap();
    let expires_at = now().plus_seconds(seconds);
    let turn = turns::NewTurn {
        conversation: life.conversation,
        cause: Cause::Message,
        approval: None,
        client_key: None,
        lease_ms: None,
        starter: None,
    };
    let turn = turns::insert(&mut tx, life.user, &turn, &now()).await.unwrap().id;
    turns::refuse(&mut tx, life.user, turn, &now()).await.unwrap();
    let new =
        approvals::NewApproval { conversation: life.conversation, turn, step, expires_at: &expires_at, agent: None };
    let id = approvals::insert(&mut tx, life.user, &new, &now()).await.unwrap();
    let preview = |number: &TaskNumber| {
        let task = stored(*number).task;
        Preview { task_id: *number, before: task.clone(), after: task, next: None }
    };
    let call = Invocation {
        id: InvocationId { turn, step, index: 0 },
        preview: targets.iter().map(preview).collect(),
        ..invocation(turn, Some(id))
    };
    invocations::insert(&mut tx, life.user, &call).await.unwrap();
    tx.commit().await.unwrap();
    id
}

#[tokio::test]
async fn pending_proposals_are_ordered_by_expiry() {
    for (db, store) in testing::stores().await {
        let ana = Life::of(&store, "ana").await;
        let task = TaskNumber;
        let late = request(&store, &ana, 1, 50, &[task(1), task(2)]).await;
        let soon = request(&store, &ana, 2, 30, &[task(2)]).await;
        let settled = request(&store, &ana, 3, 40, &[task(3)]).await;
        let verdict =
            approvals::NewVerdict { status: ApprovalStatus::Rejected, by: None, credential: None, reason: None };
        let mut tx = store.write().await.unwrap();
        let pending = ApprovalStatus::Pending;
        assert!(approvals::settle(&mut tx, ana.user, settled, pending, &verdict, &now()).await.unwrap());
        tx.commit().await.unwrap();
        let mut tx = store.read().await.unwrap();
        let at = |seconds| now().plus_seconds(seconds);
        let found = approvals::proposals(&mut tx, ana.user, &now()).await.unwrap();
        assert_eq!(found, [(task(2), soon), (task(1), late), (task(2), late)], "{db}");
        let found = approvals::proposals(&mut tx, ana.user, &at(30)).await.unwrap();
        assert_eq!(found, [(task(1), late), (task(2), late)], "{db}: what has expired");
        assert_eq!(approvals::proposals(&mut tx, ana.user, &at(50)).await.unwrap(), [], "{db}");
    }
}

#[tokio::test]
async fn a_request_that_cannot_be_read_leaves_the_others() {
    for (db, store) in testing::stores().await {
        let ana = Life::of(&store, "ana").await;
        request(&store, &ana, 1, 30, &[TaskNumber(1)]).await;
        let other = request(&store, &ana, 2, 50, &[TaskNumber(2)]).await;
        let broken = "UPDATE bodies SET body = '{' WHERE seq IN (SELECT record_seq FROM invocations WHERE step = 1)";
        let mut tx = testing::spoil(&store, broken).await;
        let found = approvals::proposals(&mut tx, ana.user, &now()).await.unwrap();
        assert_eq!(found, [(TaskNumber(2), other)], "{db}");
    }
}
