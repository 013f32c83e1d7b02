//! Retries of calls, the only retry layer. Only calls without effect are repeated: model calls, and tool calls whose id makes a
//! repeat visible.

use std::time::{Duration, Instant};

use crate::agent::context::EngineRef;
use crate::agent::engine::{self, Answer, Piece, Question, Told};
use crate::agent::toolbox::{self, Place, Toolbox};
use crate::config::TurnLimits;
use crate::domain::tool::{Call, CallResult};
use crate::memory::embed::{self, Embedded, Embedder};

use super::turn_telemetry::TurnTelemetry;

/// Maximum number of attempts of a tool call or an embedding call.
const TRIES: u32 = 3;
/// Timeout of one attempt of a tool call.
const CALL: Duration = Duration::from_secs(20);
/// Initial backoff of a tool call, doubled for each attempt.
const CALL_PAUSE: Duration = Duration::from_millis(50);
/// Initial backoff of a model call.
const MODEL_PAUSE: Duration = Duration::from_millis(400);
/// Timeout of one background attempt of an embedder, and the initial backoff. All attempts and pauses fit in the job's lease of a minute.
const EMBEDDING: Duration = Duration::from_secs(15);
const EMBEDDING_PAUSE: Duration = Duration::from_millis(200);
/// Longest `retry_after` of a provider that is awaited.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Total time of a turn's model calls, including backoff.
const MODEL_TIME: Duration = Duration::from_secs(45);

/// Retry policy and remaining time of a turn's model calls.
#[derive(Debug, Clone)]
pub struct RetryPolicy {
    /// Maximum number of attempts per call.
    pub tries: u32,
    /// Timeout of one attempt.
    pub time_out: Duration,
    pub pause: Duration,
    /// Remaining time of the turn.
    pub left: Duration,
    pub watch: TurnTelemetry,
}

impl RetryPolicy {
    pub fn of(limits: &TurnLimits, watch: TurnTelemetry) -> Self {
        let time_out = Duration::from_millis(limits.llm_timeout_ms);
        Self { tries: limits.llm_retries + 1, time_out, pause: MODEL_PAUSE, left: MODEL_TIME, watch }
    }

    /// Asks the engine for the next step and retries transient errors while time is left. If that fails, retracts the streamed text and
    /// asks the fallback.
    pub async fn ask(&mut self, engine: EngineRef<'_>, question: &Question, told: &Told) -> Answer {
        let answer = self.insist(engine, question, told).await;
        let Err(error) = &answer else { return answer };
        tracing::warn!(%error, "the engine gave no reply");
        engine.instead(question).await.map_or(answer, Ok)
    }

    /// Asks the engine with retries, but without the fallback.
    pub async fn insist(&mut self, engine: EngineRef<'_>, question: &Question, told: &Told) -> Answer {
        let mut unwell = false;
        let answer = self.tries(engine, question, told, &mut unwell).await;
        // Counted once per question: the attempts of one question are not independent failures.
        if unwell && answer.is_err() {
            engine.gave_nothing();
        }
        answer
    }

    /// Asks until the engine answers or must not be asked again. Sets `unwell` if an error suggests that the engine is unhealthy.
    async fn tries(&mut self, engine: EngineRef<'_>, question: &Question, told: &Told, unwell: &mut bool) -> Answer {
        let mut tries = 1;
        loop {
            let begun = Instant::now();
            let call = self.watch.model_call(engine);
            let answer = engine::ask(engine, question, told, (self.time_out, self.left), call.place()).await;
            call.answered(&answer, begun.elapsed());
            self.left = self.left.saturating_sub(begun.elapsed());
            if let Err(error) = &answer {
                *unwell |= error.says_unwell();
                told.send(Piece::Reset(error.took())).ok();
            }
            let Some(least) = engine::may_pass(&answer) else { return answer };
            let wait = pause(self.pause, tries, rand::random()).max(least);
            if tries >= self.tries || wait >= self.left || wait > LONGEST_PAUSE {
                return answer;
            }
            tracing::warn!(tries, "a model call failed");
            tokio::time::sleep(wait).await;
            self.left = self.left.saturating_sub(wait);
            tries += 1;
        }
    }
}

/// Calls a tool. An unanswered call is repeated with the same id, which runs it at most once.
pub async fn call(toolbox: &Toolbox, call: &Call, place: Place) -> Result<CallResult, toolbox::Error> {
    let mut tries = 1;
    loop {
        let answer = tokio::time::timeout(CALL, toolbox.call(call, place)).await;
        let error = match answer {
            Ok(Err(toolbox::Error::Unanswered(why))) => toolbox::Error::Unanswered(why),
            Ok(done) => return done,
            Err(_) => toolbox::Error::Unanswered(format!("no answer in {} s", CALL.as_secs())),
        };
        if tries >= TRIES {
            return Err(error);
        }
        tracing::warn!(%error, tries, "a tool call got no answer");
        tokio::time::sleep(pause(CALL_PAUSE, tries, rand::random())).await;
        tries += 1;
    }
}

/// Embeds texts in the background, with retries of transient errors.
pub async fn embed(embedder: &dyn Embedder, texts: &[&str]) -> Embedded {
    let mut tries = 1;
    loop {
        let answer = embed::within(EMBEDDING, embedder, texts).await;
        let Some(least) = embed::may_pass(&answer) else { return answer };
        let wait = pause(EMBEDDING_PAUSE, tries, rand::random()).max(least);
        if tries >= TRIES || wait > LONGEST_PAUSE {
            return answer;
        }
        tracing::warn!(tries, "an embedder failed");
        tokio::time::sleep(wait).await;
        tries += 1;
    }
}

/// Returns the backoff after attempt number `tries`: doubled each time, with jitter from 0.5 to 1.5 by `chance` (0 to 1).
pub fn pause(first: Duration, tries: u32, chance: f64) -> Duration {
    first.mul_f64(f64::from(1_u32 << (tries - 1).min(10)) * (0.5 + chance))
}
