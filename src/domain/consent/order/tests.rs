//! Tests of explicit orders.

use serde_json::json;

use super::*;
use crate::domain::id::TaskNumber;
use crate::domain::task::Task;

const DELETES: &str = "delete_task";

fn task(number: i64, title: &str) -> Task {
    let fields = json!({
        "task_id": number, "title": title, "status": "pending", "priority": "none", "tags": [], "version": 1,
        "created_at": "2026-03-01T09:00:00Z", "updated_at": "2026-03-01T09:00:00Z",
    });
    Task { task_id: TaskNumber(number), ..serde_json::from_value(fields).expect("a task") }
}

fn call(tool: &str, arguments: Value) -> Call {
    Call { tool: tool.to_owned(), arguments, provider_id: None }
}

fn spelled(order: &str, calls: &[Call]) -> bool {
    let tasks = [task(5, "pay rent"), task(7, "do not forget milk")];
    is_spelled_out(order, calls, &tasks, (&Timestamp::parse("2026-03-11T09:30:00Z").unwrap(), "Europe/London"), true)
}

#[test]
fn a_plain_order_leaves_no_word_over() {
    let five = || call(DELETES, json!({ "task_id": 5 }));
    for order in [
        "delete 5",
        "Delete task #5",
        "please delete task five",
        "could you please remove task 5 from my list",
        "get rid of 5",
        "delete \"pay rent\"",
        "bin pay rent",
        "I'd like you to delete task 5 now",
        "Hey Docket, delete #5 please!",
        "delete the pay rent task",
        "delete task 5 \"pay rent\"",
        "throw 5 away",
        "take pay rent off my list",
        "put 5 in the bin",
        "ok, now delete “Pay rent”, thanks.",
    ] {
        assert!(spelled(order, &[five()]), "{order}");
    }
    let due = json!({ "task_id": 5, "due": "2026-03-13" });
    assert!(spelled("move 5 to friday", &[call("update_task", due)]));
    let title = json!({ "task_id": 5, "title": "never again" });
    assert!(spelled("rename 5 to \"never again\"", &[call("update_task", title.clone())]));
    assert!(!spelled("rename 5 to never again", &[call("update_task", title)]), "a denial");
    assert!(spelled("delete do not forget milk", &[call(DELETES, json!({ "task_id": 7 }))]));
    assert!(spelled("mark 5 as complete", &[call("complete_task", json!({ "task_id": 5 }))]));
    let both = [five(), call("delete_task", json!({ "task_id": 7 }))];
    assert!(spelled("delete 5 and remove 7", &both) && spelled("delete 5 then please delete 7", &both));
    let batch = [call(DELETES, json!({ "task_ids": [5, 7] }))];
    for order in ["delete tasks 5 and 7", "delete 7, 5", "bin 5 & 7", "delete both pay rent and do not forget milk"] {
        assert!(spelled(order, &batch), "{order}");
    }
    assert!(!spelled("delete 5", &batch) && !spelled("delete 5, 5", &batch), "each is named");
    let two = |one: Value, other: Value| [call("update_task", one), call("update_task", other)];
    let days = two(json!({ "task_id": 5, "due": "2026-03-13" }), json!({ "task_id": 7, "due": "2026-03-16" }));
    assert!(
        spelled("move 5 to friday and 7 to monday", &days) || spelled("move 5 to friday and move 7 to monday", &days)
    );
    for (order, fields) in [
        ("set the priority of 5 to high", json!({ "task_id": 5, "priority": "high" })),
        ("make 5 urgent", json!({ "task_id": 5, "priority": "high" })),
        ("move 5 to project \"home\"", json!({ "task_id": 5, "project": "home" })),
        ("tag 5 with \"errand\"", json!({ "task_id": 5, "tags": ["errand"] })),
        ("rename 5 to \"pay the rent!\"", json!({ "task_id": 5, "title": "pay the rent!" })),
        ("rename pay rent to \"pay (all of) it\"", json!({ "task_id": 5, "title": "pay (all of) it" })),
        ("reopen 5", json!({ "task_id": 5, "status": "pending" })),
    ] {
        assert!(spelled(order, &[call("update_task", fields)]), "{order}");
    }
    for (order, fields) in [
        ("set the priority of 5 to low", json!({ "task_id": 5, "priority": "high" })),
        ("rename 5 to tea", json!({ "task_id": 5, "title": "tea" })),
        ("rename 5 to #tea unless Bob objects", json!({ "task_id": 5, "title": "#tea unless Bob objects" })),
        ("move 5 to the project if it rains", json!({ "task_id": 5, "project": "if it rains" })),
        ("rename 5 to tea if it rains", json!({ "task_id": 5, "title": "tea" })),
        ("rename 5 to tea", json!({ "task_id": 5, "title": "tea", "priority": "high" })),
        ("move 5 to friday or monday", json!({ "task_id": 5, "due": "2026-03-13" })),
    ] {
        assert!(!spelled(order, &[call("update_task", fields)]), "{order}");
    }
}

#[test]
fn what_denies_reports_or_bounds_an_order_is_none() {
    for order in [
        "tasks 5 must not be deleted",
        "could you please not delete 5",
        "keep 6, don't delete 5",
        "I would never delete task 5",
        "I would delete 5",
        "not delete 5",
        "nobody should delete 5",
        "be careful not to delete 5",
        "I forbid you to delete 5",
        "I promised never to delete 5",
        "we agreed not to delete 5",
        "delete 5, I am not so sure",
        "delete 5 you will ask me",
        "delete 5 I will regret it",
        "> delete 5",
        "Bob: delete 5",
        "for example delete 5",
        "note to self: delete 5",
        "delete 5 on friday",
        "delete 5 unless it rains",
        "delete not 5",
        "do not delete 5",
        "cancel delete 5",
        "drop the delete of 5",
        "please cancel delete task 5",
        "hello\ndelete 5",
        "delete 5 or 6",
        "did Ann delete 5",
        "",
        // Signs negate, quote and question as messages do.
        "delete 5 🚫",
        "delete 5 👎",
        "🚫 delete 5",
        "please 🚫 delete 5",
        "delete 5？",
        "~~delete 5~~",
        "please > delete 5",
        "please `delete 5`",
        "please <!-- delete 5 -->",
        "please (delete 5",
        "delete 5 [ ]",
        "delete 5, ¬",
        "delete 5, 「 」",
        "delete 5, ~~ ~~",
        "delete 5\u{2028}",
        "delete ¬5",
        "delete -5",
        "delete 5/6",
        "delete 5%",
        "delete 5,6",
        // Words of other forms of orders.
        "lose \"pay rent\" on a",
        "erase pay rent on a",
        "wipe \"pay rent\" from my",
        "delete 5 and then",
        "delete 5 to",
        "delete 5 then finished",
        "take 5 off the project",
        "take 5 off high",
        "take 5 off",
        "delete 5 tasks",
        "delete my 5 tasks",
        "delete 5 items",
        "delete the due date of 5",
        "delete 5 done",
        "delete 5 now done",
        "clear 5 high",
        "you can delete 5",
        "delete pay",
        "delete \"pay\" rent",
        "delete \"pay rent",
        "delete 'pay rent",
        "delete pay rent 5 5",
        "delete both 5",
        "delete both tasks 5",
        "delete items 5",
        "would you delete 5",
        "!delete 5",
        "- delete 5",
        "delete 5 ;)",
        "delete 5,",
    ] {
        assert!(!spelled(order, &[call(DELETES, json!({ "task_id": 5 }))]), "{order}");
    }
    // A title is only a name if the number is not one.
    assert!(!spelled("delete not 7", &[call(DELETES, json!({ "task_id": 7 }))]));
}

#[test]
fn titles_that_resemble_numbers_do_not_increase_parsing_cost() {
    let tasks: Vec<_> = (1..=63).map(|number| task(number, &(number % 9 + 1).to_string())).collect();
    let numbers: Vec<i64> = (1..=63).collect();
    let list = numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let calls = [call(DELETES, json!({ "task_ids": numbers }))];
    let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
    // Each number may be a number or a title: too many readings, so approval is required.
    assert!(!is_spelled_out(&format!("delete {list}"), &calls, &tasks, (&now, "Europe/London"), true));
}

#[test]
fn number_word_is_a_task_id_only_after_a_noun() {
    let three = [call(DELETES, json!({ "task_id": 3 }))];
    let tasks = [task(3, "laundry")];
    let says = |order: &str, courtesy: bool| {
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        is_spelled_out(order, &three, &tasks, (&now, "Europe/London"), courtesy)
    };
    for order in ["delete task three", "delete number three", "delete 3", "delete the task laundry"] {
        assert!(says(order, true) && says(order, false), "{order}");
    }
    let four = [call(DELETES, json!({ "task_ids": [3, 4] }))];
    let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
    let both = [task(3, "laundry"), task(4, "tea")];
    for (order, is_plain) in
        [("delete tasks three and four", true), ("delete 3 and four", true), ("delete three and four", false)]
    {
        assert_eq!(is_spelled_out(order, &four, &both, (&now, "Europe/London"), true), is_plain, "{order}");
    }
    for order in [
        "delete 3 from my tasks",
        "delete three",
        "delete three for me",
        "delete 3 now, !",
        "delete 3 !",
        "delete 3!!",
        "delete 3 ..",
    ] {
        assert!(!says(order, true), "{order}");
    }
    // A task that was not looked up may be called "3 now".
    for order in ["delete 3 now", "please delete 3", "delete 3 from my list"] {
        assert!(says(order, true) && !says(order, false), "{order}");
    }
}
