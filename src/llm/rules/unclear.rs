//! Messages that are asked about before anything is guessed.

use super::announced;
use super::frames::COMMANDS;
use super::intent::{Part, Target};
use super::matching::is_past;
use super::reading::{Context, ask_what};
use super::scope;
use super::set::{Set, set};
use super::target::target;
use super::words::{Kind, Word};

/// The question about a message that names too little; `None` if it may say enough.
pub(super) fn unclear(clause: &[Word], context: Context) -> Option<Part> {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    if announced::on_day(clause, context) {
        return Some(ask_what());
    }
    if repeats(&keys) {
        return Some(scope::edit_what());
    }
    // "should really ring jo" may be meant for no list.
    let wishes = matches!(keys.first(), Some(&("should" | "must" | "ought"))) && !scope::is_question(clause);
    if reconsiders(&keys) {
        return Some(scope::edit_what());
    }
    let thing = (wishes || muses(&keys)) && (3..=12).contains(&keys.len()) || appointed(clause, context);
    let thing = thing || happens(clause, &keys, context);
    let lacks = || scope::lacking(clause, &keys, context.raw(clause)).filter(|_| keys.len() <= 12);
    lacks().or_else(|| thing.then(|| scope::add_or_find(context.raw(clause))))
}

/// "thinking i should paint the shed", "gotta ring jo": a wish behind a thought, or without its "I".
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
            const OTHER: Set = set(
                "update|check|tell|see|find|know|hear|listen|watch|talk|speak|use|be|say|turn|play|set|convert|translate|\
                     figure|understand|learn|look|stop|ask|do|have|get|make|go|transfer|send|text|email|call|message|search|google|\
                     delete|remove|add|show|complete|mark|list|read|a|the|my|it|that",
            );
            super::fields::opens_chore(verb) && !matches!(*verb, "update" | "check" | "tell" | "see" | "find")
                || !OTHER.has(verb)
        }
        _ => false,
    }
}

/// "the plumber comes on friday": what somebody else does on a day may be for the list.
fn happens(clause: &[Word], keys: &[&str], context: Context) -> bool {
    const DOES: Set =
        set("is|are|comes|coming|starts|arrives|visits|visiting|begins|opens|closes|ends|arriving|leaves");
    const WORLD: Set =
        set("it|its|this|that|there|theres|what|who|weather|rain|sun|you|your|why|how|because|i|im|we|LIST|TASK|TASKS");
    let dated = context.dates().iter().any(|found| {
        clause
            .first()
            .zip(clause.last())
            .is_some_and(|(first, last)| found.span.start > first.start && found.span.end <= last.end)
    });
    let first = keys.first().copied().unwrap_or_default();
    let does = keys.iter().skip(1).any(|key| DOES.has(key));
    (4..=9).contains(&keys.len())
        && dated
        && does
        && !(scope::is_question(clause) || scope::foreign_noun(keys) || COMMANDS.has(first))
        && !keys.iter().any(|key| WORLD.has(key))
        && !context.text.trim_end().ends_with('?')
}

/// "rent not paid actually, my mistake": something that was said is taken back, and it is not told what to do.
fn reconsiders(keys: &[&str]) -> bool {
    let denied = keys.windows(2).any(|pair| pair[0] == "not" && is_past(pair[1]))
        || keys.iter().any(|key| set!("isnt|wasnt|hasnt|arent|werent").has(key));
    let text = keys.join(" ");
    let back = ["actually", "after all", "my mistake", "my bad", "i was wrong", "my error"];
    denied && keys.len() <= 10 && back.iter().any(|words| text.contains(words))
}

/// "do the same as last time", "the usual please": nothing says what that was.
fn repeats(keys: &[&str]) -> bool {
    const ONCE_MORE: Set = set(
        "do|the|same|as|last|time|before|again|usual|always|like|thing|please|just|it|what|you|did|we|week|month|one|\
         more|previous|previously|earlier|for|me|i|said|now|make|normal|yesterday|old|with|that",
    );
    let says = keys.iter().any(|key| matches!(*key, "same" | "usual"));
    says && keys.len() >= 2 && keys.iter().all(|key| ONCE_MORE.has(key))
}

/// "plumber thursday 2pm": a thing and a day, and nothing that says whether it is new.
fn appointed(clause: &[Word], context: Context) -> bool {
    const TELLING: Set = set(
        "TASK|TASKS|LIST|what|whats|which|when|whens|who|where|how|why|anything|something|everything|stuff|things|due|\
         list|show|all|my|any|i|im|ive|we|it|its|that|thats|is|are|was|am|do|does|did|have|has|had|for|plans|plan|agenda|\
         schedule|about|overdue|urgent|important|priority|done|pending|open|left|jobs|chores|errands|busy|free|not|no|\
         yes|ok|okay|them|those|these|this|both|one|ones|first|second|third|last|and|or|to|instead|please|weather|news|\
         alarm|timer|meeting|meetings|calendar|appointments|events|reservation|flight|flights|hotel",
    );
    let ends = clause.first().zip(clause.last());
    let Some((first, last)) = ends else { return false };
    // "rain on friday?" asks; "mot by friday?" names what has to be done by then.
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

/// "my passport runs out in june, i should renew it": a duty behind its reason, and nothing says that it is for the list.
pub(super) fn ought(body: &[Word], context: Context) -> Option<Part> {
    const DUTIES: Set = set("should|must|need|ought|have|better|gotta|oughta|shall|mustnt");
    const ASKED: Set = set("LIST|TASK|TASKS|remind|reminded|know|ask|find|hear|speak|talk|tell|see|see|listen|watch");
    let keys: Vec<&str> = body.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let duty = |pair: &[&str]| matches!(pair[0], "i" | "we") && DUTIES.has(pair[1]);
    let at = keys.windows(2).position(duty).filter(|at| *at >= 3 && at + 2 < keys.len())?;
    let asks = scope::is_question(body) || context.text.trim_end().ends_with('?');
    let other = scope::foreign_noun(&keys[at..]) || keys.iter().any(|key| ASKED.has(key)) || COMMANDS.has(keys[0]);
    (keys.len() <= 24 && !asks && !other).then(|| scope::add_or_find(context.raw(body)))
}

/// "not sure, the second maybe?": what is named with doubt.
pub(super) fn doubted<'a>(message: &'a [Word], text: &str) -> Option<&'a [Word]> {
    const HEDGES: Set = set(
        "hmm|hm|hmmm|not|sure|im|i|am|dont|know|idk|dunno|maybe|perhaps|possibly|probably|think|guess|suppose|might|could|be|it|or|\
         well|ok|oh|really|so|is|would|id|say|its|was|hard|to|tell|either|yet",
    );
    const DOUBTS: Set = set("sure|maybe|perhaps|possibly|probably|idk|dunno|might|guess|suppose|think|know");
    let telling = |word: &Word| !(word.is_mark() || word.kind == Kind::Plain && HEDGES.has(&word.key));
    let (from, to) = (message.iter().position(telling)?, message.iter().rposition(telling)?);
    let around = message[..from].iter().chain(&message[to + 1..]);
    let named = &message[from..=to];
    let one = matches!(target(named, text), Target::Places(_) | Target::Numbers(_));
    (one && around.clone().any(|word| DOUBTS.has(&word.key))).then_some(named)
}

/// "do the thing we talked about": what was said elsewhere is not known here.
pub(super) fn spoken_of(body: &[Word]) -> Option<Part> {
    const SAID: Set = set(
        "talked|talking|said|mentioned|discussed|discussing|spoke|spoken|told|asked|agreed|chatted|described|wanted|speaking",
    );
    const WORDS: Set = set(
        "do|sort|handle|fix|add|put|delete|remove|complete|finish|change|update|move|mark|set|remind|tick|take|off|on|out|of|LIST|\
         TASK|TASKS|the|that|this|those|thing|things|stuff|one|ones|bit|bits|what|which|we|i|you|me|us|were|was|about|before|earlier|\
         last|time|week|yesterday|other|day|night|morning|just|please|now|it|have|had|ive|weve|youve|for|to|as|done|all|again|with|\
         today|in|our|chat|when|already|and|get|make|sorted|done|doing",
    );
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

/// The answer to what is too long for one request.
pub(super) fn too_long() -> Part {
    Part::Ask {
        question: "That is too long for me to read as one request. A title has at most 200 characters; \
     for example: “add buy milk tomorrow”."
            .into(),
        options: vec![],
    }
}
