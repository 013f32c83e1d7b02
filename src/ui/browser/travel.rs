//! The way between pages without loading each anew: links are followed here, and so are the buttons back and forward.

use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlAnchorElement, MouseEvent};

use crate::ui::address::Address;

/// What the browser shows as the page's address.
pub fn current() -> Address {
    let location = window().location();
    let search = location.search().unwrap_or_default();
    Address {
        path: location.pathname().unwrap_or_default(),
        search: search.strip_prefix('?').unwrap_or_default().to_owned(),
    }
}

/// Where a tab keeps the keys of its pages.
const PAGES: &str = "docket-pages";

/// The keys of the pages that this tab showed before one of that `key`, if it was loaded anew or come back to.
pub fn pages_before(key: &str) -> Option<Vec<String>> {
    let tab = window().session_storage().ok()??;
    let before = tab.get_item(PAGES).ok()?.unwrap_or_default();
    tab.set_item(PAGES, &format!("{before} {key}")).ok();
    is_back().then(|| before.split(' ').map(str::to_owned).collect())
}

/// Whether the page was not gone to (Navigation Timing: any type but 0, TYPE_NAVIGATE).
fn is_back() -> bool {
    let field = |of: &JsValue, name: &str| js_sys::Reflect::get(of, &name.into()).ok();
    let navigation = field(&window(), "performance").and_then(|performance| field(&performance, "navigation"));
    let kind = navigation.and_then(|navigation| field(&navigation, "type")?.as_f64());
    kind.is_some_and(|kind| kind > 0.0)
}

/// Keeps `now` at where the reader goes, and counts the links that they follow. It listens as long as the document lives.
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

/// Gives the page that is shown another address, without a step to go back to.
pub fn rename(address: &str) {
    let Ok(history) = window().history() else { return };
    history.replace_state_with_url(&JsValue::NULL, "", Some(address)).ok();
    // Whoever follows the address hears of it as of a step back.
    if let Ok(event) = web_sys::Event::new("popstate") {
        window().dispatch_event(&event).ok();
    }
}

/// The link that a click follows within this page; `None` where the browser has to do it: another tab or window, a file,
/// another site, a place on the page that is shown.
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
    // A page that leads to itself is no other place to come back to.
    if location.href().ok() != Some(link.href())
        && let Ok(history) = window().history()
    {
        history.push_state_with_url(&JsValue::NULL, "", Some(&to)).ok();
    }
    now.set(current());
    // Once the next page stands.
    request_animation_frame(move || {
        let place = hash.strip_prefix('#').filter(|id| !id.is_empty()).and_then(|id| document().get_element_by_id(id));
        match place {
            Some(place) => place.scroll_into_view(),
            None => window().scroll_to_with_x_and_y(0.0, 0.0),
        }
    });
}
