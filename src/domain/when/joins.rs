//! Words before, between and after the pieces of a date phrase.

use super::openers::opens;
use super::tokens::{Words, lists};

/// Words that may precede pieces without a meaning of their own. After those of the second list, a bare hour may follow.
const JOINS: [&str; 2] = [
    "over|during|due on|due in|due|starting on|starting|beginning|commencing|sometime on|sometime|\
        some time on|some time|any time on|anytime on|any time|anytime|at some point on|at some point|towards|toward|c .|ca .|~|\
        at the latest|at the earliest|before the|ideally|preferably|, would you ,|, could you ,|, please ,|please|\
        , repeating|repeating|, recurring|recurring|, repeated|repeated|, repeats|repeats|on|for|,|-|in the",
    "@|due :|due =|by :|due by|due at|no later than|not later than|no earlier than|not before|by no later than|latest by|\
        on or before|on or after|starting from|starting at|at around|at about|at approximately|at roughly|\
        at exactly|just before|just after|shortly before|shortly after|right after|right before|straight after|\
        approximately|approx|roughly|circa|around|about|by|before|after|between|at|from|until|till|um|kl .|kl|a las|à|om|às|klo",
];

/// Maximum number of joins in a row, which keeps parsing linear.
const MOST_JOINS: usize = 4;

/// Words after pieces that do not change a date.
const TAILS: &str = "at the very latest|at the absolute latest|at the latest|at the earliest|at latest|latest|or before|\
        or earlier|or sooner|or so|onwards|onward|or thereabouts|if possible|if at all possible|- ish|sharp|on the dot|prompt";

/// Returns the index after words at `i` that do not change the date before them.
pub(super) fn tails(words: Words, i: usize) -> usize {
    let ish = words.at(i) == "ish" && words.glued(i);
    let at = if ish { i + 1 } else { i };
    let loose = words.skip(at, ",");
    let end = words.any(loose, TAILS).or_else(|| {
        let bracket = words.any(loose, "(")?;
        words.phrase(words.any(bracket, TAILS)?, ")")
    });
    // "friday latest report" names a report.
    let ends =
        |end: &usize| *end > loose + 1 || opens(words, *end) || words.0.get(*end).is_none_or(|next| !next.is_word());
    end.filter(|end| i > 0 && ends(end)).unwrap_or(at)
}

/// Returns the index after joining words at `i`, and true if a bare hour may follow.
pub(super) fn joins(words: Words, i: usize, inside: bool) -> (usize, bool) {
    let mut at = i;
    let mut led = false;
    for _ in 0..MOST_JOINS {
        let plain = words.any(at, JOINS[0]);
        let leading = words.any(at, JOINS[1]);
        let Some(end) = plain.max(leading) else { return (at, led) };
        if lists(", - please um kl . las à om às klo", words.at(end - 1)) && !inside {
            return (at, led);
        }
        // "come over tomorrow", "log on tomorrow", "drop by on monday": a part of the verb.
        let next = words.at(end);
        let verbal = match words.at(at) {
            "over" => !lists("the christmas xmas easter new", next),
            "on" => lists("today tomorrow tonight", next),
            "by" => next == "on",
            _ => false,
        };
        if verbal && end == at + 1 && i == at {
            return (at, led);
        }
        led |= leading == Some(end);
        at = end;
    }
    (i, false)
}
