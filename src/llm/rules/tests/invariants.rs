//! The five guarantees of the engine, each as a property test over generated messages.

use proptest::prelude::*;
use serde_json::json;

use super::super::lex::set::{Set, file_set};
use super::super::read::intent::Edits;
use super::super::resolve::changed::{kept, timed};
use super::super::resolve::steps::{Known, Step};
use super::{task, turn};
use crate::domain::task::Task;
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::llm::Act;

const ZONE: &str = "Europe/London";

fn now() -> Timestamp {
    Timestamp::parse("2026-03-11T09:30:00Z").unwrap()
}

/// Returns the titles of the tasks that a message adds.
fn added(message: &str) -> Vec<String> {
    let (calls, _) = turn(&mut vec![], message);
    let fields = |call: &String| {
        let (tool, arguments) = call.split_once(' ')?;
        let arguments: serde_json::Value = serde_json::from_str(arguments).ok()?;
        (tool == "add_task").then(|| arguments["title"].as_str().map(str::to_owned))?
    };
    calls.iter().filter_map(fields).collect()
}

/// Words that are no verb of the list, no date and no courtesy.
const THINGS: [&str; 24] = [
    "trowel", "lantern", "pepper", "ladder", "gasket", "mitten", "pillow", "saddle", "magnet", "funnel", "walnut",
    "ribbon", "bucket", "kettle", "candle", "blanket", "pebble", "anchor", "violin", "carpet", "helmet", "turnip",
    "zither", "cymbal",
];
/// Decorations of a title; `~` marks its place.
const SIGNS: [&str; 13] = [
    "~",
    "[bug] ~",
    "🍎 ~",
    "(maybe) ~",
    "*new* ~",
    "~ x2",
    "~ (blue)",
    "~ 🎂",
    "~ №7",
    "50% ~",
    "~ & co",
    "~/spare",
    "{draft} ~",
];

fn thing() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&THINGS[..])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_word_of_a_new_task_is_lost(words in prop::collection::vec(thing(), 1..5), part in prop::sample::select(&["", " evening", " morning"][..])) {
        let message = format!("add {} tomorrow{part}", words.join(" "));
        let (calls, act) = turn(&mut vec![], &message);
        let Act::Say { text } = act else { return Err(TestCaseError::fail(format!("{message}: {act:?}"))) };
        for word in words.iter().copied().chain(part.split_whitespace()) {
            // A part of the day is a time (R-1105).
            let held = match word {
                "evening" => "T19:00",
                "morning" => "T09:00",
                other => other,
            };
            prop_assert!(calls.join(" ").contains(held) || text.contains(word), "{message}: {calls:?} {text}");
        }
    }

    #[test]
    fn every_item_of_a_list_is_a_task(words in prop::collection::btree_set(thing(), 2..7), form in 0..6_usize) {
        let words: Vec<&str> = words.into_iter().collect();
        let message = match form {
            0 => format!("add\n{}", words.join("\n")),
            1 => format!("- {}", words.join("\n- ")),
            2 => format!("add these: {}", words.join(", ")),
            3 => words.iter().enumerate().map(|(at, word)| format!("{}. {word}", at + 1)).collect::<Vec<_>>().join("\n"),
            4 => format!("to buy:\n* {}", words.join("\n* ")),
            _ => format!("add buy {}", words.join(", call the ")),
        };
        let titles = added(&message);
        prop_assert_eq!(titles.len(), words.len(), "{}: {:?}", message, titles);
        for (title, word) in titles.iter().zip(&words) {
            prop_assert!(title.ends_with(word), "{message}: {titles:?}");
        }
    }

    #[test]
    fn new_day_keeps_the_time_and_new_recurrence_the_day(hour in 0..24_u32, minute in 0..60_u32, ahead in 1..300_i64) {
        let mut value = task(1);
        value["due"] = json!(when::parse(&format!("2026-03-20T{hour:02}:{minute:02}"), &now(), ZONE).unwrap().due.to_string());
        let tasks: Vec<Task> = vec![serde_json::from_value(value).unwrap()];
        let at = now();
        let known = Known { tasks: &tasks, is_partial: false, earlier: &[], now: &at, zone: ZONE, today: "2026-03-11", gone: &[], focus: &[], looked_at: &[], shown: &[], candidates: None };
        let day = when::parse(&format!("in {ahead} days"), &now(), ZONE).unwrap().due.day().to_owned();
        // The hour skipped by the clock change does not exist.
        prop_assume!(!(hour == 1 && day == "2026-03-29"));
        let moved = timed(&[1], &Edits { due: Some(Some(day.clone())), ..Edits::default() }, &known);
        let [Step::Call(call)] = moved.as_slice() else { return Err(TestCaseError::fail("one task is one call")) };
        let due = call.arguments["due"].as_str().unwrap();
        prop_assert!(due.starts_with(&format!("{day}T{hour:02}:{minute:02}")), "{due}");
        let weekly = Edits { due: Some(Some("2026-03-11".into())), recurrence: Some("FREQ=WEEKLY".into()), ..Edits::default() };
        prop_assert_eq!(kept(&[1], &weekly, &known).due, None);
    }

    #[test]
    fn an_unknown_verb_deletes_nothing(verb in "[a-z]{4,9}", title in prop::sample::select(&["eggs", "the laundry", "call mum", "the laundry task"][..])) {
        const DELETES: Set = file_set!("deletion_verbs");
        prop_assume!(!DELETES.has(&verb));
        let (calls, _) = turn(&mut vec![], &format!("{verb} {title}"));
        prop_assert!(calls.iter().all(|call| !call.starts_with("delete_task")), "{verb} {title}: {calls:?}");
    }
}

#[test]
fn verbs_of_other_programs_delete_nothing() {
    for verb in ["duplicate", "copy", "skip", "archive", "clone", "export", "share", "print", "pin", "split"] {
        for title in ["eggs", "the laundry", "the laundry task", "laundry task"] {
            let (calls, _) = turn(&mut vec![], &format!("{verb} {title}"));
            assert!(calls.iter().all(|call| !call.starts_with("delete_task")), "{verb} {title}: {calls:?}");
        }
    }
}

#[test]
fn chat_and_quick_add_agree_on_titles() {
    for thing in THINGS {
        for sign in SIGNS {
            let line = sign.replace('~', thing);
            let quick = when::quick_add(&line, &now(), ZONE).title;
            assert_eq!(added(&format!("add {line}")), [quick], "{line}");
        }
    }
    for line in
        ["On the Road", "Love Actually", "Guns, Germs, and Steel", "That Was Then, This Is Now", "Back to the Future"]
    {
        assert_eq!(added(&format!("add {line}")), [when::quick_add(line, &now(), ZONE).title]);
    }
}

#[test]
fn doubt_weighs_by_the_harm_of_the_act() {
    // Nothing indicates the list, and the model classifies these as jobs of other programs.
    for message in
        ["add a song by the beatles to the queue", "put the kitchen lights on", "get me a taxi to the station"]
    {
        assert!(added(message).is_empty(), "{message}");
    }
    // The words from above as an explicit title.
    assert_eq!(added("add call a taxi to the station"), ["call a taxi to the station"]);
    assert_eq!(added("remind me to turn the kitchen lights off"), ["turn the kitchen lights off"]);
    // A read-only action needs only a likely meaning.
    assert_eq!(turn(&mut vec![], "which things are left").0, [r#"list_tasks {"status":"pending"}"#]);
}
