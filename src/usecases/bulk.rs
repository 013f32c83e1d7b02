//! Thread limits for bulk work: imports, exports, verification and erasure take as long as there is data.

use std::future::Future;
use std::panic::resume_unwind;
use std::sync::Arc;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::domain::id::UserId;

/// Maximum number of concurrent bulk jobs per process.
const AT_ONCE: usize = 2;
/// Number of tasks or changes from which a request leaves the thread that serves others.
pub const MANY: usize = 20;
/// Number of lanes. An account cannot take the slots of others.
pub const LANES: usize = 64;

/// Bulk jobs of the process. Jobs without a slot queue in order.
#[derive(Debug, Clone)]
pub struct Bulk {
    all: Arc<Semaphore>,
    lanes: Lanes,
}

impl Default for Bulk {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(AT_ONCE)), lanes: Lanes::new(1) }
    }
}

/// Limits by account: an account always has the same lane.
#[derive(Debug, Clone)]
pub struct Lanes(Arc<[Arc<Semaphore>]>);

impl Lanes {
    /// Creates lanes with that many places each.
    pub fn new(places: usize) -> Self {
        Self((0..LANES).map(|_| Arc::new(Semaphore::new(places))).collect())
    }

    /// Waits for a place in the account's lane.
    pub async fn place(&self, account: UserId) -> OwnedSemaphorePermit {
        let lane = Self::number(account);
        Arc::clone(&self.0[lane]).acquire_owned().await.expect("the semaphore is never closed")
    }

    /// Returns a place in the account's lane if one is free.
    fn try_place(&self, account: UserId) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0[Self::number(account)]).try_acquire_owned().ok()
    }

    /// Returns the number of the account's lane.
    pub fn number(account: UserId) -> usize {
        usize::from(account.0.as_bytes()[15]) % LANES
    }
}

/// Runs long work on the present thread after others have taken over what it serves.
pub async fn apart<T>(work: impl Future<Output = T>) -> T {
    let runtime = Handle::current();
    match runtime.runtime_flavor() {
        RuntimeFlavor::MultiThread => tokio::task::block_in_place(|| runtime.block_on(work)),
        _ => work.await,
    }
}

impl Bulk {
    /// Runs the account's `work` on a blocking thread. Dropping the future cancels the work.
    pub async fn run<T, F>(&self, account: UserId, work: impl FnOnce() -> F + Send + 'static) -> T
    where
        T: Send + 'static,
        F: Future<Output = T>,
    {
        self.run_in(self.lanes.place(account).await, work).await
    }

    /// Like [`Self::run`], but returns `None` if the account's lane is taken.
    pub async fn try_run<T, F>(&self, account: UserId, work: impl FnOnce() -> F + Send + 'static) -> Option<T>
    where
        T: Send + 'static,
        F: Future<Output = T>,
    {
        let lane = self.lanes.try_place(account)?;
        Some(self.run_in(lane, work).await)
    }

    /// Runs the work in its account's lane once a slot of the process is free.
    async fn run_in<T, F>(&self, lane: OwnedSemaphorePermit, work: impl FnOnce() -> F + Send + 'static) -> T
    where
        T: Send + 'static,
        F: Future<Output = T>,
    {
        let slot = Arc::clone(&self.all).acquire_owned().await.expect("the semaphore is never closed");
        let place = [lane, slot];
        let (runtime, span) = (Handle::current(), tracing::Span::current());
        let abandoned = CancellationToken::new();
        let _waits = abandoned.clone().drop_guard();
        let done = tokio::task::spawn_blocking(move || {
            let _place = place;
            span.in_scope(|| runtime.block_on(abandoned.run_until_cancelled(work())))
        });
        let done = done.await.unwrap_or_else(|failed| resume_unwind(failed.into_panic()));
        done.expect("it is abandoned where nobody waits")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn one_account_leaves_a_place_for_others() {
        let account = |last: u8| UserId(uuid::Uuid::from_u128(u128::from(last)));
        let (bulk, one, other) = (Bulk::default(), account(1), account(2));
        let (go, wait) = oneshot::channel::<()>();
        let (begun, has_begun) = oneshot::channel();
        let first = tokio::spawn({
            let bulk = bulk.clone();
            async move {
                bulk.run(one, move || async move {
                    begun.send(()).unwrap();
                    wait.await.unwrap();
                })
                .await;
            }
        });
        has_begun.await.unwrap();
        let mut second = Box::pin(bulk.run(one, || async { "second" }));
        assert!(futures::poll!(&mut second).is_pending(), "it waits behind its own account's work");
        assert_eq!(bulk.try_run(one, || async {}).await, None);
        assert_eq!(bulk.try_run(other, || async {}).await, Some(()));
        assert_eq!(bulk.run(other, || async { "another's" }).await, "another's");
        assert_eq!(bulk.all.available_permits(), AT_ONCE - 1, "what waits behind its own takes no place");
        go.send(()).unwrap();
        assert_eq!(second.await, "second");
        first.await.unwrap();
    }

    #[tokio::test]
    async fn bulk_work_leaves_server_threads_and_stops_with_its_caller() {
        let (bulk, account, done) = (Bulk::default(), UserId::new(), Arc::new(AtomicUsize::new(0)));
        let (here, (begun, has_begun)) = (std::thread::current().id(), oneshot::channel());
        let counted = Arc::clone(&done);
        let mut work = Box::pin(bulk.run(account, move || async move {
            assert_ne!(std::thread::current().id(), here);
            begun.send(()).unwrap();
            std::future::pending::<()>().await;
            counted.fetch_add(1, Ordering::SeqCst);
        }));
        assert!(futures::poll!(&mut work).is_pending());
        has_begun.await.unwrap();
        drop(work);
        // Starts only after the cancelled job has ended.
        bulk.run(account, || async {}).await;
        assert_eq!(done.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    #[should_panic(expected = "of its own")]
    async fn a_panic_goes_on_where_the_work_was_asked_for() {
        Bulk::default().run(UserId::new(), || async { panic!("of its own") }).await
    }
}
