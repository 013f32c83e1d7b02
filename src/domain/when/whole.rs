//! Checks that a date phrase in a sentence was understood completely: no word inside, before or after it may change its meaning.
//! A partial phrase is never used.

use super::When;
use super::calendar::{connector, year};
use super::clock::{clock, part};
use super::day::day;
use super::numbers::{cardinal, month_at, weekday};
use super::recur::recurrence;
use super::span::{sum, unit};
use super::tokens::{Moment, Token, Words, lists};
use crate::domain::task::Due;
use crate::domain::time::CivilDate;

/// Words before a phrase that change its meaning.
const TURNS: &str = "not before|no earlier than|not earlier than|not until|any time after|anytime after|sometime after|on or after|\
    until after|till after|since|in less than|in under|within less than|a day after|the eve of|eve of";

/// Words that, right before a phrase, make it part of something larger.
const HOLDS: &str =
    "except but not than otherwise unless penultimate every each next last nxt since once either re hundred";

/// Words after a recurrence that limit it in ways no rule expresses; the second list only before a day.
const LIMITS: [&str; 2] = [
    "not skip skipping except but unless without excluding that which minus bar last next until till when while",
    "in during over of from to between after before",
];

/// Words between a phrase and another that belongs to it.
const LINKS: &str = ", and|, or|and on|or on|and at|or at|and|or|&|,|/|+|(|;|-|–|else|otherwise|if not|not on|not|failing that|then|if|on|at|the";

/// Returns true if the phrase from `start` to `end` means exactly what was parsed.
pub(super) fn whole(words: Words, start: usize, end: usize, when: &When, moment: &Moment) -> bool {
    let repeats = when.recurrence.is_some();
    !(turned(words, start, end, moment)
        || vague(words, start, end)
        || held(words, start)
        || bygone(words, start, end, when, moment)
        || over(words, start, end, when, moment)
        || repeats && start > 0 && words.at(start - 1) == "day"
        || misread(words, start, end)
        || follows(words, start, moment)
        || cut_short(words, start, end)
        || repeats && limited(words, end, moment)
        || goes_on(words, end, repeats, moment))
}

/// Recognises "not before friday", "after 10 dec", "the evening before 5 dec", "friday at the earliest".
fn turned(words: Words, start: usize, end: usize, moment: &Moment) -> bool {
    let dated = |at: usize| day(words, at + 1, moment).is_some();
    let beside = |at: usize| {
        let edge = at == start && matches!(words.at(at), "after" | "past" | "about");
        let part = at > 0 && matches!(words.at(at), "before" | "after") && part(words, at - 1, false).is_some();
        (edge || part) && dated(at) || words.phrase(at, "eve of").is_some() || words.at(at) == "earliest"
    };
    let led = [start.saturating_sub(1), start, words.skip(start, "on|the|by")];
    (start..end).any(beside) || led.into_iter().any(|at| words.any(at, TURNS).is_some_and(|to| to > start))
}

/// Recognises periods rather than days: "in 2-3 days", "in a day or two", "second half of january".
fn vague(words: Words, start: usize, end: usize) -> bool {
    let either = |at: usize| {
        let next = words.any(at, "or|-|–|to").and_then(|next| cardinal(words, next));
        let counted = next.is_some_and(|(after, _)| unit(words, after).is_some());
        at > start
            && next.is_some_and(|(after, _)| after <= end)
            && (counted || unit(words, at - 1).is_some())
            && (words.at(at) == "or" || words.0[at - 1].digits().is_some())
    };
    let lasting = words.at(start) == "for" && sum(words, start + 1).is_some_and(|(after, _)| after < end);
    // "20 lengths in 30 minutes"
    let counted = start > 1 && words.at(start - 1).ends_with('s') && cardinal(words, start - 2).is_some();
    let pace = counted && words.at(start) == "in" && lists("minutes min mins hours seconds", words.at(end - 1));
    let within = words.at(start) == "between" && words.at(end) == "and";
    lasting || pace || within || (start..end).any(|at| either(at) || words.any(at, "half of").is_some())
}

/// Recognises phrases that belong to the words before: "except friday", "every christmas", "31 april", "wk 50 friday".
fn held(words: Words, start: usize) -> bool {
    const PAIRS: &str =
        "apart from|away from|instead of|rather than|other than|except for|except on|except the|but on|but not";
    let Some(before) = start.checked_sub(1) else { return false };
    let holds = lists(HOLDS, words.at(before)) && !words.0[before].loud;
    let pair = words.any(before.saturating_sub(1), PAIRS) == Some(start);
    let week = before > 0 && lists("wk week cw kw", words.at(before - 1));
    let number = words.0[before].digits().is_some() && (week || month_at(words, start).is_some());
    let rank = words.at(before) == "to" && words.at(start) == "last" || words.any(before, "thing after").is_some();
    let counted =
        |back: usize| start.checked_sub(back).and_then(|at| sum(words, at)).is_some_and(|(end, _)| end == start);
    let amount = lists("before after past from", words.at(start)) && (1..5).any(counted);
    // "Do 3.12."
    let german =
        lists("mo di mi do fr sa so", words.at(before)) && words.0[before].capital && words.at(start + 1) == ".";
    holds || german || pair || number || rank || amount
}

/// Recognises past days and two sides of a change: "invoice from 3 november", "sales of oct 2026", "swap from tue to thu".
fn bygone(words: Words, start: usize, end: usize, when: &When, moment: &Moment) -> bool {
    let Ok(due) = CivilDate::parse(when.due.day()) else { return false };
    let ahead = (due.to_jiff() - moment.today()).get_days();
    let holds = |word: &str| (start..end).any(|at| words.at(at) == word);
    let yearly = words.0[start..end].iter().any(|token| token.digits().is_some_and(|n| n >= 1900));
    let from = words.at(start) == "from" || when.recurrence.is_some() && holds("from");
    let swapped =
        moment.ranges && lists("swap change move switch reschedule shift convert", words.at(0)) && holds("to");
    let dated = start > 0 && words.at(start - 1) == "dated";
    ahead < -300 && yearly || from && (ahead < 0 || !yearly && ahead > 270 || swapped) || dated
}

/// Recognises an hour that has passed on today's day of the month: "27th at 9am". Also recognises a midnight that may belong to either day
/// ("31 dec midnight"), and a repetition without a rule ("recurring friday").
fn over(words: Words, start: usize, end: usize, when: &When, moment: &Moment) -> bool {
    let holds = |list: &str| (start..end).find(|at| lists(list, words.at(*at)));
    let Due::At { at, .. } = &when.due else {
        let past = CivilDate::parse(when.due.day()).is_ok_and(|day| day.to_jiff() < moment.today());
        let norule = when.recurrence.is_none() && lists("repeating recurring repeated repeats", words.at(start));
        return norule || past && holds("this").is_some();
    };
    let passed = at.to_jiff() <= moment.now.timestamp()
        && CivilDate::parse(when.due.day()).is_ok_and(|day| day.to_jiff() == moment.today());
    let midnight = holds("midnight").filter(|at| *at == start || !lists("by before until till", words.at(at - 1)));
    let dated = || (start..end).any(|at| day(words, at, moment).is_some()) && holds("tonight").is_none();
    passed && holds("st nd rd th last first second third fourth").is_some() || midnight.is_some() && dated()
}

/// Recognises an unparsed day or time before: "sat & sun 3pm", "morning and evening tomorrow", "5, 12, 19 december".
fn follows(words: Words, start: usize, moment: &Moment) -> bool {
    let Some(other) = start.checked_sub(2) else { return false };
    let parted = |at: usize| part(words, at, false).is_some();
    let day_before = weekday(words.at(other)).is_some() && !words.at(other).ends_with("'s");
    let number = words.0[start].digits().is_some() && words.0[other].digits().is_some();
    let listed = lists("& and or , / + - – to", words.at(start - 1)) && (day_before || parted(other) || number);
    // "morning and evening on sunday"
    let parts = start > 2 && parted(start - 1) && parted(start - 3);
    let timed = clock(words, start, false).is_some() || day(words, start, moment).is_some();
    listed || parts || timed && clock(words, other, false).is_some_and(|(end, clock)| end == start && clock.sure)
}

/// Recognises invalid times next to the phrase: "monday 25:00", "tomorrow 3 pmm".
fn misread(words: Words, start: usize, end: usize) -> bool {
    let odd = |at: usize| {
        let hour = words.0.get(at)?.digits()?;
        let mark = words.at(at + 1);
        let minutes = words.0.get(at + 2).filter(|next| next.text.len() == 2 && next.glued && words.glued(at + 1));
        if let Some(minutes) = minutes.and_then(Token::digits).filter(|_| lists(": ; ∶ u", mark)) {
            let wrong = mark != ":" || hour >= 24 || minutes >= 60 || lists("am pm", words.at(at + 3));
            return wrong.then(|| words.skip(at + 3, "am|pm"));
        }
        lists("am pm ppm pmm amm pn u", mark).then_some(at + 2)
    };
    let before = |back: usize| start.checked_sub(back).is_some_and(|at| odd(at) == Some(start));
    odd(words.skip(end, "at|,|@")).is_some() || (2..5).any(before)
}

/// Recognises an incomplete parse: "5 jan 9am 2028", "in a month and a half", "9am monday fortnight".
fn cut_short(words: Words, start: usize, end: usize) -> bool {
    let month = (start..end).any(|at| month_at(words, at).is_some());
    let yearly = month && year(words, end).is_some_and(|(_, year)| year >= 2000);
    let more = "and a half|and half|hundred|or so after|is over|week|fortnight|after next|the year after";
    // "7.30 for 8"
    let digits = |at: usize| words.0.get(at).and_then(Token::digits);
    let timed = end > start + 2 && lists(". :", words.at(end - 2)) && words.at(end) == "for";
    let later =
        timed && digits(end + 1).zip(digits(end - 3)).is_some_and(|(later, hour)| later == hour || later == hour + 1);
    yearly || later || words.any(end, more).is_some()
}

/// Recognises limits: "every monday that is no holiday", "every friday, not 25 december".
fn limited(words: Words, end: usize, moment: &Moment) -> bool {
    let at = words.skip(end, ", (|(|,|-");
    let dated = day(words, at + 1, moment).is_some() || words.at(at + 1) == "i";
    lists(LIMITS[0], words.at(at)) || lists(LIMITS[1], words.at(at)) && dated || words.any(at, "on a|on an").is_some()
}

/// Returns true if another, unparsed day or time follows: "sat, sun", "at 8, 14 and 20", "monday, not tuesday".
fn goes_on(words: Words, end: usize, repeats: bool, moment: &Moment) -> bool {
    let mut at = end;
    while let Some(next) = words.any(at, LINKS).filter(|_| at < end + 5) {
        at = next;
    }
    // The rules read "at 3pm now, not 2pm" as a correction.
    if !moment.ranges && words.any(end, ", not|not|, and not|and not|now").is_some() {
        return false;
    }
    if at == end {
        // "3pm monday 4pm"
        return clock(words, end, false).is_some_and(|(_, clock)| clock.sure && !words.glued(end));
    }
    let closes = |end: usize| words.0.get(end).is_none_or(|next| !next.is_word() || lists("and or", &next.text));
    let number = words.0.get(at).and_then(Token::digits).is_some_and(|n| (1..=31).contains(&n));
    let bare = number && (closes(at + 1) || connector(words, at + 1, true).is_some());
    let dated = day(words, at, moment).is_some() || clock(words, at, false).is_some_and(|(_, clock)| clock.sure);
    let named = dated && !words.at(at).ends_with("'s") && words.at(at + 1) != "'";
    let time = part(words, at, false).is_some_and(|(end, _)| closes(end));
    let month = month_at(words, at).is_some() && words.0[at].capital || words.any(at, "day after|day before").is_some();
    bare || named || time || month || repeats && recurrence(words, at).is_some()
}
