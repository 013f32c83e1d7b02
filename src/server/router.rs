//! Every route, and the layers around them.

use std::sync::{Arc, LazyLock};

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
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::LocalPoolHandle;
use tower::Layer;
use tower::util::MapRequestLayer;

use super::assets::Site;
use super::security::Policy;
use super::{
    audit_export, body, compressed, errors, export, forms, health, live, mcp, metrics, reference, security, session,
    telegram, upload, visitor,
};
use crate::api::context::PageClient;
use crate::api::error::Code;
use crate::api::import::PreviewImport;
use crate::app::{App, shell};
use crate::domain::user::Caller;
use crate::messages::errors as messages;
use crate::state::AppState;
use crate::usecases::Lanes;

/// State shared by handlers.
#[derive(Clone)]
pub struct Served {
    pub state: AppState,
    pub site: Site,
    /// Cancelled when the process shall stop.
    pub stopping: CancellationToken,
}

impl FromRef<Served> for AppState {
    fn from_ref(served: &Served) -> Self {
        served.state.clone()
    }
}

impl FromRef<Served> for LeptosOptions {
    fn from_ref(served: &Served) -> Self {
        LeptosOptions::builder().output_name("docket").site_addr(served.state.config.addr).build()
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

/// Builds the whole server. Layers are grouped, outermost first: each group is boxed once, instead of each layer.
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
        // Clients that look for a sign-in ask here first. After a plain 404 they continue with the token that they have.
        .route("/.well-known/{*rest}", any(nothing))
        .route("/mcp/{*rest}", any(nothing))
        .route(alive, get(health::alive))
        .route(ready, get(health::ready))
        .route(watched, get(metrics::metrics))
        .route(telegram::WEBHOOK, post(telegram::webhook))
        .layer(MapRequestLayer::new(metrics::name))
        .with_state(served.clone());
    let (state, stopping) = (served.state.clone(), served.stopping.clone());
    // A plain form may be answered by another page, so this layer wraps the router instead of each route.
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

/// Returns every route as method and path.
pub fn routes() -> Vec<(String, String)> {
    let pages = generate_route_list(App);
    let pages = pages.iter().map(|page| ("GET".to_owned(), page.path().to_owned()));
    let functions = server_fn_paths().map(|(path, method)| (method.to_string(), path.to_owned()));
    let own = OWN.iter().map(|path| ("GET".to_owned(), (*path).to_owned()));
    let others = [mcp::PATH, telegram::WEBHOOK].map(|path| ("POST".to_owned(), path.to_owned()));
    let mut all: Vec<_> = pages.chain(functions).chain(own).chain(others).collect();
    all.sort();
    all.dedup();
    all
}

/// Provides the state and the security layer's nonce to server functions and pages.
fn context(state: AppState) -> impl Fn() + Clone + Send + Sync + 'static {
    move || {
        provide_context(state.clone());
        if let Some(nonce) = use_context::<Parts>().and_then(|parts| parts.extensions.get::<Nonce>().cloned()) {
            provide_context(nonce);
        }
    }
}

/// Serves a static file before any route is tried; the pages' own 404 answers everything else.
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

/// Limits the pages rendered at the same time; others wait. A client that disconnects leaves the queue.
static RENDERINGS: Semaphore = Semaphore::const_new(PLACES);
const PLACES: usize = 16;
/// Threads that render pages, each with a single-threaded runtime.
static THREADS: LazyLock<LocalPoolHandle> = LazyLock::new(|| LocalPoolHandle::new(PLACES));
/// Limits an account's pages rendered at the same time, so that other accounts have places.
static OWN_RENDERINGS: LazyLock<Lanes> = LazyLock::new(|| Lanes::new(4));

/// Renders a page on one thread. If an answer arrives on another thread than the one that waits for it, Leptos may miss it: the page
/// would never end.
pub(super) fn on_one_thread<F>(page: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    THREADS.spawn_pinned(|| page)
}

/// Runs pages and changes to the end even if the client disconnects. A dropped page would free values that tasks on other threads
/// still read, and they would panic. A page's long work ends with its client instead. A read by an API client is cancelled with its
/// client.
pub(super) async fn whole(mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_page = !path.starts_with("/api/");
    if !is_page && (request.method() == Method::GET || path == PreviewImport::PATH) {
        return next.run(request).await;
    }
    let caller = request.extensions().get::<Option<Caller>>().cloned().flatten().filter(|_| is_page);
    let own = match &caller {
        Some(caller) => Some(OWN_RENDERINGS.place(caller.id()).await),
        None => None,
    };
    let place = if is_page { RENDERINGS.acquire().await.ok() } else { None };
    let gone = CancellationToken::new();
    let _waits = gone.clone().drop_guard();
    if request.method().is_safe() {
        request.extensions_mut().insert(PageClient(gone));
    }
    let rendering = async move {
        let _places = (own, place);
        let (parts, body) = next.run(request).await.into_parts();
        let body = to_bytes(body, usize::MAX).await.map(Body::from);
        Response::from_parts(parts, body.unwrap_or_default())
    };
    let rendering = if is_page { on_one_thread(rendering) } else { tokio::spawn(rendering) };
    rendering.await.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
}

async fn nothing(request: Request) -> Response {
    errors::response(Code::NotFound, &messages::nothing_at(request.uri().path()))
}
