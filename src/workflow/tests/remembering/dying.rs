//! Tests of summaries with crashes, concurrent processes and failing models: each message is summarised exactly once.

use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::Notify;

use super::*;
use crate::fault::crash::{Act as Death, Crashes, Point, Side};
use crate::fault::{Commit, Faults};

/// Returns the summaries, the number of messages without one, and the user's token usage.
async fn outcome(world: &World, talk: ConversationId) -> (Vec<String>, usize, (i64, i64)) {
    let texts = remembered(world).await.into_iter().map(|memory| memory.text).collect();
    let mut tx = world.state.ctx.read().await.unwrap();
    let left = store::memories::unsummarised(&mut tx, world.caller.id(), talk, 99).await.unwrap().len();
    drop(tx);
    (texts, left, spent(world).await)
}

#[tokio::test]
async fn crash_while_summarising_loses_or_repeats_no_memory() {
    for (side, commit, calls) in [
        (Side::Before, Commit::Job, 1),
        (Side::After, Commit::Job, 1),
        // The reply of a dead process is lost and requested again.
        (Side::Before, Commit::Remember, 2),
        (Side::After, Commit::Remember, 1),
    ] {
        for mut world in worlds().await {
            let talk = talked(&mut world, FACT, 60).await;
            let (model, mut prompts) = Model::new(Ok("- Maya is allergic to peanuts."));
            with_model(&mut world, &model);
            world.state.ctx.clock.advance(61);
            let point = Point { side, commit };
            let crashes = Arc::new(Crashes::at(point, 1, Death::Stop));
            let mut dying = world.state.clone();
            dying.ctx.faults = Faults::default().crashing(&crashes);
            tokio::select! {
                () = crashes.down() => {}
                done = memories::remember(&dying) => panic!("it lived: {done:?}"),
            }
            assert_eq!(crashes.reached().last(), Some(&point));
            a_minute_later(&world).await;
            let once = (vec!["Maya is allergic to peanuts.".to_owned()], 20, (30, 10));
            assert_eq!(outcome(&world, talk).await, once, "{point:?}");
            assert_eq!(heard(&mut prompts).len(), calls, "{point:?}");
            a_minute_later(&world).await;
            assert_eq!(outcome(&world, talk).await, once, "{point:?}: once");
        }
    }
}

#[tokio::test]
async fn whoever_dies_while_giving_vectors_the_next_gives_them() {
    for (side, left) in [(Side::Before, 1), (Side::After, 0)] {
        for mut world in worlds().await {
            talked(&mut world, FACT, 60).await;
            a_minute_later(&world).await;
            world.state.embedder = Arc::new(Renamed { down: false });
            world.state.ctx.clock.advance(61);
            let crashes = Arc::new(Crashes::at(Point { side, commit: Commit::Embed }, 1, Death::Stop));
            let mut dying = world.state.clone();
            dying.ctx.faults = Faults::default().crashing(&crashes);
            tokio::select! {
                () = crashes.down() => {}
                done = memories::remember(&dying) => panic!("it lived: {done:?}"),
            }
            assert_eq!(lacking(&world, "renamed", true).await, left, "{side:?}");
            a_minute_later(&world).await;
            assert_eq!(lacking(&world, "renamed", true).await, 0, "{side:?}");
        }
    }
}

#[tokio::test]
async fn of_two_replicas_one_sums_up() {
    for mut world in worlds().await {
        let talk = talked(&mut world, FACT, 60).await;
        let (model, mut prompts) = Model::new(Ok("- Maya is allergic to peanuts."));
        with_model(&mut world, &model);
        let mut other = world.replica().await;
        other.engine = world.state.engine.clone();
        world.state.ctx.clock.advance(61);
        let (one, two) = tokio::join!(memories::remember(&world.state), memories::remember(&other));
        one.and(two).unwrap();
        let once = (vec!["Maya is allergic to peanuts.".to_owned()], 20, (30, 10));
        assert_eq!(outcome(&world, talk).await, once);
        assert_eq!(heard(&mut prompts).len(), 1);
    }
}

/// A model that answers when released.
struct Held {
    asked: Notify,
    go: Notify,
}

#[async_trait]
impl Llm for Held {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        Some("held")
    }

    async fn complete(&self, _: &Request) -> Result<Reply, LlmError> {
        self.asked.notify_one();
        self.go.notified().await;
        Ok(Reply::plain(Act::Say { text: "- Said too late.".into() }, "talk"))
    }
}

#[tokio::test]
async fn whoever_lost_the_job_while_the_model_thought_adds_nothing() {
    for mut world in worlds().await {
        let talk = talked(&mut world, FACT, 100).await;
        let held = Arc::new(Held { asked: Notify::new(), go: Notify::new() });
        world.state.engine = Arc::new(Fallback::new(held.clone(), Arc::new(Rules)));
        let mut other = world.replica().await;
        other.engine = Arc::new(Fallback::new(Model::new(Ok("- Said in time.")).0, Arc::new(Rules)));
        world.state.ctx.clock.advance(61);
        let second = async {
            held.asked.notified().await;
            other.ctx.clock.advance(61);
            memories::remember(&other).await.unwrap();
            held.go.notify_one();
        };
        let (first, ()) = tokio::join!(memories::remember(&world.state), second);
        first.unwrap();
        let (texts, left, _) = outcome(&world, talk).await;
        // Both parts gave the same summary, which is stored once.
        assert_eq!((texts, left), (vec!["Said in time.".to_owned()], 20));
    }
}

/// A model that fails a number of times, or never answers, and then summarises.
struct Failing {
    asked: AtomicU32,
    times: u32,
    how: Option<LlmError>,
}

#[async_trait]
impl Llm for Failing {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        Some("failing")
    }

    async fn complete(&self, _: &Request) -> Result<Reply, LlmError> {
        if self.asked.fetch_add(1, Ordering::SeqCst) >= self.times {
            return Ok(Reply::plain(Act::Say { text: "- Made by a model.".into() }, "talk"));
        }
        match &self.how {
            Some(error) => Err(error.clone()),
            None => std::future::pending().await,
        }
    }
}

#[tokio::test]
async fn memory_summary_retries_the_model_then_falls_back_to_code() {
    let away = || Some(LlmError::Unavailable("502".into()));
    for (times, how, text) in
        [(1, away(), "Made by a model."), (1, None, "Made by a model."), (9, away(), FACT), (9, None, FACT)]
    {
        for mut world in worlds().await {
            let talk = talked(&mut world, FACT, 60).await;
            let model = Arc::new(Failing { asked: AtomicU32::new(0), times, how: how.clone() });
            world.state.engine = Arc::new(Fallback::new(model.clone(), Arc::new(Rules)));
            let mut config = (*world.state.config).clone();
            (config.turn.llm_timeout_ms, config.turn.llm_retries) = (30, 1);
            world.state.config = Arc::new(config);
            a_minute_later(&world).await;
            let (texts, left, _) = outcome(&world, talk).await;
            assert_eq!((texts, left), (vec![text.to_owned()], 20), "{times} {how:?}");
            assert_eq!(model.asked.load(Ordering::SeqCst), 2, "{times} {how:?}");
        }
    }
}

/// A model during whose answer the user switches memory off.
struct Unwanted {
    ctx: crate::usecases::Ctx,
    caller: Caller,
    asked: AtomicU32,
}

#[async_trait]
impl Llm for Unwanted {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        Some("unwanted")
    }

    async fn complete(&self, _: &Request) -> Result<Reply, LlmError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        switch(&self.ctx, &self.caller, false).await.unwrap();
        Ok(Reply::plain(Act::Say { text: "- Maya is allergic to peanuts.".into() }, "talk"))
    }
}

#[tokio::test]
async fn memory_switched_off_during_a_summary_stores_nothing() {
    for mut world in worlds().await {
        let talk = talked(&mut world, FACT, 100).await;
        let mut tx = world.state.ctx.write().await.unwrap();
        let other = ConversationId::random();
        let now = world.state.ctx.now();
        store::conversations::create(&mut tx, world.caller.id(), other, "Another", &now).await.unwrap();
        world.state.ctx.commit(tx).await.unwrap();
        let mut beside = world.beside(world.caller.clone());
        beside.conversation = Some(other);
        for _ in 0..30 {
            beside.say("hello").await;
        }
        let (ctx, caller) = (world.state.ctx.clone(), world.caller.clone());
        let model = Arc::new(Unwanted { ctx, caller, asked: AtomicU32::new(0) });
        world.state.engine = Arc::new(Fallback::new(model.clone(), Arc::new(Rules)));
        a_minute_later(&world).await;
        assert_eq!(remembered(&world).await, []);
        assert_eq!(model.asked.load(Ordering::SeqCst), 1, "neither of this conversation nor of the other");
        let (texts, left, _) = outcome(&world, talk).await;
        assert_eq!((texts, left), (vec![], 99));
    }
}
