//! The list as it was at any moment.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::api::as_of;
use crate::ui::erase::Erase;
use crate::ui::fetch::Fetch;
use crate::ui::kept::kept;

#[component]
pub fn AsOfPage() -> impl IntoView {
    let query = use_query_map();
    let at = kept(move || query.with(|query| query.get("at")));
    let found = Fetch::new(move || as_of::AsOfPage { at: at.get() }, None);
    view! {
        <Title text="The list as of"/>
        <div class="page">
            <header class="page__head"><h1>"The list as of…"</h1><a href="/tasks">"Tasks now"</a></header>
            <Transition>
                {move || found.get().map(|found| match found {
                    Ok(html) => view! { <div class="as-of" inner_html=html></div> }.erase(),
                    Err(error) => view! { <p class="error" role="alert">{error.message}</p> }.erase(),
                })}
            </Transition>
        </div>
    }
    .erase()
}
