//! The last change as an answer, and undo of existing changes only.

use super::*;

#[test]
fn words_for_a_mistake_undo_nothing_where_nothing_was_done() {
    for message in ["put it back", "that was a mistake", "scratch that", "change it back", "i didn't mean to do that"] {
        let (calls, _) = turn(&mut vec![], message);
        assert!(calls.is_empty(), "{message}: {calls:?}");
    }
}

#[test]
fn the_last_change_is_told_from_the_record() {
    for message in [
        "what did you just change",
        "what did you change?",
        "what changed?",
        "which tasks did you just edit",
        "what was the last change?",
    ] {
        let mut entries = vec![];
        let (calls, act) = turn(&mut entries, message);
        assert!(calls.is_empty() && matches!(&act, Act::Say { text } if text.contains("/audit")), "{message}: {act:?}");
        let mut entries = vec![];
        turn(&mut entries, "complete the laundry");
        turn(&mut entries, "show my tasks");
        let (calls, act) = turn(&mut entries, message);
        assert!(calls.is_empty(), "{message}: {calls:?}");
        let Act::Say { text } = &act else { panic!("{message}: {act:?}") };
        assert!(text.contains("Completed task: laundry (#3)") && text.contains("“undo”"), "{message}: {text}");
    }
}
