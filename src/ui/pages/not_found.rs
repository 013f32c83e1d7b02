//! The page for unknown addresses.

use leptos::prelude::*;

use crate::messages::layout as messages;
use crate::ui::address::title;
use crate::ui::any_view::Erase;
use crate::ui::components::{Brand, EmptyState, Shape};

#[component]
pub fn NotFoundPage() -> impl IntoView {
    #[cfg(feature = "ssr")]
    crate::api::context::not_found();
    title(messages::NOT_FOUND);
    view! {
        <main class="door">
            <div class="door__brand"><Brand/></div>
            <h1 class="visually-hidden">{messages::NOT_FOUND}</h1>
            <EmptyState shape=Shape::Search title=messages::NOTHING_HERE>
                {messages::IT_MAY_HAVE_MOVED} <a href="/">{messages::BACK_TO_DOCKET}</a>
            </EmptyState>
        </main>
    }
    .erase()
}
