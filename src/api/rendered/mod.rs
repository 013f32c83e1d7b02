//! What is only read, as pieces of HTML: written on the server, so that the browser needs no code for it.

use leptos::prelude::*;

/// The list as it was.
mod as_of;
/// Bars over time, and their table.
mod chart;
/// The record in figures.
mod figures;
/// Whether the record is as it was written.
mod seal;
/// A turn of the record, told from beginning to end.
mod story;
/// What the parts of a story say.
mod telling;

pub use as_of::as_of;
pub use figures::figures;
pub use seal::seal;
pub use story::{Reader, story};

/// A piece as the page takes it in.
fn html(view: impl IntoView) -> String {
    view.into_view().to_html()
}

/// A name and a value of a list of facts.
fn fact(name: &'static str, value: impl Into<String>) -> AnyView {
    view! { <div class="story__fact"><dt>{name}</dt><dd>{value.into()}</dd></div> }.into_any()
}

/// The same of what programs call otherwise: their name stands behind it.
fn coded(name: &'static str, value: String, code: String) -> AnyView {
    view! { <div class="story__fact"><dt>{name}</dt><dd>{value} " " <code>{code}</code></dd></div> }.into_any()
}

/// The drawing of what opens, as the components have it.
fn chevron() -> AnyView {
    view! {
        <svg class="icon icon--chevron" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M6 9l6 6 6-6"></path></svg>
    }
    .into_any()
}

/// JSON that opens at a click.
fn folded(summary: &'static str, value: &serde_json::Value) -> AnyView {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    view! {
        <details class="story__raw"><summary>{summary} {chevron()}</summary><pre class="story__json" tabindex="0">{text}</pre></details>
    }
    .into_any()
}
