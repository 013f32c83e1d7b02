//! Classification of messages that the grammar cannot parse. Intents and slots use linear models, trained on some
//! thousands of sentences written for them (`end2end/understanding`). A model can be wrong, so its result is used only
//! if its probability is high.

use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Word, words};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Edits, ListQuery, NewItem, Part, Target};
use crate::llm::rules::read::levels::priority;
use crate::llm::rules::read::notes::Notes;
use crate::llm::rules::read::target::target;
use crate::llm::rules::read::{days, fields, grammar, lists, scope, status, vague, waiting};

use self::intents::Intent;

mod intents;
mod slots;
mod tokens;

pub use tokens::Token;

/// Minimum probability for changes, and for reading, questions and refusals.
const SURE: f64 = 0.8;
const LIKELY: f64 = 0.5;
/// Minimum probability of a refusal.
const FOREIGN: f64 = 0.6;

/// Verbs of deletion; a request to delete contains at least one.
const DELETIONS: Set = file_set!("deletion_verbs");

/// Returns the tokens of a message with their byte offsets, as used in training.
pub fn tokens_of(text: &str, now: &Timestamp, zone: &str) -> Vec<(Token, usize, usize)> {
    let words = words(text);
    let tokens = tokens::tokens(&words, &when::find(text, now, zone));
    let place = |token: Token| {
        let (start, end) = (words[token.words.start].start, words[token.words.end - 1].end);
        (token, start, end)
    };
    tokens.into_iter().map(place).collect()
}

/// Returns the probable meaning of a message that no rule parses; `None` if it is uncertain or has under three words.
pub(in crate::llm::rules) fn guess(message: &[Word], context: Context) -> Option<Part> {
    if keys(message).count() < 3 {
        return None;
    }
    let tokens = tokens::tokens(message, context.dates());
    let (intent, probability) = intents::likeliest(&tokens);
    let acts = match intent {
        Intent::List | Intent::Get | Intent::Delete | Intent::Refuse | Intent::Talk => false,
        Intent::Ask => return None,
        Intent::Add
        | Intent::Complete
        | Intent::Reopen
        | Intent::Due
        | Intent::Priority
        | Intent::Title
        | Intent::Note => true,
    };
    // "a list of airlines" is not the user's.
    let another = || keys(message).zip(keys(message).skip(1)).any(|pair| pair == ("LIST", "of"));
    if intent == Intent::List && another() {
        return None;
    }
    // "i'd be grateful if you could" is incomplete.
    let breaks_off = || {
        let text = context.text.trim_end_matches(['.', '!', ' ']).to_lowercase();
        ["could", "would", "can", "will"].iter().any(|word| text.ends_with(word))
    };
    if intent == Intent::Talk && breaks_off() {
        return None;
    }
    let sure = acts || intent == Intent::Talk && asks(message);
    let least = match intent {
        Intent::Refuse => FOREIGN,
        _ if sure => SURE,
        _ => LIKELY,
    };
    if probability < least || acts && (hedged(message, intent, context) || intent == Intent::Add && wishes(message)) {
        return None;
    }
    Meant { message, tokens: &tokens, context }.part(intent)
}

/// Like [`guess`], for a text.
pub(in crate::llm::rules) fn guess_of(text: &str, now: &Timestamp, zone: &str) -> Option<Part> {
    let notes = Notes::of(text, now, zone);
    guess(&words(text), Context::new(text, now, zone, &notes))
}

/// Kinds of intents by their effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::llm::rules) enum Kind {
    Add,
    /// Lists tasks or shows one.
    Read,
    Complete,
    Delete,
    /// Changes a field, or reopens.
    Update,
    Refuse,
    Talk,
    Ask,
}

/// The probability of every intent.
#[derive(Debug)]
pub(in crate::llm::rules) struct Odds([f64; Intent::ALL.len()]);

impl Odds {
    /// Returns the probability of a kind, 0 to 1.
    pub fn of(&self, kind: Kind) -> f64 {
        Intent::ALL.iter().zip(self.0).filter(|(intent, _)| intent.kind() == kind).map(|(_, odds)| odds).sum()
    }
}

/// Returns the reply to a message without a request.
pub(in crate::llm::rules) fn nothing_asked() -> Part {
    Part::Say(
        "All right. Nothing was changed. Say “show my tasks” to see your list, or “help” for what I can do.".into(),
    )
}

/// Returns the model's probabilities for a message.
pub(in crate::llm::rules) fn odds(message: &[Word], context: Context) -> Odds {
    Odds(intents::odds(&tokens::tokens(message, context.dates())))
}

/// Returns true for conditions, questions and negations, on which the models are unreliable.
fn hedged(message: &[Word], intent: Intent, context: Context) -> bool {
    const CONDITIONS: Set = set("if|unless|whether");
    const DOUBTS: Set = set("might|maybe|perhaps|possibly|wondering|thinking|hopefully|wish");
    const DENIALS: Set = set(
        "not|never|no|none|nothing|without|cant|couldnt|didnt|doesnt|dont|hadnt|hasnt|havent|isnt|wasnt|wont|wouldnt",
    );
    let questioned = || message.last().is_some_and(|word| word.key == "?") || context.text.trim_end().ends_with('?');
    asks(message)
        // "finished the laundry?" is a question.
        || matches!(intent, Intent::Complete | Intent::Reopen) && questioned()
        || keys(message).any(|key| CONDITIONS.has(key))
        || intent != Intent::Add && keys(message).any(|key| DOUBTS.has(key))
        || intent == Intent::Complete && (keys(message).any(|key| DENIALS.has(key)) || waiting::far(message) || tells(message))
        // "don't let me forget the milk" adds; "don't move the dentist" does nothing.
        || intent != Intent::Add && keys(message).next().is_some_and(|first| DENIALS.has(first))
}

/// Returns true if a message tells a name or a telephone number: "the tuner is called Mr Bo and his number is 0113 496 0182".
fn tells(message: &[Word]) -> bool {
    let named = |pair: (&str, &str)| matches!(pair.0, "is" | "are") && matches!(pair.1, "called" | "named");
    let long = |key: &str| key.len() >= 4 && key.bytes().all(|byte| byte.is_ascii_digit());
    keys(message).zip(keys(message).skip(1)).any(named) || keys(message).any(long)
}

/// Returns true if a message begins like a genuine question.
fn asks(message: &[Word]) -> bool {
    const QUESTIONS: Set = set("how|why|who|whose|when|where|which|does|did|do|is|are|am|was|were|should|has|have|had");
    // "will i need a coat"
    const MODALS: Set =
        set("will|shall|would|can|could|may|might|must|did|isnt|arent|wont|cant|couldnt|shouldnt|doesnt");
    const WHO: Set = set("i|we|it|he|she|they|there|this|that|the|my|our");
    let mut said = keys(message);
    let (first, next) = (said.next().unwrap_or_default(), said.next().unwrap_or_default());
    QUESTIONS.has(first) || MODALS.has(first) && WHO.has(next)
}

/// Returns true if a message only states a need, without a list or reminder, and so may not be meant for the list.
fn wishes(message: &[Word]) -> bool {
    const SELVES: Set = set("i|we|ive|weve|im|were|id|ill|need|gotta|must|someone|somebody");
    const LEADS: Set = file_set!("classifier_leads");
    const DUTIES: Set = set("should|must|need|have|ought|gotta|better");
    let selves = keys(message).next().is_some_and(|first| SELVES.has(first));
    let own = |pair: (&str, &str)| matches!(pair.0, "i" | "we") && DUTIES.has(pair.1);
    (selves || keys(message).zip(keys(message).skip(1)).any(own)) && !keys(message).any(|key| LEADS.has(key))
}

fn keys(message: &[Word]) -> impl Iterator<Item = &str> {
    message.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str())
}

struct Meant<'a> {
    message: &'a [Word],
    tokens: &'a [Token],
    context: Context<'a>,
}

impl<'a> Meant<'a> {
    fn part(&self, intent: Intent) -> Option<Part> {
        let named = self.slot(intent.name());
        let aim = || named.map(|stretch| target(stretch, self.context.text));
        let settles = matches!(intent, Intent::Complete | Intent::Reopen | Intent::Delete);
        if settles && named.is_some_and(|stretch| self.leaves_out(stretch)) {
            return None;
        }
        // No unknown verb deletes: “duplicate the rent task”.
        if intent == Intent::Delete && !keys(self.message).any(|key| DELETIONS.has(key)) {
            return None;
        }
        match intent {
            Intent::Add => self.add(named?),
            Intent::List if named.is_none() && self.unknown() > 1 || named.is_some() && self.asks_of_world() => None,
            Intent::List => Some(Part::List(self.list(named))),
            Intent::Get => Some(Part::Get(aim()?)),
            Intent::Complete => aim().filter(|target| !self.throws(target)).map(Part::Complete),
            Intent::Reopen => Some(Part::Reopen(aim()?)),
            Intent::Delete => Some(Part::Delete { target: aim()?, unneeded: false }),
            Intent::Due => {
                let when = self.date_outside(named?)?;
                let span = self.context.dates().iter().find(|found| std::ptr::eq(&found.when, when))?.span.clone();
                let said: Vec<Word> = self.message.iter().filter(|word| span.contains(&word.start)).cloned().collect();
                Some(Part::Edit { target: aim()?, edit: days::due(when.clone(), &said, self.context) })
            }
            Intent::Priority => {
                let stretch = named?;
                let outside = self.message.iter().filter(|word| !inside(word, stretch));
                let level =
                    outside.filter(|word| !word.is_mark()).find_map(|word| priority(std::slice::from_ref(word)))?;
                Some(Part::Edit { target: aim()?, edit: Edits { priority: Some(level), ..Edits::default() } })
            }
            Intent::Title => {
                let title = fields::new_title(self.slot("title>")?, self.context);
                Some(Part::Edit { target: aim()?, edit: Edits { title: Some(title), ..Edits::default() } })
            }
            Intent::Note => {
                let said = self.slot("note>")?;
                // "stick that in the notes" is no note itself.
                if said.iter().any(|word| fields::NOTES.has(&word.key)) {
                    return None;
                }
                let note = self.context.raw(said).to_owned();
                Some(Part::Edit { target: aim()?, edit: Edits { description: Some(note), ..Edits::default() } })
            }
            Intent::Refuse => Some(scope::foreign()),
            Intent::Talk => Some(nothing_asked()),
            Intent::Ask => None,
        }
    }

    /// Returns true for a yes/no question without a word for the list: "is Tom vegetarian?".
    fn asks_of_world(&self) -> bool {
        const LISTS: Set = set(
            "LIST|TASK|TASKS|on|in|there|still|already|left|add|added|got|have|need|needs|any|anything|something|put|due|todo|noted|down|forget|\
             forgotten|remember|include|included|listed|mention|mentioned|i|we|my|me|our",
        );
        const BEING: Set = set("is|are|was|were|does|has");
        keys(self.message).next().is_some_and(|first| BEING.has(first)) && !keys(self.message).any(|key| LISTS.has(key))
    }

    /// Returns the number of words that no question about the list has: "what do I bill Bright?".
    fn unknown(&self) -> usize {
        if keys(self.message).any(|key| matches!(key, "LIST" | "TASK" | "TASKS")) {
            return 0;
        }
        let dated = |word: &Word| self.context.dates().iter().any(|found| found.span.contains(&word.start));
        let plain =
            |word: &&Word| !(word.is_mark() || dated(word) || lists::knows(&word.key) || grammar::speaks(&word.key));
        self.message.iter().filter(plain).count()
    }

    /// Returns true if many tasks are to be moved or removed instead of completed: "chuck everything ive done".
    fn throws(&self, target: &Target) -> bool {
        const THROWS: Set = set("chuck|toss|sling|lob|bung|throw|dump|sack|bin|scrap|ditch|clear|wipe|shift|move");
        matches!(target, Target::All(_)) && keys(self.message).next().is_some_and(|first| THROWS.has(first))
    }

    /// Returns true if more is named than the slot contains: "sent the invoice to Bo".
    fn leaves_out(&self, named: &[Word]) -> bool {
        const KNOWN: Set = file_set!("classifier_known");
        let Some(end) = named.last().map(|last| last.end) else { return false };
        let dated = |word: &Word| self.context.dates().iter().any(|found| found.span.contains(&word.start));
        let behind = self.message.iter().skip_while(|word| word.start < end);
        let mut behind = behind.filter(|word| !set!("the|my|our|a|an|his|her|their").has(&word.key));
        let led = behind.next().is_some_and(|lead| set!("to|for|with|about").has(&lead.key));
        led && behind.next().is_some_and(|thing| !(thing.is_mark() || KNOWN.has(&thing.key) || dated(thing)))
    }

    fn slot(&self, name: &str) -> Option<&'a [Word]> {
        let places = slots::stretch(self.tokens, name)?;
        let stretch = &self.message[self.tokens[places.start].words.start..self.tokens[places.end - 1].words.end];
        stretch.iter().any(|word| !word.is_mark()).then_some(stretch)
    }

    fn date_outside(&self, stretch: &[Word]) -> Option<&'a when::When> {
        let (start, end) = (stretch.first()?.start, stretch.last()?.end);
        let outside = |found: &&when::Found| found.span.end <= start || end <= found.span.start;
        self.context.dates().iter().find(outside).map(|found| &found.when)
    }

    fn add(&self, stretch: &[Word]) -> Option<Part> {
        if scope::foreign_container(self.message) {
            return Some(scope::foreign());
        }
        let mut items: Vec<NewItem> = fields::items(stretch, self.context, true, None);
        // "…, low priority #shopping" behind the slot
        let behind = self.message.iter().skip_while(|word| stretch.last().is_some_and(|last| word.start < last.end));
        let whole: Vec<Word> = stretch.iter().chain(behind).cloned().collect();
        let all = fields::items(&whole, self.context, true, None);
        if all.len() == items.len() && all.iter().zip(&items).all(|(all, item)| all.title == item.title) {
            items = all;
        }
        items.retain(|item| !vague::says_nothing(&item.title));
        if let Some(when) = self.date_outside(stretch) {
            for item in &mut items {
                item.due.get_or_insert_with(|| when.due.as_str().to_owned());
                item.recurrence = item.recurrence.take().or_else(|| when.recurrence.clone());
            }
        }
        (!items.is_empty()).then_some(Part::Add { items, unless_there: false })
    }

    fn list(&self, named: Option<&[Word]>) -> ListQuery {
        let outside = |word: &&Word| !word.is_mark() && named.is_none_or(|stretch| !inside(word, stretch));
        let keys: Vec<&str> = self.message.iter().filter(outside).map(|word| word.key.as_str()).collect();
        let words = named.map(|stretch| self.context.raw(stretch).to_owned());
        let dated = self.context.dates().first().map(|found| found.when.due.day().to_owned());
        ListQuery {
            status: status::status(&keys),
            due: if keys.contains(&"overdue") { Some("overdue".into()) } else { dated },
            count: keys.windows(2).any(|pair| pair == ["how", "many"]),
            // Only a yes/no question is answered with a yes.
            asks: words.is_some()
                && asks(self.message)
                && !keys.first().is_some_and(|first| set!("how|why|who|whose|when|where|which|what|whats").has(first)),
            words,
            ..ListQuery::default()
        }
    }
}

fn inside(word: &Word, stretch: &[Word]) -> bool {
    stretch.first().is_some_and(|first| first.start <= word.start)
        && stretch.last().is_some_and(|last| word.end <= last.end)
}

#[cfg(test)]
mod tests;
