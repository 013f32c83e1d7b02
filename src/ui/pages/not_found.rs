//! The page for unknown addresses.

use leptos::prelude::*;

use crate::ui::address::title;
use crate::ui::any_view::Erase;
use crate::ui::components::{Brand, EmptyState, Shape};
use crate::words::frame as words;

#[component]
pub fn NotFoundPage() -> impl IntoView {
    #[cfg(feature = "ssr")]
    crate::api::context::not_found();
    title(words::NOT_FOUND);
    view! {
        <main class="door">
            <div class="door__brand"><Brand/></div>
            <h1 class="visually-hidden">{words::NOT_FOUND}</h1>
            <EmptyState shape=Shape::Search title=words::NOTHING_HERE>
                {words::IT_MAY_HAVE_MOVED} <a href="/">{words::BACK_TO_DOCKET}</a>
            </EmptyState>
        </main>
    }
    .erase()
}
