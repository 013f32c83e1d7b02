//! Decision context. Built from the database for each turn; nothing of it outlives the turn.

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use super::machine::{Origin, Step};
use super::prompt;
use crate::domain::decision_inputs::Asked;
use crate::domain::id::MessageId;
use crate::domain::time::Timestamp;
use crate::domain::tool::{CallResult, CallStatus, ErrorCode, ToolName, ToolSpec};
use crate::domain::user::Scope;
use crate::llm::{self, Act, Llm, Request};

/// An entry of the conversation.
pub type Entry = llm::Entry;
/// A pending approval as engines see it.
pub type Pending = llm::Pending;
/// A borrowed engine.
pub type EngineRef<'a> = &'a dyn Llm;

/// Input of a turn's decision.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionContext {
    /// Acceptance time of the turn, equal in every replica and attempt.
    pub now: Timestamp,
    /// The user's IANA time zone.
    pub zone: String,
    /// Entries before this turn, oldest first, followed by its trigger.
    pub entries: Vec<Entry>,
    /// Messages among the entries, for the audit log.
    pub messages: Vec<MessageId>,
    /// Pending approvals of this conversation, oldest first.
    pub pending: Vec<Pending>,
    /// Tools of the registry, sorted by name.
    pub tools: Arc<[ToolSpec]>,
    /// Memories recalled for this message, best first.
    pub memories: Vec<String>,
    /// Tools that the token's scope forbids.
    pub barred: Vec<ToolName>,
}

impl DecisionContext {
    /// Restricts the context to `scopes`: bars tools and hides earlier results that the scopes do not include. Messages
    /// stay, since the conversation belongs to the scope `chat`.
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

    /// Returns the request for the next reply, after `steps`. `tools` is false for the closing call.
    pub fn request(&self, steps: &[Step], tools: bool) -> Request {
        let offered = if tools { self.tools.clone() } else { Arc::default() };
        let mut entries = self.entries.clone();
        let turn_start = entries.len().saturating_sub(1);
        // The fallback starts the turn over, so steps of the failed engine are left out.
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
            memories: self.memories.clone(),
            stood_in: begun.is_some(),
        }
    }
}

/// Returns the placeholder for a result that the scopes do not include.
fn hidden() -> CallResult {
    let message = format!("This result is not shown: it needs the scope {}.", Scope::TasksRead.as_str());
    CallResult { status: CallStatus::Error, value: json!({ "error": ErrorCode::Forbidden, "message": message }) }
}

/// A request in the form that is hashed. Digests replace the prompt and the schemas, most of its size.
#[derive(Serialize)]
struct Digested<'a> {
    prompt: &'a str,
    /// Digests of the schemas; the prompt contains the rest of each tool.
    tools: Vec<&'a [u8; 32]>,
    now: &'a Timestamp,
    zone: &'a str,
    entries: &'a [Entry],
    turn_start: usize,
    pending: &'a [Pending],
    stood_in: bool,
}

/// Returns the audit data of a request: digests and the duration of its reply.
pub fn asked(request: &Request, took_ms: i64) -> Asked {
    // The prompt contains the memories.
    let Request { now, zone, prompt, entries, turn_start, tools, pending, stood_in, .. } = request;
    let (turn_start, stood_in, prompt) = (*turn_start, *stood_in, prompt::digest(prompt.as_bytes()));
    let schemas = tools.iter().map(|tool| tool.schema.sha256()).collect();
    let whole = Digested { prompt: &prompt, tools: schemas, now, zone, entries, turn_start, pending, stood_in };
    let whole = serde_json::to_vec(&whole).expect("a request is plain JSON");
    Asked { request: prompt::digest(&whole), prompt, tools: !tools.is_empty(), took_ms }
}

/// Returns the conversation entry of a step; `None` for a step without calls, whose message is an entry already.
pub fn entry(step: &Step) -> Option<Entry> {
    match &step.reply.act {
        Act::Calls { text, calls } => {
            let (text, calls, results) = (text.clone(), calls.clone(), step.results.clone());
            Some(Entry::Calls { text, calls, results, raw: step.reply.raw.clone() })
        }
        Act::Say { .. } | Act::Ask { .. } | Act::AskAgain { .. } | Act::Refuse { .. } => None,
    }
}
