//! The question if something is new or already on the list, with both readings as options. It describes the
//! tasks that the first option adds, with all parsed fields.

use crate::domain::task_line::TaskLine;
use crate::domain::time::Timestamp;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Word, words};
use crate::llm::rules::plan::recall::Past;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{NewItem, Part, Target, target_of};
use crate::llm::rules::read::notes::Notes;
use crate::llm::rules::read::scope::ask_what;
use crate::llm::rules::read::{courtesy, fields, parts, vague, wish};
use crate::llm::{Act, Request, Unclear};

/// Prefix of the option that adds.
const ADDS: &str = "add ";

/// Returns true if the action asks about adding something.
pub(in crate::llm::rules) fn is_offer(act: &Act) -> bool {
    matches!(act, Act::Ask { why: Unclear::Intent, options, .. }
        if matches!(options.as_slice(), [first, second] if first.starts_with(ADDS) && is_look(second)))
}

fn is_look(option: &str) -> bool {
    option.starts_with("show the task ") || wants_lookup(option)
}

/// Adds a description of the tasks to such a question; returns other actions unchanged.
pub(in crate::llm::rules) fn one_tap(act: Act, request: &Request) -> Act {
    if !is_offer(&act) {
        return act;
    }
    let Act::Ask { question, options, why } = act else { return act };
    let said = options.first().map(String::as_str).unwrap_or_default();
    let (adds, items) = choice(said, &request.now, &request.zone);
    let line = |item: &NewItem| TaskLine::from(item).text(&request.now, &request.zone);
    let named: Vec<String> = items.iter().map(line).collect();
    let (question, look) = match named.as_slice() {
        [] => return Act::Ask { question, options, why },
        [one] => (format!("Add a task: {one}? Or look for it?"), "look for it"),
        all => (format!("Add {} tasks: {}? Or look for them?", all.len(), all.join(", ")), "look for them"),
    };
    Act::Ask { question, options: vec![adds, look.to_owned()], why }
}

/// Returns the option that adds, and its tasks.
fn choice(said: &str, now: &Timestamp, zone: &str) -> (String, Vec<NewItem>) {
    plain(said, now, zone).unwrap_or_else(|| (said.to_owned(), added(said, now, zone)))
}

/// Returns the new tasks that such a question offers; none if they are unclear.
pub(in crate::llm::rules) fn chosen(open: &Part, now: &Timestamp, zone: &str) -> Vec<NewItem> {
    match open {
        Part::Ask { options, .. } => options.first().map(|said| choice(said, now, zone).1).unwrap_or_default(),
        _ => vec![],
    }
}

/// Returns the part that the last question was about: the new task, if the task that the message named is unknown.
pub(in crate::llm::rules) fn reopened(open: &Part, last: &Past, now: &Timestamp, zone: &str) -> Part {
    let offered = target_of(open).is_some() && last.reply.contains("? Or look for ");
    let new = offered.then(|| wish::unknown(open, last.said, now, zone, false)).flatten();
    new.filter(offers).unwrap_or_else(|| open.clone())
}

/// Returns true if a question offers to add something.
pub(in crate::llm::rules) fn offers(open: &Part) -> bool {
    matches!(open, Part::Ask { options, .. } if options.first().is_some_and(|option| option.starts_with("add ")))
}

/// Returns true if a message asks for a lookup instead: "look for them".
pub(in crate::llm::rules) fn wants_lookup(text: &str) -> bool {
    const VERBS: Set = set("find|show|look|search|existing|lookup");
    const OBJECTS: Set = set("it|them|that|those|for|up|please|the|existing|one|ones|me|if|its|there");
    let message = words(text);
    let keys: Vec<String> = message.iter().filter(|word| !word.is_mark()).map(|word| word.key.to_lowercase()).collect();
    keys.len() <= 6
        && keys.first().is_some_and(|first| VERBS.has(first))
        && keys[1..].iter().all(|key| OBJECTS.has(key))
}

/// Returns the option that adds, with its tasks, without introductory words such as "need" or "should".
fn plain(adds: &str, now: &Timestamp, zone: &str) -> Option<(String, Vec<NewItem>)> {
    const LEADS: Set = file_set!("offer_leads");
    let rest = adds.strip_prefix(ADDS)?;
    let keys: Vec<String> = rest.split_whitespace().map(|word| word.to_lowercase().replace(['\'', '’'], "")).collect();
    let led = LEADS.leads(&keys.iter().map(String::as_str).collect::<Vec<_>>());
    let words: Vec<&str> = rest.split_whitespace().skip(led).collect();
    if led == 0 || words.is_empty() {
        return None;
    }
    let adds = format!("{ADDS}{}", words.join(" "));
    let items = added(&adds, now, zone);
    (!items.is_empty()).then_some((adds, items))
}

/// Returns the new tasks of a message that requests nothing else.
fn added(text: &str, now: &Timestamp, zone: &str) -> Vec<NewItem> {
    let parts = parts::parts(text, now, zone);
    let mut parts = parts.into_iter().filter(|part| !matches!(part, Part::Say(_)));
    match (parts.next(), parts.next()) {
        (Some(Part::Add { items, unless_there: false }), None) => items,
        (_, _) => vec![],
    }
}

/// Returns the tasks to look up after the question if they are new.
pub(super) fn looked_for(open: &Part, text: &str, asked_about: &str, context: Context) -> Option<Vec<Part>> {
    if !offers(open) || !wants_lookup(text) {
        return None;
    }
    let find = |text: &str| Part::Get(Target::Words { text: text.to_owned(), quoted: false, named: true });
    let asked = words(asked_about);
    let notes = Notes::of(asked_about, context.now, context.zone);
    let context = Context::new(asked_about, context.now, context.zone, &notes);
    Some(match title(courtesy::strip(&asked).0, context) {
        Part::Add { items, .. } => items.iter().map(|item| find(&item.title)).collect(),
        _ => vec![find(asked_about)],
    })
}

/// Returns a bare phrase as a new task.
pub(super) fn title(body: &[Word], context: Context) -> Part {
    let items: Vec<NewItem> = fields::items(body, context, false, None)
        .into_iter()
        .filter(|item| !vague::says_nothing(&item.title))
        .collect();
    if items.is_empty() { ask_what() } else { Part::Add { items, unless_there: false } }
}

/// Adds the date of the earlier message to new tasks: "remind me tomorrow", "to call bob".
pub(super) fn on_day(part: Part, asked_about: &str, context: Context) -> Part {
    let Part::Add { mut items, unless_there } = part else { return part };
    let notes = Notes::of(asked_about, context.now, context.zone);
    if let [day] = notes.dates.as_slice() {
        for item in items.iter_mut().filter(|item| item.due.is_none()) {
            item.due = Some(day.when.due.as_str().to_owned());
            item.recurrence.clone_from(&day.when.recurrence);
        }
    }
    Part::Add { items, unless_there }
}

impl<'a> From<&'a NewItem> for TaskLine<'a> {
    fn from(item: &'a NewItem) -> Self {
        Self {
            title: &item.title,
            due: item.due.as_deref(),
            recurrence: item.recurrence.as_deref(),
            project: item.project.as_deref(),
            tags: item.tags.iter().map(String::as_str).collect(),
            priority: item.priority,
            notes: item.description.as_deref(),
        }
    }
}
