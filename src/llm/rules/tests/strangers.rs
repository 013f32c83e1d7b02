//! The ways of people whom nobody told how to speak to a list: reasons first, things first, slips, other nouns for the list.

use super::{check, turn};
use crate::llm::Act;

#[test]
fn a_reason_before_the_request_names_the_task() {
    for (message, title) in [
        ("my daughter wants grapes so put them on the list", "grapes"),
        ("the twins would like squash, add it", "squash"),
        ("i ran out of salt so i need that on the list", "salt"),
        ("we ran out of salt this morning so that should go on the list", "salt"),
        ("there's no tea left please put it on my list", "tea"),
        ("were out of tea please put it on my list", "tea"),
        ("i should really bleed the radiators, put it on the list", "bleed the radiators"),
        ("my son needs to see the nurse, add that", "my son needs to see the nurse"),
    ] {
        check(&[message], &[&format!(r#"add_task {{"title":"{title}"}}"#)]);
    }
}

#[test]
fn a_task_may_stand_before_the_request_to_add_it() {
    for (message, call) in [
        (
            "put the kettle in the shed friday, add that please",
            r#"add_task {"due":"2026-03-13","title":"put the kettle in the shed"}"#,
        ),
        ("sand the door, add it please", r#"add_task {"title":"sand the door"}"#),
        ("cat litter onto the list", r#"add_task {"title":"cat litter"}"#),
        ("leeks on the list please", r#"add_task {"title":"leeks"}"#),
        (
            "put sand the door down as something i have to do on friday",
            r#"add_task {"due":"2026-03-13","title":"sand the door"}"#,
        ),
        ("add sand the door as a job to do", r#"add_task {"title":"sand the door"}"#),
        ("put sand the door on there as a low priority task", r#"add_task {"priority":"low","title":"sand the door"}"#),
        ("add sand the door with the other jobs on my list", r#"add_task {"title":"sand the door"}"#),
        ("put sand the door on my to-do's", r#"add_task {"title":"sand the door"}"#),
        ("put sand the door on the list of things that need doing", r#"add_task {"title":"sand the door"}"#),
        ("pop a note on to sand the door", r#"add_task {"title":"sand the door"}"#),
        ("task for friday is sand the door", r#"add_task {"due":"2026-03-13","title":"sand the door"}"#),
        ("make sure i sand the door on friday", r#"add_task {"due":"2026-03-13","title":"sand the door"}"#),
        (
            "add cleaning the grill and washing the mats to my list",
            r#"add_task {"title":"clean the grill and wash the mats"}"#,
        ),
    ] {
        check(&[message], &[call]);
    }
    for message in ["eggs on the list?", "leave the eggs on the list please"] {
        let (calls, _) = turn(&mut vec![], message);
        assert!(calls.iter().all(|call| call.starts_with("list_tasks")), "{message}: {calls:?}");
    }
}

#[test]
fn what_is_spoken_of_first_is_what_a_pronoun_means() {
    let number = [r#"get_task {"task_id":3}"#, r#"delete_task {"task_id":3}"#];
    check(&["show my tasks", "the third one, delete it"], &[r#"delete_task {"task_id":3}"#]);
    check(&["show my tasks", "the third one please delete it"], &[r#"delete_task {"task_id":3}"#]);
    check(&["delete 3 please jo took it all"], &number);
    check(&["remove 3 we don't have any"], &number);
    check(&["delete 3 it's done"], &number);
    check(&["tell me about 3", "i did that one you can tick it"], &[r#"complete_task {"task_id":3}"#]);
    check(&["tell me about 3", "that one's urgent"], &[r#"update_task {"priority":"high","task_id":3}"#]);
    check(&["i washed the dog, you can check it off my list"], &[r#"complete_task {"task_id":4}"#]);
}

#[test]
fn slips_of_the_finger_are_read_through() {
    for (message, calls) in [
        ("ad leeks", &[r#"add_task {"title":"leeks"}"#][..]),
        ("mark laundry doen", &[r#"complete_task {"task_id":3}"#]),
        ("tik off the laundry", &[r#"complete_task {"task_id":3}"#]),
        ("delte the laundry", &[r#"delete_task {"task_id":3}"#]),
        ("add doen jacket to my list", &[r#"add_task {"title":"doen jacket"}"#]),
        ("add to my list colon leeks", &[r#"add_task {"title":"leeks"}"#]),
        ("add leeks w/ note: two", &[r#"add_task {"description":"two","title":"leeks"}"#]),
    ] {
        check(&[message], calls);
    }
}

#[test]
fn a_title_keeps_its_names_and_small_words_before_a_time() {
    for (message, title, due) in [
        ("remind me to collect tom at 5pm", "collect tom", "2026-03-11T17:00:00+00:00"),
        ("remind me to collect the pram tom at 5pm", "collect the pram", "2026-03-12T17:00:00+00:00"),
        ("remind me to turn the meat over in 30 minutes", "turn the meat over", "2026-03-11T10:00:00+00:00"),
        ("remind me to put the oven on at 5pm", "put the oven on", "2026-03-11T17:00:00+00:00"),
        ("remind me to hand the keys in on friday", "hand the keys in", "2026-03-13"),
    ] {
        check(&[message], &[&format!(r#"add_task {{"due":"{due}","title":"{title}"}}"#)]);
    }
}

#[test]
fn both_kinds_are_shown_where_both_are_named() {
    for message in ["may i see the list, done and not done", "show all my tasks, open and closed"] {
        check(&[message], &[r#"list_tasks {"status":"all"}"#]);
    }
    check(&["what's done"], &[r#"list_tasks {"status":"completed"}"#]);
    check(&["clear completed"], &[r#"delete_task {"task_id":6}"#]);
}

#[test]
fn what_other_programs_do_is_refused() {
    for message in [
        "wake me up at half six on friday",
        "rice is on, count me down 12 minutes",
        "order everything on my list",
        "take jo off my list of friends on facebook",
        "can you tell me how to solve equations",
        "how do you get wine out of a carpet",
    ] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Refuse { .. }), "{message}: {calls:?} {act:?}");
    }
    for message in ["tell me what you can help with", "nvm", "tell me how to undo something"] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Say { .. }), "{message}: {calls:?} {act:?}");
    }
    check(&["add order a pizza to my list"], &[r#"add_task {"title":"order a pizza"}"#]);
    check(&["remind me to solve the crossword"], &[r#"add_task {"title":"solve the crossword"}"#]);
}
