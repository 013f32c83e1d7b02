//! Lists of long accounts: an account runs few at a time, and slow ones leave the threads that serve others.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use super::bulk::{LANES, Lanes, apart};
use crate::domain::id::UserId;

/// Lists of an account that are read at the same time; others wait.
const AT_ONCE: usize = 2;
/// Duration from which the account's next lists leave the serving thread.
const SLOW: Duration = Duration::from_millis(20);
/// Number of these lists. A page reads fast lists between slow ones.
const AFTER_SLOW: u8 = 16;

/// Running lists of the process.
#[derive(Debug, Clone)]
pub struct Lists {
    lanes: Lanes,
    /// Number of further lists of each lane that leave the serving thread.
    slow: Arc<[AtomicU8]>,
}

impl Default for Lists {
    fn default() -> Self {
        Self { lanes: Lanes::new(AT_ONCE), slow: (0..LANES).map(|_| AtomicU8::new(0)).collect() }
    }
}

impl Lists {
    /// Reads a list of the account. SQLite reads on the calling thread.
    pub async fn run<T>(&self, account: UserId, list: impl Future<Output = T>) -> T {
        let _place = self.lanes.place(account).await;
        let slow = &self.slow[Lanes::number(account)];
        let started = Instant::now();
        let left = slow.load(Ordering::Relaxed);
        let done = if left > 0 { apart(list).await } else { list.await };
        let is_slow = started.elapsed() >= SLOW;
        slow.store(if is_slow { AFTER_SLOW } else { left.saturating_sub(1) }, Ordering::Relaxed);
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn slow_list_leaves_the_serving_thread() {
        let (lists, account) = (Lists::default(), UserId::new());
        lists.slow[Lanes::number(account)].store(1, Ordering::Relaxed);
        let (go, wait) = std::sync::mpsc::channel();
        let list = {
            let lists = lists.clone();
            tokio::spawn(async move { lists.run(account, async move { wait.recv() }).await })
        };
        // Would wait for ever if the list kept the only thread.
        tokio::spawn(async move { go.send(()).unwrap() }).await.unwrap();
        list.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn account_reads_few_lists_at_once() {
        let (lists, account) = (Lists::default(), UserId::new());
        let mut running: Vec<_> =
            (0..=AT_ONCE).map(|_| Box::pin(lists.run(account, std::future::pending::<()>()))).collect();
        for list in &mut running {
            assert!(futures::poll!(list).is_pending());
        }
        let other = UserId(uuid::Uuid::from_u128(account.0.as_u128() ^ 1));
        lists.run(other, async {}).await;
        running.truncate(1);
        lists.run(account, async { std::thread::sleep(SLOW) }).await;
        lists.run(account, async {}).await;
        let left = lists.slow[Lanes::number(account)].load(Ordering::Relaxed);
        assert_eq!(left, AFTER_SLOW - 1, "a fast list does not bring slow ones back");
    }
}
