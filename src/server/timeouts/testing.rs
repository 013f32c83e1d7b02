//! A timer that runs only when a test advances it.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};

/// A manual timer; clones share their time.
#[derive(Clone)]
pub struct Clock(Arc<Mutex<Time>>);

struct Time {
    now: Instant,
    sleepers: Vec<Waker>,
}

struct Until(Clock, Instant);

impl Clock {
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(Time { now: Instant::now(), sleepers: vec![] })))
    }

    /// Advances the time by `seconds`, and lets all tasks react.
    pub async fn pass(&self, seconds: u64) {
        settle().await;
        let sleepers = {
            let mut time = self.0.lock().unwrap();
            time.now += Duration::from_secs(seconds);
            std::mem::take(&mut time.sleepers)
        };
        sleepers.into_iter().for_each(Waker::wake);
        settle().await;
    }
}

/// Lets the other tasks of a single-threaded runtime run until they wait.
pub async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

impl Timer for Clock {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Until(self.clone(), deadline))
    }

    fn now(&self) -> Instant {
        self.0.lock().unwrap().now
    }
}

impl Future for Until {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut time = self.0.0.lock().unwrap();
        if time.now >= self.1 {
            return Poll::Ready(());
        }
        time.sleepers.push(cx.waker().clone());
        Poll::Pending
    }
}

impl Sleep for Until {}
