//! Tests of approvals whose effects differ from the preview.

use super::*;

#[tokio::test]
async fn changed_next_occurrence_voids_and_renews_the_approval() {
    for mut world in worlds().await {
        world.say("add stretch every day").await;
        world.task("wash car").await;
        world.scripted(&[("complete_task", json!({ "task_ids": [1, 2] }))]);
        let turn = world.say("finish up").await;
        let next = |turn: &Turn| {
            let preview = &turn.approval.as_ref().unwrap().preview;
            preview[0].next.as_ref().unwrap().due.clone().unwrap()
        };
        // Still pending on the next day, when the next occurrence is another one.
        world.state.ctx.clock.advance(80_000);
        let fresh = world.press(&turn, Verdict::Approve).await.unwrap();
        ended(&fresh, DecisionKind::InvokeTool, Outcome::ApprovalVoid);
        assert_eq!(world.approval(asked(&turn)).await.status, ApprovalStatus::Void);
        assert!(next(&turn) < next(&fresh), "{} {}", next(&turn), next(&fresh));
        let ran = world.press(&fresh, Verdict::Approve).await.unwrap();
        ended(&ran, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        let added = tasks::get(&world.state.ctx, &world.caller, TaskNumber(3)).await.unwrap();
        assert_eq!(added.due, Some(next(&fresh)));
    }
}

#[tokio::test]
async fn occurrences_added_by_combined_calls_are_previewed_before_they_run() {
    for mut world in worlds().await {
        world.task("stretch").await;
        world.task("wash car").await;
        world.scripted(&[
            ("update_task", json!({ "task_ids": [1, 2], "due": "today", "recurrence": "every day" })),
            ("complete_task", json!({ "task_ids": [1, 2] })),
        ]);
        let turn = world.say("finish up").await;
        let added = |turn: &Turn| {
            turn.approval.as_ref().unwrap().preview.iter().filter(|preview| preview.next.is_some()).count()
        };
        assert_eq!(added(&turn), 0, "each was asked for by itself");
        let fresh = world.press(&turn, Verdict::Approve).await.unwrap();
        ended(&fresh, DecisionKind::InvokeTool, Outcome::ApprovalVoid);
        assert_eq!(added(&fresh), 2);
        let ran = world.press(&fresh, Verdict::Approve).await.unwrap();
        assert!(ran.tool_calls.iter().all(|call| call.status == CallStatus::Ok), "{ran:#?}");
        assert!(world.has(TaskNumber(3)).await && world.has(TaskNumber(4)).await);
    }
}

#[tokio::test]
async fn second_completion_of_a_turn_asks_whatever_its_tool() {
    let complete = |id: i64| ("complete_task", json!({ "task_id": id }));
    let update = |id: i64| ("update_task", json!({ "task_id": id, "status": "completed" }));
    for calls in [[complete(1), update(2)], [update(1), complete(2)]] {
        for mut world in worlds().await {
            let (_, two) = (world.task("stretch").await, world.task("wash car").await);
            world.scripted(&calls);
            let turn = world.say("finish up").await;
            assert_eq!(turn.tool_calls[1].status, CallStatus::AwaitingApproval, "{turn:#?}");
            assert_eq!(tasks::get(&world.state.ctx, &world.caller, two).await.unwrap().status, Status::Pending);
        }
    }
}

#[tokio::test]
async fn calls_that_exclude_each_other_end_with_an_error() {
    for mut world in worlds().await {
        let (one, _) = (world.task("stretch").await, world.task("wash car").await);
        world.scripted(&[
            ("delete_task", json!({ "task_id": 1 })),
            ("update_task", json!({ "task_ids": [1, 2], "priority": "high" })),
        ]);
        let turn = world.say("tidy up").await;
        let ran = world.press(&turn, Verdict::Approve).await.unwrap();
        ended(&ran, DecisionKind::InvokeTool, Outcome::ToolFailed);
        assert!(world.has(one).await, "all of them or none");
    }
}
