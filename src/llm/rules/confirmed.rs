//! What a message asks for that has itself confirmed it (R-404).

use super::intent::{Part, Target, aim, target_of};
use super::matching::{self, Fit};
use super::resolve::{self, Known, Step};
use super::{parts, plan, renaming};
use crate::domain::consent;
use crate::domain::task::{Status, Task};
use crate::domain::time::Timestamp;
use crate::domain::tool::Call;

/// A confirmation, and what it confirms.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmed {
    /// The confirming words as written.
    pub words: String,
    /// The calls that the rules themselves would make, in wire form.
    pub calls: Vec<Call>,
}

/// Reads a message that confirms itself. `tasks` are those that a yes is wanted for, as they are: the message has to name each of
/// them by its number, or spell out a title that it has alone in `list`, which holds all of the person's tasks or, where they are too
/// many, none. `None` if it does not confirm, or if any of it asks for something else.
pub fn read(message: &str, tasks: &[Task], list: &[Task], now: &Timestamp, zone: &str) -> Option<Confirmed> {
    let confirmation = consent::confirmation(message)?;
    let parts = parts::parts(&confirmation.rest, now, zone);
    let parts = renaming::divided(&parts, tasks).unwrap_or(parts);
    let known = Known { tasks, zone, gone: &[], focus: &[], looked_at: &[], shown: &[], candidates: None };
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
    // The rules read an order in many sentences; only one that says nothing else confirms itself.
    let plain = consent::is_spelled_out(&confirmation.rest, &calls, tasks, now, zone);
    (acts && plain).then_some(Confirmed { words: confirmation.words, calls })
}

/// Whether a part changes tasks that are there, and does nothing else.
fn may_confirm(part: &Part) -> bool {
    match part {
        Part::Complete(_) | Part::Delete { .. } | Part::Reopen(_) | Part::Edit { .. } => true,
        Part::Add { .. }
        | Part::Happened(_)
        | Part::List(_)
        | Part::Get(_)
        | Part::Ask { .. }
        | Part::Say(_)
        | Part::Refuse(_) => false,
    }
}

/// The numbers of the tasks that a target spells out; `None` where it does so for none of `tasks`, or for more than these.
fn named(target: &Target, tasks: &[Task], list: &[Task], prefer: Status) -> Option<Vec<i64>> {
    let wanted = |number: i64| tasks.iter().find(|task| task.task_id.0 == number);
    match target {
        Target::Numbers(numbers) => numbers.iter().all(|number| wanted(*number).is_some()).then(|| numbers.clone()),
        Target::Words { text, .. } => {
            let Fit::One(number) = matching::find(text, list, prefer, matching::SAME) else { return None };
            let same = |task: &&Task| matching::normal(task.title.as_str()) == matching::normal(text);
            wanted(number).filter(same).map(|_| vec![number])
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
        let wanted = tasks(&[(1, "buy milk"), (3, "laundry"), (4, "wash the dog"), (6, "laundry day"), (7, "call Bo")]);
        let list = [wanted.clone(), tasks(&[(8, "call bo"), (9, "hoover")])].concat();
        read(message, &wanted, &list, &Timestamp::parse("2026-03-11T09:30:00Z").unwrap(), "Europe/London")
    }

    /// What the message confirms: a tool with its arguments for each call.
    #[track_caller]
    fn check(message: &str, words: &str, calls: &[&str]) {
        let read = confirmed(message).unwrap_or_else(|| panic!("“{message}” confirms itself"));
        let told: Vec<_> = read.calls.iter().map(|call| format!("{} {}", call.tool, call.arguments)).collect();
        assert_eq!((read.words.as_str(), told), (words, calls.iter().map(ToString::to_string).collect()), "{message}");
    }

    #[test]
    fn a_message_confirms_what_the_rules_read_in_it_with_all_its_fields() {
        check("delete 3, yes I'm sure", "yes I'm sure", &[r#"delete_task {"task_id":3}"#]);
        check("yes, delete task 1 - confirmed", "confirmed", &[r#"delete_task {"task_id":1}"#]);
        check("yes delete \"laundry\", no need to ask me", "no need to ask me", &[r#"delete_task {"task_id":3}"#]);
        check("delete tasks 3 and 4, I'm sure", "I'm sure", &[r#"delete_task {"task_ids":[3,4]}"#]);
        check(
            "rename task 1 to wash both cars, yes I am sure",
            "yes I am sure",
            &[r#"update_task {"task_id":1,"title":"wash both cars"}"#],
        );
        check(
            "rename laundry day to wash day, yes I am sure",
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
            "delete task 3 and rename task 1 to buy oat milk, yes I'm sure",
            "yes I'm sure",
            &[r#"delete_task {"task_id":3}"#, r#"update_task {"task_id":1,"title":"buy oat milk"}"#],
        );
    }

    #[test]
    fn what_the_message_does_not_spell_out_is_not_confirmed_by_it() {
        for message in [
            "delete 3",
            "delete 2, yes I'm sure",
            "delete 3 and 2, yes I'm sure",
            "delete everything, I'm sure",
            "delete it, I'm sure",
            "delete the milk one, I'm sure",
            // There are two of them, and of this one nobody wants to know.
            "delete call bo, I'm sure",
            "delete hoover, I'm sure",
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
