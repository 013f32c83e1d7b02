//! Reads a request's whole body, and gives up on clients that send too slowly.

use axum::body::{Body, Bytes, HttpBody as _};
use futures::StreamExt as _;
use hyper::rt::Timer;

use super::timeouts::BodyRate;

/// Bytes read and discarded so that a client which is still sending receives the refusal.
const DRAIN: usize = 8 * 1024 * 1024;
/// Maximum number of bytes reserved because of `Content-Length` alone.
const RESERVED: usize = 64 * 1024;

/// Reasons for which a body was not read.
#[derive(Debug, PartialEq, Eq)]
pub enum Unread {
    TooLarge,
    TooSlow,
    Broken,
}

/// Returns the body, at most `limit` bytes; `announced` is its length if a header gives it.
///
/// Fails if a window ends with fewer bytes than `rate` requires, or after the rate's whole time.
pub async fn read(
    body: Body,
    announced: usize,
    limit: usize,
    rate: BodyRate,
    timer: &(dyn Timer + Send + Sync),
) -> Result<Bytes, Unread> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let mut pieces = body.into_data_stream();
    let mut whole = Vec::with_capacity(announced.min(limit).min(RESERVED));
    let (mut seen, mut seen_before) = (0, 0);
    let begun = timer.now();
    let (end, mut window) = (begun + rate.whole, begun + rate.window);
    let mut alarm = timer.sleep_until(window.min(end));
    loop {
        let piece = tokio::select! {
            biased;
            piece = pieces.next() => Some(piece),
            () = &mut alarm => None,
        };
        match piece {
            Some(None) => break,
            Some(Some(piece)) => {
                let piece = piece.map_err(|_| Unread::Broken)?;
                seen += piece.len();
                if seen > DRAIN.max(2 * limit) {
                    break;
                }
                if seen <= limit {
                    whole.extend_from_slice(&piece);
                }
            }
            None => {}
        }
        let now = timer.now();
        if now < window.min(end) {
            continue;
        }
        if now >= end || seen - seen_before < rate.bytes {
            tracing::debug!(bytes = seen, "a body arrived too slowly");
            return Err(Unread::TooSlow);
        }
        (seen_before, window) = (seen, now + rate.window);
        timer.reset(&mut alarm, window.min(end));
    }
    if seen > limit { Err(Unread::TooLarge) } else { Ok(whole.into()) }
}

#[cfg(test)]
mod tests;
