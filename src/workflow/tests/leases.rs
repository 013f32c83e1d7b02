//! Tests of leases of turns that compute without awaiting.

use std::time::{Duration, Instant};

use async_trait::async_trait;

use super::*;
use crate::domain::decision::Engine;
use crate::fault::crash::{Crashes, Point, Side};
use crate::fault::{Commit, Faults};
use crate::llm::{Act, Llm, LlmError, Reply, Request};

const RENEWED: Point = Point { side: Side::After, commit: Commit::Renew };

/// An engine that computes until the lease was renewed, or for ten seconds.
struct Computing(Arc<Crashes>);

#[async_trait]
impl Llm for Computing {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, _request: &Request) -> Result<Reply, LlmError> {
        let begun = Instant::now();
        tokio::task::block_in_place(|| {
            while !self.0.reached().contains(&RENEWED) && begun.elapsed() < Duration::from_secs(10) {
                std::thread::yield_now();
            }
        });
        Ok(Reply::plain(Act::Say { text: "Hello.".into() }, ""))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turn_that_computes_keeps_its_lease() {
    for mut world in worlds().await {
        let crashes = Arc::new(Crashes::watch());
        world.state.ctx.faults = Faults::default().crashing(&crashes);
        world.state.ctx.limits.lease_ms = 300;
        world.state.engine = Arc::new(Computing(crashes.clone()));
        world.say("hi").await;
        assert!(crashes.reached().contains(&RENEWED));
    }
}
