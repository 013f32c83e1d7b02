//! Test request to the configured model.

use std::time::{Duration, Instant};

use crate::agent::engine;
use crate::domain::user::Caller;
use crate::state::AppState;
use crate::usecases::{Error, spending};

use super::{commit_turn, rate_limit};

/// Minimum time-out; a longer one of turns applies.
const PATIENCE: Duration = Duration::from_secs(15);

/// Asks the model for a greeting and returns a sentence about the result. Skipped for users who opted out of the model or have used up
/// their daily tokens, to which the request counts.
///
/// # Errors
/// `RateLimited` after too many requests.
pub async fn run(state: &AppState, caller: &Caller) -> Result<String, Error> {
    if state.config.endpoint().is_none() {
        return Ok("No model is configured: the built-in rules answer".to_owned());
    }
    if !caller.user.uses_model {
        return Ok("You chose the built-in rules, so the model was not tested".to_owned());
    }
    if has_spent(state, caller).await? {
        return Ok("You have used up today’s AI quota, so the model was not tested".to_owned());
    }
    let mut tx = state.ctx.write().await?;
    rate_limit::of_trial(state, &mut tx, caller.id()).await?;
    state.ctx.commit(tx).await?;
    let patience = PATIENCE.max(Duration::from_millis(state.config.turn.llm_timeout_ms));
    let begun = Instant::now();
    let (answer, usage) = engine::greet(state.engine.as_ref(), state.tools().specs(), patience).await;
    let took = begun.elapsed().as_millis();
    if let Some(usage) = usage {
        let tokens = (usage.tokens_in, usage.tokens_out);
        if let Err(error) = spending::note(&state.ctx, caller.id(), tokens, commit_turn::cost(state, Some(usage))).await
        {
            tracing::warn!(%error, "the usage of a model test was not counted");
        }
    }
    Ok(match answer {
        Ok(()) => format!("The model answered in {took} ms"),
        Err(why) => format!("The model did not answer: {why}"),
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
