//! What time it is for people: real, or set by hand in tests and evaluations. Leases use the database's own clock instead.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::domain::time::Timestamp;

/// The source of now. Cheap to clone; clones of a set clock move together.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    #[default]
    Real,
    Set(Arc<Mutex<Timestamp>>),
    /// Runs from a given time, which it showed at the instant.
    Begun(Arc<(Timestamp, Instant)>),
}

impl Clock {
    /// A clock that stands at `now` until it is moved.
    pub fn set(now: Timestamp) -> Self {
        Self::Set(Arc::new(Mutex::new(now)))
    }

    /// A clock that shows `now` and runs on from there.
    pub fn begun(now: Timestamp) -> Self {
        Self::Begun(Arc::new((now, Instant::now())))
    }

    /// This instant, to the millisecond.
    pub fn now(&self) -> Timestamp {
        match self {
            Self::Real => jiff::Timestamp::now().into(),
            Self::Set(now) => now.lock().expect("a clock is never poisoned").clone(),
            Self::Begun(begun) => {
                let (then, instant) = begun.as_ref();
                then.plus_ms(i64::try_from(instant.elapsed().as_millis()).unwrap_or(i64::MAX))
            }
        }
    }

    /// Moves a set clock forward; the real one does not obey.
    pub fn advance(&self, seconds: i64) {
        if let Self::Set(now) = self {
            let mut now = now.lock().expect("a clock is never poisoned");
            *now = now.plus_seconds(seconds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_begun_clock_runs_on_from_its_time() {
        let then = Timestamp::parse("2020-02-29T12:00:00Z").unwrap();
        let clock = Clock::begun(then.clone());
        let first = clock.now();
        assert!(first.ms_since(&then) >= 0);
        assert!(first.as_str().starts_with("2020-02-29T12:"), "{first}");
        // It runs, and a clone shows the same time.
        while clock.clone().now() <= first {}
    }
}
