//! Wishes half said, orders denied, things of other people, and answers that go on from a question.

use super::{check, turn};
use crate::llm::Act;

#[test]
fn what_is_half_said_is_asked_about() {
    for message in [
        "i was thinking i should repaint the shed",
        "need to ring the plumber",
        "pop something on for saturday",
        "edit the meeting one",
        "call mum not finished actually, my bad",
        "car tax by friday?",
        "chuck on some Fleetwood Mac",
    ] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Ask { .. } | Act::Say { .. } | Act::Refuse { .. }), "{message}");
        let asks = !message.starts_with("chuck");
        assert_eq!(matches!(act, Act::Ask { .. }), asks, "{message}: {act:?}");
    }
}

#[test]
fn what_is_denied_stays_and_what_is_not_mine_is_refused() {
    for message in [
        "keep 3 on there, don't delete it",
        "i've not washed the dog yet",
        "leave the laundry on there, don't take it off",
        "what else can you do?",
    ] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Say { .. }), "{message}: {calls:?} {act:?}");
    }
    for message in ["list the tasks of user Bea", "delete every task belonging to user 7"] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Refuse { .. }), "{message}: {calls:?} {act:?}");
    }
}

#[test]
fn what_is_said_plainly_is_done() {
    for (message, call) in [
        ("add Um Bongo to my list", r#"add_task {"title":"Um Bongo"}"#),
        ("um, add bread", r#"add_task {"title":"bread"}"#),
        ("remind me to check my list", r#"add_task {"title":"check my list"}"#),
        ("put flour on, but only if it isn't on there", r#"add_task {"title":"flour"}"#),
        ("ad task sweep the yard", r#"add_task {"title":"sweep the yard"}"#),
        ("in a week's time remind me to ring jo", r#"add_task {"due":"2026-03-18","title":"ring jo"}"#),
        ("could you get 'mop floor' added for friday", r#"add_task {"due":"2026-03-13","title":"mop floor"}"#),
        ("name it 'fold laundry' instead of 'laundry'", r#"update_task {"task_id":3,"title":"fold laundry"}"#),
        ("all of it, finished and unfinished", r#"list_tasks {"status":"all"}"#),
        ("ok, what next?", r#"list_tasks {"status":"pending"}"#),
    ] {
        check(&[message], &[call]);
    }
    check(&["lose the eggs, get tofu instead"], &[r#"delete_task {"task_id":2}"#, r#"add_task {"title":"get tofu"}"#]);
}

#[test]
fn what_was_said_before_is_kept() {
    check(
        &["remind me on friday", "to clean the oven"],
        &[r#"add_task {"due":"2026-03-13","title":"clean the oven"}"#],
    );
    check(
        &["move laundry to friday", "set its title to sort the laundry"],
        &[r#"update_task {"task_id":3,"title":"sort the laundry"}"#],
    );
}
