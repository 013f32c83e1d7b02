//! Tests of which texts are answers.

use serde_json::{Value, json};

use super::*;

#[test]
fn only_a_clear_yes_or_no_is_an_answer() {
    for yes in [
        "yes",
        "Yes!",
        "y",
        "yep",
        "yes please",
        "yes, erase it",
        "go for it",
        "I'm sure",
        "yes that one",
        "yes, remove them",
        "sure, go ahead",
        "great, go ahead",
        "correct, kindly proceed",
        "ok do it",
        "yep, go on",
        "yes great, remove it",
        "ok then yes",
        "in that case yes, do it",
        "yes, sounds good to me",
        "yeah works for me",
        "yes 👍",
        "Yes, please!",
        "confirm",
        "yes – get rid of it",
        "yes, delete both of them",
        "yeah take it off",
    ] {
        assert_eq!(answer(yes), Some(Answer::Yes), "{yes}");
    }
    for no in [
        "no",
        "No.",
        "wait, no!",
        "actually no",
        "cancel",
        "never mind",
        "no thanks",
        "scratch that, never mind",
        "don't",
        "please don't",
        "nah cheers, those can stay",
        "nope leave them on here",
        "keep it on the list then",
        "no, let it be",
        "oh they can stay",
    ] {
        assert_eq!(answer(no), Some(Answer::No), "{no}");
    }
    for vague in [
        "ok",
        "hmm",
        "maybe",
        "i'm not sure",
        "yes?",
        "which one?",
        "yes, delete task 1",
        "great",
        "fine, delete task 1",
        "well, maybe",
        "sure",
        "no idea",
        "no need to buy milk",
        "no, i'm not sure",
        "hmm no idea",
        "no wait, let me think",
        "keep the milk on the list",
        "yes but not now",
        "",
        "🙂",
        "show my tasks",
        "cancel the milk task",
        "sure, why not",
        "sounds good to me",
        "fine by me",
        "works for me",
        // Signs that question, negate or quote.
        "yes？",
        "yes ❓",
        "go ahead؟",
        "confirmed？",
        "yes🚫",
        "yes 👎",
        "❌ yes",
        "~~yes~~",
        "> yes",
        "\"yes\"",
        "'yes'",
        "yes 🤔",
        "!yes",
        "🛑 proceed",
        "do it ✋",
        "yes ≠",
        "/y",
        "y/n",
        // Words of a yes in combinations that are none.
        "confirm it to me",
        "confirm to me",
        "confirm this one to me please",
        "confirm that you want it",
        "yes on and off",
        "yes i want it off and on",
        "yes, to do",
        "ya",
        "fire away",
        "no？",
        "absolutely love it",
        "of course I like it",
        "yes I like that one",
        "yes, I am off to do it now",
        "yes I do it all",
        "yes off to that now",
        "yes get off it",
        "yes, drop it",
        "yes 🙏",
        "yes ;)",
        "yes)))",
        "y...",
        "Y…",
        "yes, and…",
        "yes and then",
        "yes - just -",
        "confirm please",
        "confirm now please",
        "yes confirm it please",
        "yes I do love that one",
        "absolutely love this one",
        "yes I want it",
        "yes, I'd like it",
        "yes, do this task",
        "carry on",
    ] {
        assert_eq!(answer(vague), None, "{vague}");
    }
}

#[test]
fn who_meant_something_else_names_it() {
    assert_eq!(answer("hang on, I meant task 3"), Some(Answer::NoBut("task 3".into())));
    for firm in ["I mean absolutely", "I meant what I said", "I mean please do"] {
        assert_eq!(answer(firm), None, "{firm}");
    }
}

#[test]
fn a_no_may_carry_another_request() {
    assert_eq!(answer("no, delete book flights instead"), Some(Answer::NoBut("delete book flights instead".into())));
    assert_eq!(answer("actually leave that, delete 4"), Some(Answer::NoBut("delete 4".into())));
    for (said, rest) in [
        ("actually delete photocopy scripts instead", "delete photocopy scripts instead"),
        ("oh wait, bin the second one instead please", "bin the second one instead please"),
        ("on second thoughts rename it to ring jo instead", "rename it to ring jo instead"),
        ("remove task 4 instead", "remove task 4 instead"),
        ("could you complete it instead", "complete it instead"),
    ] {
        assert_eq!(answer(said), Some(Answer::NoBut(rest.into())), "{said}");
    }
    for vague in [
        "instead",
        "do it instead",
        "actually maybe task 4 instead",
        "don't delete it instead",
        "delete photocopy scripts",
    ] {
        assert_eq!(answer(vague), None, "{vague}");
    }
    assert_eq!(answer("never mind. what's left"), Some(Answer::NoBut("what's left".into())));
    assert_eq!(answer("oh leave it for now"), None);
    assert_eq!(answer("actually leave it"), Some(Answer::No));
}

#[test]
fn a_yes_says_nothing_else_than_what_it_approves() {
    let calls = |tool: ToolName, arguments: Value| vec![ApprovalCall { tool, arguments }];
    let one = calls(ToolName::DeleteTask, json!({ "task_id": 4 }));
    let two = calls(ToolName::DeleteTask, json!({ "task_ids": [4, 5] }));
    let renames = calls(ToolName::UpdateTask, json!({ "task_id": 4, "title": "x" }));
    for yes in [
        "yes",
        "yes, delete it",
        "yes that one",
        "go ahead and bin it",
        "yes please get rid of it",
        "correct",
        "yes, all of it",
    ] {
        assert!(fits(yes, &one), "{yes}");
    }
    for other in [
        "yes, complete it",
        "go ahead and rename it",
        "by all means complete it",
        "correct that",
        "yes, both",
        "yes those",
        "yes, all of them",
    ] {
        assert!(!fits(other, &one), "{other}");
    }
    assert!(
        fits("yes, delete both", &two)
            && fits("yes, all of them", &two)
            && !fits("yes, delete that one", &two)
            && !fits("yes, delete it", &two)
    );
    assert!(fits("yes, rename it", &renames) && !fits("yes, delete it", &renames));
}

#[test]
fn approval_that_names_an_action_covers_only_that_action() {
    let call = |tool: ToolName, arguments: Value| ApprovalCall { tool, arguments };
    let delete = |number: i64| call(ToolName::DeleteTask, json!({ "task_id": number }));
    let complete = |number: i64| call(ToolName::CompleteTask, json!({ "task_id": number }));
    let set = |number: i64, field: &str| call(ToolName::UpdateTask, json!({ "task_id": number, field: "tea" }));
    let update = |arguments: Value| call(ToolName::UpdateTask, arguments);
    let renamed_and_moved = update(json!({ "task_id": 1, "title": "tea", "due": "2030-01-01" }));
    let renamed_and_cleared = update(json!({ "task_id": 1, "title": "tea", "due": null }));
    let reopened = update(json!({ "task_ids": [1, 2], "status": "pending" }));
    for (calls, plural_delete) in [
        (vec![delete(1), set(2, "title")], false),
        (vec![delete(1), complete(2), complete(3)], false),
        (vec![set(1, "title"), set(2, "due")], false),
        (vec![complete(1), set(2, "title")], false),
        (vec![renamed_and_moved], false),
        (vec![renamed_and_cleared], false),
        (vec![reopened], false),
        (vec![delete(1), delete(2)], true),
    ] {
        for act in ACTS.split('|').filter(|act| *act != "go ahead with") {
            for object in OBJECTS.split('|') {
                let yes = format!("yes, {act} {object}");
                let is_of_all = plural_delete && !act.ends_with("rename") && !act.ends_with("complete");
                let is_plural = ["them", "those", "these", "both", "all", "tasks", "lot", "pair", "two"]
                    .iter()
                    .any(|word| object.split(' ').any(|part| part == *word));
                assert_eq!(fits(&yes, &calls), is_of_all && is_plural, "{yes}: {calls:?}");
            }
        }
    }
    for order in [
        "ok, correct just that one",
        "fine, correct please this one",
        "ok, correct that one",
        "okay correct all of it",
        "well, correct that one please",
        "yes, correct it",
    ] {
        assert!(!fits(order, &[delete(1)]), "{order}");
    }
    for yes in [
        "yes, that's correct, that one",
        "yes, correct, that one",
        "yes, that's correct",
        "correct, delete it",
        "yes, do it",
        "go ahead with it",
    ] {
        assert!(fits(yes, &[delete(1)]), "{yes}");
    }
    assert!(fits("yes, do it", &[delete(1), set(2, "title")]) && fits("go ahead with it", &[delete(1), delete(2)]));
}
