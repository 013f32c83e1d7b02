//! Tokenisation of texts for search: words without endings and stop words.

use std::collections::BTreeMap;

use crate::domain::comparison::composed;

/// Stop words.
const EMPTY: &str = "a about after all also always am an and any are as at be been before but by can could did do does \
    doing don for from get give go goes going got had has have he her here hers him his how i if in into is it its just \
    let like ll make me mine my no not now of on one or our ours out own please s she should so some t tell than that \
    the their them then there these they this those to too up us use used usually ve very was we were what when where \
    which who whom whose why will with would you your yours";

/// A word in lower case without its ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub stem: String,
    /// True for a stop word.
    pub empty: bool,
}

/// Returns the words in order. Punctuation separates words; an apostrophe begins an ending.
pub fn words(text: &str) -> Vec<Word> {
    let lower = composed(text).to_lowercase().replace('’', "'");
    let parts = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').map(|part| part.trim_matches('\''));
    let whole = parts.map(|part| part.split('\'').next().unwrap_or_default()).filter(|part| !part.is_empty());
    whole.map(|word| Word { stem: stem(&plain(word)), empty: EMPTY.split_whitespace().any(|it| it == word) }).collect()
}

/// Returns the counts of the words by stem hash, sorted, without stop words.
pub fn terms(text: &str) -> Vec<(u32, u32)> {
    let mut counts = BTreeMap::new();
    for word in words(text).iter().filter(|word| !word.empty) {
        *counts.entry(hash(word.stem.as_bytes(), 0)).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

/// Returns the 32-bit FNV-1a hash, starting at `seed`. Must never change, since its values are stored.
pub fn hash(bytes: &[u8], seed: u32) -> u32 {
    bytes.iter().fold(0x811c_9dc5 ^ seed, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// Returns the Latin letters without diacritics.
fn plain(word: &str) -> String {
    let letter = |c: char| match c {
        'à'..='å' => 'a',
        'ç' | 'č' | 'ć' => 'c',
        'è'..='ë' | 'ę' | 'ě' => 'e',
        'ì'..='ï' => 'i',
        'ñ' | 'ń' => 'n',
        'ò'..='ö' | 'ø' => 'o',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        'š' | 'ś' => 's',
        'ž' | 'ż' | 'ź' => 'z',
        'ł' => 'l',
        other => other,
    };
    word.chars().map(letter).collect()
}

/// Strips English endings: plurals, -ed, -ing, -er, -ly. Deliberately light: merging two words is worse than separating
/// one, since n-grams are compared as well.
fn stem(word: &str) -> String {
    let mut stem = word.to_owned();
    if let Some(start) = stem.strip_suffix("ies").filter(|start| start.len() > 2) {
        stem = format!("{start}y");
    } else if !["ss", "us", "is"].iter().any(|end| stem.ends_with(end)) && stem.len() > 3 {
        stem = stem.strip_suffix('s').unwrap_or(&stem).to_owned();
    }
    for end in ["ing", "ed", "er", "ly"] {
        let Some(start) = stem.strip_suffix(end) else { continue };
        if start.len() > 2 && start.contains(['a', 'e', 'i', 'o', 'u', 'y']) {
            stem = undoubled(start).to_owned();
            break;
        }
    }
    // "bake", "baked" and "baking" share a stem.
    if stem.len() > 3 { stem.strip_suffix('e').unwrap_or(&stem).to_owned() } else { stem }
}

/// Removes the second of two equal final consonants, as in "swimm" and "runn".
fn undoubled(start: &str) -> &str {
    let bytes = start.as_bytes();
    let twice =
        bytes.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2] && bytes[bytes.len() - 1].is_ascii();
    if twice && !b"aeioulsz".contains(&bytes[bytes.len() - 1]) { &start[..start.len() - 1] } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one() {
        for forms in [
            &["swim", "swims", "swimming"][..],
            &["bake", "bakes", "baked", "baking"],
            &["party", "parties"],
            &["plant", "plants", "planted", "planting"],
            &["Café", "cafe", "cafés"],
            &["Maya", "Maya's", "Maya’s"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| words(form)[0].stem.clone()).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{stems:?}");
        }
    }

    #[test]
    fn other_words_stay_apart() {
        for (one, other) in [("bus", "bu"), ("glass", "glas"), ("sing", "s"), ("red", "r"), ("her", "h"), ("7", "12")] {
            assert_ne!(words(one)[0].stem, words(other)[0].stem);
        }
    }

    #[test]
    fn what_every_sentence_has_is_no_term() {
        assert_eq!(terms("What is it that I have?"), []);
        assert_eq!(terms("the cat and the Cats").iter().map(|term| term.1).collect::<Vec<_>>(), [2]);
    }
}
