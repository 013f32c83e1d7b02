//! Telemetry of turns: spans and metrics. Costs one branch per call if tracing is off.

use std::time::{Duration, Instant};

use crate::agent::context::EngineRef;
use crate::agent::engine::{self, Answer};
use crate::agent::toolbox::Place;
use crate::domain::approval::{Approval, ApprovalStatus, DecidedVia, Verdict};
use crate::domain::decision::{Decision, Engine, Outcome};
use crate::domain::id::{ApprovalId, TurnId, UserId};
use crate::domain::policy::Asker;
use crate::domain::tool::{Call, CallResult, CallStatus, ToolName};
use crate::domain::trace::Traceparent;
use crate::domain::turn::Cause;
use crate::state::AppState;
use crate::store::turns::TurnRow;
use crate::store::{self, Tx};
use crate::telemetry::spans::{Kind, Span};
use crate::telemetry::{Telemetry, names};

/// Telemetry of a turn's model calls.
#[derive(Clone, Default)]
pub struct TurnTelemetry {
    telemetry: Telemetry,
    above: Option<Traceparent>,
    temperature: f64,
    max_tokens: u32,
}

impl std::fmt::Debug for TurnTelemetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("above", &self.above).finish_non_exhaustive()
    }
}

impl TurnTelemetry {
    /// Creates the telemetry of calls under the span `above`.
    pub fn of(state: &AppState, above: Option<Traceparent>) -> Self {
        let limits = &state.config.turn;
        let (temperature, max_tokens) = (limits.temperature, limits.max_tokens);
        Self { telemetry: state.telemetry.clone(), above, temperature, max_tokens }
    }

    /// Starts the span of a model call. The rules have none.
    pub fn model_call(&self, engine: EngineRef<'_>) -> ModelCall {
        let (engine, model) = (engine.engine(), engine.model());
        if engine == Engine::Rules || self.above.is_none() {
            return ModelCall { telemetry: self.telemetry.clone(), engine, span: Span::nothing() };
        }
        let name = format!("{} {}", names::CHAT, model.unwrap_or_default());
        let mut span = self.telemetry.begin(self.above.as_ref(), Kind::Client, &name);
        span.set(names::OPERATION, names::CHAT);
        span.set(names::PROVIDER, provider(engine));
        span.tell(names::MODEL, model.unwrap_or_default());
        span.set(names::TEMPERATURE, self.temperature);
        span.set(names::MAX_TOKENS, i64::from(self.max_tokens));
        ModelCall { telemetry: self.telemetry.clone(), engine, span }
    }
}

/// Returns the provider's name in OpenTelemetry's conventions; compatible servers have a generic one.
fn provider(engine: Engine) -> &'static str {
    match engine {
        Engine::Openai => "openai",
        Engine::Gemini => "gcp.gemini",
        Engine::Rules | Engine::Compatible | Engine::External => engine.as_str(),
    }
}

pub struct ModelCall {
    telemetry: Telemetry,
    engine: Engine,
    span: Span,
}

impl ModelCall {
    /// Returns the span's trace context, for the provider.
    pub fn place(&self) -> Option<Traceparent> {
        self.span.own()
    }

    /// Records the result of the call.
    pub fn answered(mut self, answer: &Answer, took: Duration) {
        if self.engine == Engine::Rules {
            return;
        }
        let (result, usage) = (engine::result(answer), engine::took(answer));
        let tokens = usage.map(|usage| (usage.tokens_in, usage.tokens_out));
        self.telemetry.metrics.model_call(self.engine, result, tokens, took);
        if let Some((into, out)) = tokens {
            self.span.set(names::TOKENS_IN, into);
            self.span.set(names::TOKENS_OUT, out);
        }
        if answer.is_err() {
            self.span.fail(result);
        }
    }
}

/// Starts the span of a claimed turn.
pub fn turn(state: &AppState, turn: &TurnRow) -> Span {
    let name = [names::INVOKE_AGENT, names::SERVICE].join(" ");
    let mut span = state.telemetry.begin(turn.trace.as_ref(), Kind::Internal, &name).from_elsewhere();
    span.set(names::OPERATION, names::INVOKE_AGENT);
    span.set(names::AGENT, names::SERVICE);
    span.tell(names::TURN, turn.id);
    span.tell(names::CONVERSATION, turn.conversation);
    span.set(names::CAUSE, turn.cause.as_str());
    span.set(names::ATTEMPT, turn.fence);
    span
}

/// Records a decision in the turn's span.
pub fn decided(span: &mut Span, decision: Decision) {
    span.set(names::DECISION, decision.kind.as_str());
    span.set(names::OUTCOME, decision.outcome.as_str());
    if decision.outcome.as_str().starts_with("ERROR") {
        span.fail(decision.outcome.as_str());
    }
}

/// Counts a finished turn.
pub fn count(state: &AppState, cause: Cause, engine: Engine, outcome: Outcome, duration_ms: i64) {
    let took = Duration::from_millis(duration_ms.unsigned_abs());
    state.telemetry.metrics.turn(cause, engine, outcome, took);
}

pub struct ToolCall<'a> {
    state: &'a AppState,
    tool: Option<ToolName>,
    asker: Asker,
    begun: Instant,
    above: Option<Traceparent>,
    span: Span,
}

impl<'a> ToolCall<'a> {
    /// Starts the span of a turn's own call.
    pub fn begin(state: &'a AppState, above: Option<&Traceparent>, call: &Call, turn: TurnId, place: Place) -> Self {
        let mut it = Self::named(state, above, place.asker, &call.tool, Kind::Client);
        it.span.set(names::TRANSPORT, names::IN_PROCESS);
        it.span.tell(names::CALL_ID, format_args!("{turn}.{}.{}", place.step, place.index));
        it
    }

    /// Starts the span of an MCP agent's call.
    pub fn from_outside(state: &'a AppState, sent: Option<Traceparent>, called_as: &str) -> Self {
        let above = state.telemetry.place(sent);
        let mut it = Self::named(state, above.as_ref(), Asker::Mcp, called_as, Kind::Server);
        it.span = it.span.from_elsewhere();
        Self { above, ..it }
    }

    /// Stores the trace context with the turn of an agent's call.
    pub async fn keep(&self, tx: &mut Tx, user: UserId, turn: TurnId) -> Result<(), store::Error> {
        match &self.above {
            Some(above) => store::trace_ids::set(tx, user, turn, above).await,
            None => Ok(()),
        }
    }

    fn named(state: &'a AppState, above: Option<&Traceparent>, asker: Asker, called_as: &str, kind: Kind) -> Self {
        let tool = ToolName::parse(called_as);
        let span = match (above, tool) {
            (None, _) => Span::nothing(),
            (above, Some(tool)) => state.telemetry.begin(above, kind, &format!("{} {tool}", names::TOOLS_CALL)),
            // An unknown name may contain any text.
            (above, None) => state.telemetry.begin(above, kind, names::TOOLS_CALL),
        };
        let mut it = Self { state, tool, asker, begun: Instant::now(), above: None, span };
        it.span.set(names::MCP_METHOD, names::TOOLS_CALL);
        it.span.set(names::OPERATION, names::EXECUTE_TOOL);
        it.span.set(names::TOOL_TYPE, names::FUNCTION);
        if let Some(tool) = tool {
            it.span.set(names::TOOL, tool.as_str());
        }
        it
    }

    /// Records the decision of an agent's call, which is a turn itself.
    pub fn decided(mut self, turn: TurnId, decision: Decision, status: CallStatus) {
        let (cause, took) = (Cause::Mcp, self.begun.elapsed());
        self.state.telemetry.metrics.turn(cause, Engine::External, decision.outcome, took);
        self.span.tell(names::TURN, turn);
        self.span.set(names::CAUSE, cause.as_str());
        decided(&mut self.span, decision);
        self.returned(status);
    }

    /// Records the status of the call.
    pub fn returned(mut self, status: CallStatus) {
        self.state.telemetry.metrics.tool_call(self.tool, self.asker.as_str(), status, self.begun.elapsed());
        self.span.set(names::CALL_STATUS, status.as_str());
        if status == CallStatus::Error {
            // Error type of the conventions for a failed tool result.
            self.span.fail("tool_error");
        }
    }

    /// Records a call's result, or a failure without an answer.
    pub fn answered<E>(mut self, answer: &Result<CallResult, E>) {
        match answer {
            Ok(result) => self.returned(result.status),
            Err(_) => self.span.fail("unanswered"),
        }
    }
}

/// Adds a span for the time until the verdict that the turn answers. Does nothing if tracing is off.
pub async fn waited_for(state: &AppState, turn: &TurnRow, span: &Span, answered: ApprovalId) {
    if span.own().is_none() {
        return;
    }
    if let Err(error) = tell_wait(state, turn, span, answered).await {
        tracing::warn!(error = ?error, "the waiting time of an approval could not be measured");
    }
}

async fn tell_wait(state: &AppState, turn: &TurnRow, span: &Span, answered: ApprovalId) -> Result<(), store::Error> {
    let mut tx = state.ctx.store.read().await?;
    if let Some(approval) = store::approvals::get(&mut tx, turn.user, answered).await? {
        let asked = store::trace_ids::of_approval(&mut tx, turn.user, answered).await?;
        waited(state, span, &approval, asked);
    }
    Ok(())
}

/// Adds a span for the time until the verdict; `asked` is the trace context of the requesting turn.
fn waited(state: &AppState, span: &Span, approval: &Approval, asked: Option<Traceparent>) {
    let Some(decided_at) = &approval.decided_at else { return };
    let mut wait = state.telemetry.begin(span.own().as_ref(), Kind::Internal, names::APPROVAL_WAIT);
    wait.lasted(&approval.created_at, decided_at);
    wait.tell(names::APPROVAL, approval.approval_id);
    wait.set(names::APPROVAL_STATUS, approval.status.as_str());
    if let Some(via) = approval.decided_via {
        wait.set(names::APPROVAL_VIA, via.as_str());
    }
    if let Some(asked) = asked {
        wait.link(asked);
    }
}

/// Counts a verdict in a message, after its commit.
pub fn settled_in_chat(state: &AppState, verdict: Option<Verdict>) {
    if let Some(verdict) = verdict {
        settled(state, verdict.status(), Some(DecidedVia::Chat));
    }
}

/// Counts a decided approval, after its commit.
pub fn settled(state: &AppState, status: ApprovalStatus, via: Option<DecidedVia>) {
    state.telemetry.metrics.decided(status.as_str(), via);
}
