//! The list at a point in time.

use leptos::prelude::*;

use crate::api::as_of;
use crate::messages::as_of as messages;
use crate::ui::address::{here, title};
use crate::ui::any_view::Erase;
use crate::ui::components::Wait;
use crate::ui::derived::kept;
use crate::ui::fetch::Fetch;
use crate::ui::fragments::html;

#[component]
pub fn AsOfPage() -> impl IntoView {
    let address = here();
    let at = kept(move || address.with(|here| here.field("at")));
    let cursor = kept(move || address.with(|here| here.field("cursor")));
    let found = Fetch::new(move || as_of::AsOfPage { at: at.get(), cursor: cursor.get() }, None);
    title(messages::THE_LIST_AS_OF);
    view! {
        <div class="page">
            <header class="page__head"><h1>{messages::HEADING}</h1><a href="/tasks">{messages::TASKS_NOW}</a></header>
            <Wait>
                {html("as-of", move || found.get())}
            </Wait>
        </div>
    }
    .erase()
}
