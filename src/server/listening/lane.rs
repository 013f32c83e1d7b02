//! Bounded places for connections. A full lane evicts the connection that has waited longest without a request.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::server::timeouts::Timeouts;
use crate::telemetry::metrics::Metrics;

pub struct Lane {
    places: Arc<Semaphore>,
    waiting: Mutex<Waiting>,
    timeouts: Timeouts,
    metrics: Arc<Metrics>,
}

/// Connections without a request, in the order of eviction.
#[derive(Default)]
struct Waiting {
    last: u64,
    by_age: BTreeMap<Ticket, CancellationToken>,
}

/// Position in that order: the kind of wait, then its start.
type Ticket = (Wait, u64);

/// Kinds of waits; the first is evicted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wait {
    /// Waiting for the rest of a request's headers.
    Headers,
    /// Waiting for another request.
    Idle,
}

/// Reasons for which the server closes a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    Headers,
    Idle,
    Write,
    Evicted,
}

impl Cut {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Headers => "headers",
            Self::Idle => "idle",
            Self::Write => "write",
            Self::Evicted => "evicted",
        }
    }
}

/// A connection's place and progress. Dropping the slot frees the place.
pub struct Slot {
    lane: Arc<Lane>,
    progress: Mutex<Progress>,
    evicted: CancellationToken,
    _place: OwnedSemaphorePermit,
}

struct Progress {
    phase: Phase,
    ticket: Option<Ticket>,
    /// Start of a write that makes no progress.
    blocked: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Headers(Instant),
    /// From the end of the headers to the end of the response.
    Serving,
    /// The response has ended, but may not be written out yet.
    Answered,
    Idle(Instant),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lane {
    pub fn new(places: usize, timeouts: Timeouts, metrics: Arc<Metrics>) -> Arc<Self> {
        let places = Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS)));
        Arc::new(Self { places, waiting: Mutex::default(), timeouts, metrics })
    }

    /// Returns a free place, or evicts a connection without a request; `None` if every connection has a request.
    pub async fn enter(self: &Arc<Self>) -> Option<Arc<Slot>> {
        let free = self.places.clone().try_acquire_owned();
        let place = match free {
            Ok(place) => place,
            Err(_) if self.evict() => self.places.clone().acquire_owned().await.ok()?,
            Err(_) => return None,
        };
        self.metrics.connection_opened();
        let evicted = CancellationToken::new();
        let ticket = Some(self.queue(Wait::Headers, &evicted));
        let phase = Phase::Headers(self.timeouts.timer.now());
        let progress = Mutex::new(Progress { phase, ticket, blocked: None });
        Some(Arc::new(Slot { lane: self.clone(), progress, evicted, _place: place }))
    }

    pub fn is_full(&self) -> bool {
        self.places.available_permits() == 0
    }

    /// Evicts the connection that has waited longest; returns false if none is waiting.
    fn evict(&self) -> bool {
        match lock(&self.waiting).by_age.pop_first() {
            Some((_, connection)) => {
                connection.cancel();
                true
            }
            None => false,
        }
    }

    fn queue(&self, wait: Wait, connection: &CancellationToken) -> Ticket {
        let mut waiting = lock(&self.waiting);
        waiting.last += 1;
        let ticket = (wait, waiting.last);
        waiting.by_age.insert(ticket, connection.clone());
        ticket
    }

    /// Removes a connection from the order; returns false if it was evicted.
    fn leave(&self, ticket: Ticket) -> bool {
        lock(&self.waiting).by_age.remove(&ticket).is_some()
    }
}

impl Slot {
    /// Records that bytes arrived; on an idle connection they start a request.
    pub fn received(&self) {
        let mut progress = lock(&self.progress);
        if let Phase::Idle(_) = progress.phase {
            progress.phase = Phase::Headers(self.lane.timeouts.timer.now());
            if progress.ticket.take().is_some_and(|ticket| self.lane.leave(ticket)) {
                progress.ticket = Some(self.lane.queue(Wait::Headers, &self.evicted));
            }
        }
    }

    /// Records that a request's headers are complete; returns false if the connection was evicted before.
    pub fn begin(&self) -> bool {
        let mut progress = lock(&self.progress);
        progress.phase = Phase::Serving;
        let kept = progress.ticket.take().is_none_or(|ticket| self.lane.leave(ticket));
        kept && !self.evicted.is_cancelled()
    }

    pub fn end(&self) {
        lock(&self.progress).phase = Phase::Answered;
    }

    /// Records that the client accepts no bytes.
    pub fn blocked(&self) {
        let mut progress = lock(&self.progress);
        progress.blocked.get_or_insert_with(|| self.lane.timeouts.timer.now());
    }

    /// Records that the client accepted bytes.
    pub fn wrote(&self) {
        lock(&self.progress).blocked = None;
    }

    /// Returns the time at which to close the connection unless it makes progress. Fails with the reason if that time has passed.
    pub fn deadline(&self) -> Result<Option<Instant>, Cut> {
        let Timeouts { headers, idle, write, timer } = &self.lane.timeouts;
        let mut progress = lock(&self.progress);
        if progress.phase == Phase::Answered && progress.blocked.is_none() {
            progress.phase = Phase::Idle(timer.now());
            progress.ticket = Some(self.lane.queue(Wait::Idle, &self.evicted));
        }
        let waits = match progress.phase {
            Phase::Headers(since) => Some((since + *headers, Cut::Headers)),
            Phase::Idle(since) => Some((since + *idle, Cut::Idle)),
            Phase::Serving | Phase::Answered => None,
        };
        let blocked = progress.blocked.map(|since| (since + *write, Cut::Write));
        drop(progress);
        match waits.into_iter().chain(blocked).min_by_key(|(deadline, _)| *deadline) {
            Some((deadline, cut)) if deadline <= timer.now() => Err(cut),
            first => Ok(first.map(|(deadline, _)| deadline)),
        }
    }

    /// Resolves once another connection has taken the place.
    pub async fn evicted(&self) {
        self.evicted.cancelled().await;
    }

    pub fn count(&self, cut: Cut) {
        self.lane.metrics.connection_closed(cut.as_str());
    }

    pub fn timeouts(&self) -> &Timeouts {
        &self.lane.timeouts
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(ticket) = lock(&self.progress).ticket.take() {
            self.lane.leave(ticket);
        }
        self.lane.metrics.connection_ended();
    }
}
