//! Slow bodies, and the time for which they are read.

use std::convert::Infallible;
use std::time::Duration;

use futures::channel::mpsc::{UnboundedSender, unbounded};
use tokio::task::JoinHandle;

use super::super::timeouts::testing::{Clock, settle};
use super::*;

const LIMIT: usize = 256 * 1024;

struct Upload {
    clock: Clock,
    client: UnboundedSender<Result<Bytes, Infallible>>,
    reading: JoinHandle<Result<Bytes, Unread>>,
}

impl Upload {
    fn begin(limit: usize, rate: BodyRate) -> Self {
        let (client, pieces) = unbounded();
        let clock = Clock::new();
        let timer = clock.clone();
        let reading = tokio::spawn(async move { read(Body::from_stream(pieces), 0, limit, rate, &timer).await });
        Self { clock, client, reading }
    }

    async fn send(&self, bytes: usize, seconds: u64) {
        self.client.unbounded_send(Ok(vec![b'x'; bytes].into())).ok();
        self.clock.pass(seconds).await;
    }

    /// Ends the body; returns its length.
    async fn end(self) -> Result<usize, Unread> {
        drop(self.client);
        self.reading.await.unwrap().map(|bytes| bytes.len())
    }
}

#[tokio::test]
async fn body_without_a_kilobyte_a_second_is_given_up() {
    let silent = Upload::begin(LIMIT, BodyRate::FORM);
    silent.send(0, 29).await;
    assert!(!silent.reading.is_finished());
    silent.send(0, 1).await;
    assert_eq!(silent.end().await, Err(Unread::TooSlow));

    let slow = Upload::begin(LIMIT, BodyRate::FORM);
    for _ in 0..30 {
        slow.send(1023, 1).await;
    }
    assert_eq!(slow.end().await, Err(Unread::TooSlow));

    // A fast start does not make up for a later pause.
    let stalled = Upload::begin(LIMIT, BodyRate::FORM);
    stalled.send(200 * 1024, 30).await;
    stalled.send(1, 30).await;
    assert_eq!(stalled.end().await, Err(Unread::TooSlow));
}

#[tokio::test]
async fn body_of_a_kilobyte_a_second_is_read_whole() {
    let form = Upload::begin(LIMIT, BodyRate::FORM);
    for _ in 0..256 {
        form.send(1024, 1).await;
    }
    assert_eq!(form.end().await, Ok(LIMIT));
}

#[tokio::test]
async fn short_body_may_end_late_in_its_window() {
    let form = Upload::begin(LIMIT, BodyRate::FORM);
    form.send(10, 29).await;
    form.send(10, 0).await;
    assert_eq!(form.end().await, Ok(20));
}

#[tokio::test]
async fn file_of_4_megabytes_arrives_over_a_slow_line() {
    let bytes = 4 * 1024 * 1024;
    let file = Upload::begin(bytes, BodyRate::FILE);
    for _ in 0..64 {
        file.send(bytes / 64, 14).await;
    }
    assert_eq!(file.end().await, Ok(bytes));
}

#[tokio::test]
async fn no_body_is_read_for_longer_than_its_bound() {
    let rate = BodyRate { whole: Duration::from_secs(90), ..BodyRate::FORM };
    let endless = Upload::begin(LIMIT, rate);
    for _ in 0..3 {
        assert!(!endless.reading.is_finished());
        endless.send(40 * 1024, 30).await;
    }
    assert_eq!(endless.end().await, Err(Unread::TooSlow));
}

#[tokio::test]
async fn body_above_the_limit_is_refused_after_it_was_read() {
    let large = Upload::begin(LIMIT, BodyRate::FORM);
    large.send(LIMIT, 0).await;
    large.send(1, 0).await;
    settle().await;
    assert!(!large.reading.is_finished(), "the client is still sending");
    assert_eq!(large.end().await, Err(Unread::TooLarge));
}
