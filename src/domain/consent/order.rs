//! Orders that are said plainly: what a message confirms by itself leaves no word and no sign of it unread.

use serde_json::{Map, Value};

use super::tokens::{Token, tokens};
use crate::domain::task::Task;
use crate::domain::time::Timestamp;
use crate::domain::tool::{Call, ToolName};
use crate::domain::when;

/// Forms of orders.
mod forms;

use forms::FORMS;

/// Words of courtesy in front of an order.
const LEADS: &str = "please|pls|plz|kindly|yes|yeah|yep|ok|okay|hey|hi|hello|docket|now|just|also|go ahead and|lets|\
     can you|could you|i want to|i want you to|id like to|id like you to|\
     i would like to|i would like you to";
/// Words of courtesy behind an order.
const TAILS: &str = "please|pls|plz|now|right now|thanks|thank you|ta|cheers|for me|too|as well|from my list|from the list|off my list|\
     off the list|from my todo list|from my to do list|on my list";
/// Phrases that join two orders.
const JOINS: &str = "and|then|and then|and also";
const KIND: &str = "task|todo|item|number|task number|the task|task called|the task called";
/// The same of several tasks.
const KINDS: &str = "tasks|todos|items|numbers|tasks number|the tasks|both|both tasks";
/// The words for 1 to 10.
const NUMBERS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/// Most tasks that one message confirms: a bit of a [`Place`] for each.
const MOST: usize = 63;
/// Most places that are followed at a time. Titles that read like each other's lists would else multiply them.
const FOLLOWED: usize = 32;
/// Most orders that are tried.
const TRIED: usize = 200;

/// A change of one task that an order has to name.
struct Effect<'a> {
    tool: ToolName,
    task: &'a Task,
    title: Vec<Token>,
    fields: Map<String, Value>,
}

/// A place in the message, and which effects were named on the way there, a bit for each.
type Place = (usize, u64);

/// Returns true if `order` is nothing but orders in the imperative that name each task of `calls` once and say each value that is set.
/// "delete 5" is such an order; "never delete 5", "delete 5 if it rains", "delete 5 🚫" and "Bob: delete 5" leave something over. Orders may
/// begin and end with words of courtesy if `courtesy` is true.
pub fn is_spelled_out(
    order: &str,
    calls: &[Call],
    tasks: &[Task],
    (now, zone): (&Timestamp, &str),
    courtesy: bool,
) -> bool {
    let Some(effects) = effects(calls, tasks) else { return false };
    let dates = when::find(order, now, zone).into_iter().map(|found| found.span.start..found.span.end).collect();
    let order = Order { tokens: tokens(order), effects, dates, courtesy };
    let all = (1_u64 << order.effects.len()) - 1;
    let mut open: Vec<Place> = order.optional(vec![(0, 0)], |order, places| order.led(places));
    let mut seen: Vec<Place> = vec![];
    while let Some(place) = open.pop() {
        if seen.len() == TRIED {
            return false;
        }
        if seen.contains(&place) {
            continue;
        }
        seen.push(place);
        for (at, named) in order.clause(place) {
            if named == all && order.ends(at) {
                return true;
            }
            open.extend(order.joined(at).into_iter().map(|at| (at, named)));
        }
    }
    false
}

/// Returns the changes that the calls make; `None` where one is no change of tasks that are there, or there are more than [`MOST`].
fn effects<'a>(calls: &[Call], tasks: &'a [Task]) -> Option<Vec<Effect<'a>>> {
    let mut effects = vec![];
    for call in calls {
        let (tool, mut fields) = (ToolName::parse(&call.tool)?, call.arguments.as_object()?.clone());
        let mut numbers: Vec<Value> = fields.remove("task_id").into_iter().collect();
        if let Some(Value::Array(many)) = fields.remove("task_ids") {
            numbers.extend(many);
        }
        for number in numbers {
            let task = tasks.iter().find(|task| Some(task.task_id.0) == number.as_i64())?;
            effects.push(Effect { tool, task, title: tokens(task.title.as_str()), fields: fields.clone() });
        }
    }
    (!effects.is_empty() && effects.len() <= MOST).then_some(effects)
}

impl Effect<'_> {
    fn does_as(&self, other: &Effect<'_>) -> bool {
        self.tool == other.tool && self.fields == other.fields
    }
}

struct Order<'a> {
    tokens: Vec<Token>,
    effects: Vec<Effect<'a>>,
    /// Byte offsets of phrases that are dates.
    dates: Vec<std::ops::Range<usize>>,
    /// True if orders may begin and end with words of courtesy.
    courtesy: bool,
}

impl Order<'_> {
    /// Places behind one order; courtesy may stand before and behind it.
    fn clause(&self, from: Place) -> Vec<Place> {
        let starts = self.optional(vec![from], Self::led);
        let mut ends = vec![];
        for form in &FORMS {
            let begun = self.any(&starts, form.before);
            for (at, effect) in self.effects.iter().enumerate().filter(|(_, effect)| form.does(effect)) {
                if self.effects[..at].iter().any(|other| other.does_as(effect)) {
                    continue;
                }
                let tasks = self.any(&self.tasks(begun.clone(), effect), form.between);
                let set = match form.field {
                    None => tasks,
                    Some(field) => self.behind(&tasks, |at| self.value(at, field, effect)),
                };
                ends.extend(self.any(&set, form.after));
            }
        }
        ends.retain(|(_, named)| *named != from.1);
        let behind_comma = |places: &[Place]| places.iter().map(|(at, named)| (self.past(*at, ','), *named)).collect();
        self.optional(ends, |order, places| order.repeated(behind_comma(&places), TAILS))
    }

    /// Places behind each of `places` by one more step.
    fn behind(&self, places: &[Place], step: impl Fn(usize) -> Vec<usize>) -> Vec<Place> {
        let next = |(at, named): &Place| step(*at).into_iter().map(|to| (to, *named)).collect::<Vec<_>>();
        places.iter().flat_map(next).collect()
    }

    /// Places behind words of courtesy and the commas after them.
    fn led(&self, places: Vec<Place>) -> Vec<Place> {
        self.repeated(places, LEADS)
    }

    /// Places behind each of `places`, and behind what `more` finds from there.
    fn optional(&self, places: Vec<Place>, more: impl Fn(&Self, Vec<Place>) -> Vec<Place>) -> Vec<Place> {
        let mut all = more(self, places.clone());
        all.extend(places);
        unique(all)
    }

    fn repeated(&self, places: Vec<Place>, phrases: &str) -> Vec<Place> {
        let (mut all, mut open) = (vec![], if self.courtesy { places } else { vec![] });
        while !open.is_empty() {
            open =
                unique(self.any(&open, phrases).into_iter().map(|(at, named)| (self.past(at, ','), named)).collect());
            open.retain(|place| !all.contains(place));
            all.extend(&open);
        }
        all
    }

    /// Places behind one of the phrases, which bars divide.
    fn any(&self, places: &[Place], phrases: &str) -> Vec<Place> {
        self.behind(places, |at| phrases.split('|').filter_map(|phrase| self.phrase(at, phrase)).collect())
    }

    fn phrase(&self, from: usize, phrase: &str) -> Option<usize> {
        phrase.split_whitespace().try_fold(from, |at, word| (self.word(at) == Some(word)).then_some(at + 1))
    }

    fn word(&self, at: usize) -> Option<&str> {
        self.tokens.get(at)?.word()
    }

    fn sign(&self, at: usize) -> Option<char> {
        self.tokens.get(at)?.sign()
    }

    /// Behind the sign where it stands there.
    fn past(&self, at: usize, sign: char) -> usize {
        if self.sign(at) == Some(sign) { at + 1 } else { at }
    }

    /// Places behind a list of tasks that are changed alike: `5`, `tasks 5, 6 and "pay rent"`.
    fn tasks(&self, places: Vec<Place>, alike: &Effect<'_>) -> Vec<Place> {
        let (mut all, mut open, mut spelled): (Vec<Place>, Vec<Place>, bool) = (vec![], places, false);
        while !open.is_empty() {
            let several = if self.effects.len() > 1 { self.any(&open, KINDS) } else { vec![] };
            let kinds = unique([self.any(&open, KIND), several].concat());
            // "delete three" may count tasks; "task three" is a number, and so is what follows it.
            let bare = open.into_iter().flat_map(|place| self.task(place, alike, spelled));
            let named = unique(bare.chain(kinds.into_iter().flat_map(|place| self.task(place, alike, true))).collect());
            spelled = true;
            if named.len() > FOLLOWED {
                return vec![];
            }
            all.extend(&named);
            open = named
                .into_iter()
                .flat_map(|(at, named)| {
                    let comma = self.past(at, ',');
                    let and =
                        self.phrase(comma, "and").or_else(|| (self.sign(comma) == Some('&')).then_some(comma + 1));
                    let next = [Some(comma).filter(|next| *next > at), and];
                    next.into_iter().flatten().map(move |next| (next, named))
                })
                .collect();
        }
        unique(all)
    }

    /// Places behind the name of one task that was not named yet: its number, in a word if `spelled` says so, its title, or both.
    fn task(&self, (at, named): Place, alike: &Effect<'_>, spelled: bool) -> Vec<Place> {
        let mut places = vec![];
        for (bit, effect) in self.effects.iter().enumerate().filter(|(bit, _)| named & (1 << bit) == 0) {
            if !effect.does_as(alike) {
                continue;
            }
            let named = named | (1 << bit);
            let title = |at: usize| self.title(at, &effect.title);
            let number = effect.task.task_id.0;
            let word = usize::try_from(number - 1).ok().and_then(|at| NUMBERS.get(at)).copied().filter(|_| spelled);
            let after = self.past(at, '#');
            let is_number = self.word(after).is_some_and(|said| said == number.to_string() || Some(said) == word);
            if is_number {
                places.push((after + 1, named));
                places.extend(title(after + 1).map(|end| (end, named)));
            }
            let article = self.any(&[(at, named)], "|the|my|our");
            places.extend(article.into_iter().filter_map(|(at, named)| Some((title(at)?, named))));
        }
        self.any(&places, "|task|todo")
    }

    /// Behind a title in quotes or bare, whole, in any case, with no sign that it does not have.
    fn title(&self, at: usize, title: &[Token]) -> Option<usize> {
        self.quoted(at, title).or_else(|| self.text(at, title))
    }

    fn quoted(&self, at: usize, text: &[Token]) -> Option<usize> {
        let close = match self.sign(at)? {
            '“' => '”',
            '‘' => '’',
            same @ ('"' | '\'') => same,
            _ => return None,
        };
        let end = self.text(at + 1, text)?;
        (self.sign(end) == Some(close)).then_some(end + 1)
    }

    fn text(&self, from: usize, known: &[Token]) -> Option<usize> {
        let mut words = known.iter().filter_map(Token::word);
        let mut wanted = words.next()?;
        let mut at = from;
        loop {
            let token = self.tokens.get(at)?;
            at += 1;
            match (token.word(), token.sign()) {
                (Some(word), _) if word == wanted => match words.next() {
                    Some(next) => wanted = next,
                    None => return Some(self.past_signs_of(at, known)),
                },
                (_, Some(sign)) if known.iter().any(|token| token.sign() == Some(sign)) => {}
                _ => return None,
            }
        }
    }

    /// Behind the signs that end the text, where the message has all of them.
    fn past_signs_of(&self, at: usize, known: &[Token]) -> usize {
        let ends: Vec<char> = known.iter().rev().map_while(Token::sign).collect();
        let said = |(count, sign): (usize, &char)| self.sign(at + count) == Some(*sign);
        if ends.iter().rev().enumerate().all(said) { at + ends.len() } else { at }
    }

    /// Places behind what the effect sets the field to.
    fn value(&self, at: usize, field: &str, effect: &Effect<'_>) -> Vec<usize> {
        let value = &effect.fields[field];
        match (field, value) {
            ("status", _) => vec![at],
            ("due" | "recurrence", Value::String(_)) => self.date(at),
            ("priority", Value::String(priority)) => {
                priorities(priority).iter().filter_map(|phrase| self.phrase(at, phrase)).collect()
            }
            ("tags", Value::Array(tags)) => match tags.as_slice() {
                [Value::String(tag)] => {
                    self.quoted(self.past(self.past(at, '@'), '#'), &tokens(tag)).into_iter().collect()
                }
                _ => vec![],
            },
            ("project", Value::String(name)) => self.quoted(self.past(at, '#'), &tokens(name)).into_iter().collect(),
            // Without quotes a condition or a second thought would be part of the text.
            (_, Value::String(text)) => self.quoted(at, &tokens(text)).into_iter().collect(),
            _ => vec![],
        }
    }

    /// Behind the whole date that begins there.
    fn date(&self, at: usize) -> Vec<usize> {
        let Some(token) = self.tokens.get(at) else { return vec![] };
        let found = self.dates.iter().find(|date| date.start == token.span.start);
        found
            .map(|date| self.tokens.iter().take_while(|token| token.span.start < date.end).count())
            .into_iter()
            .collect()
    }

    /// Places at which the next order begins.
    fn joined(&self, at: usize) -> Vec<usize> {
        let mark = self.sign(at).filter(|sign| ",;.".contains(*sign)).map(|_| at + 1);
        let word = self.any(&[(mark.unwrap_or(at), 0)], JOINS).into_iter().map(|(at, _)| at);
        word.chain(mark).collect()
    }

    /// True where nothing is left but a mark that ends a sentence, right behind a word.
    fn ends(&self, at: usize) -> bool {
        match &self.tokens[at..] {
            [] => true,
            [mark] => {
                let before =
                    at.checked_sub(1).map(|before| &self.tokens[before]).filter(|token| token.word().is_some());
                self.sign(at).is_some_and(|sign| ".!".contains(sign))
                    && before.is_some_and(|word| word.span.end == mark.span.start)
            }
            _ => false,
        }
    }
}

fn priorities(stored: &str) -> &'static [&'static str] {
    match stored {
        "high" => &["high", "urgent", "p1", "top"],
        "medium" => &["medium", "normal", "p2"],
        "low" => &["low", "p3"],
        _ => &["none", "p4"],
    }
}

fn unique(mut places: Vec<Place>) -> Vec<Place> {
    places.sort_unstable();
    places.dedup();
    places
}

#[cfg(test)]
mod tests;
