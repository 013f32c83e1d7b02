//! Tasks from files of other programs.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::ui::erase::Erase;
use crate::ui::fetch::Fetch;
use crate::ui::rendered::import::GetImport;
use crate::ui::rendered::placed;

#[component]
pub fn ImportPage() -> impl IntoView {
    let shown = placed(Fetch::new(|| GetImport {}, None));
    view! {
        <Title text="Import tasks"/>
        <div class="page page--narrow">
            <header class="page__head"><h1>"Import tasks"</h1><a href="/tasks">"Tasks"</a></header>
            <Transition>{shown.clone()}</Transition>
        </div>
    }
    .erase()
}
