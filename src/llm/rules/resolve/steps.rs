//! Resolution of parts and looked-up tasks into calls or questions.

use serde_json::{Map, Value, json};

use crate::domain::comparison::key;
use crate::domain::task::{Status, Task};
use crate::domain::time::Timestamp;
use crate::domain::tool::{self, Call, MOST_TARGETS, ToolName};
use crate::domain::when;
use crate::llm::rules::lex::matching::{self, Fit};
use crate::llm::rules::read::intent::{Edits, Part, Scope, Target};
use crate::llm::rules::read::{scope, status};
use crate::llm::rules::resolve::remarks::several;
use crate::llm::rules::resolve::{changed, new_task, remarks, skipping, undoing};

/// Context of the resolution.
pub(in crate::llm::rules) struct Known<'a> {
    /// Distinct tasks from this turn's lookups.
    pub tasks: &'a [Task],
    /// True if the list is longer than an unfiltered lookup returned.
    pub is_partial: bool,
    /// Tasks from earlier turns, latest first, for those that no lookup of this turn returned.
    pub earlier: &'a [Task],
    /// Time of the message.
    pub now: &'a Timestamp,
    pub zone: &'a str,
    /// Today in the user's zone, in wire form.
    pub today: &'a str,
    /// Numbers without a task, by this turn's lookups.
    pub gone: &'a [i64],
    /// The tasks that "it" and "them" mean.
    pub focus: &'a [i64],
    /// Tasks that the previous turn only read.
    pub looked_at: &'a [i64],
    /// The last list shown.
    pub shown: &'a [i64],
    /// Candidates of a question that this message answers; ordinals and "both" refer to them.
    pub candidates: Option<&'a [i64]>,
}

impl Known<'_> {
    /// Returns a task by its number, from this turn or else an earlier one.
    pub fn task(&self, id: i64) -> Option<&Task> {
        self.tasks.iter().chain(self.earlier).find(|task| task.task_id.0 == id)
    }
}

/// Returns today in wire form.
pub(in crate::llm::rules) fn today(now: &Timestamp, zone: &str) -> String {
    when::parse("today", now, zone).map(|today| today.due.day().to_owned()).unwrap_or_default()
}

/// The result of one part.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::llm::rules) enum Step {
    Call(Call),
    /// Tasks for a batch of this tool; batches of one message become one call.
    Batch(ToolName, Vec<i64>),
    Say(String),
    Refuse(String),
    /// A question; `several` is true if more than one task fits.
    Ask {
        question: String,
        options: Vec<String>,
        several: bool,
    },
}

/// Creates a call by the tool's canonical name.
pub(in crate::llm::rules) fn call(tool: ToolName, arguments: Value) -> Call {
    Call { tool: tool.as_str().to_owned(), arguments, provider_id: None }
}

/// Resolves all parts. A statement next to a request completes a matching task, and is otherwise ignored.
pub(in crate::llm::rules) fn parts(parts: &[Part], known: &Known) -> Vec<Step> {
    let aside = |one: &&Part| match one {
        Part::Happened(statement) => parts.len() > 1 && matching::repeated_each(statement, known.tasks).is_none(),
        _ => false,
    };
    parts.iter().filter(|one| !aside(one)).flat_map(|one| part(one, known)).collect()
}

/// Resolves one part other than a list.
pub(in crate::llm::rules) fn part(part: &Part, known: &Known) -> Vec<Step> {
    match part {
        Part::Add { items, unless_there } => {
            items.iter().map(|item| new_task::add(item, *unless_there, known)).collect()
        }
        Part::List(_) => vec![],
        Part::Happened(statement) => vec![happened(statement, known)],
        Part::Get(target) => with(target, known, "show", Status::Pending, |ids| {
            ids.iter().map(|id| Step::Call(call(ToolName::GetTask, json!({ "task_id": id })))).collect()
        }),
        Part::Complete(target) => {
            with(target, known, "complete", Status::Pending, |ids| vec![Step::Batch(ToolName::CompleteTask, ids)])
        }
        Part::Reopen(target) => {
            with(target, known, "reopen", Status::Completed, |ids| vec![changed::reopened(ids, known)])
        }
        Part::Delete { target, .. } => with(target, known, "delete", Status::Pending, |ids| {
            let beyond = remarks::beyond(target, &ids, known);
            std::iter::once(Step::Batch(ToolName::DeleteTask, ids)).chain(beyond).collect()
        }),
        Part::Edit { target, edit } if *edit == Edits::default() => {
            with(target, known, "edit", Status::Pending, |ids| vec![changed::to_what(&ids, known)])
        }
        Part::Edit { target, edit } => {
            with(target, known, "change", Status::Pending, |ids| match (&edit.tags, edit.shift, &edit.reword) {
                (Some(tags), _, _) => ids.iter().map(|id| changed::retag(*id, tags, known)).collect(),
                (None, Some(shift), _) => ids.iter().map(|id| changed::moved(*id, shift, known)).collect(),
                (None, None, Some(words)) => ids.iter().map(|id| changed::reworded(*id, words, known)).collect(),
                (None, None, None) if edit.rejected.is_some() => {
                    ids.iter().map(|id| changed::renoted(*id, edit, known)).collect()
                }
                (None, None, None) if edit.skips => ids.iter().map(|id| skipping::skipped(*id, edit, known)).collect(),
                (None, None, None) if edit.clock || changed::day_only(edit) => changed::timed(&ids, edit, known),
                (None, None, None) => vec![Step::Call(update(&ids, &changed::kept(&ids, edit, known)))],
            })
        }
        Part::Undo(undo) => vec![Step::Call(undoing::undone(*undo))],
        Part::Ask { question, options } => {
            vec![Step::Ask { question: question.clone(), options: options.clone(), several: false }]
        }
        Part::Say(text) => vec![Step::Say(text.clone())],
        Part::Refuse(text) => vec![Step::Refuse(text.clone())],
    }
}

/// Completes the tasks that a statement repeats, or asks what was meant.
fn happened(statement: &str, known: &Known) -> Step {
    let past = statement.split(' ').next().is_some_and(matching::is_past);
    let short = || statement.split([',', '!', ';']).next().filter(|short| past && short.len() < statement.len());
    let found = matching::repeated_each(statement, known.tasks);
    match found.or_else(|| matching::repeated_each(short()?, known.tasks)) {
        Some(ids) => Step::Batch(ToolName::CompleteTask, ids),
        None => remarks::nearly(statement, known),
    }
}

pub(in crate::llm::rules) fn update(ids: &[i64], edit: &Edits) -> Call {
    let mut fields = target_field(ids);
    if let Some(title) = &edit.title {
        fields.insert("title".into(), json!(title));
    }
    if let Some(due) = &edit.due {
        fields.insert("due".into(), json!(due));
    }
    if let Some(recurrence) = &edit.recurrence {
        fields.insert("recurrence".into(), json!(recurrence));
    }
    if edit.ends {
        fields.insert("recurrence".into(), Value::Null);
    }
    if let Some(priority) = edit.priority {
        fields.insert("priority".into(), json!(priority.as_str()));
    }
    if let Some(description) = &edit.description {
        fields.insert("description".into(), json!(Some(description).filter(|note| !note.is_empty())));
    }
    if let Some(project) = &edit.project {
        fields.insert("project".into(), json!(project));
    }
    tool::name_cleared(&mut fields);
    call(ToolName::UpdateTask, Value::Object(fields))
}

/// Returns `task_id` for one task, `task_ids` for a batch.
pub(in crate::llm::rules) fn target_field(ids: &[i64]) -> Map<String, Value> {
    let mut fields = Map::new();
    match ids {
        [one] => fields.insert("task_id".into(), json!(one)),
        many => fields.insert("task_ids".into(), json!(many)),
    };
    fields
}

/// Resolves a target and applies `act` to its tasks, or asks.
fn with(target: &Target, known: &Known, verb: &str, prefer: Status, act: impl Fn(Vec<i64>) -> Vec<Step>) -> Vec<Step> {
    match ids(target, known, verb, prefer) {
        Ok(ids) => act(ids),
        Err(step) => vec![step],
    }
}

pub(in crate::llm::rules) fn ask(question: String) -> Step {
    Step::Ask { question, options: vec!["show my tasks".into()], several: true }
}

/// Returns the task numbers of a target, or the question to ask.
pub(in crate::llm::rules) fn ids(target: &Target, known: &Known, verb: &str, prefer: Status) -> Result<Vec<i64>, Step> {
    match target {
        Target::Numbers(numbers) => match numbers.iter().find(|number| known.gone.contains(number)) {
            Some(number) => {
                Err(ask(format!("I couldn't find task #{number}. Would you like to see your current tasks?")))
            }
            None => Ok(numbers.clone()),
        },
        Target::Places(places) => at_places(places, known, verb),
        Target::It => match known.candidates.unwrap_or(known.focus) {
            [one] => Ok(vec![*one]),
            few @ ([_, _] | [_, _, _]) if few.iter().all(|id| known.task(*id).is_some()) => {
                Err(several(few, known, verb))
            }
            _ => Err(ask(format!(
                "Which task should I {verb}? Say its number or its title, for example “{verb} task 3”."
            ))),
        },
        Target::Them => match known.candidates.unwrap_or(known.focus) {
            [] => {
                Err(ask(format!("Which tasks should I {verb}? Say their numbers, for example “{verb} tasks 1 and 2”.")))
            }
            several => Ok(several.to_vec()),
        },
        Target::Missing => {
            Err(ask(format!("Which task should I {verb}? Say its number or its title, for example “{verb} task 3”.")))
        }
        Target::All(scope) => all(scope, known, verb, prefer),
        Target::Said(text) => remarks::task_of(text, known, verb, prefer),
        Target::Words { text, quoted, named } => by_words(text, *quoted, *named, known, verb, prefer),
    }
}

fn at_places(places: &[i64], known: &Known, verb: &str) -> Result<Vec<i64>, Step> {
    let list = known.candidates.unwrap_or(known.shown);
    let at = |place: &i64| {
        let place = if *place < 0 { place + list.len() as i64 } else { place - 1 };
        usize::try_from(place).ok().and_then(|place| list.get(place)).copied()
    };
    let found: Option<Vec<i64>> = places.iter().map(at).collect();
    match found {
        Some(ids) if !ids.is_empty() => Ok(ids),
        _ if list.is_empty() => Err(ask(format!(
            "I have not shown a list in this conversation yet. Which task should I {verb}? For example: “{verb} \
             task 3”."
        ))),
        _ => Err(ask(format!(
            "The list that I showed has {} {}. Which one should I {verb}? For example: “{verb} task 3”.",
            list.len(),
            if list.len() == 1 { "task" } else { "tasks" }
        ))),
    }
}

fn all(scope: &Scope, known: &Known, verb: &str, prefer: Status) -> Result<Vec<i64>, Step> {
    let but = match &scope.except {
        Some(target) => ids(target, known, verb, prefer)?,
        None => vec![],
    };
    let status = scope.status.or(match verb {
        "complete" => Some(Status::Pending),
        "reopen" => Some(Status::Completed),
        _ => None,
    });
    let told = |task: &&Task| {
        (!scope.shown || known.focus.is_empty() || known.focus.contains(&task.task_id.0))
            && scope.words.as_ref().is_none_or(|words| status::mentions(task.title.as_str(), words))
            && scope.priority.is_none_or(|level| task.priority == level)
            && scope
                .project
                .as_ref()
                .is_none_or(|name| task.project.as_ref().is_some_and(|own| key(own.as_str()) == key(name)))
            && scope.tag.as_ref().is_none_or(|name| task.tags.iter().any(|own| key(own.as_str()) == key(name)))
    };
    let fits = |task: &&Task| {
        told(task) && status.is_none_or(|status| task.status == status) && !but.contains(&task.task_id.0)
    };
    let found: Vec<i64> = known.tasks.iter().filter(fits).map(|task| task.task_id.0).collect();
    if known.is_partial {
        return Err(Step::Say(format!(
            "There are more than {MOST_TARGETS} tasks, and I {verb} at most {MOST_TARGETS} at once, so nothing was changed. Say \
             which, for example “{verb} everything due today”."
        )));
    }
    if scope.one && found.len() > 1 {
        return Err(several(&found, known, verb));
    }
    if let Some(words) = scope.words.as_ref().filter(|_| found.is_empty()) {
        return Err(missed(words));
    }
    if found.is_empty() {
        return Err(Step::Say(format!(
            "There are no tasks to {verb}, so nothing was changed. Say “show my tasks” to see your list."
        )));
    }
    Ok(found)
}

/// Returns the question for a description without a match.
pub(in crate::llm::rules) fn missed(text: &str) -> Step {
    let short: String = text.chars().take(120).collect();
    ask(format!("I couldn't find a task like “{short}”. Would you like to see your current tasks?"))
}

fn by_words(
    text: &str,
    quoted: bool,
    named: bool,
    known: &Known,
    verb: &str,
    prefer: Status,
) -> Result<Vec<i64>, Step> {
    let least = match verb {
        "show" | "delete" => matching::LIKELY,
        // "the call task" names a task by its verb, "the calls" may be anything.
        _ if named => matching::VERB,
        _ => matching::SURE,
    };
    // "a recipe for banana bread" is not the task “bananas”.
    let among = scope::mentioning(text, known.tasks).filter(|_| verb == "show" && !named && !quoted);
    let known = &Known { tasks: among.as_deref().unwrap_or(known.tasks), ..*known };
    let whole = matching::find(text, known.tasks, prefer, matching::SAME);
    if whole == Fit::None
        && !quoted
        && let Some(Ok(found)) = each_of(text, known, prefer, least)
    {
        return Ok(found);
    }
    match pick(text, known, prefer, least) {
        Fit::One(id) => Ok(vec![id]),
        Fit::Several(ids) if changed::counted(text) == Some(ids.len()) => Ok(ids),
        Fit::Several(ids) => Err(several(&ids, known, verb)),
        Fit::None => {
            if let Some(fit) = changed::without_count(text).map(|rest| pick(rest, known, prefer, least)) {
                match fit {
                    Fit::Several(ids) if changed::counted(text) == Some(ids.len()) => return Ok(ids),
                    Fit::Several(ids) => return Err(several(&ids, known, verb)),
                    Fit::One(_) | Fit::None => {}
                }
            }
            if let Some(found) = each_of(text, known, prefer, least).filter(|_| !quoted) {
                return found.map_err(|ids| several(&ids, known, verb));
            }
            if let Fit::One(id) = matching::told(text, known.tasks, prefer, true)
                && verb == "show"
            {
                return Ok(vec![id]);
            }
            let target = Target::Words { text: text.to_owned(), quoted, named };
            let away = !named && (verb == "show" || scope::is_foreign(&target));
            let Part::Refuse(refusal) = scope::foreign() else { return Err(Step::Refuse(String::new())) };
            if away {
                return Err(Step::Refuse(refusal));
            }
            Err(if quoted { missed(text) } else { remarks::unknown(text, known, verb) })
        }
    }
}

/// Returns the match among the candidates if there is one, else among all tasks.
fn pick(text: &str, known: &Known, prefer: Status, least: u32) -> Fit {
    if let Some(candidates) = known.candidates {
        let among: Vec<Task> =
            known.tasks.iter().filter(|task| candidates.contains(&task.task_id.0)).cloned().collect();
        let fit = matching::find(text, &among, prefer, matching::LIKELY);
        if fit != Fit::None {
            return fit;
        }
    }
    matching::find(text, known.tasks, prefer, least)
}

/// Resolves each piece separately: "milk and bread". `Err` holds the candidates of the first ambiguous piece.
pub(in crate::llm::rules) fn each_of(
    text: &str,
    known: &Known,
    prefer: Status,
    least: u32,
) -> Option<Result<Vec<i64>, Vec<i64>>> {
    let bare = text.strip_prefix("both ").unwrap_or(text);
    let pieces: Vec<&str> = bare
        .split([',', ';'])
        .flat_map(|piece| piece.split(" and "))
        .flat_map(|piece| piece.split(" n "))
        .flat_map(|piece| piece.split(" & "))
        .flat_map(|piece| piece.split(" plus "))
        .map(str::trim)
        .filter(|piece| !matches!(*piece, "" | "oh" | "also"))
        .collect();
    if pieces.len() < 2 {
        return None;
    }
    let mut found = vec![];
    for piece in pieces {
        let piece = piece.strip_prefix("and ").unwrap_or(piece);
        let piece = ["also ", "then ", "finally "].iter().find_map(|word| piece.strip_prefix(word)).unwrap_or(piece);
        let number = piece.trim_start_matches('#').parse::<i64>().ok().filter(|number| *number > 0);
        match number.map_or_else(|| pick(piece, known, prefer, least), Fit::One) {
            Fit::One(id) if !found.contains(&id) => found.push(id),
            Fit::One(_) => {}
            Fit::Several(ids) => return Some(Err(ids)),
            Fit::None => return None,
        }
    }
    Some(Ok(found))
}
