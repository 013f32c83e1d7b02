//! Lists filtered by words, and the times that they show.

use super::*;

#[test]
fn words_are_searched_for() {
    for message in ["do i have anything with José?", "anything with José", "anything about José?", "search José"] {
        let (act, _) = plan::decide(&request(vec![Entry::User { text: message.into() }], 0));
        let Act::Calls { calls, .. } = &act else { panic!("{message}: {act:?}") };
        let query = calls[0].arguments["query"].as_str().unwrap_or_default();
        assert!(query.to_lowercase().contains("jos"), "{message}: {calls:?}");
    }
}

#[test]
fn list_reply_shows_due_times_and_the_total_count() {
    let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
    let reader = plan::phrase::Reader { now: &now, zone: "Europe/London" };
    let mut first = task(1);
    first["due"] = json!("2026-03-12T17:00:00+00:00");
    let listed = json!({ "tasks": [first, task(2)], "total": 57 });
    let call = Call { tool: "list_tasks".into(), arguments: json!({}), provider_id: None };
    let lines = plan::phrase::call(&call, &CallResult { status: CallStatus::Ok, value: listed }, reader);
    assert_eq!(
        lines.join("\n"),
        "You have 57 tasks:\n1. buy milk (#1), due Tomorrow 17:00\n2. eggs (#2)\n2 of 57. The Tasks page (/tasks) shows all of them."
    );
}
