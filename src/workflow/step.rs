//! Calls that may be tried again, and how often: the one retry layer. Only what provably had no effect is repeated:
//! a model call, and a tool call whose place in the turn makes a repeat visible.

use std::time::Duration;

use crate::agent::toolbox::{self, Place, Toolbox};
use crate::domain::tool::{Call, CallResult};

/// Tries of one tool call.
const TRIES: u32 = 3;
/// Before the second try, in milliseconds; twice as long before each further one.
const BACKOFF_MS: u64 = 50;

/// Calls a tool; a call that got no answer is repeated under the same place, which runs it at most once.
pub async fn call(toolbox: &Toolbox, call: &Call, place: Place) -> Result<CallResult, toolbox::Error> {
    let mut tries = 1;
    loop {
        match toolbox.call(call, place).await {
            Err(error) if tries < TRIES => {
                tracing::warn!(%error, tries, "a tool call got no answer");
                tokio::time::sleep(Duration::from_millis(BACKOFF_MS << (tries - 1))).await;
                tries += 1;
            }
            done => return done,
        }
    }
}
