//! Read-only page fragments: rendered on the server, so that the browser needs no code for them.

use leptos::prelude::*;

mod as_of;
mod chart;
mod seal;
mod statistics;
mod timeline;
mod turn_detail;

pub use as_of::as_of;
pub use seal::seal;
pub use statistics::figures;
pub use turn_detail::{Reader, story};

fn html(view: impl IntoView) -> String {
    view.into_view().to_html()
}

/// A name and a value in a list of facts.
fn fact(name: &'static str, value: impl Into<String>) -> AnyView {
    view! { <div class="story__fact"><dt>{name}</dt><dd>{value.into()}</dd></div> }.into_any()
}

/// A fact followed by the name that programs use for its value.
fn coded(name: &'static str, value: String, code: String) -> AnyView {
    view! { <div class="story__fact"><dt>{name}</dt><dd>{value} " " <code>{code}</code></dd></div> }.into_any()
}

/// The chevron icon of a disclosure, drawn as in the UI components.
fn chevron() -> AnyView {
    view! {
        <svg class="icon icon--chevron" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M6 9l6 6 6-6"></path></svg>
    }
    .into_any()
}

/// JSON in a collapsed disclosure.
fn folded(summary: &'static str, value: &serde_json::Value) -> AnyView {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    view! {
        <details class="story__raw"><summary>{summary} {chevron()}</summary><pre class="story__json" tabindex="0">{text}</pre></details>
    }
    .into_any()
}
