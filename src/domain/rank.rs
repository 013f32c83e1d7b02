//! Order of tasks within a day.
//!
//! Lists sort by day, then by rank. A task's natural rank consists of its day, time, priority and number. A task moved by hand
//! has a rank between those of its neighbours. Ranks are digits that sort as text and read as decimal fractions. There is always
//! room for another one, so no other task must change. Overdue tasks form one group before all days, sorted by rank regardless of
//! the day.

use serde::{Deserialize, Serialize};

use super::task::Due;
#[cfg(feature = "ssr")]
use super::task::{Priority, Task};
use super::time::{CivilDate, Timestamp};

/// Sort order of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Order {
    /// By number.
    #[default]
    Number,
    /// Open tasks: overdue ones by [`Rank`], then all others by day and [`Rank`].
    Day(Overdue),
    /// By time of completion or deletion, newest first.
    Rested,
    /// Overdue tasks first, then by priority, then by day. Has no cursors.
    Urgency(Overdue),
}

/// The limit between overdue and upcoming tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overdue {
    /// The current day in the owner's zone.
    pub today: CivilDate,
    /// The current time.
    pub now: Timestamp,
}

impl Overdue {
    /// Returns true if a due date is overdue: a date after its day is over, a time once it has passed.
    pub fn holds(&self, due: &Due) -> bool {
        match due {
            Due::Date(date) => *date < self.today,
            Due::At { at, .. } => *at < self.now,
        }
    }
}

#[cfg(feature = "ssr")]
impl Overdue {
    /// Returns two prefixes of ranks: upcoming tasks rank at or above the first, overdue ones below the second. Allows for any
    /// zone of the owner and of due times, which is at most a day from UTC.
    pub fn bounds(&self) -> (String, String) {
        use jiff::ToSpan as _;
        let utc = self.now.to_jiff().to_zoned(jiff::tz::TimeZone::UTC).date();
        (digits(&utc.saturating_sub(1.day()).to_string()), digits(&utc.saturating_add(2.days()).to_string()))
    }
}

/// A position among the tasks of a day, or among overdue ones: digits that sort as text. Manual ranks are longer than natural
/// ones, do not end with 0 and are unique.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Rank(String);

#[cfg(feature = "ssr")]
impl Rank {
    /// Digits of a natural rank: day, time, priority and number.
    const NATURAL: usize = 8 + 4 + 1 + 12;
    /// The day of tasks without one, which sorts last.
    const NO_DAY: &'static str = "99999999";

    /// Creates a rank from its stored text.
    pub fn from_stored(text: String) -> Option<Self> {
        text.bytes().all(|byte| byte.is_ascii_digit()).then_some(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the rank among overdue tasks: manual, or else natural.
    pub fn of(task: &Task) -> Self {
        task.rank.clone().unwrap_or_else(|| Self::natural(task.due.as_deref(), task.priority, task.task_id.0))
    }

    /// Returns the rank within the task's day.
    pub fn in_day(task: &Task) -> Self {
        Self::placed(task.rank.clone(), task.due.as_deref(), task.priority, task.task_id.0)
    }

    /// Returns the rank within the task's day. Ignores a manual rank from another day, which was set among overdue tasks: the
    /// task may stop being overdue when its owner travels west.
    pub fn placed(rank: Option<Self>, due: Option<&str>, priority: Priority, number: i64) -> Self {
        let day = Self::day(due);
        rank.filter(|rank| rank.0.starts_with(&day)).unwrap_or_else(|| Self::natural(due, priority, number))
    }

    /// Returns the natural rank for `due` in wire form. Tasks without a time come first, then by time, priority and number.
    pub fn natural(due: Option<&str>, priority: Priority, number: i64) -> Self {
        let time = due.and_then(|due| due.get(11..16)).map(digits).unwrap_or_else(|| "0000".to_owned());
        let priority = Priority::High.rank() - priority.rank();
        Self(format!("{}{time}{priority}{number:012}", Self::day(due)))
    }

    /// Returns a rank below all of the same day.
    pub fn start_of_day(&self) -> Self {
        Self(self.days().to_owned())
    }

    /// Returns a rank of the same day above this one and above all natural ranks.
    pub fn end_of_day(&self) -> Self {
        Self(format!("{}{}", self.days(), "9".repeat(self.0.len() + 1 - self.days().len())))
    }

    fn days(&self) -> &str {
        self.0.get(..8).unwrap_or(&self.0)
    }

    fn day(due: Option<&str>) -> String {
        due.and_then(|due| due.get(..10)).map(digits).unwrap_or_else(|| Self::NO_DAY.to_owned())
    }

    /// Returns a rank between the two, unique for that task number. `None` unless `low` is below `high`.
    pub fn between(low: &Self, high: &Self, number: i64) -> Option<Self> {
        if low >= high {
            return None;
        }
        let digit = |text: &str, at: usize| text.as_bytes().get(at).map_or(0, |byte| byte - b'0');
        let (mut found, mut open) = (String::new(), false);
        // Two more digits than the longer rank always suffice.
        for at in 0..low.0.len().max(high.0.len()) + 2 {
            let (a, b) = (digit(&low.0, at), if open { 10 } else { digit(&high.0, at) });
            if b > a + 1 {
                found.push(char::from(b'0' + (a + b) / 2));
                // The number keeps the rank unique, also in a group that the task joins later.
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
        // Always into the same gap: from below, from above and alternating.
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
    fn rank_between_bounds_of_a_day_always_exists_in_order() {
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
        // A rank between two days may approach the second, and the first still has room.
        let (mut late, next) = (natural(1), Rank::natural(Some("2026-03-14"), Priority::None, 2));
        for _ in 0..50 {
            late = Rank::between(&late, &next, 1).unwrap();
            assert!(late < late.end_of_day(), "{late:?}");
        }
        // A shorter rank must not equal a natural rank that ends with 0.
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
    fn rank_from_another_day_is_replaced_by_the_natural_rank() {
        let placed = |rank: &Rank| Rank::placed(Some(rank.clone()), Some("2026-03-13"), Priority::None, 3);
        let own = Rank::between(&natural(1), &natural(2), 3).unwrap();
        assert_eq!(placed(&own), own);
        let others = Rank::natural(Some("2026-03-12"), Priority::None, 9);
        assert_eq!(placed(&Rank::between(&others, &others.end_of_day(), 3).unwrap()), natural(3));
    }

    #[test]
    fn overdue_starts_after_a_due_date_or_due_time() {
        let day = |text: &str| CivilDate::parse(text).unwrap();
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let line = Overdue { today: day("2026-03-13"), now: at("2026-03-12T12:30:00Z") };
        assert!(line.holds(&Due::Date(day("2026-03-12"))) && !line.holds(&Due::Date(day("2026-03-13"))));
        let timed = |text: &str| Due::at(at(text), "Pacific/Auckland").unwrap();
        assert!(line.holds(&timed("2026-03-12T12:29:59Z")) && !line.holds(&timed("2026-03-12T12:30:00Z")));
        assert_eq!(line.bounds(), ("20260311".to_owned(), "20260314".to_owned()));
    }
}
