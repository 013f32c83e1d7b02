//! Commands for all tasks of a project, tag or day.

use super::*;

/// Asserts the lookup that begins a bulk command.
#[track_caller]
fn looks_up(message: &str, narrowed: &Value) {
    let (act, intent) = plan::decide(&request(vec![Entry::User { text: message.into() }], 0));
    let Act::Calls { calls, .. } = &act else { panic!("{message}: {act:?}") };
    let mut expected = json!({ "limit": 1000 });
    for (name, value) in narrowed.as_object().unwrap() {
        expected[name] = value.clone();
    }
    assert_eq!((calls.len(), &calls[0].arguments), (1, &expected), "{message}: {intent}");
}

#[test]
fn orders_for_many_tasks_are_narrowed_by_what_is_named() {
    for (message, narrowed) in [
        ("complete everything in #Work", json!({ "status": "pending", "project": "Work" })),
        ("set everything in #Work to p1", json!({ "status": "all", "project": "Work" })),
        ("make all tasks in #Work high priority", json!({ "status": "all", "project": "Work" })),
        ("delete everything tagged home", json!({ "status": "all", "tag": "home" })),
        ("complete all my tasks tagged @home", json!({ "status": "pending", "tag": "home" })),
        ("delete all tasks in the garden project", json!({ "status": "all", "project": "garden" })),
        ("push everything from tomorrow to saturday", json!({ "status": "all", "due": "2026-03-12" })),
        ("move everything due friday to monday", json!({ "status": "all", "due": "2026-03-13" })),
        ("complete everything for friday", json!({ "status": "pending", "due": "2026-03-13" })),
        ("move monday's stuff to tuesday", json!({ "status": "all", "due": "2026-03-16" })),
    ] {
        looks_up(message, &narrowed);
    }
    looks_up("complete everything", &json!({ "status": "pending" }));
    looks_up("move everything to friday", &json!({ "status": "all" }));
}
