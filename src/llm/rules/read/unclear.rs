//! Messages that need a question before any classification.

use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::matching::is_past;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Part, Target};
use crate::llm::rules::read::scope::ask_what;
use crate::llm::rules::read::target::target;
use crate::llm::rules::read::{announced, scope};

/// Returns the question about an incomplete message; `None` if it may be complete.
pub(in crate::llm::rules) fn unclear(clause: &[Word], context: Context) -> Option<Part> {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    if announced::on_day(clause, context) {
        return Some(ask_what());
    }
    if repeats(&keys) {
        return Some(scope::edit_what());
    }
    // "should really ring jo" may not be meant for the list.
    let wishes = matches!(keys.first(), Some(&("should" | "must" | "ought"))) && !scope::is_question(clause);
    if reconsiders(&keys) {
        return Some(scope::edit_what());
    }
    let thing = (wishes || muses(&keys)) && (3..=12).contains(&keys.len()) || appointed(clause, context);
    let lacks = || scope::lacking(clause, &keys, context.raw(clause)).filter(|_| keys.len() <= 12);
    lacks().or_else(|| thing.then(|| scope::add_or_find(context.raw(clause))))
}

/// Returns true for a wish after a thought or without its "I": "thinking i should paint the shed", "gotta ring jo".
fn muses(keys: &[&str]) -> bool {
    const THOUGHTS: Set =
        set("thinking|thought|reckon|maybe|perhaps|probably|figured|suppose|guess|just|really|i|im|was|that");
    let at = keys.iter().take_while(|key| THOUGHTS.has(key)).count();
    let musing = keys[..at].iter().any(|key| !matches!(*key, "i" | "im" | "was" | "that" | "just"));
    match &keys[at..] {
        ["we" | "id" | "ill", "should" | "must" | "ought" | "better", _, _, ..] => musing,
        ["should" | "must" | "ought" | "better", _, _, ..] => musing && keys[..at].contains(&"i"),
        ["i" | "we", "should" | "must", _, ..] => musing,
        ["have" | "need" | "got", "to", verb, _, ..] if at == 0 => {
            const OTHER: Set = file_set!("unclear_other");
            crate::llm::rules::read::chores::opens_chore(verb)
                && !matches!(*verb, "update" | "check" | "tell" | "see" | "find")
                || !OTHER.has(verb)
        }
        _ => false,
    }
}

/// Returns true if a statement is withdrawn without a request: "rent not paid actually, my mistake".
fn reconsiders(keys: &[&str]) -> bool {
    let denied = keys.windows(2).any(|pair| pair[0] == "not" && is_past(pair[1]))
        || keys.iter().any(|key| set!("isnt|wasnt|hasnt|arent|werent").has(key));
    let text = keys.join(" ");
    let back = ["actually", "after all", "my mistake", "my bad", "i was wrong", "my error"];
    denied && keys.len() <= 10 && back.iter().any(|words| text.contains(words))
}

/// Returns true for a reference to unknown habits: "do the same as last time", "the usual please".
fn repeats(keys: &[&str]) -> bool {
    const ONCE_MORE: Set = file_set!("unclear_once_more");
    let says = keys.iter().any(|key| matches!(*key, "same" | "usual"));
    says && keys.len() >= 2 && keys.iter().all(|key| ONCE_MORE.has(key))
}

/// Returns true for a thing with a date that may be new or existing: "plumber thursday 2pm".
fn appointed(clause: &[Word], context: Context) -> bool {
    const TELLING: Set = file_set!("unclear_telling");
    let ends = clause.first().zip(clause.last());
    let Some((first, last)) = ends else { return false };
    // "rain on friday?" is a question; "mot by friday?" names something to do by then.
    let until = clause.iter().skip(1).any(|word| set!("by|before|due").has(&word.key));
    if context.text.trim_end().ends_with('?') && !until {
        return false;
    }
    let inside = |found: &&crate::domain::when::Found| found.span.start >= first.start && found.span.end <= last.end;
    let Some(day) = context.dates().iter().find(inside) else { return false };
    let others: Vec<&Word> = clause.iter().filter(|word| !(word.is_mark() || day.span.contains(&word.start))).collect();
    let thing = |word: &&Word| word.kind == Kind::Plain && !TELLING.has(&word.key) && !word.key.contains(['#', '@']);
    (1..=3).contains(&others.len())
        && others.iter().all(thing)
        && !others.first().is_some_and(|word| COMMANDS.has(&word.key))
        && others.iter().any(|word| word.start < day.span.start)
}

/// Returns the question about a duty after its reason, if nothing mentions the list: "my passport runs out in june, i should renew it".
pub(in crate::llm::rules) fn ought(body: &[Word], context: Context) -> Option<Part> {
    const DUTIES: Set = set("should|must|need|ought|have|better|gotta|oughta|shall|mustnt");
    const ASKED: Set = set("LIST|TASK|TASKS|remind|reminded|know|ask|find|hear|speak|talk|tell|see|see|listen|watch");
    let keys: Vec<&str> = body.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let duty = |pair: &[&str]| matches!(pair[0], "i" | "we") && DUTIES.has(pair[1]);
    let at = keys.windows(2).position(duty).filter(|at| *at >= 3 && at + 2 < keys.len())?;
    let asks = scope::is_question(body) || context.text.trim_end().ends_with('?');
    let other = scope::foreign_noun(&keys[at..]) || keys.iter().any(|key| ASKED.has(key)) || COMMANDS.has(keys[0]);
    (keys.len() <= 24 && !asks && !other).then(|| scope::add_or_find(context.raw(body)))
}

/// Returns the reference named with doubt: "not sure, the second maybe?".
pub(in crate::llm::rules) fn doubted<'a>(message: &'a [Word], text: &str) -> Option<&'a [Word]> {
    const HEDGES: Set = file_set!("unclear_hedges");
    const DOUBTS: Set = set("sure|maybe|perhaps|possibly|probably|idk|dunno|might|guess|suppose|think|know");
    let telling = |word: &Word| !(word.is_mark() || word.kind == Kind::Plain && HEDGES.has(&word.key));
    let (from, to) = (message.iter().position(telling)?, message.iter().rposition(telling)?);
    let around = message[..from].iter().chain(&message[to + 1..]);
    let named = &message[from..=to];
    let one = matches!(target(named, text), Target::Places(_) | Target::Numbers(_));
    (one && around.clone().any(|word| DOUBTS.has(&word.key))).then_some(named)
}

/// Returns the question about something discussed elsewhere: "do the thing we talked about".
pub(in crate::llm::rules) fn spoken_of(body: &[Word]) -> Option<Part> {
    const SAID: Set = file_set!("unclear_said");
    const WORDS: Set = file_set!("unclear_words");
    const THINGS: Set = set("thing|things|stuff|one|ones|what|bit|bits|that|TASK");
    const ASKS: Set = set("what|which|when|was|were|have|had|i|we|you|ive|weve|TASK");
    let keys: Vec<&str> = body.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let has = |set: Set| keys.iter().any(|key| set.has(key));
    let vague = (4..=14).contains(&keys.len()) && body.iter().all(|word| word.kind != Kind::Quoted);
    let recalls = has(set!("remind")) && has(set!("what|which"));
    let only = vague && !recalls && keys.iter().all(|key| WORDS.has(key) || SAID.has(key));
    let spoken = has(SAID) && has(THINGS) && has(set!("we|i|you|us|ive|weve|youve")) && !ASKS.has(keys.first()?);
    (only && spoken).then(|| Part::Ask {
        question: "I do not know what was meant there. Which task is it, and what should I do with it? For example: “complete \
                   task 3”."
            .into(),
        options: vec!["show my tasks".into()],
    })
}

/// Returns the reply to a message that is too long.
pub(in crate::llm::rules) fn too_long() -> Part {
    Part::Ask {
        question: "That is too long for me to read as one request. A title has at most 200 characters; \
     for example: “add buy milk tomorrow”."
            .into(),
        options: vec![],
    }
}

/// Returns the reply to a question for advice: "should i delete the old tasks?".
pub(in crate::llm::rules) fn advised(clause: &[Word]) -> Option<Part> {
    const ASKS: Set = set("should|shall|must|ought");
    const ACTS: Set =
        set("delete|remove|complete|finish|tick|mark|move|postpone|reschedule|rename|add|keep|drop|clear|reopen");
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let asks = matches!(keys.as_slice(), [first, "i" | "we", act, ..] if ASKS.has(first) && ACTS.has(act));
    asks.then(|| {
        Part::Say(
            "That is for you to decide, so nothing was changed. For example, say “show my tasks” or “delete task 3”."
                .into(),
        )
    })
}
