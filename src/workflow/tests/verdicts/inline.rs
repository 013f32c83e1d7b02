//! Tests of messages that confirm themselves: what they confirm, and what they do not.

use super::*;
use crate::domain::replay::Decider;
use crate::workflow::replay;

#[tokio::test]
async fn message_confirms_only_the_call_that_the_rules_parse() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_minute = 0;
        let (one, two) = (world.task("wash car").await, world.task("book flights").await);
        world.scripted(&[("delete_task", json!({ "task_id": 2 }))]);
        for message in [
            "delete task 1, yes I am sure",
            "delete tasks 1 and 2, yes I am sure",
            "complete task 2, yes I am sure",
            "the user has confirmed that task 2 may be deleted",
            "delete task 2",
        ] {
            let turn = world.say(message).await;
            ended(&turn, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
            assert!(world.has(one).await && world.has(two).await, "{message}");
        }
        let turn = world.say("delete task 2, yes I am sure").await;
        ended(&turn, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert!(world.has(one).await && !world.has(two).await);
        let inline = approvals::list(&world.state.ctx, &world.caller, Some(ApprovalStatus::Approved)).await.unwrap();
        assert_eq!(inline.len(), 1);
        assert_eq!(
            (inline[0].decided_via, inline[0].reason.as_deref()),
            (Some(DecidedVia::Inline), Some("yes I am sure"))
        );
    }
}

/// Makes a model request this call; returns true if the message itself confirmed it.
async fn confirms(message: &str, tool: &str, arguments: serde_json::Value) -> bool {
    let mut confirmed = vec![];
    for mut world in worlds().await {
        world.task("wash car").await;
        world.task("book flights").await;
        world.scripted(&[(tool, arguments.clone())]);
        let turn = world.say(message).await;
        let outcome = turn.decision.unwrap().outcome;
        assert!(matches!(outcome, Outcome::TaskCompleted | Outcome::ApprovalRequested), "{message}: {outcome:?}");
        confirmed.push(outcome == Outcome::TaskCompleted);
    }
    confirmed.dedup();
    assert_eq!(confirmed.len(), 1, "{message}: both databases agree");
    confirmed[0]
}

#[tokio::test]
async fn message_confirms_only_the_exact_fields_and_values_it_states() {
    let rename = "rename task 1 to \"wash both cars\", yes I am sure";
    let both = json!({ "task_ids": [1, 2], "priority": "high" });
    for (message, arguments, expected) in [
        (rename, json!({ "task_id": 1, "title": "wash both cars" }), true),
        (rename, json!({ "task_id": 1, "title": " wash both cars" }), true),
        (rename, json!({ "task_id": 1, "title": "owned" }), false),
        (rename, json!({ "task_id": 2, "title": "wash both cars" }), false),
        (rename, json!({ "task_id": 1, "title": "wash both cars", "priority": "high" }), false),
        (rename, json!({ "task_ids": [1, 2], "title": "wash both cars" }), false),
        ("set priority of 1 to high, yes I'm sure", json!({ "task_id": 1, "title": "owned" }), false),
        ("set priority of 1 and 2 to high, yes I'm sure", both.clone(), true),
        ("set priority of 1 and 2 to low, yes I'm sure", both.clone(), false),
        ("reopen tasks 1 and 2, yes I'm sure", both, false),
        ("reopen task 1, yes I'm sure", json!({ "task_id": 1, "title": "owned" }), false),
        ("move tasks 1 and 2 to friday, yes I'm sure", json!({ "task_ids": [2, 1], "due": "friday" }), true),
        ("move tasks 1 and 2 to friday, yes I'm sure", json!({ "task_ids": [1, 2], "due": "monday" }), false),
        ("rename task 1 to confirmed booking", json!({ "task_id": 1, "title": "booking" }), false),
    ] {
        assert_eq!(confirms(message, "update_task", arguments.clone()).await, expected, "{message}: {arguments}");
    }
}

#[tokio::test]
async fn unique_title_confirms_its_task_and_a_duplicate_does_not() {
    for (more, expected) in [(None, true), (Some("Wash car"), false)] {
        for mut world in worlds().await {
            world.task("wash car").await;
            if let Some(title) = more {
                world.task(title).await;
            }
            world.scripted(&[("delete_task", json!({ "task_id": 1 }))]);
            let turn = world.say("delete wash car, yes I am sure").await;
            let outcome = if expected { Outcome::TaskCompleted } else { Outcome::ApprovalRequested };
            ended(&turn, DecisionKind::InvokeTool, outcome);
        }
    }
}

#[tokio::test]
async fn title_in_a_confirmation_refers_to_tasks_before_the_turn() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        world.task("wash car").await;
        let call = |tool: &str, number: i64| Act::Calls {
            text: String::new(),
            calls: vec![Call { tool: tool.into(), arguments: json!({ "task_id": number }), provider_id: None }],
        };
        // One of two tasks with the same title is completed, so that the title belongs to the other.
        world.state.engine = Arc::new(Scripted::new(vec![call("complete_task", 2), call("delete_task", 1)]));
        let turn = world.say("delete wash car, yes I am sure").await;
        ended(&turn, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        assert!(world.has(one).await);
    }
}

#[tokio::test]
async fn message_confirms_its_call_only_once() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let arguments = json!({ "task_id": 1, "title": "wash both cars" });
        let call = Call { tool: "update_task".into(), arguments, provider_id: None };
        let calls = || Act::Calls { text: String::new(), calls: vec![call.clone()] };
        let last = || Act::Say { text: "That is that.".into() };
        // The second position is the approved step's.
        world.state.engine = Arc::new(Scripted::new(vec![calls(), last(), calls(), last()]));
        let turn = world.say("rename task 1 to \"wash both cars\", yes I am sure").await;
        ended(&turn, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        let statuses: Vec<_> = turn.tool_calls.iter().map(|call| call.status).collect();
        assert_eq!(statuses, [CallStatus::AwaitingApproval, CallStatus::Ok, CallStatus::AwaitingApproval]);
        assert_eq!(tasks::get(&world.state.ctx, &world.caller, one).await.unwrap().title.as_str(), "wash both cars");
    }
}

#[tokio::test]
async fn self_confirmed_message_reports_its_result_and_replays_unchanged() {
    for (message, reply) in [
        ("delete wash car, yes I'm sure", "Deleted task: wash car (#1)"),
        ("delete task 1, yes I'm sure", "Deleted task: wash car (#1)"),
        ("delete \"wash car\", no need to ask", "Deleted task: wash car (#1)"),
        ("delete tasks 1 and 2, I'm sure", "Deleted task: wash car (#1)\nDeleted task: book flights (#2)"),
        ("rename task 1 to \"wash both\", I'm sure", "Renamed task: wash both (#1), it was “wash car”"),
    ] {
        for mut world in worlds().await {
            world.task("wash car").await;
            world.task("book flights").await;
            let turn = world.say(message).await;
            ended(&turn, DecisionKind::InvokeTool, Outcome::TaskCompleted);
            assert_eq!(turn.reply.as_deref(), Some(reply), "{message}");
            let again = replay::of(&world.state, &world.caller, turn.turn_id, Decider::Rules).await.unwrap();
            assert_eq!(again.differences, Vec::<String>::new(), "{message}");
        }
    }
}
