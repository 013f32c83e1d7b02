//! The memories. The server renders the whole page, and every form works without a script.

use leptos::prelude::*;

use crate::api::memories::Page;
use crate::messages::memories as messages;
use crate::ui::address::{here, title};
use crate::ui::any_view::Erase;
use crate::ui::components::Wait;
use crate::ui::fetch::Fetch;
use crate::ui::fragments::html;

#[component]
pub fn MemoryPage() -> impl IntoView {
    let address = here();
    let field = move |name: &str| address.with(|here| here.field(name));
    let page = Fetch::new(move || Page { query: field("query"), before: field("before") }, None);
    title(messages::MEMORY);
    view! {
        <div class="page page--narrow settings-page">
            <header class="page__head"><h1>{messages::MEMORY}</h1></header>
            <Wait>
                {html("stack", move || page.get().map(|page| page.map(|page| page.html)))}
            </Wait>
        </div>
    }
    .erase()
}
