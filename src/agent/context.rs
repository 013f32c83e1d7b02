//! Everything that a decision is made from. Built anew from the database for each turn; nothing of it outlives the turn.

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use super::machine::{Origin, Step};
use super::prompt;
use crate::domain::basis::Asked;
use crate::domain::id::MessageId;
use crate::domain::time::Timestamp;
use crate::domain::tool::{CallResult, CallStatus, ErrorCode, ToolName, ToolSpec};
use crate::domain::user::Scope;
use crate::llm::{self, Act, Llm, Request};

/// One thing that was said or done, as an engine is told it.
pub type Entry = llm::Entry;
/// An approval that waits, as an engine is told of it.
pub type Pending = llm::Pending;
/// What decides.
pub type EngineRef<'a> = &'a dyn Llm;

/// What is known when a turn begins.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionContext {
    /// When the turn was accepted: the same on every replica and in every attempt.
    pub now: Timestamp,
    /// The user's IANA zone.
    pub zone: String,
    /// What was said and done before this turn, oldest first, and then its cause.
    pub entries: Vec<Entry>,
    /// The messages among them, for the record.
    pub messages: Vec<MessageId>,
    /// Approvals of this conversation that wait, oldest first.
    pub pending: Vec<Pending>,
    /// The registry's tools, sorted by name.
    pub tools: Arc<[ToolSpec]>,
    /// What earlier conversations left behind and this message calls to mind, the best first.
    pub memories: Vec<String>,
    /// Tools that the token behind the turn does not allow.
    pub barred: Vec<ToolName>,
}

impl DecisionContext {
    /// Bounds the context by the scopes behind the turn: bars the tools that they do not allow, and removes from earlier turns what
    /// calls returned that they do not show. Words stay: a conversation is `chat`.
    pub fn bound(&mut self, scopes: &[Scope]) {
        self.barred = ToolName::ALL.into_iter().filter(|tool| !scopes.contains(&tool.scope())).collect();
        for entry in &mut self.entries {
            let llm::Entry::Calls { calls, results, .. } = entry else { continue };
            for (call, result) in calls.iter().zip(results) {
                let shown = ToolName::parse(&call.tool).is_none_or(|tool| tool.is_shown_to(scopes));
                if !shown && result.status == CallStatus::Ok {
                    *result = hidden();
                }
            }
        }
    }

    /// The request for the next reply, after `steps`. `tools` is false for the closing call.
    pub fn request(&self, steps: &[Step], tools: bool) -> Request {
        let offered = if tools { self.tools.clone() } else { Arc::default() };
        let mut entries = self.entries.clone();
        let turn_start = entries.len().saturating_sub(1);
        // A stand-in begins the turn anew: what the engine before it had read is none of its own steps.
        let begun = steps.iter().position(|step| step.reply.stood_in);
        entries.extend(steps[begun.unwrap_or_default()..].iter().filter_map(entry));
        Request {
            now: self.now.clone(),
            zone: self.zone.clone(),
            prompt: prompt::render(&offered, &self.memories, &self.now, &self.zone),
            entries,
            turn_start,
            tools: offered,
            pending: self.pending.clone(),
            carries_out: steps.iter().any(|step| step.origin != Origin::Engine),
            barred: self.barred.clone(),
            stood_in: begun.is_some(),
        }
    }
}

/// What stands in the place of a result that the turn's scopes do not show.
fn hidden() -> CallResult {
    let message = format!("This result is not shown: it needs the scope {}.", Scope::TasksRead.as_str());
    CallResult { status: CallStatus::Error, value: json!({ "error": ErrorCode::Forbidden, "message": message }) }
}

/// A request as its digest is taken: the prompt and the schemas, most of its length, stand there by digests of their own.
#[derive(Serialize)]
struct Digested<'a> {
    prompt: &'a str,
    /// Of each schema; the rest of a tool is told in the prompt.
    tools: Vec<&'a [u8; 32]>,
    now: &'a Timestamp,
    zone: &'a str,
    entries: &'a [Entry],
    turn_start: usize,
    pending: &'a [Pending],
    stood_in: bool,
}

/// A request as the record names it, and how long its reply took.
pub fn asked(request: &Request, took_ms: i64) -> Asked {
    let Request { now, zone, prompt, entries, turn_start, tools, pending, carries_out: _, barred: _, stood_in } =
        request;
    let (turn_start, stood_in, prompt) = (*turn_start, *stood_in, prompt::digest(prompt.as_bytes()));
    let schemas = tools.iter().map(|tool| tool.schema.sha256()).collect();
    let whole = Digested { prompt: &prompt, tools: schemas, now, zone, entries, turn_start, pending, stood_in };
    let whole = serde_json::to_vec(&whole).expect("a request is plain JSON");
    Asked { request: prompt::digest(&whole), prompt, tools: !tools.is_empty(), took_ms }
}

/// A step as the conversation tells it; a step without calls ended its turn and is told by its message.
pub fn entry(step: &Step) -> Option<Entry> {
    match &step.reply.act {
        Act::Calls { text, calls } => {
            let (text, calls, results) = (text.clone(), calls.clone(), step.results.clone());
            Some(Entry::Calls { text, calls, results, raw: step.reply.raw.clone() })
        }
        Act::Say { .. } | Act::Ask { .. } | Act::AskAgain { .. } | Act::Refuse { .. } => None,
    }
}
