//! Time limits for clients, and the timer that measures them.

use std::sync::Arc;
use std::time::Duration;

use hyper::rt::Timer;
use hyper_util::rt::TokioTimer;

/// A timer shared by connections; tests replace it with one that they advance.
pub type SharedTimer = Arc<dyn Timer + Send + Sync>;

/// Maximum time of a connection in each state.
#[derive(Clone)]
pub struct Timeouts {
    /// From the first byte of a request, or the start of the connection, to the end of the headers.
    pub headers: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// While a response is pending and the client accepts no byte of it.
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

/// Minimum rate of a request's body.
#[derive(Debug, Clone, Copy)]
pub struct BodyRate {
    /// Bytes required in every `window`, unless the body ends in it.
    pub bytes: usize,
    pub window: Duration,
    /// From the end of the headers to the end of the body.
    pub whole: Duration,
}

impl BodyRate {
    /// 256 KB take 256 s at 1 KB/s.
    pub const FORM: Self = Self::within(Duration::from_secs(5 * 60));
    /// 4 MB take 15 minutes at 37 kbit/s.
    pub const FILE: Self = Self::within(Duration::from_secs(15 * 60));

    const fn within(whole: Duration) -> Self {
        Self { bytes: 30 * 1024, window: Duration::from_secs(30), whole }
    }
}

#[cfg(test)]
pub mod testing;
