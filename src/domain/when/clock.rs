//! Times of day: "5pm", "17:00", "ten past 9", "noon", and parts of the day.

use super::numbers::cardinal;
use super::tokens::Words;
pub(super) use crate::domain::time_of_day::{Clock, Part};

const PARTS: [(&str, Part); 5] = [
    ("first thing|mornings|morning|midmorning|breakfast time|breakfasttime", Part::Morning),
    ("lunchtime|lunch time", Part::Noon),
    ("afternoons|afternoon|midafternoon|arvo|teatime", Part::Afternoon),
    ("evenings|evening|eve|dinnertime|dinner time|last thing", Part::Evening),
    ("nights|night|bedtime", Part::Night),
];

/// Meals and work, which are times only with a day and after a preposition: "before lunch on friday".
const OCCASIONS: [(&str, Part); 6] = [
    ("breakfast", Part::Morning),
    ("lunch", Part::Noon),
    ("dinner", Part::Evening),
    ("supper", Part::Evening),
    ("work", Part::Evening),
    ("bed", Part::Night),
];

/// Parses a part of the day at `i`, with its "in the". Occasions count only if a day is `near`.
pub(super) fn part(words: Words, i: usize, near: bool) -> Option<(usize, Part)> {
    let at = words.skip(i, "in the|during the|this|at");
    // "3 nights"
    if i > 0 && words.at(at).ends_with("ts") && cardinal(words, i - 1).is_some() {
        return None;
    }
    // "the evening of the 20th", or the whole text
    let at = if words.at(at) == "the" && (words.at(at + 2) == "of" || words.0.len() == 2) { at + 1 } else { at };
    let at = words.skip(at, "first thing in the|first thing|early|late|mid -|mid|later");
    let named = PARTS.iter().find_map(|(phrases, part)| words.any(at, phrases).map(|end| (end, *part)));
    let lone = || words.phrase(i, "first thing").map(|end| (end, Part::Morning));
    let occasion = || {
        let led = words.any(i, "at|after|before|by|over|around|about");
        let at = led.or(
            (i > 0 && matches!(words.at(i - 1), "at" | "after" | "before" | "by" | "over" | "around")).then_some(i)
        )?;
        let (name, part) = OCCASIONS.iter().find(|(name, _)| *name == words.at(at)).filter(|_| near)?;
        let fits = *name != "work" && *name != "bed" || matches!(words.at(at - 1), "after" | "before");
        let morning = *name == "work" && words.at(at - 1) == "before";
        fits.then_some((at + 1, if morning { Part::Morning } else { *part }))
    };
    named.or_else(lone).or_else(occasion)
}

/// Parses a time of day at `i`. `after_at` allows a bare hour ("at 5").
pub(super) fn clock(words: Words, i: usize, after_at: bool) -> Option<(usize, Clock)> {
    if let Some(end) = words.any(i, "noon|noonish|midday|12 noon|mid day") {
        return Some((end, Clock::sure(12, 0)));
    }
    if let Some(end) = words.any(i, "midnight|12 midnight") {
        return Some((end, Clock::sure(0, 0)));
    }
    // "From 5 to 7" is a range, not five minutes to seven.
    let stretch = i > 0 && matches!(words.at(i - 1), "from" | "between") && words.at(i + 1) == "to";
    let spoken = if stretch { None } else { spoken(words, i) };
    spoken.or_else(|| written(words, i, after_at))
}

/// Parses "ten past 9", "quarter to five pm", "half past 7", "three minutes to 8pm".
fn spoken(words: Words, i: usize) -> Option<(usize, Clock)> {
    let (at, minutes) = if let Some(end) = words.any(i, "a quarter|quarter") {
        (end, 15)
    } else if let Some(end) = words.phrase(i, "half") {
        (end, 30)
    } else {
        let (end, minutes) = cardinal(words, i)?;
        let after = words.skip(end, "minutes|minute|mins|min");
        // "9 to 5" is not nine minutes to five.
        if after == end && minutes % 5 != 0 {
            return None;
        }
        (after, minutes)
    };
    let (at, before) = match words.at(at) {
        "past" | "after" => (at + 1, false),
        "to" | "before" | "till" | "of" if minutes != 30 => (at + 1, true),
        _ if minutes == 30
            && words.at(i) == "half"
            && cardinal(words, at).is_some_and(|(_, hour)| (1..=12).contains(&hour)) =>
        {
            (at, false)
        }
        _ => return None,
    };
    if !(1..=59).contains(&minutes) {
        return None;
    }
    let (end, clock) = if words.at(at) == "noon" || words.at(at) == "midnight" {
        clock(words, at, true)?
    } else {
        let (end, hour) = cardinal(words, at)?;
        halved(words, end, hour, 0)?
    };
    let total = i64::from(clock.hour) * 60 + if before { -minutes } else { minutes };
    let total = total.rem_euclid(24 * 60);
    Some((end, Clock { hour: i8::try_from(total / 60).ok()?, minute: i8::try_from(total % 60).ok()?, ..clock }))
}

/// Parses "17:00", "8.30pm", "eight forty am", "10 o'clock", "5 pm", and "5" after "at".
fn written(words: Words, i: usize, after_at: bool) -> Option<(usize, Clock)> {
    let digits = words.0.get(i)?.digits().is_some();
    let (end, hour) = cardinal(words, i)?;
    // "5ish" is an hour.
    let ish = words.glued(end) && (words.at(end) == "ish" || words.phrase(end, "- ish").is_some());
    let after_at = after_at || ish;
    if hour > 24 {
        return military(words, i, after_at);
    }
    let colon = matches!(words.at(end), ":" | "." | "h") && words.glued(end) && words.glued(end + 1) && digits;
    if colon && words.0.get(end + 1)?.text.len() == 2 {
        let minute = words.0[end + 1].digits().filter(|minute| *minute < 60)?;
        let seconds = words.at(end + 2) == ":"
            && words.glued(end + 2)
            && words.0.get(end + 3).is_some_and(|t| t.digits().is_some());
        let after = if seconds { end + 4 } else { end + 2 };
        let (stop, clock) = halved(words, after, hour, minute)?;
        let dotted = words.at(end) == ".";
        // "14.12." is a date.
        let closed = dotted && minute <= 12 && words.at(end + 2) == "." && words.glued(end + 2);
        let zero_led = words.0[i].text.starts_with('0');
        if dotted && !clock.sure && !after_at || closed && (!after_at || words.0.len() > end + 3) {
            return None;
        }
        let unit = if zero_led || hour > 6 { words.skip(stop, "uhr|hrs|hours|h") } else { stop };
        let stop = if stop == after { unit } else { stop };
        return Some((stop, Clock { sure: clock.sure || zero_led, written: true, ..clock }));
    }
    let short = matches!(words.at(end), "a" | "p") && words.at(end + 1) != ".";
    if let Some(clock) = halved(words, end, hour, 0).filter(|(_, clock)| clock.sure && clock.hour <= 24)
        && clock.0 > end
        && (after_at || !short)
    {
        return Some(clock);
    }
    if let Some(after) = words.phrase(end, "uhr").filter(|_| (1..24).contains(&hour)) {
        return Some((after, Clock::sure(i8::try_from(hour).ok()?, 0)));
    }
    if let Some(after) = words.any(end, "o'clock|oclock|o ' clock") {
        return halved(words, after, hour, 0);
    }
    // "at 3 15": two digits not followed by something that they could count.
    let figures = words.0.get(end).is_some_and(|next| next.text.len() == 2 && next.digits().is_some())
        && !words.glued(end)
        && hour < 24
        && after_at
        && (words.0.get(end + 1).is_none_or(|next| !next.is_word())
            || ["this", "today", "tomorrow", "tonight", "on", "in", "to", "am", "pm", "every", "sharp"]
                .contains(&words.at(end + 1)));
    if let Some((after, minute)) = cardinal(words, end).filter(|(_, minute)| (1..=59).contains(minute))
        && (!digits || figures)
        && let Some(clock) = halved(words, after, hour, minute).filter(|(stop, _)| after_at || *stop > after)
    {
        return Some(clock);
    }
    (after_at && (1..=23).contains(&hour)).then_some((end, Clock { sure: hour > 12, ..Clock::sure(hour as i8, 0) }))
}

/// Parses "18h", which the caller accepts with a day or "at"; alone it is a duration.
pub(super) fn hours(words: Words, i: usize) -> Option<(usize, Clock)> {
    let hour = words.0.get(i)?.digits().filter(|hour| (7..24).contains(hour))?;
    let unit = words.at(i + 1) == "h" && words.glued(i + 1);
    let goes_on = words.0.get(i + 2).is_some_and(|next| next.is_word())
        && !matches!(words.at(i + 2), "to" | "for" | "with" | "and" | "at" | "in" | "on" | "call" | "meet");
    let clock = Clock::sure(i8::try_from(hour).ok()?, 0);
    (unit && !goes_on).then_some((i + 2, clock))
}

/// Parses "0800" and "1730", only after "at" or with "hours".
fn military(words: Words, i: usize, after_at: bool) -> Option<(usize, Clock)> {
    let token = words.0.get(i)?;
    let number = token.digits().filter(|n| token.text.len() == 4 && n / 100 < 24 && n % 100 < 60)?;
    let end = words.skip(i + 1, "hours|hrs|h");
    let clock = Clock::sure(i8::try_from(number / 100).ok()?, i8::try_from(number % 100).ok()?);
    (after_at || end > i + 1).then_some((end, clock))
}

/// Completes an hour and minute with an optional "am" or "pm".
fn halved(words: Words, i: usize, hour: i64, minute: i64) -> Option<(usize, Clock)> {
    let dotted = |half: &str| words.phrase(i, &format!("{half} . m")).map(|end| words.skip(end, "."));
    let (end, half) = if let Some(end) = words.any(i, "pm|p m").or_else(|| dotted("p")) {
        (end, Some(12))
    } else if let Some(end) = words.any(i, "am|a m").or_else(|| dotted("a")) {
        (end, Some(0))
    } else if matches!(words.at(i), "a" | "p") && words.glued(i) && !words.glued(i + 1) {
        (i + 1, Some(if words.at(i) == "p" { 12 } else { 0 }))
    } else {
        (i, None)
    };
    let hour = i8::try_from(hour).ok()?;
    let minute = i8::try_from(minute).ok()?;
    match half {
        Some(add) if (1..=12).contains(&hour) => Some((end, Clock::sure(hour % 12 + add, minute))),
        Some(_) => None,
        None => (hour < 24).then_some((end, Clock { sure: hour > 12 || hour == 0, ..Clock::sure(hour, minute) })),
    }
}
