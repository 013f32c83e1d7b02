//! What people say every day: numbers in words, fields by a verb, two things with two days, forms, slips in titles.

use super::{check, turn};

#[test]
fn numbers_in_words_name_several_tasks() {
    let looked = [r#"get_task {"task_id":2}"#, r#"get_task {"task_id":5}"#];
    for message in ["mark two and five complete", "tick off two and five"] {
        let (calls, _) = turn(&mut vec![], message);
        assert_eq!(calls[..2], looked, "{message}");
        assert!(calls[2..].iter().all(|call| call.starts_with("complete_task")), "{message}: {calls:?}");
    }
    check(&["add one and a half kilos of flour"], &[r#"add_task {"title":"one and a half kilos of flour"}"#]);
}

#[test]
fn a_verb_sets_a_field() {
    let get = r#"get_task {"task_id":3}"#;
    check(&["set low priority on #3"], &[get, r#"update_task {"priority":"low","task_id":3}"#]);
    check(&["set friday as the deadline for 3"], &[get, r#"update_task {"due":"2026-03-13","task_id":3}"#]);
    check(&["pay rent needs to be open again"], &[r#"update_task {"status":"pending","task_id":6}"#]);
}

#[test]
fn lists_are_shown_and_emptied_in_other_words() {
    let list = |message: &str| turn(&mut vec![], message).0;
    assert_eq!(list("show undone"), list("show my open tasks"));
    assert_eq!(list("pull up the ones that are finished"), list("show finished tasks"));
    assert_eq!(list("bin whatever we have completed so far"), list("delete all completed tasks"));
    assert_eq!(list("may i see everything, finished ones too"), list("show all tasks, open and finished"));
    for message in ["wipe my list clean", "empty my whole list entirely"] {
        assert_eq!(list(message), list("delete everything"), "{message}");
    }
}

#[test]
fn two_things_have_two_days() {
    check(
        &["remind me tomorrow to ring the bank and on friday to oil the gate"],
        &[
            r#"add_task {"due":"2026-03-12","title":"ring the bank"}"#,
            r#"add_task {"due":"2026-03-13","title":"oil the gate"}"#,
        ],
    );
    check(
        &["pencil in golf for monday and chess for friday"],
        &[r#"add_task {"due":"2026-03-16","title":"golf"}"#, r#"add_task {"due":"2026-03-13","title":"chess"}"#],
    );
}

#[test]
fn items_may_be_numbered_and_fields_labelled() {
    let both = [r#"add_task {"title":"sand the door"}"#, r#"add_task {"title":"post cards"}"#];
    check(&["two new tasks please, 1) sand the door 2) post cards"], &both);
    check(
        &["New task. Title: sand the door. Priority: high. Due: friday."],
        &[r#"add_task {"due":"2026-03-13","priority":"high","title":"sand the door"}"#],
    );
    check(&["add revise chapters 4 to 6"], &[r#"add_task {"title":"revise chapters 4 to 6"}"#]);
}

#[test]
fn a_title_says_one_thing_and_not_another() {
    check(&["it should be dad not mum in the call task"], &[r#"update_task {"task_id":5,"title":"call dad"}"#]);
    let get = r#"get_task {"task_id":3}"#;
    check(&["3 should be high not low"], &[get, r#"update_task {"priority":"high","task_id":3}"#]);
}

#[test]
fn requests_come_with_manners() {
    for message in [
        "would you mind adding soap to my list",
        "how about adding soap to my list",
        "could i get soap added to groceries",
        "my aunt says we need soap so add that",
        "soap, list it",
        "add 'soap' thanks a million",
        "let's get soap on that list before we forget",
    ] {
        check(&[message], &[r#"add_task {"title":"soap"}"#]);
    }
    let delete = [r#"get_task {"task_id":3}"#, r#"delete_task {"task_id":3}"#];
    check(&["would you mind dropping 3 from what we have to do"], &delete);
    check(&["tell me about 3", "on second thought delete it"], &delete[1..]);
    check(&["reminder for the laundry: remove"], &delete[1..]);
    check(&["put something else on my list"], &[]);
}
