//! Date phrases inside a sentence, where caution matters more than reach: titles are full of words that look like dates.

use super::Stretch;
use super::When;
use super::numbers::{month, weekday};
use super::phrase::phrase;
use super::rule::Rule;
use super::tokens::{Moment, Token, Words, cut};
use crate::domain::time::Timestamp;

/// A date phrase in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Byte offsets, the preposition ("by", "on", "at") included.
    pub span: Stretch,
    pub when: When,
}

/// Every date phrase of `text`, in order and without overlap. Quoted text, addresses and links are never read.
pub fn find(text: &str, now: &Timestamp, zone: &str) -> Vec<Found> {
    let moment = Moment::new(now, zone);
    let literal = literals(text);
    let tokens = cut(text);
    let words = Words(&tokens);
    let mut found = vec![];
    let mut i = 0;
    while i < tokens.len() {
        let start = tokens[i].start;
        if let Some(inside) = literal.iter().find(|stretch| stretch.contains(&start)) {
            while i < tokens.len() && tokens[i].start < inside.end {
                i += 1;
            }
            continue;
        }
        // Phrases are short: a window keeps long texts linear.
        let window = Words(&tokens[..tokens.len().min(i + 24)]);
        let hit = phrase(window, i, &moment)
            .filter(|(end, _)| words.may_begin(i) && words.may_end(*end) && plausible(words, i, *end));
        let Some((end, meaning)) = hit else {
            i += 1;
            continue;
        };
        if let Some(due) = meaning.due(&moment) {
            let recurrence = meaning.rule.as_ref().map(Rule::to_string);
            found.push(Found { span: start..tokens[end - 1].end, when: When { due, recurrence } });
        }
        i = end;
    }
    found
}

/// Stretches that are never read: quoted text, e-mail addresses, links.
fn literals(text: &str) -> Vec<Stretch> {
    let mut stretches = vec![];
    let mut open: Option<(usize, char)> = None;
    for (at, c) in text.char_indices() {
        match (open, c) {
            (None, '"') => open = Some((at, '"')),
            (None, '“') => open = Some((at, '”')),
            (Some((start, close)), c) if c == close => {
                stretches.push(start..at + c.len_utf8());
                open = None;
            }
            _ => {}
        }
    }
    let mut at = 0;
    for chunk in text.split_inclusive(char::is_whitespace) {
        let mail = chunk.find('@').is_some_and(|place| place > 0) && chunk.contains('.');
        if mail || chunk.contains("://") || chunk.starts_with("www.") {
            stretches.push(at..at + chunk.trim_end().len());
        }
        at += chunk.len();
    }
    stretches
}

/// Whether a phrase that could be a date is one in its sentence: short or common words need a preposition or an edge.
fn plausible(words: Words, start: usize, end: usize) -> bool {
    let tokens = words.0;
    let led = matches!(
        words.at(start),
        "by" | "on" | "due" | "before" | "this" | "next" | "every" | "each" | "until" | "till" | "in" | "at"
    );
    let last = end == tokens.len() || tokens[end..].iter().all(|token| !token.is_word());
    let first = tokens[..start].iter().all(|token| !token.is_word());
    let content: Vec<&Token> = tokens[start..end].iter().filter(|token| token.is_word()).collect();
    let single = content.len() == 1;
    let core = words.at(end - 1);
    let name_goes_on =
        tokens[end - 1].capital && !first && tokens.get(end).is_some_and(|next| next.capital && !next.glued);
    if single && name_goes_on && !led {
        return false;
    }
    if single {
        let name = tokens[end - 1].capital
            && !first
            && matches!(core, "tom" | "may" | "jan" | "june" | "april" | "mar" | "tod" | "sat" | "sun");
        return match core {
            "tom" | "tod" | "tmw" => last && !name && !after_person(words, start),
            "sat" | "sun" | "mon" | "wed" | "thu" | "tue" | "fri" | "noon" | "midnight" | "weekend" => last,
            "eve" | "evening" | "morning" | "afternoon" | "night" | "nights" | "lunchtime" | "teatime" | "evenings"
            | "mornings" | "afternoons" => false,
            "now" => false,
            "christmas" | "xmas" | "halloween" | "daily" | "weekly" | "monthly" | "yearly" | "quarterly"
            | "nightly" | "annually" | "fortnightly" | "biweekly" | "everyday" => last,
            _ if core.starts_with(|c: char| c.is_ascii_digit()) => last || first,
            _ => true,
        };
    }
    let feast = [
        "christmas",
        "xmas",
        "boxing",
        "valentine's",
        "valentines",
        "mother's",
        "mothers",
        "father's",
        "fathers",
        "labor",
        "labour",
        "memorial",
        "thanksgiving",
        "easter",
        "black",
        "cyber",
        "good",
        "pancake",
        "shrove",
        "bonfire",
        "new",
    ];
    if feast.contains(&words.at(start)) && !last {
        return false;
    }
    let ordinal_day = content.len() == 2 && matches!(content[1].text.as_str(), "st" | "nd" | "rd" | "th");
    if ordinal_day
        || content.len() == 3
            && content[0].text == "the"
            && matches!(content[2].text.as_str(), "st" | "nd" | "rd" | "th")
    {
        return led && !tokens.get(end).is_some_and(Token::is_word) || last && content.len() == 2;
    }
    if let [preposition, word] = content.as_slice() {
        if matches!(word.text.as_str(), "now" | "night" | "evening" | "morning" | "afternoon")
            && preposition.text != "every"
        {
            return preposition.text == "this"
                || matches!(preposition.text.as_str(), "tomorrow")
                || weekday(&preposition.text).is_some();
        }
        if preposition.text == "at" && word.digits().is_some() {
            return bare_hour(words, end, last);
        }
        if matches!(preposition.text.as_str(), "for" | "from" | "about" | "around") && month(&word.text).is_some() {
            return false;
        }
        if matches!(preposition.text.as_str(), "from" | "about") {
            return last;
        }
        if matches!(preposition.text.as_str(), "by" | "before") && word.digits().is_some() {
            return last;
        }
    }
    true
}

/// "at 5": only where no noun follows the number ("at 5 Elm Street").
fn bare_hour(words: Words, end: usize, last: bool) -> bool {
    last || matches!(words.at(end), "to" | "," | "for" | "with" | "and" | ";")
}

/// "with tom", "call tom": a person, not the day after.
fn after_person(words: Words, start: usize) -> bool {
    start == 0
        || matches!(
            words.at(start - 1),
            "with"
                | "for"
                | "to"
                | "call"
                | "ask"
                | "tell"
                | "from"
                | "and"
                | "email"
                | "text"
                | "meet"
                | "see"
                | "ring"
                | "phone"
                | "message"
                | "thank"
                | "help"
                | "visit"
        )
}
