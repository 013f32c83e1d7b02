//! Cost of parsing for long and unusual messages.

use std::time::Duration;

use proptest::prelude::*;

use super::{task_called, turn};
use crate::domain::time::{Timestamp, spent};
use crate::llm::rules::confirmed;
use crate::llm::rules::normalise::words;
use crate::llm::rules::read::{context, notes, parts};

/// Returns the grammar steps for a message of `letters` letters that repeats `piece`.
fn steps(piece: &str, letters: usize) -> u32 {
    let text: String = piece.chars().cycle().take(letters).collect();
    let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
    let notes = notes::Notes::of(&text, &now, "Europe/London");
    parts::read(&words::words(&text), context::Context::new(&text, &now, "Europe/London", &notes), false);
    notes.taken()
}

#[test]
fn the_longest_message_is_answered_at_once() {
    // The first message also loads the classifiers.
    turn(&mut vec![], "hello");
    for piece in [
        "a, ",
        "add x and ",
        "delete the ",
        "\"",
        "mark it as done. ",
        "if so, to my list ",
        "é🙂 ",
        "i, ",
        "0\u{fffd}",
        "at 5pm not 5pm ",
        "call x at 5pm not 6, ",
        "remind me a day before x on friday ",
        "what is due except for x ",
        ". to so delete task ",
        "add, ",
    ] {
        let text: String = piece.chars().cycle().take(8000).collect();
        let begun = spent();
        turn(&mut vec![], &text);
        let took = spent() - begun;
        assert!(took < Duration::from_secs(2), "{piece:?} took {took:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn message_parsing_cost_is_linear_in_its_length(piece in "((add|delete|mark|the|my|task|as|done|is|and|i|so|if|it|3|friday|to|a|,|\\.|:|-|\n|x|milk) ){1,6}") {
        let (short, long) = (steps(&piece, 250), steps(&piece, 500));
        // Twice the length, plus a constant for the edges.
        prop_assert!(long <= short * 3 + 20_000, "{piece:?}: {short}, {long}");
    }
}

proptest! {
    #[test]
    fn no_message_makes_the_engine_panic(text in "\\PC{0,60}", words in "((add|delete|mark|the|my|list|task|to|as|done|is|and|if|not|it|#3|every|monday|,|\\.|\"|eggs|remind|me|what) ?){0,14}") {
        for text in [text, words] {
            turn(&mut vec![], &text);
            let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
            let tasks = [task_called("eggs")];
            let _ = confirmed::read(&format!("{text}, yes I'm sure"), &tasks, &tasks, &now, "UTC");
        }
    }
}
