//! Time windows: the one rule for comparing stored times with the present time.
//!
//! Clocks can be set back. A stored time from the future predates that and counts as the present time. So no wait exceeds its
//! window, and nothing outlives it.

use super::time::Timestamp;

/// Maximum clock difference between two processes, in milliseconds. A stored time that is ahead by less is not from the future.
pub const AHEAD_MS: i64 = 1_000;

/// A duration for which something counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    ms: i64,
}

/// A period: later than `after`, and not later than `until`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub after: Timestamp,
    pub until: Timestamp,
}

impl Window {
    /// Creates a window of that many milliseconds.
    pub const fn ms(ms: i64) -> Self {
        Self { ms }
    }

    /// Creates a window of that many seconds.
    pub const fn seconds(seconds: i64) -> Self {
        Self { ms: seconds.saturating_mul(1_000) }
    }

    /// Returns the period that counts at `now`. Excludes times from the future, which would count for as long as the clock was
    /// set back.
    pub fn before(self, now: &Timestamp) -> Span {
        Span { after: now.plus_ms(-self.ms), until: now.plus_ms(AHEAD_MS) }
    }

    /// Returns true if `at` is within the window that ends at `now`.
    pub fn holds(self, at: &Timestamp, now: &Timestamp) -> bool {
        let age_ms = now.ms_since(at);
        (-AHEAD_MS..self.ms).contains(&age_ms)
    }

    /// Returns the milliseconds until an event at `at` leaves the window, at most the whole window.
    pub fn left_ms(self, at: &Timestamp, now: &Timestamp) -> i64 {
        (self.ms - now.ms_since(at)).clamp(0, self.ms)
    }

    /// Returns true if `until` is beyond the window that begins at `now`, so a clock set back is the cause.
    pub fn is_exceeded(self, until: &Timestamp, now: &Timestamp) -> bool {
        until.ms_since(now) > self.ms.saturating_add(AHEAD_MS)
    }

    /// Returns the end of a wait, or `now` if it is beyond the window because the clock was set back.
    pub fn end_or_now(self, until: Timestamp, now: &Timestamp) -> Timestamp {
        if self.is_exceeded(&until, now) { now.clone() } else { until.max(now.clone()) }
    }

    /// Returns the end of the window that begins at `now`.
    pub fn end(self, now: &Timestamp) -> Timestamp {
        now.plus_ms(self.ms)
    }
}

/// Returns true if `at` was written before the clock was set back to `now`.
pub fn is_from_future(at: &Timestamp, now: &Timestamp) -> bool {
    at.ms_since(now) > AHEAD_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Window = Window::seconds(60);

    fn now() -> Timestamp {
        Timestamp::parse("2026-03-11T09:30:00Z").unwrap()
    }

    #[test]
    fn window_holds_its_length_and_nothing_from_the_future() {
        let held = |ms: i64| MINUTE.holds(&now().plus_ms(ms), &now());
        assert_eq!([-60_000, -59_999, 0, 1_000, 1_001, 86_400_000].map(held), [false, true, true, true, false, false]);
        let span = MINUTE.before(&now());
        assert_eq!((span.after, span.until), (now().plus_seconds(-60), now().plus_seconds(1)));
    }

    #[test]
    fn wait_is_never_longer_than_its_window() {
        let left = |ms: i64| MINUTE.left_ms(&now().plus_ms(ms), &now());
        assert_eq!([-90_000, -59_000, 0, 500, 86_400_000].map(left), [0, 1_000, 60_000, 60_000, 60_000]);
    }

    #[test]
    fn end_beyond_the_window_counts_as_now() {
        let end = |seconds: i64| MINUTE.end_or_now(now().plus_seconds(seconds), &now()).ms_since(&now()) / 1_000;
        assert_eq!([-86_400, 0, 30, 61, 62, 86_400].map(end), [0, 0, 30, 61, 0, 0]);
    }
}
