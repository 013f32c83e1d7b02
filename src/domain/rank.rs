//! Where a task stands among those of its day.
//!
//! A list has one order: by day, and within a day by rank. A task that nobody moved has a natural rank, made of its day, its
//! time, its priority and its number; one that was moved by hand keeps a rank between those of its neighbours. Ranks are digits
//! that sort as text and are read as decimal fractions, so that there is always room for one more and no other task must change.

use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use super::task::{Priority, Task};

/// What a list is sorted by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// The number.
    #[default]
    Number,
    /// The day, and within it [`Rank`].
    Day,
    /// When they were completed or binned, newest first.
    Rested,
}

/// A place among the tasks of a day: digits that sort as text. One that was given by hand is longer than natural ones, and does
/// not end with 0.
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

    /// Where the task stands: by hand, or else by nature.
    pub fn of(task: &Task) -> Self {
        task.rank.clone().unwrap_or_else(|| Self::natural(task.due.as_deref(), task.priority, task.task_id.0))
    }

    /// `due` is the wire form. Tasks without a time come first, then by time; then by priority, then by number.
    pub fn natural(due: Option<&str>, priority: Priority, number: i64) -> Self {
        let time = due.and_then(|due| due.get(11..16)).map(digits).unwrap_or_else(|| "0000".to_owned());
        let priority = Priority::High.rank() - priority.rank();
        Self(format!("{}{time}{priority}{number:012}", Self::day(due)))
    }

    /// The lowest rank on the day of `due`.
    pub fn first_of(due: Option<&str>) -> Self {
        Self(Self::day(due))
    }

    /// A rank above all natural ones of that day.
    pub fn last_of(due: Option<&str>) -> Self {
        Self(Self::day(due) + "9999")
    }

    fn day(due: Option<&str>) -> String {
        due.and_then(|due| due.get(..10)).map(digits).unwrap_or_else(|| Self::NO_DAY.to_owned())
    }

    /// A rank between the two; `None` where the first is not below the second.
    pub fn between(low: &Self, high: &Self) -> Option<Self> {
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
                if found.len() <= Self::NATURAL {
                    found = format!("{found:0<width$}5", width = Self::NATURAL);
                }
                return Some(Self(found));
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
            assert!(Rank::first_of(due) < *rank && *rank < Rank::last_of(due), "{rank:?}");
        }
    }

    #[test]
    fn there_is_always_room_for_one_more() {
        // Always into the same gap, from below, from above and by turns.
        for way in 0..3 {
            let (mut low, mut high) = (natural(1), natural(2));
            for round in 0..200 {
                let between = Rank::between(&low, &high).unwrap_or_else(|| panic!("no room in {low:?} and {high:?}"));
                assert!(low < between && between < high, "{low:?} {between:?} {high:?}");
                assert!(between.0.len() > Rank::NATURAL && !between.0.ends_with('0'), "{between:?}");
                if way == 0 || (way == 2 && round % 2 == 0) { low = between } else { high = between }
            }
        }
    }

    #[test]
    fn the_ends_of_a_day_have_room_and_no_gap_leads_backwards() {
        let due = Some("2026-03-13");
        let mut last = natural(1);
        for _ in 0..50 {
            last = Rank::between(&last, &Rank::last_of(due)).unwrap();
            assert!(last.0.starts_with("20260313"), "{last:?}");
        }
        let first = Rank::between(&Rank::first_of(due), &natural(1)).unwrap();
        assert!(first < natural(1) && first.0.starts_with("20260313"), "{first:?}");
        // A natural rank that ends with 0 is no neighbour that a shorter one would equal.
        let wide = Rank::between(&natural(5), &natural(30)).unwrap();
        assert!(Rank::between(&wide.clone().min(natural(10)), &wide.max(natural(10))).is_some());
        assert_eq!(Rank::between(&natural(2), &natural(1)), None);
        assert_eq!(Rank::between(&natural(2), &natural(2)), None);
    }
}
