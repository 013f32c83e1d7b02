//! Every route in one place, and the layers around them.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{DefaultBodyLimit, FromRef, Request, State};
use axum::http::{Method, request::Parts};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{any, get, post};
use leptos::config::LeptosOptions;
use leptos::nonce::Nonce;
use leptos::prelude::{provide_context, use_context};
use leptos::server_fn::ServerFn as _;
use leptos::server_fn::axum::server_fn_paths;
use leptos_axum::{LeptosRoutes, generate_route_list};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower::Layer;
use tower::util::MapRequestLayer;

use super::assets::Site;
use super::security::Policy;
use super::{
    audit_export, body, compressed, errors, export, forms, health, live, mcp, metrics, reference, security, session,
    telegram, upload, visitor,
};
use crate::api::error::Code;
use crate::api::import::PreviewImport;
use crate::app::{App, shell};
use crate::state::AppState;
use crate::words::errors as words;

/// What handlers share.
#[derive(Clone)]
pub struct Served {
    pub state: AppState,
    pub site: Site,
    /// Cancelled when the process was asked to stop.
    pub stopping: CancellationToken,
}

impl FromRef<Served> for AppState {
    fn from_ref(served: &Served) -> Self {
        served.state.clone()
    }
}

impl FromRef<Served> for LeptosOptions {
    fn from_ref(served: &Served) -> Self {
        served.state.leptos.clone()
    }
}

/// Routes that are neither pages (`app.rs`) nor server functions (`api/`).
const OWN: [&str; 8] = [
    "/api/v1/audit/export",
    "/api/v1/events",
    "/api/v1/export",
    "/healthz",
    "/readyz",
    "/metrics",
    "/api",
    "/api/openapi.json",
];

/// The whole server. Layers stand in groups, the outermost first: each group, and not each layer, is kept behind a pointer of its own.
pub fn router(served: Served) -> Router {
    let config = served.state.config.clone();
    let policy = Policy { secure: config.secure() };
    let public_url: Arc<str> = config.public_url.as_str().into();
    let [exported, events, everything, alive, ready, watched, described, document] = OWN;
    let routes = Router::new()
        .leptos_routes_with_context(&served, generate_route_list(App), context(served.state.clone()), shell)
        .layer((from_fn(whole), DefaultBodyLimit::disable()))
        .route(exported, get(audit_export::export))
        .route(events, get(live::events))
        .route(everything, get(export::export))
        .layer((
            from_fn(errors::honest),
            visitor::layer(served.state.clone()),
            from_fn_with_state(served.state.clone(), session::identify),
        ))
        .route(described, get(reference::page))
        .route(document, get(reference::document))
        .route("/api/", any(nothing))
        .route("/api/{*rest}", any(nothing))
        .route(alive, get(health::alive))
        .route(ready, get(health::ready))
        .route(watched, get(metrics::metrics))
        .route(telegram::WEBHOOK, post(telegram::webhook))
        .layer(MapRequestLayer::new(metrics::name))
        .with_state(served.clone());
    let (state, stopping) = (served.state.clone(), served.stopping.clone());
    // A plain form's answer may be another page: this one layer stands before the routes and not around each.
    Router::new()
        .fallback_service(from_fn_with_state(policy, forms::plain_forms).layer(routes))
        .layer((
            from_fn_with_state(public_url, security::csrf),
            from_fn_with_state(served.state.clone(), body::limit),
            MapRequestLayer::new(compressed::led_here),
            compressed::layer(),
            from_fn_with_state(served, files),
            from_fn(upload::as_form),
        ))
        .merge(mcp::routes(&state, &stopping))
        .layer((from_fn_with_state(state, metrics::count), from_fn_with_state(policy, security::headers)))
}

/// Every route as method and path, for those who must know all of them.
pub fn routes() -> Vec<(String, String)> {
    let pages = generate_route_list(App);
    let pages = pages.iter().map(|page| ("GET".to_owned(), page.path().to_owned()));
    let functions = server_fn_paths().map(|(path, method)| (method.to_string(), path.to_owned()));
    let own = OWN.iter().map(|path| ("GET".to_owned(), (*path).to_owned()));
    let others =
        [("POST", mcp::PATH), ("POST", telegram::WEBHOOK)].into_iter().chain(mcp::METADATA.map(|path| ("GET", path)));
    let others = others.map(|(method, path)| (method.to_owned(), path.to_owned()));
    let mut all: Vec<_> = pages.chain(functions).chain(own).chain(others).collect();
    all.sort();
    all.dedup();
    all
}

/// What server functions and pages find in their context: the state, and the nonce that the security layer minted.
fn context(state: AppState) -> impl Fn() + Clone + Send + Sync + 'static {
    move || {
        provide_context(state.clone());
        if let Some(nonce) = use_context::<Parts>().and_then(|parts| parts.extensions.get::<Nonce>().cloned()) {
            provide_context(nonce);
        }
    }
}

/// A file of the site, before any route is asked: the pages' own 404 answers for everything else.
async fn files(State(served): State<Served>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let named = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    if named && [Method::GET, Method::HEAD].contains(request.method()) {
        if let Some(file) = Box::pin(served.site.serve(path, request.headers())).await {
            return file;
        }
        if path.starts_with("/pkg/") {
            return nothing(request).await;
        }
    }
    next.run(request).await
}

/// Pages that are rendered at the same time; others wait. A reader who leaves meanwhile waits no longer.
static RENDERINGS: Semaphore = Semaphore::const_new(16);

/// Runs to the end even when the reader leaves: the values of a page end with its request, and the tasks that still read them
/// on other threads would panic; a change is made. What only reads for a program ends with its reader.
async fn whole(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_page = !path.starts_with("/api/");
    if !is_page && (request.method() == Method::GET || path == PreviewImport::PATH) {
        return next.run(request).await;
    }
    let place = if is_page { RENDERINGS.acquire().await.ok() } else { None };
    let rendering = tokio::spawn(async move {
        let _place = place;
        let (parts, body) = next.run(request).await.into_parts();
        let body = to_bytes(body, usize::MAX).await.map(Body::from);
        Response::from_parts(parts, body.unwrap_or_default())
    });
    rendering.await.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
}

async fn nothing(request: Request) -> Response {
    errors::response(Code::NotFound, &words::nothing_at(request.uri().path()))
}
