//! Shifts of a due date: "postpone 5 by a day", "bring the rent forward by one week".

use jiff::{Span, ToSpan};

use crate::domain::task::Due;
use crate::domain::time::{CivilDate, Timestamp};
use crate::llm::rules::lex::numbers::number;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Word;

/// The amount of a shift; negative for earlier dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::llm::rules) struct Shift {
    count: i64,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Month,
}

/// Maximum count of a unit.
const MOST: i64 = 366;

/// Parses "a day", "two weeks" or "3 hours"; `None` for anything else.
pub(in crate::llm::rules) fn amount(stretch: &[Word]) -> Option<Shift> {
    const FILLS: Set = set("more|extra|further|whole|full|full-on|about|around|only|just");
    let fills = |word: &&Word| word.is_mark() || FILLS.has(&word.key);
    let keys: Vec<&str> = stretch.iter().filter(|word| !fills(word)).map(|word| word.key.as_str()).collect();
    let (count, unit) = match keys.as_slice() {
        ["a" | "an" | "another" | "one" | "1", unit] => (1, *unit),
        ["a", "couple", "of", unit] | ["a", "couple", unit] => (2, *unit),
        [count, unit] => (number(count, true)?, *unit),
        _ => return None,
    };
    let unit = match unit {
        "min" | "mins" | "minute" | "minutes" => Unit::Minute,
        "hour" | "hours" => Unit::Hour,
        "day" | "days" => Unit::Day,
        "week" | "weeks" => Unit::Week,
        "fortnight" => return Some(Shift { count: count * 2, unit: Unit::Week }),
        "month" | "months" => Unit::Month,
        _ => return None,
    };
    (count <= MOST).then_some(Shift { count, unit })
}

/// Returns true for an earlier date and false for a later one; `None` if the words around the amount are unclear.
pub(in crate::llm::rules) fn earlier(clause: &[Word]) -> Option<bool> {
    let has = |keys: &[&str]| clause.iter().any(|word| keys.contains(&word.key.as_str()));
    let first = clause.iter().find(|word| !word.is_mark()).map_or("", |word| word.key.as_str());
    match first {
        "postpone" | "delay" | "defer" | "snooze" | "extend" => Some(false),
        "bring" | "pull" | "advance" if has(&["forward", "in", "up", "advance"]) => Some(true),
        "push" | "put" | "move" | "bump" | "knock" | "shift" | "kick" if has(&["back", "out", "off", "later"]) => {
            Some(false)
        }
        "move" | "shift" if has(&["earlier"]) => Some(true),
        "give" => has(&["another", "more", "extra", "longer", "further"]).then_some(false),
        "push" | "put" | "move" | "bump" | "knock" | "shift" | "kick" | "bring" | "pull" | "advance" => None,
        // "the fair comes forward by a day" is a statement.
        _ if has(&["back", "off", "out", "later", "delayed", "postponed"]) => Some(false),
        _ if has(&["earlier"]) => Some(true),
        _ if has(&["forward", "up", "in"])
            && has(&["come", "coming", "brought", "bringing", "pulled", "move", "moved"]) =>
        {
            Some(true)
        }
        _ => None,
    }
}

impl Shift {
    pub fn back(self) -> Self {
        Self { count: -self.count, ..self }
    }

    /// Returns the shifted due date; `None` if it cannot be shifted.
    pub fn of(self, due: &str, zone: &str) -> Option<String> {
        let span: Span = match self.unit {
            Unit::Minute => self.count.minutes(),
            Unit::Hour => self.count.hours(),
            Unit::Day => self.count.days(),
            Unit::Week => self.count.weeks(),
            Unit::Month => self.count.months(),
        };
        if let Some(day) = CivilDate::parse(due).ok().filter(|_| !due.contains('T')) {
            let moved =
                day.to_jiff().checked_add(span).ok().filter(|_| !matches!(self.unit, Unit::Minute | Unit::Hour))?;
            return Some(moved.to_string());
        }
        let at = Timestamp::parse(due).ok()?.to_jiff().in_tz(zone).ok()?.checked_add(span).ok()?;
        Some(Due::at(at.timestamp().into(), zone)?.as_str().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::rules::normalise::words::words;

    #[test]
    fn a_due_date_moves_by_what_was_said() {
        let day = "2026-12-31";
        for (said, back, becomes) in
            [("a day", false, "2027-01-01"), ("two weeks", true, "2026-12-17"), ("1 month", false, "2027-01-31")]
        {
            let shift = amount(&words(said)).expect("an amount");
            let shift = if back { shift.back() } else { shift };
            assert_eq!(shift.of(day, "UTC").expect("moved"), becomes, "{said}");
        }
        assert_eq!(amount(&words("an hour")).expect("an amount").of(day, "UTC"), None);
        // The local time remains 17:00 across the clock change.
        let five = amount(&words("a day")).expect("an amount").of("2026-03-28T17:00:00+00:00", "Europe/London");
        assert_eq!(five.expect("moved"), "2026-03-29T17:00:00+01:00");
        assert_eq!(amount(&words("friday")), None);
    }
}
