//! One clause read into a part: the grammar's rule and its captures become an intent with its target and values.

use super::accept::Candidate;
use super::announced;
use super::dating;
use super::fields;
use super::grammar::{self, Rule};
use super::intent::{Edits, ListQuery, NewItem, Part, Tags, Target};
use super::labels;
use super::levels::{implied, level_before, priority};
use super::lists;
use super::notes::Notes;
use super::pattern::Captures;
use super::placing;
use super::rewording;
use super::said;
use super::scope;
use super::set::{Set, set};
use super::several;
use super::shift;
use super::status;
use super::tails;
use super::target::{elided, target};
use super::waiting;
use super::words::{Kind, Word};
use crate::domain::task::Status;
use crate::domain::time::Timestamp;
use crate::domain::when;

/// A message and the moment in which it is read.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub text: &'a str,
    pub now: &'a Timestamp,
    pub zone: &'a str,
    notes: &'a Notes,
}

impl<'a> Context<'a> {
    pub fn new(text: &'a str, now: &'a Timestamp, zone: &'a str, notes: &'a Notes) -> Self {
        Self { text, now, zone, notes }
    }

    /// Whether a model may tell what no rule reads.
    pub fn may_guess(&self) -> bool {
        self.notes.guesses
    }

    /// The dates in the message.
    pub fn dates(&self) -> &'a [when::Found] {
        &self.notes.dates
    }

    /// The message's own words for a stretch, marks at its edges cut.
    pub fn raw(&self, stretch: &[Word]) -> &'a str {
        let from = stretch.iter().position(|word| !word.is_mark());
        let to = stretch.iter().rposition(|word| !word.is_mark());
        from.zip(to).map_or("", |(from, to)| &self.text[stretch[from].start..stretch[to].end])
    }

    /// The task or tasks that a stretch refers to.
    pub fn target(&self, stretch: &[Word]) -> Target {
        self.notes.targets.once(stretch, || target(stretch, self.text))
    }

    /// The due date that a stretch names as a whole.
    pub fn date(&self, stretch: &[Word]) -> Option<when::When> {
        when::parse(self.raw(stretch), self.now, self.zone)
    }
}

/// Reads a clause that asks for something; `None` if it is no request that Docket knows.
pub(super) fn read(clause: &[Word], context: Context) -> Option<Part> {
    context.notes.read.once(clause, || read_anew(clause, context))
}

fn read_anew(clause: &[Word], context: Context) -> Option<Part> {
    if let Some(list) = lists::list(clause, context) {
        return Some(Part::List(list));
    }
    let whole = clause.len();
    let clause = dating::corrected(clause, context);
    if clause.len() < whole
        && let Some(part) = dating::told(clause, context)
    {
        return Some(part);
    }
    if let Some(part) = dating::dated(clause, context) {
        return Some(part);
    }
    if let Some(part) = tails::tailed(clause, context) {
        return Some(part);
    }
    let part = grammatical(clause, context, |_| true).map(|part| tails::of_day(part, clause, context));
    tails::excepting(clause, part.as_ref(), context).or(part).or_else(|| placing::bare(clause, context))
}

/// What the tables make of a clause, if it is by a rule that will do.
pub(super) fn grammatical(clause: &[Word], context: Context, will_do: impl Fn(Rule) -> bool) -> Option<Part> {
    let (rule, captures) = recognise(clause, context).filter(|(rule, _)| will_do(*rule))?;
    build(rule, &captures, clause, context)
}

/// Whether a clause asks for something, without what exactly.
pub(super) fn asks(clause: &[Word], context: Context) -> bool {
    recognise(clause, context).is_some() || lists::list(clause, context).is_some()
}

fn recognise(clause: &[Word], context: Context) -> Option<(Rule, Captures)> {
    if clause.iter().all(Word::is_mark) {
        return None;
    }
    let fits = |rule, captures: &Captures| Candidate::new(captures, clause, context).fits(rule);
    context.notes.recognised.once(clause, || grammar::read(clause, &context.notes.steps, fits))
}

pub(super) fn take<'a>(captures: &Captures, name: char, clause: &'a [Word]) -> Option<&'a [Word]> {
    captures.iter().find(|(found, _, _)| *found == name).map(|(_, start, end)| &clause[*start..*end])
}

/// The task that `x` or `t` names.
pub(super) fn about(captures: &Captures, clause: &[Word], context: Context) -> Target {
    match take(captures, 'x', clause).or_else(|| take(captures, 't', clause)) {
        Some(_) if elided(captures, clause) => Target::It,
        Some(stretch) => context.target(stretch),
        // "it's done", "that's high priority".
        None if clause.iter().take(2).any(|word| set!("it|its|that|thats|this").has(&word.key)) => Target::It,
        // "put … in its description".
        None if described(captures, clause) => Target::It,
        None => Target::Missing,
    }
}

/// Whether all that is captured is a note, said to go where notes of a task go.
fn described(captures: &Captures, clause: &[Word]) -> bool {
    let noun = clause.iter().rfind(|word| !word.is_mark());
    matches!(captures.as_slice(), [('y', _, _)]) && noun.is_some_and(|word| fields::NOTES.has(&word.key))
}

fn build(rule: Rule, captures: &Captures, clause: &[Word], context: Context) -> Option<Part> {
    let stretch = |name| take(captures, name, clause).unwrap_or_default();
    let about = || about(captures, clause, context);
    let edit = |edit: Edits| Some(Part::Edit { target: about(), edit });
    match rule {
        Rule::Add => Some(add(stretch('x'), clause, captures, context, false)),
        Rule::AddIfAbsent => Some(add(stretch('x'), clause, captures, context, true)),
        Rule::AddNothing => Some(ask_what()),
        Rule::NewList
            if captures.is_empty() || !clause.iter().any(|word| matches!(word.key.as_str(), "of" | "all")) =>
        {
            Some(scope::one_list())
        }
        Rule::NewList => Some(scope::foreign()),
        Rule::Happened => Some(Part::Happened(happening(captures, clause, context)?)),
        // "check the oven" is a chore as well: it completes only the task that says the same.
        Rule::Complete if checks(clause) => Some(Part::Happened(context.raw(stretch('x')).to_owned())),
        Rule::Complete => Some(Part::Complete(ticked(listed(about(), clause), clause))),
        Rule::Reopen => Some(Part::Reopen(ticked(listed(about(), clause), clause))),
        Rule::Delete if context.raw(clause).to_lowercase() == "cancel list" => Some(scope::edit_what()),
        Rule::Delete => Some(Part::Delete { target: status::ones(listed(about(), clause)), unneeded: false }),
        Rule::Unneeded => Some(Part::Delete { target: listed(about(), clause), unneeded: true }),
        Rule::Get => Some(match (about(), take(captures, 'v', clause)) {
            (Target::All(scope), _) => Part::List(of_scope(scope)),
            (Target::Words { text, .. }, Some(verb)) => {
                let text = format!("{text} {}", context.raw(verb));
                Part::Get(Target::Words { text, quoted: false, named: false })
            }
            (target, _) => Part::Get(target),
        }),
        Rule::Rename => edit(Edits { title: Some(fields::new_title(stretch('y'), context)), ..Edits::default() }),
        Rule::Reword => edit(rewording::read(captures, clause, context)),
        Rule::Describe => edit(Edits { description: Some(context.raw(stretch('y')).to_owned()), ..Edits::default() }),
        Rule::Project => {
            let named = take(captures, 'j', clause).unwrap_or_else(|| stretch('y'));
            edit(Edits { project: Some(Some(labels::project(context.raw(named)))), ..Edits::default() })
        }
        Rule::NoProject => edit(Edits { project: Some(None), ..Edits::default() }),
        Rule::Tag => {
            let named = take(captures, 'g', clause).unwrap_or_else(|| stretch('y'));
            edit(Edits { tags: Some(Tags::Add(labels::tags(named))), ..Edits::default() })
        }
        Rule::Untag => {
            let named = labels::tags(take(captures, 'g', clause).unwrap_or_else(|| stretch('y')));
            let all = clause.iter().any(|word| matches!(word.key.as_str(), "tags" | "labels" | "untag"));
            let tags = if named.is_empty() && all { Tags::Clear } else { Tags::Remove(named) };
            edit(Edits { tags: Some(tags), ..Edits::default() })
        }
        Rule::NoDue => edit(Edits { due: Some(None), ..Edits::default() }),
        Rule::Shift => {
            let amount = shift::amount(stretch('n'))?;
            let amount = if shift::earlier(clause)? { amount.back() } else { amount };
            edit(Edits { shift: Some(amount), ..Edits::default() })
        }
        Rule::Due => edit(due(context.date(stretch('d'))?, stretch('d'))),
        Rule::Priority => {
            let level = ['p', 'y'].iter().find_map(|name| take(captures, *name, clause)).and_then(priority);
            edit(Edits { priority: Some(level.unwrap_or(implied(clause))), ..Edits::default() })
        }
        Rule::Change => Some(change(about(), stretch('y'), context)),
        Rule::EditWhat => match about() {
            Target::Missing | Target::Them | Target::All(_) => Some(scope::edit_what()),
            _ if captures.is_empty() => Some(scope::edit_what()),
            target => Some(Part::Edit { target, edit: Edits::default() }),
        },
    }
}

/// "show me everything that's overdue": the list of what a bulk target means.
fn of_scope(scope: super::intent::Scope) -> ListQuery {
    let due = scope.day.or_else(|| scope.overdue.then(|| "overdue".to_owned()));
    let status = scope.status.or_else(|| due.is_some().then_some(Status::Pending));
    ListQuery { status, due, priority: scope.priority, words: scope.words, ..ListQuery::default() }
}

/// Whether a clause is "check" and words that no list or number makes a task's.
fn checks(clause: &[Word]) -> bool {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    const TASKS: Set = set("off|out|done|LIST|TASK|TASKS|it|them|that|this|one|box|tick|everything|all");
    keys.first() == Some(&"check")
        && !keys.iter().any(|key| TASKS.has(key) || key.starts_with(|c: char| c.is_ascii_digit() || c == '#'))
}

/// The change to a due date that was said in these words.
pub(super) fn due(when: when::When, said: &[Word]) -> Edits {
    let clock = when.recurrence.is_none() && dating::clock_only(said);
    Edits { due: Some(Some(when.due.as_str().to_owned())), recurrence: when.recurrence, clock, ..Edits::default() }
}

/// "change x to y": what y is tells what changes.
fn change(target: Target, value: &[Word], context: Context) -> Part {
    let keys: Vec<&str> = value.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    if let Some(level) = priority(value).filter(|_| keys.first() != Some(&"1") && keys.len() < 4) {
        return Part::Edit { target, edit: Edits { priority: Some(level), ..Edits::default() } };
    }
    if let Some(when) = context.date(value).filter(|_| value.iter().all(|word| word.kind != Kind::Quoted)) {
        return Part::Edit { target, edit: due(when, value) };
    }
    match keys.join(" ").as_str() {
        "done" | "completed" | "complete" | "finished" => Part::Complete(target),
        "pending" | "open" | "incomplete" | "not done" | "undone" | "todo" => Part::Reopen(target),
        _ => Part::Edit { target, edit: Edits { title: Some(fields::new_title(value, context)), ..Edits::default() } },
    }
}

/// A clause that says "from my list" names its target as a task.
fn listed(target: Target, clause: &[Word]) -> Target {
    match target {
        Target::Words { text, quoted, .. } if clause.iter().any(|word| word.key == "LIST" || word.key == "TASK") => {
            Target::Words { text, quoted, named: true }
        }
        other => other,
    }
}

/// "mark the card done", "untick the card": only tasks are ticked, whatever they are called.
fn ticked(target: Target, clause: &[Word]) -> Target {
    const TICKS: Set = set("tick|ticked|untick|mark|unmark|uncheck|cross|uncross|strike|unstrike|chalk");
    match target {
        Target::Words { text, quoted, .. } if clause.first().is_some_and(|first| TICKS.has(&first.key)) => {
            Target::Words { text, quoted, named: true }
        }
        other => other,
    }
}

pub(super) fn add(
    stretch: &[Word],
    clause: &[Word],
    captures: &Captures,
    context: Context,
    unless_there: bool,
) -> Part {
    let on_list = clause.iter().any(|word| word.key == "LIST");
    let task = clause.iter().any(|word| matches!(word.key.as_str(), "TASK" | "TASKS"));
    if scope::foreign_container(stretch) && !placing::to_self(clause) {
        return scope::foreign();
    }
    if let Some(part) = placing::elsewhere(stretch, clause, context) {
        return part;
    }
    if matches!(context.target(stretch), Target::It | Target::Them | Target::Missing | Target::All(_)) {
        return ask_what();
    }
    let said = take(captures, 'p', clause).and_then(priority);
    let lead =
        captures.iter().find(|(name, _, _)| *name == 'x').and_then(|(_, start, _)| level_before(&clause[..*start]));
    let plural = clause.iter().any(|word| word.key == "TASKS");
    // What stands before "so put it on my list" is a statement.
    let stated = captures.first().is_some_and(|(name, start, _)| *name == 'x' && *start == 0);
    let spent = stated && said::spent(stretch);
    let stretch = said::content(stretch, stated);
    let shop = take(captures, 'h', clause).map(|named| context.raw(named).to_owned());
    let again = on_list && stretch.len() > 1 && stretch[0].key == "add";
    let stretch = if again { &stretch[1..] } else { stretch };
    let mut items =
        said::undated(several::items(clause, stretch, context, on_list && !task || plural || shop.is_some()), spent);
    let day = take(captures, 'd', clause).and_then(|stretch| context.date(stretch));
    if let Some(when) = day.or_else(|| dating::of_list(clause, stretch, context)) {
        for item in &mut items {
            item.due.get_or_insert_with(|| when.due.as_str().to_owned());
            item.recurrence = item.recurrence.take().or_else(|| when.recurrence.clone());
        }
    }
    let project = ['j', 'k'].iter().find_map(|name| take(captures, *name, clause));
    for item in &mut items {
        item.priority = item.priority.or(said).or(lead);
        item.shop.clone_from(&shop);
        item.project = item.project.take().or_else(|| project.map(|named| labels::project(context.raw(named))));
    }
    named(items, stretch, unless_there, context)
}

/// New tasks whose titles say what is to be done: a slurred "later" or a day alone does not.
fn named(mut items: Vec<NewItem>, said: &[Word], unless_there: bool, context: Context) -> Part {
    let keys: Vec<&str> = said.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let quoted = said.iter().any(|word| word.kind == Kind::Quoted);
    let day = |item: &NewItem| when::parse(&item.title, context.now, context.zone).is_some();
    // "#3" is a task that there is.
    let number = |item: &NewItem| item.title.starts_with('#') && super::target::number(&item.title, false).is_some();
    let silent = !quoted && (announced::announces(said) || announced::puts_it(said));
    let said = |item: &NewItem| quoted || !(number(item) || waiting::stalls(&item.title));
    items.retain(|item| !fields::says_nothing(&item.title) && said(item));
    if items.is_empty() || silent || !quoted && (fields::says_nothing(&keys.join(" ")) || items.iter().any(day)) {
        return ask_what();
    }
    Part::Add { items, unless_there }
}

/// A statement as new tasks: "i need eggs; add them to my list".
pub(super) fn add_words(said: &[Word], context: Context) -> Part {
    let stretch = said::content(said, true);
    if said::denies(stretch) || announced::announces(said) {
        return ask_what();
    }
    named(said::undated(fields::items(stretch, context, true, None), said::spent(said)), stretch, false, context)
}

/// The task that a statement in the past tense repeats: "the dog is washed" is "washed the dog".
fn happening(captures: &Captures, clause: &[Word], context: Context) -> Option<String> {
    let said = |name| take(captures, name, clause).map(|stretch| context.raw(stretch));
    let whole: Vec<&str> = ['v', 'x', 'z'].into_iter().filter_map(said).collect();
    said('x').map(|_| whole.join(" "))
}

/// The question for a task that has no title yet.
pub(super) fn ask_what() -> Part {
    Part::Ask {
        question: "What should the task say? For example: “add buy milk tomorrow”.".into(), options: vec![]
    }
}
