//! Chores that are added at once, questions with both readings, and their answers (R-601, R-1104).

use super::turn;
use crate::llm::{Act, Entry};

/// Returns the question after a message, with its options.
#[track_caller]
fn asked(message: &str) -> (String, Vec<String>) {
    match turn(&mut vec![], message) {
        (calls, Act::Ask { question, options, .. }) if calls.is_empty() => (question, options),
        other => panic!("{message}: {other:?}"),
    }
}

#[test]
fn bare_nouns_prompt_a_choice_of_add_or_search() {
    for (message, question, options) in [
        ("groceries", "Add a task: groceries? Or look for it?", ["add groceries", "look for it"]),
        (
            "soap, foil, oat bread",
            "Add 3 tasks: soap, foil, oat bread? Or look for them?",
            ["add soap, foil, oat bread", "look for them"],
        ),
        ("need milk", "Add a task: milk? Or look for it?", ["add milk", "look for it"]),
        (
            "should really ring the plumber",
            "Add a task: ring the plumber? Or look for it?",
            ["add ring the plumber", "look for it"],
        ),
    ] {
        assert_eq!(asked(message), (question.to_owned(), options.map(str::to_owned).to_vec()), "{message}");
    }
}

#[test]
fn an_answer_that_answers_nothing_has_the_question_asked_again() {
    for answer in ["yes", "yes?", "ok"] {
        let mut entries = vec![];
        let (_, first) = turn(&mut entries, "add a task");
        let (calls, act) = turn(&mut entries, answer);
        let (Act::Ask { question: first, .. }, Act::Ask { question, .. }) = (&first, &act) else {
            panic!("{answer}: {first:?} {act:?}")
        };
        assert!(calls.is_empty() && question == first, "{answer}: {question}");
    }
}

#[test]
fn examples_name_tasks_that_are_there() {
    for (message, example) in [("delete it", "“delete buy milk”"), ("complete the second one", "“complete buy milk”")]
    {
        let (question, _) = asked(message);
        assert!(question.contains(example) && !question.contains("task 3"), "{message}: {question}");
    }
    let several = crate::llm::rules::resolve::steps::Step::Ask {
        question: "Several tasks fit: milk (#3), milk (#4). Which one should I delete? For example: “delete task 3”."
            .into(),
        options: vec!["delete task 3".into(), "delete task 4".into()],
        several: true,
    };
    let act = crate::llm::rules::plan::ending::act(vec![], &[several]);
    assert!(!crate::llm::rules::plan::ending::teaches(&act), "its numbers are those of tasks");
    // The person named this task.
    let (question, _) = asked("3");
    assert!(question.contains("“complete task 3”"), "{question}");
}

#[test]
fn what_was_stopped_is_not_claimed_to_be_done() {
    for message in ["Continue", "continue please", "carry on"] {
        let (calls, act) = turn(&mut vec![], message);
        let Act::Say { text } = &act else { panic!("{message}: {act:?}") };
        assert!(calls.is_empty() && text.contains("nothing was changed"), "{message}: {text}");
        let kind = crate::domain::decision::DecisionKind::InvokeTool;
        for stopped in [
            "I stopped here because this took more steps than allowed. Say “Continue” to go on.",
            "I stopped here, since this took more steps than I may use. Say “Continue” and I go on.",
        ] {
            let said = Entry::Assistant { text: stopped.to_owned(), kind };
            let (calls, act) = turn(&mut vec![Entry::User { text: "sort my list".into() }, said], message);
            let Act::Ask { question, .. } = &act else { panic!("{message}: {act:?}") };
            assert!(calls.is_empty() && question.contains("nothing more was done"), "{message}: {question}");
        }
    }
}
