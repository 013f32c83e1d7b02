//! Scoring of a message's meaning: compares the grammar's result with the classifier's probabilities. The required
//! probability depends on the harm of an error: lowest for reading, higher for adding, highest for changing.

use crate::llm::rules::lex::frames::CHORES;
use crate::llm::rules::normalise::words::{self, Word};
use crate::llm::rules::read::classifier::{self, Kind, Odds};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Part, target_of};
use crate::llm::rules::read::{placing, scope, wish};

/// Minimum probability of a refusal to override a new task, and its minimum ratio to that of adding.
const REFUSED: f64 = 0.6;
/// Threshold of a refusal for a message that says “add”.
const REFUSED_PLAINLY: f64 = 0.95;
const TIMES: f64 = 2.0;
/// Maximum probability of the parsed meaning, and minimum of talk or a question, to query a change.
const UNLIKELY: f64 = 0.02;
const OTHERWISE: f64 = 0.93;
/// Minimum probability of small talk to ask nothing back.
const TALK: f64 = 0.85;

/// Returns the grammar's result, or a question or refusal if the classifier is sure of another meaning.
pub(in crate::llm::rules) fn weighed(found: Vec<Part>, body: &[Word], context: Context) -> Vec<Part> {
    match found.as_slice() {
        // “give mum her tablets at 8am every day”
        [Part::Add { items, .. }] if wish::opens_chore(body) && items.iter().any(|item| item.due.is_some()) => found,
        [Part::Add { .. }] | [Part::Happened(_), Part::Add { .. }] if !is_own(body) => {
            let odds = classifier::odds(body, context);
            let (add, refuse) = (odds.of(Kind::Add), odds.of(Kind::Refuse));
            let plainly = body.iter().position(|word| word.key == "add");
            // “add revise chapters 4 to 6”: a chore is a task, whatever its subject.
            if plainly.and_then(|at| body.get(at + 1)).is_some_and(|next| CHORES.has(&next.key)) {
                return found;
            }
            let least = if plainly.is_some() { REFUSED_PLAINLY } else { REFUSED };
            if refuse >= least && refuse >= add * TIMES { vec![scope::foreign()] } else { found }
        }
        [part] if changes(part) && !is_own(body) => {
            let odds = classifier::odds(body, context);
            if is_doubtful(part, &odds) { vec![scope::add_or_find(context.raw(body))] } else { found }
        }
        [part] if context.may_guess() && is_open(part, context) => {
            let odds = classifier::odds(body, context);
            match () {
                () if odds.of(Kind::Talk) > TALK => vec![classifier::nothing_asked()],
                () if odds.of(Kind::Refuse) > REFUSED_PLAINLY => vec![scope::foreign()],
                () => found,
            }
        }
        _ => found,
    }
}

/// Returns true if a part asks if a text is a new task.
fn is_open(part: &Part, context: Context) -> bool {
    let asks = |options: &[String]| options.first().is_some_and(|option| option.starts_with("add "));
    let text = context.text.to_lowercase();
    let requests = ["you could", "you would", "you can", "can you", "could you", "would you"];
    matches!(part, Part::Ask { options, .. } if asks(options))
        && context.dates().is_empty()
        && !requests.iter().any(|words| text.contains(words))
}

/// Returns true if a message clearly concerns the list: by its name, a quotation, or a request for a reminder.
fn is_own(body: &[Word]) -> bool {
    let listed = |word: &Word| matches!(word.key.as_str(), "LIST" | "TASK" | "TASKS" | "remind");
    let quoted = |word: &Word| word.kind == words::Kind::Quoted;
    let reminds = |pair: &[Word]| pair[0].key == "dont" && pair[1].key == "forget";
    body.windows(2).any(reminds)
        || body.iter().any(|word| listed(word) || quoted(word))
        || placing::errand(body)
        || placing::to_self(body)
}

fn changes(part: &Part) -> bool {
    target_of(part).is_some() && !matches!(part, Part::Get(_))
}

/// Returns true if the classifier finds a change unlikely and a meaning without changes nearly certain.
fn is_doubtful(part: &Part, odds: &Odds) -> bool {
    let (kind, otherwise) = match part {
        Part::Complete(_) => (Kind::Complete, odds.of(Kind::Talk).max(odds.of(Kind::Read))),
        Part::Delete { .. } => (Kind::Delete, odds.of(Kind::Talk).max(odds.of(Kind::Read))),
        _ => (Kind::Update, odds.of(Kind::Talk)),
    };
    odds.of(kind) < UNLIKELY && otherwise > OTHERWISE
}
