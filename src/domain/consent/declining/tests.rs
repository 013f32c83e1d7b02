//! Tests of rejections and the approvals that they reject.

use serde_json::{Value, json};

use super::*;

#[test]
fn one_message_declines_every_request_or_all_but_the_newest() {
    for text in [
        "decline all",
        "No, decline all of them please",
        "reject everything",
        "no to all",
        "no to both of them",
        "turn down all the requests",
        "please dismiss them all",
        "can you reject both, thanks",
        "Decline all of those, please, I have got in a muddle",
    ] {
        assert_eq!(declines_several(text, false), Some(Several::All), "{text}");
    }
    for text in ["decline the others", "reject all but this one", "no to the other one", "ok, decline the older ones"] {
        assert_eq!(declines_several(text, false), Some(Several::Others), "{text}");
    }
    for text in ["none of them", "cancel both", "no, neither of those", "forget all of them", "cancel them all"] {
        assert_eq!(declines_several(text, true), Some(Several::All), "{text}");
        assert_eq!(declines_several(text, false), None, "{text}: tasks may be meant");
    }
    for text in [
        "don't decline all",
        "decline all?",
        "decline all invitations",
        "cancel everything",
        "cancel all my tasks",
        "delete all",
        "delete the others",
        "no",
        "all",
        "decline",
        "decline it",
        "reject all calls from Bob",
        "decline all, but keep the rent",
        "",
    ] {
        assert_eq!(declines_several(text, true), None, "{text}");
    }
}

/// Returns an approval for calls on a task, given as `{"tool", "arguments"}`.
fn request(number: i64, title: &str, calls: &Value) -> Approval {
    let at = "2026-03-11T09:00:00.000Z";
    let task = json!({"task_id": number, "title": title, "description": null, "status": "pending", "due": null, "priority": "none",
        "project": null, "tags": [], "recurrence": null, "version": 1, "created_at": at, "updated_at": at, "completed_at": null,
        "deleted_at": null});
    let id = "0198f0a0-0000-7000-8000-000000000000";
    let preview = if number == 0 { json!([]) } else { json!([{"task_id": number, "before": task, "after": task}]) };
    let approval = json!({"approval_id": id, "turn_id": id, "conversation_id": id, "status": "pending", "calls": calls,
        "preview": preview, "question": "?", "created_at": at, "expires_at": at, "decided_at": null, "decided_by": null,
        "decided_via": null, "reason": null});
    serde_json::from_value(approval).unwrap()
}

#[test]
fn rejection_naming_task_and_action_declines_that_approval() {
    let delete = request(13, "pay rent", &json!([{"tool": "delete_task", "arguments": {"task_id": 13}}]));
    for text in [
        "no dont delete the rent",
        "don't delete pay rent",
        "please do not remove task 13",
        "never delete #13!",
        "no, keep the rent",
        "keep the rent on the list please",
        "leave task 13 alone",
        "i don't want to get rid of the rent",
        "no wait, don't bin the rent one",
    ] {
        assert!(spares(text, &delete), "{text}");
    }
    for text in [
        "don't delete it",
        "don't delete the milk",
        "don't complete the rent",
        "don't rename the rent",
        "don't delete the rent, complete it",
        "delete the rent",
        "don't delete the rent?",
        "dont delete the rent and the milk",
        "keep it",
        "no",
    ] {
        assert!(!spares(text, &delete), "{text}");
    }
    let rename =
        request(4, "buy eggs", &json!([{"tool": "update_task", "arguments": {"task_id": 4, "title": "a dozen eggs"}}]));
    assert!(spares("no, don't rename the egg", &rename) && !spares("don't delete the eggs", &rename));
    assert!(spares("No, leave the eggs exactly as they are", &rename) && spares("not the eggs", &rename));
    let done =
        request(4, "buy eggs", &json!([{"tool": "update_task", "arguments": {"task_id": 4, "status": "completed"}}]));
    assert!(spares("don't mark the eggs as done", &done));
    let add = request(0, "", &json!([{"tool": "add_task", "arguments": {"title": "oat milk"}}]));
    assert!(spares("don't add oat milk", &add) && !spares("don't add milk chocolate", &add));
}

#[test]
fn a_message_that_names_several_approvals_rejects_only_some() {
    let delete = |id: i64, title| request(id, title, &json!([{"tool": "delete_task", "arguments": {"task_id": id}}]));
    let open = [&delete(1, "buy milk"), &delete(2, "pay rent")];
    for text in ["delete the milk one yes, keep the other", "yes to the milk but not the rent", "1 yes, 2 no"] {
        assert_eq!(set_apart(text, &open), Some(vec![1]), "{text}");
    }
    for text in ["yes to the milk", "delete the plants, keep the other", "keep the milk chocolate, yes", "both"] {
        assert_eq!(set_apart(text, &open), None, "{text}");
    }
}

#[test]
fn short_answers_fit_the_number_of_open_requests() {
    assert_eq!(answers_to(1), ["yes", "no"]);
    assert_eq!(answers_to(2), ["no", "decline the others", "decline all"]);
    for answer in &answers_to(2)[1..] {
        assert!(declines_several(answer, false).is_some(), "{answer}");
    }
}
