//! Fields and exceptions after a request: "…, due date will be friday", "… tagged home", "… except the rent".

use crate::domain::task::Status;
use crate::domain::when;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::spoken_fields;
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Edits, Part, Scope, Tags, Target, aim, target_of};
use crate::llm::rules::read::levels::priority;
use crate::llm::rules::read::rule::Rule;
use crate::llm::rules::read::target::target;
use crate::llm::rules::read::{grammatical, labels, pressing};

/// Maximum distance of such a field from the end of a clause, in words.
const LONGEST: usize = 14;
/// Maximum fields after one clause.
const MOST: usize = 4;

/// Parses a new task with fields after its title or destination, or a change of one field followed by another.
pub(in crate::llm::rules) fn tailed(clause: &[Word], context: Context) -> Option<Part> {
    let (core, more) = cut(clause, context)?;
    let fields = |rule| matches!(rule, Rule::Add | Rule::Due | Rule::Priority);
    match grammatical::grammatical(core, context, fields)? {
        Part::Add { mut items, unless_there } => {
            items.iter_mut().for_each(|item| item.take(&more));
            Some(Part::Add { items, unless_there })
        }
        // "move 3 to friday, high priority"
        Part::Edit { target, edit } if more.project.is_none() && more.tags.is_none() => {
            Some(Part::Edit { target, edit: edit.with(&more)? })
        }
        _ => None,
    }
}

/// Returns true if a stretch after a mark adds a field to the preceding task.
pub(in crate::llm::rules) fn follows(stretch: &[Word], context: Context) -> bool {
    const FIELDS: Set = set("due|deadline|tagged|labelled|labeled");
    let named = stretch.iter().find(|word| !set!("the|its|a|with|and").has(&word.key));
    let end = stretch.iter().position(|word| word.is_mark() && word.key != ",").unwrap_or(stretch.len());
    named.is_some_and(|word| FIELDS.has(&word.key)) || field(&stretch[..end.min(LONGEST)], true, context).is_some()
}

/// Returns true if the preceding words are the task: "…, new task, needs doing by friday".
pub(in crate::llm::rules) fn newly(stretch: &[Word], context: Context) -> bool {
    let [new, noun, mark, more @ ..] = stretch else { return false };
    matches!(new.key.as_str(), "new" | "another")
        && set!("TASK|one|thing|entry|addition|job|bit").has(&noun.key)
        && mark.is_mark()
        && mark.key == ","
        && follows(more, context)
}

/// Splits a clause and the fields after it; `None` if there are none.
fn cut<'a>(clause: &'a [Word], context: Context) -> Option<(&'a [Word], Edits)> {
    let mut core = clause;
    let mut more = Edits::default();
    for _ in 0..MOST {
        let from = core.len().saturating_sub(LONGEST).max(2);
        let found = (from..core.len()).find_map(|at| Some((at, led(core, at, context)?)));
        let Some((at, field)) = found.filter(|(_, field)| fresh(&more, field)) else { break };
        more = joined(more, field);
        core = &core[..at];
    }
    (core.len() < clause.len()).then_some((core, more))
}

/// Returns true if the field has not been set yet.
fn fresh(more: &Edits, field: &Edits) -> bool {
    let twice = more.due.is_some() && field.due.is_some()
        || more.tags.is_some() && field.tags.is_some()
        || more.project.is_some() && field.project.is_some()
        || more.priority.is_some() && field.priority.is_some() && more.priority != field.priority;
    !twice
}

fn joined(more: Edits, field: Edits) -> Edits {
    Edits {
        due: more.due.or(field.due),
        recurrence: more.recurrence.or(field.recurrence),
        priority: more.priority.or(field.priority),
        project: more.project.or(field.project),
        tags: more.tags.or(field.tags),
        ..Edits::default()
    }
}

/// Returns the fields at the end of a clause, from `at` on.
fn led(clause: &[Word], at: usize, context: Context) -> Option<Edits> {
    let mut from = at;
    while clause.get(from).is_some_and(|word| word.is_mark() || matches!(word.key.as_str(), "and" | "plus")) {
        from += 1;
    }
    if from == at && filed(clause, at) {
        return project(&clause[at..], context);
    }
    field(clause.get(from..)?, from > at, context)
}

/// Returns the fields of a stretch. `marked` is true if a comma or "and" precedes it.
fn field(stretch: &[Word], marked: bool, context: Context) -> Option<Edits> {
    if stretch.is_empty() || stretch.iter().any(|word| word.kind == Kind::Quoted) {
        return None;
    }
    let due = |when: when::When| Edits {
        due: Some(Some(when.due.as_str().to_owned())),
        recurrence: when.recurrence,
        ..Edits::default()
    };
    deadline(stretch, context)
        .or_else(|| falls_due(stretch, context).filter(|_| marked))
        .or_else(|| accepted(stretch, context).filter(|_| marked))
        .or_else(|| pressing::needed_by(stretch, context).filter(|_| marked || pressing::told(stretch)))
        .map(due)
        .or_else(|| pressing::idle(stretch).filter(|_| marked))
        .or_else(|| tags(stretch, marked))
        .or_else(|| level(stretch, marked))
        .or_else(|| spoken(stretch, context).filter(|_| marked))
        .or_else(|| project(stretch, context).filter(|_| marked))
}

/// Parses "due date will be friday" or "with a deadline of the 3rd".
fn deadline(stretch: &[Word], context: Context) -> Option<when::When> {
    const LEADS: Set = set("the|its|a|with|by|and");
    const ENDS: Set = set("last|final|closing|cutoff|cut-off|submission|target|completion|latest");
    const LINKS: Set =
        set("date|day|deadline|time|will|would|should|must|be|is|being|to|of|on|for|as|set|falls|shall|in|at|by");
    let at = stretch.iter().position(|word| !LEADS.has(&word.key))?;
    let noun = stretch.get(at).is_some_and(|word| word.key == "deadline")
        || stretch.get(at).is_some_and(|word| word.key == "due")
            && stretch.get(at + 1).is_some_and(|word| set!("date|time|is|will|should|must").has(&word.key))
        || stretch.get(at).is_some_and(|word| ENDS.has(&word.key))
            && stretch.get(at + 1).is_some_and(|word| set!("date|day|deadline").has(&word.key));
    if !noun {
        return None;
    }
    let links = |from: &usize| stretch[at + 1..*from].iter().all(|word| word.is_mark() || LINKS.has(&word.key));
    (at + 1..stretch.len())
        .take_while(links)
        .find_map(|from| context.date(&stretch[from..]).or_else(|| of_month(&stretch[from..], context)))
}

/// Parses a day of a month without its article, such as "20th".
fn of_month(stretch: &[Word], context: Context) -> Option<when::When> {
    let [day] = stretch else { return None };
    let number = ["st", "nd", "rd", "th"].iter().find_map(|end| day.key.strip_suffix(end))?;
    number.parse::<u8>().ok()?;
    when::parse(&format!("the {}", day.key), context.now, context.zone)
}

/// Parses ", due friday" for a task whose priority came first.
fn falls_due(stretch: &[Word], context: Context) -> Option<when::When> {
    let [due, day @ ..] = stretch else { return None };
    (due.key == "due" && !day.is_empty()).then(|| context.date(day)).flatten()
}

/// Parses "end of the month will do", "friday is fine" or "monday at the latest".
fn accepted(stretch: &[Word], context: Context) -> Option<when::When> {
    const ENDS: Set =
        set("will do|will be fine|would do|would be good|would be great|would be fine|would be ideal|should do|\
         is fine|is ok|is okay|is good|is plenty|works|at the latest|latest|ideally|is perfect");
    let ends = |phrase: &str| {
        let from = stretch.len().checked_sub(phrase.split(' ').count()).filter(|from| *from > 0)?;
        crate::llm::rules::read::pattern::phrase_at(phrase, stretch, from).map(|_| from)
    };
    let end = ENDS.iter().find_map(ends)?;
    context.date(&stretch[..end])
}

/// Parses "tag it school and marking", "tagged home" or "with the tags a and b".
fn tags(stretch: &[Word], marked: bool) -> Option<Edits> {
    let key = |at: usize| stretch.get(at).filter(|word| !word.is_mark()).map_or("", |word| word.key.as_str());
    let mut at = 0;
    while matches!(key(at), "with" | "under" | "the" | "a") {
        at += 1;
    }
    let says = match key(at) {
        "tagged" | "labelled" | "labeled" => true,
        "tag" | "tags" | "label" | "labels" => marked || at > 0,
        _ => false,
    };
    if !says {
        return None;
    }
    at += 1;
    while matches!(key(at), "it" | "this" | "that" | "them" | "as" | "with" | "under" | "the" | "tag" | "tags")
        || stretch.get(at).is_some_and(|word| word.is_mark() && word.key == ":")
    {
        at += 1;
    }
    let named = stretch.get(at..)?;
    let name = |word: &Word| word.is_mark() && word.key == "," || word.key == "and" || labels::names(&word.key);
    let names = labels::tags(named);
    let few = (1..=4).contains(&names.len()) && named.iter().all(name);
    // Two words after "tagged" without a separator are not two tags.
    let divided = named.iter().filter(|word| word.is_mark() || word.key == "and").count() + 1 >= names.len();
    (few && divided).then(|| Edits { tags: Some(Tags::Add(names)), ..Edits::default() })
}

/// Parses "as low priority" or ", it's urgent".
fn level(stretch: &[Word], marked: bool) -> Option<Edits> {
    const LEADS: Set = set("with|as|at|its|it|is|make|mark|set|to|a|an");
    let from = stretch.iter().position(|word| !LEADS.has(&word.key))?;
    let noun = |word: &&Word| set!("TASK|one|thing|job|item").has(&word.key);
    let end = stretch.len() - usize::from(stretch.last().as_ref().is_some_and(noun) && stretch.len() > from + 1);
    let rest = &stretch[from..end];
    let said = rest.iter().any(|word| word.key == "priority");
    let urgent = marked && rest.iter().any(|word| set!("urgent|important|critical").has(&word.key));
    let whole = rest.len() <= 4 && rest.iter().all(|word| !word.is_mark());
    let led = from > 0 && matches!(stretch[0].key.as_str(), "with" | "as" | "at");
    let level = priority(rest).filter(|_| whole && (said && (marked || led) || urgent))?;
    Some(Edits { priority: Some(level), ..Edits::default() })
}

/// Parses "put p2", "prio high" or "importnat".
fn spoken(stretch: &[Word], context: Context) -> Option<Edits> {
    let priority = spoken_fields::field(context.raw(stretch))?.priority?;
    Some(Edits { priority: Some(priority), ..Edits::default() })
}

/// Parses "in the Wedding project" or "project Wedding".
fn project(stretch: &[Word], context: Context) -> Option<Edits> {
    const LEADS: Set = set("in|into|to|under|onto|for|it|goes|belongs|file|put|my|the");
    let from = stretch.iter().position(|word| !LEADS.has(&word.key))?;
    let rest = &stretch[from..];
    let at = rest.iter().position(|word| word.key == "project")?;
    let skip = usize::from(rest.get(1).is_some_and(|word| word.is_mark() && word.key == ":"));
    // "… in my Home project for friday"
    let (name, after) = match at {
        0 => (rest.get(1 + skip..)?, &rest[rest.len()..]),
        _ if from > 0 => (&rest[..at], &rest[at + 1..]),
        _ => return None,
    };
    let when = context.date(after);
    let named = labels::names_project(name).then(|| labels::project(context.raw(name)))?;
    if !after.is_empty() && when.is_none() {
        return None;
    }
    let due = when.as_ref().map(|when| Some(when.due.as_str().to_owned()));
    let recurrence = when.and_then(|when| when.recurrence);
    Some(Edits { project: Some(Some(named)), due, recurrence, ..Edits::default() })
}

/// Returns true if a project may be named at `at` without a mark: "to the Wedding project", but not "hand in the school project".
fn filed(clause: &[Word], at: usize) -> bool {
    const PHRASAL: Set = file_set!("tails_phrasal");
    let key = |at: usize| clause.get(at).map_or("", |word| word.key.as_str());
    let leads = set!("to|into|onto|under").has(key(at)) && set!("the|my").has(key(at + 1))
        || key(at) == "in" && matches!(key(at + 1), "project" | "my");
    leads && !at.checked_sub(1).is_some_and(|before| PHRASAL.has(key(before)))
}

/// Resolves a date in a description to the task due then: "delete the reminder I set for Tuesday".
pub(in crate::llm::rules) fn of_day(part: Part, clause: &[Word], context: Context) -> Part {
    const SAYS: Set = file_set!("tails_says");
    let status = match &part {
        Part::Delete { target: Target::Words { quoted: false, .. }, .. }
        | Part::Complete(Target::Words { quoted: false, .. }) => Status::Pending,
        _ => return part,
    };
    let noun = clause.iter().position(|word| set!("TASK|TASKS|one|ones").has(&word.key) && word.kind == Kind::Plain);
    let Some(at) = noun.filter(|at| *at > 0 && set!("the|my|that|a|any|all").has(&clause[*at - 1].key)) else {
        return part;
    };
    let rest = &clause[at + 1..];
    let says = rest.iter().take_while(|word| SAYS.has(&word.key)).count();
    let led = rest.get(says).is_some_and(|word| set!("for|on|from|of").has(&word.key));
    let day = rest.get(says + usize::from(led)..).filter(|day| !day.is_empty() && (led || says > 0));
    let Some(when) = day.and_then(|day| context.date(day)).filter(|when| when.recurrence.is_none()) else {
        return part;
    };
    let one = matches!(clause[at].key.as_str(), "TASK" | "one");
    let scope = Scope { day: Some(when.due.day().to_owned()), status: Some(status), one, ..Scope::default() };
    aim(&part, Target::All(scope))
}

/// Parses a bulk command with an exception at its end: "mark the lot as done except the rent".
pub(in crate::llm::rules) fn excepting(clause: &[Word], part: Option<&Part>, context: Context) -> Option<Part> {
    const EXCEPT: Set = set("except|excluding|besides|bar|minus|but|apart|other|save");
    const KEEPS: Set = set("keep|leave|spare|keeping|leaving");
    if matches!(part.and_then(target_of), Some(Target::All(Scope { except: Some(_), .. }))) {
        return None;
    }
    // "…, just keep the rent"
    let joint = |word: &Word| word.is_mark() || set!("and|but|just|only|please").has(&word.key);
    let keeps = |at: usize| at > 0 && KEEPS.has(&clause[at].key) && joint(&clause[at - 1]);
    let leaves_out = |at: &usize| clause[*at].kind == Kind::Plain && (EXCEPT.has(&clause[*at].key) || keeps(*at));
    let at = (2..clause.len()).rev().find(leaves_out)?;
    let skip = usize::from(clause.get(at + 1).is_some_and(|word| matches!(word.key.as_str(), "for" | "from" | "than")));
    let left_out = target(clause.get(at + 1 + skip..)?, context.text);
    let core = &clause[..at];
    let end = core.iter().rposition(|word| !joint(word))?;
    let bulk = grammatical::grammatical(&core[..=end], context, |rule| rule != Rule::Add)?;
    match (target_of(&bulk), left_out) {
        (_, Target::Missing | Target::All(_)) => None,
        // "tick them all except 3"
        (Some(Target::Them), left_out) => {
            Some(aim(&bulk, Target::All(Scope { except: Some(Box::new(left_out)), ..Scope::default() })))
        }
        (Some(Target::All(scope)), left_out) if scope.except.is_none() => {
            Some(aim(&bulk, Target::All(Scope { except: Some(Box::new(left_out)), ..scope.clone() })))
        }
        _ => None,
    }
}
