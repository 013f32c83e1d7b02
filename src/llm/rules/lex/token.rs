//! Tokenisation of a message into words and punctuation with byte offsets.

use crate::domain::comparison::{composed, is_of_word};
use crate::llm::rules::lex::numbers;

/// Kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::llm::rules) enum Kind {
    Plain,
    /// A quoted text, taken literally.
    Quoted,
    /// Punctuation or a line break.
    Mark,
}

/// One word, or one folded phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::llm::rules) struct Word {
    /// Lower case without apostrophes; `LIST`, `TASK` or `TASKS` for folded phrases; `\n` for a line break.
    pub key: String,
    /// Byte offsets in the message; without quotes for a quoted text.
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

impl Word {
    pub fn is_mark(&self) -> bool {
        self.kind == Kind::Mark
    }
}

/// Returns the word in lower case, without apostrophes and without the hyphen of "to-do".
fn key_of(raw: &str) -> String {
    let lower: String = composed(raw).to_lowercase().chars().filter(|c| !matches!(c, '\'' | '’' | '‘' | '`')).collect();
    match lower.as_str() {
        "to-do" | "to-dos" | "check-off" | "un-check" | "re-open" => lower.replace('-', ""),
        "to-do-list" | "todo-list" | "todolist" => "todolist".to_owned(),
        "&" => "and".to_owned(),
        _ => lower,
    }
}

const OPENING: [(char, char); 5] = [('"', '"'), ('“', '”'), ('«', '»'), ('\'', '\''), ('‘', '’')];

/// Maximum bytes between quotation marks; marks farther apart are no pair.
const LONGEST_QUOTATION: usize = 400;

/// Returns the extent of the quotation that opens at `at`; `None` for an apostrophe or an unclosed quotation.
fn quotation(text: &str, at: usize) -> Option<(usize, usize, usize)> {
    let open = text[at..].chars().next()?;
    let close = OPENING.iter().find(|(o, _)| *o == open)?.1;
    let inner = at + open.len_utf8();
    if text[..at].chars().next_back().is_some_and(char::is_alphanumeric) {
        return None;
    }
    let near = &text[..text.floor_char_boundary(inner + LONGEST_QUOTATION + close.len_utf8())];
    let mut from = inner;
    while let Some(found) = near[from..].find([close, '\n']) {
        let end = from + found;
        if near[end..].starts_with('\n') {
            return None;
        }
        let after = end + close.len_utf8();
        if text[after..].chars().next().is_none_or(|c| !c.is_alphanumeric()) {
            return (end > inner).then_some((inner, end, after));
        }
        if close != '\'' && close != '’' {
            return None;
        }
        from = after;
    }
    None
}

/// Splits a text at white space, punctuation and quotations.
pub(in crate::llm::rules) fn cut(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = vec![];
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c == '\n' {
            words.push(Word { key: "\n".into(), start: at, end: at + 1, kind: Kind::Mark });
            at += 1;
        } else if c.is_whitespace() || c.is_control() {
            at += c.len_utf8();
        } else if let Some((start, end, after)) = quotation(text, at) {
            words.push(Word { key: key_of(&text[start..end]), start, end, kind: Kind::Quoted });
            at = after;
        } else {
            let end = text[at..].find(char::is_whitespace).map_or(text.len(), |n| at + n);
            chunk(text, at, end, &mut words);
            at = end;
        }
    }
    words
}

/// Adds one white-space separated chunk; leading and trailing punctuation become separate tokens.
fn chunk(text: &str, start: usize, end: usize, words: &mut Vec<Word>) {
    let core = |c: char| is_of_word(c) || matches!(c, '#' | '@' | '+' | '$' | '€' | '£' | '%' | '&');
    let raw = &text[start..end];
    let Some(first) = raw.find(core) else {
        if raw.starts_with(['✅', '✔', '☑']) {
            words.push(Word { key: "done".into(), start, end, kind: Kind::Plain });
            return;
        }
        for (at, c) in raw.char_indices() {
            words.push(Word {
                key: c.to_string(),
                start: start + at,
                end: start + at + c.len_utf8(),
                kind: Kind::Mark,
            });
        }
        return;
    };
    let last = raw.char_indices().rfind(|(_, c)| core(*c)).map_or(first, |(at, c)| at + c.len_utf8());
    let marks = |from: usize, to: usize, words: &mut Vec<Word>| {
        for (at, c) in raw[from..to].char_indices() {
            let begin = start + from + at;
            words.push(Word { key: c.to_string(), start: begin, end: begin + c.len_utf8(), kind: Kind::Mark });
        }
    };
    marks(0, first, words);
    let body = &raw[first..last];
    // "#2's" is a number with a possessive.
    let owner = body.strip_suffix("'s").or_else(|| body.strip_suffix("’s"));
    let counts = |number: &&str| {
        number.trim_start_matches('#').bytes().all(|b| b.is_ascii_digit())
            || words.last().is_some_and(|last| matches!(last.key.as_str(), "number" | "task" | "item"))
                && numbers::number(&number.to_lowercase(), true).is_some()
    };
    if let Some(number) = owner.filter(counts) {
        let middle = start + first + number.len();
        words.push(Word { key: key_of(number), start: start + first, end: middle, kind: Kind::Plain });
        marks(last, raw.len(), words);
        return;
    }
    // "milk,eggs" and "done;next" are two words; "10:30", "p.m." and "3,5" are one.
    let split = body.char_indices().find(|(at, c)| {
        matches!(c, ',' | ';' | '–' | '—' | '…')
            && body[at + c.len_utf8()..].starts_with(|next: char| next.is_alphabetic())
    });
    if let Some((at, _)) = split {
        let middle = start + first + at;
        words.push(Word {
            key: key_of(&text[start + first..middle]),
            start: start + first,
            end: middle,
            kind: Kind::Plain,
        });
        return chunk(text, middle, end, words);
    }
    words.push(Word { key: key_of(body), start: start + first, end: start + last, kind: Kind::Plain });
    marks(last, raw.len(), words);
}
