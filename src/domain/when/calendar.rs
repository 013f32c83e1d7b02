//! Dates of the calendar: "27 jan", "March 3 2027", "10/Aug/2027", "the 5th", "third Wednesday of next month",
//! holidays.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::numbers::{cardinal, month_at, ordinal, weekday};
use super::span::plus_days;
use super::tokens::Words;

/// A date if the calendar has it.
pub(super) fn make(year: i16, month: i8, day: i8) -> Option<Date> {
    Date::new(year, month, day).ok()
}

/// The next date with this month and day, today included; 29 February waits for a leap year.
pub(super) fn upcoming(today: Date, month: i8, day: i64) -> Option<Date> {
    let day = i8::try_from(day).ok()?;
    (today.year()..today.year().saturating_add(9)).filter_map(|year| make(year, month, day)).find(|date| *date >= today)
}

/// Reads a date at an index, given today; answers with the index after it.
pub(super) type Reader = fn(Words, usize, Date) -> Option<(usize, Date)>;

/// The longest calendar date at `i`.
pub(super) fn date(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let readers: [Reader; 5] = [iso, numeric, day_month, nth_weekday, day_of_month];
    readers.into_iter().filter_map(|read| read(words, i, today)).max_by_key(|(end, _)| *end)
}

/// A four-digit year at `i`, perhaps after a comma.
fn year(words: Words, i: usize) -> Option<(usize, i16)> {
    let at = words.skip(i, &[", of", ",", "of", "in"]);
    let token = words.0.get(at)?;
    let number = token.digits().filter(|n| token.text.len() == 4 && (1900..=2200).contains(n))?;
    let clock = words.at(at + 1) == ":" && words.glued(at + 1);
    (!clock).then_some((at + 1, i16::try_from(number).ok()?))
}

/// 2026-03-11.
fn iso(words: Words, i: usize, _: Date) -> Option<(usize, Date)> {
    let dashed = words.at(i + 1) == words.at(i + 3)
        && matches!(words.at(i + 1), "-" | "/" | ".")
        && (1..=4).all(|n| words.glued(i + n));
    let (_, year) = year(words, i).filter(|(end, _)| *end == i + 1 && dashed)?;
    let (month, day) = (words.0.get(i + 2)?.digits()?, words.0.get(i + 4)?.digits()?);
    Some((i + 5, make(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?)?))
}

/// 25/12/2026, 10/Aug/2027, 09-JAN-2028; never 3/4/2026, which is read differently in different countries.
fn numeric(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let first = words.0.get(i)?.digits()?;
    let mark = words.at(i + 1);
    if !matches!(mark, "/" | "-" | ".") || !words.glued(i + 1) || !words.glued(i + 2) {
        return None;
    }
    let yearly = words.at(i + 3) == mark && words.glued(i + 3);
    let year = words.0.get(i + 4).filter(|_| yearly).and_then(|token| token.digits());
    let named = month_at(words, i + 2).map(|(_, month)| month);
    let (month, day) = match (named, words.0.get(i + 2)?.digits()) {
        (Some(month), _) => (month, first),
        (None, Some(second)) if second > 12 && first <= 12 && mark != "." => (i8::try_from(first).ok()?, second),
        (None, Some(second)) if first > 12 && second <= 12 => (i8::try_from(second).ok()?, first),
        (None, Some(second)) if first == second => (i8::try_from(second).ok()?, first),
        _ => return None,
    };
    match year {
        Some(year) => {
            let year = if year < 100 { year + 2000 } else { year };
            Some((i + 5, make(i16::try_from(year).ok()?, month, i8::try_from(day).ok()?)?))
        }
        None if mark == "/" || named.is_some() => Some((i + 3, upcoming(today, month, day)?)),
        None => None,
    }
}

/// "27 jan", "the third of march", "March 3", "Dec. 21st, 2026", "in march".
fn day_month(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let at = words.skip(i, &["the"]);
    if let Some((end, day)) = ordinal(words, at).or_else(|| cardinal(words, at)) {
        let of = words.skip(end, &["day of", "of"]);
        let (end, month) = month_at(words, of)?;
        return dated(words, end, today, month, day);
    }
    let (end, month) = month_at(words, i)?;
    let the = words.skip(end, &["the"]);
    if let Some((end, day)) = ordinal(words, the).or_else(|| cardinal(words, the)).filter(|(_, day)| *day <= 31) {
        let clock = matches!(words.at(end), ":" | "am" | "pm") && the == end - 1;
        if !clock {
            return dated(words, end, today, month, day);
        }
    }
    if let Some((end, year)) = year(words, end) {
        return Some((end, make(year, month, 1)?));
    }
    None
}

fn dated(words: Words, end: usize, today: Date, month: i8, day: i64) -> Option<(usize, Date)> {
    match year(words, end) {
        Some((end, year)) => Some((end, make(year, month, i8::try_from(day).ok()?)?)),
        None => {
            let end = words.skip(end, &["this year"]);
            Some((end, upcoming(today, month, day)?))
        }
    }
}

/// "the 27th", "the 5th of next month": with its "the" or ordinal ending.
fn day_of_month(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let at = words.skip(i, &["the"]);
    let (end, day) = ordinal(words, at).filter(|(_, day)| (1..=31).contains(day))?;
    let spelled = words.0[at].digits().is_none();
    let day = i8::try_from(day).ok()?;
    for (phrase, n) in
        [("of next month", 1), ("next month", 1), ("of this month", 0), ("of the month", 0), ("this month", 0)]
    {
        if let Some(end) = words.phrase(end, phrase) {
            let first = today.first_of_month().saturating_add(i32::from(n == 1).months());
            let date = make(first.year(), first.month(), day)?;
            return Some((end, if date < today { date.saturating_add(1.month()) } else { date }));
        }
    }
    // "The second" is a place in a list, or a moment.
    let led = i > 0 && at > i && ["on", "by", "before", "until", "till", "from"].contains(&words.at(i - 1));
    let alone =
        words.0.get(end).is_none_or(|next| !next.is_word()) || ["at", "to", "and", "please"].contains(&words.at(end));
    if spelled && (day < 11 && !(led && alone) || at == i) {
        return None;
    }
    let mut first = today.first_of_month();
    for _ in 0..14 {
        if let Some(date) = make(first.year(), first.month(), day).filter(|date| *date >= today) {
            return Some((end, date));
        }
        first = first.saturating_add(1.month());
    }
    None
}

/// "third Wednesday of next month", "last sunday of march 2028".
fn nth_weekday(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let at = words.skip(i, &["the"]);
    let (end, nth) = match words.any(at, &["last"]) {
        Some(end) => (end, -1),
        None => ordinal(words, at).filter(|(_, nth)| (1..=5).contains(nth))?,
    };
    let day = weekday(words.at(end))?;
    let of = words.any(end + 1, &["of the", "of", "in"])?;
    let (end, first, _) = month_span(words, of, today)?;
    Some((end, nth_in_month(first, nth, day)?))
}

/// The n-th such weekday (-1: the last) of the month of `first`.
fn nth_in_month(first: Date, nth: i64, day: Weekday) -> Option<Date> {
    first.nth_weekday_of_month(i8::try_from(nth).ok()?, day).ok()
}

/// The first and last day of a month said at `i`: "next month", "month", "april", "march 2028".
pub(super) fn month_span(words: Words, i: usize, today: Date) -> Option<(usize, Date, Date)> {
    let of = |end: usize, first: Date| Some((end, first, first.last_of_month()));
    if let Some(end) = words.any(i, &["this month", "the month", "month"]) {
        return of(end, today.first_of_month());
    }
    if let Some(end) = words.any(i, &["next month", "the following month"]) {
        return of(end, today.first_of_month().saturating_add(1.month()));
    }
    let (end, month) = month_at(words, i)?;
    if let Some((end, year)) = year(words, end) {
        return of(end, make(year, month, 1)?);
    }
    let first = upcoming(today.first_of_month(), month, 1)?;
    of(end, first)
}

/// Days that move: by weekday, as they are kept in the United States, and those around Easter.
fn moving_holiday(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let nth: [(&[&str], i8, i8, Weekday, i64); 7] = [
        (&["thanksgiving day", "thanksgiving"], 11, 4, Weekday::Thursday, 0),
        (&["black friday"], 11, 4, Weekday::Thursday, 1),
        (&["cyber monday"], 11, 4, Weekday::Thursday, 4),
        (&["labor day", "labour day"], 9, 1, Weekday::Monday, 0),
        (&["memorial day"], 5, -1, Weekday::Monday, 0),
        (&["mother's day", "mothers day"], 5, 2, Weekday::Sunday, 0),
        (&["father's day", "fathers day"], 6, 3, Weekday::Sunday, 0),
    ];
    let years = || today.year()..=today.year().saturating_add(1);
    for (names, month, n, weekday, after) in nth {
        if let Some(end) = words.any(i, names) {
            let date = |year| Some(plus_days(make(year, month, 1)?.nth_weekday_of_month(n, weekday).ok()?, after));
            return Some((end, years().filter_map(date).find(|date| *date >= today)?));
        }
    }
    let around: [(&[&str], i64); 4] = [
        (&["good friday"], -2),
        (&["easter monday"], 1),
        (&["easter sunday", "easter day", "easter"], 0),
        (&["pancake day", "shrove tuesday"], -47),
    ];
    around.iter().find_map(|(names, days)| {
        let end = words.any(i, names)?;
        Some((end, years().filter_map(|year| Some(plus_days(easter(year)?, *days))).find(|date| *date >= today)?))
    })
}

/// Easter Sunday of the Gregorian calendar (the anonymous algorithm of 1876).
fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let sum = h + l - 7 * m + 114;
    make(year, i8::try_from(sum / 31).ok()?, i8::try_from(sum % 31 + 1).ok()?)
}

/// Days that carry the same date every year.
pub(super) fn holiday(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let days: [(&[&str], i8, i8); 9] = [
        (&["christmas eve", "xmas eve"], 12, 24),
        (&["christmas day", "xmas day", "christmas", "xmas"], 12, 25),
        (&["boxing day"], 12, 26),
        (&["new year's eve", "new years eve", "nye"], 12, 31),
        (&["new year's day", "new years day", "new year's"], 1, 1),
        (&["valentine's day", "valentines day", "valentine's"], 2, 14),
        (&["st patrick's day", "saint patrick's day"], 3, 17),
        (&["halloween", "hallowe'en"], 10, 31),
        (&["guy fawkes night", "bonfire night"], 11, 5),
    ];
    let fixed = days.iter().find_map(|(names, month, day)| {
        let end = words.any(i, names)?;
        Some((end, upcoming(today, *month, i64::from(*day))?))
    });
    fixed.or_else(|| moving_holiday(words, i, today))
}
