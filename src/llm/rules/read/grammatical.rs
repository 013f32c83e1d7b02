//! Parsing of a clause by the grammar: a rule and its captures become a part with target and values.

use crate::domain::task::Status;
use crate::domain::when;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::accept::Candidate;
use crate::llm::rules::read::captured::about;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Edits, ListQuery, NewItem, Part, Tags, Target};
use crate::llm::rules::read::levels::{implied, level_before, priority};
use crate::llm::rules::read::pattern::{Captures, take};
use crate::llm::rules::read::rule::Rule;
use crate::llm::rules::read::scope::ask_what;
use crate::llm::rules::read::{
    announced, clearing, days, enumerating, fields, grammar, labels, placing, rewording, said, scope, shift, status,
    vague, waiting,
};

/// Parses a clause by the first matching rule, if `will_do` accepts the rule.
pub(in crate::llm::rules) fn grammatical(
    clause: &[Word],
    context: Context,
    will_do: impl Fn(Rule) -> bool,
) -> Option<Part> {
    let (rule, captures) = recognise(clause, context).filter(|(rule, _)| will_do(*rule))?;
    build(rule, &captures, clause, context)
}

pub(in crate::llm::rules) fn recognise(clause: &[Word], context: Context) -> Option<(Rule, Captures)> {
    if clause.iter().all(Word::is_mark) {
        return None;
    }
    let fits = |rule, captures: &Captures| Candidate::new(captures, clause, context).fits(rule);
    context.notes.recognised.once(clause, || grammar::read(clause, &context.notes.steps, fits))
}

fn build(rule: Rule, captures: &Captures, clause: &[Word], context: Context) -> Option<Part> {
    let stretch = |name| take(captures, name, clause).unwrap_or_default();
    let about = || about(captures, clause, context);
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
        // "check item 5 on my list" reads it; "check off item 5" completes it.
        Rule::Complete if looks_at(clause) => Some(Part::Get(about())),
        // "check the oven" may be a chore, so it completes only a task with that title.
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
        _ => edited(rule, captures, clause, context),
    }
}

/// Returns the change of fields of existing tasks.
fn edited(rule: Rule, captures: &Captures, clause: &[Word], context: Context) -> Option<Part> {
    let stretch = |name| take(captures, name, clause).unwrap_or_default();
    let about = || about(captures, clause, context);
    let whose = || if take(captures, 'x', clause).is_some() { about() } else { Target::It };
    let edit = |edit: Edits| Some(Part::Edit { target: about(), edit });
    match rule {
        Rule::Rename => edit(Edits { title: Some(fields::new_title(stretch('y'), context)), ..Edits::default() }),
        Rule::Reword => edit(rewording::read(captures, clause, context)),
        Rule::Describe => edit(clearing::noted(stretch('y'), clause, context)),
        // "take the note off" means the task mentioned before.
        Rule::NoNote => {
            Some(Part::Edit { target: whose(), edit: Edits { description: Some(String::new()), ..Edits::default() } })
        }
        Rule::Skip => {
            let day = take(captures, 'd', clause).and_then(|stretch| context.date(stretch));
            let due = day.map(|when| Some(when.due.day().to_owned()));
            Some(Part::Edit { target: whose(), edit: Edits { skips: true, due, ..Edits::default() } })
        }
        Rule::Project => {
            let named = take(captures, 'j', clause).or_else(|| take(captures, 'k', clause));
            let named = named.unwrap_or_else(|| stretch('y'));
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
        // "drop the time of x" keeps the day.
        Rule::NoDue => edit(Edits { due: Some(None), clock: of_time(clause), ..Edits::default() }),
        Rule::Shift => {
            let amount = shift::amount(stretch('n'))?;
            let amount = if shift::earlier(clause)? { amount.back() } else { amount };
            edit(Edits { shift: Some(amount), ..Edits::default() })
        }
        Rule::Due => {
            let edit = days::due(context.date(stretch('d'))?, stretch('d'), context);
            Some(Part::Edit { target: of_day(about(), stretch('f'), context), edit })
        }
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
        _ => None,
    }
}

/// Restricts a bulk target to the tasks of a day: "push everything from tomorrow to saturday".
fn of_day(target: Target, from: &[Word], context: Context) -> Target {
    match target {
        Target::All(scope) if scope.day.is_none() && !scope.overdue => {
            let day = context.date(from).map(|when| when.due.day().to_owned());
            Target::All(crate::llm::rules::read::intent::Scope { day, ..scope })
        }
        other => other,
    }
}

/// Returns the list query of a bulk target: "show me everything that's overdue".
fn of_scope(scope: crate::llm::rules::read::intent::Scope) -> ListQuery {
    let due = scope.day.or_else(|| scope.overdue.then(|| "overdue".to_owned()));
    let status = scope.status.or_else(|| due.is_some().then_some(Status::Pending));
    ListQuery { status, due, priority: scope.priority, words: scope.words, ..ListQuery::default() }
}

/// Returns true if a clause is "check" with words that do not indicate a task.
fn checks(clause: &[Word]) -> bool {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    const TASKS: Set = set("off|out|done|LIST|TASK|TASKS|it|them|that|this|one|box|tick|everything|all");
    keys.first() == Some(&"check")
        && !keys.iter().any(|key| TASKS.has(key) || key.starts_with(|c: char| c.is_ascii_digit() || c == '#'))
}

/// Returns true if a clause is "check" with a number or the list, and no word for completion.
fn looks_at(clause: &[Word]) -> bool {
    const TICKS: Set = set("off|out|done|complete|completed|finished|it|them|that|this|box|tick|as|everything|all");
    let plain = || clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str());
    let named = |key: &str| key == "LIST" || key.starts_with(|c: char| c.is_ascii_digit() || c == '#');
    plain().next() == Some("check") && plain().any(named) && !plain().any(|key| TICKS.has(key))
}

/// Determines the field of "change x to y" by the value y.
fn change(target: Target, value: &[Word], context: Context) -> Part {
    let keys: Vec<&str> = value.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    if let Some(level) = priority(value).filter(|_| keys.first() != Some(&"1") && keys.len() < 4) {
        return Part::Edit { target, edit: Edits { priority: Some(level), ..Edits::default() } };
    }
    if let Some(when) = context.date(value).filter(|_| value.iter().all(|word| word.kind != Kind::Quoted)) {
        return Part::Edit { target, edit: days::due(when, value, context) };
    }
    match keys.join(" ").as_str() {
        "done" | "completed" | "complete" | "finished" => Part::Complete(target),
        "pending" | "open" | "incomplete" | "not done" | "undone" | "todo" => Part::Reopen(target),
        _ => Part::Edit { target, edit: Edits { title: Some(fields::new_title(value, context)), ..Edits::default() } },
    }
}

/// Marks the target as explicit if the clause mentions the list or a task: "from my list".
fn listed(target: Target, clause: &[Word]) -> Target {
    match target {
        Target::Words { text, quoted, .. } if clause.iter().any(|word| word.key == "LIST" || word.key == "TASK") => {
            Target::Words { text, quoted, named: true }
        }
        other => other,
    }
}

/// Marks the target as explicit if the verb applies to tasks only: "mark the card done", "untick the card".
fn ticked(target: Target, clause: &[Word]) -> Target {
    const TICKS: Set = set("tick|ticked|untick|mark|unmark|uncheck|cross|uncross|strike|unstrike|chalk");
    match target {
        Target::Words { text, quoted, .. } if clause.first().is_some_and(|first| TICKS.has(&first.key)) => {
            Target::Words { text, quoted, named: true }
        }
        other => other,
    }
}

pub(in crate::llm::rules) fn add(
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
    // The words before "so put it on my list" are a statement.
    let stated = captures.first().is_some_and(|(name, start, _)| *name == 'x' && *start == 0);
    let spent = stated && said::spent(stretch);
    let stretch = said::content(stretch, stated);
    let shop = take(captures, 'h', clause).map(|named| context.raw(named).to_owned());
    let again = on_list && stretch.len() > 1 && stretch[0].key == "add";
    let stretch = if again { &stretch[1..] } else { stretch };
    let mut items = said::undated(
        enumerating::items(clause, stretch, context, on_list && !task || plural || shop.is_some()),
        spent,
    );
    let day = take(captures, 'd', clause).and_then(|stretch| context.date(stretch));
    if let Some(when) = day.or_else(|| days::of_list(clause, stretch, context)) {
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

/// Returns new tasks whose titles name something to do, unlike "later" or a day alone.
fn named(mut items: Vec<NewItem>, said: &[Word], unless_there: bool, context: Context) -> Part {
    let keys: Vec<&str> = said.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let quoted = said.iter().any(|word| word.kind == Kind::Quoted);
    let day = |item: &NewItem| when::parse(&item.title, context.now, context.zone).is_some();
    // "#3" is an existing task.
    let number = |item: &NewItem| {
        item.title.starts_with('#') && crate::llm::rules::read::target::number(&item.title, false).is_some()
    };
    let silent = !quoted && (announced::announces(said) || announced::puts_it(said));
    let said = |item: &NewItem| quoted || !(number(item) || waiting::stalls(&item.title));
    items.retain(|item| !vague::says_nothing(&item.title) && said(item));
    if items.is_empty() || silent || !quoted && (vague::says_nothing(&keys.join(" ")) || items.iter().any(day)) {
        return ask_what();
    }
    Part::Add { items, unless_there }
}

/// Converts a statement to new tasks: "i need eggs; add them to my list".
pub(in crate::llm::rules) fn add_words(said: &[Word], context: Context) -> Part {
    let stretch = said::content(said, true);
    if said::denies(stretch) || announced::announces(said) {
        return ask_what();
    }
    named(said::undated(fields::items(stretch, context, true, None), said::spent(said)), stretch, false, context)
}

/// Returns the title that a statement in the past tense implies: "the dog is washed" becomes "washed the dog".
fn happening(captures: &Captures, clause: &[Word], context: Context) -> Option<String> {
    let said = |name| take(captures, name, clause).map(|stretch| context.raw(stretch));
    let whole: Vec<&str> = ['v', 'x', 'z'].into_iter().filter_map(said).collect();
    said('x').map(|_| whole.join(" "))
}

/// Returns true if only the time of day is removed: "remove the time from x".
fn of_time(clause: &[Word]) -> bool {
    let said = |key: &str| clause.iter().any(|word| word.key == key);
    said("time") && !said("date") && !said("due")
}
