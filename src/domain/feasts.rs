//! Holidays and their dates.

use jiff::civil::{Date, Weekday};

use super::duration::plus_days;

/// Returns Easter Sunday in the Gregorian calendar (the anonymous algorithm of 1876).
fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let sum = h + l - 7 * m + 114;
    Date::new(year, i8::try_from(sum / 31).ok()?, i8::try_from(sum % 31 + 1).ok()?).ok()
}

/// A rule for the date of a holiday.
#[derive(Clone, Copy)]
pub enum Feast {
    /// Month and day.
    Fixed(i8, i8),
    /// Month, n-th weekday, and days after it, as in the United States.
    Nth(i8, i8, Weekday, i64),
    /// Days after Easter Sunday.
    Easter(i64),
}

impl Feast {
    /// Returns its date in a year.
    pub fn of(self, year: i16) -> Option<Date> {
        match self {
            Self::Fixed(month, day) => Date::new(year, month, day).ok(),
            Self::Nth(month, n, weekday, after) => {
                Some(plus_days(Date::new(year, month, 1).ok()?.nth_weekday_of_month(n, weekday).ok()?, after))
            }
            Self::Easter(after) => Some(plus_days(easter(year)?, after)),
        }
    }
}

/// Holidays by name; longer names come first.
pub const FEASTS: [(&str, Feast); 20] = [
    ("christmas eve|xmas eve", Feast::Fixed(12, 24)),
    ("christmas day|xmas day|christmas|xmas", Feast::Fixed(12, 25)),
    ("boxing day", Feast::Fixed(12, 26)),
    ("new year's eve|new years eve|nye", Feast::Fixed(12, 31)),
    ("new year's day|new years day|new year's", Feast::Fixed(1, 1)),
    ("valentine's day|valentines day|valentine's", Feast::Fixed(2, 14)),
    ("st patrick's day|saint patrick's day", Feast::Fixed(3, 17)),
    ("halloween|hallowe'en", Feast::Fixed(10, 31)),
    ("guy fawkes night|bonfire night", Feast::Fixed(11, 5)),
    ("thanksgiving day|thanksgiving", Feast::Nth(11, 4, Weekday::Thursday, 0)),
    ("black friday", Feast::Nth(11, 4, Weekday::Thursday, 1)),
    ("cyber monday", Feast::Nth(11, 4, Weekday::Thursday, 4)),
    ("labor day|labour day", Feast::Nth(9, 1, Weekday::Monday, 0)),
    ("memorial day", Feast::Nth(5, -1, Weekday::Monday, 0)),
    ("mother's day|mothers day", Feast::Nth(5, 2, Weekday::Sunday, 0)),
    ("father's day|fathers day", Feast::Nth(6, 3, Weekday::Sunday, 0)),
    ("good friday", Feast::Easter(-2)),
    ("easter monday", Feast::Easter(1)),
    ("easter sunday|easter day|easter", Feast::Easter(0)),
    ("pancake day|shrove tuesday", Feast::Easter(-47)),
];
