//! Bulk commands with exceptions: "keep the milk, delete the rest".

use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Word, words};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::courtesy::strip;
use crate::llm::rules::read::intent::{Part, Scope, Target, aim, target_of};
use crate::llm::rules::read::reading;
use crate::llm::rules::read::target::target;

/// Parses a message that names the exceptions before the command for the rest.
pub(in crate::llm::rules) fn spared(body: &[Word], context: Context) -> Option<Part> {
    const KEEPS: Set = set("keep|leave|save|spare|keeping|leaving|except|besides|apart");
    const BESIDE: Set = set("just|only|from|for|please");
    const ENDS: Set = set("alone|be|please|open|there|as|is|LIST|on|where|are|they");
    let joint = |word: &Word| word.is_mark() || matches!(word.key.as_str(), "and" | "but" | "then");
    if !body.first().is_some_and(|first| KEEPS.has(&first.key)) {
        return None;
    }
    let from = 1 + body[1..].iter().take_while(|word| BESIDE.has(&word.key)).count();
    let (part, at) = (from + 1..body.len()).filter(|at| joint(&body[*at])).find_map(|at| {
        let rest = body[at..].iter().position(|word| !joint(word))?;
        let part = reading::read(strip(&body[at + rest..]).0, context)?;
        others(target_of(&part)?).then_some((part, at))
    })?;
    let end = body[from..at].iter().rposition(|word| !(word.is_mark() || ENDS.has(&word.key)))?;
    match target(&body[from..=from + end], context.text) {
        Target::Missing | Target::All(_) => None,
        kept => Some(aim(&part, Target::All(Scope { except: Some(Box::new(kept)), ..Scope::default() }))),
    }
}

/// Returns the keys without the words of a wish: "i want to keep the milk on there".
pub(in crate::llm::rules) fn unwished<'a, 'b>(keys: &'a [&'b str]) -> &'a [&'b str] {
    const WISHES: Set = file_set!("sparing_wishes");
    let text = keys.join(" ");
    let wishes = WISHES.leading(&text).map(|wish| wish.split(' ').count());
    &keys[wishes.max().unwrap_or_default()..]
}

/// Returns true if a target is "the rest".
fn others(target: &Target) -> bool {
    matches!(target, Target::All(Scope { except: Some(but), .. }) if **but == Target::Them)
}

/// Resolves "all of them" without an antecedent to the whole list.
pub(in crate::llm::rules) fn of_all(parts: Vec<Part>, text: &str) -> Vec<Part> {
    const ALL: Set = set("all|each|every|lot");
    let them = |part: &&Part| target_of(part) == Some(&Target::Them);
    // "i'm done, tick them all" states the completion twice.
    let spoken = |part: &Part| {
        matches!(part, Part::Happened(_))
            || matches!(target_of(part), Some(Target::It | Target::Missing | Target::Them))
                && matches!(part, Part::Complete(_))
    };
    let only = match parts.as_slice() {
        [only] => Some(only).filter(them),
        [before, last] => Some(last).filter(|last| spoken(before) && them(last)),
        _ => None,
    };
    match only.filter(|_| words(text).iter().any(|word| ALL.has(&word.key))) {
        Some(part) => vec![aim(part, Target::All(Scope::default()))],
        None => parts,
    }
}
