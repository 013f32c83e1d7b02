//! Messages that only make sense after the turn before: answers to questions, corrections, "try again".

use super::assent::assents;
use super::carry;
use super::courtesy;
use super::frames::COMMANDS;
use super::intent::{Edits, NewItem, Part, Target, aim, target_of};
use super::matching::{self, Fit};
use super::notes::Notes;
use super::parts;
use super::reading::{Context, ask_what};
use super::recall::{Past, tasks_in};
use super::scope;
use super::set::{Set, set};
use super::target::target;
use super::waiting;
use super::words::{Word, words};
use crate::domain::consent;
use crate::domain::decision::DecisionKind;
use crate::domain::task::{Status, Task};
use crate::domain::tool::CallStatus;
use crate::llm::{Act, Request};

/// Asks the pending question again after a vague answer: "ok", "hmm", "which one is that?".
pub(super) fn asked_again(text: &str, request: &Request) -> Option<Act> {
    let pending = request.pending.iter().rev().find(|pending| pending.asked_last)?;
    let message = words(text);
    let keys: Vec<&str> = message.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    const VAGUE: Set = set(
        "ok|okay|k|hmm|hm|maybe|perhaps|fine|sure|uh|um|well|i guess|i guess so|i suppose|i think so|whatever|\
             not sure|im not sure|i am not sure|i dont know|dont know|idk|possibly|if you say so|alright|right|\
             good|cool|let me think|hold on|wait|probably|hmmm|what|huh|kk|righto|gotcha|i see|fair enough|okie|okey dokey|cool cool",
    );
    const ASKS: Set = set(
        "which|what|whats|why|really|are|is|who|when|how|can|should|would|do|did|will|does|could|wont|isnt|where|may|might|am|if",
    );
    let joined = keys.join(" ");
    let vague = keys.is_empty()
        || VAGUE.has(joined.as_str())
        || assents(&keys)
        || waiting::hesitates(&keys)
        || keys.len() <= 3
            && keys
                .first()
                .is_some_and(|first| matches!(*first, "hmm" | "maybe" | "ok" | "okay" | "uh" | "um" | "perhaps"))
            && parts::certain_parts(text, &request.now, &request.zone)
                .iter()
                .all(|part| matches!(part, Part::Ask { .. } | Part::Say(_)));
    let asking = waiting::unfilled(&keys);
    let about = || waiting::concerns(asking, &pending.question);
    let asks = asking.len() <= 14 && asking.first().is_some_and(|first| ASKS.has(first)) && about();
    let reads = || {
        parts::certain_parts(text, &request.now, &request.zone)
            .iter()
            .all(|part| matches!(part, Part::Ask { .. } | Part::Say(_) | Part::Refuse(_) | Part::Get(Target::It)))
    };
    let back = if waiting::wants_back(asking) { waiting::WAY_BACK } else { "" };
    (vague || asks && reads()).then(|| Act::AskAgain { text: back.to_owned() })
}

/// The parts of a message, completed by what the turn before left open. The second value is the part that was open,
/// if its
/// candidates matter.
pub(super) fn parts(text: &str, turns: &[Past], request: &Request) -> (Vec<Part>, Option<Part>) {
    parts_after(text, turns, request, DEEPEST)
}

/// What is asked for besides a no to the question before: "forget it, add salt" deletes nothing.
pub(super) fn refused(text: &str, turns: &[Past]) -> Option<String> {
    const NOES: Set = set("forget|cancel|scratch|abort|stop|leave|keep");
    let last = turns.last()?;
    let asked = last
        .calls
        .iter()
        .any(|(_, result)| matches!(result.status, CallStatus::AwaitingApproval | CallStatus::Rejected));
    let led = words(text)
        .iter()
        .find(|word| !set!("actually|oh|well|hmm|sorry|ok").has(&word.key))
        .map(|word| word.key.clone());
    match consent::answer(text) {
        Some(consent::Answer::NoBut(rest)) if asked && led.is_some_and(|first| NOES.has(&first)) => Some(rest),
        _ => None,
    }
}

/// How many turns back a message may go on from one that went on itself.
const DEEPEST: usize = 3;

fn parts_after(text: &str, turns: &[Past], request: &Request, depth: usize) -> (Vec<Part>, Option<Part>) {
    let read = |text: &str| parts::parts(text, &request.now, &request.zone);
    let current = read(text);
    let Some(last) = turns.last() else { return (current, None) };
    let message = words(text);
    let keys: Vec<&str> = message.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    if set!("have another go|have another go at that|have another go at it|give it another go|give that another go|try again|retry|try it again|please try again|try that again|again|again please|once more|one more time|\
         try once more")
    .has(keys.join(" ").as_str())
        && !last.said.is_empty()
    {
        return (read(last.said), None);
    }
    let notes = Notes::of(text, &request.now, &request.zone);
    let context = Context::new(text, &request.now, &request.zone, &notes);
    if let Some(meant) = meant(&message) {
        let before = read(last.said);
        if let [part] = before.as_slice()
            && target_of(part).is_some()
            && last.calls.iter().all(|(call, result)| {
                call.tool.ends_with("list_tasks")
                    || call.tool.ends_with("get_task")
                    || result.status != crate::domain::tool::CallStatus::Ok
            })
        {
            return (vec![aim(part, target(meant, text))], None);
        }
    }
    let earlier = |last: &Past| match turns.split_last() {
        Some((_, before)) if depth > 0 => parts_after(last.said, before, request, depth - 1).0,
        _ => read(last.said),
    };
    if last.kind != Some(DecisionKind::RequestClarification) {
        let goes_on = || carry::on(&message, &current, turns, context, earlier);
        return match goes_on() {
            Some(part) => (vec![part], None),
            None => (current, None),
        };
    }
    let open = earlier(last);
    let open = if let [only] = open.as_slice() { only.clone() } else { return (current, None) };
    match answer(&open, &message, &current, context, last, turns) {
        Some(part) => (vec![part], Some(open)),
        None => (current, None),
    }
}

/// "sorry, I meant set table": the words after "meant".
fn meant(message: &[Word]) -> Option<&[Word]> {
    let at = message.iter().position(|word| word.key == "meant" || word.key == "mean")?;
    let led = message[..at].iter().all(|word| {
        word.is_mark()
            || set!("i|no|sorry|oops|actually|wait|oh|not|that|one|whoops|hmm|well|it|ah|hang|hold|on|nope|nah")
                .has(word.key.as_str())
    });
    let rest = &message[at + 1..];
    (led && !rest.is_empty()).then_some(rest)
}

/// What a message makes of the question that was open; `None` if it is a request of its own.
fn answer(
    open: &Part,
    message: &[Word],
    current: &[Part],
    context: Context,
    last: &Past,
    turns: &[Past],
) -> Option<Part> {
    let asked_about = last.said;
    let (body, _) = courtesy::strip(message);
    let own = |part: &Part| match part {
        Part::Ask { .. } | Part::Say(_) | Part::Happened(_) => false,
        Part::Refuse(_) => body.len() > 6,
        Part::Get(Target::Words { named: false, .. }) | Part::Complete(Target::Words { named: false, .. }) => false,
        Part::Delete { .. }
        | Part::Add { .. }
        | Part::List(_)
        | Part::Get(_)
        | Part::Complete(_)
        | Part::Reopen(_)
        | Part::Edit { .. } => true,
    };
    let keys: Vec<&str> = body.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    if keys.is_empty()
        || set!("no|nope|cancel|nevermind|never mind|forget it|nothing|stop|neither|none|none of them|thanks|ok|hmm")
            .has(keys.join(" ").as_str())
    {
        return None;
    }
    // "perfect, thank you" names nothing.
    if matches!(current, [Part::Say(_)]) {
        return None;
    }
    if *open == ask_what() {
        // "to call bob" is guessed to be new anyway, and goes on all the same.
        if let [part @ Part::Add { .. }] = current
            && keys.first().is_some_and(|first| !COMMANDS.has(first))
        {
            return Some(on_day(part.clone(), asked_about, context));
        }
        let chore = |part: &Part| is_chore(part, &keys);
        return (!current.iter().any(|part| own(part) && !chore(part)))
            .then(|| on_day(title(body, context), asked_about, context));
    }
    if let Part::Ask { .. } = open {
        let bare = *open == scope::add_or_find(asked_about)
            || matches!(open, Part::Ask { options, .. } if options.first().is_some_and(|option| option.starts_with("add ")));
        if bare
            && matches!(keys.first(), Some(&("add" | "yes" | "create" | "both" | "put")))
            && !current.iter().any(own)
            && keys.len() <= 6
        {
            let asked = words(asked_about);
            let notes = Notes::of(asked_about, context.now, context.zone);
            let context = Context::new(asked_about, context.now, context.zone, &notes);
            return Some(title(courtesy::strip(&asked).0, context));
        }
        if bare
            && matches!(keys.first(), Some(&("find" | "show" | "look" | "search" | "existing")))
            && keys.len() <= 5
            && !current.iter().any(own)
        {
            return Some(Part::Get(Target::Words { text: asked_about.to_owned(), quoted: false, named: true }));
        }
        return None;
    }
    if let Part::Edit { target, edit } = open
        && *edit == Edits::default()
        && current
            .iter()
            .all(|part| matches!(part, Part::Ask { .. } | Part::Refuse(_) | Part::List(_) | Part::Happened(_)))
        && last.reply.starts_with("What should change")
    {
        let edit = carry::value(body, turns, context)
            .unwrap_or_else(|| Edits { title: Some(super::fields::new_title(body, context)), ..Edits::default() });
        return Some(Part::Edit { target: target.clone(), edit });
    }
    if current.iter().any(own) {
        return None;
    }
    // "i've rung jo", "the rota one": what was done is named after all.
    if let Part::Happened(_) = open {
        let to = target(body, context.text);
        return matches!(to, Target::Numbers(_) | Target::Words { named: true, .. }).then_some(Part::Complete(to));
    }
    if let Part::Edit { edit: Edits { title: None, .. }, .. }
    | Part::Complete(_)
    | Part::Get(_)
    | Part::Reopen(_)
    | Part::Delete { .. }
    | Part::Edit { .. } = open
    {
        return Some(aim(open, target(body, context.text)));
    }
    None
}

/// "cancel the gym on the 3rd", where it was asked what is to be done: what looks like an order is the task.
fn is_chore(part: &Part, keys: &[&str]) -> bool {
    const VERBS: Set = set(
        "cancel|finish|clear|check|close|change|move|update|empty|take|switch|replace|call|get|find|open|look|give|send|bring|\
             push|drop|throw|wipe|read|see|put|return|book|order",
    );
    let loose = matches!(target_of(part), Some(Target::Words { quoted: false, named: false, .. }));
    let listed = keys.iter().any(|key| set!("LIST|TASK|TASKS|off|done|out").has(key));
    loose && !listed && keys.len() >= 2 && VERBS.has(keys[0])
}

/// A bare phrase as a new task.
fn title(body: &[Word], context: Context) -> Part {
    let items: Vec<NewItem> = super::fields::items(body, context, false, None)
        .into_iter()
        .filter(|item| !super::fields::says_nothing(&item.title))
        .collect();
    if items.is_empty() { ask_what() } else { Part::Add { items, unless_there: false } }
}

/// New tasks with the day that was said before they were named: "remind me tomorrow", "to call bob".
fn on_day(part: Part, asked_about: &str, context: Context) -> Part {
    let Part::Add { mut items, unless_there } = part else { return part };
    let notes = Notes::of(asked_about, context.now, context.zone);
    if let [day] = notes.dates.as_slice() {
        for item in items.iter_mut().filter(|item| item.due.is_none()) {
            item.due = Some(day.when.due.as_str().to_owned());
            item.recurrence.clone_from(&day.when.recurrence);
        }
    }
    Part::Add { items, unless_there }
}

/// The tasks between which the last turn asked, in the order in which it named them.
pub(super) fn candidates(open: &Part, turns: &[Past]) -> Option<Vec<i64>> {
    let last = turns.last()?;
    let tasks: Vec<Task> = last.calls.iter().flat_map(|(_, result)| tasks_in(&result.value)).collect();
    let Some(Target::Words { text, .. }) = target_of(open) else { return None };
    let prefer = if matches!(open, Part::Reopen(_)) { Status::Completed } else { Status::Pending };
    match matching::find(text, &tasks, prefer, matching::LIKELY) {
        Fit::Several(ids) => Some(ids),
        Fit::One(id) => Some(vec![id]),
        Fit::None => None,
    }
}
