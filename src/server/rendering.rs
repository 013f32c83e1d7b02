//! Tests of rendering pages while their data arrives.

use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum::middleware::from_fn;
use axum::routing::get;
use axum::{Extension, Router};
use leptos::prelude::*;
use tokio::task::{JoinSet, yield_now};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::router::{on_one_thread, whole};
use crate::api::context::PageClient;
use crate::raw_text;
use crate::ui::derived::kept;

/// Renders data that one thread fetches while another waits for it.
fn page() -> impl IntoView {
    let list = Resource::new(
        || (),
        |()| async {
            yield_now().await;
            vec!["eggs".to_owned()]
        },
    );
    let shown = move || {
        let titles = kept(move || list.get().unwrap_or_default());
        view! { <For each=move || titles.get() key=Clone::clone let:title><p>{title}</p></For> }
    };
    view! { <Transition>{shown()}</Transition> }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_page_shows_the_answer_that_it_waited_for() {
    // Starts the executor of the pages' tasks.
    leptos_axum::generate_route_list(page);
    let mut pages = JoinSet::new();
    for _ in 0..2_000 {
        pages.spawn(on_one_thread(async {
            let answer = leptos_axum::render_app_to_stream(page)(Request::new(Body::empty())).await;
            let html = to_bytes(answer.into_body(), usize::MAX).await.expect("a page is rendered");
            String::from_utf8_lossy(&html).into_owned()
        }));
    }
    for html in pages.join_all().await {
        let html = html.unwrap();
        assert!(html.contains("<p>eggs"), "{html}");
    }
}

#[tokio::test]
async fn work_of_a_page_ends_with_its_client() {
    let ended = CancellationToken::new();
    let end = ended.clone();
    let page = move |Extension(PageClient(gone)): Extension<PageClient>| async move {
        gone.cancelled().await;
        end.cancel();
    };
    let pages = Router::new().route("/audit", get(page)).layer(from_fn(whole));
    let mut answer = Box::pin(pages.oneshot(Request::get("/audit").body(Body::empty()).unwrap()));
    assert!(futures::poll!(&mut answer).is_pending());
    drop(answer);
    ended.cancelled().await;
}

/// A document with a hostile title.
fn named() -> impl IntoView {
    leptos_meta::provide_meta_context();
    raw_text::document_title("a </title><script>b & c");
    view! { <html lang="en"><head><leptos_meta::MetaTags/></head></html> }
}

#[tokio::test]
async fn document_title_is_escaped() {
    leptos_axum::generate_route_list(named);
    let answer = leptos_axum::render_app_to_stream(named)(Request::new(Body::empty())).await;
    let html = to_bytes(answer.into_body(), usize::MAX).await.expect("a page is rendered");
    let html = String::from_utf8_lossy(&html);
    assert!(html.contains("<title>a &lt;/title&gt;&lt;script&gt;b &amp; c</title>"), "{html}");
}
