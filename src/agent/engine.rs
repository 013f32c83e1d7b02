//! Calls of engines, and queries over a turn's recorded replies.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::approval::ApprovalCall;
use crate::domain::decision::Outcome;
use crate::domain::tool::{Call, ToolSpec};
use crate::domain::trace::Traceparent;
use crate::llm::{self, Act, Llm, LlmError, Reply, Request};

use super::machine::{Origin, Step};

pub type Question = Request;
/// An engine's reply or error.
pub type Answer = Result<Reply, LlmError>;

pub type Told = llm::Told;
/// A streamed event.
pub type Piece = llm::Piece;
/// Token usage.
pub type Usage = llm::Usage;

/// Shortest timeout after which a provider counts as failed.
const FAIR: Duration = Duration::from_secs(10);

/// Asks for the next action, for at most `time_out` and the time `left` of the turn. If too little time was left, the
/// timeout is no failure of the engine ([`LlmError::Late`]). `trace` becomes the parent span at the provider.
pub async fn ask(
    engine: &dyn Llm,
    question: &Question,
    told: &Told,
    (time_out, left): (Duration, Duration),
    trace: Option<Traceparent>,
) -> Answer {
    let fair = is_fair(time_out, left);
    let time_out = time_out.min(left);
    match tokio::time::timeout(time_out, llm::under(trace, engine.stream(question, told))).await {
        Ok(answer) => answer,
        Err(_) => {
            let why = format!("no reply in {} ms", time_out.as_millis());
            Err(if fair { LlmError::Unavailable(why) } else { LlmError::Late(why) })
        }
    }
}

/// Returns true if `left` is enough for a timeout to count as the engine's failure.
fn is_fair(time_out: Duration, left: Duration) -> bool {
    left >= time_out.min(FAIR)
}

/// Tests the engine with a greeting that offers `tools`, ignoring the circuit breaker. Returns the error for a person,
/// and the token usage if known.
pub async fn greet(
    engine: &dyn Llm,
    tools: Arc<[ToolSpec]>,
    time_out: Duration,
) -> (Result<(), String>, Option<Usage>) {
    let answer = tokio::time::timeout(time_out, engine.try_out(&llm::fallback::greeting(tools))).await;
    match answer {
        Ok(Ok(reply)) => (Ok(()), reply.usage),
        Ok(Err(error)) => (Err(error.why()), error.took()),
        Err(_) => (Err(format!("no reply in {} s", time_out.as_secs())), None),
    }
}

/// Returns the minimum delay before a retry; `None` if a retry cannot help.
pub fn may_pass(answer: &Answer) -> Option<Duration> {
    match answer {
        Err(LlmError::Unavailable(_) | LlmError::Late(_) | LlmError::Empty(_)) => Some(Duration::ZERO),
        Err(LlmError::Busy { after, .. }) => Some(*after),
        Err(LlmError::Refused(_) | LlmError::Unfit(_) | LlmError::Resting) | Ok(_) => None,
    }
}

/// Returns a metrics label for the answer.
pub fn result(answer: &Answer) -> &'static str {
    match answer {
        Ok(reply) if reply.stood_in => "stood_in",
        Ok(_) => "ok",
        Err(LlmError::Unavailable(_) | LlmError::Late(_)) => "unavailable",
        Err(LlmError::Busy { .. }) => "busy",
        Err(LlmError::Refused(_)) => "refused",
        Err(LlmError::Unfit(_)) => "unfit",
        Err(LlmError::Empty(_)) => "empty",
        Err(LlmError::Resting) => "resting",
    }
}

/// Returns the token usage, if known.
pub fn took(answer: &Answer) -> Option<Usage> {
    match answer {
        Ok(reply) => reply.usage,
        Err(error) => error.took(),
    }
}

/// Returns true if the reply is exactly the text that was streamed, so that the person has seen all of it.
pub fn speaks(reply: &Reply, told: &str) -> bool {
    matches!(&reply.act, Act::Say { text } if text == told.trim()) && !reply.stood_in
}

/// Returns true if a model has acted in this turn. Only models keep their raw replies.
pub fn begun(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.origin == Origin::Engine && step.reply.raw.is_some()) && !stood_in(steps)
}

/// Returns true if the fallback has taken over the turn.
pub fn stood_in(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.reply.stood_in)
}

pub fn stored_calls(calls: &[ApprovalCall]) -> Reply {
    let calls = calls.iter().map(|call| Call {
        tool: call.tool.to_string(),
        arguments: call.arguments.clone(),
        provider_id: None,
    });
    Reply::plain(Act::Calls { text: String::new(), calls: calls.collect() }, "approved")
}

/// Returns the partial text of a stopped reply.
pub fn broken_off(text: String) -> Reply {
    Reply::plain(Act::Say { text }, "stopped")
}

/// Returns the text of a reply, if it is one.
pub fn said(step: &Step) -> Option<&str> {
    match &step.reply.act {
        Act::Say { text } => Some(text.trim_end()),
        Act::Calls { .. } | Act::Ask { .. } | Act::AskAgain { .. } | Act::Refuse { .. } => None,
    }
}

/// Returns the sum of all token usage; `None` if no provider reported any.
pub fn usage(steps: &[Step]) -> Option<Usage> {
    steps.iter().filter_map(|step| step.reply.usage).reduce(Usage::plus)
}

/// Returns a short description of what was understood: the engine's, or else of the code's decision.
pub fn intent(steps: &[Step], outcome: Outcome) -> String {
    let engine = steps.iter().find(|step| step.origin == Origin::Engine).map(|step| step.reply.intent.clone());
    engine.or_else(|| steps.first().map(|step| step.reply.intent.clone())).unwrap_or_else(|| {
        match outcome {
            Outcome::UserRejected => "reject approval",
            Outcome::ApprovalExpired => "approval expired",
            _ => "none",
        }
        .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engine_timeout_is_fair_only_with_enough_time_left() {
        let s = Duration::from_secs;
        for (time_out, left, fair) in [(20, 45, true), (20, 10, true), (20, 9, false), (60, 45, true), (1, 1, true)] {
            assert_eq!(is_fair(s(time_out), s(left)), fair, "{time_out} {left}");
        }
    }
}
