//! Calls that may be tried again, how often and for how long: the one retry layer. Only what provably had no effect is
//! repeated: a model call, and a tool call whose place in the turn makes a repeat visible.

use std::time::{Duration, Instant};

use crate::agent::context::EngineRef;
use crate::agent::engine::{self, Answer, Piece, Question, Told};
use crate::agent::toolbox::{self, Place, Toolbox};
use crate::config::TurnLimits;
use crate::domain::tool::{Call, CallResult};
use crate::memory::embed::{self, Embedded, Embedder};

use super::watch::Watch;

/// Tries of one tool call, or of one call of an embedder.
const TRIES: u32 = 3;
/// How long one try of a tool call may take.
const CALL: Duration = Duration::from_secs(20);
/// Before the second try of a tool call; about twice as long before each further one.
const CALL_PAUSE: Duration = Duration::from_millis(50);
/// Before the second try of a model call.
const MODEL_PAUSE: Duration = Duration::from_millis(400);
/// How long one try of an embedder may take where nobody waits for it, and before the second. All tries with their pauses stay
/// within the minute for which the job is held that they are a part of.
const EMBEDDING: Duration = Duration::from_secs(15);
const EMBEDDING_PAUSE: Duration = Duration::from_millis(200);
/// A provider that wants to be left alone for longer is not waited for.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How much time a turn has for its model calls, pauses included.
const MODEL_TIME: Duration = Duration::from_secs(45);

/// What a turn spends on model calls.
#[derive(Debug, Clone)]
pub struct Patience {
    /// Tries of one call.
    pub tries: u32,
    /// How long one try may take.
    pub time_out: Duration,
    pub pause: Duration,
    /// What is left for the turn.
    pub left: Duration,
    /// Who counts the calls.
    pub watch: Watch,
}

impl Patience {
    /// As configured.
    pub fn of(limits: &TurnLimits, watch: Watch) -> Self {
        let time_out = Duration::from_millis(limits.llm_timeout_ms);
        Self { tries: limits.llm_retries + 1, time_out, pause: MODEL_PAUSE, left: MODEL_TIME, watch }
    }

    /// Asks for the next act; what failed and may pass is tried again while there is time. What an engine in vain has said is
    /// taken back, and whoever may stand in for it answers.
    pub async fn ask(&mut self, engine: EngineRef<'_>, question: &Question, told: &Told) -> Answer {
        let answer = self.insist(engine, question, told).await;
        let Err(error) = &answer else { return answer };
        tracing::warn!(%error, "the engine gave no reply");
        engine.instead(question).await.map_or(answer, Ok)
    }

    /// The same, where nobody may stand in.
    pub async fn insist(&mut self, engine: EngineRef<'_>, question: &Question, told: &Told) -> Answer {
        let mut unwell = false;
        let answer = self.tries(engine, question, told, &mut unwell).await;
        // Once, however often it was tried: the tries of one question are no witnesses for each other.
        if unwell && answer.is_err() {
            engine.gave_nothing();
        }
        answer
    }

    /// Asks until it answers or may not be asked again; whether any answer said that it is unwell.
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

/// Calls a tool; a call that got no answer is repeated under the same place, which runs it at most once.
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

/// The texts' vectors, where nobody waits for them; what failed and may pass is tried again.
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

/// Before the try after number `tries`: twice as long each time, between half and one and a half of that by `chance` (0 to 1), so
/// that many who failed together do not come back together.
pub fn pause(first: Duration, tries: u32, chance: f64) -> Duration {
    first.mul_f64(f64::from(1_u32 << (tries - 1).min(10)) * (0.5 + chance))
}
