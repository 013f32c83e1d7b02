//! Export and import of the user's data.

use leptos::prelude::*;

use crate::ui::any_view::{Erase, Piece};
use crate::words::settings as words;

/// Plain links, since they download files.
pub fn section() -> Piece {
    view! {
        <section class="sheet sheet--padded" aria-labelledby="data">
            <h2 id="data">{words::YOUR_DATA}</h2>
            <p class="page__lead">
                {words::WHAT_IS_EXPORTED}
            </p>
            <p>
                <a href="/api/v1/export?format=json" rel="external" download="docket.json">{words::EVERYTHING_JSON}</a> " · "
                <a href="/api/v1/export?format=csv" rel="external" download="docket.csv">{words::TASKS_CSV}</a> " · "
                <a href="/tasks/import">{words::IMPORT_TASKS}</a>
            </p>
        </section>
    }
    .erase()
}
