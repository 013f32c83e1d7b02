//! Telegram: made whole by the server, so that the browser needs no code for it.

use leptos::prelude::*;

use crate::ui::erase::{Erase, Piece};

/// `made` is the section's HTML, with a form or a code of Docket's own in it.
pub fn section(made: Option<String>) -> Piece {
    view! {
        <section class="sheet sheet--padded" aria-labelledby="telegram">
            <h2 id="telegram">"Telegram and reminders"</h2>
            <div class="settings-page__telegram" inner_html=made.unwrap_or_default()></div>
        </section>
    }
    .erase()
}
