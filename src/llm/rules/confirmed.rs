//! Requests that confirm themselves (R-404).

use serde_json::Value;

use crate::domain::consent;
use crate::domain::task::{Status, Task};
use crate::domain::text::plain_words;
use crate::domain::time::Timestamp;
use crate::domain::tool::Call;
use crate::llm::rules::lex::matching::{self, Fit};
use crate::llm::rules::plan::turn as plan;
use crate::llm::rules::read::intent::{Part, Target, aim, target_of};
use crate::llm::rules::read::parts;
use crate::llm::rules::resolve::renaming;
use crate::llm::rules::resolve::steps::{self as resolve, Known, Step};

/// A confirmation and the calls it confirms.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmed {
    pub words: String,
    /// The calls that the rules would make, in wire form.
    pub calls: Vec<Call>,
}

/// Parses a self-confirming message; `None` if it does not confirm, or if any part requests something else. `tasks` are
/// the current states of those that need approval. The message must name each by number or by a title that is unique in
/// `list`. `list` holds all of the user's tasks, or none if there are too many.
pub fn read(message: &str, tasks: &[Task], list: &[Task], now: &Timestamp, zone: &str) -> Option<Confirmed> {
    let confirmation = consent::confirmation(message)?;
    let parts = parts::parts(&confirmation.rest, now, zone);
    let parts = renaming::divided(&parts, tasks).unwrap_or(parts);
    let today = resolve::today(now, zone);
    let known = Known {
        tasks,
        is_partial: false,
        earlier: &[],
        now,
        zone,
        today: &today,
        gone: &[],
        focus: &[],
        looked_at: &[],
        shown: &[],
        candidates: None,
    };
    let mut steps = vec![];
    for part in &parts {
        if !may_confirm(part) {
            return None;
        }
        let prefer = if matches!(part, Part::Reopen(_)) { Status::Completed } else { Status::Pending };
        let numbers = named(target_of(part)?, tasks, list, prefer)?;
        steps.extend(resolve::part(&aim(part, Target::Numbers(numbers)), &known));
    }
    let acts = steps.iter().all(|step| matches!(step, Step::Call(_) | Step::Batch(..)));
    let calls = if acts { plan::calls(&steps) } else { vec![] };
    // The rules find a command in many sentences, but only a plain one confirms itself. Without the full list, a
    // courtesy or the confirmation may belong to a title: "delete 3 now" may name the task "3 now".
    let is_known = !list.is_empty();
    if !is_known && !is_divided(message, &confirmation.words) {
        return None;
    }
    let plain = consent::is_spelled_out(&confirmation.rest, &calls, tasks, (now, zone), is_known);
    let about = |task: &Task| calls.iter().any(|call| names(&call.arguments, task));
    let (named, others): (Vec<&Task>, Vec<&Task>) = tasks.iter().chain(list).partition(|task| about(task));
    let ambiguous = others_meant(&named, &others, message, &confirmation.rest);
    (acts && plain && !ambiguous).then_some(Confirmed { words: confirmation.words, calls })
}

/// Returns true if punctuation separates the command from the confirming words.
fn is_divided(message: &str, words: &str) -> bool {
    let (before, after) = message.split_once(words).unwrap_or_default();
    let before = before.trim_end();
    before.ends_with([',', '.', ';', ':', '-', '–', '—', '(']) || before.is_empty() && !after.trim().is_empty()
}

fn names(arguments: &Value, task: &Task) -> bool {
    let one = arguments.get("task_id").into_iter();
    let mut all = one.chain(arguments.get("task_ids").and_then(Value::as_array).into_iter().flatten());
    all.any(|number| number.as_i64() == Some(task.task_id.0))
}

/// Returns true if the message may mean a task that is not `named`. It may contain another title, such as "pay rent
/// now" for "pay rent". The confirming words may also belong to a title, such as "hotel booking confirmed".
fn others_meant(named: &[&Task], others: &[&Task], message: &str, rest: &str) -> bool {
    let words = |task: &&Task| plain_words(task.title.as_str());
    let has =
        |text: &[String], title: &[String]| !title.is_empty() && text.windows(title.len()).any(|part| part == title);
    let (message, rest) = (plain_words(message), plain_words(rest));
    let named: Vec<_> = named.iter().map(words).filter(|title| has(&message, title)).collect();
    let is_part = |title: &[String]| named.iter().any(|longer| has(longer, title));
    named.iter().any(|title| !has(&rest, title))
        || others.iter().map(words).any(|title| has(&message, &title) && !is_part(&title))
}

/// Returns true if a part changes existing tasks and nothing else.
fn may_confirm(part: &Part) -> bool {
    match part {
        Part::Complete(_) | Part::Delete { .. } | Part::Reopen(_) | Part::Edit { .. } => true,
        Part::Add { .. }
        | Part::Happened(_)
        | Part::List(_)
        | Part::Get(_)
        | Part::Undo(_)
        | Part::Ask { .. }
        | Part::Say(_)
        | Part::Refuse(_) => false,
    }
}

/// Returns the numbers of the tasks that a target names explicitly; `None` if any of them is not in `tasks`.
fn named(target: &Target, tasks: &[Task], list: &[Task], prefer: Status) -> Option<Vec<i64>> {
    let wanted = |number: i64| tasks.iter().find(|task| task.task_id.0 == number);
    match target {
        Target::Numbers(numbers) => numbers.iter().all(|number| wanted(*number).is_some()).then(|| numbers.clone()),
        Target::Words { text, .. } => {
            let Fit::One(number) = matching::find(text, list, prefer, matching::SAME) else { return None };
            let same = |task: &&Task| matching::normal(task.title.as_str()) == matching::normal(text);
            // A task of equal title counts whatever its status, since another turn may have just completed it.
            let is_alone = list.iter().filter(same).count() == 1;
            wanted(number).filter(same).filter(|_| is_alone).map(|_| vec![number])
        }
        Target::Places(_) | Target::It | Target::Them | Target::All(_) | Target::Said(_) | Target::Missing => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::id::TaskNumber;
    use crate::llm::rules::tests::task_called;

    fn tasks(all: &[(i64, &str)]) -> Vec<Task> {
        all.iter().map(|(number, title)| Task { task_id: TaskNumber(*number), ..task_called(title) }).collect()
    }

    fn confirmed(message: &str) -> Option<Confirmed> {
        let wanted = tasks(&[
            (1, "buy milk"),
            (3, "laundry"),
            (4, "wash the dog"),
            (6, "laundry day"),
            (7, "call Bo"),
            (10, "water plants"),
            (12, "hotel booking"),
        ]);
        let mut done = task_called("water plants");
        (done.task_id, done.status) = (TaskNumber(11), Status::Completed);
        let list = [
            wanted.clone(),
            tasks(&[
                (8, "call bo"),
                (9, "hoover"),
                (13, "hotel booking confirmed"),
                (14, "pay rent, yes"),
                (15, "wash the dog now"),
                (16, "buy milk and delete 1"),
            ]),
            vec![done],
        ]
        .concat();
        read(message, &wanted, &list, &Timestamp::parse("2026-03-11T09:30:00Z").unwrap(), "Europe/London")
    }

    /// Asserts the confirming words and the calls, each written as tool and arguments.
    #[track_caller]
    fn check(message: &str, words: &str, calls: &[&str]) {
        let read = confirmed(message).unwrap_or_else(|| panic!("“{message}” confirms itself"));
        let told: Vec<_> = read.calls.iter().map(|call| format!("{} {}", call.tool, call.arguments)).collect();
        assert_eq!((read.words.as_str(), told), (words, calls.iter().map(ToString::to_string).collect()), "{message}");
    }

    #[test]
    fn message_confirms_fully_specified_calls() {
        check("delete 3, yes I'm sure", "yes I'm sure", &[r#"delete_task {"task_id":3}"#]);
        check("yes, delete task 1 - confirmed", "confirmed", &[r#"delete_task {"task_id":1}"#]);
        check("yes delete \"laundry\", no need to ask me", "no need to ask me", &[r#"delete_task {"task_id":3}"#]);
        check("delete tasks 3 and 4, I'm sure", "I'm sure", &[r#"delete_task {"task_ids":[3,4]}"#]);
        check(
            "rename task 1 to \"wash both cars\", yes I am sure",
            "yes I am sure",
            &[r#"update_task {"task_id":1,"title":"wash both cars"}"#],
        );
        check(
            "rename laundry day to \"wash day\", yes I am sure",
            "yes I am sure",
            &[r#"update_task {"task_id":6,"title":"wash day"}"#],
        );
        check(
            "set priority of 4 to high, yes I'm sure",
            "yes I'm sure",
            &[r#"update_task {"priority":"high","task_id":4}"#],
        );
        check(
            "move tasks 3 and 4 to friday, yes I'm sure",
            "yes I'm sure",
            &[r#"update_task {"due":"2026-03-13","task_ids":[3,4]}"#],
        );
        check(
            "delete task 3 and rename task 1 to \"buy oat milk\", yes I'm sure",
            "yes I'm sure",
            &[r#"delete_task {"task_id":3}"#, r#"update_task {"task_id":1,"title":"buy oat milk"}"#],
        );
    }

    #[test]
    fn message_does_not_confirm_ambiguous_or_unnamed_calls() {
        for message in [
            "delete 3",
            "delete 2, yes I'm sure",
            "delete 3 and 2, yes I'm sure",
            "delete everything, I'm sure",
            "delete it, I'm sure",
            "delete the milk one, I'm sure",
            // There are two of them, and this one is not up for approval.
            "delete call bo, I'm sure",
            "delete hoover, I'm sure",
            // Two tasks have this title, one of them completed.
            "delete water plants, I'm sure",
            // There are also “wash the dog now” and “buy milk and delete 1”.
            "delete wash the dog now, I'm sure",
            "delete buy milk and delete 1, I'm sure",
            // The confirming words belong to a title, or may belong to the new one.
            "delete hotel booking confirmed",
            "delete hotel booking, confirmed",
            "delete pay rent, yes",
            "rename 1 to booking confirmed",
            "rename 1 to yes",
            "rename 1 to ask Ann, yes",
            "rename 1 to 'booking confirmed'",
            "rename 1 to the meeting is confirmed",
            "rename 3 to x but ask me first, I'm sure",
            "rename 3 to x unless Bob objects, I'm sure",
            "rename 3 if Bob agrees, I'm sure",
            "rename 3 never, I'm sure",
            "rename 3 to x (just kidding), I'm sure",
            "rename 3 as you like, I'm sure",
            "rename 3 and 4, I'm sure",
            "change 3 and 4 to high or low, I'm sure",
            "call 3 people, I'm sure",
            "call 3 plumber, confirmed",
            "drop off 3 items, confirmed",
            "cancel 3 items on my list, I'm sure",
            "remove 3 from finished items, I'm sure",
            "delete 3 and show my tasks, I'm sure",
            "add eggs and delete 3, I'm sure",
            "rename task 1, yes I'm sure",
            "hello, I'm sure",
            "tasks 3 and 4 must not be deleted, I am sure",
            "could you please not delete 3, I am sure",
            "I would never delete task 1, I am sure",
            "Bob: delete 3, yes I am sure",
            "delete 3, I am not so sure, yes",
            "we must not move tasks 3 and 4 to friday, I am sure",
        ] {
            assert_eq!(confirmed(message), None, "{message}");
        }
    }
}
