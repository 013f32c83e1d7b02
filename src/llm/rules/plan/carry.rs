//! Messages that continue the previous turn: "and the third", "no, friday", "also bread", "and tomorrow?", "undo that".

use crate::domain::decision::DecisionKind;
use crate::domain::task::Status;
use crate::domain::tool::{CallStatus, ToolName};
use crate::domain::when;
use crate::llm::rules::lex::matching::is_past;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::plan::recall::Past;
use crate::llm::rules::plan::{alike, undoing};
use crate::llm::rules::read::chores::opens_chore;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Edits, ListQuery, NewItem, Part, Tags, Target, aim, target_of};
use crate::llm::rules::read::levels::priority;
use crate::llm::rules::read::pattern::phrase_at;
use crate::llm::rules::read::target::target;
use crate::llm::rules::read::{days, fields, labels, periods, status, vague};

/// Maximum words of a message that continues another.
const LONGEST: usize = 14;
/// Words that take something back.
const CORRECTS: Set = file_set!("carry_corrects");
/// Words that add something of equal kind.
const ADDS: Set =
    set("and|also|plus|and also|and then|as well as|likewise|another one|one more|and another|do it for|now");
/// Words that ask for an equal action.
const SAME: Set = file_set!("carry_same");
/// Words that ask for another list.
const ASKS: Set = set("what about|how about|and for|and what about|and how about|whats about|and on|and");
/// Filler words.
const FILLS: Set = set("oh|well|hmm|please|just|only|then|ok|okay|yeah|but|um|ah|so");
/// Possible endings of a continuing message.
const TAILS: Set = file_set!("carry_tails");

/// The way in which a message continues, and its remaining words.
#[derive(Default)]
struct Lead<'a> {
    corrects: bool,
    adds: bool,
    same: bool,
    asks: bool,
    /// Restricts the earlier request: "only the milk".
    narrows: bool,
    rest: &'a [Word],
}

/// Strips the words by which a message continues another.
fn lead(message: &[Word]) -> Lead<'_> {
    let mut lead = Lead { rest: message, ..Lead::default() };
    let longest = |set: Set, rest: &[Word]| set.iter().filter_map(|phrase| phrase_at(phrase, rest, 0)).max();
    loop {
        let before = lead.rest.len();
        while lead.rest.first().is_some_and(Word::is_mark) {
            lead.rest = &lead.rest[1..];
        }
        // "no, not 3, 4"
        let mark = lead.rest.iter().position(Word::is_mark).filter(|mark| (2..=5).contains(mark));
        if let Some(mark) = mark.filter(|mark| lead.rest[0].key == "not" && mark + 1 < lead.rest.len()) {
            (lead.corrects, lead.rest) = (true, &lead.rest[mark + 1..]);
        }
        let corrects = longest(CORRECTS, lead.rest).unwrap_or(0);
        let same = longest(SAME, lead.rest).unwrap_or(0);
        let adds = longest(ADDS, lead.rest).unwrap_or(0);
        let asks = longest(ASKS, lead.rest).unwrap_or(0);
        let fills = longest(FILLS, lead.rest).unwrap_or(0);
        let most = [corrects, same, adds, asks, fills].into_iter().max().unwrap_or(0);
        if most > 0 && most < lead.rest.len() {
            lead.corrects |= corrects == most;
            lead.same |= same == most;
            lead.adds |= adds == most;
            lead.asks |= asks == most;
            lead.narrows |= matches!(lead.rest[0].key.as_str(), "only" | "just");
            lead.rest = &lead.rest[most..];
        }
        if lead.rest.len() == before {
            break;
        }
    }
    loop {
        let before = lead.rest.len();
        while lead.rest.last().is_some_and(Word::is_mark) {
            lead.rest = &lead.rest[..lead.rest.len() - 1];
        }
        let ends = |phrase: &str| {
            let from = lead.rest.len().checked_sub(phrase.split(' ').count()).filter(|from| *from > 0)?;
            phrase_at(phrase, lead.rest, from).map(|_| (from, phrase.starts_with("instead")))
        };
        if let Some((from, instead)) = TAILS.iter().filter_map(ends).min() {
            let also =
                set!("too|also|as").has(&lead.rest[from].key) || lead.rest.last().is_some_and(|w| w.key == "too");
            lead.corrects |= instead;
            lead.adds |= also;
            lead.rest = &lead.rest[..from];
        }
        if lead.rest.len() == before {
            return lead;
        }
    }
}

/// Returns the request of a message that is incomplete by itself. `current` are its parts without context; `before`
/// parses an earlier turn.
pub(in crate::llm::rules) fn on(
    message: &[Word],
    current: &[Part],
    turns: &[Past],
    context: Context,
    before: impl Fn(&Past) -> Vec<Part>,
) -> Option<Part> {
    let last = turns.last()?;
    if message.iter().filter(|word| !word.is_mark()).count() > LONGEST {
        return None;
    }
    if let Some(part) = alike::on(message, turns, context) {
        return Some(part);
    }
    if undoing::denies(message, context) {
        return undoing::reconsidered(turns);
    }
    if last.kind != Some(DecisionKind::InvokeTool) {
        return None;
    }
    let lead = lead(message);
    if let Some(edit) = alike::hour(alike::reasonless(lead.rest), turns, context).filter(|_| lead.corrects) {
        return Some(Part::Edit { target: Target::It, edit });
    }
    let goes_on = lead.corrects || lead.adds || lead.same || lead.asks || lead.narrows;
    let alone = current.iter().all(|part| matches!(part, Part::Ask { .. } | Part::Refuse(_) | Part::Happened(_)));
    let bare = matches!(current, [Part::List(ListQuery { words: None, project: None, tag: None, .. })])
        && lead.rest.len() <= 2;
    let mistaken = lead.corrects
        && match current {
            [Part::Delete { unneeded, .. }] => *unneeded || names_only(message, lead.rest),
            // "on reflection the 4th is better" names no task.
            [Part::Get(_) | Part::Edit { .. }] => context.date(lead.rest).is_some(),
            _ => false,
        };
    if lead.rest.is_empty() || !(alone || bare && (lead.adds || lead.corrects) || mistaken) {
        return None;
    }
    let before = before(last).pop()?;
    match &before {
        Part::List(query) if lead.asks || lead.adds || lead.narrows => {
            listed(query, lead.rest, context).map(Part::List)
        }
        Part::Add { items, .. } => after_adding(items, &lead, goes_on, turns, context),
        Part::Edit { edit, .. } => {
            fragment(&lead, Some(edit), turns, context).or_else(|| aimed(&before, &lead, turns, context))
        }
        Part::Complete(_) | Part::Happened(_) | Part::Reopen(_) | Part::Delete { .. } | Part::Get(_) => {
            aimed(&before, &lead, turns, context)
        }
        Part::List(_) | Part::Undo(_) | Part::Ask { .. } | Part::Say(_) | Part::Refuse(_) => None,
    }
}

/// Returns true if another thing is named without a request: "no, not that one, the garage".
fn names_only(message: &[Word], rest: &[Word]) -> bool {
    let other = |pair: &[Word]| pair[0].key == "not" && set!("that|this|it|those|them").has(&pair[1].key);
    let plain = rest.len() <= 4 && matches!(rest, [first, _, ..] if set!("the|my|our").has(&first.key));
    const GONE: Set = set("off|out|go|goes|gone|away|cancelled|canceled|delete|deleted|remove|removed|unneeded|needed");
    plain && message.windows(2).any(other) && !rest.iter().any(|word| GONE.has(&word.key))
}

/// Returns the fields set by an answer to "what should change?", unless it is a new title.
pub(in crate::llm::rules) fn value(body: &[Word], turns: &[Past], context: Context) -> Option<Edits> {
    match fragment(&Lead { rest: body, ..Lead::default() }, None, turns, context)? {
        Part::Edit { edit, .. } => Some(edit),
        _ => None,
    }
}

/// Parses a field of the task just added or changed: "at 3pm", "and high priority", "also @home".
fn fragment(lead: &Lead, edit: Option<&Edits>, turns: &[Past], context: Context) -> Option<Part> {
    let edited = |edit: Edits| Some(Part::Edit { target: Target::It, edit });
    let rest = alike::reasonless(lead.rest);
    if let Some(edit) = alike::repeats(rest, turns, context).or_else(|| alike::hour(rest, turns, context)) {
        return edited(edit);
    }
    let dated = edit.is_none_or(|edit| edit.due.is_some() || edit.shift.is_some());
    if (dated || lead.adds)
        && let Some(when) = due(rest, turns, context)
    {
        return edited(Edits {
            due: Some(Some(when.due.as_str().to_owned())),
            recurrence: when.recurrence,
            ..Edits::default()
        });
    }
    const LEVELS: Set = set("priority|urgent|important|high|low|medium|critical|top");
    if rest.iter().any(|word| LEVELS.has(&word.key))
        && let Some(level) = priority(rest)
    {
        return edited(Edits { priority: Some(level), ..Edits::default() });
    }
    if labels::are_tags(rest) {
        return edited(Edits { tags: Some(Tags::Add(labels::tags(rest))), ..Edits::default() });
    }
    let project = Some(Some(labels::project(context.raw(rest))));
    if labels::is_project(rest) || lead.corrects && rest.len() == 1 && edit.is_some_and(|edit| edit.project.is_some()) {
        return edited(Edits { project, ..Edits::default() });
    }
    let renamed = edit.is_some_and(|edit| edit.title.is_some()) && lead.corrects;
    renamed.then(|| {
        // "no, to fries"
        let led = rest.len() > 1 && matches!(rest[0].key.as_str(), "to" | "as" | "call");
        let rest = &rest[usize::from(led)..];
        let title = fields::new_title(rest, context);
        Part::Edit { target: Target::It, edit: Edits { title: Some(title), ..Edits::default() } }
    })
}

/// Parses a due date; a time alone applies to the day that the task already has.
fn due(rest: &[Word], turns: &[Past], context: Context) -> Option<when::When> {
    let led = rest.first().is_some_and(|word| set!("for|to|until|till|due").has(&word.key)) && rest.len() > 1;
    let rest = &rest[usize::from(led)..];
    let found = context.date(rest)?;
    let day = turns.iter().rev().take(2).flat_map(|turn| turn.calls.iter().rev()).find_map(|(call, result)| {
        let due = result
            .value
            .get("due")
            .filter(|due| due.is_string())
            .or_else(|| call.arguments.get("due").filter(|_| changes(&call.tool)));
        due.and_then(|due| due.as_str()).and_then(|due| due.get(..10)).map(str::to_owned)
    });
    let timed = day.filter(|_| found.due.as_str().len() > 10 && found.recurrence.is_none());
    let of_day = timed.and_then(|day| when::parse(&format!("{day} {}", context.raw(rest)), context.now, context.zone));
    Some(of_day.filter(|_| days::clock_only(rest)).unwrap_or(found))
}

/// Continues a new task: more tasks, its fields, or a corrected title.
fn after_adding(items: &[NewItem], lead: &Lead, goes_on: bool, turns: &[Past], context: Context) -> Option<Part> {
    let one = matches!(items, [_]);
    if let Some(part) = fragment(lead, None, turns, context).filter(|_| one) {
        return Some(part);
    }
    // "they only do mon, wed and fri" and "6 instead, the match is on" are no titles.
    if !goes_on || lead.corrects && (lead.narrows || !alike::is_title(lead.rest, context)) {
        return None;
    }
    if !matches!(target(lead.rest, context.text), Target::Words { .. }) {
        return None;
    }
    let new = fields::items(lead.rest, context, true, None);
    if new.is_empty() || new.iter().any(|item| vague::says_nothing(&item.title)) {
        return None;
    }
    let first = items.first()?;
    if lead.corrects && one {
        // "add buy eggs", "no, bread": the verb remains.
        let mut title = fields::new_title(lead.rest, context);
        let verb = first.title.split(' ').next().filter(|verb| opens_chore(&verb.to_lowercase()));
        if let Some(verb) = verb.filter(|_| !opens_chore(&lead.rest[0].key) && first.title.contains(' ')) {
            title = format!("{verb} {title}");
        }
        return Some(Part::Edit { target: Target::It, edit: Edits { title: Some(title), ..Edits::default() } });
    }
    if lead.same {
        let alike = |item: NewItem| NewItem { title: item.title, ..first.clone() };
        return Some(Part::Add { items: new.into_iter().map(alike).collect(), unless_there: false });
    }
    lead.adds.then_some(Part::Add { items: new, unless_there: false })
}

/// Applies the earlier action to other tasks: "and the third", "no, the plants", "only the milk".
fn aimed(before: &Part, lead: &Lead, turns: &[Past], context: Context) -> Option<Part> {
    let last = turns.last()?;
    let part = match before {
        Part::Happened(_) => &Part::Complete(Target::It),
        Part::Edit { edit, .. } if edit.title.is_some() => return None,
        other => other,
    };
    // "and the seed potatoes are ordered as well"
    let is = lead.rest.windows(2).position(|pair| set!("is|are|was|were").has(&pair[0].key) && is_past(&pair[1].key));
    let named = is.filter(|at| *at > 0).map_or(lead.rest, |at| &lead.rest[..at]);
    let to = target(named, context.text);
    // "not that, the 4th" names a place, unless dates are what changes.
    let exact =
        matches!(to, Target::Numbers(_)) || matches!(to, Target::Places(_)) && !matches!(part, Part::Edit { .. });
    if matches!(to, Target::It | Target::Missing | Target::Said(_)) || !exact && context.date(lead.rest).is_some() {
        return None;
    }
    let changed = last.calls.iter().any(|(call, result)| result.status == CallStatus::Ok && changes(&call.tool));
    if lead.adds || lead.same {
        return Some(aim(part, to));
    }
    if !(lead.corrects || lead.narrows) {
        return None;
    }
    // "leave it on monday" and "7 is too early" name no other task.
    if !exact && !alike::is_title(lead.rest, context) {
        return None;
    }
    if changed && !matches!(part, Part::Get(_)) {
        let raw = context.raw(lead.rest);
        return Some(Part::Ask {
            question: format!(
                "That was done already. Should I do it with {raw} as well, or take the first back? \
                 For example: “undo that” or “complete {raw}”."
            ),
            options: vec!["undo that".into()],
        });
    }
    target_of(part).is_some().then(|| aim(part, to))
}

/// Returns true if a tool changes tasks.
pub(in crate::llm::rules) fn changes(tool: &str) -> bool {
    match ToolName::parse(tool) {
        Some(
            ToolName::AddTask | ToolName::CompleteTask | ToolName::DeleteTask | ToolName::Undo | ToolName::UpdateTask,
        ) => true,
        Some(ToolName::ListTasks | ToolName::GetTask) | None => false,
    }
}

/// Returns the last list with another date, priority or status.
fn listed(query: &ListQuery, rest: &[Word], context: Context) -> Option<ListQuery> {
    if rest.iter().any(|word| matches!(word.key.as_str(), "week" | "weekend" | "month"))
        && let Some(period) = periods::range(rest, context).filter(|period| period.from != period.to)
    {
        let (from, to) = (period.from.and_then(periods::wire), period.to.and_then(periods::wire));
        return Some(ListQuery { due: None, from, to, words: None, asks: false, ..query.clone() });
    }
    const NOUNS: Set = set("the|my|ones|one|TASKS|TASK|for|on|due|stuff|things|priority|of|those|that|are");
    let telling: Vec<Word> = rest.iter().filter(|word| !(word.is_mark() || NOUNS.has(&word.key))).cloned().collect();
    let keys: Vec<&str> = telling.iter().map(|word| word.key.as_str()).collect();
    let led = rest.iter().position(|word| !(word.is_mark() || NOUNS.has(&word.key)))?;
    if let Some(when) = context.date(&rest[led..]) {
        return Some(ListQuery { due: Some(when.due.day().to_owned()), words: None, asks: false, ..query.clone() });
    }
    match keys.as_slice() {
        ["overdue" | "late"] => Some(ListQuery { due: Some("overdue".into()), ..query.clone() }),
        ["this", "week"] => Some(ListQuery { due: Some("week".into()), ..query.clone() }),
        [only] if status::FINISHED.has(only) => Some(ListQuery { status: Some(Status::Completed), ..query.clone() }),
        ["pending" | "open" | "unfinished" | "outstanding"] => {
            Some(ListQuery { status: Some(Status::Pending), ..query.clone() })
        }
        [_] => priority(&telling).map(|level| ListQuery { priority: Some(level), ..query.clone() }),
        _ => None,
    }
}
