//! Partial changes of a title: "add “and eggs” to the end of 3", "it's Kate not Kath, fix that in 3".

use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Edits, Part, Reword, Target};
use crate::llm::rules::read::levels::priority;
use crate::llm::rules::read::pattern::take;
use crate::llm::rules::read::pattern::{Captures, fit};
use crate::llm::rules::read::rule::{Row, Rule};

/// `y` captures new text, `w` existing text.
pub(in crate::llm::rules) const TABLE: &[Row] = &[(
    Rule::Reword,
    &[
        "add|tack|append|attach|put|stick|write @rintro? *y to|onto|on|at the? end|back of *x",
        "append|tack *y to|onto *x",
        "make|change|put it|that|this|them to? *y instead of *w",
        "make|change|put it|that|this|them to? *y :? rather than *w",
        "add|put|stick|write|prepend *y to|onto|on|at the? start|front|beginning|head of *x",
        "prepend *y to *x",
        "it|that|this should|must|ought to? be|say|read|spelled|spelt *y :? and? not|never *w in|on|for *x",
        "it|that|this should|must|ought to? be|say|read|spelled|spelt? *y instead|rather of|than *w in|on|for *x",
        "its|it is? *y not *w :? @willyou? fix|change|correct|update|amend that|it|this in|on|for *x",
        "its|it is? *y :? not *w in|on *x",
        "*x should|must|ought|needs|is|was to|meant|supposed? to? be|say|read|have|spelled|spelt *y :? and? not|never *w",
        "*x should|must|ought|needs|is|was to|meant|supposed? to? be|say|read|have|spelled|spelt *y instead|rather of|than *w",
        "change|swap|replace|switch|correct *w to|with|for|into *y in *x",
        "in *x :? @willyou? change|swap|replace|switch|correct *w to|with|for|into *y",
    ],
)];

/// Parses a correction of the title that contains the wrong words: "i misspelt it, it's Kate not Kath".
pub(in crate::llm::rules) fn put_right(body: &[Word], context: Context) -> Option<Part> {
    const WRONG: Set = set("wrong|wrongly|incorrectly|typo|misspelt|misspelled|mistyped|mistake|error|typos");
    const LEAD: Set = file_set!("rewording_lead");
    const RIGHT: [&str; 3] = [
        "it|that should|must|is|was meant|supposed? to? have? be|been|say|said|read? *y :? and? not *w",
        "it|that should|must|is|was meant|supposed? to? have? be|been|say|said|read? *y instead|rather of|than *w",
        "its|it *y :? and? not *w",
    ];
    let wrong = body.iter().take(12).position(|word| WRONG.has(&word.key))?;
    let led = |at: &usize| body[..*at].iter().all(|word| word.is_mark() || WRONG.has(&word.key) || LEAD.has(&word.key));
    let points = |at: &usize| matches!(body[*at].key.as_str(), "its" | "it" | "that");
    let from = (wrong + 1..body.len().min(16)).filter(points).rfind(led)?;
    let clause = &body[from..];
    let captures = RIGHT.iter().find_map(|pattern| fit(pattern, clause))?;
    let raw = |name| take(&captures, name, clause).map(|stretch| (stretch, context.raw(stretch).to_owned()));
    let ((new, right), (old, text)) = (raw('y')?, raw('w')?);
    let field = |stretch: &[Word]| priority(stretch).is_some() || context.date(stretch).is_some();
    if field(new) || field(old) || right.is_empty() {
        return None;
    }
    let reword = Some(Reword::Replace { old: text.clone(), new: right });
    let target = Target::Words { text, quoted: false, named: true };
    Some(Part::Edit { target, edit: Edits { reword, ..Edits::default() } })
}

/// Returns the change that a clause requests.
pub(in crate::llm::rules) fn read(captures: &Captures, clause: &[Word], context: Context) -> Edits {
    let raw = |name| take(captures, name, clause).map(|stretch| context.raw(stretch).to_owned());
    let new = raw('y').unwrap_or_default();
    let before = clause.iter().any(|word| {
        matches!(word.key.as_str(), "start" | "front" | "beginning" | "head" | "prepend")
            && take(captures, 'y', clause).is_some_and(|stretch| stretch.iter().all(|other| other.start != word.start))
    });
    let reword = match raw('w') {
        Some(old) => Reword::Replace { old, new },
        None if before => Reword::Prepend(new),
        None => Reword::Append(new),
    };
    Edits { reword: Some(reword), ..Edits::default() }
}

impl Reword {
    /// Returns the new title; `None` if it lacks the words to be replaced.
    pub fn of(&self, title: &str) -> Option<String> {
        match self {
            Self::Append(more) => Some(format!("{title} {more}")),
            Self::Prepend(more) => Some(format!("{more} {title}")),
            Self::Replace { old, new } => {
                let at = found(title, old)?;
                Some(format!("{}{new}{}", &title[..at], &title[at + old.len()..]))
            }
        }
    }
}

/// Returns the offset of whole words in a title, ignoring case.
fn found(title: &str, words: &str) -> Option<usize> {
    let apart = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    let whole = |at: &usize| {
        let end = at + words.len();
        title.get(*at..end).is_some_and(|part| part.to_lowercase() == words.to_lowercase())
            && apart(title[..*at].chars().next_back())
            && apart(title[end..].chars().next())
    };
    title.char_indices().map(|(at, _)| at).find(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_words_of_a_title_change() {
        let replace = |old: &str, new: &str| Reword::Replace { old: old.into(), new: new.into() };
        for (reword, becomes) in [
            (Reword::Append("and glue".into()), Some("buy red tape and glue")),
            (Reword::Prepend("maybe".into()), Some("maybe buy red tape")),
            (replace("RED", "blue"), Some("buy blue tape")),
            (replace("tap", "rope"), None),
            (replace("é", "e"), None),
        ] {
            assert_eq!(reword.of("buy red tape").as_deref(), becomes, "{reword:?}");
        }
    }
}
