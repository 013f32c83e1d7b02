//! Trying the engine, for who wants to know whether it works.

use std::time::{Duration, Instant};

use crate::agent::engine;
use crate::state::AppState;

/// How long one waits for it.
const PATIENCE: Duration = Duration::from_secs(15);

/// What came of asking the engine for a greeting, in words.
pub async fn run(state: &AppState) -> String {
    if state.config.endpoint().is_none() {
        return "The built-in rules answer; there is no model to test".to_owned();
    }
    let begun = Instant::now();
    match engine::greet(state.engine.as_ref(), PATIENCE).await {
        Ok(()) => format!("The model answered in {} ms", begun.elapsed().as_millis()),
        Err(why) => format!("The model does not answer: {why}"),
    }
}
