//! What is remembered. The server makes it whole: nothing on it moves, and every form works without a script.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::api::memories::Page;
use crate::ui::erase::Erase;
use crate::ui::fetch::Fetch;

#[component]
pub fn MemoryPage() -> impl IntoView {
    let query = use_query_map();
    let field = move |name: &str| query.with(|query| query.get(name));
    let page = Fetch::new(move || Page { query: field("query"), before: field("before") }, None);
    view! {
        <Title text="Memory"/>
        <div class="page page--narrow settings-page">
            <header class="page__head"><h1>"Memory"</h1></header>
            <Transition>
                {move || page.get().map(|page| match page {
                    Ok(page) => view! { <div class="stack" inner_html=page.html></div> }.erase(),
                    Err(error) => view! { <p class="error" role="alert">{error.message}</p> }.erase(),
                })}
            </Transition>
        </div>
    }
    .erase()
}
