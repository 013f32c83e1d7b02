//! Periods of a list query: "today and tomorrow", "this weekend and next week", "14 to 16 dec", "until friday".

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use crate::domain::task::Status;
use crate::domain::time::CivilDate;
use crate::domain::when;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::days;
use crate::llm::rules::read::intent::ListQuery;
use crate::llm::rules::read::pattern::fit;
use crate::llm::rules::read::target::number;

/// An inclusive range of days; `None` is unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::llm::rules) struct Period {
    pub from: Option<Date>,
    pub to: Option<Date>,
}

/// Maximum words of a date phrase.
const LONGEST: usize = 5;
/// Maximum words of a question that is searched for a period.
const MOST: usize = 24;
/// Words that join two periods.
const AND: Set = set("and|or|plus|then");
/// Words between the first and the last day.
const TO: Set = set("to|till|until|til|through|thru");
/// Words before a last day.
const UNTIL: Set = set("until|till|til|by|before|up");
/// Words before a first day.
const FROM: Set = set("from|after|since|starting");

/// A stretch of words that is a period.
struct Piece {
    first: usize,
    last: usize,
    from: Date,
    to: Date,
}

/// Extracts a period of more than a day, other than "this week", from a list question. Returns the period and the question for today.
pub(in crate::llm::rules) fn cut(clause: &[Word], context: Context) -> Option<(Period, Vec<Word>)> {
    const ASKS: Set = set(
        "what|whats|which|show|list|do|did|is|are|have|anything|any|how|tell|give|see|view|read|got|my|TASKS|LIST|display|am|everything|all|today|\
         tomorrow|todays|and|so|can|could|this|next|please",
    );
    if !clause.iter().find(|word| !word.is_mark()).is_some_and(|first| ASKS.has(&first.key)) {
        return None;
    }
    if clause.len() > MOST {
        return None;
    }
    let today = today(context)?;
    let pieces = pieces(clause, today, context);
    let (first, last) = (pieces.first()?, pieces.last()?);
    let key = |at: Option<usize>| at.and_then(|at| clause.get(at)).map_or("", |word| word.key.as_str());
    // The date may include its preposition.
    let own = clause[first.first].key.as_str();
    let led = if UNTIL.has(own) || FROM.has(own) { own } else { key(first.first.checked_sub(1)) };
    let between = |pair: &[Piece]| clause[pair[0].last + 1..pair[1].first].iter();
    let joins = |word: &Word| {
        word.is_mark() || AND.has(&word.key) || TO.has(&word.key) || set!("on|the|for|of|due").has(&word.key)
    };
    if !pieces.windows(2).all(|pair| between(pair).all(joins)) {
        return None;
    }
    let from = pieces.iter().map(|piece| piece.from).min()?;
    let to = pieces.iter().map(|piece| piece.to).max()?;
    let alone = pieces.len() == 1;
    let period = match led {
        led if alone && UNTIL.has(led) => {
            Period { from: None, to: if led == "before" { first.from.yesterday().ok() } else { Some(to) } }
        }
        led if alone && FROM.has(led) => {
            Period { from: if led == "after" { to.tomorrow().ok() } else { Some(from) }, to: None }
        }
        _ => Period { from: Some(from), to: Some(to) },
    };
    // "this week" is a value of the filter `due`.
    let is_named =
        alone && clause[first.first..=first.last].windows(2).any(|pair| pair[0].key == "this" && pair[1].key == "week");
    if period.from == period.to || is_named && period.from.is_some() && period.to.is_some() {
        return None;
    }
    let mut start = first.first;
    while start > 0
        && set!("from|between|until|till|til|by|before|after|since|starting|up|to|in|over|on|for|the|within|during")
            .has(key(Some(start - 1)))
    {
        start -= 1;
    }
    let mut end = last.last;
    while set!("on|onwards|onward|inclusive|included|or|earlier|later|sooner").has(key(Some(end + 1))) {
        end += 1;
    }
    let mut rest: Vec<Word> = clause[..start].to_vec();
    let (begin, until) = (clause[start].start, clause[end].end);
    rest.push(Word { key: "todays".into(), start: begin, end: until, kind: Kind::Plain });
    rest.extend_from_slice(&clause[end + 1..]);
    Some((period, rest))
}

/// Returns the periods of a clause, in order.
fn pieces(clause: &[Word], today: Date, context: Context) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = vec![];
    let mut at = 0;
    while at < clause.len() {
        let found = next_days(clause, at, today)
            .or_else(|| dated(clause, at, today, context))
            .or_else(|| of_same_month(clause, at, pieces.last()));
        match found {
            Some(piece) => {
                at = piece.last + 1;
                pieces.push(piece);
            }
            None => at += 1,
        }
    }
    pieces
}

/// Parses "the next 3 days" or "next two weeks".
fn next_days(clause: &[Word], at: usize, today: Date) -> Option<Piece> {
    let led = clause[at..].iter().take(2).take_while(|word| set!("in|over|within|during|the").has(&word.key)).count();
    let (first, at) = (at, at + led);
    let key = |ahead: usize| clause.get(at + ahead).map_or("", |word| word.key.as_str());
    let count = match key(1) {
        "few" | "couple" => 3,
        count => number(count, true).filter(|count| (1..=366).contains(count))?,
    };
    let days = match key(2) {
        "day" | "days" => count,
        "week" | "weeks" => count * 7,
        _ => return None,
    };
    let to = today.checked_add(Span::new().try_days(days - 1).ok()?).ok()?;
    matches!(key(0), "next" | "coming" | "following").then_some(Piece { first, last: at + 2, from: today, to })
}

/// Parses a date phrase at `at` as a range of days; also the number before one: "14 to 16 dec".
fn dated(clause: &[Word], at: usize, today: Date, context: Context) -> Option<Piece> {
    let Some((last, day)) = day_at(clause, at, context) else { return numbered(clause, at, today, context) };
    let said = |key: &str| clause[at..=last].iter().any(|word| word.key == key);
    let (from, to) = if said("weekend") {
        (day, day.checked_add(1.day()).ok()?)
    } else if said("week") && said("next") {
        (day, day.checked_add(6.days()).ok()?)
    } else if said("week") && said("this") {
        (today, today.checked_add(6.days()).ok()?)
    } else if said("month") && said("next") {
        (day.first_of_month(), day.last_of_month())
    } else if said("month") && said("this") {
        (today, today.last_of_month())
    } else {
        (day, day)
    };
    Some(Piece { first: at, last, from, to })
}

/// Returns the longest date phrase at `at`, with the index of its last word.
pub(in crate::llm::rules) fn day_at(clause: &[Word], at: usize, context: Context) -> Option<(usize, Date)> {
    let joined = |word: &Word| word.is_mark() || AND.has(&word.key) || TO.has(&word.key);
    let most = clause[at..].iter().take(LONGEST).take_while(|word| !joined(word)).count();
    (0..most).rev().find_map(|ahead| {
        let stretch = &clause[at..=at + ahead];
        let led = UNTIL.has(&stretch[0].key)
            || FROM.has(&stretch[0].key)
            || matches!(stretch[0].key.as_str(), "between" | "due");
        if led || days::clock_only(stretch) {
            return None;
        }
        // A number alone may be a task.
        if stretch.iter().all(|word| word.key.starts_with(|c: char| c.is_ascii_digit() || c == '#')) {
            return None;
        }
        let found = context.date(stretch).filter(|found| found.recurrence.is_none())?;
        Some((at + ahead, CivilDate::parse(found.due.day()).ok()?.to_jiff()))
    })
}

/// Parses a question that is only a day or period: "today?", "show tomorrow", "what about this weekend?".
pub(in crate::llm::rules) fn bare(message: &[Word], context: Context) -> Option<ListQuery> {
    let words: Vec<Word> = message.iter().filter(|word| !word.is_mark()).cloned().collect();
    if words.len() > MOST {
        return None;
    }
    const LEADS: [&str; 5] = [
        "show|list|see|view|display|whats me? up|on? for? the? *x",
        "what|how about *x",
        "and|so *x",
        "anything|something for|on? *x",
        "*x",
    ];
    let lead = LEADS.iter().position(|pattern| fit(pattern, &words).is_some())?;
    let (_, from, to) = fit(LEADS[lead], &words)?.into_iter().next()?;
    let stretch = &words[from..to];
    if lead + 1 == LEADS.len() && !context.text.trim_end().ends_with('?') {
        return None;
    }
    let list = ListQuery { status: Some(Status::Pending), ..ListQuery::default() };
    if let Some(found) = context.date(stretch).filter(|found| found.recurrence.is_none())
        && !stretch.iter().any(|word| matches!(word.key.as_str(), "weekend" | "week" | "month") || AND.has(&word.key))
    {
        return Some(ListQuery { due: Some(found.due.day().to_owned()), ..list });
    }
    let today = today(context)?;
    let pieces = pieces(stretch, today, context);
    let (from, to) = (pieces.iter().map(|piece| piece.from).min()?, pieces.iter().map(|piece| piece.to).max()?);
    let said: usize = pieces.iter().map(|piece| piece.last - piece.first + 1).sum();
    let joins = stretch.iter().filter(|word| AND.has(&word.key) || TO.has(&word.key)).count();
    (said + joins == stretch.len()).then(|| ListQuery { from: wire(from), to: wire(to), ..list })
}

/// Returns the period that all words of a stretch name.
pub(in crate::llm::rules) fn range(stretch: &[Word], context: Context) -> Option<Period> {
    let words: Vec<Word> = stretch.iter().filter(|word| !word.is_mark()).cloned().collect();
    let pieces = pieces(&words, today(context)?, context);
    let said: usize = pieces.iter().map(|piece| piece.last - piece.first + 1).sum();
    let leads = words.iter().filter(|word| AND.has(&word.key) || set!("the|for|on").has(&word.key)).count();
    let (from, to) = (pieces.iter().map(|piece| piece.from).min()?, pieces.iter().map(|piece| piece.to).max()?);
    (said + leads >= words.len()).then_some(Period { from: Some(from), to: Some(to) })
}

fn today(context: Context) -> Option<Date> {
    Some(CivilDate::parse(when::parse("today", context.now, context.zone)?.due.day()).ok()?.to_jiff())
}

/// Returns a day in wire form.
pub(in crate::llm::rules) fn wire(day: Date) -> Option<String> {
    Some(CivilDate::from(day).as_str().to_owned())
}

/// Parses a number before a date of its month: "14 to 16 dec", "between 14th and 16th december".
fn numbered(clause: &[Word], at: usize, today: Date, context: Context) -> Option<Piece> {
    let day = day_of_month(&clause[at].key)?;
    let next = clause.get(at + 2).filter(|_| joins_days(&clause[at + 1]))?;
    let next = next.start;
    let later = (at + 2..clause.len()).find(|later| clause[*later].start == next)?;
    let month = dated(&clause[later..], 0, today, context).filter(|piece| piece.from == piece.to)?.from;
    let from = Date::new(month.year(), month.month(), day).ok().filter(|from| *from < month)?;
    Some(Piece { first: at, last: at, from, to: from })
}

/// Parses a number after a date of its month: "dec 14 to 16".
fn of_same_month(clause: &[Word], at: usize, before: Option<&Piece>) -> Option<Piece> {
    let before =
        before.filter(|piece| piece.last + 2 == at && piece.from == piece.to && joins_days(&clause[at - 1]))?;
    let day = day_of_month(&clause[at].key)?;
    let to = Date::new(before.to.year(), before.to.month(), day).ok().filter(|to| *to > before.to)?;
    Some(Piece { first: at, last: at, from: to, to })
}

fn joins_days(word: &Word) -> bool {
    TO.has(&word.key) || word.key == "and" || matches!(word.key.as_str(), "-" | "–" | "—")
}

fn day_of_month(key: &str) -> Option<i8> {
    let digits = key.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let plain = key.len() - digits.len();
    digits.parse().ok().filter(|day| (1..=31).contains(day) && (plain == 0 || plain == 2))
}
