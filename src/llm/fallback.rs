//! An engine that combines a model with the rules as its fallback. Never falls back to another provider.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::breaker::Breaker;
use super::{Entry, Llm, LlmError, Reply, Request, Told};
use crate::domain::decision::Engine;
use crate::domain::time::Timestamp;
use crate::domain::tool::{CallStatus, ToolName, ToolSpec};

/// Delay between the breaker opening and the first probe; doubles after each failed probe.
const PROBE_AFTER: Duration = Duration::from_secs(2);
/// Longest delay between two probes.
const PROBE_AT_LEAST: Duration = Duration::from_secs(30);
/// Shortest timeout of a probe; a longer model timeout takes precedence.
const PROBE: Duration = Duration::from_secs(10);

/// A model with a fallback engine and a circuit breaker.
pub struct Fallback {
    model: Arc<dyn Llm>,
    stand_in: Arc<dyn Llm>,
    breaker: Arc<Breaker>,
    /// Tools that a probe offers, as a turn does: some providers fail only on requests with tools.
    tools: Arc<[ToolSpec]>,
    /// Timeout of a probe.
    patience: Duration,
}

impl Fallback {
    /// Creates an engine that asks `model` and uses `stand_in` as the fallback.
    pub fn new(model: Arc<dyn Llm>, stand_in: Arc<dyn Llm>) -> Self {
        Self { model, stand_in, breaker: Arc::default(), tools: Arc::default(), patience: PROBE }
    }

    /// Makes probes resemble turns: sets the tools that they offer and their timeout.
    #[must_use]
    pub fn offering(self, tools: Arc<[ToolSpec]>, time_out: Duration) -> Self {
        Self { tools, patience: time_out.max(PROBE), ..self }
    }

    async fn guarded(&self, request: &Request, told: Option<&Told>) -> Result<Reply, LlmError> {
        if request.stood_in {
            return self.stand_in.complete(request).await.map(|reply| Reply { stood_in: true, ..reply });
        }
        if self.breaker.is_open() {
            return Err(LlmError::Resting);
        }
        let answer = match told {
            Some(told) => self.model.stream(request, told).await,
            None => self.model.complete(request).await,
        };
        if answer.is_ok() {
            self.breaker.succeeded();
        }
        answer
    }
}

/// Sends probes until the model answers or another opening supersedes this probe.
async fn probe(
    model: Arc<dyn Llm>,
    (tools, patience): (Arc<[ToolSpec]>, Duration),
    breaker: std::sync::Weak<Breaker>,
    opening: u32,
) {
    let mut pause = PROBE_AFTER;
    loop {
        tokio::time::sleep(pause).await;
        let open = |breaker: &Arc<Breaker>| breaker.is_open() && breaker.openings() == opening;
        let Some(breaker) = breaker.upgrade().filter(open) else { return };
        let answer = tokio::time::timeout(patience, model.complete(&greeting(tools.clone()))).await;
        if answer.is_ok_and(|answer| answers(&answer)) {
            tracing::info!(engine = model.engine().as_str(), "the engine answers again");
            breaker.succeeded();
            return;
        }
        pause = (pause * 2).min(PROBE_AT_LEAST);
    }
}

/// Returns true if the provider is available. An error about this one request counts as available.
fn answers(answer: &Result<Reply, LlmError>) -> bool {
    answer.as_ref().err().is_none_or(|error| !error.says_unwell())
}

/// Returns a request without user data that offers `tools`.
pub fn greeting(tools: Arc<[ToolSpec]>) -> Request {
    Request {
        now: Timestamp::from(jiff::Timestamp::UNIX_EPOCH),
        zone: "UTC".into(),
        prompt: "Answer with the word ok.".into(),
        entries: vec![Entry::User { text: "hello".into() }],
        turn_start: 0,
        tools,
        pending: vec![],
        carries_out: false,
        barred: vec![],
        memories: vec![],
        stood_in: false,
    }
}

#[async_trait]
impl Llm for Fallback {
    fn engine(&self) -> Engine {
        self.model.engine()
    }

    fn model(&self) -> Option<&str> {
        self.model.model()
    }

    async fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        self.guarded(request, None).await
    }

    async fn stream(&self, request: &Request, told: &Told) -> Result<Reply, LlmError> {
        self.guarded(request, Some(told)).await
    }

    fn rests(&self) -> bool {
        self.breaker.is_open()
    }

    async fn try_out(&self, request: &Request) -> Result<Reply, LlmError> {
        let answer = self.model.complete(request).await;
        if answers(&answer) {
            self.breaker.succeeded();
        }
        answer
    }

    fn gave_nothing(&self) {
        if self.breaker.failed() {
            tracing::warn!(
                engine = self.model.engine().as_str(),
                "the engine failed too often; the rules stand in until it is back"
            );
            let opening = self.breaker.openings();
            let asks = (self.tools.clone(), self.patience);
            tokio::spawn(probe(self.model.clone(), asks, Arc::downgrade(&self.breaker), opening));
        }
    }

    async fn instead(&self, request: &Request) -> Option<Reply> {
        if !may_take_over(request) {
            return None;
        }
        let mut afresh = request.clone();
        afresh.entries.truncate(request.turn_start + 1);
        let reply = self.stand_in.complete(&afresh).await.ok()?;
        Some(Reply { stood_in: true, ..reply })
    }
}

/// Returns true if the turn has changed no task and involves no approval, so that the fallback may start it over.
fn may_take_over(request: &Request) -> bool {
    if request.carries_out {
        return false;
    }
    let mut own = request.entries.iter().skip(request.turn_start);
    own.all(|entry| match entry {
        Entry::Verdict { .. } => false,
        Entry::Calls { calls, results, .. } => calls.iter().zip(results).all(|(call, result)| match result.status {
            CallStatus::Ok => ToolName::parse(&call.tool).is_some_and(ToolName::reads),
            CallStatus::AwaitingApproval => false,
            _ => true,
        }),
        Entry::User { .. } | Entry::Assistant { .. } => true,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use serde_json::json;

    use super::*;
    use crate::domain::tool::{Call, CallResult};
    use crate::llm::Act;
    use crate::llm::rules::Rules;
    use crate::llm::scripted::Scripted;

    fn after(tool: &str, status: CallStatus) -> Request {
        let calls = vec![Call { tool: tool.into(), arguments: json!({}), provider_id: None }];
        let results = vec![CallResult { status, value: json!({ "tasks": [], "total": 0 }) }];
        let group = Entry::Calls { text: String::new(), calls, results, raw: None };
        Request { entries: vec![Entry::User { text: "add milk".into() }, group], ..greeting([].into()) }
    }

    #[tokio::test]
    async fn fallback_is_used_only_before_changes_or_approvals() {
        let engine = Fallback::new(Arc::new(Scripted::new(vec![])), Arc::new(Rules));
        for (tool, status, takes_over) in [
            ("list_tasks", CallStatus::Ok, true),
            ("complete_task", CallStatus::Error, true),
            ("add_task", CallStatus::Ok, false),
            ("delete_task", CallStatus::AwaitingApproval, false),
        ] {
            let reply = engine.instead(&after(tool, status)).await;
            assert_eq!(reply.is_some_and(|reply| reply.stood_in), takes_over, "{tool} {status:?}");
        }
        let gone = Request { carries_out: true, ..after("delete_task", CallStatus::Void) };
        assert_eq!(engine.instead(&gone).await, None, "what was approved came to nothing");
        let question = "Are you sure you want to delete task 3? (yes/no)".to_owned();
        let answered = Entry::Verdict { question, approved: true, reason: None };
        assert_eq!(engine.instead(&Request { entries: vec![answered], ..greeting([].into()) }).await, None);
    }

    /// An engine that fails with `how` until `well` is set.
    struct Failing {
        how: LlmError,
        well: AtomicBool,
    }

    fn failing(how: LlmError) -> Arc<Failing> {
        Arc::new(Failing { how, well: AtomicBool::new(false) })
    }

    #[async_trait]
    impl Llm for Failing {
        fn engine(&self) -> Engine {
            Engine::Compatible
        }

        fn model(&self) -> Option<&str> {
            None
        }

        async fn complete(&self, _request: &Request) -> Result<Reply, LlmError> {
            if self.well.load(Ordering::SeqCst) {
                return Ok(Reply::plain(Act::Say { text: "Hello.".into() }, ""));
            }
            Err(self.how.clone())
        }
    }

    #[tokio::test]
    async fn circuit_opens_after_three_failed_requests_except_for_fallback_turns() {
        let away = LlmError::Unavailable(String::new());
        let engine = Fallback::new(failing(away.clone()), Arc::new(Rules));
        for _ in 0..3 {
            // Retries of one request do not count by themselves.
            for _ in 0..3 {
                assert_eq!(engine.complete(&greeting([].into())).await.as_ref(), Err(&away));
            }
            engine.gave_nothing();
        }
        assert_eq!(engine.complete(&greeting([].into())).await, Err(LlmError::Resting));
        let begun = Request { stood_in: true, ..greeting([].into()) };
        assert!(engine.complete(&begun).await.is_ok_and(|reply| reply.stood_in));
    }

    #[tokio::test]
    async fn request_specific_error_does_not_reset_the_failure_count() {
        let engine = Fallback::new(failing(LlmError::Unfit(String::new())), Arc::new(Rules));
        for counted in [false, false, true] {
            assert_ne!(engine.complete(&greeting([].into())).await, Err(LlmError::Resting));
            engine.gave_nothing();
            assert_eq!(engine.breaker.is_open(), counted);
        }
    }

    #[tokio::test]
    async fn model_test_bypasses_the_circuit_breaker_and_closes_it() {
        let away = LlmError::Unavailable(String::new());
        let model = failing(away.clone());
        let engine = Fallback::new(model.clone(), Arc::new(Rules));
        (0..3).for_each(|_| engine.gave_nothing());
        assert_eq!(engine.complete(&greeting([].into())).await, Err(LlmError::Resting));
        assert_eq!(engine.try_out(&greeting([].into())).await, Err(away), "not that it rests");
        assert!(engine.rests());
        model.well.store(true, Ordering::SeqCst);
        assert!(engine.try_out(&greeting([].into())).await.is_ok_and(|reply| !reply.stood_in));
        assert!(engine.complete(&greeting([].into())).await.is_ok());
    }
}
