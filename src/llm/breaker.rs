//! Whether a provider is worth asking. Counters about the provider and nothing else: not what was asked, nor by whom.
//!
//! All users share it, so only what says that the provider is unwell counts: no connection, no answer in time, a status that
//! tells of a fault, of too many requests, of the key, the model or the account, an answer that breaks off or cannot be read.
//! What one request came to by itself does not, and neither does a Stop or a turn whose own time is up
//! ([`LlmError::says_unwell`](super::LlmError::says_unwell)). A question counts once, after its last try: otherwise a single turn
//! that is repeated twice, as it is by default, would take the model from everybody.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// After how many failures in a row it is not asked any more.
const FAILURES: u32 = 3;

/// Opens after a few failures in a row and closes with a success.
#[derive(Debug, Default)]
pub struct Breaker {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    open: bool,
    /// How often it has opened.
    openings: u32,
}

impl Breaker {
    /// Whether nobody is to be asked.
    pub fn is_open(&self) -> bool {
        self.state().open
    }

    /// It answered.
    pub fn succeeded(&self) {
        let mut state = self.state();
        (state.failures, state.open) = (0, false);
    }

    /// It failed, and not because of what it was asked; true if this was one too many just now.
    pub fn failed(&self) -> bool {
        let mut state = self.state();
        state.failures = state.failures.saturating_add(1);
        let opens = !state.open && state.failures >= FAILURES;
        state.open |= opens;
        state.openings = state.openings.wrapping_add(u32::from(opens));
        opens
    }

    /// How often it has opened: whoever looks after one opening leaves the next to others.
    pub fn openings(&self) -> u32 {
        self.state().openings
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Numbers are never half written.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_with_the_third_failure_in_a_row_and_closes_with_a_success() {
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
