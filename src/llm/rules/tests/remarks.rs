//! Remarks beside a request: what was done or came, what is no longer needed, when it is to be instead.

use super::{check, turn};
use crate::llm::Act;

/// Nothing is changed and something is asked.
fn asks(messages: &[&str]) {
    let mut entries = vec![];
    let (mut calls, mut act) = (vec![], None);
    for message in messages {
        let (made, last) = turn(&mut entries, message);
        (calls, act) = (made, Some(last));
    }
    let looks = calls.iter().all(|call| call.starts_with("get_task") || call.starts_with("list_tasks"));
    assert!(looks && matches!(act, Some(Act::Ask { .. })), "{messages:?}: {calls:?} {act:?}");
}

#[test]
fn a_remark_names_the_task_or_means_the_one_that_was_shown() {
    for (message, call) in [
        ("ok it's all done now, check it off", r#"complete_task {"task_id":3}"#),
        ("right, that one's sorted, tick it", r#"complete_task {"task_id":3}"#),
        ("yep did it", r#"complete_task {"task_id":3}"#),
        ("drop it, we don't need it any more", r#"delete_task {"task_id":3}"#),
        ("drop that one, i've gone off the idea", r#"delete_task {"task_id":3}"#),
        ("the milk turned up so you can tick that", r#"complete_task {"task_id":1}"#),
        ("the dog groomer came, tick it off", r#"complete_task {"task_id":4}"#),
        ("the neighbour helped so you can tick that", r#"complete_task {"task_id":3}"#),
    ] {
        check(&["tell me about 3", message], &[call]);
    }
    asks(&["tell me about 3", "the report came so tick it off"]);
    asks(&["the neighbour helped so you can tick that"]);
    asks(&["complete 3", "the neighbour helped so you can tick that"]);
}

#[test]
fn what_is_done_is_one_chore_and_not_everything() {
    check(&["so um, the report, print report, that's all done now"], &[r#"complete_task {"task_id":7}"#]);
    check(&["call mum, that's done now"], &[r#"complete_task {"task_id":5}"#]);
    asks(&["the eggs box, clear the eggs, that's all done now"]);
    for message in ["all done now", "that's all done", "that's all of it done", "all sorted", "it's all finished now"] {
        let (calls, _) = turn(&mut vec![], message);
        let looks = calls.iter().all(|call| call.starts_with("list_tasks"));
        assert!(looks, "{message}: {calls:?}");
    }
    for message in
        ["the item named eggs is finished", "the task called eggs has been done", "the reminder i named eggs is sorted"]
    {
        check(&[message], &[r#"complete_task {"task_id":2}"#]);
    }
    check(&["the task titled laundry can be deleted"], &[r#"delete_task {"task_id":3}"#]);
    check(&["the one called pay rent isn't done"], &[r#"update_task {"status":"pending","task_id":6}"#]);
}

#[test]
fn what_is_not_needed_goes_whatever_is_said_beside_it() {
    for message in [
        "no need for the laundry any more, jo's doing it, take it off please",
        "we don't need the laundry now, kims picking it up, bin it",
        "no longer need the laundry, lose that one",
        "we don't need the laundry any longer, take that off",
        "don't need the laundry any more - nan's bringing hers - remove it",
    ] {
        check(&[message], &[r#"delete_task {"task_id":3}"#]);
    }
    check(
        &["i wrote eggs but i meant figs, so lose the eggs and stick figs on"],
        &[r#"delete_task {"task_id":2}"#, r#"add_task {"title":"figs"}"#],
    );
    check(
        &["ditch the eggs and put duck eggs on"],
        &[r#"delete_task {"task_id":2}"#, r#"add_task {"title":"duck eggs"}"#],
    );
    let (calls, _) = turn(&mut vec![], "bin the eggs and put the kettle on");
    assert!(calls.iter().all(|call| !call.starts_with("add_task")), "{calls:?}");
}

#[test]
fn what_was_done_too_soon_is_open_again() {
    for message in [
        "turns out the rent isn't paid, put it back on as not done",
        "it turns out the rent isn't paid",
        "the rent isn't paid after all",
        "stick the rent back on as undone",
        "put pay rent back on the list as pending",
    ] {
        check(&[message], &[r#"update_task {"status":"pending","task_id":6}"#]);
    }
}

#[test]
fn a_day_is_asked_for_or_told_before_the_request() {
    let friday = r#"update_task {"due":"2026-03-13","task_id":3}"#;
    for message in [
        "can the laundry be on friday instead",
        "could the laundry be moved to friday?",
        "the laundry's now happening on friday, change the date",
        "the laundry is actually coming on friday, so update it",
    ] {
        check(&[message], &[friday]);
    }
    check(
        &["the dog groomer is coming at 4pm on friday instead, change the time"],
        &[r#"update_task {"due":"2026-03-13T16:00:00+00:00","task_id":4}"#],
    );
    for message in ["the laundry isn't coming on friday, change the date", "the shop is closed on friday, move it"] {
        asks(&[message]);
    }
    let (calls, _) = turn(&mut vec![], "can the laundry be on friday?");
    assert!(calls.iter().all(|call| !call.starts_with("update_task")), "{calls:?}");
}

#[test]
fn what_is_named_with_doubt_or_nowhere_is_asked_about() {
    for message in [
        "hmm, maybe the third?",
        "not sure, 3 perhaps",
        "i don't know, the last one probably",
        "sort the thing i mentioned",
        "can you delete what we talked about yesterday",
        "add the stuff i told you about",
        "the lease is ending next month i should renew it",
        "my boiler keeps cutting out, i need to get it looked at",
        "add nothing to my list",
    ] {
        asks(&[message]);
    }
}
