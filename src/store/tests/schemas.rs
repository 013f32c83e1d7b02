//! Calls stored before their arguments had a schema version.

use super::*;

/// Arguments of `update_task` in the first schema, and after the upgrade.
fn rows() -> Vec<(serde_json::Value, serde_json::Value)> {
    vec![
        (json!({ "task_id": 1, "due": null }), json!({ "task_id": 1, "clear": ["due"] })),
        (
            json!({ "task_ids": [1, 2], "recurrence": null, "description": null, "priority": "high" }),
            json!({ "task_ids": [1, 2], "clear": ["description", "recurrence"], "priority": "high" }),
        ),
        (json!({ "task_id": 1, "tags": null, "project": null }), json!({ "task_id": 1, "clear": ["project", "tags"] })),
        (json!({ "task_id": 1, "title": "x" }), json!({ "task_id": 1, "title": "x" })),
    ]
}

fn update(arguments: &serde_json::Value, id: InvocationId, approval: Option<ApprovalId>) -> Invocation {
    Invocation {
        id,
        tool: Some(ToolName::UpdateTask),
        called_as: "update_task".into(),
        arguments: arguments.clone(),
        ..invocation(id.turn, approval)
    }
}

#[tokio::test]
async fn stored_calls_keep_their_meaning() {
    for (db, store) in testing::stores().await {
        let ana = Life::of(&store, "ana").await;
        for (step, (stored, read)) in (1..).zip(rows()) {
            let id = proposed::request(&store, &ana, 100 + step, 60, &[]).await;
            let place = |index| InvocationId { turn: ana.turn, step, index };
            let mut tx = store.write().await.unwrap();
            invocations::insert_unversioned(&mut tx, ana.user, &update(&stored, place(0), Some(id))).await.unwrap();
            invocations::insert(&mut tx, ana.user, &update(&stored, place(1), None)).await.unwrap();
            tx.commit().await.unwrap();
            let mut tx = store.read().await.unwrap();
            let found = invocations::of_turn(&mut tx, ana.user, ana.turn).await.unwrap();
            let arguments = |index| &found.iter().find(|call| call.id == place(index)).unwrap().arguments;
            assert_eq!(
                (arguments(0), arguments(1)),
                (&read, &stored),
                "{db}: only a call without a version is of the first"
            );
            let approval = approvals::get(&mut tx, ana.user, id).await.unwrap().unwrap();
            let calls: Vec<_> = approval.calls.iter().map(|call| &call.arguments).collect();
            assert!(
                calls.contains(&&read) && !calls.contains(&&json!({ "task_id": 1, "due": null })),
                "{db}: {calls:?}"
            );
        }
    }
}

#[tokio::test]
async fn stored_steps_keep_their_meaning() {
    for (db, store) in testing::stores().await {
        let ana = Life::of(&store, "ana").await;
        for (number, (stored, read)) in (1..).step_by(2).zip(rows()) {
            let call = |arguments| json!({ "tool": "update_todo_task", "arguments": arguments });
            let reply =
                |arguments| json!({ "act": { "act": "calls", "text": "", "calls": [call(arguments)] }, "intent": "x" });
            let row = |number| steps::StepRow { number, origin: steps::Origin::Engine, reply: reply(stored.clone()) };
            let mut tx = store.write().await.unwrap();
            steps::insert_unversioned(&mut tx, ana.user, ana.turn, &row(number), &now()).await.unwrap();
            steps::insert(&mut tx, ana.user, ana.turn, &row(number + 1), &now()).await.unwrap();
            tx.commit().await.unwrap();
            let found = steps::of_turn(&mut store.read().await.unwrap(), ana.user, ana.turn).await.unwrap();
            let of = |number| &found.iter().find(|step| step.number == number).unwrap().reply;
            assert_eq!((of(number), of(number + 1)), (&reply(read), &reply(stored)), "{db}");
        }
    }
}
