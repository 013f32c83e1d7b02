//! Planning of a turn's next action. Replays the recorded steps each time, so that no state is kept: look up described
//! tasks, widen the lookup if needed, act, report.

use serde_json::{Value, json};

use crate::domain::consent;
use crate::domain::task::{Status, Task};
use crate::domain::tool::{Call, CallResult, MOST_TARGETS, ToolName};
use crate::llm::rules::lex::matching::{self, Fit};
use crate::llm::rules::normalise::rewriting;
use crate::llm::rules::plan::phrase::{self, Reader};
use crate::llm::rules::plan::recall::{self, Steps, tasks_in};
use crate::llm::rules::plan::{alike, amending, barred, carry, ending, follow, offer, open};
use crate::llm::rules::read::intent::{ListQuery, Part, Target, summary, target_of};
use crate::llm::rules::read::{classifier, preface, sparing, waiting, wish};
use crate::llm::rules::resolve::queries::{bulk_call, list_call, query_call};
use crate::llm::rules::resolve::steps::{self as resolve, Known, Step, call, target_field};
use crate::llm::rules::resolve::{narrowing, renaming};
use crate::llm::{Act, Entry, Request};

/// Maximum numbers of one part that are looked up before it runs.
const MOST_NUMBERS: usize = 10;

/// Returns the next action and a short description of what was understood.
pub(in crate::llm::rules) fn decide(request: &Request) -> (Act, String) {
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

pub(in crate::llm::rules) fn say(text: String) -> Act {
    Act::Say { text: if text.is_empty() { "Nothing was changed.".to_owned() } else { text } }
}

/// Returns a line for every call made; none for the lookups before a change.
fn report(steps: &Steps, request: &Request) -> String {
    let reader = Reader { now: &request.now, zone: &request.zone };
    let lines = steps
        .iter()
        .flat_map(|(calls, results)| calls.iter().zip(results))
        .filter(|(call, _)| !recall::acted(steps) || carry::changes(&call.tool))
        .flat_map(|(call, result)| phrase::call(call, result, reader));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns true if the turn so far only added tasks and has nothing else to say. A plan looks up what it needs, then
/// makes all changes in one step, with its remarks on failed parts.
fn only_added(request: &Request) -> bool {
    let turn = request.entries.get(request.turn_start + 1..).unwrap_or_default();
    matches!(turn, [Entry::Calls { text, calls, .. }] if text.is_empty()
        && calls.iter().all(|call| ToolName::parse(&call.tool) == Some(ToolName::AddTask)))
}

fn message(text: &str, request: &Request, steps: &Steps) -> (Act, String) {
    if only_added(request) {
        return (say(report(steps, request)), "add task".into());
    }
    if consent::answer(text) == Some(consent::Answer::Yes) && recall::acted(steps) {
        return (say(report(steps, request)), "confirm".into());
    }
    if let Some(act) = follow::asked_again(text, request) {
        return (act, "unclear answer".into());
    }
    let turns = recall::turns(request);
    let request_text = consent::confirmation(text).map_or_else(|| text.to_owned(), |found| found.rest);
    let request_text = follow::refused(text, &turns).unwrap_or(request_text);
    let waits = !request.pending.is_empty();
    let request_text = if waits { waiting::beforehand(&request_text).to_owned() } else { request_text };
    let request_text = rewriting::rewritten(preface::without(&request_text)).into_owned();
    let (parts, candidates_of) = follow::parts(&request_text, &turns, request);
    // Clear answers to a single approval were handled before the engine was asked.
    if let Some(act) = open::answered(text, &parts, turns.last(), request) {
        return (act, "unclear answer".into());
    }
    let focus = recall::focus(&turns);
    let parts = if candidates_of.is_none() && focus.is_empty() { sparing::of_all(parts, &request_text) } else { parts };
    let parts = alike::counted(alike::other(parts, &request_text, &turns), &request_text, &focus);
    let intent = summary(&parts);
    let mut plan = Plan {
        request,
        steps,
        next: 0,
        tasks: vec![],
        is_partial: false,
        earlier: recall::tasks(&turns),
        today: resolve::today(&request.now, &request.zone),
        gone: vec![],
        remark: follow::unclaimed(&parts, &request_text, &turns, request),
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

struct Plan<'a> {
    request: &'a Request,
    steps: &'a Steps<'a>,
    /// Index of the step to be replayed next.
    next: usize,
    tasks: Vec<Task>,
    /// True if an unfiltered lookup returned only a part of the list.
    is_partial: bool,
    /// Tasks as earlier turns returned them.
    earlier: Vec<Task>,
    today: String,
    gone: Vec<i64>,
    /// The remark on words that the changes ignore.
    remark: Option<String>,
    /// The message, until it has been parsed a second time.
    unread: Option<&'a str>,
    focus: Vec<i64>,
    looked_at: Vec<i64>,
    shown: Vec<i64>,
    candidates: Option<Vec<i64>>,
}

impl Plan<'_> {
    fn run(&mut self, parts: &[Part]) -> Act {
        // A list requested after a change shows the state after it.
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
            let wide = [call(ToolName::ListTasks, json!({ "status": "all", "limit": MOST_TARGETS }))];
            if !first.contains(&wide[0])
                && let Err(act) = self.replay(&wide)
            {
                return act;
            }
            if renaming::divided(parts, &self.tasks).is_none()
                && let Some(part) = self.read_again(parts)
            {
                self.remark = None;
                return self.run(&[part]);
            }
        }
        let renamed = renaming::divided(parts, &self.tasks);
        let parts = renamed.as_deref().unwrap_or(parts);
        let mut steps = resolve::parts(parts, &self.known());
        if let Some(act) = amending::unsure(parts, &steps, &self.focus, self.request) {
            return act;
        }
        steps.extend(self.remark.clone().filter(|_| !calls(&steps).is_empty()).map(Step::Say));
        let mut calls = calls(&steps);
        calls.extend(late.iter().map(|(_, call)| call.clone()));
        let results = match self.replay_with(&calls, &ending::remarks(&steps)) {
            Ok(results) => results,
            Err(act) => return act,
        };
        let reader = Reader { now: &self.request.now, zone: &self.request.zone };
        let mut lines = phrase::answers(&early, &first, &shown, reader);
        let acted = calls.len() - late.len();
        lines.extend(
            calls.iter().zip(&results).take(acted).flat_map(|(call, result)| phrase::call(call, result, reader)),
        );
        if let Some(shown) = results.get(acted..) {
            lines.extend(phrase::answers(&late, &calls[acted..], shown, reader));
        }
        self.taught(offer::one_tap(ending::act(lines, &steps), self.request))
    }

    /// Parses the message again if its only part names an unknown task: the rule may have taken too many words as the name, or may
    /// have read a new task as a command.
    fn read_again(&mut self, parts: &[Part]) -> Option<Part> {
        // "the milk one and the rent one" are two existing tasks.
        let each = |part: &Part| match target_of(part) {
            Some(Target::Words { text, quoted: false, .. }) => {
                resolve::each_of(text, &self.known(), Status::Pending, matching::LIKELY)
            }
            _ => None,
        };
        let several = parts.iter().filter_map(each).any(|found| found.is_ok());
        let text = self.unread.take().filter(|_| !several && parts.len() == 1 && self.needs_more(parts))?;
        let (now, zone) = (&self.request.now, &self.request.zone);
        if let Some(list) = narrowing::in_project(parts, &self.tasks) {
            return Some(list);
        }
        let guess = classifier::guess_of(text, now, zone).and_then(|guess| narrowing::whole(parts, guess));
        let fits = |part: &Part| match part {
            Part::List(_) => true,
            // "when's the physio" and "move the physio to friday" name an unknown task.
            Part::Refuse(_) => !(text.to_lowercase().starts_with("when") || narrowing::is_own(&parts[0])),
            other => {
                matches!(target_of(other), Some(Target::Words { .. })) && !self.needs_more(std::slice::from_ref(other))
            }
        };
        let guess = guess.filter(fits);
        let refused = matches!(guess, Some(Part::Refuse(_)));
        let found = guess.is_some() && !refused;
        let new = || wish::unknown(&parts[0], text, now, zone, refused);
        if found { guess } else { new().or(guess) }
    }

    /// Adds examples from the user's own tasks to a question or refusal, and looks them up if necessary.
    fn taught(&mut self, act: Act) -> Act {
        let may_look =
            barred::may_read(self.request) && (!self.request.tools.is_empty() || self.next < self.steps.len());
        if !ending::teaches(&act) || offer::is_offer(&act) || !may_look {
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
            is_partial: self.is_partial,
            earlier: &self.earlier,
            today: &self.today,
            now: &self.request.now,
            zone: &self.request.zone,
            gone: &self.gone,
            focus: &self.focus,
            looked_at: &self.looked_at,
            shown: &self.shown,
            candidates: self.candidates.as_deref(),
        }
    }

    /// Returns the recorded results of `calls`, or else the action that makes them.
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
        self.is_partial |= made.iter().zip(results).any(|(call, result)| recall::is_partial(call, result));
        self.gone.extend(missed.filter_map(|(call, _)| call.arguments["task_id"].as_i64()));
        for task in results.iter().flat_map(|result| tasks_in(&result.value)) {
            if !self.tasks.iter().any(|known| known.task_id == task.task_id) {
                self.tasks.push(task);
            }
        }
        Ok(results.to_vec())
    }

    /// Returns one list call per description; several descriptions or a bulk need the whole list.
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
                calls.push(call(ToolName::ListTasks, json!({ "status": "pending", "limit": MOST_TARGETS })));
            }
            if let Part::Edit { edit, target } = part
                && (edit.tags.is_some()
                    || edit.shift.is_some()
                    || edit.reword.is_some()
                    || edit.clock
                    || edit.depends())
                && !matches!(target, Target::Words { .. } | Target::All(_))
                && let Ok(ids) = resolve::ids(target, &self.known(), "change", Status::Pending)
            {
                // Adding a tag needs the existing ones.
                calls.extend(ids.iter().map(|id| call(ToolName::GetTask, json!({ "task_id": id }))));
            }
            match target_of(part) {
                Some(Target::Words { text, .. }) => calls.push(query_call(text)),
                Some(Target::All(scope)) if scope.except.is_none() => calls.push(bulk_call(scope, part)),
                Some(Target::All(_)) => {
                    calls.push(call(ToolName::ListTasks, json!({ "status": "all", "limit": MOST_TARGETS })))
                }
                Some(Target::Said(text)) if text.is_empty() => {}
                Some(Target::Said(_)) => {
                    calls.push(call(ToolName::ListTasks, json!({ "status": "all", "limit": MOST_TARGETS })))
                }
                // The task may not exist, so it is looked up before any change.
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
            calls.push(call(ToolName::ListTasks, json!({ "status": "all", "limit": MOST_TARGETS })));
        }
        calls
    }

    /// Returns true if a description matches nothing that was looked up.
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

/// Returns the list parts with the calls that answer them.
fn lists(parts: &[Part]) -> Vec<(&ListQuery, Call)> {
    parts
        .iter()
        .filter_map(|part| if let Part::List(query) = part { Some((query, list_call(query))) } else { None })
        .collect()
}

/// Returns true if a part may change a task.
fn changes(part: &Part) -> bool {
    match part {
        Part::List(_) | Part::Get(_) | Part::Ask { .. } | Part::Say(_) | Part::Refuse(_) => false,
        Part::Add { .. }
        | Part::Complete(_)
        | Part::Happened(_)
        | Part::Reopen(_)
        | Part::Delete { .. }
        | Part::Undo(_)
        | Part::Edit { .. } => true,
    }
}

/// Returns the calls of all steps; batches of one tool become one call, so that one approval covers them.
pub(in crate::llm::rules) fn calls(steps: &[Step]) -> Vec<Call> {
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
