//! A log that starts at its end. It follows new entries while the reader is there, and otherwise shows a button.

use leptos::html::Div;
use leptos::prelude::*;

use super::{Icon, Shape};
use crate::domain::id::MessageId;
use crate::messages::chat as messages;
use crate::ui::any_view::{Contents, Erase, part};
use crate::ui::browser;

/// Distance from the end in CSS pixels within which a reader follows new entries.
const NEAR: i32 = 48;

/// `of` identifies the log and `last` its last entry. Scrolls to the end when another log replaces it, and when `sent` grows.
#[component]
pub fn Scroller(
    of: Signal<String>,
    last: Signal<Option<MessageId>>,
    sent: Signal<u32>,
    children: Contents,
) -> impl IntoView {
    let view = NodeRef::<Div>::new();
    let below = RwSignal::new(false);
    // The column is reversed: the end is at 0, earlier entries have negative offsets.
    let away = move || view.get_untracked().is_some_and(|view| view.scroll_top() < -NEAR);
    let down = move || {
        below.set(false);
        if let Some(view) = view.get_untracked() {
            view.set_scroll_top(0);
        }
    };
    Effect::new(move |before: Option<(String, Option<MessageId>)>| {
        let now = (of.get(), last.get());
        match before {
            Some(before) if before.0 != now.0 => down(),
            Some(before) if before.1 != now.1 && away() => below.set(true),
            _ => {}
        }
        now
    });
    Effect::new(move |before: Option<u32>| {
        let now = sent.get();
        if before.is_some_and(|before| before != now) {
            down();
        }
        now
    });
    let scrolled = move |_| {
        if below.get_untracked() && !away() {
            below.set(false);
        }
    };
    let press = move |_| {
        // The button is removed, and would take the focus with it.
        browser::focus(".scroller [role=log]");
        down();
    };
    view! {
        <div class="scroller">
            <div class="scroller__view" node_ref=view on:scroll=scrolled>{children.erase()}</div>
            {part(move || below.get().then(|| view! {
                <button type="button" class="scroller__below button" on:click=press>
                    {messages::NEW_BELOW} <span class="visually-hidden">{messages::MESSAGES_BELOW}</span> <Icon shape=Shape::Down/>
                </button>
            }))}
        </div>
    }
    .erase()
}
