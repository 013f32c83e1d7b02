//! Export and import of the user's data.

use leptos::prelude::*;

use crate::messages::settings as messages;
use crate::ui::any_view::{Erase, Piece};

/// Plain links, since they download files.
pub fn section() -> Piece {
    view! {
        <section class="sheet sheet--padded" aria-labelledby="data">
            <h2 id="data">{messages::YOUR_DATA}</h2>
            <p class="page__lead">
                {messages::WHAT_IS_EXPORTED}
            </p>
            <p>
                <a href="/api/v1/export?format=json" rel="external" download="docket.json">{messages::EVERYTHING_JSON}</a> " · "
                <a href="/api/v1/export?format=csv" rel="external" download="docket.csv">{messages::TASKS_CSV}</a> " · "
                <a href="/tasks/import">{messages::IMPORT_TASKS}</a>
            </p>
        </section>
    }
    .erase()
}
