//! Messages that depend on the previous turn: answers to questions, corrections, "try again".

use crate::domain::consent;
use crate::domain::decision::DecisionKind;
use crate::domain::task::{Status, Task};
use crate::domain::tool::CallStatus;
use crate::llm::rules::lex::frames::{CHORES, COMMANDS};
use crate::llm::rules::lex::matching::{self, Fit};
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Word, words};
use crate::llm::rules::plan::recall::{Past, tasks_in};
use crate::llm::rules::plan::{amending, carry, changes, offer, open, undoing};
use crate::llm::rules::read::assent::assents;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Edits, Part, Target, aim, target_of};
use crate::llm::rules::read::notes::Notes;
use crate::llm::rules::read::scope::ask_what;
use crate::llm::rules::read::target::target;
use crate::llm::rules::read::{courtesy, coverage, elsewhere, parts, periods, repeating, scope, waiting};
use crate::llm::rules::resolve::remarks;
use crate::llm::{Act, Request};

/// Repeats the pending question after a vague answer: "ok", "hmm", "which one is that?".
pub(in crate::llm::rules) fn asked_again(text: &str, request: &Request) -> Option<Act> {
    let pending = request.pending.iter().rev().find(|pending| pending.asked_last)?;
    let message = words(text);
    let keys: Vec<&str> = message.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    // A pending approval has changed nothing yet, and an earlier change is not meant.
    if undoing::is_bare(&message) {
        return Some(Act::AskAgain { text: "Nothing of this is done yet.".into(), options: vec![] });
    }
    const VAGUE: Set = file_set!("follow_vague");
    const ASKS: Set = file_set!("follow_asks");
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
    (vague || asks && reads()).then(|| open::again(back, request))
}

/// Returns the parts of a message, completed from the previous turn. The second value is the open part, if its
/// candidates matter.
pub(in crate::llm::rules) fn parts(text: &str, turns: &[Past], request: &Request) -> (Vec<Part>, Option<Part>) {
    let (parts, open) = parts_after(text, turns, request, DEEPEST);
    let unread = open.is_none()
        && parts.iter().all(|part| {
            matches!(
                part,
                Part::Ask { .. } | Part::Refuse(_) | Part::Get(Target::Words { quoted: false, named: false, .. })
            )
        });
    let bare = || {
        let message = words(Some(text).filter(|text| text.len() <= SHORT)?);
        let notes = Notes::of(text, &request.now, &request.zone);
        periods::bare(&message, Context::new(text, &request.now, &request.zone, &notes))
    };
    match unread.then(bare).flatten() {
        Some(list) => (vec![Part::List(list)], None),
        None => (parts, open),
    }
}

/// Returns the request next to a rejection: "forget it, add salt" deletes nothing.
pub(in crate::llm::rules) fn refused(text: &str, turns: &[Past]) -> Option<String> {
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

/// Returns the remark on words that the changes ignore; `None` for a message that continues another turn.
pub(in crate::llm::rules) fn unclaimed(
    parts: &[Part],
    text: &str,
    turns: &[Past],
    request: &Request,
) -> Option<String> {
    let remark = coverage::unclaimed(parts, text, &request.now, &request.zone)?;
    let alone = turns.is_empty() || parts::parts(text, &request.now, &request.zone) == parts;
    alone.then_some(remark)
}

/// Maximum turns in a chain of continuing messages.
const DEEPEST: usize = 3;

/// Maximum bytes of a message that [`by_itself`] parses.
const SHORT: usize = 240;

/// Parses a message that needs no context: an undo, the last change, the end of a recurrence, a page.
fn by_itself(text: &str, turns: &[Past], request: &Request) -> Option<Part> {
    let message = words(Some(text).filter(|text| text.len() <= SHORT)?);
    let notes = Notes::of(text, &request.now, &request.zone);
    let context = Context::new(text, &request.now, &request.zone, &notes);
    let bare = courtesy::strip(&message).0;
    undoing::asked(&message, turns, context)
        .or_else(|| changes::asked(&message, turns, request))
        .or_else(|| repeating::ended(bare, context))
        .or_else(|| elsewhere::asked(bare))
}

/// Requests to try the last message again.
const AGAIN: Set = set(
    "have another go|have another go at that|have another go at it|give it another go|give that another go|try again|retry|try it again|\
     please try again|try that again|again|again please|once more|one more time|try once more",
);

fn parts_after(text: &str, turns: &[Past], request: &Request, depth: usize) -> (Vec<Part>, Option<Part>) {
    let read = |text: &str| parts::parts(text, &request.now, &request.zone);
    if let Some(part) = by_itself(text, turns, request) {
        return (vec![part], None);
    }
    let current = read(text);
    let Some(last) = turns.last() else { return (current, None) };
    let message = words(text);
    let keys: Vec<&str> = message.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    if AGAIN.has(&keys.join(" ")) && !last.said.is_empty() {
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
    // "just put it on the list" after a request that was not carried out
    let names_it = || keys.iter().any(|key| set!("it|that|this").has(key)) && !last.reply.contains("? Or look for ");
    if current == [ask_what()] && names_it() && !matches!(last.kind, Some(DecisionKind::InvokeTool) | None) {
        let added = read(&format!("add {}", last.said));
        if added.iter().all(|part| matches!(part, Part::Add { .. })) {
            return (added, None);
        }
    }
    if let Some(found) = amending::requested(text, turns, context, earlier, read) {
        return (found, None);
    }
    if last.kind != Some(DecisionKind::RequestClarification) {
        let goes_on = || carry::on(&message, &current, turns, context, earlier);
        return match amending::unwanted(text, turns).or_else(goes_on) {
            Some(part) => (vec![part], None),
            None => (current, None),
        };
    }
    let open = earlier(last);
    let [open] = open.as_slice() else { return (current, None) };
    let open = offer::reopened(open, last, &request.now, &request.zone);
    let ids = candidates(&open, turns).unwrap_or_default();
    let amended = || amending::answered(&open, text, turns, &ids, context, read);
    if let Some(found) = offer::looked_for(&open, text, last.said, context).or_else(amended) {
        return (found, Some(open));
    }
    let part = answer(&open, &message, &current, context, last, turns);
    part.map_or((current, None), |part| (vec![part], Some(open)))
}

/// Returns the words after "meant": "sorry, I meant set table".
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

/// Returns the answer to the open question; `None` if the message is an independent request.
fn answer(
    open: &Part,
    message: &[Word],
    current: &[Part],
    context: Context,
    last: &Past,
    turns: &[Past],
) -> Option<Part> {
    let asked_about = last.said;
    // "yes both"
    let behind = consent::behind_yes(context.text);
    let (body, _) = courtesy::strip(&message[message.iter().take_while(|word| word.start < behind).count()..]);
    let own = |part: &Part| match part {
        // "i have bought the lamb" names no task to show.
        Part::Happened(_) => matches!(open, Part::Get(_)),
        // "oil the hinge" may be the task that was asked for.
        Part::Ask { .. } | Part::Say(_) | Part::Add { unless_there: true, .. } => false,
        Part::Refuse(_) => body.len() > 6,
        Part::Get(Target::Words { named: false, .. }) | Part::Complete(Target::Words { named: false, .. }) => false,
        Part::Delete { .. }
        | Part::Add { .. }
        | Part::List(_)
        | Part::Undo(_)
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
    if let Some(part) = supposed(open, last, context) {
        return Some(part);
    }
    let bare = offer::offers(open);
    let agreed = bare && open::answer(context.text) == Some(open::Answer::Yes);
    // "perfect, thank you" names nothing.
    if !agreed && behind == 0 && matches!(current, [Part::Say(_)]) {
        return None;
    }
    if *open == ask_what() {
        // "to call bob" is parsed as a new task, and also answers the question.
        if let [part @ Part::Add { .. }] = current
            && keys.first().is_some_and(|first| !COMMANDS.has(first))
        {
            return Some(offer::on_day(part.clone(), asked_about, context));
        }
        let chore = |part: &Part| is_chore(part, &keys);
        return (!current.iter().any(|part| own(part) && !chore(part)))
            .then(|| offer::on_day(offer::title(body, context), asked_about, context));
    }
    if let Part::Ask { .. } = open {
        let adds = matches!(keys.first(), Some(&("add" | "yes" | "create" | "both" | "put"))) && keys.len() <= 6;
        if agreed || bare && adds && !current.iter().any(own) {
            let items = offer::chosen(open, context.now, context.zone);
            if !items.is_empty() {
                return Some(Part::Add { items, unless_there: false });
            }
            let asked = words(asked_about);
            let notes = Notes::of(asked_about, context.now, context.zone);
            let context = Context::new(asked_about, context.now, context.zone, &notes);
            return Some(offer::title(courtesy::strip(&asked).0, context));
        }
        return None;
    }
    if let Part::Edit { target, edit } = open
        && *edit == Edits::default()
        && current
            .iter()
            .all(|part| matches!(part, Part::Ask { .. } | Part::Refuse(_) | Part::List(_) | Part::Happened(_)))
        && last.reply.starts_with("What should change")
        && titles(message, context)
    {
        let edit = carry::value(body, turns, context).unwrap_or_else(|| Edits {
            title: Some(crate::llm::rules::read::fields::new_title(body, context)),
            ..Edits::default()
        });
        return Some(Part::Edit { target: target.clone(), edit });
    }
    if current.iter().any(own) {
        return None;
    }
    // "i've rung jo", "the rota one": the completed task is named now.
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
        // "what does the note say?" is no answer to "which one?".
        let to = target(body, context.text);
        let asks = scope::is_question(message) || context.text.trim_end().ends_with('?');
        let named = matches!(to, Target::Numbers(_) | Target::Places(_));
        return (named || !asks && names_task(&to, body, last)).then(|| aim(open, to));
    }
    None
}

/// Returns the part with the task that the last turn asked about, after a yes: “did you mean …?”, “did you finish …?”.
fn supposed(open: &Part, last: &Past, context: Context) -> Option<Part> {
    let (text, part) = match open {
        Part::Happened(text) => (text, &Part::Complete(Target::It)),
        _ => match target_of(open)? {
            Target::Words { text, quoted: false, .. } => (text, open),
            _ => return None,
        },
    };
    open::answer(context.text).filter(|answer| *answer == open::Answer::Yes && last.reply.contains("Did you "))?;
    let tasks: Vec<Task> = last.calls.iter().flat_map(|(_, result)| tasks_in(&result.value)).collect();
    Some(aim(part, Target::Numbers(vec![remarks::supposed(text, &tasks)?])))
}

/// Returns true if a message may name a task after “which one?”: a few words without a verb, or a task that was looked up.
fn names_task(to: &Target, body: &[Word], last: &Past) -> bool {
    const FEW: usize = 3;
    let Target::Words { text, quoted: false, named: false } = to else { return true };
    let plain: Vec<&str> = body.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let does = plain.iter().any(|key| matching::is_past(key)) || plain.len() == FEW && CHORES.has(plain[0]);
    let tasks: Vec<Task> = last.calls.iter().flat_map(|(_, result)| tasks_in(&result.value)).collect();
    plain.len() <= FEW && !does || matching::find(text, &tasks, Status::Pending, matching::LIKELY) != Fit::None
}

/// Returns true if a message may be the new value of a field: no question, no complaint, no sentence about somebody.
fn titles(message: &[Word], context: Context) -> bool {
    const OTHER: Set = set(
        "no|nope|yes|yeah|why|huh|what|i|im|ive|they|you|he|she|we|wait|sorry|thats|thanks|when|where|how|who|did|which",
    );
    let first = message.iter().find(|word| !word.is_mark()).map_or("", |word| word.key.as_str());
    let asks = scope::is_question(message) || context.text.trim_end().ends_with('?');
    !asks && !OTHER.has(first)
}

/// Returns true if a possible command is the answer to what should be done: "cancel the gym on the 3rd".
fn is_chore(part: &Part, keys: &[&str]) -> bool {
    const VERBS: Set = file_set!("follow_verbs");
    let loose = matches!(target_of(part), Some(Target::Words { quoted: false, named: false, .. }));
    let listed = keys.iter().any(|key| set!("LIST|TASK|TASKS|off|done|out").has(key));
    loose && !listed && keys.len() >= 2 && VERBS.has(keys[0])
}

/// Returns the tasks that the last turn offered, in its order.
pub(in crate::llm::rules) fn candidates(open: &Part, turns: &[Past]) -> Option<Vec<i64>> {
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
