//! Asking an engine, and reading what its recorded replies say about a turn.

use std::time::Duration;

use crate::domain::approval::ApprovalCall;
use crate::domain::decision::Outcome;
use crate::domain::tool::Call;
use crate::llm::{Act, Llm, LlmError, Reply, Request, Usage};

use super::machine::{Origin, Step};

/// What an engine is asked.
pub type Question = Request;
/// What comes of asking it.
pub type Answer = Result<Reply, LlmError>;

/// Asks for the next act and waits for `time_out`.
pub async fn ask(engine: &dyn Llm, question: &Question, time_out: Duration) -> Answer {
    let late = |_| Err(LlmError::Unavailable(format!("no reply in {} ms", time_out.as_millis())));
    tokio::time::timeout(time_out, engine.complete(question)).await.unwrap_or_else(late)
}

/// Whether asking again may come to something better.
pub fn may_pass(answer: &Answer) -> bool {
    matches!(answer, Err(LlmError::Unavailable(_)))
}

/// The stored calls of an approval, in the form of a reply.
pub fn stored_calls(calls: &[ApprovalCall]) -> Reply {
    let calls = calls.iter().map(|call| Call {
        tool: call.tool.to_string(),
        arguments: call.arguments.clone(),
        provider_id: None,
    });
    Reply {
        act: Act::Calls { text: String::new(), calls: calls.collect() },
        intent: "approved".into(),
        usage: None,
        raw: None,
    }
}

/// Tokens of all replies together; `None` where no provider counted any.
pub fn usage(steps: &[Step]) -> Option<Usage> {
    steps.iter().filter_map(|step| step.reply.usage).reduce(|sum, more| Usage {
        tokens_in: sum.tokens_in + more.tokens_in,
        tokens_out: sum.tokens_out + more.tokens_out,
    })
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
