//! Opaque cursors of task lists.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::rank::{Order, Rank};
use crate::domain::time::Timestamp;
use crate::store::task_order::{Cursor, SortKey};

/// Encodes a cursor for the tasks after that place.
pub(super) fn after(place: &Cursor) -> String {
    let key = match &place.key {
        SortKey::Number => String::new(),
        SortKey::Day { at, overdue, rank } => format!("{at} {} {}", u8::from(*overdue), rank.as_str()),
        SortKey::Rested(at) => at.to_string(),
    };
    BASE64_URL_SAFE_NO_PAD.encode(format!("{} {key}", place.number))
}

/// Decodes a cursor of a list in this order.
pub(super) fn place(cursor: &str, order: &Order) -> Result<Cursor, Invalid> {
    let read = || {
        let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
        let (number, key) = text.split_once(' ')?;
        let key = match order {
            Order::Number => key.is_empty().then_some(SortKey::Number)?,
            Order::Day(_) => day(key)?,
            Order::Rested => SortKey::Rested(Timestamp::parse(key).ok()?),
            Order::Urgency(_) => return None,
        };
        Some(Cursor { key, number: TaskNumber::parse(number).ok()? })
    };
    read().ok_or_else(|| Invalid::because("This cursor is not valid for this list. Start again without one."))
}

fn day(key: &str) -> Option<SortKey> {
    let mut parts = key.splitn(3, ' ');
    let at = Timestamp::parse(parts.next()?).ok()?;
    let overdue = match parts.next()? {
        "0" => false,
        "1" => true,
        _ => return None,
    };
    let rank = Rank::from_stored(parts.next().filter(|rank| !rank.is_empty())?.to_owned())?;
    Some(SortKey::Day { at, overdue, rank })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::when;

    #[test]
    fn cursor_round_trips_and_invalid_text_is_rejected() {
        let at = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        let order = Order::Day(when::overdue(&at, "UTC"));
        let rank = Rank::from_stored("20260311".to_owned()).unwrap();
        let key = |overdue| SortKey::Day { at: at.clone(), overdue, rank: rank.clone() };
        for (key, order) in [
            (SortKey::Number, Order::Number),
            (key(true), order.clone()),
            (key(false), order.clone()),
            (SortKey::Rested(at.clone()), Order::Rested),
        ] {
            let stood = Cursor { key, number: TaskNumber(7) };
            assert_eq!(place(&after(&stood), &order).unwrap(), stood);
        }
        for text in
            ["7", "7 20260311", "7 2026-03-11T09:30:00Z 0 ", "7 2026-03-11T09:30:00Z 2 1", "x 2026-03-11T09:30:00Z 0 1"]
        {
            assert!(place(&BASE64_URL_SAFE_NO_PAD.encode(text), &order).is_err(), "{text}");
        }
    }
}
