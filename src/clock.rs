//! What time it is for people: real, or set by hand in tests and evaluations. Leases use the database's own clock instead.

use std::sync::{Arc, Mutex};

use crate::domain::time::Timestamp;

/// The source of now. Cheap to clone; clones of a set clock move together.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    #[default]
    Real,
    Set(Arc<Mutex<Timestamp>>),
}

impl Clock {
    /// A clock that stands at `now` until it is moved.
    pub fn set(now: Timestamp) -> Self {
        Self::Set(Arc::new(Mutex::new(now)))
    }

    /// This instant, to the millisecond.
    pub fn now(&self) -> Timestamp {
        match self {
            Self::Real => jiff::Timestamp::now().into(),
            Self::Set(now) => now.lock().expect("a clock is never poisoned").clone(),
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
