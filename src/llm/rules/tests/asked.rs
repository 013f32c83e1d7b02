//! New tasks, notes and questions in still other words.

use super::{check, turn};
use crate::llm::Act;

#[test]
fn what_is_to_be_on_the_list_is_added_once() {
    for message in [
        "ensure that salt is on my list",
        "make sure there's some salt on the list",
        "make certain salt is on my shopping list too",
        "see to it that salt gets added to my list",
        "please ensure we have salt on our list",
        "be sure salt goes on the list",
    ] {
        check(&[message], &[r#"add_task {"title":"salt"}"#]);
    }
    check(&["ensure milk is on my list"], &[]);
    check(&["ensure i oil the gate on friday"], &[r#"add_task {"due":"2026-03-13","title":"oil the gate"}"#]);
}

#[test]
fn the_list_may_be_that_of_a_day() {
    for message in [
        "add oiling a gate to my tasks for friday",
        "put oiling a gate on my to-dos for friday",
        "add oiling a gate to friday's list",
        "stick oiling a gate on my friday list",
        "add oiling a gate to friday's tasks",
        "add oiling a gate to my jobs for friday",
    ] {
        check(&[message], &[r#"add_task {"due":"2026-03-13","title":"oiling a gate"}"#]);
    }
    check(&["put soap on tomorrow's list"], &[r#"add_task {"due":"2026-03-12","title":"soap"}"#]);
    check(&["put soap on my weekly list"], &[r#"add_task {"title":"soap"}"#]);
}

#[test]
fn what_is_noted_to_oneself_is_a_task() {
    for (message, title) in [
        ("note to self: delete the old drafts", "delete the old drafts"),
        ("memo to self - move the ladder back", "move the ladder back"),
        ("reminder to self: cancel the magazine and bin the pile", "cancel the magazine and bin the pile"),
        ("mental note: ask jo about eggs", "ask jo about eggs"),
        ("quick note to myself, tidy my list", "tidy my list"),
        ("note to self put salt in my basket", "put salt in my basket"),
    ] {
        check(&[message], &[&format!(r#"add_task {{"title":"{title}"}}"#)]);
    }
}

#[test]
fn a_thing_keeps_its_kind_and_a_task_its_last_date() {
    check(&["could i get bulbs, the large ones, added to my list"], &[r#"add_task {"title":"bulbs, the large ones"}"#]);
    check(
        &["add milk, semi skimmed, and tea to my list"],
        &[r#"add_task {"title":"milk, semi skimmed"}"#, r#"add_task {"title":"tea"}"#],
    );
    for message in [
        "please add payment of fees, final date is 22nd",
        "add payment of fees, last date is the 22nd of march",
        "add payment of fees. Closing date: 22 march",
    ] {
        check(&[message], &[r#"add_task {"due":"2026-03-22","title":"payment of fees"}"#]);
    }
}

#[test]
fn notes_go_to_the_task_that_is_named_first() {
    let noted = [r#"get_task {"task_id":3}"#, r#"update_task {"description":"cold wash only","task_id":3}"#];
    for message in [
        "for task 3 put in the description: cold wash only",
        "for task 3, write in the notes: cold wash only",
        "for number 3 add the following note: cold wash only",
        "for task 3 put cold wash only in the notes",
        "in the notes of task 3 put cold wash only",
    ] {
        check(&[message], &noted);
    }
    check(&["for the laundry, add in the details: cold wash only"], &noted[1..]);
    check(
        &["on friday add wash the car with a note: use wax"],
        &[r#"add_task {"description":"use wax","due":"2026-03-13","title":"wash the car"}"#],
    );
}

#[test]
fn the_list_is_asked_for_in_a_roundabout_way() {
    let list = |message: &str| turn(&mut vec![], message).0;
    assert_eq!(list("could i see everything, completed stuff as well"), list("show all tasks, open and finished"));
    for message in [
        "i've forgotten what i have to do tomorrow, can you remind me",
        "i don't know what i'm meant to do tomorrow",
        "can't think what i've got to do tomorrow can you help",
    ] {
        assert_eq!(list(message), [r#"list_tasks {"due":"2026-03-12","status":"pending"}"#], "{message}");
    }
    check(&["no idea what's on my list"], &[r#"list_tasks {"status":"pending"}"#]);
    check(&["show the task about teh laundry"], &[r#"list_tasks {"query":"laundr","status":"pending"}"#]);
}

#[test]
fn thanks_and_questions_about_docket_change_nothing() {
    for message in [
        "ok thank you very much sir",
        "great thanks man",
        "thanks a lot bhai",
        "cheers ever so much boss",
        "can tasks repeat every week",
        "is there any way to have recurring reminders",
        "is it possible to set tasks that recur",
        "does this app support subtasks",
    ] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Say { .. }), "{message}: {calls:?} {act:?}");
    }
}
