//! Comparison of texts: invisible characters, and keys that are equal for different spellings. The stored text stays as typed.

#[cfg(feature = "ssr")]
use unicode_normalization::UnicodeNormalization as _;
#[cfg(feature = "ssr")]
use unicode_normalization::char::is_combining_mark;

/// Invisible characters: Unicode's `Default_Ignorable_Code_Point`, interlinear annotations and the empty braille cell.
const INVISIBLE: [(char, char); 20] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e007f}'),
    ('\u{e0080}', '\u{e00ff}'),
    ('\u{e0100}', '\u{e0fff}'),
];

fn is_invisible(c: char) -> bool {
    INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

/// Returns true if the text has no visible character.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_invisible(c))
}

/// Returns the text if it has a visible character.
#[must_use]
pub fn visible(text: &str) -> Option<&str> {
    (!is_blank(text)).then_some(text)
}

/// Returns the key for comparing names: compatibility composition (NFKC), lower case, no invisible characters.
#[cfg(feature = "ssr")]
#[must_use]
pub fn key(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let composed: String = text.chars().filter(|c| !is_invisible(*c)).nfkc().collect();
    let mut key = String::with_capacity(composed.len());
    for c in composed.to_lowercase().nfc() {
        match c {
            'ß' => key.push_str("ss"),
            'ς' => key.push('σ'),
            // Compatibility forms may expand to invisible characters.
            c if is_invisible(c) => {}
            c => key.push(c),
        }
    }
    key
}

/// Returns the text in canonical composition (NFC).
#[cfg(feature = "ssr")]
#[must_use]
pub fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// Returns the search key of a text: its [`key`] without accents.
///
/// Keeps marks that make another letter, such as those of Japanese, Devanagari or the Cyrillic й.
#[cfg(feature = "ssr")]
#[must_use]
pub fn folded(text: &str) -> String {
    let key = key(text);
    if key.is_ascii() {
        return key;
    }
    let (mut plain, mut base) = (String::with_capacity(key.len()), ' ');
    for c in key.nfd() {
        if is_combining_mark(c) {
            if !is_accent(c, base) {
                plain.push(c);
            }
            continue;
        }
        base = c;
        match letters(c) {
            Some(letters) => plain.push_str(letters),
            None => plain.push(c),
        }
    }
    plain.nfc().collect()
}

/// Returns true if the mark is an accent of that letter.
#[cfg(feature = "ssr")]
fn is_accent(mark: char, base: char) -> bool {
    match mark {
        '\u{300}'..='\u{36f}' => match base {
            // The dots of ё and stress marks are accents; й and ї are separate letters.
            '\u{400}'..='\u{52f}' => base == 'е' && mark == '\u{308}' || matches!(mark, '\u{300}' | '\u{301}'),
            'a'..='z' | '\u{c0}'..='\u{3ff}' | '\u{1e00}'..='\u{1fff}' => true,
            _ => false,
        },
        // Vowel points of Hebrew and Arabic, which most people omit.
        '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{652}' | '\u{670}' => true,
        _ => false,
    }
}

/// Returns the plain letters for a letter whose stroke or ligature does not decompose.
#[cfg(feature = "ssr")]
fn letters(c: char) -> Option<&'static str> {
    Some(match c {
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ŧ' => "t",
        'ı' => "i",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        _ => return None,
    })
}

/// Returns the text for substring search: [`folded`], followed by the accented words unchanged for searches with accents.
#[cfg(feature = "ssr")]
#[must_use]
pub fn search_text(text: &str) -> String {
    let mut searched = folded(text);
    if searched.is_ascii() && text.is_ascii() {
        return searched;
    }
    for word in key(text).split_whitespace().filter(|word| has_accents(word)) {
        searched.push('\n');
        searched.push_str(word);
    }
    searched
}

/// Returns true if the text, a [`key`], has an accent that [`folded`] would remove.
#[cfg(feature = "ssr")]
#[must_use]
pub fn has_accents(key: &str) -> bool {
    !key.is_ascii() && folded(key) != key
}

/// Returns true for a character of a word: a letter, a digit or a mark on one.
#[cfg(feature = "ssr")]
#[must_use]
pub fn is_of_word(c: char) -> bool {
    // Excludes marks on symbols, such as the box around a keycap.
    let on_sign = is_invisible(c) || ('\u{20d0}'..='\u{20ff}').contains(&c);
    c.is_alphanumeric() || !c.is_ascii() && !on_sign && is_combining_mark(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_of_one_name_have_one_key() {
        for (one, other) in [
            ("Café", "cafe\u{301}"),
            ("ÅNGSTRÖM", "a\u{30a}ngstro\u{308}m"),
            ("Straße", "STRASSE"),
            ("ΟΔΟΣ", "οδος"),
            ("ＭＩＬＫ", "milk"),
            ("ガス", "カ\u{3099}ス"),
            ("한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
            ("soft\u{ad}ware", "software"),
            ("❤\u{fe0f} mum", "❤ mum"),
            ("ﬁx it", "fix it"),
            ("buy\u{a0}milk", "buy milk"),
            ("\u{feff}plan", "plan"),
        ] {
            assert_eq!(key(one), key(other), "{one}");
        }
        for (one, other) in [("resume", "résumé"), ("мои", "мой"), ("ハ", "パ"), ("milk", "milks"), ("a b", "ab")]
        {
            assert_ne!(key(one), key(other), "{one}");
        }
    }

    #[test]
    fn a_search_disregards_accents_and_nothing_more() {
        for (text, plain) in [
            ("Crème Brûlée", "creme brulee"),
            ("Łódź", "lodz"),
            ("Ångström", "angstrom"),
            ("Smørrebrød", "smorrebrod"),
            ("İstanbul", "istanbul"),
            ("Æsop œuvre", "aesop oeuvre"),
            ("Đà Nẵng", "da nang"),
            ("ёлка", "елка"),
            ("за\u{301}мок", "замок"),
            ("άνθρωπος", "ανθρωποσ"),
            ("שָׁלוֹם", "שלום"),
            ("مُحَمَّد", "محمد"),
        ] {
            assert_eq!(folded(text), plain, "{text}");
        }
        for text in ["мой", "їжа", "パン", "हिन्दी", "한글", "ไทย"] {
            assert_eq!(folded(text), key(text), "{text}");
        }
        assert_eq!(search_text("Café au lait"), "cafe au lait\ncafé");
        assert_eq!(search_text("Milk 2%"), "milk 2%");
    }

    #[test]
    fn text_that_nobody_sees_is_blank() {
        for text in [
            "",
            " \t\n",
            "\u{200b}",
            "\u{200d}\u{200c}",
            "\u{feff}",
            "\u{2060} \u{ad}",
            "\u{3164}",
            "\u{2800}\u{2800}",
            "\u{202e}\u{202c}",
            "\u{e0041}\u{e007f}",
            "\u{a0}\u{3000}",
            "\u{fe0f}",
        ] {
            assert!(is_blank(text), "{text:?}");
        }
        for text in ["a", "\u{200b}a", "·", "❤\u{fe0f}", "ा"] {
            assert!(!is_blank(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn keys_are_their_own_keys(text in "\\PC{0,20}") {
            let key = key(&text);
            prop_assert_eq!(&super::key(&key), &key);
            let folded = folded(&text);
            prop_assert_eq!(&super::folded(&folded), &folded);
            prop_assert_eq!(&super::folded(&key), &folded);
        }

        #[test]
        fn a_text_is_found_by_each_of_its_words(text in "[a-zà-ÿ а-яё ΑΣά \u{300}-\u{308}]{1,20}") {
            let searched = search_text(&text);
            for word in key(&text).split_whitespace() {
                prop_assert!(searched.contains(word), "{:?}", word);
                prop_assert!(searched.contains(&folded(word)), "{:?}", word);
            }
        }
    }
}
