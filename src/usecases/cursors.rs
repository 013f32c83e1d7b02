//! Cursors of lists: where a page ended, as text that clients give back as it is.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::rank::{Order, Rank};
use crate::domain::time::Timestamp;
use crate::store::places::{Key, Place};

/// The cursor of what follows that place.
pub(super) fn after(place: &Place) -> String {
    let key = match &place.key {
        Key::Number => String::new(),
        Key::Day { at, overdue, rank } => format!("{at} {} {}", u8::from(*overdue), rank.as_str()),
        Key::Rested(at) => at.to_string(),
    };
    BASE64_URL_SAFE_NO_PAD.encode(format!("{} {key}", place.number))
}

/// The place that a cursor of a list in this order means.
pub(super) fn place(cursor: &str, order: &Order) -> Result<Place, Invalid> {
    let read = || {
        let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
        let (number, key) = text.split_once(' ')?;
        let key = match order {
            Order::Number => key.is_empty().then_some(Key::Number)?,
            Order::Day(_) => day(key)?,
            Order::Rested => Key::Rested(Timestamp::parse(key).ok()?),
        };
        Some(Place { key, number: TaskNumber::parse(number).ok()? })
    };
    read().ok_or_else(|| Invalid::because("That is not a cursor of this list; start again without one."))
}

fn day(key: &str) -> Option<Key> {
    let mut parts = key.splitn(3, ' ');
    let at = Timestamp::parse(parts.next()?).ok()?;
    let overdue = match parts.next()? {
        "0" => false,
        "1" => true,
        _ => return None,
    };
    let rank = Rank::from_stored(parts.next().filter(|rank| !rank.is_empty())?.to_owned())?;
    Some(Key::Day { at, overdue, rank })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::when;

    #[test]
    fn a_cursor_leads_back_to_its_place_and_no_other_text_does() {
        let at = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        let order = Order::Day(when::overdue(&at, "UTC"));
        let rank = Rank::from_stored("20260311".to_owned()).unwrap();
        let key = |overdue| Key::Day { at: at.clone(), overdue, rank: rank.clone() };
        for (key, order) in [
            (Key::Number, Order::Number),
            (key(true), order.clone()),
            (key(false), order.clone()),
            (Key::Rested(at.clone()), Order::Rested),
        ] {
            let stood = Place { key, number: TaskNumber(7) };
            assert_eq!(place(&after(&stood), &order).unwrap(), stood);
        }
        for text in
            ["7", "7 20260311", "7 2026-03-11T09:30:00Z 0 ", "7 2026-03-11T09:30:00Z 2 1", "x 2026-03-11T09:30:00Z 0 1"]
        {
            assert!(place(&BASE64_URL_SAFE_NO_PAD.encode(text), &order).is_err(), "{text}");
        }
    }
}
