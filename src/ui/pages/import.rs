//! Import of tasks from files of other programs.

use leptos::prelude::*;

use crate::messages::import as messages;
use crate::ui::address::title;
use crate::ui::any_view::{Erase, held};
use crate::ui::components::Wait;
use crate::ui::fetch::Fetch;
use crate::ui::fragments::import::GetImport;
use crate::ui::fragments::placed;

#[component]
pub fn ImportPage() -> impl IntoView {
    let shown = placed(Fetch::new(|| GetImport {}, None));
    title(messages::IMPORT_TASKS);
    view! {
        <div class="page page--narrow">
            <header class="page__head"><h1>{messages::IMPORT_TASKS}</h1><a href="/tasks">{messages::TASKS}</a></header>
            <Wait>{held(shown.clone())}</Wait>
        </div>
    }
    .erase()
}
