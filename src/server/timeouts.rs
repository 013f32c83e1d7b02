//! Limits on the time that a client may take, and the timer that measures it.

use std::sync::Arc;
use std::time::Duration;

use hyper::rt::Timer;
use hyper_util::rt::TokioTimer;

/// A timer that connections share; tests replace it with one that they advance.
pub type SharedTimer = Arc<dyn Timer + Send + Sync>;

/// The time that a connection may spend in each state.
#[derive(Clone)]
pub struct Timeouts {
    /// From the first byte of a request, or from the connection's start, to the end of its headers.
    pub headers: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// While a response waits and the client takes no byte of it.
    pub write: Duration,
    pub timer: SharedTimer,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            headers: Duration::from_secs(10),
            idle: Duration::from_secs(75),
            write: Duration::from_secs(30),
            timer: Arc::new(TokioTimer::new()),
        }
    }
}

/// The least rate of a request's body.
#[derive(Debug, Clone, Copy)]
pub struct BodyRate {
    /// Bytes that have to arrive in every `window`, unless the body ends in it.
    pub bytes: usize,
    pub window: Duration,
    /// From the end of the headers to the end of the body.
    pub whole: Duration,
}

impl BodyRate {
    /// A form of 256 KB takes 256 s at 1 KB/s.
    pub const FORM: Self = Self::within(Duration::from_secs(5 * 60));
    /// A file of 4 MB takes 15 minutes at 37 kbit/s.
    pub const FILE: Self = Self::within(Duration::from_secs(15 * 60));

    const fn within(whole: Duration) -> Self {
        Self { bytes: 30 * 1024, window: Duration::from_secs(30), whole }
    }
}

/// A timer that tests advance.
#[cfg(test)]
pub mod testing;
