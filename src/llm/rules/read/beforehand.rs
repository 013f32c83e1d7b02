//! Reminders ahead of another date: “remind me two days before mum's birthday on 19 december to order the cake”. A task has one date, so
//! the reminder is a separate task, or a question if no date is known.

use crate::domain::task_line;
use crate::domain::time::Timestamp;
use crate::domain::when::{self, Found};
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::{Kind, Word, words};
use crate::llm::rules::read::intent::{NewItem, Part};
use crate::llm::rules::read::shift::{self, Shift};

/// Words that request a reminder.
const REMINDS: Set = set("remind|reminder|nudge|ping|alert|warn|notify|prod");

/// A reminder with its lead time, as places in a message.
struct Ahead {
    shift: Shift,
    /// The byte at which the request of the reminder begins.
    from: usize,
    /// The bytes of the lead time with “before”.
    amount: (usize, usize),
}

/// A reminder ahead of a date.
pub(in crate::llm::rules) struct Reminder {
    title: Option<String>,
    due: Option<String>,
}

/// Splits a message at the reminder that it asks for.
pub(in crate::llm::rules) fn ahead<'a>(text: &'a str, now: &Timestamp, zone: &str) -> Option<(&'a str, Reminder)> {
    let lower = text.to_ascii_lowercase();
    if text.contains(['\n', '"', '“']) || !REMINDS.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let ahead = found(&words(text), text)?;
    let before = text[..ahead.from].trim_end_matches([' ', ',', '.', ';', '-']);
    let before = before.strip_suffix(" and").unwrap_or(before).trim_end_matches([' ', ',']);
    let dates = when::find(text, now, zone);
    let outside = |found: &&Found| {
        let apart = found.span.end <= ahead.amount.0 || found.span.start >= ahead.amount.1;
        apart && found.when.recurrence.is_none()
    };
    let mut dates = dates.iter().filter(outside);
    let date = dates.next().filter(|_| dates.next().is_none());
    let due = date.and_then(|date| ahead.shift.back().of(date.when.due.as_str(), zone));
    let title = title(text, &ahead).filter(|title| when::parse(title, now, zone).is_none());
    Some((before, Reminder { title, due }))
}

impl Reminder {
    /// Returns the new task, or a question if another task is requested as well or no date is known.
    pub fn part(self, others: &[Part], now: &Timestamp, zone: &str) -> Part {
        let other = others.iter().find_map(|part| match part {
            Part::Add { items, .. } => items.first().map(|item| format!("get ready for {}", item.title)),
            _ => None,
        });
        if let (Some(due), Some(title), []) = (&self.due, &self.title, others) {
            let item = NewItem { title: title.clone(), due: Some(due.clone()), ..NewItem::default() };
            return Part::Add { items: vec![item], unless_there: false };
        }
        let title = self.title.or(other).unwrap_or_else(|| "get ready".into());
        match self.due.as_deref().and_then(|due| Some((due.get(..10)?, task_line::day(due, now, zone)))) {
            Some((day, named)) => Part::Ask {
                question: format!(
                    "I remind you of a task when it is due. Should I add another one for {named}? For example: “add {title} on {day}”."
                ),
                options: vec![format!("add {title} on {day}")],
            },
            None => Part::Ask {
                question: format!(
                    "I remind you of a task when it is due. On which day should I remind you? For example: “add {title} on friday”."
                ),
                options: vec![format!("add {title} tomorrow")],
            },
        }
    }
}

/// Finds “remind me”, an amount of time and “before”.
fn found(said: &[Word], text: &str) -> Option<Ahead> {
    const AFTER: Set = set("before|beforehand|ahead|prior|earlier");
    let plain = |at: usize| said[at].kind == Kind::Plain;
    let at = (2..said.len()).find(|at| plain(*at) && (AFTER.has(&said[*at].key) || said[*at].key == "advance"))?;
    let unit = if said[at - 1].key == "in" { at.checked_sub(2)? } else { at - 1 };
    let (from, shift) = (unit.checked_sub(1)?..unit).find_map(|from| Some((from, lead(&said[from..=unit], text)?)))?;
    let ask = said[..from].iter().rposition(|word| REMINDS.has(&word.key))?;
    let courtesy = said[..ask].iter().rev().take_while(|word| set!("please|and|also|a|set|can|you|pls").has(&word.key));
    let start = said[ask - courtesy.count()].start;
    let to = said.get(at + 1).filter(|next| next.key == "to" && said[at].key == "prior").map_or(at, |_| at + 1);
    Some(Ahead { shift, from: start, amount: (said[from].start, said[to].end) })
}

/// Parses the lead time: “a week”, “the day”, “2 days”.
fn lead(stretch: &[Word], text: &str) -> Option<Shift> {
    let [count, unit] = stretch else { return None };
    // A number that was taken for a slip is as written: "remind me 2 days before …".
    let raw = &text[count.start..count.end];
    let key = if count.key == "the" { "a" } else { raw };
    shift::amount(&[Word { key: key.to_lowercase(), ..count.clone() }, unit.clone()])
}

/// Returns the title of the reminder: what follows “to”, or else the other date's occasion.
fn title(text: &str, ahead: &Ahead) -> Option<String> {
    let clean = |text: &str| text.trim_matches([' ', ',', '.', '!', ';']).to_owned();
    let (before, after) = (&text[ahead.from..ahead.amount.0], &text[ahead.amount.1..]);
    let asked = [" to ", " about ", " of "].iter().find_map(|lead| before.find(lead).map(|at| at + lead.len()));
    let own = asked.map(|at| clean(&before[at..])).filter(|own| !own.is_empty());
    // “… before the party on friday to buy a present”
    let behind = || after.find(" to ").map(|at| clean(&after[at + 4..])).filter(|own| !own.is_empty());
    let occasion = clean(after);
    match own {
        Some(own) if occasion.is_empty() => Some(own),
        Some(own) => Some(format!("{own} ({occasion})")),
        None => match behind() {
            Some(own) => {
                let at = after.find(" to ").unwrap_or(after.len());
                let occasion = clean(&after[..at]);
                Some(if occasion.is_empty() { own } else { format!("{own} ({occasion})") })
            }
            None => Some(occasion).filter(|occasion| !occasion.is_empty()),
        },
    }
}
