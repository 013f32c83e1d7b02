//! An address with nothing behind it.

use leptos::prelude::*;

use crate::ui::address::title;
use crate::ui::components::{Brand, EmptyState, Shape};
use crate::ui::erase::Erase;

#[component]
pub fn NotFoundPage() -> impl IntoView {
    #[cfg(feature = "ssr")]
    crate::api::context::not_found();
    title("Not found");
    view! {
        <main class="door">
            <div class="door__brand"><Brand/></div>
            <h1 class="visually-hidden">"Not found"</h1>
            <EmptyState shape=Shape::Search title="There is nothing at this address">
                "It may have moved, or never been. " <a href="/">"Back to Docket"</a>
            </EmptyState>
        </main>
    }
    .erase()
}
