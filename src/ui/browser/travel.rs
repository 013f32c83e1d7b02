//! Client-side navigation: follows links and the back and forward buttons without a page load.

use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlAnchorElement, MouseEvent};

use crate::ui::address::Address;

/// Returns the address in the browser's address bar.
pub fn current() -> Address {
    let location = window().location();
    let search = location.search().unwrap_or_default();
    Address {
        path: location.pathname().unwrap_or_default(),
        search: search.strip_prefix('?').unwrap_or_default().to_owned(),
    }
}

/// Session storage entry with the form keys of this tab's pages.
const PAGES: &str = "docket-pages";

/// Adds `key` to this tab's pages. Returns the earlier keys if the page was reloaded or reached through the history.
pub fn pages_before(key: &str) -> Option<Vec<String>> {
    let tab = window().session_storage().ok()??;
    let before = tab.get_item(PAGES).ok()?.unwrap_or_default();
    tab.set_item(PAGES, &format!("{before} {key}")).ok();
    is_back().then(|| before.split(' ').map(str::to_owned).collect())
}

/// Returns true if the page was reloaded or restored (Navigation Timing: any type but 0, TYPE_NAVIGATE).
fn is_back() -> bool {
    let field = |of: &JsValue, name: &str| js_sys::Reflect::get(of, &name.into()).ok();
    let navigation = field(&window(), "performance").and_then(|performance| field(&performance, "navigation"));
    let kind = navigation.and_then(|navigation| field(&navigation, "type")?.as_f64());
    kind.is_some_and(|kind| kind > 0.0)
}

/// Keeps `now` at the current address and counts followed links in `steps`, as long as the document exists.
pub fn watch(now: RwSignal<Address>, steps: RwSignal<u32>) {
    window_event_listener(ev::click, move |event| {
        if let Some(link) = followed(&event) {
            event.prevent_default();
            steps.update(|n| *n += 1);
            go(&link, now);
        }
    });
    window_event_listener(ev::popstate, move |_| now.set(current()));
}

pub fn rename(address: &str) {
    let Ok(history) = window().history() else { return };
    history.replace_state_with_url(&JsValue::NULL, "", Some(address)).ok();
    // Notifies subscribers of the address, as a step back would.
    if let Ok(event) = web_sys::Event::new("popstate") {
        window().dispatch_event(&event).ok();
    }
}

/// Returns the link that a click follows within this page. Returns `None` if the browser has to handle it: another tab
/// or window, a download, another origin, or an anchor on this page.
fn followed(event: &MouseEvent) -> Option<HtmlAnchorElement> {
    let elsewhere = event.meta_key() || event.ctrl_key() || event.alt_key() || event.shift_key();
    if elsewhere || event.default_prevented() || event.button() != 0 {
        return None;
    }
    let target: Element = event.target()?.dyn_into().ok()?;
    let link: HtmlAnchorElement = target.closest("a[href]").ok()??.dyn_into().ok()?;
    let given_away = !link.target().is_empty() || link.has_attribute("download") || link.rel().contains("external");
    if given_away || Some(link.origin()) != window().location().origin().ok() {
        return None;
    }
    let here = current();
    let same = link.pathname() == here.path && link.search().trim_start_matches('?') == here.search;
    (!same || link.hash().is_empty()).then_some(link)
}

fn go(link: &HtmlAnchorElement, now: RwSignal<Address>) {
    let hash = link.hash();
    let to = link.pathname() + &link.search() + &hash;
    let location = window().location();
    // A link to the current address adds no history entry.
    if location.href().ok() != Some(link.href())
        && let Ok(history) = window().history()
    {
        history.push_state_with_url(&JsValue::NULL, "", Some(&to)).ok();
    }
    now.set(current());
    // After the next page has rendered.
    request_animation_frame(move || {
        let place = hash.strip_prefix('#').filter(|id| !id.is_empty()).and_then(|id| document().get_element_by_id(id));
        match place {
            Some(place) => place.scroll_into_view(),
            None => window().scroll_to_with_x_and_y(0.0, 0.0),
        }
    });
}
