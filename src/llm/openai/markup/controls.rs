//! Removal of control characters and terminal colour sequences.

/// A streaming filter that removes control characters.
#[derive(Debug, Default)]
pub struct Controls {
    within: Within,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Within {
    #[default]
    Text,
    /// After an escape character.
    Escape,
    /// In a sequence that ends with a letter.
    Sequence,
}

impl Controls {
    /// Returns the piece without control characters.
    pub fn feed(&mut self, piece: &str) -> String {
        piece.chars().filter(|sign| self.shows(*sign)).collect()
    }

    fn shows(&mut self, sign: char) -> bool {
        self.within = match (self.within, sign) {
            (_, '\u{1b}') => Within::Escape,
            (Within::Escape, '[') => Within::Sequence,
            (Within::Sequence, ' '..='?') => return false,
            (Within::Sequence, _) => {
                self.within = Within::Text;
                return false;
            }
            (Within::Escape | Within::Text, _) => {
                self.within = Within::Text;
                return !sign.is_control() || matches!(sign, '\n' | '\r' | '\t');
            }
        };
        false
    }
}

pub fn without_controls(text: &str) -> String {
    Controls::default().feed(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_taken_out_however_they_are_cut() {
        let text = "a\0b\u{7}c\u{1b}[31mred\u{1b}[0m\td\n\u{85}é\u{9b}";
        for size in 1..6 {
            let mut controls = Controls::default();
            let signs: Vec<char> = text.chars().collect();
            let shown: String = signs.chunks(size).map(|it| controls.feed(&it.iter().collect::<String>())).collect();
            assert_eq!(shown, "abcred\td\né");
        }
    }
}
