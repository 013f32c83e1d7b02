//! Which orders leave no word over, and which do.

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
    is_spelled_out(order, calls, &tasks, &Timestamp::parse("2026-03-11T09:30:00Z").unwrap(), "Europe/London")
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
    ] {
        assert!(spelled(order, &[five()]), "{order}");
    }
    let due = json!({ "task_id": 5, "due": "2026-03-13" });
    assert!(spelled("move 5 to friday", &[call("update_task", due)]));
    let title = json!({ "task_id": 5, "title": "never again" });
    assert!(spelled("rename 5 to never again", &[call("update_task", title)]));
    assert!(spelled("delete do not forget milk", &[call(DELETES, json!({ "task_id": 7 }))]));
    assert!(spelled("mark 5 as complete", &[call("complete_task", json!({ "task_id": 5 }))]));
    let both = [five(), call("delete_task", json!({ "task_id": 7 }))];
    assert!(spelled("delete 5 and remove 7", &both) && spelled("delete 5 then please delete 7", &both));
    assert!(spelled("delete tasks 5 and 7", &[call(DELETES, json!({ "task_ids": [5, 7] }))]));
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
    ] {
        assert!(!spelled(order, &[call(DELETES, json!({ "task_id": 5 }))]), "{order}");
    }
    // The words of a title are a name only where the number is none.
    assert!(!spelled("delete not 7", &[call(DELETES, json!({ "task_id": 7 }))]));
}

#[test]
fn a_yes_says_nothing_else_than_what_it_approves() {
    let calls = |tool: ToolName, arguments: Value| vec![ApprovalCall { tool, arguments }];
    let one = calls(ToolName::DeleteTask, json!({ "task_id": 4 }));
    let two = calls(ToolName::DeleteTask, json!({ "task_ids": [4, 5] }));
    let renames = calls(ToolName::UpdateTask, json!({ "task_id": 4, "title": "x" }));
    for yes in ["yes", "yes, delete it", "yes that one", "go ahead and bin it", "yes please get rid of it", "correct"] {
        assert!(fits(yes, &one), "{yes}");
    }
    for other in ["yes, complete it", "go ahead and rename it", "by all means complete it", "correct that", "yes, both"]
    {
        assert!(!fits(other, &one), "{other}");
    }
    assert!(fits("yes, delete both", &two) && fits("yes, all of them", &two) && !fits("yes, delete that one", &two));
    assert!(fits("yes, rename it", &renames) && !fits("yes, delete it", &renames));
}
