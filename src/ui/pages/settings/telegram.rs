//! Telegram, rendered by the server so that the browser needs no code for it, and browser notifications.

use leptos::prelude::*;

use crate::messages::settings as messages;
use crate::ui::any_view::{Erase, Piece};
use crate::ui::browser;
use crate::ui::toaster::{Toast, Toaster};

/// Toasts after the browser's permission prompt.
const ALLOWED: &str = messages::NOTIFICATIONS_SHOW;
const NOT_ALLOWED: &str = messages::NOTIFICATIONS_NOT_ALLOWED;

/// `made` is the section's HTML from Docket, with a form or a linking code.
pub fn section(made: Option<String>) -> Piece {
    let toaster = Toaster::current();
    let answered = move |allowed: bool| {
        let text = if allowed { ALLOWED } else { NOT_ALLOWED };
        toaster.0.set(Some(Toast { failed: !allowed, ..Toast::failure(text.to_owned(), None) }));
    };
    view! {
        <section class="sheet sheet--padded" aria-labelledby="telegram">
            <h2 id="telegram">{messages::TELEGRAM_AND_REMINDERS}</h2>
            <div class="settings-page__telegram" inner_html=made.unwrap_or_default()></div>
            <div class="stack__actions settings-page__notify">
                <button type="button" class="button" on:click=move |_| browser::ask_to_notify(answered)>
                    {messages::SHOW_NOTIFICATIONS}
                </button>
            </div>
        </section>
    }
    .erase()
}
