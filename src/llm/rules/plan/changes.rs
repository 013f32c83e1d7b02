//! Questions about the last changes: "what did you just change?".

use crate::domain::tool::{CallStatus, ToolName};
use crate::llm::Request;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::plan::carry::changes;
use crate::llm::rules::plan::phrase::{self, Reader};
use crate::llm::rules::plan::recall::Past;
use crate::llm::rules::read::intent::Part;
use crate::llm::rules::read::pattern::fit;

const QUESTIONS: [&str; 6] = [
    "and|so|but|wait? what|which did|have|has you|docket|that|it just|actually|already|exactly|last|now? \
     do|done|change|changed|edit|edited|touch|modify just|now|there|then? to? LIST|it|that? exactly|just|last|now?",
    "what|which TASK|TASKS|thing|things did|have you just|last? \
     change|changed|edit|edited|add|added|delete|deleted|complete|completed|move|moved just|last? now?",
    "what just|has|have? changed|happened just|there? now?",
    "what was|were|is|are the|your last|latest|previous|most recent? change|changes|action|edit|thing you? did|made?",
    "what did you just add|delete|complete|rename|move|remove|undo|tick|update now?",
    "tell|show me what you just? did|changed|have changed|have done? just? now?",
];

/// Answers a question about the last change of this conversation from its recorded calls.
pub(super) fn asked(message: &[Word], turns: &[Past], request: &Request) -> Option<Part> {
    if !QUESTIONS.iter().any(|pattern| fit(pattern, message).is_some()) || refers_elsewhere(message) {
        return None;
    }
    let reader = Reader { now: &request.now, zone: &request.zone };
    let done = |turn: &Past| -> Vec<String> {
        let calls = turn.calls.iter().filter(|(call, result)| changes(&call.tool) && result.status == CallStatus::Ok);
        calls.flat_map(|(call, result)| phrase::call(call, result, reader)).collect()
    };
    let found = turns.iter().rev().map(|turn| (turn, done(turn))).find(|(_, lines)| !lines.is_empty());
    Some(Part::Say(match found {
        Some((turn, lines)) => {
            let undo = turn.calls.iter().all(|(call, _)| ToolName::parse(&call.tool) != Some(ToolName::Undo));
            let hint = if undo { "\nSay “undo” to take it back." } else { "" };
            format!("My last change in this conversation:\n{}{hint}", lines.join("\n"))
        }
        None => {
            "I have changed nothing in this conversation yet. The Activity page (/audit) shows every change.".into()
        }
    }))
}

/// Returns true if the question concerns a day or another person.
fn refers_elsewhere(message: &[Word]) -> bool {
    const ELSEWHERE: Set = set("today|yesterday|week|month|i|we|who|when");
    message.iter().any(|word| ELSEWHERE.has(&word.key))
}
