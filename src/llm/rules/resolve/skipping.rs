//! Skipping of an occurrence: a repeating task moves to its next date, and nothing is deleted or completed.

use crate::domain::task::{Due, Task};
use crate::domain::task_line::day;
use crate::domain::time::{CivilDate, Timestamp};
use crate::domain::when::next_occurrence;
use crate::llm::rules::read::intent::Edits;
use crate::llm::rules::resolve::steps::{Known, Step, update};

/// Returns the move of a task to the occurrence after its due date. Returns a question if it does not repeat, or if another day was
/// named.
pub(in crate::llm::rules) fn skipped(id: i64, edit: &Edits, known: &Known) -> Step {
    let Some(task) = known.task(id) else { return rather(id, &format!("I do not know the dates of task {id}.")) };
    let Some(next) = next(task, known.now, known.zone) else {
        return rather(id, &format!("“{}” (#{id}) does not repeat, so it has no next date.", task.title));
    };
    let has = task.due.as_deref().unwrap_or_default();
    let other = edit.due.as_ref().and_then(Option::as_deref).filter(|said| !local(has, known.zone).starts_with(*said));
    if let Some(said) = other {
        let (said, has) = (day(said, known.now, known.zone), day(has, known.now, known.zone));
        return Step::Ask {
            question: format!(
                "“{}” (#{id}) is next due {has}, and I can only skip the next date, not {said}. Should I skip {has}? For \
                 example: “skip task {id}”.",
                task.title
            ),
            options: vec![format!("skip task {id}"), format!("show task {id}")],
            several: false,
        };
    }
    Step::Call(update(&[id], &Edits { due: Some(Some(next)), ..Edits::default() }))
}

fn next(task: &Task, now: &Timestamp, zone: &str) -> Option<String> {
    let due = parsed(task.due.as_deref()?, zone)?;
    let (next, _) = next_occurrence(task.recurrence.as_deref()?, Some(&due), now, zone)?;
    Some(next.as_str().to_owned())
}

fn parsed(due: &str, zone: &str) -> Option<Due> {
    match due.contains('T') {
        true => Due::at(Timestamp::parse(due).ok()?, zone),
        false => CivilDate::parse(due).ok().map(Due::Date),
    }
}

fn local(due: &str, zone: &str) -> String {
    parsed(due, zone).map_or_else(String::new, |due| due.day().to_owned())
}

fn rather(id: i64, reason: &str) -> Step {
    Step::Ask {
        question: format!(
            "{reason} Nothing was changed. When should it be due? For example: “move task {id} to tomorrow”."
        ),
        options: vec![format!("move task {id} to tomorrow"), format!("take the date off task {id}")],
        several: false,
    }
}

#[cfg(test)]
mod tests {
    use super::next;
    use crate::domain::time::Timestamp;

    #[test]
    fn a_skipped_task_keeps_its_time_of_day() {
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        let task = |due: &str, recurrence: Option<&str>| crate::domain::task::Task {
            due: Some(due.into()),
            recurrence: recurrence.map(Into::into),
            ..crate::llm::rules::tests::task_called("gym")
        };
        let gym = task("2026-03-16T07:00:00+00:00", Some("FREQ=WEEKLY;BYDAY=MO"));
        assert_eq!(next(&gym, &now, "Europe/London").as_deref(), Some("2026-03-23T07:00:00+00:00"));
        assert_eq!(next(&task("2026-03-16", None), &now, "Europe/London"), None);
    }
}
