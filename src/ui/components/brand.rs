//! Product name and mark.

use crate::messages::layout as messages;
use crate::ui::any_view::Erase;
use leptos::prelude::*;

#[component]
pub fn Brand() -> impl IntoView {
    view! {
        <a class="brand" href="/">
            <svg class="brand__mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
                <rect class="brand__ground" width="32" height="32" rx="8"></rect>
                <path class="brand__lines" d="M8 10.5l2.2 2.2L14 9M17.5 11H24M8 20.5l2.2 2.2L14 19M17.5 21H24"
                    fill="none" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"></path>
            </svg>
            <span class="brand__name">{messages::DOCKET}</span>
        </a>
    }
    .erase()
}
