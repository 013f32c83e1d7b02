//! Days named relative to today: "tomorrow", "next tuesday", "end of month", "a week on friday".

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::calendar::{self, month_span};
use super::numbers::{cardinal, ordinal, weekday};
use super::span::{offset, plus_days};
use super::tokens::{Moment, Words};

const TOMORROW: &[&str] = &[
    "tomorrow",
    "tom",
    "tmr",
    "tmrw",
    "tmw",
    "tomorow",
    "tommorow",
    "tommorrow",
    "tomorro",
    "2 moro",
    "2 morrow",
    "morrow",
];

/// The coming date with this weekday, never today.
pub(super) fn coming(today: Date, day: Weekday) -> Date {
    let ahead = (day.to_monday_zero_offset() - today.weekday().to_monday_zero_offset() + 6).rem_euclid(7) + 1;
    plus_days(today, i64::from(ahead))
}

/// The Monday of the week of `date`.
pub(super) fn monday(date: Date) -> Date {
    plus_days(date, -i64::from(date.weekday().to_monday_zero_offset()))
}

/// The weekday within the week that starts on `monday`.
fn in_week(monday: Date, day: Weekday) -> Date {
    plus_days(monday, i64::from(day.to_monday_zero_offset()))
}

/// A named day at `i` and the index after it; the longest reading wins.
pub(super) fn day(words: Words, i: usize, moment: &Moment) -> Option<(usize, Date)> {
    let today = moment.today();
    if weekday(words.at(i)).is_some() {
        let at = words.skip(i + 1, &[", the", ",", "the"]);
        if let Some(found) = calendar::date(words, at, today).filter(|(end, _)| *end > at + 1) {
            return Some(found);
        }
    }
    if let Some(found) = past(words, i, today) {
        return Some(found);
    }
    if let Some(found) = offset(words, i, &|at| plain_day(words, at, today)) {
        return Some(found);
    }
    plain_day(words, i, today)
}

/// Days behind: "last friday", "3 days ago".
fn past(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    if words.at(i) == "last" {
        let day = weekday(words.at(i + 1)).filter(|_| words.any(i + 2, &["of", "in"]).is_none())?;
        return Some((i + 2, plus_days(coming(today, day), if day == today.weekday() { -14 } else { -7 })));
    }
    let (at, n) = cardinal(words, i).filter(|(_, n)| *n < 5000)?;
    let days = match words.at(at) {
        "day" | "days" => n,
        "week" | "weeks" => n * 7,
        _ => return None,
    };
    let end = words.any(at + 1, &["ago"])?;
    Some((end, plus_days(today, -days)))
}

/// A named day that is not counted from another.
fn plain_day(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let readers: [calendar::Reader; 6] = [edge, counted, weekly, near, calendar::date, calendar::holiday];
    let mut best: Option<(usize, Date)> = None;
    for read in readers {
        if let Some(found) = read(words, i, today)
            && best.is_none_or(|(end, _)| found.0 > end)
        {
            best = Some(found);
        }
    }
    best
}

/// today, tomorrow, the day after tomorrow, this weekend, next week, next month.
fn near(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    if let Some(found) = near_day(words, i, today) {
        return Some(found);
    }
    let next_monday = plus_days(monday(today), 7);
    let next_month = today.first_of_month().saturating_add(1.month());
    let saturday = in_week(monday(today), Weekday::Saturday);
    if let Some(end) =
        words.any(i, &["the weekend after next", "weekend after next", "next weekend", "the weekend after"])
    {
        return Some((end, plus_days(saturday, if words.at(end - 1) == "next" { 14 } else { 7 })));
    }
    if let Some(end) =
        words.any(i, &["this coming weekend", "this weekend", "the weekend", "weekend", "the coming weekend"])
    {
        return Some((end, if today.weekday() == Weekday::Sunday { today } else { saturday }));
    }
    let early = words.skip(i, &["early", "sometime", "some time", "later", "late"]);
    if let Some(end) = words.any(early, &["next week", "the following week", "the coming week"]) {
        let late = words.at(i) == "late" || words.at(i) == "later";
        return Some((end, plus_days(next_monday, if late { 3 } else { 0 })));
    }
    if let Some(end) = words.any(early, &["the week after next", "week after next"]) {
        return Some((end, plus_days(next_monday, 7)));
    }
    if let Some(end) = words.any(early, &["this week", "the week"]) {
        return Some((end, plus_days(monday(today), 6)));
    }
    if let Some(end) = words.any(early, &["next month", "the following month"]) {
        if let Some((after, day)) = words.any(end, &["on the", "the"]).and_then(|at| ordinal(words, at)) {
            return Some((after, calendar::make(next_month.year(), next_month.month(), i8::try_from(day).ok()?)?));
        }
        return Some((end, next_month));
    }
    if let Some(end) = words.phrase(early, "this month") {
        return Some((end, today.last_of_month()));
    }
    if let Some(end) = words.any(early, &["next year", "the new year"]) {
        return Some((end, calendar::make(today.year() + 1, 1, 1)?));
    }
    words.any(early, &["this year"]).and_then(|end| Some((end, calendar::make(today.year(), 12, 31)?)))
}

/// today, tomorrow, yesterday, the next business day.
fn near_day(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let after = words.any(i, &["the day after", "day after"]).and_then(|at| words.any(at, TOMORROW));
    if let Some(end) = after.or_else(|| words.phrase(i, "overmorrow")) {
        return Some((end, plus_days(today, 2)));
    }
    if let Some(end) = words.any(i, TOMORROW) {
        return Some((end, plus_days(today, 1)));
    }
    if let Some(end) =
        words.any(i, &["today", "tod", "2 day", "this day", "2day", "later today", "later on today", "sometime today"])
    {
        return Some((end, today));
    }
    if let Some(end) = words.phrase(i, "yesterday") {
        return Some((end, plus_days(today, -1)));
    }
    if let Some(end) = words.any(
        i,
        &[
            "next business day",
            "the next business day",
            "next working day",
            "the next working day",
            "next weekday",
            "next workday",
        ],
    ) {
        let ahead = match today.weekday() {
            Weekday::Friday => 3,
            Weekday::Saturday => 2,
            _ => 1,
        };
        return Some((end, plus_days(today, ahead)));
    }
    if let Some(end) = words.any(i, &["asap", "as soon as possible"]) {
        return Some((end, today));
    }
    None
}

/// Weekdays with what places them: "next friday", "friday week", "next week on friday", "a week on tuesday".
fn weekly(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let this_monday = monday(today);
    let week = |n: i64| plus_days(this_monday, 7 * n);
    for (phrase, n) in [("next week", 1), ("this week", 0), ("the week after next", 2), ("the following week", 1)] {
        if let Some(end) = words.phrase(i, phrase) {
            let at = words.skip(end, &["on", ", on", ","]);
            if let Some(day) = weekday(words.at(at)) {
                return Some((at + 1, in_week(week(n), day)));
            }
        }
    }
    for (phrase, n) in
        [("a week", 1), ("one week", 1), ("1 week", 1), ("two weeks", 2), ("2 weeks", 2), ("a fortnight", 2)]
    {
        let Some(end) = words.phrase(i, phrase) else { continue };
        let at = words.skip(end, &["on", "from", "after", "this"]);
        if let Some(day) = weekday(words.at(at)) {
            return Some((at + 1, plus_days(coming(today, day), 7 * n)));
        }
        if let Some((after, date)) =
            near(words, at, today).filter(|(_, date)| (0..=1).contains(&(*date - today).get_days()))
        {
            return Some((after, plus_days(date, 7 * n)));
        }
    }
    if let Some(end) = words.any(i, &["tomorrow week", "today week"]) {
        return Some((end, plus_days(today, if words.at(i) == "today" { 7 } else { 8 })));
    }
    let (at, next) = match words.any(i, &["next"]) {
        Some(end) => (end, true),
        None => (words.skip(i, &["this coming", "the coming", "coming", "this", "the"]), false),
    };
    let day = weekday(words.at(at)).filter(|_| !words.at(at).ends_with("'s"))?;
    let dot = words.at(at + 1) == "." && words.glued(at + 1) && words.at(at).len() <= 4;
    let end = at + 1 + usize::from(dot && words.0.len() > at + 2);
    if let Some(after) = words.any(end, &["week"]).filter(|_| !next) {
        return Some((after, plus_days(coming(today, day), 7)));
    }
    if let Some(after) = words.any(end, &["after next"]) {
        return Some((after, plus_days(coming(today, day), 7)));
    }
    for (phrase, n) in
        [("of next week", 1), ("next week", 1), ("in two weeks", 2), ("of this week", 0), ("this week", 0)]
    {
        if let Some(after) = words.phrase(end, phrase) {
            return Some((after, in_week(week(n), day)));
        }
    }
    Some((end, if next { in_week(week(1), day) } else { coming(today, day) }))
}

/// "two sundays from now", "3 fridays from now".
fn counted(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let (at, n) = cardinal(words, i).filter(|(_, n)| (1..=500).contains(n))?;
    let day = weekday(words.at(at))?;
    let end = words.any(at + 1, &["from now", "from today", "hence"])?;
    Some((end, plus_days(coming(today, day), 7 * (n - 1))))
}

/// "end of day tomorrow", "the end of business on friday": the day whose end it is.
fn closing(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let at = words.skip(i, &["the"]);
    let end = words.any(at, &["end of day", "end of the day", "end of business", "end of play", "end of work"])?;
    let at = words.skip(end, &["on"]);
    match words.at(at) {
        "today" => Some((at + 1, today)),
        "tomorrow" => Some((at + 1, plus_days(today, 1))),
        day => weekday(day).map(|day| (at + 1, coming(today, day))),
    }
}

/// Beginnings, middles and ends: "end of the week", "EOD", "start of next month", "mid next month", "end of april".
fn edge(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let sunday = plus_days(monday(today), 6);
    for (phrases, date) in [
        (&["eod", "cob", "close of business", "close of play", "end of play", "end of business", "day end"][..], today),
        (&["eow"][..], sunday),
        (&["eom"][..], today.last_of_month()),
        (&["eoy"][..], calendar::make(today.year(), 12, 31)?),
    ] {
        if let Some(end) = words.any(i, phrases) {
            return Some((end, date));
        }
    }
    if let Some(found) = closing(words, i, today) {
        return Some(found);
    }
    let at = words.skip(i, &["the"]);
    let (at, place) = if let Some(end) = words.any(at, &["very end of", "end of", "last day of", "late in", "late"]) {
        (end, 2)
    } else if let Some(end) = words.any(at, &["middle of", "mid -", "mid"]) {
        (end, 1)
    } else if let Some(end) =
        words.any(at, &["start of", "beginning of", "first day of", "early in", "early", "top of"])
    {
        (end, 0)
    } else {
        return None;
    };
    let at = words.skip(at, &["the"]);
    let pick = |(end, first, last): (usize, Date, Date)| {
        let middle = if (last - first).get_days() > 20 { plus_days(first, 14) } else { plus_days(first, 2) };
        (end, [first, middle, last][place])
    };
    if let Some(end) = words.any(at, &["day", "today", "tomorrow", "business", "work"]) {
        return (place == 2).then(|| (end, plus_days(today, i64::from(words.at(at) == "tomorrow"))));
    }
    for (phrases, n) in [(&["this week", "week", "the week"][..], 0), (&["next week"][..], 1)] {
        if let Some(end) = words.any(at, phrases) {
            let first = plus_days(monday(today), 7 * n);
            return Some(pick((end, first, plus_days(first, 6))));
        }
    }
    for (phrases, n) in [(&["this year", "year"][..], 0), (&["next year"][..], 1)] {
        if let Some(end) = words.any(at, phrases) {
            let year = today.year() + n;
            return Some(pick((end, calendar::make(year, 1, 1)?, calendar::make(year, 12, 31)?)));
        }
    }
    month_span(words, at, today).map(pick)
}
