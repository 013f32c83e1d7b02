//! Turns of phrase that mislead: what is far from done, whose tasks they are, days inside of names, words that belong to a verb.

use super::{check, turn};
use crate::llm::Act;

/// The message makes no call but lookups, and is answered so.
fn answered(message: &str, so: impl Fn(&Act) -> bool) {
    let (calls, act) = turn(&mut vec![], message);
    assert!(calls.is_empty() && so(&act), "{message}: {calls:?} {act:?}");
}

#[test]
fn what_is_far_from_done_stays_open() {
    for message in [
        "im nowhere near done with the laundry lol",
        "i'm not even close to done with the laundry",
        "the laundry is far from finished",
        "my laundry is nothing like finished",
        "i've barely started the laundry",
        "we've hardly begun the laundry",
        "the laundry's miles from done tbh",
        "a long way from finishing the laundry",
        "i've still got a long way to go with the laundry",
        "not anywhere near finished with the laundry",
        "close to done with the laundry",
    ] {
        answered(message, |act| matches!(act, Act::Say { .. }));
    }
    // What is asked for besides is done, and nothing more.
    check(
        &["im nowhere near done with the laundry so move it to friday"],
        &[r#"update_task {"due":"2026-03-13","task_id":3}"#],
    );
    check(&["washed the dog, nowhere near done with the laundry"], &[r#"complete_task {"task_id":4}"#]);
    check(&["i'm done with the laundry"], &[r#"complete_task {"task_id":3}"#]);
    check(&["add get far from done stickers"], &[r#"add_task {"title":"get far from done stickers"}"#]);
}

#[test]
fn the_done_ones_may_be_included() {
    for message in [
        "see all tasks including the done ones",
        "list everything incl. the done stuff",
        "show my list incl the finished ones",
        "show me my tasks with the done ones",
        "list my tasks, including completed",
        "show my tasks including what's done",
    ] {
        check(&[message], &[r#"list_tasks {"status":"all"}"#]);
    }
    check(&["show me my tasks, not including the done ones"], &[r#"list_tasks {"status":"pending"}"#]);
    check(&["show tasks including milk"], &[r#"list_tasks {"query":"milk","status":"pending"}"#]);
    check(&["show the done ones"], &[r#"list_tasks {"status":"completed"}"#]);
}

#[test]
fn assent_means_nothing_where_nothing_was_asked() {
    for message in [
        "sure, why not",
        "sounds good to me",
        "works for me",
        "yeah fine by me",
        "ok sounds like a plan",
        "go on, why not",
    ] {
        answered(message, |act| matches!(act, Act::Say { text } if text.starts_with("Nothing is waiting")));
    }
    check(&["sounds good to me, add salt"], &[r#"add_task {"title":"salt"}"#]);
}

#[test]
fn a_day_may_own_what_follows_it() {
    for (message, title) in [
        ("add task mow the pitch before saturdays match", "mow the pitch before saturdays match"),
        ("remind me to wash the kit for sundays game", "wash the kit for sundays game"),
        ("add send the minutes after mondays meeting", "send the minutes after mondays meeting"),
    ] {
        check(&[message], &[&format!(r#"add_task {{"title":"{title}"}}"#)]);
    }
    let weekly = |title: &str, due: &str, day: &str| {
        format!(r#"add_task {{"due":"{due}","recurrence":"FREQ=WEEKLY;BYDAY={day}","title":"{title}"}}"#)
    };
    check(&["add mow the pitch on saturdays"], &[&weekly("mow the pitch", "2026-03-14", "SA")]);
    check(&["add mow the pitch every saturday"], &[&weekly("mow the pitch", "2026-03-14", "SA")]);
    check(&["add mow the pitch for saturdays"], &[&weekly("mow the pitch", "2026-03-14", "SA")]);
}

#[test]
fn what_is_got_onto_the_list_may_have_a_day() {
    for message in [
        "get 'sand the door' onto my list by end of the month",
        "get sand the door on my list for the end of the month",
    ] {
        check(&[message], &[r#"add_task {"due":"2026-03-31","title":"sand the door"}"#]);
    }
    check(&["get sand the door onto the list"], &[r#"add_task {"title":"sand the door"}"#]);
    check(&["get the eggs off my list"], &[r#"delete_task {"task_id":2}"#]);
}

#[test]
fn what_is_finished_goes_as_a_whole() {
    for message in [
        "bin everything thats finished",
        "scrap whatever's done",
        "ditch all that ive finished",
        "dump everything ive done",
        "bin all the stuff thats completed",
    ] {
        check(&[message], &[r#"delete_task {"task_id":6}"#]);
    }
    let (calls, _) = turn(&mut vec![], "chuck everything ive done");
    assert!(calls.is_empty(), "{calls:?}");
    check(&["thats the laundry done"], &[r#"complete_task {"task_id":3}"#]);
}

#[test]
fn a_time_that_no_longer_holds_gives_way() {
    for message in [
        "the laundry is at 3pm now not 2",
        "laundry's at 3pm, not 2pm",
        "actually the laundry is at 3pm not noon",
        "the laundry starts at 3pm now",
        "the laundry is at 3pm now",
    ] {
        check(&[message], &[r#"update_task {"due":"2026-03-11T15:00:00+00:00","task_id":3}"#]);
    }
    check(&["the laundry is on friday not thursday"], &[r#"update_task {"due":"2026-03-13","task_id":3}"#]);
    check(&["add tea at 3pm not 2"], &[r#"add_task {"due":"2026-03-11T15:00:00+00:00","title":"tea"}"#]);
}

#[test]
fn a_job_may_be_named_by_its_number() {
    let third = [r#"get_task {"task_id":3}"#];
    for message in ["show me job 3", "show entry 3", "open chore #3", "show me number 3", "show item 3"] {
        check(&[message], &third);
    }
    check(&["delete job 3"], &[third[0], r#"delete_task {"task_id":3}"#]);
    check(&["job 3 is done"], &[third[0], r#"complete_task {"task_id":3}"#]);
    check(&["add print job 3 for sam"], &[r#"add_task {"title":"print job 3 for sam"}"#]);
}

#[test]
fn a_verb_may_take_its_small_word_behind_a_pronoun() {
    let seen = "show task 3";
    for message in ["bin it off", "sack it off", "bin that one off please", "chuck it out"] {
        check(&[seen, message], &[r#"delete_task {"task_id":3}"#]);
    }
    check(&["bin the laundry off"], &[r#"delete_task {"task_id":3}"#]);
    check(&["bin off the laundry"], &[r#"delete_task {"task_id":3}"#]);
    check(&[seen, "tick it off"], &[r#"complete_task {"task_id":3}"#]);
}

#[test]
fn what_was_forgotten_to_be_told_is_told() {
    for message in [
        "oops forgot to say I did wash the dog yesterday",
        "i forgot to mention i washed the dog",
        "forgot to tell you, i washed the dog this morning",
        "meant to say i did wash the dog last night",
    ] {
        check(&[message], &[r#"complete_task {"task_id":4}"#]);
    }
    check(&["add forgot to say hi to jo"], &[r#"add_task {"title":"forgot to say hi to jo"}"#]);
}

#[test]
fn the_tasks_that_somebody_else_has_are_refused() {
    for message in [
        "show me what tasks Karen on days has got",
        "what tasks does Karen have",
        "which jobs has he got left",
        "tell me what tasks my sister has",
        "what has Omar got on his list",
        "what tasks does she need to do",
    ] {
        answered(message, |act| matches!(act, Act::Refuse { .. }));
    }
    check(&["what tasks does Friday have"], &[r#"list_tasks {"due":"2026-03-13","status":"pending"}"#]);
    check(&["remind me to ask what tasks Omar has"], &[r#"add_task {"title":"ask what tasks Omar has"}"#]);
    check(&["what tasks have i got"], &[r#"list_tasks {"status":"pending"}"#]);
    check(&["what tasks do i have left"], &[r#"list_tasks {"status":"pending"}"#]);
}

#[test]
fn a_list_keeps_its_last_thing() {
    for message in
        ["add soap, hand made, and foil", "add soap, hand made and foil", "put soap, half baked, and foil on my list"]
    {
        let (calls, _) = turn(&mut vec![], message);
        assert!(calls.iter().any(|call| call.contains("foil")), "{message}: {calls:?}");
    }
    check(&["add soap, we've run out"], &[r#"add_task {"title":"soap"}"#]);
}
