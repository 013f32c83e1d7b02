//! Which of the conversation and the list the chat shows, where there is room for both.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos::task::spawn_local;

use super::ReturnTo;
use crate::api::settings::{Layout, SetAppearance};
use crate::ui::erase::{Erase, held};
use crate::ui::{browser, call};
use crate::words::chat as words;

/// The document says it, so that it is there from the first paint on; a press says so at once, and has the browser remember it.
#[component]
pub fn LayoutSwitch() -> impl IntoView {
    let chosen = RwSignal::new(shown());
    let choose = move |layout: Layout| {
        chosen.set(layout);
        browser::lay_out(layout.as_str());
        spawn_local(async move {
            // Without an answer it is not remembered, and nothing else is lost.
            call::post(SetAppearance::PATH, call::form(&[("layout", layout.as_str())])).await.ok();
        });
    };
    let choices = Layout::ALL.map(|layout| {
        let label = match layout {
            Layout::Chat => words::CHAT,
            Layout::Both => words::BOTH,
            Layout::Tasks => words::TASKS,
        };
        let press = move |event: leptos::ev::MouseEvent| {
            event.prevent_default();
            choose(layout);
        };
        view! {
            <button class="layout-switch__choice" name="layout" value=layout.as_str() on:click=press
                aria-pressed=held(move || (chosen.get() == layout).to_string())>{label}</button>
        }
    });
    view! {
        <form class="layout-switch" method="post" action=SetAppearance::url() aria-label=words::WHAT_IS_SHOWN>
            <ReturnTo/>
            {choices}
        </form>
    }
    .erase()
}

/// What the document shows.
#[cfg(feature = "ssr")]
fn shown() -> Layout {
    crate::api::context::layout()
}

#[cfg(not(feature = "ssr"))]
fn shown() -> Layout {
    Layout::parse(&browser::layout().unwrap_or_default())
}
