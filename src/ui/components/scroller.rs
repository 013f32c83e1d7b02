//! A log that begins at its end: it follows what is added while its reader is there, and else leads down to it.

use leptos::html::Div;
use leptos::prelude::*;

use super::{Icon, Shape};
use crate::domain::id::MessageId;
use crate::ui::browser;
use crate::ui::erase::{Contents, Erase, part};
use crate::words::chat as words;

/// How far from its end, in CSS pixels, a reader still follows it.
const NEAR: i32 = 48;

/// `of` names the log and `last` its last entry. It goes down by itself where another log takes its place, and when the reader
/// `sent` something, which grows by that.
#[component]
pub fn Scroller(
    of: Signal<String>,
    last: Signal<Option<MessageId>>,
    sent: Signal<u32>,
    children: Contents,
) -> impl IntoView {
    let view = NodeRef::<Div>::new();
    let below = RwSignal::new(false);
    // Upside down: the end is at 0, and what stands further up is below that.
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
        // The button goes, and would take the focus with it.
        browser::focus(".scroller [role=log]");
        down();
    };
    view! {
        <div class="scroller">
            <div class="scroller__view" node_ref=view on:scroll=scrolled>{children.erase()}</div>
            {part(move || below.get().then(|| view! {
                <button type="button" class="scroller__below button" on:click=press>
                    {words::NEW_BELOW} <span class="visually-hidden">{words::MESSAGES_BELOW}</span> <Icon shape=Shape::Down/>
                </button>
            }))}
        </div>
    }
    .erase()
}
