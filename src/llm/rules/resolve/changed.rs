//! Changes that depend on a task's current values: its tags, its due date.

use serde_json::{Value, json};

use crate::domain::comparison::key;
use crate::domain::task::{Due, Status};
use crate::domain::time::{CivilDate, Timestamp};
use crate::domain::tool::ToolName;
use crate::domain::when;
use crate::llm::rules::read::intent::{Edits, Reword, Tags};
use crate::llm::rules::read::shift::Shift;
use crate::llm::rules::resolve::steps::{Known, Step, ask, call, target_field, update};

/// Returns the update that shifts a due date, or a question if there is none.
pub(in crate::llm::rules) fn moved(id: i64, shift: Shift, known: &Known) -> Step {
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

/// Returns true if an edit sets a day without a time.
pub(in crate::llm::rules) fn day_only(edit: &Edits) -> bool {
    edit.recurrence.is_none() && matches!(&edit.due, Some(Some(due)) if due.len() == DAY)
}

/// Returns an edit of one task that keeps unmentioned values: a new recurrence keeps the date.
pub(in crate::llm::rules) fn kept(ids: &[i64], edit: &Edits, known: &Known) -> Edits {
    let one = if let [one] = ids { known.task(*one) } else { None };
    let (Some(Some(said)), Some(has)) = (&edit.due, one.and_then(|task| task.due.as_deref())) else {
        return edit.clone();
    };
    match &edit.recurrence {
        // "they only do mon, wed and fri" keeps the next date if it is one of them.
        Some(rule) if rule.contains("BYDAY") && falls_on(has, rule, known.zone) => Edits { due: None, ..edit.clone() },
        Some(rule) if rule.contains("BY") && said.len() == DAY && has.len() > DAY => {
            Edits { due: Some(Some(at_time_of(said, has, known.zone))), ..edit.clone() }
        }
        Some(rule) if !rule.contains("BY") && said.get(..DAY) == Some(known.today) => {
            Edits { due: None, ..edit.clone() }
        }
        _ => edit.clone(),
    }
}

/// Bytes of a day in wire form.
const DAY: usize = 10;

/// Returns the day at the local time of day of `has`.
fn at_time_of(day: &str, has: &str, zone: &str) -> String {
    let clock = Timestamp::parse(has).ok().and_then(|at| Due::at(at, zone)).map(|due| due.to_string());
    let clock = clock.as_deref().and_then(|local| local.get(11..16)).unwrap_or_default();
    let now = Timestamp::parse(has).ok();
    let found = now.and_then(|now| when::parse(&format!("{day}T{clock}"), &now, zone));
    found.map_or_else(|| day.to_owned(), |found| found.due.as_str().to_owned())
}

/// Returns true if a due date is on a day of the week of a rule.
fn falls_on(due: &str, rule: &str, zone: &str) -> bool {
    const DAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
    let day = local_day(due, zone);
    let day = CivilDate::parse(day.get(..DAY).unwrap_or_default()).ok().map(|day| day.to_jiff().weekday());
    let code = day.and_then(|day| DAYS.get(usize::try_from(day.to_monday_zero_offset()).ok()?));
    let days = rule.split("BYDAY=").nth(1).and_then(|days| days.split(';').next()).unwrap_or_default();
    code.is_some_and(|code| days.split(',').any(|day| day == *code))
}

fn local_day(due: &str, zone: &str) -> String {
    let at = Timestamp::parse(due).ok().and_then(|at| Due::at(at, zone));
    at.map_or_else(|| due.to_owned(), |due| due.day().to_owned())
}

/// Returns the updates to a new time or a new day. Each task keeps its own day, unless that is past, or its own time.
pub(in crate::llm::rules) fn timed(ids: &[i64], edit: &Edits, known: &Known) -> Vec<Step> {
    let said = edit.due.as_ref().and_then(Option::as_deref).unwrap_or_default();
    let due = |id: &i64| {
        let has = known.task(*id).and_then(|task| task.due.as_deref());
        if said.is_empty() {
            return has.map(|has| local_day(has, known.zone)).unwrap_or_default();
        }
        let kept = |has: &str| match (day_only(edit), has.len() > DAY) {
            (true, true) => Some(at_time_of(said, has, known.zone)),
            (true, false) => None,
            (false, _) => of_day(has, said, known.zone),
        };
        has.and_then(kept).unwrap_or_else(|| said.to_owned())
    };
    let dues: Vec<String> = ids.iter().map(due).collect();
    let step = |ids: &[i64], due: &String| {
        let due = Some(due).filter(|due| !due.is_empty()).cloned();
        Step::Call(update(ids, &Edits { due: Some(due), ..edit.clone() }))
    };
    match dues.as_slice() {
        [first, others @ ..] if others.iter().all(|due| due == first) => vec![step(ids, first)],
        dues => ids.iter().zip(dues).map(|(id, due)| step(&[*id], due)).collect(),
    }
}

/// Returns the time of day of `time` on `day`, if that is no earlier.
fn of_day(day: &str, time: &str, zone: &str) -> Option<String> {
    let (day, today, clock) = (day.get(..10)?, time.get(..10)?, time.get(11..19)?);
    let now = Timestamp::parse(time).ok()?;
    let found = when::parse(&format!("{day}T{clock}"), &now, zone).filter(|_| day >= today)?;
    Some(found.due.as_str().to_owned())
}

/// Returns the reopened tasks, or a remark if they are open: "the rent isn't paid yet" changes nothing about an unpaid one.
pub(in crate::llm::rules) fn reopened(ids: Vec<i64>, known: &Known) -> Step {
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

/// Returns an update of one task's tags; the tool expects the complete list.
pub(in crate::llm::rules) fn retag(id: i64, change: &Tags, known: &Known) -> Step {
    let Some(task) = known.tasks.iter().find(|task| task.task_id.0 == id) else {
        return ask(format!("I couldn't find task #{id}. Would you like to see your current tasks?"));
    };
    let has: Vec<String> = task.tags.iter().map(ToString::to_string).collect();
    let is = |name: &String, other: &String| key(name) == key(other);
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
    match tags.is_empty() {
        true => fields.insert("clear".into(), json!(["tags"])),
        false => fields.insert("tags".into(), json!(tags)),
    };
    Step::Call(call(ToolName::UpdateTask, Value::Object(fields)))
}

/// Returns the update that corrects a note where it has the rejected words, and replaces it otherwise: “red folder, not blue”.
pub(in crate::llm::rules) fn renoted(id: i64, edit: &Edits, known: &Known) -> Step {
    let said = edit.description.clone().unwrap_or_default();
    let has = known.task(id).and_then(|task| task.description.as_ref()).map_or("", |note| note.as_str());
    let corrected = edit.rejected.as_deref().and_then(|wrong| corrected(has, wrong, &said));
    let description = Some(corrected.unwrap_or(said));
    Step::Call(update(&[id], &Edits { description, rejected: None, ..edit.clone() }))
}

/// Replaces `wrong` in a note, together with the words next to it that the new text repeats.
fn corrected(note: &str, wrong: &str, right: &str) -> Option<String> {
    let words: Vec<&str> = note.split(' ').collect();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let (wrong, repeated): (Vec<String>, Vec<String>) =
        (wrong.split(' ').map(bare).collect(), right.split(' ').map(bare).collect());
    let at = (0..words.len()).find(|at| {
        words[*at..].len() >= wrong.len() && words[*at..].iter().zip(&wrong).all(|(word, other)| bare(word) == *other)
    })?;
    let again = |word: &&&str| repeated.contains(&bare(word));
    let from = at - words[..at].iter().rev().take_while(again).count();
    let to = at + wrong.len() + words[at + wrong.len()..].iter().take_while(again).count();
    let end = words[to - 1].trim_start_matches(|c: char| c.is_alphanumeric());
    let middle = format!("{right}{end}");
    let pieces: Vec<&str> =
        words[..from].iter().copied().chain([middle.as_str()]).chain(words[to..].iter().copied()).collect();
    Some(pieces.join(" "))
}

/// Returns the number of tasks that a description states: "both milk tasks", "two reports".
pub(in crate::llm::rules) fn counted(text: &str) -> Option<usize> {
    let first = text.split(' ').next().map(str::to_lowercase)?;
    let names = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let both = (first == "both").then_some(2);
    both.or_else(|| names.iter().position(|name| *name == first).map(|at| at + 2))
}

pub(in crate::llm::rules) fn without_count(text: &str) -> Option<&str> {
    counted(text).and_then(|_| text.split_once(' ')).map(|(_, rest)| rest)
}

/// Returns the question about the new value of a task.
pub(in crate::llm::rules) fn to_what(ids: &[i64], known: &Known) -> Step {
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

/// Returns the step that renames a task, or a question.
pub(in crate::llm::rules) fn reworded(id: i64, reword: &Reword, known: &Known) -> Step {
    let task = known.tasks.iter().find(|task| task.task_id.0 == id);
    match task.and_then(|task| reword.of(task.title.as_str())) {
        Some(title) => Step::Call(update(&[id], &Edits { title: Some(title), ..Edits::default() })),
        None => to_what(&[id], known),
    }
}

#[cfg(test)]
mod tests {
    use super::{at_time_of, of_day};

    #[test]
    fn a_time_alone_keeps_the_day() {
        let zone = "Europe/London";
        let at = "2026-03-12T15:00:00+00:00";
        // Between the two dates the clocks change.
        assert_eq!(of_day("2026-04-07T14:00:00+01:00", at, zone).as_deref(), Some("2026-04-07T15:00:00+01:00"));
        assert_eq!(of_day("2026-03-12", at, zone).as_deref(), Some(at));
        assert_eq!(of_day("2026-03-11", at, zone), None);
    }

    #[test]
    fn a_day_alone_keeps_the_time() {
        let has = "2026-03-12T15:00:00+00:00";
        // Between the two dates the clocks change.
        assert_eq!(at_time_of("2026-04-07", has, "Europe/London"), "2026-04-07T15:00:00+01:00");
        assert_eq!(
            at_time_of("2026-03-20", "2026-03-12T09:00:00-05:00", "America/Chicago"),
            "2026-03-20T09:00:00-05:00"
        );
    }
}
