//! Calendar dates: "27 jan", "March 3 2027", "10/Aug/2027", "the 5th", "third Wednesday of next month", holidays.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::clock::clock;
use super::numbers::{cardinal, month_at, number, ordinal, weekday};
use super::tokens::{COUNTED, Words, lists};
use crate::domain::feasts::FEASTS;

/// Returns the date if it exists.
pub(super) fn make(year: i16, month: i8, day: i8) -> Option<Date> {
    Date::new(year, month, day).ok()
}

/// Returns the next date with this month and day, today included. 29 February waits for a leap year.
pub(super) fn upcoming(today: Date, month: i8, day: i64) -> Option<Date> {
    let day = i8::try_from(day).ok()?;
    (today.year()..today.year().saturating_add(9)).filter_map(|year| make(year, month, day)).find(|date| *date >= today)
}

/// Parses a date at an index, given today. Returns the index after it.
pub(super) type Reader = fn(Words, usize, Date) -> Option<(usize, Date)>;

/// Parses the longest calendar date at `i`.
pub(super) fn date(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let readers: [Reader; 5] = [iso, numeric, day_month, nth_weekday, day_of_month];
    readers.into_iter().filter_map(|read| read(words, i, today)).max_by_key(|(end, _)| *end)
}

/// Parses a four-digit year at `i`, optionally after a comma.
pub(super) fn year(words: Words, i: usize) -> Option<(usize, i16)> {
    let at = words.skip(i, ", of|,|of|in");
    let token = words.0.get(at)?;
    let number = token.digits().filter(|n| token.text.len() == 4 && (1900..=2200).contains(n))?;
    let clock = matches!(words.at(at + 1), ":" | "h") && words.glued(at + 1);
    (!clock).then_some((at + 1, i16::try_from(number).ok()?))
}

/// Parses 2026-03-11.
fn iso(words: Words, i: usize, _: Date) -> Option<(usize, Date)> {
    let dashed = words.at(i + 1) == words.at(i + 3)
        && matches!(words.at(i + 1), "-" | "/" | ".")
        && (1..=4).all(|n| words.glued(i + n));
    let (_, year) = year(words, i).filter(|(end, _)| *end == i + 1 && dashed)?;
    let (month, day) = (words.0.get(i + 2)?.digits()?, words.0.get(i + 4)?.digits()?);
    Some((i + 5, make(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?)?))
}

/// Parses 25/12/2026, 10/Aug/2027, 09-JAN-2028, 04.03.2027 (with dots the day comes first). Rejects 3/4/2026, whose meaning
/// depends on the country.
fn numeric(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let first = words.0.get(i)?.digits()?;
    let mark = words.at(i + 1);
    if !matches!(mark, "/" | "-" | ".") || !words.glued(i + 1) || !words.glued(i + 2) {
        return None;
    }
    let yearly = words.at(i + 3) == mark && words.glued(i + 3);
    let year = words.0.get(i + 4).filter(|token| yearly && token.glued && matches!(token.text.len(), 2 | 4));
    let named = month_at(words, i + 2).map(|(_, month)| month);
    let padded = words.0[i].text.len() == 2 && words.at(i + 2).len() == 2;
    let full = year.is_some_and(|year| year.text.len() == 4);
    // "27.03."
    let closed = yearly && year.is_none() && !words.0.get(i + 4).is_some_and(|next| next.glued && next.is_word());
    let (month, day) = match (named, words.0.get(i + 2)?.digits()) {
        (Some(month), _) => (month, first),
        // "4.3.27" is a version.
        (None, Some(second)) if mark == "." && (padded || full || closed && first < 32) => {
            (i8::try_from(second).ok()?, first)
        }
        (None, Some(second)) if second > 12 && first <= 12 && mark != "." => (i8::try_from(first).ok()?, second),
        (None, Some(second)) if first > 12 && second <= 12 => (i8::try_from(second).ok()?, first),
        (None, Some(second)) if first == second => (i8::try_from(second).ok()?, first),
        _ => return None,
    };
    match year.and_then(|year| year.digits()) {
        Some(year) => {
            let year = if year < 100 { year + 2000 } else { year };
            Some((i + 5, make(i16::try_from(year).ok()?, month, i8::try_from(day).ok()?)?))
        }
        // Without a year: only alone, or with its weekday, preposition or time.
        None if mark == "." && named.is_none() => {
            let before = i.checked_sub(1).map_or("", |at| words.at(at));
            let led = matches!(before, "on" | "by" | "due" | "until" | "before" | ",") || weekday(before).is_some();
            let whole = padded && (i == 0 && words.0.len() == i + 3 || led && words.0.len() == i + 3);
            // "at 14.12." is a time, "version 4.12." a number.
            let amount = matches!(before, "at" | "@") && words.0.len() <= i + 4
                || lists("pay paid cost costs v release tag clause article", before)
                || lists(COUNTED, before)
                || words.at(0) == "upgrade";
            let date = upcoming(today, month, day).filter(|_| whole || closed && !amount)?;
            Some((i + 3 + usize::from(closed), date))
        }
        None if mark == "/" || named.is_some() => Some((i + 3, upcoming(today, month, day)?)),
        None => None,
    }
}

/// Returns the index after figures that look like a date: "03/04/2027", "31.02.2027", "2026-13-45", "3/4". Excludes versions,
/// prices, scores and telephone numbers.
pub(super) fn figures(words: Words, i: usize) -> Option<usize> {
    let part = |at: usize| Some(words.0.get(at)?).filter(|token| matches!(token.text.len(), 1 | 2 | 4))?.digits();
    let mark = words.at(i + 1);
    let joined = |at: usize| words.at(at) == mark && words.glued(at) && words.glued(at + 1);
    let (first, second) = (part(i)?, part(i + 2).filter(|_| matches!(mark, "/" | "." | "-") && joined(i + 1))?);
    match part(i + 4).filter(|_| joined(i + 3)) {
        Some(_) => {
            let lengths = [i, i + 2, i + 4].map(|at| words.at(at).len());
            let dated = matches!(lengths, [4, 1 | 2, 1 | 2] | [1 | 2, 1 | 2, 4])
                || lengths[2] == 2 && lengths[0] < 4 && lengths[1] < 4;
            let near = first <= 31 && second <= 31 || lengths.contains(&4);
            (dated && near && !(words.at(i + 5) == mark && words.glued(i + 5))).then_some(i + 5)
        }
        None => (mark == "/" && (1..=12).contains(&first) && (1..=12).contains(&second)).then_some(i + 3),
    }
}

/// Returns the index after a day that its month does not have: "31 april", "29 feb 2027", "june 31", "31/11".
pub(super) fn impossible(words: Words, i: usize) -> Option<usize> {
    let number = |at: usize| number(words, at).filter(|(_, n)| (0..100).contains(n));
    let slashed = || {
        let (end, day) = number(i).filter(|_| words.at(i + 1) == "/" && words.glued(i + 1) && words.glued(i + 2))?;
        let (after, month) =
            cardinal(words, end + 1).filter(|(_, month)| (1..=12).contains(month) && (13..32).contains(&day))?;
        Some((after, day, i8::try_from(month).ok()?))
    };
    let spelled = || {
        let (end, day) = number(words.skip(i, "the"))?;
        month_at(words, words.skip(end, "of")).map(|(end, month)| (end, day, month))
    };
    let turned = || {
        let (end, month) = month_at(words, i)?;
        number(words.skip(end, "the"))
            .filter(|(after, _)| words.at(*after) != ":")
            .map(|(after, day)| (after, day, month))
    };
    let (end, day, month) = slashed().or_else(spelled).or_else(turned)?;
    let (end, year) = year(words, end).map_or((end, 2028), |(end, year)| (end, year));
    make(year, month, i8::try_from(day).ok()?).is_none().then_some(end)
}

/// Returns the index after the connector of a range at `i`: "12-14 march", "3 to 5 march"; "and" only in "between 3 and 5 march".
pub(super) fn connector(words: Words, i: usize, between: bool) -> Option<usize> {
    let joins = matches!(words.at(i), "-" | "–" | "—" | "to" | "until" | "till" | "til" | "through" | "thru");
    (joins || between && matches!(words.at(i), "and" | "&")).then_some(i + 1)
}

/// Parses the day of a month at `i`, as a number or an ordinal.
fn day_number(words: Words, i: usize) -> Option<(usize, i64)> {
    number(words, words.skip(i, "the")).filter(|(_, day)| (1..=31).contains(day))
}

/// Parses "27 jan", "the third of march", "March 3", "Dec. 21st, 2026", "12-14 march", "march 12 to 14".
fn day_month(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let between = i > 0 && words.at(i - 1) == "between";
    if let Some((end, day)) = day_number(words, i) {
        // The end of a range is dropped.
        let last = connector(words, end, between).and_then(|at| day_number(words, at)).map(|(end, _)| end);
        // "10. April"
        let dotted = |end: usize| end + usize::from(words.at(end) == "." && words.glued(end));
        let month = |end: usize| month_at(words, words.skip(dotted(end), "day of|of"));
        let (end, month) = last.and_then(month).or_else(|| month(end))?;
        return dated(words, end, today, month, day);
    }
    let (end, month) = month_at(words, i)?;
    let the = words.skip(end, "the");
    if let Some((end, day)) = day_number(words, the) {
        let clock = matches!(words.at(end), ":" | "am" | "pm") && the == end - 1;
        if !clock {
            let last = connector(words, end, between).and_then(|at| day_number(words, at)).map(|(end, _)| end);
            let last =
                last.filter(|end| !matches!(words.at(*end), ":" | "am" | "pm") && month_at(words, *end).is_none());
            return dated(words, last.unwrap_or(end), today, month, day);
        }
    }
    year(words, end).and_then(|(end, year)| Some((end, make(year, month, 1)?)))
}

fn dated(words: Words, end: usize, today: Date, month: i8, day: i64) -> Option<(usize, Date)> {
    let short = || {
        let at = words.any(end, ", '|'|’").unwrap_or(end);
        let number = words.0.get(at).filter(|token| token.text.len() == 2)?.digits().filter(|year| *year >= 20)?;
        let timed =
            clock(words, words.skip(at + 1, "at|,"), false).is_some_and(|(_, clock)| clock.sure || clock.written);
        let alone = timed || words.0.get(at + 1).is_none_or(|next| !next.is_word() && !next.glued);
        (at > end || alone).then(|| Some((at + 1, i16::try_from(2000 + number).ok()?))).flatten()
    };
    match year(words, end).or_else(short) {
        Some((end, year)) => Some((end, make(year, month, i8::try_from(day).ok()?)?)),
        None => Some((words.skip(end, "this year"), upcoming(today, month, day)?)),
    }
}

/// Parses "the 27th" and "the 5th of next month", with "the" or an ordinal ending.
fn day_of_month(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let at = words.skip(i, "the");
    let (end, day) = ordinal(words, at).filter(|(_, day)| (1..=31).contains(day))?;
    let spelled = words.0[at].digits().is_none();
    let day = i8::try_from(day).ok()?;
    let next = words.any(end, "of next month|next month|of the following month");
    if let Some(end) = next.or_else(|| words.any(end, "of this month|of the current month|of the month|this month")) {
        let first = today.first_of_month().saturating_add(i32::from(next.is_some()).months());
        let date = make(first.year(), first.month(), day)?;
        let past = date < today && words.at(end - 2) == "the";
        return Some((end, if past { date.saturating_add(1.month()) } else { date }));
    }
    // "The second" may be a list position or a moment.
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

/// Parses "third Wednesday of next month", "last sunday of march 2028".
fn nth_weekday(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let at = words.skip(i, "the");
    let (end, nth) = match words.any(at, "last") {
        Some(end) => (end, -1),
        None => ordinal(words, at).filter(|(_, nth)| (1..=5).contains(nth))?,
    };
    let day = weekday(words.at(end)).or((words.at(end) == "weekend").then_some(Weekday::Saturday))?;
    let relative = matches!(words.at(end + 1), "this" | "next");
    let of = words.any(end + 1, "of the|of|in the|in").or(relative.then_some(end + 1))?;
    let in_month = |from: Date| {
        let (end, first, _) = month_span(words, of, from)?;
        Some((end, first.nth_weekday_of_month(i8::try_from(nth).ok()?, day).ok()?))
    };
    let next = || in_month(today.last_of_month().tomorrow().ok()?);
    in_month(today).filter(|(_, date)| *date >= today || words.at(of) == "this").or_else(next)
}

/// Parses a month at `i` and returns its first and last day: "next month", "month", "april", "march 2028".
pub(super) fn month_span(words: Words, i: usize, today: Date) -> Option<(usize, Date, Date)> {
    let of = |end: usize, first: Date| Some((end, first, first.last_of_month()));
    if let Some(end) = words.any(i, "this month|the month|month") {
        return of(end, today.first_of_month());
    }
    if let Some(end) = words.any(i, "next month|the following month") {
        return of(end, today.first_of_month().saturating_add(1.month()));
    }
    let (end, month) = month_at(words, i)?;
    if let Some((end, year)) = year(words, end) {
        return of(end, make(year, month, 1)?);
    }
    let first = upcoming(today.first_of_month(), month, 1)?;
    of(end, first)
}

/// Parses a holiday, the next one or that of a year: "easter", "next christmas", "good friday 2027".
pub(super) fn holiday(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let at = words.skip(i, "next|this coming|this|the coming");
    let (end, feast) = FEASTS.iter().find_map(|(names, feast)| Some((words.any(at, names)?, *feast)))?;
    if let Some((end, year)) = year(words, end).filter(|(after, _)| *after == end + 1) {
        return Some((end, feast.of(year)?));
    }
    let years = today.year()..=today.year().saturating_add(1);
    Some((end, years.filter_map(|year| feast.of(year)).find(|date| *date >= today)?))
}
