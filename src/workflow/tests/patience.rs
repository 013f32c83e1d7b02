//! Tests of retries of model calls, limited by attempts and time.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tokio::sync::mpsc;

use crate::domain::decision::Engine;
use crate::domain::time::Timestamp;
use crate::llm::{Act, Entry, Llm, LlmError, Reply, Request, Usage};
use crate::usecases::testing::NOW;
use crate::workflow::step::{LONGEST_PAUSE, RetryPolicy, pause};
use crate::workflow::turn_telemetry::TurnTelemetry;

/// Answers with `how` for the first `times` calls.
struct Failing {
    asked: AtomicU32,
    given_up: AtomicU32,
    times: u32,
    how: fn() -> Option<LlmError>,
}

impl Failing {
    fn new(times: u32, how: fn() -> Option<LlmError>) -> Self {
        Self { asked: AtomicU32::new(0), given_up: AtomicU32::new(0), times, how }
    }
}

#[async_trait]
impl Llm for Failing {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, _request: &Request) -> Result<Reply, LlmError> {
        if self.asked.fetch_add(1, Ordering::SeqCst) >= self.times {
            let act = Act::Say { text: "Hello.".into() };
            return Ok(Reply::plain(act, ""));
        }
        match (self.how)() {
            Some(error) => Err(error),
            None => std::future::pending().await,
        }
    }

    fn gave_nothing(&self) {
        self.given_up.fetch_add(1, Ordering::SeqCst);
    }
}

fn away() -> Option<LlmError> {
    Some(LlmError::Unavailable("502".into()))
}

/// Returns the number of calls, and true if the last one was answered.
async fn ask(engine: Failing, patience: RetryPolicy) -> (u32, bool) {
    let answered = answers(&engine, patience).await;
    (engine.asked.into_inner(), answered)
}

async fn answers(engine: &dyn Llm, mut patience: RetryPolicy) -> bool {
    let request = Request {
        now: Timestamp::parse(NOW).unwrap(),
        zone: "UTC".into(),
        prompt: String::new(),
        entries: vec![Entry::User { text: "hello".into() }],
        turn_start: 0,
        tools: [].into(),
        pending: vec![],
        carries_out: false,
        barred: vec![],
        memories: vec![],
        stood_in: false,
    };
    patience.ask(engine, &request, &mpsc::unbounded_channel().0).await.is_ok()
}

fn patience() -> RetryPolicy {
    let (time_out, pause) = (Duration::from_millis(20), Duration::from_millis(1));
    RetryPolicy { tries: 3, time_out, pause, left: Duration::from_secs(45), watch: TurnTelemetry::default() }
}

#[tokio::test]
async fn a_model_that_fails_is_asked_again_a_few_times() {
    assert_eq!(ask(Failing::new(2, away), patience()).await, (3, true));
    assert_eq!(ask(Failing::new(9, away), patience()).await, (3, false));
}

#[tokio::test]
async fn timed_out_model_call_is_retried() {
    assert_eq!(ask(Failing::new(1, || None), patience()).await, (2, true));
}

#[tokio::test]
async fn a_model_that_refuses_is_not_asked_again() {
    assert_eq!(ask(Failing::new(9, || Some(LlmError::Refused("401".into()))), patience()).await, (1, false));
}

/// `retry_after` of the provider.
const MOMENT: Duration = Duration::from_millis(30);

fn busy() -> Option<LlmError> {
    Some(LlmError::Busy { why: "429".into(), after: MOMENT })
}

fn busy_for_long() -> Option<LlmError> {
    Some(LlmError::Busy { why: "429".into(), after: LONGEST_PAUSE + Duration::from_millis(1) })
}

#[tokio::test]
async fn model_retry_honours_retry_after_unless_it_is_too_long() {
    let begun = Instant::now();
    assert_eq!(ask(Failing::new(2, busy), patience()).await, (3, true));
    assert!(begun.elapsed() >= MOMENT * 2, "not before it said");
    assert_eq!(ask(Failing::new(9, busy_for_long), patience()).await, (1, false));
    let hurried = RetryPolicy { left: MOMENT, ..patience() };
    assert_eq!(ask(Failing::new(9, busy), hurried).await, (1, false), "nor where the turn has not that much time");
    assert!(begun.elapsed() < LONGEST_PAUSE, "and nobody waits in vain");
}

#[test]
fn pauses_double_and_chance_moves_each_by_half_at_most() {
    let first = Duration::from_millis(400);
    for (tries, ms) in [(1, 400), (2, 800), (3, 1_600), (11, 409_600), (12, 409_600), (u32::MAX, 409_600)] {
        for (chance, percent) in [(0.0, 50), (0.5, 100), (1.0, 150)] {
            assert_eq!(pause(first, tries, chance), Duration::from_millis(ms * percent / 100), "{tries} {chance}");
        }
    }
}

#[tokio::test]
async fn model_time_of_a_turn_is_limited() {
    let begun = Instant::now();
    // Long enough for a machine that runs other tests.
    let (time_out, left) = (Duration::from_millis(400), Duration::from_millis(1_000));
    let short = RetryPolicy { tries: 100, time_out, left, ..patience() };
    let (asked, answered) = ask(Failing::new(99, || None), short).await;
    assert!(!answered && (2..=3).contains(&asked), "{asked}");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn model_timeout_counts_as_failure_only_after_its_full_time() {
    let hour = Duration::from_secs(3_600);
    let (moment, once) = (Duration::from_millis(20), RetryPolicy { tries: 1, ..patience() });
    for (time_out, left, late) in [(moment, hour, 1), (moment, moment, 1), (hour, moment, 0)] {
        let engine = Failing::new(9, || None);
        assert!(!answers(&engine, RetryPolicy { time_out, left, ..once.clone() }).await);
        assert_eq!(engine.given_up.load(Ordering::SeqCst), late, "{time_out:?} {left:?}");
    }
}

#[tokio::test]
async fn model_retry_follows_an_empty_reply_but_no_invalid_request() {
    assert_eq!(ask(Failing::new(2, || Some(LlmError::Empty(Usage::default()))), patience()).await, (3, true));
    assert_eq!(ask(Failing::new(9, || Some(LlmError::Unfit("400".into()))), patience()).await, (1, false));
}

#[tokio::test]
async fn circuit_breaker_counts_a_request_once_for_provider_failures_only() {
    let counted = async |times, how: fn() -> Option<LlmError>| {
        let engine = Failing::new(times, how);
        answers(&engine, patience()).await;
        engine.given_up.into_inner()
    };
    assert_eq!(counted(9, away).await, 1);
    assert_eq!(counted(9, || None).await, 1);
    assert_eq!(counted(9, busy_for_long).await, 1);
    assert_eq!(counted(9, || Some(LlmError::Refused("401".into()))).await, 1);
    assert_eq!(counted(2, away).await, 0, "it answered in the end");
    assert_eq!(counted(9, || Some(LlmError::Unfit("400".into()))).await, 0);
    assert_eq!(counted(9, || Some(LlmError::Empty(Usage::default()))).await, 0);
    assert_eq!(counted(9, || Some(LlmError::Resting)).await, 0);
}
