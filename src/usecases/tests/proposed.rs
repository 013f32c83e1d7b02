//! Tests of pending approvals by task.

use std::time::Instant;

use super::*;
use crate::domain::approval::Preview;
use crate::usecases::approvals;

#[tokio::test]
async fn proposals_name_the_approval_of_a_task_that_expires_first() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let task = add(&ctx, &ana, titled("milk")).await;
        // Independent of the order of creation.
        let mut asked = vec![];
        for seconds in [50, 30, 40] {
            let mut tx = ctx.write().await.unwrap();
            let turn = turn_in(&ctx, &mut tx, &ana, 0).await;
            let conversation = store::turns::get(&mut tx, ana.id(), turn).await.unwrap().unwrap().conversation;
            let (at, expires_at) = (ctx.now(), ctx.now().plus_seconds(seconds));
            let new =
                store::approvals::NewApproval { conversation, turn, step: 0, expires_at: &expires_at, agent: None };
            let approval = store::approvals::insert(&mut tx, ana.id(), &new, &at).await.unwrap();
            let row = Invocation {
                id: InvocationId { turn, step: 0, index: 0 },
                tool: Some(ToolName::DeleteTask),
                called_as: "delete_task".into(),
                risk: Risk::High,
                arguments: serde_json::json!({}),
                result: CallResult { status: CallStatus::AwaitingApproval, value: serde_json::json!({}) },
                approval_id: Some(approval),
                preview: vec![Preview { task_id: task.task_id, before: task.clone(), after: task.clone(), next: None }],
                duration_ms: 0,
                by: None,
                at,
            };
            invocations::write(&ctx, &mut tx, &ana, row, Instant::now()).await.unwrap();
            store::turns::refuse(&mut tx, ana.id(), turn, &ctx.now()).await.unwrap();
            ctx.commit(tx).await.unwrap();
            asked.push(approval);
        }
        let proposed = approvals::proposals(&ctx, &ana).await.unwrap();
        assert_eq!(proposed, [(task.task_id, asked[1])].into(), "{db}");
    }
}
