//! Sentences outside the training data.

use super::*;

fn guessed(text: &str) -> Option<Part> {
    let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
    guess_of(text, &now, "Europe/London")
}

fn title(text: &str) -> Option<String> {
    match guessed(text) {
        Some(Part::Add { items, .. }) => {
            Some(items.iter().map(|item| item.title.as_str()).collect::<Vec<_>>().join("|"))
        }
        _ => None,
    }
}

#[test]
fn wishes_in_many_words_become_tasks_of_few() {
    let wishes = [
        ("pop sunscreen onto the holiday shopping list would you", "sunscreen"),
        ("could you make a note that i should phone the plumber", "phone the plumber"),
        ("i'd like a reminder about the parents meeting please", "parents meeting"),
        ("washing powder wants to go on the list", "washing powder"),
    ];
    let read = wishes.map(|(text, wanted)| title(text).map(|title| title.contains(wanted)));
    assert!(!read.contains(&Some(false)), "what is not sure is asked: {read:?}");
    assert!(read.iter().flatten().count() >= 2, "{read:?}");
}

#[test]
fn a_date_beside_the_title_is_when_it_is_due() {
    let Some(Part::Add { items, .. }) = guessed("on friday i need reminding to return the library books") else {
        panic!("{:?}", guessed("on friday i need reminding to return the library books"));
    };
    assert_eq!(items[0].due.as_deref(), Some("2026-03-13"));
    assert!(items[0].title.contains("return the library books"), "{items:?}");
}

#[test]
fn statements_and_slang_are_about_tasks_too() {
    let deleted = guessed("the swimming lesson one can be chucked out now");
    assert!(matches!(deleted, Some(Part::Delete { .. })), "{deleted:?}");
    let completed = guessed("that's the hedge trimmed so tick it");
    assert!(matches!(completed, Some(Part::Complete(_))), "{completed:?}");
    for text in ["what have i still got on for the weekend", "so what's outstanding then"] {
        assert!(matches!(guessed(text), Some(Part::List(_))), "{text}: {:?}", guessed(text));
    }
}

#[test]
fn conditional_or_negated_statement_never_runs_immediately() {
    for text in [
        "if the shop is open put bread on the list",
        "should i put bread on the list",
        "why did you add bread to my list",
        "i never finished the report",
        "i haven't paid the rent",
        "don't push the dentist appointment back to friday",
        "we need milk",
        "i have to see my doctor",
    ] {
        let acts =
            |part: &Part| matches!(part, Part::Add { .. } | Part::Complete(_) | Part::Reopen(_) | Part::Edit { .. });
        assert!(!guessed(text).is_some_and(|part| acts(&part)), "{text}: {:?}", guessed(text));
    }
}

#[test]
fn request_outside_tasks_is_refused_despite_the_word_add() {
    let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
    for text in ["add maria's new number to my contacts", "add this song to my workout playlist"] {
        let notes = Notes::of(text, &now, "UTC");
        let odds = odds(&words(text), Context::new(text, &now, "UTC", &notes));
        assert!(odds.of(Kind::Refuse) > 0.9, "{text}");
    }
    for text in ["add milk", "add call the bank to my list", "remind me to text mum", "add order new contacts"] {
        let notes = Notes::of(text, &now, "UTC");
        let odds = odds(&words(text), Context::new(text, &now, "UTC", &notes));
        assert!(odds.of(Kind::Refuse) <= 0.9, "{text}");
    }
}

#[test]
fn tokens_are_alike_for_numbers_dates_and_quotations() {
    let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
    let tokens = tokens_of("move #12 to next friday, not \"x y\"", &now, "UTC");
    let names: Vec<&str> = tokens.iter().map(|(token, _, _)| token.name.as_str()).collect();
    assert_eq!(names, ["move", "0", "to", "DATE", ",", "not", "QUOTED"]);
    assert_eq!((tokens[3].1, tokens[3].2), (12, 23));
}
