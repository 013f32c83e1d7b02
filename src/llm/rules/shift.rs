//! A due date moved by some days: "postpone 5 by a day", "bring the rent forward by one week".

use jiff::{Span, ToSpan};

use super::set::{Set, set};
use super::words::Word;
use crate::domain::task::Due;
use crate::domain::time::{CivilDate, Timestamp};

/// By how much a due date moves; back is negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift {
    count: i64,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Hour,
    Day,
    Week,
    Month,
}

/// The most of a unit that is moved by.
const MOST: i64 = 366;

/// "a day", "two weeks", "3 hours"; `None` for anything else.
pub(super) fn amount(stretch: &[Word]) -> Option<Shift> {
    const FILLS: Set = set("more|extra|further|whole|full|full-on|about|around|only|just");
    let fills = |word: &&Word| word.is_mark() || FILLS.has(&word.key);
    let keys: Vec<&str> = stretch.iter().filter(|word| !fills(word)).map(|word| word.key.as_str()).collect();
    let (count, unit) = match keys.as_slice() {
        ["a" | "an" | "another" | "one" | "1", unit] => (1, *unit),
        ["a", "couple", "of", unit] | ["a", "couple", unit] => (2, *unit),
        [count, unit] => (super::target::number(count, true)?, *unit),
        _ => return None,
    };
    let unit = match unit {
        "hour" | "hours" => Unit::Hour,
        "day" | "days" => Unit::Day,
        "week" | "weeks" => Unit::Week,
        "fortnight" => return Some(Shift { count: count * 2, unit: Unit::Week }),
        "month" | "months" => Unit::Month,
        _ => return None,
    };
    (count <= MOST).then_some(Shift { count, unit })
}

/// Whether the words around an amount say that something comes earlier; `None` where they do not tell.
pub(super) fn earlier(clause: &[Word]) -> Option<bool> {
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
        // "the fair comes forward by a day", said of it.
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

    /// The due date that one becomes; `None` where it cannot be moved so.
    pub fn of(self, due: &str, zone: &str) -> Option<String> {
        let span: Span = match self.unit {
            Unit::Hour => self.count.hours(),
            Unit::Day => self.count.days(),
            Unit::Week => self.count.weeks(),
            Unit::Month => self.count.months(),
        };
        if let Some(day) = CivilDate::parse(due).ok().filter(|_| !due.contains('T')) {
            let moved = day.to_jiff().checked_add(span).ok().filter(|_| self.unit != Unit::Hour)?;
            return Some(moved.to_string());
        }
        let at = Timestamp::parse(due).ok()?.to_jiff().in_tz(zone).ok()?.checked_add(span).ok()?;
        Some(Due::at(at.timestamp().into(), zone)?.as_str().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

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
        // Across the change of clocks it stays five.
        let five = amount(&words("a day")).expect("an amount").of("2026-03-28T17:00:00+00:00", "Europe/London");
        assert_eq!(five.expect("moved"), "2026-03-29T17:00:00+01:00");
        assert_eq!(amount(&words("friday")), None);
    }
}
