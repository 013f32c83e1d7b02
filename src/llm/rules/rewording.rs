//! Changes of a few words of a title: "add “and eggs” to the end of 3", "it's Kate not Kath, fix that in 3".

use super::changed;
use super::grammar::{Row, Rule};
use super::intent::Edits;
use super::pattern::Captures;
use super::reading::{Context, take};
use super::resolve::{Known, Step, update};
use super::words::Word;

/// `y` is new, `w` was there.
pub(super) const TABLE: &[Row] = &[(
    Rule::Reword,
    &[
        "add|tack|append|attach|put|stick|write @rintro? *y to|onto|on|at the? end|back of *x",
        "append|tack *y to|onto *x",
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

/// What becomes of the words of a title.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reword {
    Append(String),
    Prepend(String),
    Replace { old: String, new: String },
}

/// The change that a clause asks for.
pub(super) fn read(captures: &Captures, clause: &[Word], context: Context) -> Edits {
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
    /// The title that one becomes; `None` where it does not hold what is to be replaced.
    fn of(&self, title: &str) -> Option<String> {
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

/// Where words stand in a title, whatever their capitals, touched by no other letter.
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

/// The step that gives a task its new title, or the question what it is to be.
pub(super) fn reworded(id: i64, reword: &Reword, known: &Known) -> Step {
    let task = known.tasks.iter().find(|task| task.task_id.0 == id);
    match task.and_then(|task| reword.of(task.title.as_str())) {
        Some(title) => Step::Call(update(&[id], &Edits { title: Some(title), ..Edits::default() })),
        None => changed::to_what(&[id], known),
    }
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
