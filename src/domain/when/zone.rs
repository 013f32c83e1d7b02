//! Time zones after times: "9am EST", "14:00 UTC+2", "10am New York time".

use jiff::tz::{Offset, TimeZone, db};

use super::openers::opens;
use super::sentence::goes_on;
use super::tokens::{Moment, Words, lists};

/// One zone per line: its IANA name and its abbreviations. Those of two letters, or that are words, count only in capitals.
const SHORT: &str = include_str!("zones.txt");

/// Parses the zone of a time that ends before `i`; `None` as zone if it is unknown.
pub(super) fn zone(words: Words, i: usize, moment: &Moment) -> Option<(usize, Option<TimeZone>)> {
    let at = words.skip(i, "(");
    let (end, zone) = offset(words, at).map(|(end, zone)| (end, Some(zone))).or_else(|| named(words, at, moment))?;
    if at == i { Some((end, zone)) } else { words.phrase(end, ")").map(|end| (end, zone)) }
}

/// Parses "Z", "+05:30", "UTC", "GMT+2".
fn offset(words: Words, i: usize) -> Option<(usize, TimeZone)> {
    let utc = words.any(i, "utc|gmt|z").filter(|_| words.at(i) != "z" || words.glued(i));
    let at = utc.unwrap_or(i);
    let shift = || {
        let sign = match words.at(at) {
            "+" => 1,
            "-" | "−" => -1,
            _ => return None,
        };
        let hours = words.0.get(at + 1)?.digits().filter(|hours| words.glued(at) && *hours <= 14)?;
        let minutes =
            words.0.get(at + 3).and_then(|t| t.digits()).filter(|_| words.at(at + 2) == ":" && words.glued(at + 2));
        let seconds = i32::try_from(sign * (hours * 60 + minutes.unwrap_or(0)) * 60).ok()?;
        let zone = TimeZone::fixed(Offset::from_seconds(seconds).ok()?);
        (utc.is_some() || minutes.is_some()).then_some((at + if minutes.is_some() { 4 } else { 2 }, zone))
    };
    shift().or_else(|| utc.map(|end| (end, TimeZone::UTC)))
}

/// Parses "EST", "Europe/Paris", "Tokyo time", "local time".
fn named(words: Words, i: usize, moment: &Moment) -> Option<(usize, Option<TimeZone>)> {
    // "5pm CT scan", "9am local council"
    let noun = |end: usize| {
        words.0.get(end).is_some_and(|next| next.is_word()) && !opens(words, end) && !goes_on(words.at(end))
    };
    if lists("et ct mt pt est eastern pacific local here", words.at(i)) && words.at(i + 1) != "time" && noun(i + 1) {
        return None;
    }
    if let Some(end) = words.any(i, "local time|local|my time|our time|here") {
        return Some((end, Some(moment.now.time_zone().clone())));
    }
    if let Some(end) = words.any(i, "their time|your time|his time|her time") {
        return Some((end, None));
    }
    let token = words.0.get(i)?;
    let is_name = token.loud || token.capital && token.text.len() > 5;
    let loud = if is_name { token.text.to_uppercase() } else { String::new() };
    if let Some(name) = short(|name| name == token.text || name == loud) {
        return Some((words.skip(i + 1, "time"), TimeZone::get(name).ok()));
    }
    if matches!(loud.as_str(), "IST" | "SST" | "AST" | "PKT" | "WIB" | "BRT") {
        return Some((i + 1, None));
    }
    let glued = (i + 1..words.0.len()).find(|at| !words.glued(*at)).unwrap_or(words.0.len()).min(i + 8);
    if words.at(i + 1) == "/" && token.capital {
        let name: String = words.0[i..glued].iter().map(|token| token.text.as_str()).collect();
        return TimeZone::get(&name).ok().map(|zone| (glued, Some(zone)));
    }
    let bracket = i > 0 && words.at(i - 1) == "(" && words.at(i + 1) == ")";
    let time = (i + 1..i + 4).find(|at| words.at(*at) == "time" || bracket).filter(|_| token.capital)?;
    let city = words.0[i..time].iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join("_");
    let region = short(|name| name == city.to_uppercase());
    let full = db()
        .available()
        .find(|name| name.as_str().rsplit('/').next().is_some_and(|last| last.eq_ignore_ascii_case(&city)));
    let name = region.map(str::to_owned).or_else(|| full.map(|name| name.as_str().to_owned()));
    (!bracket || name.is_some()).then_some(())?;
    Some((time + usize::from(!bracket), name.and_then(|name| TimeZone::get(&name).ok())))
}

/// Returns the zone that has such an abbreviation.
fn short(is: impl Fn(&str) -> bool) -> Option<&'static str> {
    SHORT
        .lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(_, names)| names.split(' ').any(&is))
        .map(|(zone, _)| zone)
}
