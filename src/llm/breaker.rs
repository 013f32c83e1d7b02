//! A circuit breaker for a provider. Keeps counters only: nothing of the requests or of the users who sent them.
//!
//! All users share one breaker, so only failures of the provider itself count: no connection, a timeout, an error status about
//! availability, rate limit, key, model or account, and a broken or unreadable answer. Failures caused by one request, a Stop
//! or a turn's own time limit do not count ([`LlmError::says_unwell`](super::LlmError::says_unwell)). A request counts once,
//! after its last retry. Otherwise a single turn with its default two retries could open the breaker for everyone.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Consecutive failures that open the breaker.
const FAILURES: u32 = 3;

/// A circuit breaker: opens after a few consecutive failures and closes with a success.
#[derive(Debug, Default)]
pub struct Breaker {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    open: bool,
    /// Number of times the breaker has opened, wrapping.
    openings: u32,
}

impl Breaker {
    /// Returns true if no requests should be sent.
    pub fn is_open(&self) -> bool {
        self.state().open
    }

    /// Records a success and closes the breaker.
    pub fn succeeded(&self) {
        let mut state = self.state();
        (state.failures, state.open) = (0, false);
    }

    /// Records a failure of the provider. Returns true if this failure opened the breaker.
    pub fn failed(&self) -> bool {
        let mut state = self.state();
        state.failures = state.failures.saturating_add(1);
        let opens = !state.open && state.failures >= FAILURES;
        state.open |= opens;
        state.openings = state.openings.wrapping_add(u32::from(opens));
        opens
    }

    /// Returns how often the breaker has opened. A probe uses it to stop when another opening has started its own probe.
    pub fn openings(&self) -> u32 {
        self.state().openings
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Poisoning is harmless: each update leaves the counters usable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaker_opens_after_three_consecutive_failures_until_a_success() {
        let breaker = Breaker::default();
        assert_eq!([breaker.failed(), breaker.failed()], [false, false]);
        breaker.succeeded();
        assert_eq!([breaker.failed(), breaker.failed(), breaker.is_open()], [false; 3]);
        assert!(breaker.failed() && breaker.is_open());
        assert!(!breaker.failed(), "it opens once");
        breaker.succeeded();
        assert!(!breaker.is_open());
    }
}
