//! Trying the engine, for who wants to know whether it works.

use std::time::{Duration, Instant};

use crate::agent::engine;
use crate::domain::user::Caller;
use crate::state::AppState;
use crate::usecases::{Error, spending};

use super::{finish, pace};

/// How long one waits for it at least; else as long as a turn does.
const PATIENCE: Duration = Duration::from_secs(15);

/// What came of asking the engine for a greeting, in words. Somebody pays for it: so nobody is asked for who would rather not be
/// answered by a model, or whose share of the day is used up, to which it counts, and nobody asks it often.
///
/// # Errors
/// `RateLimited` for who has just tried it some times.
pub async fn run(state: &AppState, caller: &Caller) -> Result<String, Error> {
    if state.config.endpoint().is_none() {
        return Ok("The built-in rules answer; there is no model to test".to_owned());
    }
    if !caller.user.uses_model {
        return Ok("The built-in rules answer you, as you have chosen, so the model was not asked".to_owned());
    }
    if has_spent(state, caller).await? {
        return Ok("Your share of the AI for today is used up, so the model was not asked".to_owned());
    }
    let mut tx = state.ctx.write().await?;
    pace::of_trial(state, &mut tx, caller.id()).await?;
    state.ctx.commit(tx).await?;
    let patience = PATIENCE.max(Duration::from_millis(state.config.turn.llm_timeout_ms));
    let begun = Instant::now();
    let (answer, usage) = engine::greet(state.engine.as_ref(), state.tools().specs(), patience).await;
    let took = begun.elapsed().as_millis();
    if let Some(usage) = usage {
        let tokens = (usage.tokens_in, usage.tokens_out);
        if let Err(error) = spending::note(&state.ctx, caller.id(), tokens, finish::cost(state, Some(usage))).await {
            tracing::warn!(%error, "what trying the model took was not counted");
        }
    }
    Ok(match answer {
        Ok(()) => format!("The model answered in {took} ms"),
        Err(why) => format!("The model does not answer: {why}"),
    })
}

async fn has_spent(state: &AppState, caller: &Caller) -> Result<bool, Error> {
    let share = i64::try_from(state.config.turn.daily_tokens).unwrap_or(i64::MAX);
    if share == 0 {
        return Ok(false);
    }
    let mut tx = state.ctx.read().await?;
    spending::used_up(&mut tx, &caller.user, share, 0, &state.ctx.now()).await
}
