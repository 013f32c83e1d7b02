//! What the grammar cannot read: intent classification and slot filling, as linear models that were trained on some thousands
//! of sentences written for it (`end2end/understanding`). A model can be wrong, so what it says is done only where it is sure;
//! else it is asked.

use super::intent::{Edits, ListQuery, NewItem, Part, Target};
use super::levels::priority;
use super::notes::Notes;
use super::reading::Context;
use super::set::{Set, set};
use super::target::target;
use super::words::{Word, words};
use super::{fields, scope, status, waiting};
use crate::domain::time::Timestamp;
use crate::domain::when;

use self::intents::Intent;

/// Which intent a message has.
mod intents;
/// Which of its words name a task or a value.
mod slots;
/// A message as the models see it.
mod tokens;

pub use tokens::Token;

/// From which probability something is done at once, and from which something that only shows, asks or refuses is taken for meant.
const SURE: f64 = 0.8;
const LIKELY: f64 = 0.5;
/// From which probability a refusal outweighs a rule that would add.
const VETO: f64 = 0.9;

/// A message as the models see it, with the byte offsets of each token: what they are trained on.
pub fn tokens_of(text: &str, now: &Timestamp, zone: &str) -> Vec<(Token, usize, usize)> {
    let words = words(text);
    let tokens = tokens::tokens(&words, &when::find(text, now, zone));
    let place = |token: Token| {
        let (start, end) = (words[token.words.start].start, words[token.words.end - 1].end);
        (token, start, end)
    };
    tokens.into_iter().map(place).collect()
}

/// A message that no rule reads, as it was probably meant; `None` where that cannot be told. One or two words are no sentence.
pub(super) fn guess(message: &[Word], context: Context) -> Option<Part> {
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
    let sure = acts || intent == Intent::Talk && asks(message);
    if probability < if sure { SURE } else { LIKELY }
        || acts && (hedged(message, intent, context) || intent == Intent::Add && wishes(message))
    {
        return None;
    }
    Meant { message, tokens: &tokens, context }.part(intent)
}

/// The same of a text.
pub(super) fn guess_of(text: &str, now: &Timestamp, zone: &str) -> Option<Part> {
    let notes = Notes::of(text, now, zone);
    guess(&words(text), Context::new(text, now, zone, &notes))
}

/// Whether a message is surely not about tasks, whatever a rule has made of it.
pub(super) fn foreign(message: &[Word], context: Context) -> bool {
    let (intent, probability) = intents::likeliest(&tokens::tokens(message, context.dates()));
    intent == Intent::Refuse && probability > VETO
}

/// Whether a message says "if", asks, or says that something is not done: no model is to be trusted with those.
fn hedged(message: &[Word], intent: Intent, context: Context) -> bool {
    const CONDITIONS: Set = set("if|unless|whether");
    const DOUBTS: Set = set("might|maybe|perhaps|possibly|wondering|thinking|hopefully|wish");
    const DENIALS: Set = set(
        "not|never|no|none|nothing|without|cant|couldnt|didnt|doesnt|dont|hadnt|hasnt|havent|isnt|wasnt|wont|wouldnt",
    );
    let questioned = || message.last().is_some_and(|word| word.key == "?") || context.text.trim_end().ends_with('?');
    asks(message)
        // "finished the laundry?" asks.
        || matches!(intent, Intent::Complete | Intent::Reopen) && questioned()
        || keys(message).any(|key| CONDITIONS.has(key))
        || intent != Intent::Add && keys(message).any(|key| DOUBTS.has(key))
        || intent == Intent::Complete && (keys(message).any(|key| DENIALS.has(key)) || waiting::far(message))
        // "don't let me forget the milk" adds; "don't move the dentist" does nothing.
        || intent != Intent::Add && keys(message).next().is_some_and(|first| DENIALS.has(first))
}

/// Whether a message begins like a question that no politeness explains.
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

/// Whether a message only says what somebody needs, and nothing of a list or a reminder: it may be meant for no list at all.
fn wishes(message: &[Word]) -> bool {
    const SELVES: Set = set("i|we|ive|weve|im|were|id|ill|need|gotta|must|someone|somebody");
    const LEADS: Set = set(
        "LIST|TASK|TASKS|list|lists|add|put|note|jot|log|remind|reminder|reminded|reminding|remember|forget|down|stick|pop|write|track|save",
    );
    const DUTIES: Set = set("should|must|need|have|ought|gotta|better");
    let selves = keys(message).next().is_some_and(|first| SELVES.has(first));
    let own = |pair: (&str, &str)| matches!(pair.0, "i" | "we") && DUTIES.has(pair.1);
    (selves || keys(message).zip(keys(message).skip(1)).any(own)) && !keys(message).any(|key| LEADS.has(key))
}

fn keys(message: &[Word]) -> impl Iterator<Item = &str> {
    message.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str())
}

/// A message with its tokens.
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
        match intent {
            Intent::Add => self.add(named?),
            Intent::List => Some(Part::List(self.list(named))),
            Intent::Get => Some(Part::Get(aim()?)),
            Intent::Complete => aim().filter(|target| !self.throws(target)).map(Part::Complete),
            Intent::Reopen => Some(Part::Reopen(aim()?)),
            Intent::Delete => Some(Part::Delete { target: aim()?, unneeded: false }),
            Intent::Due => {
                let when = self.date_outside(named?)?;
                let due = Some(Some(when.due.as_str().to_owned()));
                let edit = Edits { due, recurrence: when.recurrence.clone(), ..Edits::default() };
                Some(Part::Edit { target: aim()?, edit })
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
                let note = self.context.raw(self.slot("note>")?).to_owned();
                Some(Part::Edit { target: aim()?, edit: Edits { description: Some(note), ..Edits::default() } })
            }
            Intent::Refuse => Some(scope::foreign()),
            Intent::Talk => Some(Part::Say(
                "All right. Nothing was changed. Say “show my tasks” to see your list, or “help” for what I can do."
                    .into(),
            )),
            Intent::Ask => None,
        }
    }

    /// "chuck everything ive done": many things are to go somewhere, and are not to be done.
    fn throws(&self, target: &Target) -> bool {
        const THROWS: Set = set("chuck|toss|sling|lob|bung|throw|dump|sack|bin|scrap|ditch|clear|wipe|shift|move");
        matches!(target, Target::All(_)) && keys(self.message).next().is_some_and(|first| THROWS.has(first))
    }

    /// "sent the invoice to Bo": whether more is named than the slot holds.
    fn leaves_out(&self, named: &[Word]) -> bool {
        const KNOWN: Set = set(
            "me|us|you|done|complete|completed|finished|LIST|TASK|TASKS|now|good|it|that|this|today|tomorrow|be|do|rest|ever|sure|\
             go|get|let|put|mark|tick|delete|remove|take|cross",
        );
        let Some(end) = named.last().map(|last| last.end) else { return false };
        let dated = |word: &Word| self.context.dates().iter().any(|found| found.span.contains(&word.start));
        let behind = self.message.iter().skip_while(|word| word.start < end);
        let mut behind = behind.filter(|word| !set!("the|my|our|a|an|his|her|their").has(&word.key));
        let led = behind.next().is_some_and(|lead| set!("to|for|with|about").has(&lead.key));
        led && behind.next().is_some_and(|thing| !(thing.is_mark() || KNOWN.has(&thing.key) || dated(thing)))
    }

    /// The words of a slot.
    fn slot(&self, name: &str) -> Option<&'a [Word]> {
        let places = slots::stretch(self.tokens, name)?;
        let stretch = &self.message[self.tokens[places.start].words.start..self.tokens[places.end - 1].words.end];
        stretch.iter().any(|word| !word.is_mark()).then_some(stretch)
    }

    /// The first date that is not part of a stretch.
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
        items.retain(|item| !fields::says_nothing(&item.title));
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
            asks: words.is_some(),
            words,
            ..ListQuery::default()
        }
    }
}

/// Whether a word belongs to a stretch.
fn inside(word: &Word, stretch: &[Word]) -> bool {
    stretch.first().is_some_and(|first| first.start <= word.start)
        && stretch.last().is_some_and(|last| word.end <= last.end)
}

#[cfg(test)]
mod tests;
