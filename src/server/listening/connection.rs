//! One connection, from its first request to its last, with the deadlines of each phase.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::io::Noted;
use super::lane::{Cut, Slot};

/// Abnormal ends of a connection.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error("the server closed it: {0:?}")]
    Cut(Cut),
    #[error(transparent)]
    Broken(#[from] hyper::Error),
}

/// Serves `app` on `io`; `keep_alive` allows several requests. Once `stopping` is cancelled, the current request is the last.
pub async fn serve<IO>(
    io: IO,
    peer: SocketAddr,
    app: Router,
    keep_alive: bool,
    slot: Arc<Slot>,
    stopping: CancellationToken,
) where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    match run(io, peer, app, keep_alive, &slot, stopping).await {
        Ok(()) => {}
        Err(Ended::Cut(cut)) => {
            slot.count(cut);
            tracing::debug!(%peer, why = cut.as_str(), "a connection was closed");
        }
        Err(Ended::Broken(error)) => tracing::trace!(%peer, %error, "a connection broke"),
    }
}

async fn run<IO>(
    io: IO,
    peer: SocketAddr,
    app: Router,
    keep_alive: bool,
    slot: &Arc<Slot>,
    stopping: CancellationToken,
) -> Result<(), Ended>
where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    // HTTP/1 only, as browsers and proxies speak it without TLS: detecting the version would double the read buffer for the whole
    // connection. Hyper's header timeout does not distinguish an idle connection from slow headers; the slot does.
    let mut http = Builder::new();
    http.header_read_timeout(None).keep_alive(keep_alive);
    let service = service_fn(|request| answer(request, peer, app.clone(), slot.clone()));
    let mut served = pin!(http.serve_connection(TokioIo::new(Noted::new(io, slot.clone())), service));
    let (mut stops, mut stopped) = (pin!(stopping.cancelled()), false);
    let mut evicted = pin!(slot.evicted());
    let timer = &slot.timeouts().timer;
    let mut armed = timer.now() + slot.timeouts().headers;
    let mut alarm = timer.sleep_until(armed);
    poll_fn(|cx| {
        if evicted.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(Ended::Cut(Cut::Evicted)));
        }
        if !stopped && stops.as_mut().poll(cx).is_ready() {
            stopped = true;
            served.as_mut().graceful_shutdown();
        }
        if let Poll::Ready(done) = served.as_mut().poll(cx) {
            return Poll::Ready(done.map_err(Ended::from));
        }
        // Resets the alarm only if it would be late; an early alarm is reset when it fires.
        loop {
            let Some(deadline) = slot.deadline().map_err(Ended::Cut)? else { return Poll::Pending };
            if deadline < armed || armed <= timer.now() {
                armed = deadline;
                timer.reset(&mut alarm, armed);
            }
            if alarm.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
        }
    })
    .await
}

/// Passes a request to the app, with the peer's address.
async fn answer(
    request: Request<Incoming>,
    peer: SocketAddr,
    app: Router,
    slot: Arc<Slot>,
) -> Result<hyper::Response<Answer>, Ended> {
    if !slot.begin() {
        return Err(Ended::Cut(Cut::Evicted));
    }
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    let done = Done(slot);
    let response: Result<Response, Infallible> = app.oneshot(request).await;
    let Ok(response) = response;
    Ok(response.map(|body| Answer { body, _done: done }))
}

/// A response body that reports its end to the slot.
struct Answer {
    body: Body,
    _done: Done,
}

struct Done(Arc<Slot>);

impl Drop for Done {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl hyper::body::Body for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
