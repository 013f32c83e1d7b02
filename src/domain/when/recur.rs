//! Recurrences as people say them: "every other day", "weekdays", "last friday of every month", "5th March of every
//! year".

use jiff::civil::Weekday;

use super::numbers::{cardinal, month_at, ordinal, plural_weekday, weekday};
use super::rule::{Freq, Rule};
use super::span::{Unit, unit};
use super::tokens::Words;

const WORKDAYS: [Weekday; 5] =
    [Weekday::Monday, Weekday::Tuesday, Weekday::Wednesday, Weekday::Thursday, Weekday::Friday];
const WEEKEND: [Weekday; 2] = [Weekday::Saturday, Weekday::Sunday];

/// A recurrence and whether its words also named a part of the day ("every morning").
pub(super) fn recurrence(words: Words, i: usize) -> Option<(usize, Rule)> {
    let found =
        adverb(words, i).or_else(|| every(words, i)).or_else(|| of_every(words, i)).or_else(|| plurals(words, i))?;
    Some(found)
}

/// daily, weekly, fortnightly, monthly, quarterly, yearly.
fn adverb(words: Words, i: usize) -> Option<(usize, Rule)> {
    if let Some(found) = on_days(words, i) {
        return Some(found);
    }
    let (freq, interval) = match words.at(i) {
        "daily" | "nightly" | "everyday" => (Freq::Daily, 1),
        "weekly" => (Freq::Weekly, 1),
        "fortnightly" | "biweekly" => (Freq::Weekly, 2),
        "monthly" => (Freq::Monthly, 1),
        "quarterly" => (Freq::Monthly, 3),
        "semiannually" | "biannually" => (Freq::Monthly, 6),
        "yearly" | "annually" => (Freq::Yearly, 1),
        _ => return None,
    };
    Some(placed(words, i + 1, Rule::every(freq, interval)))
}

/// A rule with the days that may follow it: "every week on friday", "monthly on the 5th", "once a year on 9 october".
fn placed(words: Words, end: usize, rule: Rule) -> (usize, Rule) {
    let on = words.skip(end, &["on the", "on"]);
    if on == end {
        return (end, rule);
    }
    let days = match rule.freq {
        Freq::Daily => None,
        Freq::Weekly => day_list(words, on).map(|(after, days)| (after, Rule::weekly(&days))),
        Freq::Monthly => day_in_month(words, on, false),
        Freq::Yearly => month_and_day(words, on).map(|(after, month, day)| {
            (after, Rule { month: Some(month), month_day: Some(day), ..Rule::every(Freq::Yearly, 1) })
        }),
    };
    match days {
        Some((after, days)) => (after, Rule { interval: rule.interval, ..days }),
        None => (end, rule),
    }
}

/// "once a week", "twice a …" is no single date and is left alone; "once a month".
fn on_days(words: Words, i: usize) -> Option<(usize, Rule)> {
    let at = words.any(i, &["once a", "once every", "once per", "once each"])?;
    let (end, unit) = unit(words, at)?;
    Some(placed(words, end, per_unit(unit, 1)?))
}

fn per_unit(unit: Unit, n: i64) -> Option<Rule> {
    let n = i32::try_from(n).ok().filter(|n| (1..=300).contains(n))?;
    Some(match unit {
        Unit::Day => Rule::every(Freq::Daily, n),
        Unit::BusinessDay if n == 1 => Rule::weekly(&WORKDAYS),
        Unit::Week => Rule::every(Freq::Weekly, n),
        Unit::Fortnight => Rule::every(Freq::Weekly, n * 2),
        Unit::Month => Rule::every(Freq::Monthly, n),
        Unit::Quarter => Rule::every(Freq::Monthly, n * 3),
        Unit::Year => Rule::every(Freq::Yearly, n),
        Unit::Minute | Unit::Hour | Unit::BusinessDay => return None,
    })
}

/// Everything that "every", "each" or "every!" may lead.
fn every(words: Words, i: usize) -> Option<(usize, Rule)> {
    let start = words.any(i, &["every", "each", "ev"])?;
    let strict = words.at(start) == "!" && words.glued(start);
    let start = start + usize::from(strict);
    let (end, mut rule) = every_what(words, start)?;
    let after = words.skip(end, &["from completion", "after completion"]);
    rule.from_completion = strict || after > end;
    Some((after, rule))
}

fn every_what(words: Words, i: usize) -> Option<(usize, Rule)> {
    let parts = ["morning", "evening", "night", "afternoon", "single day", "day of the week"];
    if words.any(i, &parts[..4]).is_some() {
        // The part itself is left for the reader of parts of the day: it makes "every evening at 8" sure.
        return Some((i, Rule::every(Freq::Daily, 1)));
    }
    if let Some(end) = words.any(i, &parts[4..]) {
        return Some((end, Rule::every(Freq::Daily, 1)));
    }
    if let Some(end) = words.any(i, &["weekday", "workday", "working day", "work day", "business day", "week day"]) {
        return Some((end, Rule::weekly(&WORKDAYS)));
    }
    if let Some(end) = words.any(i, &["weekend"]) {
        return Some((end, Rule { days: vec![(0, Weekday::Saturday)], ..Rule::every(Freq::Weekly, 1) }));
    }
    if let Some(found) = day_in_month(words, i, false) {
        return Some(found);
    }
    let (at, interval) = match words.any(i, &["other", "second", "2nd", "alternate"]) {
        Some(end) => (end, 2),
        None => match words.0.get(i).and_then(|_| cardinal(words, i).or_else(|| ordinal(words, i))) {
            Some((end, n)) => (end, n),
            None => (i, 1),
        },
    };
    if let Some((end, days)) = day_list(words, at).filter(|_| (1..=52).contains(&interval)) {
        let rule = Rule { interval: i32::try_from(interval).ok()?, ..Rule::weekly(&days) };
        return Some((end, rule));
    }
    if let Some((end, unit)) = unit(words, at).filter(|_| words.at(at).len() > 1) {
        return Some(placed(words, end, per_unit(unit, interval)?));
    }
    if let Some((end, month, day)) = month_and_day(words, i) {
        return Some((end, Rule { month: Some(month), month_day: Some(day), ..Rule::every(Freq::Yearly, 1) }));
    }
    None
}

/// "the 30th", "last day", "3rd friday", "first monday": a day of the month. `of` demands "of every month" after it.
fn day_in_month(words: Words, i: usize, of: bool) -> Option<(usize, Rule)> {
    let at = words.skip(i, &["the"]);
    let monthly = Rule::every(Freq::Monthly, 1);
    let tail = [
        "of every month",
        "of each month",
        "of the month",
        "every month",
        "each month",
        "in every month",
        "in each month",
        "monthly",
    ];
    let finish = |end: usize, rule: Rule| match words.any(end, &tail) {
        Some(after) if !of || words.at(after - 2) != "the" => Some((after, rule)),
        _ => (!of).then_some((end, rule)),
    };
    let (end, nth) = match words.any(at, &["last"]) {
        Some(end) => (end, -1),
        None => ordinal(words, at)?,
    };
    if let Some(day) = weekday(words.at(end)).filter(|_| (-1..=5).contains(&nth)) {
        let plain_second = nth == 2 && !of && words.any(end + 1, &tail).is_none() && words.at(at) == "second";
        if plain_second {
            return None;
        }
        return finish(end + 1, Rule { days: vec![(i8::try_from(nth).ok()?, day)], ..monthly });
    }
    if nth == -1 {
        let end = words.any(end, &["day"])?;
        return finish(end, Rule { month_day: Some(-1), ..monthly });
    }
    let digits = words.0[at].digits().is_some();
    let end = words.skip(end, &["day"]);
    let followed = words.any(end, &tail).is_some();
    let alone = digits
        && !matches!(words.at(end - 1), "day")
        && unit(words, end).is_none()
        && month_at(words, words.skip(end, &["of"])).is_none();
    if !(1..=31).contains(&nth) || !(followed || alone) {
        return None;
    }
    finish(end, Rule { month_day: i8::try_from(nth).ok(), ..monthly })
}

/// A day and a month in either order.
fn month_and_day(words: Words, i: usize) -> Option<(usize, i8, i8)> {
    let at = words.skip(i, &["the"]);
    let fit = |n: i64| i8::try_from(n).ok().filter(|n| (1..=31).contains(n));
    if let Some((end, day)) = ordinal(words, at).or_else(|| cardinal(words, at)) {
        let (end, month) = month_at(words, words.skip(end, &["of"]))?;
        return Some((end, month, fit(day)?));
    }
    let (end, month) = month_at(words, at)?;
    let (end, day) = ordinal(words, words.skip(end, &["the"])).or_else(|| cardinal(words, end))?;
    Some((end, month, fit(day)?))
}

/// "the 30th of every month", "first monday of each month", "5th March of every year".
fn of_every(words: Words, i: usize) -> Option<(usize, Rule)> {
    let at = words.skip(i, &["on"]);
    if let Some((end, month, day)) = month_and_day(words, at) {
        let end =
            words.any(end, &["of every year", "of each year", "every year", "each year", "yearly", "annually"])?;
        return Some((end, Rule { month: Some(month), month_day: Some(day), ..Rule::every(Freq::Yearly, 1) }));
    }
    day_in_month(words, at, true)
}

/// "weekdays", "mondays and thursdays", "weekends", "mornings".
fn plurals(words: Words, i: usize) -> Option<(usize, Rule)> {
    let at = words.skip(i, &["on"]);
    if let Some(end) = words.any(at, &["weekdays", "workdays", "week days"]) {
        return Some((end, Rule::weekly(&WORKDAYS)));
    }
    if let Some(end) = words.any(at, &["weekends"]) {
        return Some((end, Rule::weekly(&WEEKEND)));
    }
    plural_weekday(words.at(at)).then_some(())?;
    let (end, days) = day_list(words, at)?;
    Some((end, Rule::weekly(&days)))
}

/// "mon, wed and fri".
fn day_list(words: Words, i: usize) -> Option<(usize, Vec<Weekday>)> {
    let mut days = vec![weekday(words.at(i))?];
    let mut end = i + 1;
    loop {
        let next = words.skip(end, &[", and", ",", "and", "&", "/", "or"]);
        match weekday(words.at(next)) {
            Some(day) if next > end => {
                days.push(day);
                end = next + 1;
            }
            _ => return Some((end, days)),
        }
    }
}
