//! Recurrence phrases: "every other day", "weekdays", "every 1st and 15th", "alternate wednesdays until june".

use jiff::civil::{Date, Weekday};

use super::calendar::connector;
use super::day::{Day, Kind, day};
use super::numbers::{cardinal, month_at, number, ordinal, plural_weekday, weekday};
use super::span::{Sum, Unit, plus_days, sum, unit};
use super::stretch::stretch;
use super::tokens::{Moment, Words, lists};
use crate::domain::rule::{End, Freq, Rule};

const WORKDAYS: [Weekday; 5] =
    [Weekday::Monday, Weekday::Tuesday, Weekday::Wednesday, Weekday::Thursday, Weekday::Friday];
const WEEKEND: [Weekday; 2] = [Weekday::Saturday, Weekday::Sunday];

/// A parsed recurrence, or one that no rule expresses.
pub(super) enum Repeat {
    Rule(Rule),
    /// Several times a day.
    Often,
}

/// Parses a recurrence at `i`.
pub(super) fn recurrence(words: Words, i: usize) -> Option<(usize, Repeat)> {
    if let Some(end) = often(words, i) {
        return Some((end, Repeat::Often));
    }
    let readers = [adverb, every, of_every, plurals, listed];
    let (end, mut rule) = readers.into_iter().find_map(|read| read(words, i))?;
    let after = words.skip(end, "from completion|after completion");
    rule.from_completion |= after > end;
    Some((after, Repeat::Rule(rule)))
}

/// Recognises "hourly", "every 2 hours", "twice a day", "every morning and evening".
fn often(words: Words, i: usize) -> Option<usize> {
    if words.at(i) == "hourly" {
        return Some(i + 1);
    }
    let daily = "a day|per day|each day|every day|daily";
    let times = match words.any(i, "twice|thrice") {
        Some(end) => Some(end),
        None => cardinal(words, i).filter(|(_, n)| *n > 1).and_then(|(end, _)| words.any(end, "times|x")),
    };
    if let Some(end) = times.and_then(|end| words.any(end, daily)) {
        return Some(end);
    }
    let at = words.any(i, "every|each")?;
    let parts = "morning|noon|lunchtime|afternoon|evening|night";
    let several = words.any(at, parts).and_then(|end| words.any(words.any(end, "and|&")?, parts));
    let counted = || {
        let at = words.skip(at, "other|half");
        let (end, _) = cardinal(words, at).unwrap_or((at, 1));
        unit(words, end).filter(|(_, unit)| matches!(unit, Unit::Hour | Unit::Minute)).map(|(end, _)| end)
    };
    several.or_else(counted)
}

/// Parses daily, weekly, fortnightly, monthly, quarterly, yearly, "once a week", "once every 3 days".
fn adverb(words: Words, i: usize) -> Option<(usize, Rule)> {
    if let Some(at) = words.any(i, "once a|once every|once per|once each") {
        let (at, n) = cardinal(words, at).unwrap_or((at, 1));
        let (end, unit) = unit(words, at)?;
        return Some(placed(words, end, per_unit(unit, n)?));
    }
    const ADVERBS: [(&str, Freq, i32); 9] = [
        ("daily|nightly|everyday", Freq::Daily, 1),
        ("fortnightly|biweekly|bi - weekly", Freq::Weekly, 2),
        ("weekly", Freq::Weekly, 1),
        ("bimonthly|bi - monthly", Freq::Monthly, 2),
        ("monthly", Freq::Monthly, 1),
        ("quarterly", Freq::Monthly, 3),
        ("semiannually|biannually|semi - annually|bi - annually|half - yearly|half yearly", Freq::Monthly, 6),
        ("biennially", Freq::Yearly, 2),
        ("yearly|annually", Freq::Yearly, 1),
    ];
    let adverb = ADVERBS.iter().find_map(|(names, freq, n)| Some((words.any(i, names)?, *freq, *n)));
    let (end, freq, interval) = adverb?;
    Some(placed(words, end, Rule::every(freq, interval)))
}

/// Adds days after a rule: "every week on friday", "monthly on the 5th", "once a year on 9 october".
fn placed(words: Words, end: usize, rule: Rule) -> (usize, Rule) {
    let on = words.skip(end, "on the|on a|on an|on|, on|,");
    if on == end && !(rule.freq == Freq::Weekly && weekday(words.at(end)).is_some()) {
        return (end, rule);
    }
    let days = match rule.freq {
        Freq::Daily => None,
        Freq::Weekly => day_set(words, on).map(|(after, days)| (after, Rule::weekly(&days))),
        Freq::Monthly => day_in_month(words, on, false),
        Freq::Yearly => month_and_day(words, on).map(|(after, month, day)| (after, Rule::yearly(month, day))),
    };
    match days {
        Some((after, days)) => (after, Rule { interval: rule.interval, ..days }),
        None => (end, rule),
    }
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

/// Parses a recurrence after "every", "each", "every!" or "alternate".
fn every(words: Words, i: usize) -> Option<(usize, Rule)> {
    let alternate = words.any(i, "on alternate|alternate|alternating");
    let start = words.any(i, "each and every|every single|every|each|ev").or(alternate)?;
    let strict = words.at(start) == "!" && words.glued(start);
    let start = start + usize::from(strict);
    let (end, rule) = every_what(words, start, alternate.is_some())?;
    Some((end, Rule { from_completion: strict, ..rule }))
}

fn every_what(words: Words, i: usize, alternate: bool) -> Option<(usize, Rule)> {
    if words.any(i, "morning|evening|night|afternoon|lunchtime").is_some() {
        // The part is parsed later: it disambiguates "every evening at 8".
        return Some((i, Rule::every(Freq::Daily, 1)));
    }
    if let Some(end) = words.phrase(i, "day of the week") {
        return Some((end, Rule::every(Freq::Daily, 1)));
    }
    if let Some(end) = words.any(i, "month end|end of month|end of the month") {
        return Some((end, Rule::monthly(vec![-1])));
    }
    if let Some(found) = day_in_month(words, i, false).filter(|_| !alternate) {
        return Some(found);
    }
    let (at, interval) = match words.any(i, "other|second|2nd|alternate") {
        Some(end) => (end, 2),
        None if alternate => (i, 2),
        None => number(words, i).unwrap_or((i, 1)),
    };
    // "every second weekday" is no set of weekdays.
    let group = interval > 1
        && words.at(at).starts_with("w")
        && words.any(at, "weekday|workday|working|week day|work day").is_some();
    if let Some((end, days)) = day_set(words, at).filter(|_| (1..=52).contains(&interval) && !group) {
        return Some((end, Rule { interval: i32::try_from(interval).ok()?, ..Rule::weekly(&days) }));
    }
    if let Some((end, unit)) = unit(words, at).filter(|_| words.at(at).len() > 1) {
        return Some(placed(words, end, per_unit(unit, interval)?));
    }
    let (end, month, day) = month_and_day(words, i)?;
    Some((end, Rule::yearly(month, day)))
}

/// Parses the n of a day of the month, `-1` for the last.
fn place(words: Words, i: usize) -> Option<(usize, i64)> {
    words.any(i, "last").map(|end| (end, -1)).or_else(|| ordinal(words, i))
}

/// Returns the index after a separator of list items.
fn also(words: Words, i: usize) -> Option<usize> {
    words.any(i, ", and|, &|,|and|&|/|+")
}

/// Parses days of the month: "the 30th", "1st and 15th", "last day", "3rd friday", "first and third monday". `of` requires "of
/// every month" after them.
fn day_in_month(words: Words, i: usize, of: bool) -> Option<(usize, Rule)> {
    let tail = "of every month|of each month|of the month|every month|each month|in every month|in each month|monthly";
    let every = i > 0 && lists("every each ev", words.at(i - 1));
    let finish =
        |end: usize, rule: Rule| match words.any(end, tail).or_else(|| words.phrase(end, "of month").filter(|_| every))
        {
            // "the first monday of the month" is one day.
            Some(after) if !of || words.at(after - 2) != "the" || rule.days.len() + rule.month_days.len() > 1 => {
                Some((after, rule))
            }
            _ => (!of).then_some((end, rule)),
        };
    let start = words.skip(i, "the|at the");
    if let Some(end) = words.any(start, "end").filter(|end| words.any(*end, tail).is_some()) {
        return finish(end, Rule::monthly(vec![-1]));
    }
    let (mut end, first) = place(words, start)?;
    let mut numbers = vec![i8::try_from(first).ok().filter(|n| (-1..=31).contains(n))?];
    let spelled = words.0[start].digits().is_none();
    while let Some((after, n)) = also(words, end).and_then(|at| place(words, words.skip(at, "on the|the"))) {
        numbers.push(i8::try_from(n).ok().filter(|n| (-1..=31).contains(n))?);
        end = after;
    }
    if let Some(day) = weekday(words.at(end)).filter(|_| numbers.iter().all(|n| *n <= 5)) {
        // "every second tuesday" means every other one.
        if numbers == [2] && every && words.any(end + 1, tail).is_none() && words.at(start) == "second" {
            return None;
        }
        let mut days: Vec<(i8, Weekday)> = numbers.into_iter().map(|n| (n, day)).collect();
        let mut end = end + 1;
        while let Some((n_end, n)) = also(words, end).and_then(|at| place(words, words.skip(at, "the")))
            && let (Some(day), Ok(n)) = (weekday(words.at(n_end)), i8::try_from(n))
        {
            days.push((n, day));
            end = n_end + 1;
        }
        days.sort_by_key(|(n, day)| (if *n < 0 { 6 } else { *n }, day.to_monday_zero_offset()));
        return finish(end, Rule { days, ..Rule::every(Freq::Monthly, 1) });
    }
    let end = if numbers == [-1] { words.any(end, "day")? } else { words.skip(end, "day") };
    let followed = words.any(end, tail).is_some();
    let alone = (!spelled || numbers.len() > 1)
        && words.at(end - 1) != "day"
        && unit(words, end).is_none()
        && month_at(words, words.skip(end, "of")).is_none();
    (followed || alone || numbers == [-1]).then(|| finish(end, Rule::monthly(numbers))).flatten()
}

/// Parses a day and a month in either order.
fn month_and_day(words: Words, i: usize) -> Option<(usize, i8, i8)> {
    let at = words.skip(i, "the");
    let fit = |n: i64| i8::try_from(n).ok().filter(|n| (1..=31).contains(n));
    if let Some((end, day)) = number(words, at) {
        let (end, month) = month_at(words, words.skip(end, "of"))?;
        return Some((end, month, fit(day)?));
    }
    let (end, month) = month_at(words, at)?;
    let (end, day) = ordinal(words, words.skip(end, "the")).or_else(|| cardinal(words, end))?;
    Some((end, month, fit(day)?))
}

/// Parses "the 30th of every month", "first monday of each month", "5th March of every year".
fn of_every(words: Words, i: usize) -> Option<(usize, Rule)> {
    let at = words.skip(i, "on");
    if let Some((end, month, day)) = month_and_day(words, at) {
        let end = words.any(end, "of every year|of each year|every year|each year|yearly|annually")?;
        return Some((end, Rule::yearly(month, day)));
    }
    day_in_month(words, at, true)
}

/// Parses "weekdays", "mondays and thursdays", "weekends".
fn plurals(words: Words, i: usize) -> Option<(usize, Rule)> {
    let at = words.skip(i, "on|at");
    let part = matches!(words.at(at + 1), "mornings" | "afternoons" | "evenings" | "nights");
    if let Some(day) = weekday(words.at(at)).filter(|_| part) {
        return Some((at + 1, Rule::weekly(&[day])));
    }
    let named = matches!(words.at(at), "weekdays" | "workdays" | "weekends") || words.phrase(at, "week days").is_some();
    (named || plural_weekday(words.at(at)) && words.at(i) != "at").then_some(())?;
    let (end, days) = day_set(words, at)?;
    Some((end, Rule::weekly(&days)))
}

/// Parses "mon, wed and fri every week", "monday every week".
fn listed(words: Words, i: usize) -> Option<(usize, Rule)> {
    let (end, days) = day_set(words, words.skip(i, "on"))?;
    Some((words.any(end, "every week|each week|weekly")?, Rule::weekly(&days)))
}

/// Parses weekdays: "mon, wed and fri", "mon wed fri", "monday to friday", "weekdays", "weekends".
fn day_set(words: Words, i: usize) -> Option<(usize, Vec<Weekday>)> {
    let mut days = vec![];
    let mut end = i;
    loop {
        let next = if days.is_empty() {
            i
        } else {
            words.skip(end, ", and every|, every|and every|, and|,|and each|and|&|/|+")
        };
        let names: [(&str, &[Weekday]); 3] = [
            ("weekdays|weekday|workdays|workday|week days|week day", &WORKDAYS),
            ("working days|working day|work days|work day|business days|business day", &WORKDAYS),
            ("weekends|weekend", &WEEKEND),
        ];
        let group = names.iter().find_map(|(names, days)| Some((words.any(next, names)?, *days)));
        if let Some((after, group)) = group {
            days.extend(group);
            end = after;
            continue;
        }
        let Some(day) = weekday(words.at(next)) else { break };
        end = next + 1;
        match connector(words, end, false).and_then(|at| Some((at + 1, weekday(words.at(at))?))) {
            Some((after, last)) => {
                days.extend(day.cycle_forward().take(7).take_while(|day| *day != last).chain([last]));
                end = after;
            }
            None => days.push(day),
        }
    }
    (!days.is_empty()).then_some((end, days))
}

/// A limit after a recurrence.
pub(super) enum Limit {
    Rule(Rule),
    /// The rule, which begins on or after a day.
    Starts(Rule, Date),
    /// A duration from its first occurrence on.
    Lasts(Sum),
    /// A limit that no rule expresses.
    Unknown,
}

/// Parses "until june", "for 6 weeks", "10 times", "except sundays" after a rule.
pub(super) fn limit(words: Words, i: usize, rule: &Rule, moment: &Moment) -> Option<(usize, Limit)> {
    let i = words.skip(i, ",");
    let until = "until|till|til|through|thru|up to and including|up until|up to|ending on|ending|ends on|ends|last one on|last one|to";
    if let Some(at) = words.any(i, until) {
        let Some((end, last)) = day(words, words.skip(at, "on"), moment) else {
            // "until 6pm" ends a time, and "to" may introduce a verb.
            let timed = words.at(i) == "to" || super::clock::clock(words, at, true).is_some();
            return (!timed).then_some((at, Limit::Unknown));
        };
        let last: Date = match (last.kind, words.at(i)) {
            (Kind::Unclear, _) => return Some((end, Limit::Unknown)),
            (Kind::Month, "through" | "thru" | "ending" | "ends") => last.date.last_of_month(),
            (Kind::Month, _) => plus_days(last.date, -1),
            _ => last.date,
        };
        return Some((end, Limit::Rule(Rule { end: Some(End::Until(last)), ..rule.clone() })));
    }
    let starts = "starting from|starting on|starting|beginning on|beginning|commencing|as of|as from|from|between";
    let led = words.any(i, starts);
    if let Some((end, first)) = day(words, led.unwrap_or(i), moment) {
        // "1 to 22 dec" is one piece, whose end was dropped.
        let inner = (i + 1..end).filter_map(|at| connector(words, at, true)).find_map(|at| day(words, at, moment));
        let inner = inner.filter(|(after, last)| *after == end && last.date > first.date);
        let last = connector(words, end, words.at(i) == "between").and_then(|at| day(words, at, moment)).or(inner);
        // "from monday to friday"
        let week = |last: Day| if last.date < first.date { plus_days(last.date, 7) } else { last.date };
        let until = |last: Day| Rule { end: Some(End::Until(week(last))), ..rule.clone() };
        if led.or(last.map(|_| i)).is_some() {
            let (end, rule) = last.map_or_else(|| (end, rule.clone()), |(after, last)| (after.max(end), until(last)));
            return Some((end, Limit::Starts(rule, first.date)));
        }
    }
    // "every day in december", "every saturday in 2027", "every day this week"
    let period = words.any(i, "in|during|throughout|of").or(matches!(words.at(i), "this" | "next").then_some(i));
    if let Some((end, first, last)) = period.and_then(|at| stretch(words, at, moment.today())) {
        let dated = rule.days.iter().any(|(nth, _)| *nth != 0);
        return Some((
            end,
            match rule.freq {
                // "every fourth thursday of november"
                Freq::Monthly if dated && month_at(words, end - 1).is_some() => {
                    Limit::Rule(Rule { freq: Freq::Yearly, month: Some(first.month()), ..rule.clone() })
                }
                Freq::Daily | Freq::Weekly if words.at(i) != "of" => {
                    let rule = Rule { end: Some(End::Until(last)), ..rule.clone() };
                    Limit::Starts(rule, first.max(moment.today()))
                }
                _ => Limit::Unknown,
            },
        ));
    }
    if let Some((end, unit)) = words.any(i, "for the next|for the coming").and_then(|at| unit(words, at)) {
        return Some((end, Limit::Lasts(Sum::of(unit, 1))));
    }
    let off = day_set(words, words.skip(i, ", but|,|but")).filter(|(end, _)| words.at(*end) == "off");
    if let Some((end, without)) = off {
        return Some((end + 1, excepted(rule, &without).map_or(Limit::Unknown, Limit::Rule)));
    }
    let but = "except for|except on|except|but not on|but not|excluding|excl .|excl|exc .|exc|w / o|apart from|other than|save for|not on|not|without|minus|save|bar|but no|but|no";
    if let Some(at) = words.any(i, but) {
        let lax = matches!(words.at(i), "but" | "not" | "without" | "minus" | "save" | "bar" | "no");
        let Some((end, without)) = day_set(words, words.skip(at, "on|for|every")) else {
            let end = day(words, words.skip(at, "on|the"), moment).map_or(at, |(end, _)| end);
            return (!lax || end > at || words.at(at - 1) == "not").then_some((end, Limit::Unknown));
        };
        return Some((end, excepted(rule, &without).map_or(Limit::Unknown, Limit::Rule)));
    }
    let (led, at) = match words.any(i, "for a total of|for the next|for|x") {
        Some(at) => (true, at),
        None => (false, i),
    };
    if let Some((end, n)) = cardinal(words, at).filter(|(_, n)| (1..=9999).contains(n)) {
        let times = words.any(end, "times|time|occurrences|x").or((words.at(i) == "x").then_some(end));
        if let Some(end) = times {
            return Some((end, Limit::Rule(Rule { end: Some(End::Count(i32::try_from(n).ok()?)), ..rule.clone() })));
        }
    }
    let (end, length) = sum(words, at).filter(|_| led)?;
    // "every year for 3 days" is a duration.
    let today = moment.today();
    let (second, _) = rule.next(rule.first(today)?, today)?;
    (length.past(rule.first(today)?, false)? > second).then_some((end, Limit::Lasts(length)))
}

/// Returns a rule of weekdays without some of them.
fn excepted(rule: &Rule, without: &[Weekday]) -> Option<Rule> {
    let days: Vec<Weekday> = match rule.freq {
        Freq::Daily => Weekday::Monday.cycle_forward().take(7).collect(),
        Freq::Weekly => rule.days.iter().map(|(_, day)| *day).collect(),
        Freq::Monthly | Freq::Yearly => vec![],
    };
    let kept: Vec<Weekday> = days.iter().filter(|day| !without.contains(day)).copied().collect();
    let fits = rule.interval == 1 && !kept.is_empty() && kept.len() < days.len();
    fits.then(|| Rule { end: rule.end, from_completion: rule.from_completion, ..Rule::weekly(&kept) })
}
