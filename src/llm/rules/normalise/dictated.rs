//! Dictated punctuation and abbreviations: "list colon soap", "note w/ a photo", "that one's urgent".

use crate::llm::rules::lex::set::set;
use crate::llm::rules::normalise::words::{Kind, Word};

/// Replaces dictated punctuation and abbreviations.
pub(in crate::llm::rules) fn dictated(words: Vec<Word>) -> Vec<Word> {
    let mut kept: Vec<Word> = Vec::with_capacity(words.len());
    let mut rest = words.into_iter().peekable();
    while let Some(word) = rest.next() {
        let next = rest.peek().filter(|next| next.kind == Kind::Plain).map_or("", |next| next.key.as_str());
        let last = kept.last_mut().filter(|last| last.kind == Kind::Plain);
        match (last, word.key.as_str()) {
            (Some(last), "/") if last.key == "w" && last.end == word.start => {
                last.key = "with".to_owned();
                last.end = word.end;
            }
            (Some(last), "colon") if leads(&last.key) && !next.is_empty() => {
                kept.push(Word { key: ":".to_owned(), kind: Kind::Mark, ..word });
            }
            (Some(last), "comma") if divides(&last.key, next) => {
                kept.push(Word { key: ",".to_owned(), kind: Kind::Mark, ..word });
            }
            (Some(last), "ones") if matches!(last.key.as_str(), "that" | "this") && says(next) => {
                kept.push(Word { key: "one".to_owned(), ..word.clone() });
                kept.push(Word { key: "is".to_owned(), ..word });
            }
            _ => kept.push(word),
        }
    }
    kept
}

/// Returns true for words after which a colon is dictated.
fn leads(key: &str) -> bool {
    set!(
        "list|task|tasks|todo|todos|reminder|reminders|item|items|note|notes|me|this|these|following|description|title|\
         shopping|groceries|details|things|two|three|four",
    )
    .has(key)
}

/// Returns true if "comma" between these words is dictated punctuation and not the noun.
fn divides(last: &str, next: &str) -> bool {
    !next.is_empty()
        && !set!("a|the|oxford|missing|serial|that|this|inverted|extra|no|of|add|each|every|my|one|some").has(last)
        && !set!("after|before|in|between|splice|splices|missing|errors|rules|usage|on|to|from").has(next)
}

/// Returns true if "that one's" before this word means "that one is".
fn says(next: &str) -> bool {
    set!("high|low|medium|urgent|important|critical|done|finished|due|not|now|overdue|been|complete|completed|sorted|top|\
         actually|really|also|gone|off|cancelled|already|a|an|for|very|so|no|too|the")
    .has(next)
}

#[cfg(test)]
mod tests {
    use crate::llm::rules::normalise::words::words;

    #[test]
    fn spoken_signs_are_signs_where_one_may_stand() {
        for (said, meant) in [
            ("add to my list colon soap", "add to LIST : soap"),
            ("add colon cleanse", "add colon cleanse"),
            ("add soap comma salt comma tea", "add soap , salt , tea"),
            ("fix the comma in the letter", "fix the comma in the letter"),
            ("lunch w/ jo", "lunch with jo"),
            ("that one's urgent", "that one is urgent"),
            ("rename that one's title", "rename that ones title"),
        ] {
            let keys: Vec<String> = words(said).into_iter().map(|word| word.key).collect();
            assert_eq!(keys.join(" "), meant, "{said}");
        }
    }
}
