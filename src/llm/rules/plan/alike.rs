//! Short messages about the task of the last turn: its repetition, its hour, its note, and new tasks with the same label.

use serde_json::Value;

use crate::domain::tool::{Call, CallResult, CallStatus, ToolName};
use crate::domain::when;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::{Kind, Word, words};
use crate::llm::rules::plan::carry::changes;
use crate::llm::rules::plan::recall::{self, Past, focus};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Edits, NewItem, Part, Target, aim, target_of};
use crate::llm::rules::read::target::number;
use crate::llm::rules::read::{fields, said};

/// Parses "and note: bring the card" after a task, and "also a monitor arm, same tag" after a new one.
pub(super) fn on(message: &[Word], turns: &[Past], context: Context) -> Option<Part> {
    noted(message, turns, context).or_else(|| labelled(message, turns, context))
}

/// Parses a note on the task of the last turn.
fn noted(message: &[Word], turns: &[Past], context: Context) -> Option<Part> {
    let [and, note, mark, text @ ..] = message else { return None };
    let led = matches!(and.key.as_str(), "and" | "also" | "plus") && set!("note|notes|TASK").has(&note.key);
    let one = focus(turns).len() == 1;
    let said = context.text[note.start..note.end].to_lowercase().starts_with("note");
    (led && said && mark.is_mark() && mark.key == ":" && !text.is_empty() && one).then(|| {
        let edit = Edits { description: Some(context.raw(text).to_owned()), ..Edits::default() };
        Part::Edit { target: Target::It, edit }
    })
}

/// Parses a new task with a label of the last one: "and a monitor arm, same tag".
fn labelled(message: &[Word], turns: &[Past], context: Context) -> Option<Part> {
    const LEADS: Set = set("and|also|plus|then|add|oh");
    let end = message.iter().rposition(|word| !word.is_mark())? + 1;
    let [head @ .., mark, same, noun] = &message[..end] else { return None };
    let kind = Some(noun.key.as_str()).filter(|key| set!("tag|tags|project|day|date|time|priority|list").has(key))?;
    let lead = head.iter().take_while(|word| LEADS.has(&word.key)).count();
    let thing = &head[lead..];
    if !mark.is_mark() || same.key != "same" || lead == 0 || thing.is_empty() {
        return None;
    }
    let (call, result) = turns.last()?.calls.iter().rev().find(|(call, _)| changes(&call.tool))?;
    let has = |name: &str| {
        Some(&result.value[name]).filter(|value| !value.is_null()).unwrap_or(&call.arguments[name]).clone()
    };
    let text = |value: Value| value.as_str().map(str::to_owned);
    // "gloves, order 3 boxes": both words describe one task.
    let mut item = NewItem { title: fields::new_title(thing, context), ..NewItem::default() };
    match kind {
        "project" | "list" => item.project = Some(text(has("project"))?),
        "priority" => item.priority = Some(serde_json::from_value(has("priority")).ok()?),
        "tag" | "tags" => {
            item.tags = serde_json::from_value(has("tags")).unwrap_or_default();
            // "#shopping" after a tag is a project.
            item.project = if item.tags.is_empty() { Some(text(has("project"))?) } else { None };
        }
        _ => item.due = Some(text(has("due"))?),
    }
    Some(Part::Add { items: vec![item], unless_there: false })
}

/// Returns the words before a reason: "6 instead, the match is on".
pub(super) fn reasonless(rest: &[Word]) -> &[Word] {
    let mark = rest.iter().position(|word| word.is_mark() && matches!(word.key.as_str(), "," | "-" | "."));
    let told = |tail: &[Word]| said::states(tail) || set!("the|my|our|his|her|i|he|she|they|its|it").has(&tail[0].key);
    let cut = mark.filter(|at| *at > 0 && at + 1 < rest.len() && told(&rest[at + 1..]));
    let rest = cut.map_or(rest, |at| &rest[..at]);
    match rest {
        [before @ .., last] if last.key == "instead" && !before.is_empty() => before,
        _ => rest,
    }
}

/// Returns true if a correction may be a title: no number alone, no sentence about somebody, no "instead".
pub(super) fn is_title(rest: &[Word], context: Context) -> bool {
    const SUBJECTS: Set =
        set("they|it|its|theyre|he|she|we|i|im|you|thats|this|when|change|make|set|every|only|they'll");
    let plain = reasonless(rest);
    let number = plain.iter().all(|word| word.key.starts_with(|c: char| c.is_ascii_digit()));
    let number = number || rest.iter().any(|word| word.key == "instead");
    let quoted = rest.iter().any(|word| word.kind == Kind::Quoted);
    let told = rest.iter().any(|word| set!("is|are|was|not|leave|keep|make|move").has(&word.key));
    let dated = || context.dates().iter().any(|found| rest.iter().any(|word| found.span.contains(&word.start)));
    let sentence = told || rest.first().is_some_and(|first| SUBJECTS.has(&first.key)) || dated();
    quoted || !number && plain.len() == rest.len() && !sentence
}

/// Parses other days of a repeating task: "they only do mon, wed and fri".
pub(super) fn repeats(rest: &[Word], turns: &[Past], context: Context) -> Option<Edits> {
    const LEADS: Set = set(
        "they|it|its|theyre|that|thats|only|just|really|do|does|is|are|runs|run|meet|meets|happens|happen|on|repeats|should|be|now|actually|every",
    );
    let lead = rest.iter().take_while(|word| LEADS.has(&word.key)).count();
    let days = &rest[lead..];
    if days.is_empty() || lead == 0 || !is_repeating(turns) {
        return None;
    }
    let clock = last_value(turns, "due").and_then(|due| due.as_str()?.get(11..16).map(|clock| format!(" at {clock}")));
    let said = format!("every {}{}", context.raw(days), clock.unwrap_or_default());
    let found = when::parse(&said, context.now, context.zone)?;
    let recurrence = Some(found.recurrence.filter(|rule| rule.contains("BYDAY"))?);
    Some(Edits { due: Some(Some(found.due.as_str().to_owned())), recurrence, ..Edits::default() })
}

/// Parses a new hour of a task with a time of day: "6 instead".
pub(super) fn hour(rest: &[Word], turns: &[Past], context: Context) -> Option<Edits> {
    let plain: Vec<&str> = rest.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let number = match plain.as_slice() {
        [number] | [number, "oclock"] | ["at", number] => number,
        _ => return None,
    };
    let hour: u32 = number.parse().ok().filter(|hour| (1..=23).contains(hour))?;
    let due = last_value(turns, "due")?;
    let due = due.as_str()?;
    let (day, old) = (due.get(..10)?, due.get(11..13)?.parse::<u32>().ok()?);
    // "6" after half past five in the afternoon is 18:00.
    let hour = if hour < 12 && old >= 12 { hour + 12 } else { hour };
    let found = when::parse(&format!("{day} {hour:02}:00"), context.now, context.zone)?;
    Some(Edits { due: Some(Some(found.due.as_str().to_owned())), ..Edits::default() })
}

fn is_repeating(turns: &[Past]) -> bool {
    last_value(turns, "recurrence").is_some_and(|rule| rule.is_string())
}

/// Returns a field of the last changed task.
fn last_value(turns: &[Past], name: &str) -> Option<Value> {
    let (call, result) =
        turns.iter().rev().take(3).flat_map(|turn| turn.calls.iter().rev()).find(|(call, _)| changes(&call.tool))?;
    let value = |value: &Value| Some(&value[name]).filter(|value| !value.is_null()).cloned();
    value(&result.value).or_else(|| value(&result.value["after"])).or_else(|| value(&call.arguments))
}

/// Returns the tasks that the last turns touched or offered for a choice, oldest first.
fn touched(turns: &[Past]) -> Vec<i64> {
    const NEAR: usize = 3;
    let of = |(call, result): &(&Call, &CallResult)| match ToolName::parse(&call.tool) {
        Some(ToolName::ListTasks) | None => vec![],
        Some(ToolName::DeleteTask) if result.status == CallStatus::Ok => vec![],
        Some(_) => recall::numbers_of(call, result),
    };
    let near = &turns[turns.len().saturating_sub(NEAR)..];
    let all = near.iter().flat_map(|turn| recall::shown_in(turn).into_iter().chain(turn.calls.iter().flat_map(of)));
    all.fold(vec![], |found, number| if found.contains(&number) { found } else { [found, vec![number]].concat() })
}

/// Replaces "the other one" by the only other task of the last turns, and "both" by the only two.
pub(super) fn other(parts: Vec<Part>, text: &str, turns: &[Past]) -> Vec<Part> {
    let focus = focus(turns);
    let both = words(text).iter().any(|word| matches!(word.key.as_str(), "both" | "two" | "pair"));
    let meant = |part: &Part| match target_of(part)? {
        Target::Words { text, quoted: false, .. } if text == "other" => {
            let rest: Vec<i64> = touched(turns).into_iter().filter(|number| !focus.contains(number)).collect();
            Some(aim(part, if rest.len() == 1 { Target::Numbers(rest) } else { Target::Missing }))
        }
        Target::Words { text, quoted: false, named } if focus.len() == 1 => {
            let text = text.strip_prefix("other ")?.to_owned();
            Some(aim(part, Target::Words { text, quoted: false, named: *named }))
        }
        Target::Them if both && focus.len() == 1 => {
            let two = Some(touched(turns)).filter(|two| two.len() == 2).map(Target::Numbers);
            Some(aim(part, two.unwrap_or(Target::Missing)))
        }
        _ => None,
    };
    parts.into_iter().map(|part| meant(&part).unwrap_or(part)).collect()
}

/// Returns a question if a message counts other tasks than the last turn touched: "set all three of those to medium".
pub(super) fn counted(parts: Vec<Part>, text: &str, focus: &[i64]) -> Vec<Part> {
    let them = parts.iter().any(|part| target_of(part) == Some(&Target::Them));
    let said = words(text);
    let those = |word: &Word| matches!(word.key.as_str(), "those" | "these" | "them");
    let number = |at: usize| said.get(at).and_then(|word| number(&word.key, true)).filter(|count| *count > 1);
    let count = (0..said.len()).filter(|at| those(&said[*at])).find_map(|at| {
        let before = at.checked_sub(2).filter(|from| said[from + 1].key == "of").and_then(number);
        before.or_else(|| number(at + 1))
    });
    match count.and_then(|count| usize::try_from(count).ok()) {
        Some(count) if them && !focus.is_empty() && count != focus.len() => vec![Part::Ask {
            question: format!("Which {count} tasks do you mean? Say their numbers, for example “tag 1, 2 and 3 home”."),
            options: vec!["show my tasks".into()],
        }],
        _ => parts,
    }
}
