//! All tasks but those that are to stay: "keep the milk, delete the rest".

use super::courtesy::strip;
use super::intent::{Part, Scope, Target, aim, target_of};
use super::reading::{self, Context};
use super::set::{Set, set};
use super::target::target;
use super::words::{Word, words};

/// A message that names what stays before it says what becomes of the rest.
pub(super) fn spared(body: &[Word], context: Context) -> Option<Part> {
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

/// A wish without the words that only say that it is one: "i want to keep the milk on there".
pub(super) fn unwished<'a, 'b>(keys: &'a [&'b str]) -> &'a [&'b str] {
    const WISHES: Set = set(
        "i want to|i want you to|i need you to|id like to|id like you to|i would like to|id rather|id prefer to|we want to|you can|\
         you should|just|please|make sure you|make sure to|be sure to|can you|could you|can we|i still want to",
    );
    let text = keys.join(" ");
    let wishes = WISHES.leading(&text).map(|wish| wish.split(' ').count());
    &keys[wishes.max().unwrap_or_default()..]
}

/// Whether a target is "the rest".
fn others(target: &Target) -> bool {
    matches!(target, Target::All(Scope { except: Some(but), .. }) if **but == Target::Them)
}

/// "all of them" where nothing was spoken of is the whole list.
pub(super) fn of_all(parts: Vec<Part>, text: &str) -> Vec<Part> {
    const ALL: Set = set("all|each|every|lot");
    let them = |part: &&Part| target_of(part) == Some(&Target::Them);
    // "i'm done, tick them all" says twice that they are.
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
