//! Where a task stands among those of its day.
//!
//! A list has one order: by day, and within a day by rank. A task that nobody moved has a natural rank, made of its day, its
//! time, its priority and its number; one that was moved by hand keeps a rank between those of its neighbours. Ranks are digits
//! that sort as text and are read as decimal fractions, so that there is always room for one more and no other task must change.
//! What is overdue stands before all days as one group, sorted by rank whatever the day.

use serde::{Deserialize, Serialize};

use super::task::Due;
#[cfg(feature = "ssr")]
use super::task::{Priority, Task};
use super::time::{CivilDate, Timestamp};

/// What a list is sorted by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Order {
    /// The number.
    #[default]
    Number,
    /// For open tasks: what is overdue, by [`Rank`]; then all else by day, and within it by [`Rank`].
    Day(Overdue),
    /// When they were completed or binned, newest first.
    Rested,
}

/// The line between what is overdue and what is to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overdue {
    /// The first day that is not over where the owner is.
    pub today: CivilDate,
    /// The first instant that has not passed.
    pub now: Timestamp,
}

impl Overdue {
    /// Whether a due date lies before the line: a date once its day is over, a time once it has come.
    pub fn holds(&self, due: &Due) -> bool {
        match due {
            Due::Date(date) => *date < self.today,
            Due::At { at, .. } => *at < self.now,
        }
    }
}

#[cfg(feature = "ssr")]
impl Overdue {
    /// The beginnings of two ranks: within their days, all that is to come stands from the first on, and all that is overdue before
    /// the second. The owner may be in any zone, and so may the places where times were set; none is a day away from UTC.
    pub fn bounds(&self) -> (String, String) {
        use jiff::ToSpan as _;
        let utc = self.now.to_jiff().to_zoned(jiff::tz::TimeZone::UTC).date();
        (digits(&utc.saturating_sub(1.day()).to_string()), digits(&utc.saturating_add(2.days()).to_string()))
    }
}

/// A place among the tasks of a day, or among overdue ones: digits that sort as text. One that was given by hand is longer than
/// natural ones, does not end with 0, and is no other task's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Rank(String);

#[cfg(feature = "ssr")]
impl Rank {
    /// Digits of a day, a time, a priority and a number: what every natural rank has.
    const NATURAL: usize = 8 + 4 + 1 + 12;
    /// The day of tasks that have none: behind all others.
    const NO_DAY: &'static str = "99999999";

    /// What the store keeps.
    pub fn from_stored(text: String) -> Option<Self> {
        text.bytes().all(|byte| byte.is_ascii_digit()).then_some(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where the task stands among what is overdue: by hand, or else by nature.
    pub fn of(task: &Task) -> Self {
        task.rank.clone().unwrap_or_else(|| Self::natural(task.due.as_deref(), task.priority, task.task_id.0))
    }

    /// Where the task stands within its day.
    pub fn in_day(task: &Task) -> Self {
        Self::placed(task.rank.clone(), task.due.as_deref(), task.priority, task.task_id.0)
    }

    /// The same, of its parts. A rank that was given among overdue tasks of other days says nothing about its own: there it stands
    /// by nature, should it be overdue no longer because its owner went west.
    pub fn placed(rank: Option<Self>, due: Option<&str>, priority: Priority, number: i64) -> Self {
        let day = Self::day(due);
        rank.filter(|rank| rank.0.starts_with(&day)).unwrap_or_else(|| Self::natural(due, priority, number))
    }

    /// `due` is the wire form. Tasks without a time come first, then by time; then by priority, then by number.
    pub fn natural(due: Option<&str>, priority: Priority, number: i64) -> Self {
        let time = due.and_then(|due| due.get(11..16)).map(digits).unwrap_or_else(|| "0000".to_owned());
        let priority = Priority::High.rank() - priority.rank();
        Self(format!("{}{time}{priority}{number:012}", Self::day(due)))
    }

    /// Below all ranks of its day.
    pub fn start_of_day(&self) -> Self {
        Self(self.days().to_owned())
    }

    /// A rank of its day that is above it, and above all natural ones.
    pub fn end_of_day(&self) -> Self {
        Self(format!("{}{}", self.days(), "9".repeat(self.0.len() + 1 - self.days().len())))
    }

    fn days(&self) -> &str {
        self.0.get(..8).unwrap_or(&self.0)
    }

    fn day(due: Option<&str>) -> String {
        due.and_then(|due| due.get(..10)).map(digits).unwrap_or_else(|| Self::NO_DAY.to_owned())
    }

    /// A rank between the two for the task of that number; `None` where the first is not below the second.
    pub fn between(low: &Self, high: &Self, number: i64) -> Option<Self> {
        if low >= high {
            return None;
        }
        let digit = |text: &str, at: usize| text.as_bytes().get(at).map_or(0, |byte| byte - b'0');
        let (mut found, mut open) = (String::new(), false);
        // The last digit of either and two more: then there is room.
        for at in 0..low.0.len().max(high.0.len()) + 2 {
            let (a, b) = (digit(&low.0, at), if open { 10 } else { digit(&high.0, at) });
            if b > a + 1 {
                found.push(char::from(b'0' + (a + b) / 2));
                // The number makes it unlike any other task's, also of a group that this one comes into later.
                return Some(Self(format!("{found:0<width$}{number:012}5", width = Self::NATURAL)));
            }
            found.push(char::from(b'0' + a));
            open |= b == a + 1;
        }
        None
    }
}

#[cfg(feature = "ssr")]
fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn natural(number: i64) -> Rank {
        Rank::natural(Some("2026-03-13"), Priority::None, number)
    }

    #[test]
    fn nature_sorts_by_day_time_priority_and_number() {
        let order = [
            (Some("2026-03-13"), Priority::High, 9),
            (Some("2026-03-13"), Priority::None, 3),
            (Some("2026-03-13"), Priority::None, 10),
            (Some("2026-03-13T09:00:00+01:00"), Priority::None, 2),
            (Some("2026-03-13T17:00:00+01:00"), Priority::High, 1),
            (Some("2026-03-14"), Priority::High, 4),
            (None, Priority::High, 8),
            (None, Priority::Low, 5),
        ];
        let ranks = order.map(|(due, priority, number)| Rank::natural(due, priority, number));
        assert!(ranks.is_sorted(), "{ranks:?}");
        for (rank, (due, ..)) in ranks.iter().zip(order) {
            assert!(rank.start_of_day() < *rank && *rank < rank.end_of_day(), "{rank:?}");
            assert!(ranks.iter().all(|other| other.0[..8] != rank.0[..8] || *other < rank.end_of_day()), "{rank:?}");
            assert!(rank.end_of_day().0.starts_with(&Rank::day(due)), "{rank:?}");
        }
    }

    #[test]
    fn there_is_always_room_for_one_more() {
        // Always into the same gap, from below, from above and by turns.
        for way in 0..3 {
            let (mut low, mut high) = (natural(1), natural(2));
            for round in 0..200 {
                let between = Rank::between(&low, &high, round);
                let between = between.unwrap_or_else(|| panic!("no room in {low:?} and {high:?}"));
                assert!(low < between && between < high, "{low:?} {between:?} {high:?}");
                assert!(between.0.len() > Rank::NATURAL && !between.0.ends_with('0'), "{between:?}");
                if way == 0 || (way == 2 && round % 2 == 0) { low = between } else { high = between }
            }
        }
    }

    #[test]
    fn the_ends_of_a_day_have_room_and_no_gap_leads_backwards() {
        let mut last = natural(1);
        for _ in 0..50 {
            last = Rank::between(&last, &last.end_of_day(), 1).unwrap();
            assert!(last.0.starts_with("20260313"), "{last:?}");
        }
        let mut first = natural(1);
        for _ in 0..50 {
            first = Rank::between(&first.start_of_day(), &first, 1).unwrap();
            assert!(first < natural(1) && first.0.starts_with("20260313"), "{first:?}");
        }
        // Between two days it may come nearer and nearer to the second, and the first has room for it still.
        let (mut late, next) = (natural(1), Rank::natural(Some("2026-03-14"), Priority::None, 2));
        for _ in 0..50 {
            late = Rank::between(&late, &next, 1).unwrap();
            assert!(late < late.end_of_day(), "{late:?}");
        }
        // A natural rank that ends with 0 is no neighbour that a shorter one would equal.
        let wide = Rank::between(&natural(5), &natural(30), 1).unwrap();
        assert!(Rank::between(&wide.clone().min(natural(10)), &wide.max(natural(10)), 1).is_some());
        assert_eq!(Rank::between(&natural(2), &natural(1), 1), None);
        assert_eq!(Rank::between(&natural(2), &natural(2), 1), None);
    }

    #[test]
    fn no_two_tasks_are_given_one_rank() {
        let between = |number| Rank::between(&natural(1), &natural(2), number).unwrap();
        assert_ne!(between(3), between(4));
    }

    #[test]
    fn a_rank_among_other_days_counts_among_what_is_overdue_only() {
        let placed = |rank: &Rank| Rank::placed(Some(rank.clone()), Some("2026-03-13"), Priority::None, 3);
        let own = Rank::between(&natural(1), &natural(2), 3).unwrap();
        assert_eq!(placed(&own), own);
        let others = Rank::natural(Some("2026-03-12"), Priority::None, 9);
        assert_eq!(placed(&Rank::between(&others, &others.end_of_day(), 3).unwrap()), natural(3));
    }

    #[test]
    fn a_date_is_overdue_once_it_is_over_and_a_time_once_it_has_come() {
        let day = |text: &str| CivilDate::parse(text).unwrap();
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let line = Overdue { today: day("2026-03-13"), now: at("2026-03-12T12:30:00Z") };
        assert!(line.holds(&Due::Date(day("2026-03-12"))) && !line.holds(&Due::Date(day("2026-03-13"))));
        let timed = |text: &str| Due::at(at(text), "Pacific/Auckland").unwrap();
        assert!(line.holds(&timed("2026-03-12T12:29:59Z")) && !line.holds(&timed("2026-03-12T12:30:00Z")));
        assert_eq!(line.bounds(), ("20260311".to_owned(), "20260314".to_owned()));
    }
}
