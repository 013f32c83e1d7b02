//! What is meant by words that look like something else: questions like wishes, orders like titles, titles like orders.

use super::{check, turn};
use crate::llm::Act;

#[test]
fn what_a_question_needs_is_not_put_on_the_list() {
    for message in ["will i need a hat tomorrow", "shall we need chairs on sunday", "how much have i got in savings"] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Refuse { .. }), "{message}: {calls:?} {act:?}");
    }
    for message in
        ["what sort of jobs can you handle", "which things are you able to do", "what types of stuff are you good at"]
    {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Say { .. }), "{message}: {calls:?} {act:?}");
    }
    for message in ["open sam's account and show me his tasks", "show me her todos", "please truncate table tasks"] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Refuse { .. }), "{message}: {calls:?} {act:?}");
    }
    check(&["add read about drop table to my list"], &[r#"add_task {"title":"read about drop table"}"#]);
    check(&["how much is left on my list"], &[r#"list_tasks {"status":"pending"}"#]);
}

#[test]
fn what_is_called_done_is_completed_and_not_added() {
    for message in [
        "set the reminder to wash the dog as completed",
        "put the wash the dog task as finished",
        "mark off wash the dog as sorted on my list",
        "cross wash the dog off as done on my list",
    ] {
        check(&[message], &[r#"complete_task {"task_id":4}"#]);
    }
    check(&["set a task to mark the order as paid"], &[r#"add_task {"title":"mark the order as paid"}"#]);
    check(&["add file the return as complete to my list"], &[r#"add_task {"title":"file the return as complete"}"#]);
    let number = r#"get_task {"task_id":3}"#;
    check(&["see task 3 in detail"], &[number]);
    check(&["see task 3", "ok now it's done"], &[r#"complete_task {"task_id":3}"#]);
    check(&["see task 3", "oh i did do that, tick it off"], &[r#"complete_task {"task_id":3}"#]);
}

#[test]
fn what_a_task_is_called_is_no_order() {
    check(&["add a task called yes bin it"], &[r#"add_task {"title":"yes bin it"}"#]);
    check(&["remind me", "cancel the gym tomorrow"], &[r#"add_task {"due":"2026-03-12","title":"cancel the gym"}"#]);
    check(&["add a task", "finish the shed"], &[r#"add_task {"title":"finish the shed"}"#]);
    check(&["add a task", "delete laundry"], &[r#"delete_task {"task_id":3}"#]);
    check(&["add me washing the mats"], &[r#"add_task {"title":"wash the mats"}"#]);
    check(&["add soap to todo"], &[r#"add_task {"title":"soap"}"#]);
    check(&["my list should have sand the door on it"], &[r#"add_task {"title":"sand the door"}"#]);
    check(
        &["two jobs for friday: sand the door, oil the hinge"],
        &[
            r#"add_task {"due":"2026-03-13","title":"sand the door"}"#,
            r#"add_task {"due":"2026-03-13","title":"oil the hinge"}"#,
        ],
    );
    check(
        &["i keep forgetting to feed the snake, so nudge me about it on friday at 6pm"],
        &[r#"add_task {"due":"2026-03-13T18:00:00+00:00","title":"feed the snake"}"#],
    );
    check(&["put \"sand\" on the list would you, low priority"], &[r#"add_task {"priority":"low","title":"sand"}"#]);
}

#[test]
fn a_day_is_told_from_a_place_and_a_deed() {
    check(&["remind me to pay jo on the first"], &[r#"add_task {"due":"2026-04-01","title":"pay jo"}"#]);
    check(&["remind me at 4 45 to go"], &[r#"add_task {"due":"2026-03-11T16:45:00+00:00","title":"go"}"#]);
    check(&["what have i still got to get done"], &[r#"list_tasks {"status":"pending"}"#]);
    check(&["what did i get done"], &[r#"list_tasks {"status":"completed"}"#]);
    check(&["i told you to remember something, what was it"], &[r#"list_tasks {"status":"pending"}"#]);
    for message in ["push the deadline", "could you move the due date"] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Ask { .. }), "{message}: {calls:?} {act:?}");
    }
}

#[test]
fn what_is_there_is_not_told_from_a_part_of_it() {
    check(&["add report if it's not on my list"], &[r#"add_task {"title":"report"}"#]);
    let (calls, _) = turn(&mut vec![], "add milk if it's not on my list");
    assert!(calls.is_empty(), "{calls:?}");
}

#[test]
fn days_and_doubts_are_said_in_many_ways() {
    check(&["mark off eggs as purchased on my list"], &[r#"complete_task {"task_id":2}"#]);
    check(
        &["i keep forgetting to feed the snake, so ping me about it tomorrow"],
        &[r#"add_task {"due":"2026-03-12","title":"feed the snake"}"#],
    );
    check(&["show me this week's tasks"], &[r#"list_tasks {"due":"week","status":"pending"}"#]);
    check(&["list friday's tasks"], &[r#"list_tasks {"due":"2026-03-13","status":"pending"}"#]);
    check(&["add salt but only if there isn't any already"], &[r#"add_task {"title":"salt"}"#]);
    let (calls, act) = turn(&mut vec![], "the plumber is coming on friday");
    assert!(calls.is_empty() && matches!(act, Act::Ask { .. }), "{calls:?} {act:?}");
}

#[test]
fn what_is_nearly_done_stays_open() {
    for message in [
        "nearly done with the laundry",
        "i'm half finished with laundry",
        "almost done with laundry",
        "i was going to delete laundry but changed my mind",
        "i wouldn't delete the laundry",
    ] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Say { .. }), "{message}: {calls:?} {act:?}");
    }
    check(&["all done with the laundry"], &[r#"complete_task {"task_id":3}"#]);
}
