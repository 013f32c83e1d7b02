//! From a request to the next act. The whole turn is replayed each time from what is recorded, so that nothing is kept:
//! look up what is named by words, look wider if that found nothing, act, report.

use serde_json::{Value, json};

use super::assent;
use super::barred;
use super::classifier;
use super::ending;
use super::follow;
use super::intent::{ListQuery, Part, Target, summary, target_of};
use super::matching::{self, Fit};
use super::narrowing;
use super::phrase::{self, Reader};
use super::queries::{bulk_call, list_call, query_call};
use super::recall::{self, Steps, tasks_in};
use super::renaming;
use super::resolve::{self, Known, Step, call, target_field};
use super::sparing;
use super::waiting;
use crate::domain::consent;
use crate::domain::task::{Status, Task};
use crate::domain::tool::{Call, CallResult, CallStatus, ToolName};
use crate::llm::{Act, Entry, Request, Unclear};

/// The most numbers of one part that are looked up before it is done.
const MOST_NUMBERS: usize = 10;

/// The next act and what was understood, in a few words.
pub(super) fn decide(request: &Request) -> (Act, String) {
    let turn = &request.entries[request.turn_start.min(request.entries.len())..];
    let steps = recall::steps(turn);
    match turn.first() {
        Some(Entry::User { text }) => message(text, request, &steps),
        Some(Entry::Verdict { approved, .. }) => {
            let text = report(&steps, request);
            let quiet = if *approved { "Nothing was left to do." } else { "All right, nothing was changed." };
            (say(if text.is_empty() { quiet.to_owned() } else { text }), "verdict".into())
        }
        Some(Entry::Calls { .. } | Entry::Assistant { .. }) | None => (say(report(&steps, request)), "go on".into()),
    }
}

pub(super) fn say(text: String) -> Act {
    Act::Say { text: if text.is_empty() { "Nothing was changed.".to_owned() } else { text } }
}

/// A line for every call that was made.
fn report(steps: &Steps, request: &Request) -> String {
    let reader = Reader { now: &request.now, zone: &request.zone };
    let lines = steps
        .iter()
        .flat_map(|(calls, results)| calls.iter().zip(results))
        .flat_map(|(call, result)| phrase::call(call, result, reader));
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether the turn so far only added tasks and has nothing else to say: a plan makes its changes in one step, looks up what it needs
/// before that, and gives what it cannot do along with it.
fn only_added(request: &Request) -> bool {
    let turn = request.entries.get(request.turn_start + 1..).unwrap_or_default();
    matches!(turn, [Entry::Calls { text, calls, .. }] if text.is_empty()
        && calls.iter().all(|call| ToolName::parse(&call.tool) == Some(ToolName::AddTask)))
}

fn message(text: &str, request: &Request, steps: &Steps) -> (Act, String) {
    if only_added(request) {
        return (say(report(steps, request)), "add task".into());
    }
    if consent::answer(text) == Some(consent::Answer::Yes) && !steps.is_empty() {
        return (say(report(steps, request)), "confirm".into());
    }
    if let Some(act) = follow::asked_again(text, request) {
        return (act, "unclear answer".into());
    }
    // A yes or no that could be meant for one request was decided before the engine was asked.
    let answers = matches!(consent::answer(text), Some(consent::Answer::Yes | consent::Answer::No));
    if !request.pending.is_empty() && (answers || assent::said(text)) {
        return (which_pending(request), "unclear answer".into());
    }
    let turns = recall::turns(request);
    let request_text = consent::confirmation(text).map_or_else(|| text.to_owned(), |found| found.rest);
    let request_text = follow::refused(text, &turns).unwrap_or(request_text);
    let waits = !request.pending.is_empty();
    let request_text = if waits { waiting::beforehand(&request_text).to_owned() } else { request_text };
    let (parts, candidates_of) = follow::parts(&request_text, &turns, request);
    let focus = recall::focus(&turns);
    let parts = if candidates_of.is_none() && focus.is_empty() { sparing::of_all(parts, &request_text) } else { parts };
    let intent = summary(&parts);
    let mut plan = Plan {
        request,
        steps,
        next: 0,
        tasks: vec![],
        gone: vec![],
        unread: Some(request_text.as_str()).filter(|_| candidates_of.is_none()),
        focus,
        looked_at: recall::looked_at(&turns),
        shown: recall::shown(&turns),
        candidates: None,
    };
    if let Some(original) = &candidates_of {
        plan.candidates = follow::candidates(original, &turns);
    }
    (plan.run(&parts), intent)
}

/// A yes or no where several requests wait: it could mean any of them.
fn which_pending(request: &Request) -> Act {
    let questions: Vec<&str> = request.pending.iter().map(|pending| pending.question.as_str()).collect();
    Act::Ask {
        question: format!(
            "I am not sure which question you mean. Still waiting: {} Please answer on the card, or ask again, \
             for example “delete task 3”.",
            questions.join(" ")
        ),
        options: vec![],
        why: Unclear::Intent,
    }
}

struct Plan<'a> {
    request: &'a Request,
    steps: &'a Steps<'a>,
    /// Index of the step that is replayed next.
    next: usize,
    /// Everything that lookups returned.
    tasks: Vec<Task>,
    /// Numbers that lookups found no task for.
    gone: Vec<i64>,
    /// The message, until it was read again.
    unread: Option<&'a str>,
    focus: Vec<i64>,
    looked_at: Vec<i64>,
    shown: Vec<i64>,
    candidates: Option<Vec<i64>>,
}

impl Plan<'_> {
    fn run(&mut self, parts: &[Part]) -> Act {
        // A list that is asked for after a change shows what the change left.
        let changes = parts.iter().position(changes).unwrap_or(parts.len());
        let early = lists(&parts[..changes]);
        let late = lists(&parts[changes..]);
        let mut first: Vec<Call> = vec![];
        for call in early.iter().map(|(_, call)| call.clone()).chain(self.lookups(parts)) {
            if !first.contains(&call) {
                first.push(call);
            }
        }
        let shown = match self.replay(&first) {
            Ok(results) => results,
            Err(act) => return act,
        };
        let needs = |part: &Part| !self.lookups(std::slice::from_ref(part)).is_empty();
        let told = barred::refusal(&shown).map(|why| barred::without_lookups(parts, &why, needs));
        let parts = told.as_deref().unwrap_or(parts);
        if self.needs_more(parts) {
            let wide = [call(ToolName::ListTasks, json!({ "status": "all", "limit": 200 }))];
            if !first.contains(&wide[0])
                && let Err(act) = self.replay(&wide)
            {
                return act;
            }
            if renaming::divided(parts, &self.tasks).is_none()
                && let Some(part) = self.read_again(parts)
            {
                return self.run(&[part]);
            }
        }
        let renamed = renaming::divided(parts, &self.tasks);
        let parts = renamed.as_deref().unwrap_or(parts);
        let steps = resolve::parts(parts, &self.known());
        let mut calls = calls(&steps);
        calls.extend(late.iter().map(|(_, call)| call.clone()));
        let results = match self.replay_with(&calls, &ending::remarks(&steps)) {
            Ok(results) => results,
            Err(act) => return act,
        };
        let reader = Reader { now: &self.request.now, zone: &self.request.zone };
        let mut lines = answers(&early, &first, &shown, reader);
        let acted = calls.len() - late.len();
        lines.extend(
            calls.iter().zip(&results).take(acted).flat_map(|(call, result)| phrase::call(call, result, reader)),
        );
        if let Some(shown) = results.get(acted..) {
            lines.extend(answers(&late, &calls[acted..], shown, reader));
        }
        self.taught(ending::act(lines, &steps))
    }

    /// What a message means whose only part names a task that there is not: its rule may have taken too many words for a name.
    fn read_again(&mut self, parts: &[Part]) -> Option<Part> {
        // "the milk one and the rent one" are two that there are.
        let each = |part: &Part| match target_of(part) {
            Some(Target::Words { text, quoted: false, .. }) => {
                resolve::each_of(text, &self.known(), Status::Pending, matching::LIKELY)
            }
            _ => None,
        };
        let several = parts.iter().filter_map(each).any(|found| found.is_ok());
        let text = self.unread.take().filter(|_| !several && parts.len() == 1 && self.needs_more(parts))?;
        let part = narrowing::whole(parts, classifier::guess_of(text, &self.request.now, &self.request.zone)?)?;
        let fits = match &part {
            Part::List(_) | Part::Refuse(_) => true,
            other => {
                matches!(target_of(other), Some(Target::Words { .. })) && !self.needs_more(std::slice::from_ref(other))
            }
        };
        fits.then_some(part)
    }

    /// A question or a refusal with examples from the user's own tasks, looked up for it where the turn has not seen any.
    fn taught(&mut self, act: Act) -> Act {
        let may_look =
            barred::may_read(self.request) && (!self.request.tools.is_empty() || self.next < self.steps.len());
        if !ending::teaches(&act) || !may_look {
            return act;
        }
        if ending::open(&self.tasks).count() < ending::EXAMPLES
            && let Err(look) = self.replay(&[ending::lookup()])
        {
            return look;
        }
        ending::teach(act, &self.tasks)
    }

    fn known(&self) -> Known<'_> {
        Known {
            tasks: &self.tasks,
            zone: &self.request.zone,
            gone: &self.gone,
            focus: &self.focus,
            looked_at: &self.looked_at,
            shown: &self.shown,
            candidates: self.candidates.as_deref(),
        }
    }

    /// The recorded results of `calls` if they were already made, else the act that makes them.
    fn replay(&mut self, calls: &[Call]) -> Result<Vec<CallResult>, Act> {
        self.replay_with(calls, "")
    }

    fn replay_with(&mut self, calls: &[Call], text: &str) -> Result<Vec<CallResult>, Act> {
        if calls.is_empty() {
            return Ok(vec![]);
        }
        let Some((made, results)) = self.steps.get(self.next) else {
            if self.request.tools.is_empty() {
                return Err(say(report(self.steps, self.request)));
            }
            return Err(Act::Calls { text: text.to_owned(), calls: calls.to_vec() });
        };
        self.next += 1;
        let missed = made.iter().zip(results).filter(|(_, result)| result.value["error"] == "not_found");
        self.gone.extend(missed.filter_map(|(call, _)| call.arguments["task_id"].as_i64()));
        for task in results.iter().flat_map(|result| tasks_in(&result.value)) {
            if !self.tasks.iter().any(|known| known.task_id == task.task_id) {
                self.tasks.push(task);
            }
        }
        Ok(results.to_vec())
    }

    /// One list per description by words; several descriptions or a bulk need the whole list.
    fn lookups(&self, parts: &[Part]) -> Vec<Call> {
        let mut calls = vec![];
        for part in parts {
            if let Part::Add { items, unless_there: true } = part {
                calls.extend(items.iter().map(|item| query_call(&item.title)));
            }
            if let Part::Add { items, .. } = part
                && barred::may_read(self.request)
            {
                calls.extend(items.iter().find_map(|item| item.shop.as_deref()).map(query_call));
            }
            if let Part::Happened(_) = part {
                calls.push(call(ToolName::ListTasks, json!({ "status": "pending", "limit": 200 })));
            }
            if let Part::Edit { edit, target } = part
                && (edit.tags.is_some() || edit.shift.is_some() || edit.reword.is_some() || edit.clock)
                && !matches!(target, Target::Words { .. } | Target::All(_))
                && let Ok(ids) = resolve::ids(target, &self.known(), "change", Status::Pending)
            {
                // The tags that it has already stay.
                calls.extend(ids.iter().map(|id| call(ToolName::GetTask, json!({ "task_id": id }))));
            }
            match target_of(part) {
                Some(Target::Words { text, .. }) => calls.push(query_call(text)),
                Some(Target::All(scope)) if scope.except.is_none() => calls.push(bulk_call(scope, part)),
                Some(Target::All(_)) => calls.push(call(ToolName::ListTasks, json!({ "status": "all", "limit": 200 }))),
                Some(Target::Said(text)) if text.is_empty() => {}
                Some(Target::Said(_)) => {
                    calls.push(call(ToolName::ListTasks, json!({ "status": "all", "limit": 200 })))
                }
                // A number may be nobody's: that is found out before anything is done with it.
                Some(Target::Numbers(numbers))
                    if changes(part) && numbers.len() <= MOST_NUMBERS && barred::may_read(self.request) =>
                {
                    calls.extend(numbers.iter().map(|id| call(ToolName::GetTask, json!({ "task_id": id }))));
                }
                Some(Target::Numbers(_) | Target::Places(_) | Target::It | Target::Them | Target::Missing) | None => {}
            }
        }
        let wide = |other: &Call| ToolName::parse(&other.tool) == Some(ToolName::ListTasks);
        if calls.iter().filter(|call| wide(call)).count() > 3 {
            calls.retain(|call| !wide(call));
            calls.push(call(ToolName::ListTasks, json!({ "status": "all", "limit": 200 })));
        }
        calls
    }

    /// Whether a description found nothing among what was looked up.
    fn needs_more(&self, parts: &[Part]) -> bool {
        parts.iter().any(|part| match target_of(part) {
            Some(Target::Words { text, .. }) => {
                matching::find(text, &self.tasks, Status::Pending, matching::LIKELY) == Fit::None
            }
            Some(
                Target::All(_)
                | Target::Numbers(_)
                | Target::Places(_)
                | Target::It
                | Target::Them
                | Target::Said(_)
                | Target::Missing,
            )
            | None => false,
        })
    }
}

/// The lists among parts, with the calls that answer them.
fn lists(parts: &[Part]) -> Vec<(&ListQuery, Call)> {
    parts
        .iter()
        .filter_map(|part| if let Part::List(query) = part { Some((query, list_call(query))) } else { None })
        .collect()
}

/// Whether a part may change a task.
fn changes(part: &Part) -> bool {
    match part {
        Part::List(_) | Part::Get(_) | Part::Ask { .. } | Part::Say(_) | Part::Refuse(_) => false,
        Part::Add { .. }
        | Part::Complete(_)
        | Part::Happened(_)
        | Part::Reopen(_)
        | Part::Delete { .. }
        | Part::Edit { .. } => true,
    }
}

/// The answers to lists, found among the calls that were `made`.
fn answers(lists: &[(&ListQuery, Call)], made: &[Call], results: &[CallResult], reader: Reader) -> Vec<String> {
    let result = |call: &Call| made.iter().position(|other| other == call).and_then(|at| results.get(at));
    let answered = lists.iter().filter_map(|(query, call)| Some((query, result(call)?)));
    let told = |(query, result): (&&ListQuery, &CallResult)| match result.status {
        CallStatus::Error => vec![phrase::refused(&result.value)],
        _ => phrase::list(query, &tasks_in(&result.value), &result.value, reader),
    };
    answered.flat_map(told).collect()
}

/// The calls of all steps; batches of one tool become one call, so that one yes decides them.
pub(super) fn calls(steps: &[Step]) -> Vec<Call> {
    let mut calls: Vec<Call> = vec![];
    let mut batches: Vec<(ToolName, usize, Vec<i64>)> = vec![];
    for step in steps {
        match step {
            Step::Call(call) if !calls.contains(call) => calls.push(call.clone()),
            Step::Batch(tool, ids) => match batches.iter_mut().find(|(known, _, _)| known == tool) {
                Some((_, _, all)) => all.extend(ids.iter().filter(|id| !all.contains(id)).copied().collect::<Vec<_>>()),
                None => {
                    batches.push((*tool, calls.len(), ids.clone()));
                    calls.push(call(*tool, Value::Null));
                }
            },
            Step::Call(_) | Step::Say(_) | Step::Refuse(_) | Step::Ask { .. } => {}
        }
    }
    for (tool, at, ids) in batches {
        let mut fields = target_field(&ids);
        if tool == ToolName::UpdateTask {
            fields.insert("status".into(), json!("pending"));
        }
        calls[at] = call(tool, Value::Object(fields));
    }
    calls
}
