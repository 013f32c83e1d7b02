//! Detection of a yes, a no, or a confirmation inside a request. Anything less than clear counts as neither.

use super::text::plain_words as plain;

mod amending;
mod answer;
mod declining;
mod order;
mod tokens;
mod undoing;

pub use amending::{Change, amended, behind_yes};
pub use answer::{Answer, answer, asks, fits};
pub use declining::{Several, answers_to, declines_several, set_apart, spares};
pub use order::is_spelled_out;
pub use undoing::{asks_to_undo, means_the_assistant};

/// A confirmation in the same message as the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// The confirming words as written.
    pub words: String,
    /// The message without them.
    pub rest: String,
}

/// Returns the number of words of the longest phrase that `words` begin with. Phrases are separated by `|`.
fn led(words: &[String], phrases: &str) -> Option<usize> {
    let first = words.first()?;
    // Fast path: most words occur in no phrase, and a substring search finds that soonest.
    if !phrases.contains(first.as_str()) {
        return None;
    }
    phrases
        .split('|')
        .filter(|phrase| phrase.starts_with(first.as_str()))
        .filter(|phrase| phrase.split(' ').enumerate().all(|(at, part)| words.get(at).is_some_and(|word| word == part)))
        .map(|phrase| phrase.split(' ').count())
        .max()
}

/// Returns the text after its first `count` words.
fn after_words(text: &str, count: usize) -> String {
    let mut seen = 0;
    let mut inside = false;
    for (at, c) in text.char_indices() {
        let word = c.is_alphanumeric() || matches!(c, '\'' | '’' | '‘');
        if word && !inside {
            if seen == count {
                return text[at..].to_owned();
            }
            seen += 1;
        }
        inside = word;
    }
    String::new()
}

/// Finds a confirmation in a request: "delete 3, yes I'm sure", "yes, delete task 1 - confirmed", "no need to ask". A single yes
/// before a request is none, since it may answer something else.
pub fn confirmation(text: &str) -> Option<Confirmation> {
    const STRONG: &str = "and yes im certain|yes im certain|yes i am certain|and yes i am sure|and yes i am certain|im positive|\
         yes im positive|and yes im positive|i am certain|im quite sure|im really sure|im very sure|im 100 sure|\
         and im sure|and i mean it|i mean it|yes i mean it|yes i really mean it|yes definitely|and yes definitely|\
         yes absolutely|and yes really|and dont ask|and dont ask me|dont bother asking|no need for confirmation|\
         no need to check|no need to double check|dont double check|no confirmation required|i am absolutely sure|\
         i am positive|im dead sure|im totally sure|im completely sure|and confirmed|consider it confirmed|\
         consider this my confirmation|you have my confirmation|and yes thats confirmed|yes thats right|yes for sure|\
         yes i want it gone|yes i do mean it|yes im absolutely sure|yes im totally sure|yes im really sure|\
         and i confirm|yes sure|yes im definitely sure|and yes im absolutely sure|yes im very sure|yes im sure|yes i am sure|yes really|yes confirmed|yes i confirm|and yes im sure|\
         im sure|i am sure|im certain|i confirm|confirmed|no need to ask me|no need to ask|no need to confirm|\
         dont ask me|dont ask|no confirmation needed|without confirmation|definitely sure|im absolutely sure";
    if text.len() > 500 || text.contains(['"', '“']) && text.matches(['"', '“', '”']).count() % 2 == 1 {
        return None;
    }
    let spans = word_spans(text);
    let words: Vec<String> = spans.iter().map(|(start, end)| plain(&text[*start..*end]).concat()).collect();
    let quoted = |at: usize| text[..at].matches(['"', '“', '”']).count() % 2 == 1;
    let found = (0..words.len()).find_map(|at| led(&words[at..], STRONG).map(|count| (at, at + count)));
    let tail_yes =
        || words.len().checked_sub(1).filter(|last| *last > 0 && words[*last] == "yes").map(|last| (last, last + 1));
    let (from, to) = found.or_else(tail_yes).filter(|(from, _)| !quoted(spans[*from].0))?;
    // "…, I'm certain, yes": the remaining words only repeat the confirmation.
    const MORE: &str = "yes|yeah|yep|yup|definitely|absolutely|really|please|thanks|so|go|ahead|do|it";
    let more = words[to..].iter().all(|word| MORE.split('|').any(|known| known == word));
    let to = if more { words.len() } else { to };
    let denied =
        from > 0 && matches!(words[from - 1].as_str(), "not" | "if" | "until" | "unless" | "once" | "when" | "say");
    if denied || asks(text) {
        return None;
    }
    let start = spans[from].0;
    let end = spans[to - 1].1;
    // Among other words it is part of them: "rename 1 to confirmed booking", "delete 3, I'm sure you will ask".
    if to < words.len() && from > usize::from(words[0] == "yes") {
        return None;
    }
    // Before a request it must end with a punctuation mark: "no need to check bin 3" says to leave bin 3 alone.
    let marked = to < words.len() && text[end..].trim_start().starts_with([',', '.', ';', ':', '!', '-', '–', '—']);
    let leads = to < words.len() && !marked && words[from..to] != ["confirmed"];
    // A quoted or hesitating confirmation is none: "I'm ... sure", "and, confirmed".
    let signs: Vec<char> = tokens::tokens(&text[start..end]).iter().filter_map(tokens::Token::sign).collect();
    if leads || !matches!(signs[..], [] | [',']) || !signs.is_empty() && words[from] == "and" {
        return None;
    }
    let (rest, closes) = if to < words.len() {
        // Only "yes" may precede it, and one punctuation mark may follow.
        let rest = text[end..].trim_start();
        let rest = rest.strip_prefix(|c: char| ",.;:!-–—".contains(c)).unwrap_or(rest);
        (rest.trim().to_owned(), without_yes(&text[..start]).trim().is_empty())
    } else {
        let before = text[..start].trim_end();
        let opens = before.ends_with('(');
        let order = before.strip_suffix(|c: char| ",.;:-–—(".contains(c)).unwrap_or(before).trim();
        let after = text[end..].trim().strip_prefix(if opens { ")" } else { "" });
        // Only one mark may separate them.
        if order.ends_with([',', ';', ':', '-', '–', '—']) {
            return None;
        }
        (without_yes(order).to_owned(), after.is_some_and(|after| matches!(after, "" | "." | "!" | "!!" | "!!!")))
    };
    (closes && !rest.is_empty()).then(|| Confirmation { words: text[start..end].to_owned(), rest })
}

/// Returns the text without a leading "yes" and the comma after it. Keeps all other characters.
fn without_yes(text: &str) -> &str {
    let first = tokens::tokens(text).into_iter().next().filter(|token| token.word() == Some("yes"));
    let Some(yes) = first else { return text };
    let rest = text[yes.span.end..].trim_start();
    rest.strip_prefix(',').unwrap_or(rest).trim_start()
}

/// Returns the byte offsets of the words of a text.
fn word_spans(text: &str) -> Vec<(usize, usize)> {
    let mut spans: Vec<(usize, usize)> = vec![];
    let mut open = None;
    for (at, c) in text.char_indices() {
        let word = c.is_alphanumeric() || matches!(c, '\'' | '’' | '‘');
        match (open, word) {
            (None, true) => open = Some(at),
            (Some(start), false) => {
                spans.push((start, at));
                open = None;
            }
            _ => {}
        }
    }
    spans.extend(open.map(|start| (start, text.len())));
    spans.retain(|(start, end)| text[*start..*end].chars().any(char::is_alphanumeric));
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confirmation_may_come_with_its_request() {
        for (text, rest) in [
            ("delete 3, yes I'm sure", "delete 3"),
            ("bin task 4, I'm positive, yeah", "bin task 4"),
            ("yes, delete task 1 - confirmed", "delete task 1"),
            ("yes delete \"old notes\", no need to ask me", "delete \"old notes\""),
            ("delete 3, yes", "delete 3"),
            ("confirmed delete 3", "delete 3"),
            ("delete 3 confirmed", "delete 3"),
        ] {
            assert_eq!(confirmation(text).map(|found| found.rest).as_deref(), Some(rest), "{text}");
        }
        for none in [
            "delete 3",
            "yes delete 3",
            "delete 3 if I'm sure",
            "delete \"I am sure\"",
            "rename 3 to confirmed booking",
            "delete 3, confirmed and 4",
            "delete 3, I'm sure you will ask me",
            "are you sure? I'm sure",
            "I'm not sure",
            "delete 3？ yes I'm sure",
            "delete 3, I'm sure؟",
            "delete 3, 'I'm sure'",
            "no need to check bin 3",
            "no need to double check bin 3",
            "don't ask me can you delete 3",
            "don't bother asking can you delete 3",
            "I'm sure you can delete 3",
            "I'm certain you can cancel task 3",
            "no need to confirm delete 3",
            "delete 3, I'm sure ;)",
            "delete 3 (yes",
            "> I'm sure, delete 3",
            "🚫 yes I'm sure: delete 3",
            "~~yes~~ I'm sure, delete 3",
            "delete 3, confirmed :-(",
            "delete 3, I'm sure...",
            "delete 3, I'm sure ...",
            "delete 3, I'm sure!.",
            "delete 3, I'm ... sure",
            "delete 3, yes... I'm sure",
            "delete 3 and, confirmed",
            "delete 3 for me, -confirmed",
            "delete 3 now,: confirmed",
        ] {
            assert_eq!(confirmation(none), None, "{none}");
        }
        for (text, rest) in
            [("> yes, delete 3, confirmed", "> yes, delete 3"), ("yes 🚫 delete 3, confirmed", "🚫 delete 3")]
        {
            assert_eq!(confirmation(text).map(|found| found.rest).as_deref(), Some(rest), "{text}: its sign stays");
        }
    }
}
