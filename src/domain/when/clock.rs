//! Times of the day: "5pm", "17:00", "ten past 9", "noon", and parts of the day.

use jiff::civil::Time;

use super::numbers::cardinal;
use super::tokens::Words;

/// A time as said; a bare hour does not yet know which half of the day it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    pub hour: i8,
    pub minute: i8,
    /// Whether the half of the day was said or follows from the way it was written.
    pub sure: bool,
}

/// A part of the day: it makes hours sure and, alone, names a day but no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Morning,
    Noon,
    Afternoon,
    Evening,
}

const PARTS: [(&str, Part); 17] = [
    ("eod", Part::Evening),
    ("end of day", Part::Evening),
    ("cob", Part::Evening),
    ("first thing", Part::Morning),
    ("morning", Part::Morning),
    ("mornings", Part::Morning),
    ("lunchtime", Part::Noon),
    ("lunch time", Part::Noon),
    ("afternoon", Part::Afternoon),
    ("afternoons", Part::Afternoon),
    ("arvo", Part::Afternoon),
    ("evening", Part::Evening),
    ("evenings", Part::Evening),
    ("eve", Part::Evening),
    ("night", Part::Evening),
    ("nights", Part::Evening),
    ("teatime", Part::Afternoon),
];

impl Clock {
    /// The time with `part` telling the half of the day where the time itself did not.
    pub fn within(self, part: Option<Part>) -> Self {
        let hour = match part {
            _ if self.sure => self.hour,
            Some(Part::Morning) => self.hour % 12,
            Some(Part::Afternoon) => self.hour % 12 + 12,
            Some(Part::Noon) if self.hour < 11 => self.hour + 12,
            Some(Part::Evening) if (1..12).contains(&self.hour) => self.hour + 12,
            Some(Part::Evening) if self.hour == 12 => 0,
            Some(Part::Noon | Part::Evening) | None => self.hour,
        };
        Self { hour, sure: self.sure || part.is_some(), ..self }
    }

    /// The civil time; an unsure hour from 1 to 6 is meant in the afternoon, as people's waking hours are.
    pub fn time(self) -> Time {
        let hour = if !self.sure && (1..=6).contains(&self.hour) { self.hour + 12 } else { self.hour };
        Time::new(hour, self.minute, 0, 0).unwrap_or(Time::midnight())
    }
}

/// A part of the day at `i`, with its "in the".
pub(super) fn part(words: Words, i: usize) -> Option<(usize, Part)> {
    let at = words.skip(i, &["in the", "during the", "this", "at"]);
    PARTS.iter().find_map(|(phrase, part)| words.phrase(at, phrase).map(|end| (end, *part)))
}

/// A time of the day at `i`. `after_at` allows a bare hour ("at 5").
pub(super) fn clock(words: Words, i: usize, after_at: bool) -> Option<(usize, Clock)> {
    if let Some(end) = words.any(i, &["noon", "midday", "12 noon", "mid day"]) {
        return Some((end, Clock { hour: 12, minute: 0, sure: true }));
    }
    if let Some(end) = words.any(i, &["midnight", "12 midnight"]) {
        return Some((end, Clock { hour: 0, minute: 0, sure: true }));
    }
    // "From 5 to 7" is a stretch of time, not five minutes to seven.
    let stretch = i > 0 && words.at(i - 1) == "from" && words.at(i + 1) == "to";
    let spoken = if stretch { None } else { spoken(words, i) };
    spoken.or_else(|| written(words, i, after_at))
}

/// "ten past 9", "quarter to five pm", "half past 7", "three minutes to 8pm".
fn spoken(words: Words, i: usize) -> Option<(usize, Clock)> {
    let (at, minutes) = if let Some(end) = words.any(i, &["a quarter", "quarter"]) {
        (end, 15)
    } else if let Some(end) = words.phrase(i, "half") {
        (end, 30)
    } else {
        let (end, minutes) = cardinal(words, i)?;
        let after = words.skip(end, &["minutes", "minute", "mins", "min"]);
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

/// "17:00", "8.30pm", "eight forty am", "10 o'clock", "5 pm", and "5" after "at".
fn written(words: Words, i: usize, after_at: bool) -> Option<(usize, Clock)> {
    let digits = words.0.get(i)?.digits().is_some();
    let (end, hour) = cardinal(words, i)?;
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
        let zero_led = words.0[i].text.starts_with('0');
        if dotted && !clock.sure && !after_at {
            return None;
        }
        return Some((stop, Clock { sure: clock.sure || zero_led, ..clock }));
    }
    if let Some(clock) = halved(words, end, hour, 0).filter(|(_, clock)| clock.sure && clock.hour <= 24)
        && clock.0 > end
    {
        return Some(clock);
    }
    if let Some(after) = words.any(end, &["o'clock", "oclock", "o ' clock"]) {
        return halved(words, after, hour, 0);
    }
    // "at 3 15": two figures, with nothing that they could count.
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
    (after_at && (1..=23).contains(&hour)).then_some((end, Clock { hour: hour as i8, minute: 0, sure: hour > 12 }))
}

/// "18h", where a day or "at" says that it is a time: alone it is how long something takes.
pub(super) fn hours(words: Words, i: usize) -> Option<(usize, Clock)> {
    let hour = words.0.get(i)?.digits().filter(|hour| (7..24).contains(hour))?;
    let unit = words.at(i + 1) == "h" && words.glued(i + 1);
    let goes_on = words.0.get(i + 2).is_some_and(|next| next.is_word())
        && !matches!(words.at(i + 2), "to" | "for" | "with" | "and" | "at" | "in" | "on" | "call" | "meet");
    let clock = Clock { hour: i8::try_from(hour).ok()?, minute: 0, sure: true };
    (unit && !goes_on).then_some((i + 2, clock))
}

/// "0800" and "1730", only after "at" or with "hours".
fn military(words: Words, i: usize, after_at: bool) -> Option<(usize, Clock)> {
    let token = words.0.get(i)?;
    let number = token.digits().filter(|n| token.text.len() == 4 && n / 100 < 24 && n % 100 < 60)?;
    let end = words.skip(i + 1, &["hours", "hrs", "h"]);
    let clock = Clock { hour: i8::try_from(number / 100).ok()?, minute: i8::try_from(number % 100).ok()?, sure: true };
    (after_at || end > i + 1).then_some((end, clock))
}

/// An hour and minute with the "am" or "pm" that may follow.
fn halved(words: Words, i: usize, hour: i64, minute: i64) -> Option<(usize, Clock)> {
    let dotted = |half: &str| words.phrase(i, &format!("{half} . m")).map(|end| words.skip(end, &["."]));
    let (end, half) = if let Some(end) = words.any(i, &["pm", "p m"]).or_else(|| dotted("p")) {
        (end, Some(12))
    } else if let Some(end) = words.any(i, &["am", "a m"]).or_else(|| dotted("a")) {
        (end, Some(0))
    } else {
        (i, None)
    };
    let hour = i8::try_from(hour).ok()?;
    let minute = i8::try_from(minute).ok()?;
    match half {
        Some(add) if (1..=12).contains(&hour) => Some((end, Clock { hour: hour % 12 + add, minute, sure: true })),
        Some(12) if hour < 24 => Some((end, Clock { hour, minute, sure: true })),
        Some(_) => None,
        None => (hour < 24).then_some((end, Clock { hour, minute, sure: hour > 12 || hour == 0 })),
    }
}
