//! What goes on from a task or from a question that waits: names, looks, second thoughts, time to think.

use super::{check, request, turn};
use crate::llm::rules::{plan, waiting};
use crate::llm::{Act, Entry, Pending};

#[test]
fn what_was_spoken_of_gets_a_name_and_a_date_without_being_named() {
    let title = |title: &str| format!(r#"update_task {{"task_id":3,"title":"{title}"}}"#);
    for (message, name) in [
        ("and name it wool wash for Gus", "wool wash for Gus"),
        ("call it hand wash only", "hand wash only"),
        ("rename that one hand wash", "hand wash"),
        ("change the title to hand wash", "hand wash"),
        ("oh and call it “Gus's wash”", "Gus's wash"),
    ] {
        check(&["show task 3", message], &[&title(name)]);
    }
    check(&["show task 3", "change the deadline to friday"], &[r#"update_task {"due":"2026-03-13","task_id":3}"#]);
    check(&["show task 3", "set the priority to low"], &[r#"update_task {"priority":"low","task_id":3}"#]);
    check(&["make a new task and call it mend the tent"], &[r#"add_task {"title":"mend the tent"}"#]);
    check(&["add book the hall. call it hire the hall"], &[r#"add_task {"title":"hire the hall"}"#]);
    for message in
        ["call it a day", "call it off tomorrow", "call it something else", "change the date", "rename that one"]
    {
        let mut entries = vec![];
        turn(&mut entries, "show task 3");
        let (calls, act) = turn(&mut entries, message);
        assert!(!calls.iter().any(|call| call.contains("title")), "{message}: {calls:?} {act:?}");
    }
}

#[test]
fn what_was_changed_last_is_shown() {
    for message in [
        "show it to me",
        "let me see that one",
        "how's it looking now",
        "how does that look",
        "what does it look like now",
        "show me what it says now",
        "how does task 3 look now?",
        "ok show me the details",
    ] {
        check(&["move the laundry to friday", message], &[r#"get_task {"task_id":3}"#]);
    }
}

#[test]
fn what_is_denied_after_it_was_done_is_taken_back_or_asked_about() {
    let back = [r#"get_task {"task_id":3}"#, r#"update_task {"status":"pending","task_id":3}"#];
    for message in [
        "oh wait it isn't washed yet, undo that",
        "no hang on, we haven't finished it, put it back",
        "hmm that's not right, undo it please",
    ] {
        check(&["complete the laundry", message], &back);
    }
    check(&["complete the laundry", "show my tasks", "undo that"], &back);
    for message in ["oh no i haven't", "wait, it's not washed yet"] {
        let mut entries = vec![];
        turn(&mut entries, "complete the laundry");
        let (calls, act) = turn(&mut entries, message);
        assert!(calls.is_empty() && matches!(act, Act::Ask { .. }), "{message}: {calls:?} {act:?}");
    }
    // What is denied of another task is that one's.
    let mut entries = vec![];
    turn(&mut entries, "complete the laundry");
    let (calls, _) = turn(&mut entries, "i haven't posted the report");
    assert!(calls.is_empty(), "{calls:?}");
}

#[test]
fn what_stays_is_left_and_what_is_insisted_on_is_done() {
    for message in [
        "whatever you do leave the laundry on there",
        "under no circumstances delete the laundry",
        "i want to keep the eggs on my list",
        "please keep call mum where it is",
    ] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Say { .. }), "{message}: {calls:?} {act:?}");
    }
    check(&["do mark the laundry as done though"], &[r#"complete_task {"task_id":3}"#]);
    check(&["but do scrap the eggs"], &[r#"delete_task {"task_id":2}"#]);
    check(&["complete 1 and 2", "no wait, not all of them"], &[]);
    check(&["i have printed it", "the print one"], &[r#"complete_task {"task_id":7}"#]);
    check(&["and one for friday: sand the door"], &[r#"add_task {"due":"2026-03-13","title":"sand the door"}"#]);
}

#[test]
fn an_excuse_without_a_verb_is_no_part_of_a_request() {
    let gone = [r#"delete_task {"task_id":9}"#];
    for message in [
        "take it off again, wrong list",
        "remove it again - meant for the other list",
        "wrong app, delete it",
        "bin it again, my mistake",
    ] {
        check(&["add sand the door", message], &gone);
    }
    check(&["delete task 3, duplicate"], &[r#"get_task {"task_id":3}"#, r#"delete_task {"task_id":3}"#]);
    // Who meant another one is asked which.
    let mut entries = vec![];
    turn(&mut entries, "show task 3");
    let (calls, act) = turn(&mut entries, "tick it off, meant the other one");
    assert!(calls.is_empty(), "{calls:?} {act:?}");
}

#[test]
fn short_thanks_are_thanks() {
    for message in ["ty", "tysm", "ty so much", "thx", "ta muchly", "nice one", "ok ty", "cheers then"] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Say { .. }), "{message}: {calls:?} {act:?}");
    }
}

/// What is done with a message while a question waits.
fn waits(message: &str) -> Act {
    let mut request = request(vec![Entry::User { text: message.into() }], 0);
    request.pending = vec![Pending { question: QUESTION.into(), asked_last: true }];
    plan::decide(&request).0
}

const QUESTION: &str = "Are you sure you want to delete task 3? (yes/no)";

#[test]
fn a_question_waits_for_who_wavers() {
    for message in
        ["er not sure, possibly", "i'm in two minds", "yes no maybe", "no, not sure", "ask me later", "hmm idk tbh"]
    {
        assert_eq!(waits(message), Act::AskAgain { text: String::new() }, "{message}");
    }
}

#[test]
fn who_asks_for_the_way_back_is_told_it_and_asked_again() {
    for message in [
        "will it be gone forever?",
        "could i have it back later?",
        "ok but is that reversible",
        "can i get it back after?",
    ] {
        assert_eq!(waits(message), Act::AskAgain { text: waiting::WAY_BACK.into() }, "{message}");
    }
    let (calls, act) = turn(&mut vec![], "can i get a deleted task back?");
    assert!(calls.is_empty() && matches!(act, Act::Say { .. }), "{act:?}");
}

#[test]
fn what_is_to_come_first_is_not_called_so() {
    for (message, title) in [
        ("add sand the door first", "sand the door"),
        ("hang on, add sand the door before that", "sand the door"),
        ("before that, add sand the door", "sand the door"),
        ("add come in first", "come in first"),
    ] {
        let act = waits(message);
        let Act::Calls { calls, .. } = &act else { panic!("{message}: {act:?}") };
        assert_eq!(calls[0].arguments["title"], title, "{message}");
    }
    check(&["add sand the door first"], &[r#"add_task {"title":"sand the door first"}"#]);
}
