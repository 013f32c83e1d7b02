//! Messages that take back what was just done: "undo that", "oops, put it back".

use super::carry::changes;
use super::frames::COMMANDS;
use super::intent::{Part, Target};
use super::matching::is_past;
use super::reading::Context;
use super::recall::{Past, numbers_of};
use super::said;
use super::scope;
use super::set::{Set, set};
use super::words::Word;
use crate::domain::tool::{CallStatus, ToolName};

/// Words that tell that something is not so.
const DENIALS: Set = set("not|havent|hasnt|hadnt|isnt|wasnt|arent|werent|didnt|aint");
/// What may stand around the words that take something back.
const AROUND: Set = set(
    "oh|no|wait|oops|whoops|sorry|please|actually|ah|shit|damn|crap|hang|on|thanks|can|you|we|could|just|um|hold|hmm|well|\
         so|ok|again|quick|quickly|pls|then|nope|ugh|argh|bugger|sugar|dammit|lets|id|like|to",
);

/// The longest excuse, in words and marks.
const LONGEST: usize = 12;

/// Whether a message takes back what was just done: "undo that", "oops, put it back".
pub(super) fn undoes(message: &[Word], context: Context) -> bool {
    const UNDO: Set = set(
        "undo|undo it|undo that|undo this|undo them|undo both|undo last|undo the last|undo the last one|undo my last|\
         undo the last change|undo my last change|undo last change|undo the last thing|undo last action|undo the last action|\
         undo what you did|undo what you just did|undo what i just did|take that back|take it back|revert|revert that|\
         revert it|revert the last change|reverse that|reverse it|roll that back|roll it back|put it back|put that back|\
         put it back how it was|change it back|change that back|put them back|can you undo that|can you undo it|\
         that was a mistake undo it|that was a mistake|that was an accident|i didnt mean that|i didnt mean to do that|\
         didnt mean to do that|i did that by mistake|that was by mistake",
    );
    taken_back(message, UNDO, AROUND) || slipped(message, UNDO, context)
}

/// Whether a message only denies what was just said to be done: "oh no i haven't", "wait, it's not posted yet".
pub(super) fn denies(message: &[Word], context: Context) -> bool {
    let orders = message.iter().any(|word| COMMANDS.has(&word.key) || matches!(word.key.as_str(), "?" | "mind"));
    !orders && !scope::is_question(message) && denied(message, context)
}

/// A denial that names nothing: "i haven't packed it yet".
fn denied(stretch: &[Word], context: Context) -> bool {
    const WHO: Set = set("i|ive|we|weve|it|its|that|thats|this|they|those");
    let has = |set: Set| stretch.iter().any(|word| set.has(&word.key));
    let fills = |word: &&Word| word.is_mark() || AROUND.has(&word.key) || DENIALS.has(&word.key) || is_past(&word.key);
    let told: Vec<Word> = stretch.iter().filter(|word| !fills(word)).cloned().collect();
    stretch.len() <= LONGEST && has(WHO) && has(DENIALS) && said::telling(&told, context).is_empty()
}

/// Whether a stretch is such a phrase, courtesies around it aside.
fn taken_back(stretch: &[Word], undo: Set, around: Set) -> bool {
    let keys: Vec<&str> = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let telling = |key: &&str| !around.has(key);
    let (from, to) = (keys.iter().position(telling), keys.iter().rposition(telling));
    from.zip(to).is_some_and(|(from, to)| undo.has(&keys[from..=to].join(" ")))
}

/// "oops, clicked the wrong one, undo that": an excuse and the phrase.
fn slipped(message: &[Word], undo: Set, context: Context) -> bool {
    const EXCUSES: Set = set(
        "hit|tapped|pressed|ticked|clicked|picked|chose|did|got|marked|i|ive|the|wrong|one|it|mistake|by|accident|a|was|\
         that|thats|not|meant|my|bad|fault|TASK|slip|of|finger|apologies|isnt|to|mean|didnt|this",
    );
    let Some(at) = message.iter().rposition(|word| word.is_mark() || word.key == "so") else { return false };
    let excuse = |word: &Word| word.is_mark() || EXCUSES.has(&word.key) || AROUND.has(&word.key);
    let before = &message[..at];
    (before.iter().all(excuse) || denied(before, context)) && taken_back(&message[at..], undo, AROUND)
}

/// The question what is to become of a task that was just completed, where somebody denies that it is done.
pub(super) fn reconsidered(turns: &[Past]) -> Option<Part> {
    let completed = matches!(undone(turns)?, Part::Reopen(_));
    completed.then(|| Part::Ask {
        question: "I marked that as done a moment ago. What should become of it? For example: “undo that”.".into(),
        options: vec!["undo that".into()],
    })
}

/// How many turns back a change may be that "undo that" takes back.
const NEAR: usize = 3;

/// What the turn before did, the other way round where a tool can; of the rest its receipt knows more.
pub(super) fn undone(turns: &[Past]) -> Option<Part> {
    // What was only looked at since changes nothing of that.
    let changed = |turn: &&Past| turn.calls.iter().any(|(call, _)| changes(&call.tool));
    let last = turns.iter().rev().take(NEAR).find(changed)?;
    let done: Vec<_> =
        last.calls.iter().filter(|(call, result)| result.status == CallStatus::Ok && changes(&call.tool)).collect();
    let (first, _) = done.first()?;
    let numbers: Vec<i64> = done.iter().flat_map(|(call, result)| numbers_of(call, result)).collect();
    let tool = ToolName::parse(&first.tool)?;
    let same = done.iter().all(|(call, _)| ToolName::parse(&call.tool) == Some(tool));
    let only_status = |value: &serde_json::Value| {
        value.as_object().is_some_and(|fields| {
            fields.keys().all(|key| matches!(key.as_str(), "status" | "task_id" | "task_ids" | "version"))
        })
    };
    let target = Target::Numbers(numbers);
    match tool {
        ToolName::CompleteTask if same => Some(Part::Reopen(target)),
        ToolName::AddTask if same => Some(Part::Delete { target, unneeded: false }),
        ToolName::UpdateTask if same && done.iter().all(|(call, _)| only_status(&call.arguments)) => {
            Some(Part::Complete(target))
        }
        ToolName::AddTask
        | ToolName::CompleteTask
        | ToolName::DeleteTask
        | ToolName::UpdateTask
        | ToolName::ListTasks
        | ToolName::GetTask => Some(Part::Ask {
            question:
                "I cannot take that back from here: press Undo on its receipt above, or tell me what it should be. \
                       For example: “move task 3 to friday”."
                    .into(),
            options: vec!["show my tasks".into()],
        }),
    }
}
