//! What is said behind a request or instead of one: one thing more, one thing less, a day, a reason, a word to wait.

use super::{check, turn};
use crate::llm::Act;

#[test]
fn one_thing_less_is_never_one_more() {
    let delete = [r#"delete_task {"task_id":2}"#];
    for message in [
        "groceries: less the eggs",
        "shopping list - without eggs",
        "shopping list: remove eggs",
        "we don't need eggs any longer so drop that",
        "no longer need eggs so drop them",
    ] {
        check(&[message], &delete);
    }
    check(&["to do: remove the wallpaper"], &[r#"add_task {"title":"remove the wallpaper"}"#]);
    check(&["shopping list: bin bags"], &[r#"add_task {"title":"bin bags"}"#]);
    check(&["bin bags onto my list"], &[r#"add_task {"title":"bin bags"}"#]);
}

#[test]
fn who_asks_for_time_names_no_task() {
    for message in ["um add er wait a sec", "add hold on", "remind me to uh let me think", "put soap hang on"] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Ask { .. } | Act::Say { .. }), "{message}: {calls:?} {act:?}");
    }
    check(&["add tell jo to hang on"], &[r#"add_task {"title":"tell jo to hang on"}"#]);
}

#[test]
fn two_fields_of_a_task_are_one_change() {
    let both = r#"update_task {"due":"2026-03-13","priority":"high","task_id":3}"#;
    for message in [
        "set the laundry to high priority and make it due friday",
        "move the laundry to friday and give it high priority",
        "move the laundry to friday, high priority",
    ] {
        check(&[message], &[both]);
    }
}

#[test]
fn what_is_open_already_is_left_alone() {
    for message in [
        "the laundry isn't done yet",
        "the dog hasn't been washed yet",
        "leave the laundry unticked, we're out of soap",
    ] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Say { .. } | Act::Ask { .. }), "{message}: {calls:?} {act:?}");
    }
    check(&["pay rent isn't done"], &[r#"update_task {"status":"pending","task_id":6}"#]);
}

#[test]
fn a_day_that_was_stated_becomes_the_deadline() {
    let moved = [r#"update_task {"due":"2026-03-20","task_id":3}"#];
    for message in [
        "the laundry has to be folded by the 20th, change the deadline",
        "the laundry is due on the 20th, update the due date",
        "the deadline of the laundry is now the 20th",
        "change the due date of the laundry, it has to be done by the 20th",
    ] {
        check(&[message], &moved);
    }
    check(&["put down school trip form due friday"], &[r#"add_task {"due":"2026-03-13","title":"school trip form"}"#]);
}

#[test]
fn how_docket_works_is_told() {
    for message in [
        "do you always ask before deleting things?",
        "will i have to confirm each time",
        "which questions could i ask you",
        "that'll do for tonight thanks",
    ] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Say { .. }), "{message}: {calls:?} {act:?}");
    }
    for message in ["what's 20 percent of 85", "how much is 12 times 9"] {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Refuse { .. }), "{message}: {calls:?} {act:?}");
    }
}

#[test]
fn no_item_of_a_list_is_lost() {
    let add = |title: &str| format!(r#"add_task {{"title":"{title}"}}"#);
    for (message, titles) in [
        (
            "add these: mend the puncture, ring Mrs Patel about piano, oil",
            &["mend the puncture", "ring Mrs Patel about piano", "oil"][..],
        ),
        (
            "add the following: wax the old skis, order logs and ring the sweep",
            &["wax the old skis", "order logs", "ring the sweep"],
        ),
        ("add wax skis to my list, oh and ring the sweep too", &["wax skis", "ring the sweep"]),
        ("put soap on my list and sponges as well", &["soap", "sponges"]),
        ("remind me to call aunt Jo back", &["call aunt Jo back"]),
        ("add plasters to the weekly shop", &["plasters"]),
        ("add a to do called sort the loft", &["sort the loft"]),
        ("are there any candles on my list, if not put them on", &["candles"]),
    ] {
        let calls: Vec<String> = titles.iter().map(|title| add(title)).collect();
        check(&[message], &calls.iter().map(String::as_str).collect::<Vec<_>>());
    }
    check(
        &["new task urgent: send the forms back"],
        &[r#"add_task {"priority":"high","title":"send the forms back"}"#],
    );
    check(&["delete the eggs task and the dog one too"], &[r#"delete_task {"task_ids":[2,4]}"#]);
}

#[test]
fn what_is_put_right_or_noted_is_taken_as_it_is_said() {
    for (message, call) in [
        ("bin the eggs and put tofu on instead", &[r#"delete_task {"task_id":2}"#, r#"add_task {"title":"tofu"}"#][..]),
        (
            "in the laundry task put a note that the red one bleeds",
            &[r#"update_task {"description":"the red one bleeds","task_id":3}"#],
        ),
        (
            "add the note 'cold wash 30' to the laundry task",
            &[r#"update_task {"description":"cold wash 30","task_id":3}"#],
        ),
        ("i misspelt it, it's call mam not call mum", &[r#"update_task {"task_id":5,"title":"call mam"}"#]),
        (
            "correct the name of the eggs task, it should be duck eggs",
            &[r#"update_task {"task_id":2,"title":"duck eggs"}"#],
        ),
        ("forget the eggs one, dad's getting some, delete it", &[r#"delete_task {"task_id":2}"#]),
        ("mark evrything as done", &[r#"complete_task {"task_ids":[1,2,3,4,5,7,8]}"#]),
        ("are eggs on my list yet", &[r#"list_tasks {"query":"egg","status":"pending"}"#]),
    ] {
        check(&[message], call);
    }
    for message in
        ["could you add those ones as well", "the one about the dog", "i really ought to ring the bank this week"]
    {
        let (calls, act) = turn(&mut vec![], message);
        assert!(calls.is_empty() && matches!(act, Act::Ask { .. }), "{message}: {calls:?} {act:?}");
    }
}
