//! Import of tasks from files of other programs.

use leptos::prelude::*;

use crate::ui::address::title;
use crate::ui::any_view::{Erase, held};
use crate::ui::components::Wait;
use crate::ui::fetch::Fetch;
use crate::ui::rendered::import::GetImport;
use crate::ui::rendered::placed;
use crate::words::import as words;

#[component]
pub fn ImportPage() -> impl IntoView {
    let shown = placed(Fetch::new(|| GetImport {}, None));
    title(words::IMPORT_TASKS);
    view! {
        <div class="page page--narrow">
            <header class="page__head"><h1>{words::IMPORT_TASKS}</h1><a href="/tasks">{words::TASKS}</a></header>
            <Wait>{held(shown.clone())}</Wait>
        </div>
    }
    .erase()
}
