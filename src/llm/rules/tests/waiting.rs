//! Messages while a question is pending.

use super::request;
use crate::llm::rules::plan;
use crate::llm::rules::read::waiting;
use crate::llm::{Act, Entry, Pending};

/// Returns the action after a message while a question is pending.
fn waits(message: &str) -> Act {
    let mut request = request(vec![Entry::User { text: message.into() }], 0);
    request.pending = vec![Pending { question: QUESTION.into(), asked_last: true, is_repeated: false }];
    plan::decide(&request).0
}

const QUESTION: &str = "Are you sure you want to delete task 3? (yes/no)";

#[test]
fn a_question_waits_for_who_wavers() {
    for message in
        ["er not sure, possibly", "i'm in two minds", "yes no maybe", "no, not sure", "ask me later", "hmm idk tbh"]
    {
        assert_eq!(waits(message), Act::AskAgain { text: String::new(), options: vec![] }, "{message}");
    }
}

#[test]
fn approval_question_about_reversibility_is_answered_then_repeated() {
    for message in [
        "will it be gone forever?",
        "could i have it back later?",
        "ok but is that reversible",
        "can i get it back after?",
    ] {
        assert_eq!(waits(message), Act::AskAgain { text: waiting::WAY_BACK.into(), options: vec![] }, "{message}");
    }
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
}

#[test]
fn a_vague_answer_brings_the_question_back() {
    for message in ["ok", "hmm", "which one is that again?", "sure, why not", "sounds good to me"] {
        assert_eq!(waits(message), Act::AskAgain { text: String::new(), options: vec![] }, "{message}");
    }
}

#[test]
fn only_what_concerns_a_question_brings_it_back() {
    let again = |message: &str| matches!(waits(message), Act::AskAgain { .. });
    for message in ["hold on, i need to think", "one moment please", "how many is that?", "is that all of them?"] {
        assert!(again(message), "{message}");
    }
    for message in ["how far is it to leeds?", "is it raining?", "what is that in euros"] {
        assert!(!again(message), "{message}");
    }
}
