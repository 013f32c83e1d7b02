//! The current time: from the database's clock in a server, from a settable clock in tests and evaluations.
//!
//! PostgreSQL's clock decides for all processes that share the database, however their own clocks differ. With SQLite, the only
//! process's clock decides. Leases are compared by the database itself.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::domain::time::Timestamp;

/// The source of the current time. Cheap to clone; clones of a set clock move together.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    #[default]
    Real,
    Set(Arc<Mutex<Timestamp>>),
    /// Runs on from a given time, which was current at the instant.
    Begun(Arc<(Timestamp, Instant)>),
    /// Follows the database server's clock: its last reported time, and the instant of that answer.
    Database(Arc<Mutex<(Timestamp, Instant)>>),
}

/// Largest deviation from the database's clock that is not corrected, in milliseconds. Corrections of jitter would let time run
/// backwards.
const JITTER_MS: i64 = 250;

impl Clock {
    /// Creates a clock that stays at `now` until it is advanced.
    pub fn set(now: Timestamp) -> Self {
        Self::Set(Arc::new(Mutex::new(now)))
    }

    /// Creates a clock that shows `now` and runs on from there.
    pub fn begun(now: Timestamp) -> Self {
        Self::Begun(Arc::new((now, Instant::now())))
    }

    /// Creates a clock that follows the database's, which has just reported `now`.
    pub fn database(now: Timestamp) -> Self {
        Self::Database(Arc::new(Mutex::new((now, Instant::now()))))
    }

    /// Returns true if the clock follows the database's and needs its time.
    pub fn follows_database(&self) -> bool {
        matches!(self, Self::Database(_))
    }

    /// Corrects a clock that follows the database's: the database reported `now` on a request made at `asked`. Ignored by other
    /// clocks, and for deviations that the request's duration explains.
    pub fn hear(&self, now: &Timestamp, asked: Instant) {
        let waited_ms = i64::try_from(asked.elapsed().as_millis()).unwrap_or(i64::MAX);
        if let Self::Database(heard) = self
            && now.ms_since(&self.now()).abs() > JITTER_MS.saturating_add(waited_ms)
        {
            *heard.lock().expect("a clock is never poisoned") = (now.clone(), Instant::now());
        }
    }

    /// Returns the current time, to the millisecond.
    pub fn now(&self) -> Timestamp {
        match self {
            Self::Real => jiff::Timestamp::now().into(),
            Self::Set(now) => now.lock().expect("a clock is never poisoned").clone(),
            Self::Begun(begun) => run_on(begun),
            Self::Database(heard) => run_on(&heard.lock().expect("a clock is never poisoned")),
        }
    }

    /// Moves a set clock forward, or back by negative seconds; other clocks ignore it.
    pub fn advance(&self, seconds: i64) {
        if let Self::Set(now) = self {
            let mut now = now.lock().expect("a clock is never poisoned");
            *now = now.plus_seconds(seconds);
        }
    }
}

/// Returns the time of a clock that showed `then` at `instant`.
fn run_on((then, instant): &(Timestamp, Instant)) -> Timestamp {
    then.plus_ms(i64::try_from(instant.elapsed().as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn database_clock_follows_steps_and_ignores_jitter() {
        let then = Timestamp::parse("2020-02-29T12:00:00Z").unwrap();
        let clock = Clock::database(then.clone());
        let first = clock.now();
        clock.hear(&first.plus_ms(-100), Instant::now());
        assert!(clock.now() >= first, "time does not run backwards");
        let day_back = then.plus_seconds(-86_400);
        clock.clone().hear(&day_back, Instant::now());
        assert!(clock.now().as_str().starts_with("2020-02-28T12:"), "{}", clock.now());
        clock.hear(&then.plus_seconds(86_400), Instant::now());
        assert!(clock.now().as_str().starts_with("2020-03-01T12:"), "{}", clock.now());
        let set = Clock::set(then.clone());
        set.hear(&day_back, Instant::now());
        assert_eq!(set.now(), then, "a set clock hears nothing");
    }

    #[test]
    fn a_begun_clock_runs_on_from_its_time() {
        let then = Timestamp::parse("2020-02-29T12:00:00Z").unwrap();
        let clock = Clock::begun(then.clone());
        let first = clock.now();
        assert!(first.ms_since(&then) >= 0);
        assert!(first.as_str().starts_with("2020-02-29T12:"), "{first}");
        // The clock runs, and its clone shows the same time.
        while clock.clone().now() <= first {}
    }
}
