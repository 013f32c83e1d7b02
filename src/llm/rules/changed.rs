//! Changes that start from what a task has: its tags, its due date.

use serde_json::{Value, json};

use super::intent::{Edits, Tags};
use super::resolve::{Known, Step, ask, call, target_field, update};
use super::shift::Shift;
use crate::domain::task::Status;
use crate::domain::time::Timestamp;
use crate::domain::tool::ToolName;
use crate::domain::when;

/// A due date moved from where it is, or the question where that is.
pub(super) fn moved(id: i64, shift: Shift, known: &Known) -> Step {
    let due = known.tasks.iter().find(|task| task.task_id.0 == id).and_then(|task| task.due.as_ref());
    match due.and_then(|due| shift.of(due, known.zone)) {
        Some(due) => {
            let due = Some(Some(due));
            Step::Call(update(&[id], &Edits { due, ..Edits::default() }))
        }
        None => Step::Ask {
            question: format!(
                "I cannot move task {id} by that. When should it be due? For example: “move task {id} to friday”."
            ),
            options: vec![],
            several: false,
        },
    }
}

/// A change to a time of day: on the day that each task has, unless that has gone by.
pub(super) fn timed(ids: &[i64], edit: &Edits, known: &Known) -> Vec<Step> {
    let said = edit.due.as_ref().and_then(Option::as_deref).unwrap_or_default();
    let due = |id: &i64| {
        let has = known.tasks.iter().find(|task| task.task_id.0 == *id).and_then(|task| task.due.as_deref());
        has.and_then(|has| of_day(has, said, known.zone)).unwrap_or_else(|| said.to_owned())
    };
    let dues: Vec<String> = ids.iter().map(due).collect();
    let step =
        |ids: &[i64], due: &String| Step::Call(update(ids, &Edits { due: Some(Some(due.clone())), ..edit.clone() }));
    match dues.as_slice() {
        [first, others @ ..] if others.iter().all(|due| due == first) => vec![step(ids, first)],
        dues => ids.iter().zip(dues).map(|(id, due)| step(&[*id], due)).collect(),
    }
}

/// The time of day of one due date on the day of another, if that is no earlier.
fn of_day(day: &str, time: &str, zone: &str) -> Option<String> {
    let (day, today, clock) = (day.get(..10)?, time.get(..10)?, time.get(11..19)?);
    let now = Timestamp::parse(time).ok()?;
    let found = when::parse(&format!("{day}T{clock}"), &now, zone).filter(|_| day >= today)?;
    Some(found.due.as_str().to_owned())
}

/// Tasks opened again, or that they are open: "the rent isn't paid yet" changes nothing of what is still to be paid.
pub(super) fn reopened(ids: Vec<i64>, known: &Known) -> Step {
    let open =
        |id: &i64| known.tasks.iter().find(|task| task.task_id.0 == *id).filter(|task| task.status == Status::Pending);
    match ids.iter().map(open).collect::<Option<Vec<_>>>().as_deref() {
        Some([task]) => Step::Say(format!(
            "“{}” (#{}) is open already, so nothing was changed. Say “show my tasks” to see your list.",
            task.title, task.task_id
        )),
        Some([_, ..]) => {
            Step::Say("They are open already, so nothing was changed. Say “show my tasks” to see your list.".into())
        }
        Some([]) | None => Step::Batch(ToolName::UpdateTask, ids),
    }
}

/// A change of one task's tags: the tool takes all that it is to have.
pub(super) fn retag(id: i64, change: &Tags, known: &Known) -> Step {
    let Some(task) = known.tasks.iter().find(|task| task.task_id.0 == id) else {
        return ask(format!("I couldn't find task #{id}. Would you like to see your current tasks?"));
    };
    let has: Vec<String> = task.tags.iter().map(ToString::to_string).collect();
    let is = |name: &String, other: &String| name.to_lowercase() == other.to_lowercase();
    let tags: Vec<String> = match change {
        Tags::Clear => vec![],
        Tags::Add(names) => {
            let new = names.iter().filter(|name| !has.iter().any(|tag| is(tag, name)));
            has.iter().chain(new).cloned().collect()
        }
        Tags::Remove(names) if names.is_empty() && has.len() > 1 => {
            return Step::Ask {
                question: format!("Task {id} has several tags. Which one should I remove?"),
                options: has.iter().map(|tag| format!("remove @{tag} from task {id}")).collect(),
                several: false,
            };
        }
        Tags::Remove(names) => {
            has.iter().filter(|tag| !names.is_empty() && !names.iter().any(|name| is(tag, name))).cloned().collect()
        }
    };
    let mut fields = target_field(&[id]);
    fields.insert("tags".into(), json!(tags));
    Step::Call(call(ToolName::UpdateTask, Value::Object(fields)))
}

/// How many tasks a description says that it means: "both milk tasks", "two reports".
pub(super) fn counted(text: &str) -> Option<usize> {
    let first = text.split(' ').next().map(str::to_lowercase)?;
    let names = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let both = (first == "both").then_some(2);
    both.or_else(|| names.iter().position(|name| *name == first).map(|at| at + 2))
}

/// A description without its count.
pub(super) fn without_count(text: &str) -> Option<&str> {
    counted(text).and_then(|_| text.split_once(' ')).map(|(_, rest)| rest)
}

/// The question what a task is to become.
pub(super) fn to_what(ids: &[i64], known: &Known) -> Step {
    let task = known.tasks.iter().find(|task| ids.first() == Some(&task.task_id.0));
    let name = match (ids, task) {
        ([_], Some(task)) => format!("“{}”", task.title),
        ([one], None) => format!("task {one}"),
        _ => "these tasks".to_owned(),
    };
    let id = ids.first().copied().unwrap_or_default();
    Step::Ask {
        question: format!("What should change about {name}? For example: “friday”, “high priority” or a new title."),
        options: vec![format!("move task {id} to tomorrow"), format!("make task {id} high priority")],
        several: false,
    }
}

#[cfg(test)]
mod tests {
    use super::of_day;

    #[test]
    fn a_time_alone_keeps_the_day() {
        let zone = "Europe/London";
        let at = "2026-03-12T15:00:00+00:00";
        // Clocks change in between.
        assert_eq!(of_day("2026-04-07T14:00:00+01:00", at, zone).as_deref(), Some("2026-04-07T15:00:00+01:00"));
        assert_eq!(of_day("2026-03-12", at, zone).as_deref(), Some(at));
        assert_eq!(of_day("2026-03-11", at, zone), None);
    }
}
