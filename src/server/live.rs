//! `/api/v1/events`: a user's stored events as server-sent events. Events are read from the database, in order and without gaps;
//! the signal board only says when to read. A token receives the events that its scopes may read.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream::{self, Stream, StreamExt};
use serde::Deserialize;

use super::router::Served;
use super::{errors, session};
use crate::api::ApiError;
use crate::api::error::Code;
use crate::domain::live;
use crate::domain::user::{Caller, Scope};
use crate::live::Listener;
use crate::messages::errors as messages;
use crate::usecases::events;

/// Number of events per read.
const BATCH: i64 = 200;
/// Interval of comments on a silent stream, so that proxies and phones keep the connection.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Delay after which a client should reconnect.
const RETRY: Duration = Duration::from_millis(500);

/// Maximum number of open streams per account in this process, including its agents' streams.
pub const MOST_STREAMS: usize = 64;
/// Seconds after which a client with too many streams may retry.
const RETRY_AFTER: i64 = 30;

/// Interval at which a silent stream checks its session or token. An active one checks before each batch.
const RECHECK: Duration = Duration::from_secs(5);

/// Query parameters: send events after this sequence.
#[derive(Debug, Default, Deserialize)]
pub struct From {
    after: Option<String>,
}

/// Opens the stream. `Last-Event-ID` (a reconnecting browser) overrides `after`; without either, the stream starts now.
pub async fn events(State(served): State<Served>, Query(from): Query<From>, request: Request) -> Response {
    let Some(caller) = request.extensions().get::<Option<Caller>>().cloned().flatten() else {
        return errors::response(Code::Unauthenticated, messages::SIGN_IN_OR_SEND_A_TOKEN);
    };
    if !caller.may(Scope::Chat) && !caller.may(Scope::TasksRead) {
        return errors::response(Code::Forbidden, messages::TOKEN_MAY_NOT_READ_EVENTS);
    }
    let last = request.headers().get("last-event-id").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let asked = last.filter(|text| !text.is_empty()).or(from.after).filter(|text| !text.is_empty());
    let asked = match asked.map(|text| text.trim().parse::<i64>()).transpose() {
        Ok(asked) if asked.is_none_or(|seq| seq >= 0) => asked,
        _ => return errors::response(Code::Malformed, messages::NOT_AN_EVENT),
    };
    if served.state.ctx.live.listeners(caller.id()) >= MOST_STREAMS {
        let mut error = ApiError::new(Code::RateLimited, messages::too_many_streams(MOST_STREAMS));
        error.retry_after = Some(RETRY_AFTER);
        return errors::of(&error);
    }
    // Subscribe before the first read, so that no event is missed.
    let listener = served.state.ctx.live.listen(caller.id());
    let head = match events::head(&served.state.ctx, &caller).await {
        Ok(head) => head,
        Err(error) => {
            tracing::error!(error = ?error, "the events could not be read");
            return errors::response(Code::Unavailable, messages::DATABASE_DID_NOT_ANSWER);
        }
    };
    // A sequence from the future belongs to another database: reset the client.
    let (seq, first) = match asked {
        Some(asked) if asked > head => (head, vec![reset(head)]),
        Some(asked) => (asked, vec![]),
        None => (head, vec![]),
    };
    let hello = Event::default().retry(RETRY).comment("listening");
    let first = stream::iter(std::iter::once(hello).chain(first).map(Ok::<_, Infallible>));
    let credentials = request.headers().clone();
    let tail = tail(Tail { served, caller, credentials, checked: Instant::now(), listener, seq });
    let mut response =
        Sse::new(first.chain(tail)).keep_alive(KeepAlive::new().interval(HEARTBEAT).text("beat")).into_response();
    // Disables buffering by proxies.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

struct Tail {
    served: Served,
    caller: Caller,
    credentials: HeaderMap,
    /// Time of the last check of the credentials.
    checked: Instant,
    listener: Listener,
    seq: i64,
}

impl Tail {
    /// Returns true if the stream's caller may still read it, and updates their scopes.
    async fn holds(&mut self) -> bool {
        let known = session::caller(&self.served.state, &self.credentials).await.ok().flatten();
        self.checked = Instant::now();
        let Some(known) = known.filter(|known| known.id() == self.caller.id()) else { return false };
        self.caller = known;
        true
    }
}

/// Returns every event after `seq` until the server stops; the end of the stream makes a browser reconnect.
fn tail(tail: Tail) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(tail, |mut tail| async move {
        loop {
            let batch = match events::after(&tail.served.state.ctx, &tail.caller, tail.seq, BATCH).await {
                Ok(batch) => batch,
                Err(error) => {
                    tracing::error!(error = ?error, "the events could not be read");
                    return None;
                }
            };
            if (!batch.is_empty() || tail.checked.elapsed() >= RECHECK) && !tail.holds().await {
                return None;
            }
            if let Some(last) = batch.last() {
                tail.seq = last.seq;
                let heard = batch.iter().filter(|event| event.kind.scope().is_none_or(|scope| tail.caller.may(scope)));
                let sent: Vec<_> = heard.map(|event| Ok(wire(event))).collect();
                return Some((stream::iter(sent), tail));
            }
            tokio::select! {
                () = tail.served.stopping.cancelled() => return None,
                () = tokio::time::sleep(RECHECK) => {}
                open = tail.listener.woken() => if !open { return None },
            }
        }
    })
    .flatten()
}

fn wire(event: &live::Event) -> Event {
    Event::default().id(event.seq.to_string()).event(event.kind.as_str()).data(event.data.to_string())
}

fn reset(head: i64) -> Event {
    wire(&live::Event { seq: head, kind: live::EventKind::StreamReset, data: serde_json::json!({ "seq": head }) })
}
