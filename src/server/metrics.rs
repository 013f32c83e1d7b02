//! `/metrics`: metrics for operators (R-1005), and the counting of requests.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use subtle::ConstantTimeEq as _;

use super::router::Served;
use super::{errors, session};
use crate::api::error::Code;
use crate::state::AppState;
use crate::usecases::queue_depth;

/// OpenMetrics, which Prometheus supports.
const TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Headers by which a proxy marks a forwarded request.
const FORWARDED: [HeaderName; 3] = [
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-real-ip"),
    HeaderName::from_static("forwarded"),
];
/// Label for requests without a route: static files, unknown addresses, requests rejected earlier.
const OTHER: &str = "other";

/// Returns metrics of this process and its database: with DOCKET_METRICS_TOKEN if set, otherwise for this machine only.
pub async fn metrics(State(served): State<Served>, request: Request) -> Response {
    let state = &served.state;
    if let Some(refused) = refusal(state, &request) {
        return refused;
    }
    match queue_depth::now(&state.ctx).await {
        Ok(load) => {
            let text = state.telemetry.metrics.render(&load, state.circuit_open());
            ([(header::CONTENT_TYPE, TEXT), (header::CACHE_CONTROL, "no-store")], text).into_response()
        }
        Err(error) => {
            tracing::error!(error = ?error, "the database did not answer");
            errors::response(Code::Unavailable, "The database did not answer. Try again in a moment.")
        }
    }
}

/// Returns the refusal for a request without access.
fn refusal(state: &AppState, request: &Request) -> Option<Response> {
    let headers = request.headers();
    if let Some(token) = &state.config.metrics_token {
        let shown = session::bearer(headers).unwrap_or_default();
        if bool::from(shown.as_bytes().ct_eq(token.reveal().as_bytes())) {
            return None;
        }
        let why = "Authenticate with the token from DOCKET_METRICS_TOKEN: Authorization: Bearer ….";
        let mut refused = errors::response(Code::Unauthenticated, why);
        refused.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return Some(refused);
    }
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    if peer.is_some_and(|peer| peer.0.ip().to_canonical().is_loopback()) && !forwarded(headers) {
        return None;
    }
    let why = "Metrics are available on this machine only. To read them from another one, set DOCKET_METRICS_TOKEN \
         and send it as a bearer token.";
    Some(errors::response(Code::Forbidden, why))
}

/// Returns true if a proxy on this machine, or a page by DNS rebinding, forwards a request.
fn forwarded(headers: &HeaderMap) -> bool {
    let here = |host: &str| {
        let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|digit| digit.is_ascii_digit()));
        let name = name.map_or(host, |(name, _)| name).trim_matches(['[', ']']);
        name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    FORWARDED.iter().any(|name| headers.contains_key(name)) || !host.is_none_or(here)
}

/// Pattern of the route that answered: the first one, if a form's call is followed by its page.
#[derive(Clone, Default)]
struct Route(Arc<OnceLock<MatchedPath>>);

/// Reports the matched route to the outer layer, since it is known only inside the router.
pub fn name(request: Request) -> Request {
    let extensions = request.extensions();
    if let (Some(route), Some(path)) = (extensions.get::<Route>(), extensions.get::<MatchedPath>()) {
        route.0.get_or_init(|| path.clone());
    }
    request
}

/// Counts every request by route and status class.
pub async fn count(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let (begun, own) = (Instant::now(), request.extensions().get::<MatchedPath>().cloned());
    let route = Route::default();
    request.extensions_mut().insert(route.clone());
    let response = next.run(request).await;
    let route = route.0.get().or(own.as_ref());
    let found = response.status() != StatusCode::NOT_FOUND;
    let named = route.map(MatchedPath::as_str).filter(|path| found || !path.contains("{*"));
    state.telemetry.metrics.request(named.unwrap_or(OTHER), response.status().as_u16(), begun.elapsed());
    response
}
