//! What is yours, to take along.

use leptos::prelude::*;

use crate::ui::erase::{Erase, Piece};

/// Plain links: what they lead to are files.
pub fn section() -> Piece {
    view! {
        <section class="sheet sheet--padded" aria-labelledby="data">
            <h2 id="data">"Your data"</h2>
            <p class="page__lead">
                "Everything as JSON (tasks, conversations, approvals, changes, memories, settings), or your tasks as a table. \
                 Tasks of other programs come in from their files."
            </p>
            <p>
                <a href="/api/v1/export?format=json" rel="external" download="docket.json">"Everything (JSON)"</a> " · "
                <a href="/api/v1/export?format=csv" rel="external" download="docket.csv">"Tasks (CSV)"</a> " · "
                <a href="/tasks/import">"Import tasks"</a>
            </p>
        </section>
    }
    .erase()
}
