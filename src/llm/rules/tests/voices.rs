//! Requests in the voices of people whom nobody asked: other verbs, other places for what is set, other languages behind.

use super::{check, turn};
use crate::llm::Act;

#[test]
fn new_tasks_are_filed_and_dated_behind_their_titles() {
    for (message, calls) in [
        (
            "new task in the Garden project - order compost",
            &[r#"add_task {"project":"Garden","title":"order compost"}"#][..],
        ),
        ("in the Garden project, add order compost", &[r#"add_task {"project":"Garden","title":"order compost"}"#]),
        ("add order compost to the garden project", &[r#"add_task {"project":"garden","title":"order compost"}"#]),
        ("add hand in the school project", &[r#"add_task {"title":"hand in the school project"}"#]),
        (
            "add order compost for friday, tag it home and garden",
            &[r#"add_task {"due":"2026-03-13","tags":["home","garden"],"title":"order compost"}"#],
        ),
        ("add a name tag to my list", &[r#"add_task {"title":"a name tag"}"#]),
        (
            "add order compost in my Garden project for friday",
            &[r#"add_task {"due":"2026-03-13","project":"Garden","title":"order compost"}"#],
        ),
        ("add an urgent one - order compost", &[r#"add_task {"priority":"high","title":"order compost"}"#]),
        ("add order compost tagged garden", &[r#"add_task {"tags":["garden"],"title":"order compost"}"#]),
        (
            "put 'order compost' on my list as low priority, end of the month will do",
            &[r#"add_task {"due":"2026-03-31","priority":"low","title":"order compost"}"#],
        ),
        (
            "make one task for me called 'order compost' and the deadline should be friday",
            &[r#"add_task {"due":"2026-03-13","title":"order compost"}"#],
        ),
        (
            "two jobs to note: oil the hinges, and repaint the gate",
            &[r#"add_task {"title":"oil the hinges"}"#, r#"add_task {"title":"repaint the gate"}"#],
        ),
        ("Task: bakery. Details: 3 rolls, 1 loaf", &[r#"add_task {"description":"3 rolls, 1 loaf","title":"bakery"}"#]),
        (
            "um remind me uh tomorrow at like half six to defrost the soup",
            &[r#"add_task {"due":"2026-03-12T18:30:00+00:00","title":"defrost the soup"}"#],
        ),
        (
            "set a reminder for friday 19h, choir practice",
            &[r#"add_task {"due":"2026-03-13T19:00:00+00:00","title":"choir practice"}"#],
        ),
    ] {
        check(&[message], calls);
    }
}

#[test]
fn fields_of_a_task_are_set_wherever_they_are_named() {
    for (message, calls) in [
        (
            "laundry - note: use the gentle wash",
            &[r#"update_task {"description":"use the gentle wash","task_id":3}"#][..],
        ),
        (
            "put heading of task 2 as 'a dozen eggs'",
            &[r#"get_task {"task_id":2}"#, r#"update_task {"task_id":2,"title":"a dozen eggs"}"#],
        ),
        (
            "reword 2: a dozen eggs AND butter",
            &[r#"get_task {"task_id":2}"#, r#"update_task {"task_id":2,"title":"a dozen eggs AND butter"}"#],
        ),
        ("eggs should be named as a dozen eggs", &[r#"update_task {"task_id":2,"title":"a dozen eggs"}"#]),
        ("eggs, make it a dozen eggs", &[r#"update_task {"task_id":2,"title":"a dozen eggs"}"#]),
        ("correct the spelling of 'eggs' to 'figs'", &[r#"update_task {"task_id":2,"title":"figs"}"#]),
        ("add 'and bread' to the end of 'buy milk'", &[r#"update_task {"task_id":1,"title":"buy milk and bread"}"#]),
        ("it's dad not mum - fix that in 'call mum'", &[r#"update_task {"task_id":5,"title":"call dad"}"#]),
        ("no due date on number 3 please", &[r#"get_task {"task_id":3}"#, r#"update_task {"due":null,"task_id":3}"#]),
        ("laundry priority should be medium only", &[r#"update_task {"priority":"medium","task_id":3}"#]),
        ("the laundry is finally on the 22nd", &[r#"update_task {"due":"2026-03-22","task_id":3}"#]),
        (
            "could you make the laundry one friday at 4.20pm instead of thursday",
            &[r#"update_task {"due":"2026-03-13T16:20:00+00:00","task_id":3}"#],
        ),
        ("stick a home tag on the laundry", &[r#"update_task {"tags":["home"],"task_id":3}"#]),
        (
            "remind me about #3 at 8 tonight instead",
            &[r#"get_task {"task_id":3}"#, r#"update_task {"due":"2026-03-11T20:00:00+00:00","task_id":3}"#],
        ),
        ("task 3 status: done", &[r#"get_task {"task_id":3}"#, r#"complete_task {"task_id":3}"#]),
        ("give me complete information regarding task no. 3", &[r#"get_task {"task_id":3}"#]),
        ("give #3 another week", &[r#"get_task {"task_id":3}"#]),
        (
            "priority of 3 should be low",
            &[r#"get_task {"task_id":3}"#, r#"update_task {"priority":"low","task_id":3}"#],
        ),
        ("the laundry is not that urgent, make it low", &[r#"update_task {"priority":"low","task_id":3}"#]),
        ("move the laundry from monday to wednesday", &[r#"update_task {"due":"2026-03-18","task_id":3}"#]),
        (
            "drop the priority on number 3",
            &[r#"get_task {"task_id":3}"#, r#"update_task {"priority":"low","task_id":3}"#],
        ),
        ("no priority on 3", &[r#"get_task {"task_id":3}"#, r#"update_task {"priority":"none","task_id":3}"#]),
        ("scrap the priority of 3", &[r#"get_task {"task_id":3}"#, r#"update_task {"priority":"none","task_id":3}"#]),
        ("what's number 3 about", &[r#"get_task {"task_id":3}"#]),
        ("tell me when number 3 is due", &[r#"get_task {"task_id":3}"#]),
        ("number 3 urgent", &[r#"get_task {"task_id":3}"#, r#"update_task {"priority":"high","task_id":3}"#]),
        ("del 3", &[r#"get_task {"task_id":3}"#, r#"delete_task {"task_id":3}"#]),
        ("that print report fell through, yank it", &[r#"delete_task {"task_id":7}"#]),
    ] {
        check(&[message], calls);
    }
}

#[test]
fn many_tasks_are_named_by_what_they_share() {
    for (message, calls) in [
        ("wipe out whatever's already been ticked off", &[r#"delete_task {"task_id":6}"#][..]),
        ("everything's done apart from the laundry", &[r#"complete_task {"task_ids":[1,2,4,5,7,8]}"#]),
        ("show all the works which i finished already", &[r#"list_tasks {"status":"completed"}"#]),
        ("tick them all off bar the laundry", &[r#"complete_task {"task_ids":[1,2,4,5,7,8]}"#]),
        ("mark the lot as done except the laundry", &[r#"complete_task {"task_ids":[1,2,4,5,7,8]}"#]),
        (
            "all pending works should become low priority",
            &[r#"update_task {"priority":"low","task_ids":[1,2,3,4,5,7,8]}"#],
        ),
        ("just the urgent stuff for now thanks", &[r#"list_tasks {"priority":"high","status":"pending"}"#]),
        ("what is pending from my side?", &[r#"list_tasks {"status":"pending"}"#]),
    ] {
        check(&[message], calls);
    }
}

#[test]
fn what_was_done_is_told_in_passing() {
    for (message, calls) in [
        ("please record that i have washed the dog", &[r#"complete_task {"task_id":4}"#][..]),
        ("it was the dog i washed", &[r#"complete_task {"task_id":4}"#]),
        (
            "washed the dog, now put down return the drill",
            &[r#"complete_task {"task_id":4}"#, r#"add_task {"title":"return the drill"}"#],
        ),
        ("washed the car, now put down return the drill", &[r#"add_task {"title":"return the drill"}"#]),
    ] {
        check(&[message], calls);
    }
}

#[test]
fn what_names_too_little_is_asked_and_changes_nothing() {
    for message in [
        "gardener friday 3pm",
        "the laundry one needs a different name",
        "do same as last time",
        "i might do the laundry tomorrow",
        "should really call jo at some point",
        "change the date of number 3",
        "there's something i need to remember for friday",
        "bagels, note: the seeded ones",
        "in task 3 change rope to string",
    ] {
        let (calls, act) = turn(&mut vec![], message);
        let looks = calls.iter().all(|call| call.starts_with("get_task"));
        assert!(looks && matches!(act, Act::Ask { .. }), "{message}: {calls:?} {act:?}");
    }
    for message in [
        "hands off task 3, i'm still at it",
        "leave the laundry as it is",
        "keep task 3 pending",
        "delete task 3 - actually no",
    ] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Say { .. }), "{message}: {act:?}");
    }
}

#[test]
fn places_count_in_the_list_that_was_shown() {
    let said = ["show my tasks", "i've done the second", "and the laundry too", "put the last one off til friday"];
    check(&said, &[r#"update_task {"due":"2026-03-13","task_id":8}"#]);
    check(
        &["show my tasks", "not happening, shift them all to friday"],
        &[r#"update_task {"due":"2026-03-13","task_ids":[1,2,3,4,5,7,8]}"#],
    );
    check(
        &["complete the laundry", "oops clicked the wrong one, undo that"],
        &[r#"get_task {"task_id":3}"#, r#"update_task {"status":"pending","task_id":3}"#],
    );
    check(
        &["move the laundry to friday", "on reflection the 20th is better"],
        &[r#"update_task {"due":"2026-03-20","task_id":3}"#],
    );
}
