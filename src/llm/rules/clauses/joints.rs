//! Possible boundaries between two requests: commas and conjunctions outside quotes and brackets.

use crate::domain::when::Found;
use crate::llm::rules::lex::frames::CHORES;
use crate::llm::rules::lex::set::{Set, file_set};
use crate::llm::rules::normalise::leads::keys;

/// Verbs of commands.
pub(in crate::llm::rules) const COMMANDS: Set = file_set!("sure_commands");

/// A possible boundary between two requests.
#[derive(Debug)]
pub(in crate::llm::rules) struct Joint {
    pub start: usize,
    pub end: usize,
    pub comma: bool,
    /// True for “also”, “then” and “plus”.
    pub strong: bool,
}

impl Joint {
    /// Returns true if both sides are separate requests.
    pub fn divides(&self, left: &str, right: &str, dates: &[Found]) -> bool {
        const POINTS: &[&str] = &["it", "them", "him", "her", "that", "there", "this", "those", "its"];
        let (before, after) = (keys(left), keys(right));
        let (Some(first), Some(next)) = (before.first(), after.first()) else { return false };
        if COMMANDS.has(next)
            || POINTS.contains(&next.as_str())
            || after.get(1).is_some_and(|word| POINTS.contains(&word.as_str()))
        {
            return false;
        }
        let chores = CHORES.has(first) && before.len() >= 2 && CHORES.has(next) && after.len() >= 2;
        if self.comma || self.strong {
            return chores || self.strong && self.comma_or_day(left, dates) && before.len() >= 2 && after.len() >= 2;
        }
        // “call mum and ask about the party” is one chore.
        const FOLLOWS: &[&str] = &[
            "ask", "tell", "see", "check", "go", "get", "do", "find", "dry", "give", "thank", "leave", "watch", "say",
        ];
        let refers = after.iter().any(|word| POINTS.contains(&word.as_str()));
        let moves = matches!(first.as_str(), "go" | "drive" | "run" | "stop" | "take" | "come" | "pop");
        chores && !refers && !moves && !FOLLOWS.contains(&next.as_str())
    }

    /// Returns true if a comma or a date ends the left side.
    fn comma_or_day(&self, left: &str, dates: &[Found]) -> bool {
        self.comma || !dates.is_empty() && dates.iter().any(|found| found.span.len() <= left.len())
    }
}

/// Returns every run of commas and conjunctions outside quotes and brackets.
pub(in crate::llm::rules) fn joints(text: &str) -> Vec<Joint> {
    let mut found: Vec<Joint> = vec![];
    let (mut depth, mut quoted) = (0_u32, false);
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let (start, end) = (at, at + piece.len());
        at = end;
        let word = piece.trim_end();
        let outside = depth == 0 && !quoted;
        for c in word.chars() {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                '"' | '“' | '”' => quoted = !quoted,
                _ => {}
            }
        }
        if !outside || depth > 0 || quoted {
            continue;
        }
        let strong = matches!(word.to_lowercase().as_str(), "also" | "then" | "plus");
        let joins = strong || matches!(word.to_lowercase().as_str(), "and" | "&");
        let comma = word.ends_with([',', ';']);
        if joins {
            match found.last_mut().filter(|last| last.end == start) {
                Some(last) => {
                    last.end = end;
                    last.strong |= strong;
                }
                None => found.push(Joint { start, end, comma: false, strong }),
            }
        } else if comma {
            let close = start + word.len() - 1;
            found.push(Joint { start: close, end, comma: true, strong: false });
        }
    }
    found
}
