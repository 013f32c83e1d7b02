//! Explicit orders: a message can confirm itself only if every word and sign of it is understood.

use serde_json::{Map, Value};

use super::tokens::{Token, tokens};
use crate::domain::task::Task;
use crate::domain::time::Timestamp;
use crate::domain::tool::{Call, ToolName};
use crate::domain::when;

mod forms;

use forms::FORMS;

/// Polite words before an order.
const LEADS: &str = "please|pls|plz|kindly|yes|yeah|yep|ok|okay|hey|hi|hello|docket|now|just|also|go ahead and|lets|\
     can you|could you|i want to|i want you to|id like to|id like you to|\
     i would like to|i would like you to";
/// Polite words after an order.
const TAILS: &str = "please|pls|plz|now|right now|thanks|thank you|ta|cheers|for me|too|as well|from my list|from the list|off my list|\
     off the list|from my todo list|from my to do list|on my list";
/// Phrases that join two orders.
const JOINS: &str = "and|then|and then|and also";
const KIND: &str = "task|todo|item|number|task number|the task|task called|the task called";
/// Words before several tasks.
const KINDS: &str = "tasks|todos|items|numbers|tasks number|the tasks|both|both tasks";
/// The words for 1 to 10.
const NUMBERS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/// Maximum number of tasks that one message confirms: a bit of a [`Place`] for each.
const MOST: usize = 63;
/// Maximum number of states tracked at once, which titles that read like lists would otherwise multiply.
const FOLLOWED: usize = 32;
/// Maximum number of orders tried.
const TRIED: usize = 200;

/// A change of one task that an order has to name.
struct Effect<'a> {
    tool: ToolName,
    task: &'a Task,
    title: Vec<Token>,
    fields: Map<String, Value>,
}

/// A parser state: the token index, and a bit set of the effects named so far.
type Place = (usize, u64);

/// Returns true if `order` consists only of imperatives that name each task of `calls` once and each value that is set. "delete
/// 5" does; "never delete 5", "delete 5 if it rains", "delete 5 🚫" and "Bob: delete 5" do not. `courtesy` allows polite words
/// around orders.
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

/// Returns the changes of the calls; `None` if a call does not change existing tasks, or above [`MOST`] changes.
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
    /// True if polite words are allowed around orders.
    courtesy: bool,
}

impl Order<'_> {
    /// Returns the states after one order, with polite words before and after it.
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

    /// Returns the states after one more step from each state.
    fn behind(&self, places: &[Place], step: impl Fn(usize) -> Vec<usize>) -> Vec<Place> {
        let next = |(at, named): &Place| step(*at).into_iter().map(|to| (to, *named)).collect::<Vec<_>>();
        places.iter().flat_map(next).collect()
    }

    /// Returns the states after polite words and the commas after them.
    fn led(&self, places: Vec<Place>) -> Vec<Place> {
        self.repeated(places, LEADS)
    }

    /// Returns the given states and those after `more`.
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

    /// Returns the states after one of the phrases, separated by `|`.
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

    /// Skips the sign if it is at that index.
    fn past(&self, at: usize, sign: char) -> usize {
        if self.sign(at) == Some(sign) { at + 1 } else { at }
    }

    /// Returns the states after a list of tasks with the same change: `5`, `tasks 5, 6 and "pay rent"`.
    fn tasks(&self, places: Vec<Place>, alike: &Effect<'_>) -> Vec<Place> {
        let (mut all, mut open, mut spelled): (Vec<Place>, Vec<Place>, bool) = (vec![], places, false);
        while !open.is_empty() {
            let several = if self.effects.len() > 1 { self.any(&open, KINDS) } else { vec![] };
            let kinds = unique([self.any(&open, KIND), several].concat());
            // "delete three" may be a count; "task three" is a number, and so are the words after it.
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

    /// Returns the states after the name of one more task: its number (as a word only if `spelled`), its title, or both.
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

    /// Returns the index after a whole title, quoted or not, in any case, without extra signs.
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

    /// Returns the index after the title's final signs if the message has all of them.
    fn past_signs_of(&self, at: usize, known: &[Token]) -> usize {
        let ends: Vec<char> = known.iter().rev().map_while(Token::sign).collect();
        let said = |(count, sign): (usize, &char)| self.sign(at + count) == Some(*sign);
        if ends.iter().rev().enumerate().all(said) { at + ends.len() } else { at }
    }

    /// Returns the states after the value that the effect sets.
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
            // Without quotes, the text could include a condition or a second thought.
            (_, Value::String(text)) => self.quoted(at, &tokens(text)).into_iter().collect(),
            _ => vec![],
        }
    }

    /// Returns the index after the whole date that begins there.
    fn date(&self, at: usize) -> Vec<usize> {
        let Some(token) = self.tokens.get(at) else { return vec![] };
        let found = self.dates.iter().find(|date| date.start == token.span.start);
        found
            .map(|date| self.tokens.iter().take_while(|token| token.span.start < date.end).count())
            .into_iter()
            .collect()
    }

    /// Returns the indexes at which the next order may begin.
    fn joined(&self, at: usize) -> Vec<usize> {
        let mark = self.sign(at).filter(|sign| ",;.".contains(*sign)).map(|_| at + 1);
        let word = self.any(&[(mark.unwrap_or(at), 0)], JOINS).into_iter().map(|(at, _)| at);
        word.chain(mark).collect()
    }

    /// Returns true if nothing remains but a sentence-ending mark right after a word.
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
