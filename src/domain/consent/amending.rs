//! Answers that change what they answer: "yes and the bands too", "yes but not the last", "only the first two".

use super::{asks, led, word_spans};
use crate::domain::text::plain_words as plain;

/// The change of an answer, with the words that name what it concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'a> {
    More(&'a str),
    Less(&'a str),
    Only(&'a str),
    /// Fields, or another request.
    Other(&'a str),
}

/// Words that say yes, and words around them.
const YES: &str = "yes|y|yep|yeah|yup|yh|yea|ok|okay|sure|please do|do it|do them|do that|go ahead|go on|go for it|of course|definitely|\
     absolutely|correct|thats right|add it|add them|add those|delete it|delete them|remove it|remove them|bin it|bin them|complete them|tick them";
const FILLS: &str = "please|pls|oh|well|actually|thanks|then|great|perfect|lovely|good|fine|right|hmm|um|no|nope|nah|wait|hang on|hold on";
const MORE: &str = "and|also|and also|plus|and then|as well as|along with|together with|with|and while youre at it|while youre at it|and maybe";
const LESS: &str = "but not|and not|not|just not|only not|but just not|though not|but keep|and keep|keep|but leave|and leave|leave|except|except for|\
     but except|apart from|bar|minus|without|but without|other than|all but|everything but|all except|everything except|all except for|\
     everything except for|all apart from|everything apart from|all of them except|all of them but|all of them apart from|skip|but skip|\
     and skip|spare|but spare|save|but save|but dont delete|but dont remove|but dont bin|but dont complete|but dont tick|but dont add|\
     but dont do|dont delete|dont remove|dont bin|dont complete|dont tick|dont add|but id like to keep|but i want to keep|\
     but i need to keep|but i still need|i still need|but i need|but hang on to";
const ONLY: &str =
    "just|only|but only|but just|just do|only do|just delete|only delete|just complete|only complete|just add|only add";
/// Verbs of what stays as it is: "but mum isn't done".
const STAYS: &str = "isnt|arent|wasnt|hasnt|havent|stays|stay";
/// Words that may close a change, and words about the things that it does not name: "…, the rest can go".
const TAILS: &str =
    "too|also|as well|please|pls|though|tho|then|thanks|alone|there|on there|while youre at it|can stay|can go|for now";
const REST: &str = "the|others|other|rest|ones|one|two|can|may|should|go|goes|stay|stays|yes|no|to|not|delete|remove|bin|complete|add|do|keep|\
     leave|are|is|fine|ok|okay|done|and|but|dont|all|of|them|alone|where|they|please|only|it|then";

/// A message with its words, in lower case without apostrophes.
struct Said<'a> {
    text: &'a str,
    spans: Vec<(usize, usize)>,
    words: Vec<String>,
}

impl<'a> Said<'a> {
    fn of(text: &'a str) -> Self {
        let spans = word_spans(text);
        let words = spans.iter().map(|(start, end)| plain(&text[*start..*end]).concat()).collect();
        Self { text, spans, words }
    }

    /// Returns the number of words of a leading yes, and true if there is a yes among them.
    fn agreed(&self) -> (usize, bool) {
        let (mut at, mut agrees) = (0, false);
        loop {
            let rest = &self.words[at..];
            let (agreed, changes) = (led(rest, YES), led(rest, LESS).max(led(rest, ONLY)));
            let Some(count) = agreed.max(led(rest, FILLS)).filter(|count| changes.is_none_or(|words| words <= *count))
            else {
                return (at, agrees);
            };
            agrees |= agreed.is_some();
            at += count;
        }
    }

    /// Returns the words of a range without tails; `None` if there are none.
    fn body(&self, from: usize, mut to: usize) -> Option<&'a str> {
        while let Some(tail) = (from..to).find(|at| led(&self.words[*at..to], TAILS) == Some(to - at)) {
            to = tail;
        }
        (from < to).then(|| &self.text[self.spans[from].0..self.spans[to - 1].1])
    }

    /// Returns the words from `from` without a remark on the rest.
    fn alone(&self, from: usize) -> Option<&'a str> {
        let is = |word: &str, set: &str| set.split('|').any(|known| known == word);
        let divided = |at: usize| {
            let mark = self.text[self.spans[at - 1].1..self.spans[at].0].contains([',', '.', ';', '-', '–', '!']);
            mark || is(&self.words[at], "and|but|delete|then")
        };
        let rest = |at: &usize| {
            let tail = &self.words[*at..];
            tail.iter().any(|word| is(word, "others|other|rest")) && tail.iter().all(|word| is(word, REST))
        };
        let end = (from + 1..self.words.len()).filter(|at| divided(*at)).find(rest);
        self.body(from, end.unwrap_or(self.words.len()))
    }
}

/// Returns the byte offset behind the yes that leads a message; 0 without one.
pub fn behind_yes(text: &str) -> usize {
    let said = Said::of(text);
    let (at, agrees) = said.agreed();
    said.spans.get(at).filter(|_| agrees).map_or(0, |span| span.0)
}

/// Returns true if a yes leads the message, and the change behind it; `None` for a bare answer.
pub fn amended(text: &str) -> Option<(bool, Change<'_>)> {
    if text.len() > 200 || asks(text) {
        return None;
    }
    let said = Said::of(text);
    let (at, agrees) = said.agreed();
    let (words, end) = (&said.words[at..], said.words.len());
    let position = |set: &str| words.iter().position(|word| set.split('|').any(|known| known == word));
    // "the milk yes, the others no"
    let approved = position("yes|yep|yeah").filter(|yes| *yes > 0 && said.alone(at) == said.body(at, at + yes));
    if let Some(yes) = approved.filter(|yes| at + yes + 1 < end) {
        return Some((true, Change::Only(said.body(at, at + yes)?)));
    }
    let (more, less, only) = (led(words, MORE), led(words, LESS), led(words, ONLY));
    let but = words.first().is_some_and(|word| word == "but");
    let stays = position(STAYS).filter(|stays| but && *stays > 1);
    let adds = agrees && words.last().is_some_and(|last| matches!(last.as_str(), "too" | "also" | "well"));
    let change = match (stays, less.filter(|less| more.is_none_or(|more| *less > more))) {
        (Some(stays), _) => Change::Less(said.body(at + 1, at + stays)?),
        (None, Some(less)) => Change::Less(said.alone(at + less)?),
        (None, None) if only > more => Change::Only(said.alone(at + only?)?),
        (None, None) if more.is_some() || adds => Change::More(said.body(at + more.unwrap_or_default(), end)?),
        (None, None) if agrees && words.first()? == "to" => Change::Only(said.alone(at + 1)?),
        (None, None) => Change::Other(said.body(at + usize::from(but), end)?),
    };
    Some((agrees, change))
}
