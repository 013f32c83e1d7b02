//! Messages that undo the last change: "undo that", "oops, put it back".

use crate::domain::tool::{CallStatus, ToolName};
use crate::llm::rules::lex::frames::{CHORES, COMMANDS};
use crate::llm::rules::lex::matching::is_past;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::plan::carry::changes;
use crate::llm::rules::plan::recall::Past;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Part, Target, Undo};
use crate::llm::rules::read::{said, scope};

/// Time ranges and counts of an undo.
mod span;

/// Negations.
const DENIALS: Set = set("not|havent|hasnt|hadnt|isnt|wasnt|arent|werent|didnt|aint");
/// Words allowed around an undo phrase.
const AROUND: Set = file_set!("undoing_around");

/// Maximum tokens of an excuse.
const LONGEST: usize = 12;

/// Phrases that ask to undo the last change.
const UNDO: Set = file_set!("undoing_undo");

/// Parses a request to undo: "undo that", "oops, put it back", "undo everything from the last 10 minutes".
pub(in crate::llm::rules) fn asked(message: &[Word], turns: &[Past], context: Context) -> Option<Part> {
    let keys = telling(message);
    if let Some(minutes) = span::minutes(&keys, context) {
        return Some(Part::Undo(Undo::Minutes(minutes)));
    }
    if span::counts(&keys) {
        return Some(Part::Ask {
            question: "I can undo your last action, or everything of the last minutes. For example: “undo everything from the last 10 \
                       minutes”."
                .into(),
            options: vec!["undo".into(), "undo everything from the last 10 minutes".into()],
        });
    }
    if let Some(tool) = named(&keys) {
        return Some(of_tool(tool, turns));
    }
    if reopens(message) && has_completed(turns) {
        return Some(Part::Reopen(Target::It));
    }
    if !(taken_back(message, UNDO, AROUND) || slipped(message, UNDO, context) || remarked(message, context)) {
        return None;
    }
    // "put it back" and "that was a mistake" need an earlier change in this conversation.
    let explicit = |key: &&str| set!("undo|revert|reverse|roll|rollback|ctrl|take").has(key);
    let meant = keys.iter().any(explicit) || last_change(turns).is_some();
    let of_turn = keys.ends_with(&["you", "did"]) || keys.ends_with(&["you", "just", "did"]);
    meant.then_some(Part::Undo(if of_turn { Undo::Turn } else { Undo::Last }))
}

/// Returns true if a message is only a phrase such as "undo that".
pub(in crate::llm::rules) fn is_bare(message: &[Word]) -> bool {
    taken_back(message, UNDO, AROUND)
}

/// Returns the words of a message without surrounding courtesies.
fn telling(message: &[Word]) -> Vec<&str> {
    let keys: Vec<&str> = message.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    const POLITE: Set = set("please|pls|ok|okay|no|oh|oops|wait|sorry|actually|can|could|you|just|now|thanks|hey|um");
    let tells = |key: &&str| !POLITE.has(key);
    let from = keys.iter().position(tells).unwrap_or(keys.len());
    let to = keys.iter().rposition(tells).map_or(from, |at| at + 1);
    keys[from..to].to_vec()
}

/// Returns the tool whose change a message asks to undo: "undo the deletion".
fn named(keys: &[&str]) -> Option<ToolName> {
    let ["undo" | "revert" | "reverse", rest @ ..] = keys else { return None };
    let rest: Vec<&str> = rest.iter().filter(|key| !set!("the|that|my|your|this|last").has(key)).copied().collect();
    match rest.as_slice() {
        ["delete" | "deletion" | "deleting" | "removal"] => Some(ToolName::DeleteTask),
        ["completion" | "completing" | "tick"] => Some(ToolName::CompleteTask),
        ["add" | "addition" | "adding"] => Some(ToolName::AddTask),
        ["rename" | "renaming" | "edit" | "update" | "move" | "postponement"] => Some(ToolName::UpdateTask),
        _ => None,
    }
}

/// Returns the undo of the last change if it used the tool, else a question.
fn of_tool(tool: ToolName, turns: &[Past]) -> Part {
    let is_one = |turn: &Past| {
        let mut calls = turn.calls.iter().filter(|(call, _)| changes(&call.tool)).peekable();
        calls.peek().is_some() && calls.all(|(call, _)| ToolName::parse(&call.tool) == Some(tool))
    };
    if last_change(turns).is_some_and(is_one) {
        return Part::Undo(Undo::Last);
    }
    Part::Ask {
        question: "My last change here was another one. Should I undo that, or which task do you mean? For example: “undo” or “reopen \
                   task 3”."
            .into(),
        options: vec!["undo".into(), "what did you just change".into()],
    }
}

/// Returns true if a message only denies a reported completion: "oh no i haven't", "wait, it's not posted yet".
pub(in crate::llm::rules) fn denies(message: &[Word], context: Context) -> bool {
    let orders = message.iter().any(|word| COMMANDS.has(&word.key) || matches!(word.key.as_str(), "?" | "mind"));
    !orders && !scope::is_question(message) && denied(message, context)
}

/// Returns true for a denial that names nothing: "i haven't packed it yet".
fn denied(stretch: &[Word], context: Context) -> bool {
    const WHO: Set = set("i|ive|we|weve|it|its|that|thats|this|they|those");
    let has = |set: Set| stretch.iter().any(|word| set.has(&word.key));
    let fills = |word: &&Word| word.is_mark() || AROUND.has(&word.key) || DENIALS.has(&word.key) || is_past(&word.key);
    let told: Vec<Word> = stretch.iter().filter(|word| !fills(word)).cloned().collect();
    stretch.len() <= LONGEST && has(WHO) && has(DENIALS) && said::telling(&told, context).is_empty()
}

/// Returns true if a stretch is such a phrase, ignoring courtesies around it.
fn taken_back(stretch: &[Word], undo: Set, around: Set) -> bool {
    let keys: Vec<&str> = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let telling = |key: &&str| !around.has(key);
    let (from, to) = (keys.iter().position(telling), keys.iter().rposition(telling));
    from.zip(to).is_some_and(|(from, to)| undo.has(&keys[from..=to].join(" ")))
}

/// Returns true for an excuse with the phrase: "oops, clicked the wrong one, undo that".
fn slipped(message: &[Word], undo: Set, context: Context) -> bool {
    const EXCUSES: Set = file_set!("undoing_excuses");
    let Some(at) = message.iter().rposition(|word| word.is_mark() || word.key == "so") else { return false };
    let excuse = |word: &Word| word.is_mark() || EXCUSES.has(&word.key) || AROUND.has(&word.key);
    let before = &message[..at];
    (before.iter().all(excuse) || denied(before, context)) && taken_back(&message[at..], undo, AROUND)
}

/// Returns true for an explicit undo with remarks around it: "undo that, you made a mess of it", "undo that whole list, I shall …".
fn remarked(message: &[Word], context: Context) -> bool {
    const VERBS: Set = set("undo|revert|reverse|rollback");
    if context.text.contains(['?', '"', '“']) {
        return false;
    }
    let pieces = || message.split(Word::is_mark).filter(|piece| !piece.is_empty());
    let undoes = |piece: &[Word]| taken_back(piece, UNDO, AROUND) && piece.iter().any(|word| VERBS.has(&word.key));
    let remark = |piece: &[Word]| {
        let first = piece.iter().find(|word| !AROUND.has(&word.key));
        first.is_none_or(|first| !(COMMANDS.has(&first.key) || CHORES.has(&first.key)))
    };
    pieces().filter(|piece| undoes(piece)).count() == 1 && pieces().all(|piece| undoes(piece) || remark(piece))
}

/// Returns true if a message ends with a request to reopen the task just completed: "oh no wait it's not till tomorrow, reopen".
fn reopens(message: &[Word]) -> bool {
    const OPENS: Set = set(
        "reopen|reopen it|reopen that|untick it|untick that|uncheck it|uncheck that|unmark it|open it again|put it back on",
    );
    message.split(Word::is_mark).rfind(|piece| !piece.is_empty()).is_some_and(|last| taken_back(last, OPENS, AROUND))
}

/// Returns the question about a just completed task after a denial.
pub(in crate::llm::rules) fn reconsidered(turns: &[Past]) -> Option<Part> {
    has_completed(turns).then(|| Part::Ask {
        question: "I marked that as done a moment ago. What should become of it? For example: “undo that”.".into(),
        options: vec!["undo that".into()],
    })
}

/// Maximum turns to search for a change.
const NEAR: usize = 3;

/// Returns the last of the recent turns that changed something.
fn last_change<'a>(turns: &'a [Past<'a>]) -> Option<&'a Past<'a>> {
    // Turns that only read are skipped.
    turns.iter().rev().take(NEAR).find(|turn| turn.calls.iter().any(|(call, _)| changes(&call.tool)))
}

/// Returns true if the last change only completed tasks.
fn has_completed(turns: &[Past]) -> bool {
    let done = last_change(turns).map(|turn| turn.calls.iter().filter(|(call, _)| changes(&call.tool)));
    done.is_some_and(|mut calls| {
        calls.all(|(call, result)| {
            ToolName::parse(&call.tool) == Some(ToolName::CompleteTask) && result.status == CallStatus::Ok
        })
    })
}
