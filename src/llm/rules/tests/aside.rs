//! What stays, what takes another's place, what goes elsewhere, and what only asks for time.

use super::{check, request, turn};
use crate::llm::rules::plan;
use crate::llm::{Act, Entry, Pending};

#[test]
fn what_is_kept_and_what_is_replaced_is_told_apart() {
    for (message, calls) in [
        ("keep the laundry and call mum, bin the rest", &[r#"delete_task {"task_ids":[1,2,4,6,7,8]}"#][..]),
        ("leave 3 alone and tick off the others", &[r#"complete_task {"task_ids":[1,2,4,5,7,8]}"#]),
        ("erase everything but keep the laundry", &[r#"delete_task {"task_ids":[1,2,4,5,6,7,8]}"#]),
        ("tick all of them off", &[r#"complete_task {"task_ids":[1,2,3,4,5,7,8]}"#]),
        (
            "bin the eggs and pop on smoked salmon instead",
            &[r#"delete_task {"task_id":2}"#, r#"add_task {"title":"smoked salmon"}"#],
        ),
        ("pop pay rent back on", &[r#"update_task {"status":"pending","task_id":6}"#]),
        ("task 4 info please", &[r#"get_task {"task_id":4}"#]),
        ("bung flour on there unless it's on already", &[r#"add_task {"title":"flour"}"#]),
        ("bung eggs on there unless they're on it", &[]),
    ] {
        check(&[message], calls);
    }
    check(&["complete 1 and 2", "delete the others"], &[r#"delete_task {"task_ids":[3,4,5,6,7,8]}"#]);
}

#[test]
fn titles_and_notes_are_taken_as_they_are_said() {
    for (message, call) in [
        ("new task called list the piano on ebay", r#"add_task {"title":"list the piano on ebay"}"#),
        ("add a task named tidy my to-do list", r#"add_task {"title":"tidy my to-do list"}"#),
        ("remind me to bring in the shopping", r#"add_task {"title":"bring in the shopping"}"#),
        (
            "add ring the bank and write 'ask for Sue' in the notes",
            r#"add_task {"description":"ask for Sue","title":"ring the bank"}"#,
        ),
        (
            "add book the van, notes should say needs tow bar",
            r#"add_task {"description":"needs tow bar","title":"book the van"}"#,
        ),
        ("add a letter to the council", r#"add_task {"title":"a letter to the council"}"#),
        ("add go to the gym", r#"add_task {"title":"go to the gym"}"#),
    ] {
        check(&[message], &[call]);
    }
    check(
        &["show task 3", "jot 'cold wash' in its notes"],
        &[r#"update_task {"description":"cold wash","task_id":3}"#],
    );
}

#[test]
fn what_may_be_meant_for_elsewhere_changes_nothing() {
    for message in [
        "add lemon to the tea",
        "tick off the groceries",
        "get it finished by friday",
        "we could do with more foil",
        "mark the gift card done",
        "delete the rest",
        "put call first in the notes",
    ] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Ask { .. }), "{message}: {calls:?} {act:?}");
    }
    for message in ["add Jo to the team chat", "add her to my group", "give me a recipe for eggs"] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Refuse { .. }), "{message}: {calls:?} {act:?}");
    }
}

#[test]
fn only_what_concerns_a_question_brings_it_back() {
    let question = "Are you sure you want to delete task 3? (yes/no)";
    let again = |message: &str| {
        let mut request = request(vec![Entry::User { text: message.into() }], 0);
        request.pending = vec![Pending { question: question.into(), asked_last: true }];
        matches!(plan::decide(&request).0, Act::AskAgain { .. })
    };
    for message in ["hold on, i need to think", "one moment please", "how many is that?", "is that all of them?"] {
        assert!(again(message), "{message}");
    }
    for message in ["how far is it to leeds?", "is it raining?", "what is that in euros"] {
        assert!(!again(message), "{message}");
    }
}
