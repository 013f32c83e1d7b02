//! Asking an engine, and reading what its recorded replies say about a turn.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::approval::ApprovalCall;
use crate::domain::decision::Outcome;
use crate::domain::tool::{Call, ToolSpec};
use crate::domain::trace::Traceparent;
use crate::llm::{self, Act, Llm, LlmError, Reply, Request};

use super::machine::{Origin, Step};

/// What an engine is asked.
pub type Question = Request;
/// What comes of asking it.
pub type Answer = Result<Reply, LlmError>;

/// Where its words go while it speaks.
pub type Told = llm::Told;
/// What is told while it speaks.
pub type Piece = llm::Piece;
/// Tokens.
pub type Usage = llm::Usage;

/// So much time is enough for a provider to be judged by.
const FAIR: Duration = Duration::from_secs(10);

/// Asks for the next act and waits for `time_out`, or for what is `left` to the turn; a time that was too short for it is not
/// the engine's failure ([`LlmError::Late`]).
/// `trace` is the span of the call, of which a provider is told.
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

/// Whether an engine that may take so long, of which so much is left, has time enough to be judged by.
fn is_fair(time_out: Duration, left: Duration) -> bool {
    left >= time_out.min(FAIR)
}

/// Asks for a greeting, about nobody and with the tools that turns offer, also where the engine rests: whether it answers, and if not, why, for a person; and what that
/// took, where it is known.
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

/// How long to wait at least before asking again, if that may come to something better.
pub fn may_pass(answer: &Answer) -> Option<Duration> {
    match answer {
        Err(LlmError::Unavailable(_) | LlmError::Late(_) | LlmError::Empty(_)) => Some(Duration::ZERO),
        Err(LlmError::Busy { after, .. }) => Some(*after),
        Err(LlmError::Refused(_) | LlmError::Unfit(_) | LlmError::Resting) | Ok(_) => None,
    }
}

/// What came of asking, in a word.
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

/// What it took, where that is known.
pub fn took(answer: &Answer) -> Option<Usage> {
    match answer {
        Ok(reply) => reply.usage,
        Err(error) => error.took(),
    }
}

/// Whether the reply is what was told of it while it came, and that is what the person is to read.
pub fn speaks(reply: &Reply, told: &str) -> bool {
    matches!(&reply.act, Act::Say { text } if text == told.trim()) && !reply.stood_in
}

/// Whether a model has begun to act in this turn: its replies are kept as they came, and nobody else's are.
pub fn begun(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.origin == Origin::Engine && step.reply.raw.is_some()) && !stood_in(steps)
}

/// Whether another engine has taken the turn over from one that failed.
pub fn stood_in(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.reply.stood_in)
}

/// The stored calls of an approval, in the form of a reply.
pub fn stored_calls(calls: &[ApprovalCall]) -> Reply {
    let calls = calls.iter().map(|call| Call {
        tool: call.tool.to_string(),
        arguments: call.arguments.clone(),
        provider_id: None,
    });
    Reply::plain(Act::Calls { text: String::new(), calls: calls.collect() }, "approved")
}

/// As much of a reply as was said when it was stopped.
pub fn broken_off(text: String) -> Reply {
    Reply::plain(Act::Say { text }, "stopped")
}

/// What a reply says that was stopped, where it had begun to.
pub fn said(step: &Step) -> Option<&str> {
    match &step.reply.act {
        Act::Say { text } => Some(text.trim_end()),
        Act::Calls { .. } | Act::Ask { .. } | Act::AskAgain { .. } | Act::Refuse { .. } => None,
    }
}

/// Tokens of all replies together; `None` where no provider gave any.
pub fn usage(steps: &[Step]) -> Option<Usage> {
    steps.iter().filter_map(|step| step.reply.usage).reduce(Usage::plus)
}

/// What was understood, in a few words: the engine's own, or what code decided.
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
    fn an_engine_is_judged_by_its_own_time_and_not_by_what_the_turn_has_left_of_it() {
        let s = Duration::from_secs;
        for (time_out, left, fair) in [(20, 45, true), (20, 10, true), (20, 9, false), (60, 45, true), (1, 1, true)] {
            assert_eq!(is_fair(s(time_out), s(left)), fair, "{time_out} {left}");
        }
    }
}
