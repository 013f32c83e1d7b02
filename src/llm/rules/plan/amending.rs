//! Answers that change what they answer: "yes and the bands too", "yes but not the last", "only the first two".

use std::mem::discriminant;

use crate::domain::consent::{Change, amended};
use crate::domain::tool::{CallStatus, ToolName};
use crate::domain::when;
use crate::llm::rules::lex::matching::stems;
use crate::llm::rules::normalise::words::words;
use crate::llm::rules::plan::recall::{self, Past};
use crate::llm::rules::plan::{carry, ending, offer, open};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Edits, NewItem, Part, Target, aim, points, target_of};
use crate::llm::rules::read::notes::Notes;
use crate::llm::rules::read::target::target;
use crate::llm::rules::resolve::steps::Step;
use crate::llm::{Act, Request};

/// Something that was asked about: its task number, or 0 for a new one, and its title.
type Thing = (i64, String);

fn things(ids: &[i64], turns: &[Past]) -> Vec<Thing> {
    let known = recall::tasks(turns);
    let titled = |id: &i64| known.iter().find(|task| task.task_id.0 == *id).map(|task| task.title.as_str().to_owned());
    ids.iter().map(|id| (*id, titled(id).unwrap_or_default())).collect()
}

/// Returns the indices of the things that a text names; `None` if any is not certain.
fn picks(text: &str, things: &[Thing]) -> Option<Vec<usize>> {
    let place = |place: i64| {
        let at = if place < 0 { place + i64::try_from(things.len()).ok()? } else { place - 1 };
        usize::try_from(at).ok().filter(|at| *at < things.len())
    };
    let titled = |said: &str| {
        let wanted = stems(said);
        let fits = |at: &usize| !wanted.is_empty() && wanted.is_subset(&stems(&things[*at].1));
        let found: Vec<usize> = (0..things.len()).filter(fits).collect();
        (found.len() == 1 || text.ends_with(" ones") && !found.is_empty()).then_some(found)
    };
    let text = &text.replace(" or ", " and ");
    match target(&words(text), text) {
        Target::Numbers(all) => all.iter().map(|number| things.iter().position(|(known, _)| known == number)).collect(),
        Target::Places(places) => places.into_iter().map(place).collect(),
        Target::Words { text, .. } => titled(&text).or_else(|| {
            let pieces = text.split([',', ';']).flat_map(|piece| piece.split(" and "));
            let found: Option<Vec<_>> = pieces.map(str::trim).filter(|piece| !piece.is_empty()).map(titled).collect();
            found.map(|found| found.concat())
        }),
        Target::It | Target::Them | Target::All(_) | Target::Said(_) | Target::Missing => None,
    }
}

/// Returns the values that a change leaves; `None` if it leaves none or all.
fn left<T: Clone>(change: Change, things: &[Thing], values: &[T]) -> Option<Vec<T>> {
    let (named, keeps) = match change {
        Change::Less(said) => (picks(said, things)?, false),
        Change::Only(said) => (picks(said, things)?, true),
        Change::More(_) | Change::Other(_) => return None,
    };
    let kept = values.iter().enumerate().filter(|(at, _)| named.contains(at) == keeps);
    let kept: Vec<T> = kept.map(|(_, value)| value.clone()).collect();
    (!kept.is_empty() && kept.len() < values.len()).then_some(kept)
}

/// Returns true if a part is a complete request.
fn is_request(part: &Part) -> bool {
    let exists = target_of(part).is_some_and(|to| *to != Target::Missing) && !matches!(part, Part::Get(_));
    exists || adds(part)
}

fn adds(part: &Part) -> bool {
    matches!(part, Part::Add { unless_there: false, .. })
}

/// Returns the request that replaces a pending approval. `before` parses the last turn, `read` any message.
pub(super) fn requested(
    text: &str,
    turns: &[Past],
    context: Context,
    before: impl Fn(&Past) -> Vec<Part>,
    read: impl Fn(&str) -> Vec<Part>,
) -> Option<Vec<Part>> {
    let last = turns.last()?;
    let waits = last.calls.iter().filter(|(_, result)| result.status == CallStatus::AwaitingApproval);
    let waiting: Vec<i64> = waits.flat_map(|(call, result)| recall::numbers_of(call, result)).collect();
    if waiting.is_empty() {
        return None;
    }
    let (agrees, change) = amended(text)?;
    let asked: Vec<Part> = before(last).into_iter().filter(|part| is_request(part) && !adds(part)).collect();
    let part = asked.first().filter(|first| asked.iter().all(|part| discriminant(part) == discriminant(first)))?;
    if let Some(kept) = left(change, &things(&waiting, turns), &waiting) {
        return Some(vec![aim(part, Target::Numbers(kept))]);
    }
    let (Change::More(said) | Change::Other(said)) = change else { return None };
    let (own, more) = (read(said), matches!(change, Change::More(_)));
    let again = aim(part, Target::Numbers(waiting));
    if own.iter().all(adds) || more && own.iter().all(is_request) {
        return agrees.then(|| std::iter::once(again).chain(own).collect());
    }
    let names = |part: &Part| matches!(part, Part::Ask { .. } | Part::Refuse(_) | Part::Happened(_) | Part::Add { .. });
    match target(&words(said), said) {
        to @ (Target::Numbers(_) | Target::Places(_) | Target::Words { .. })
            if more && own.iter().all(names) && when::parse(said, context.now, context.zone).is_none() =>
        {
            Some(vec![again, aim(part, to)])
        }
        _ => None,
    }
}

/// Returns the repeated question if what a yes adds to a pending approval is unclear: "yes and the dog too".
pub(super) fn unsure(parts: &[Part], steps: &[Step], focus: &[i64], request: &Request) -> Option<Act> {
    let [first, _] = parts else { return None };
    let again = matches!(target_of(first), Some(Target::Numbers(ids)) if ids == focus) && !request.pending.is_empty();
    let asks = steps.iter().any(|step| matches!(step, Step::Ask { .. }));
    (again && asks).then(|| open::again(&ending::remarks(steps), request))
}

/// Returns the deletion of tasks that were just added together and are not wanted: "not the foil".
pub(super) fn unwanted(text: &str, turns: &[Past]) -> Option<Part> {
    let last =
        turns.last().filter(|last| last.calls.iter().all(|(call, _)| call.tool == ToolName::AddTask.as_str()))?;
    let added: Vec<i64> = last.calls.iter().flat_map(|(call, result)| recall::numbers_of(call, result)).collect();
    let change = amended(text)?.1;
    let kept = left(change, &things(&added, turns), &added).filter(|_| matches!(change, Change::Less(_)))?;
    let target = Target::Numbers(added.into_iter().filter(|number| !kept.contains(number)).collect());
    Some(Part::Delete { target, unneeded: false })
}

/// Returns the parts of an answer to a question. Of the candidates `ids`, that is the only task that the answer leaves: "not the print one".
/// Of offered tasks, these are some, more, or all with other fields.
pub(super) fn answered(
    open: &Part,
    text: &str,
    turns: &[Past],
    ids: &[i64],
    context: Context,
    read: impl Fn(&str) -> Vec<Part>,
) -> Option<Vec<Part>> {
    let (agrees, change) = amended(text)?;
    if let Some([one]) = left(change, &things(ids, turns), ids).as_deref() {
        return Some(vec![aim(open, Target::Numbers(vec![*one]))]);
    }
    if !offer::offers(open) {
        return None;
    }
    let mut items = offer::chosen(open, context.now, context.zone);
    let add = |items: Vec<NewItem>| Part::Add { items, unless_there: false };
    let things: Vec<Thing> = items.iter().map(|item| (0, item.title.clone())).collect();
    if let Some(kept) = left(change, &things, &items) {
        return Some(vec![add(kept)]);
    }
    let (Change::More(said) | Change::Other(said)) = change else { return None };
    let own = read(said);
    let field = || match own.as_slice() {
        [Part::Edit { target, edit }] if points(target) => Some(edit.clone()),
        _ => None,
    };
    let notes = Notes::of(said, context.now, context.zone);
    let value = carry::value(&words(said), turns, Context::new(said, context.now, context.zone, &notes)).or_else(field);
    if let Some(edit) = value.filter(|edit| !items.is_empty() && (agrees || edit.title.is_some())) {
        let plain = edit.shift.is_none() && edit.reword.is_none() && !edit.depends() && edit != Edits::default();
        let named = edit.title.is_none() || items.len() == 1;
        items.iter_mut().for_each(|item| item.take(&edit));
        return (plain && named).then(|| vec![add(items)]);
    }
    if !agrees || items.is_empty() || !matches!(change, Change::More(_)) {
        return None;
    }
    if own.iter().all(|part| is_request(part) && !adds(part)) {
        return Some(std::iter::once(add(items)).chain(own).collect());
    }
    let [Part::Add { items: more, .. }] = &read(&format!("add {said}"))[..] else { return None };
    items.extend(more.iter().cloned());
    Some(vec![add(items)])
}
