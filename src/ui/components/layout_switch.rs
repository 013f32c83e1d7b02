//! The switch between conversation, list and both, on screens with room for both.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos::task::spawn_local;

use super::ReturnTo;
use crate::api::settings::{Layout, SetAppearance};
use crate::messages::chat as messages;
use crate::ui::any_view::{Erase, held};
use crate::ui::{browser, http};

/// The document carries the layout, so that it applies from the first paint. A press updates it and stores it in a cookie.
#[component]
pub fn LayoutSwitch() -> impl IntoView {
    let chosen = RwSignal::new(shown());
    let choose = move |layout: Layout| {
        chosen.set(layout);
        browser::lay_out(layout.as_str());
        spawn_local(async move {
            // If the request fails, only the cookie is missing.
            http::post(SetAppearance::PATH, http::form(&[("layout", layout.as_str())])).await.ok();
        });
    };
    let choices = Layout::ALL.map(|layout| {
        let label = match layout {
            Layout::Chat => messages::CHAT,
            Layout::Both => messages::BOTH,
            Layout::Tasks => messages::TASKS,
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
        <form class="layout-switch" method="post" action=SetAppearance::url() aria-label=messages::WHAT_IS_SHOWN>
            <ReturnTo/>
            {choices}
        </form>
    }
    .erase()
}

#[cfg(feature = "ssr")]
fn shown() -> Layout {
    crate::api::context::layout()
}

#[cfg(not(feature = "ssr"))]
fn shown() -> Layout {
    Layout::parse(&browser::layout().unwrap_or_default())
}
