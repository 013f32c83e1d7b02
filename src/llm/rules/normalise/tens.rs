//! Compound number words: "thirty one", "forty-five".

use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::{Kind, Word};

const TENS: Set = set("twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety");
const ONES: Set = set("one|two|three|four|five|six|seven|eight|nine");

/// Replaces compound number words by digits.
pub(in crate::llm::rules) fn figured(words: Vec<Word>) -> Vec<Word> {
    let mut kept: Vec<Word> = Vec::with_capacity(words.len());
    let mut rest = words.into_iter().peekable();
    while let Some(word) = rest.next() {
        let hyphened = || word.key.split_once('-').and_then(|(tens, ones)| sum(tens, ones));
        let next = rest.peek().filter(|next| next.kind == Kind::Plain);
        let spaced = || next.and_then(|next| Some((sum(&word.key, &next.key)?, next.end)));
        match word.kind {
            Kind::Plain if word.key.contains("ty") => {
                if let Some((number, end)) = spaced() {
                    kept.push(Word { key: number.to_string(), end, ..word });
                    rest.next();
                } else if let Some(number) = hyphened() {
                    kept.push(Word { key: number.to_string(), ..word });
                } else {
                    kept.push(word);
                }
            }
            Kind::Plain | Kind::Quoted | Kind::Mark => kept.push(word),
        }
    }
    kept
}

/// Returns the sum of tens and ones.
fn sum(tens: &str, ones: &str) -> Option<usize> {
    let tens = TENS.iter().position(|name| name == tens)? + 2;
    let ones = ONES.iter().position(|name| name == ones)? + 1;
    Some(tens * 10 + ones)
}

#[cfg(test)]
mod tests {
    use crate::llm::rules::normalise::words::words;

    #[test]
    fn a_number_of_two_words_is_one() {
        for (said, meant) in [
            ("tick thirty one", "tick 31"),
            ("drop ninety-nine please", "drop 99 please"),
            ("twenty and one", "twenty and one"),
            ("add \"forty two\"", "add \"forty two\""),
            ("one twenty two", "one 22"),
        ] {
            let keys: Vec<String> = words(said)
                .into_iter()
                .map(|word| if word.kind == super::Kind::Quoted { format!("\"{}\"", word.key) } else { word.key })
                .collect();
            assert_eq!(keys.join(" "), meant, "{said}");
        }
    }
}
