//! The event stream: opened where the page's data ends, resumed where it broke.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::wasm_bindgen::closure::Closure;
use leptos::web_sys::{Event, EventSource, MessageEvent};

use super::super::live::Live;
use crate::domain::live::EventKind;

/// Listens to everything after `head`. The browser reconnects by itself and names the last event that it heard.
pub fn open(live: Live, head: i64) {
    let Ok(source) = EventSource::new(&format!("/api/v1/events?after={head}")) else { return };
    for kind in EventKind::ALL {
        let hear = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data().as_string().unwrap_or_default();
            live.hear(kind, &serde_json::from_str(&data).unwrap_or_default());
        });
        source.add_event_listener_with_callback(kind.as_str(), hear.as_ref().unchecked_ref()).ok();
        // The stream lives as long as the page.
        hear.forget();
    }
    let opened = Closure::<dyn Fn()>::new(move || live.connected.set(true));
    source.set_onopen(Some(opened.as_ref().unchecked_ref()));
    opened.forget();
    let broke = Closure::<dyn Fn(Event)>::new(move |_| live.connected.set(false));
    source.set_onerror(Some(broke.as_ref().unchecked_ref()));
    broke.forget();
}
