//! Days named relative to today: "tomorrow", "next tuesday", "end of month", "a week on friday".

use jiff::civil::{Date, ISOWeekDate, Weekday};

use super::calendar;
use super::clock::clock;
use super::numbers::{cardinal, month_at, ordinal, weekday};
use super::span::{Reach, offset, plus_days, reach, sum};
use super::stretch::{CLOSE, edge, stretch};
use super::tokens::{Moment, Words};

/// Kind of a day, which determines the words that may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A weekday alone, which a date or a week next to it specifies.
    Weekday,
    /// A day that represents its week; a weekday next to it selects the day.
    Week,
    /// A month or a year alone: its first day.
    Month,
    /// A date form that names no day, or several. The surrounding words are left unparsed.
    Unclear,
    Whole,
}

/// A day and the way it was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Day {
    pub date: Date,
    pub kind: Kind,
}

impl Day {
    /// Combines two names of a day; `None` if they contradict each other.
    pub fn and(self, other: Self) -> Option<Self> {
        let narrowed = |week: Self, day: Self| Self { date: in_week(monday(week.date), day.date.weekday()), ..week };
        match (self.kind, other.kind) {
            (Kind::Unclear, _) | (_, Kind::Unclear) => None,
            (Kind::Weekday, Kind::Week) => Some(narrowed(other, self)),
            (Kind::Week, Kind::Weekday) => Some(narrowed(self, other)),
            (Kind::Weekday, _) => Some(other).filter(|_| self.date.weekday() == other.date.weekday()),
            (_, Kind::Weekday) => Some(self).filter(|_| self.date.weekday() == other.date.weekday()),
            _ => Some(self).filter(|_| self.date == other.date),
        }
        .map(|day| Self { kind: Kind::Whole, ..day })
    }
}

const TOMORROW: &str = "tomorrow|tom|tmr|tmrw|tmw|tomorro|2 moro|2 morrow|morrow";

/// Returns the next date with this weekday, never today.
pub(super) fn coming(today: Date, day: Weekday) -> Date {
    let ahead = (day.to_monday_zero_offset() - today.weekday().to_monday_zero_offset() + 6).rem_euclid(7) + 1;
    plus_days(today, i64::from(ahead))
}

/// Returns the Monday of the week of `date`.
pub(super) fn monday(date: Date) -> Date {
    plus_days(date, -i64::from(date.weekday().to_monday_zero_offset()))
}

/// Returns the weekday in the week that starts on `monday`.
fn in_week(monday: Date, day: Weekday) -> Date {
    plus_days(monday, i64::from(day.to_monday_zero_offset()))
}

/// Parses the longest named day at `i` and returns the index after it.
pub(super) fn day(words: Words, i: usize, moment: &Moment) -> Option<(usize, Day)> {
    let today = moment.today();
    let whole = |(end, date): (usize, Date)| (end, Day { date, kind: Kind::Whole });
    if let Some((end, reach)) = reach(words, i, moment) {
        return match reach {
            Reach::Day(date) => Some(whole((end, date))),
            Reach::Week(date) => Some((end, Day { date, kind: Kind::Week })),
            Reach::Instant(_) => None,
        };
    }
    let found = numbered(words, i, today).or_else(|| past(words, i, today).map(whole));
    let counted = || offset(words, i, &|at| plain_day(words, at, today).map(|(end, day)| (end, day.date))).map(whole);
    let found = found.or_else(counted).or_else(|| plain_day(words, i, today));
    // "friday eod"
    found.map(|(end, day)| (words.any(words.skip(end, "by|at|before"), CLOSE).unwrap_or(end), day))
}

/// Parses "friday 27", "sunday the 6th": a weekday and its day of the month.
fn numbered(words: Words, i: usize, today: Date) -> Option<(usize, Day)> {
    let named = weekday(words.at(i))?;
    let the = words.skip(i + 1, ", the|,|the");
    let spelled = the == i + 1 && words.0.get(the).is_some_and(|token| token.digits().is_none());
    let (end, number) = match ordinal(words, the) {
        // "friday first aid course"
        Some(_) if spelled => return None,
        Some(found) => found,
        None => cardinal(words, the).filter(|(end, _)| {
            let ends = words.0.get(*end).is_none_or(|next| !next.glued && !next.is_word());
            let timed = !words.glued(*end) && clock(words, words.skip(*end, "at"), true).is_some();
            words.0[the].digits().is_some() && *end == the + 1 && (ends || timed)
        })?,
    };
    if month_at(words, words.skip(end, "of|day of")).is_some() || !(1..=31).contains(&number) {
        return None;
    }
    let mut days = (0..62).map(|n| plus_days(today, n)).filter(|date| i64::from(date.day()) == number);
    let fits = days.find(|date| date.weekday() == named);
    let kind = if fits.is_some() { Kind::Whole } else { Kind::Unclear };
    Some((end, Day { date: fits.unwrap_or(today), kind }))
}

/// Parses past days: "last friday", "3 days ago".
fn past(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    if words.at(i) == "last" {
        let day = weekday(words.at(i + 1)).filter(|_| words.any(i + 2, "of|in|this|next").is_none())?;
        return Some((i + 2, plus_days(coming(today, day), if day == today.weekday() { -14 } else { -7 })));
    }
    let (end, sum) = sum(words, i)?;
    Some((words.any(end, "ago")?, sum.past(today, true)?))
}

/// Parses a named day at an index, given today.
type Reader = fn(Words, usize, Date) -> Option<(usize, Day)>;

/// Parses a named day that is not relative to another one.
pub(super) fn plain_day(words: Words, i: usize, today: Date) -> Option<(usize, Day)> {
    let whole: [calendar::Reader; 8] =
        [edge, week_of, beside, counted, near_day, calendar::date, calendar::holiday, calendar_week];
    let whole = whole
        .into_iter()
        .filter_map(|read| read(words, i, today).map(|(end, date)| (end, Day { date, kind: Kind::Whole })));
    let others: [Reader; 4] = [weekly, near, month_alone, unclear];
    let others = others.into_iter().filter_map(|read| read(words, i, today));
    // Prefers the first of equally long readings.
    whole.chain(others).reduce(|best, next| if next.0 > best.0 { next } else { best })
}

/// Parses today, tomorrow, yesterday, the next business day.
fn near_day(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let beyond = |phrases: &str, near: &str| words.any(i, phrases).and_then(|at| words.any(at, near));
    let named: [(Option<usize>, i64); 6] = [
        (beyond("the day after|day after", TOMORROW).or_else(|| words.phrase(i, "overmorrow")), 2),
        (beyond("the day before|day before", "yesterday"), -2),
        (words.any(i, TOMORROW), 1),
        (words.phrase(i, "yesterday"), -1),
        (words.any(i, "today|tod|tdy|2 day|this day|2day|later today|later on today|asap|as soon as possible"), 0),
        (
            words.any(words.skip(i, "the"), "next business day|next working day|next weekday|next workday"),
            match today.weekday() {
                Weekday::Friday => 3,
                Weekday::Saturday => 2,
                _ => 1,
            },
        ),
    ];
    named.into_iter().find_map(|(end, days)| Some((end?, plus_days(today, days))))
}

/// Parses this weekend, next week, next month, this year.
fn near(words: Words, i: usize, today: Date) -> Option<(usize, Day)> {
    let saturday = in_week(monday(today), Weekday::Saturday);
    let whole = |end: usize, date: Date| Some((end, Day { date, kind: Kind::Whole }));
    let the = words.skip(i, "the");
    if let Some(end) = words.any(the, "weekend after next|next weekend|weekend after|following weekend") {
        return whole(end, plus_days(saturday, if words.phrase(the, "weekend after next").is_some() { 14 } else { 7 }));
    }
    if let Some(end) = words
        .any(i, "this coming weekend|this weekend|this week end|the weekend|weekend")
        .or_else(|| words.any(the, "coming weekend|upcoming weekend"))
    {
        return whole(end, if today.weekday() == Weekday::Sunday { today } else { saturday });
    }
    let at = words.skip(i, "early|sometime|some time|later|late");
    let late = matches!(words.at(i), "late" | "later");
    let lone = matches!(words.at(at), "week" | "month" | "quarter" | "year" | "wk") || month_at(words, at).is_some();
    let (end, first, last) = stretch(words, at, today)
        .filter(|(end, ..)| !lone && *end > at + 1 || words.phrase(at, "week after next").is_some())?;
    if words.at(at) == "the" && matches!(words.at(end - 1), "year" | "month" | "quarter") && end == at + 2 {
        return None;
    }
    let kind = if (last - first).get_days() == 6 { Kind::Week } else { Kind::Month };
    let date = match kind {
        Kind::Week if late && first > today => plus_days(first, 3),
        _ if first > today => first,
        _ => last,
    };
    // Named months belong to the calendar.
    let named = month_at(words, words.skip(at, "next|this|the")).is_some() || words.at(at).starts_with('q');
    let day = words.any(end, "on the|the").and_then(|at| ordinal(words, at)).filter(|_| kind == Kind::Month);
    if let Some((after, day)) = day.filter(|_| !named) {
        return whole(after, calendar::make(first.year(), first.month(), i8::try_from(day).ok()?)?);
    }
    (!named).then_some((end, Day { date, kind }))
}

/// Parses "in october", "next march", "by june", "in 2028" as their first day.
fn month_alone(words: Words, i: usize, today: Date) -> Option<(usize, Day)> {
    let before = i.checked_sub(1).map_or("", |at| words.at(at));
    let led = matches!(
        before,
        "by" | "before" | "until" | "till" | "til" | "in" | "from" | "starting" | "through" | "thru" | "ending"
    );
    let at = match words.any(i, "in early|in late|in|during|next|this coming|this|sometime in") {
        Some(at) => at,
        None => Some(i).filter(|_| led)?,
    };
    let whole = |end: usize, date: Date| Some((end, Day { date, kind: Kind::Month }));
    if let Some((end, year)) = calendar::year(words, at).filter(|(end, year)| *end == at + 1 && *year > today.year()) {
        return whole(end, calendar::make(year, 1, 1)?);
    }
    if words.at(at) == "q" || words.at(at) == "the" && words.at(at + 2) == "quarter" {
        let (end, first, last) = stretch(words, at, today)?;
        return whole(end, if first > today { first } else { last });
    }
    let (end, month) = month_at(words, at).filter(|_| !(words.at(i) == "this" && words.at(at) == "may"))?;
    if let Some((end, year)) = calendar::year(words, end) {
        return whole(end, calendar::make(year, month, 1).filter(|date| date.year() >= today.year())?);
    }
    whole(end, calendar::upcoming(today, month, 1)?)
}

/// Recognises an unreadable date: "03/04/2027", "31.02.2027", "3/4", "31 april".
fn unclear(words: Words, i: usize, today: Date) -> Option<(usize, Day)> {
    let end = calendar::figures(words, i).or_else(|| calendar::impossible(words, i))?;
    Some((end, Day { date: today, kind: Kind::Unclear }))
}

/// Parses weekdays with words that specify them: "next friday", "friday week", "next week on friday".
fn weekly(words: Words, i: usize, today: Date) -> Option<(usize, Day)> {
    let whole = |end: usize, date: Date| Some((end, Day { date, kind: Kind::Whole }));
    let week = |n: i64| plus_days(monday(today), 7 * n);
    if let Some(end) = words.any(i, "tomorrow week|today week") {
        return whole(end, plus_days(today, if words.at(i) == "today" { 7 } else { 8 }));
    }
    let the = words.skip(i, "this|the");
    let (at, next) = match words.any(i, "next") {
        Some(end) => (end, true),
        None => (words.skip(the, "coming|upcoming|following"), false),
    };
    let day = weekday(words.at(at)).filter(|_| !words.at(at).ends_with("'s"))?;
    let dot = words.at(at + 1) == "." && words.glued(at + 1) && words.at(at).len() <= 4;
    let end = at + 1 + usize::from(dot && words.0.len() > at + 2);
    for (phrases, n) in [("week|after next", 1), ("fortnight", 2)] {
        if let Some(after) = words.any(end, phrases).filter(|_| !next) {
            return whole(after, plus_days(coming(today, day), 7 * n));
        }
    }
    if let Some(after) = words.any(end, "next").filter(|after| words.0.get(*after).is_none_or(|t| !t.is_word())) {
        return whole(after, in_week(week(1), day));
    }
    let of = words.skip(end, "of|in|on");
    for (phrases, n) in [
        ("next week|the following week|the coming week", 1),
        ("this week", 0),
        ("the week after next|week after next", 2),
    ] {
        if let Some(after) = words.any(of, phrases) {
            return whole(after, in_week(week(n), day));
        }
    }
    let end = words.skip(end, "coming");
    if next {
        whole(end, in_week(week(1), day))
    } else {
        Some((end, Day { date: coming(today, day), kind: Kind::Weekday }))
    }
}

/// Parses "two sundays from now", "in 3 fridays".
fn counted(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let led = words.any(i, "in");
    let (at, n) = cardinal(words, led.unwrap_or(i)).filter(|(_, n)| (1..=500).contains(n))?;
    let day = weekday(words.at(at)).or((words.at(at) == "weekends").then_some(Weekday::Saturday))?;
    let end = words.any(at + 1, "from now|from today|hence").or(led.filter(|_| n > 1).map(|_| at + 1))?;
    Some((end, plus_days(coming(today, day), 7 * (n - 1))))
}

/// Parses "the monday after easter", "the friday before christmas".
fn beside(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let at = words.skip(i, "the first|the");
    let day = weekday(words.at(at))?;
    let back = match words.at(at + 1) {
        "before" => true,
        "after" | "following" => false,
        _ => return None,
    };
    let (end, other) = plain_day(words, at + 2, today)?;
    let date = if back { plus_days(coming(plus_days(other.date, -1), day), -7) } else { coming(other.date, day) };
    let date = if back && date == other.date { plus_days(date, -7) } else { date };
    (other.kind != Kind::Month).then_some((end, date))
}

/// Parses "w/c 16 nov", "week commencing monday", "week of 16 march", "w/e 20 march".
fn week_of(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let at = words.skip(i, "the");
    let short = words.any(at, "w / c|w / b|w / e|wc|wb|wk");
    let (end, of) = match words.any(at, "week|wk") {
        Some(end) => {
            let after = words.any(end, "commencing|beginning|starting|ending|of|from");
            (after.or(short)?, words.at(end) == "of")
        }
        None => (short?, false),
    };
    let (end, day) = plain_day(words, words.skip(end, "on|the"), today)
        .or_else(|| plain_day(words, end, today))
        .filter(|(_, day)| day.kind != Kind::Month)?;
    Some((end, if of { monday(day.date) } else { day.date }))
}

/// Parses "calendar week 12", "cw 12", "kw12" as their Monday.
fn calendar_week(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let at = words.any(i, "calendar week|iso week|cw|kw|in week")?;
    let week = words.0.get(at)?.digits().and_then(|week| i8::try_from(week).ok())?;
    let first = |year: i16| Some(ISOWeekDate::new(year, week, Weekday::Monday).ok()?.date());
    let coming = |date: &Date| plus_days(*date, 6) >= today;
    let named = words.any(at + 1, "of").is_none();
    let date = first(today.year()).filter(coming).or_else(|| first(today.year() + 1))?;
    named.then_some((at + 1, date))
}
