//! Access to the document, focus, storage and notifications. On the server every function here does nothing.

use leptos::prelude::*;
use leptos::web_sys;

#[cfg(feature = "hydrate")]
mod drag;
/// Keyboard shortcuts.
#[cfg(feature = "hydrate")]
pub mod keys;
#[cfg(all(feature = "hydrate", debug_assertions))]
pub mod panics;
/// Unread questions and focused fields.
mod reading;
/// The event stream.
#[cfg(feature = "hydrate")]
pub mod stream;
/// Client-side navigation.
#[cfg(feature = "hydrate")]
pub mod travel;

pub use reading::{has_unread_question, types_elsewhere};

/// Marks the document as hydrated, for stylesheets and tests.
pub fn mark_live() {
    if let Some(root) = document().document_element() {
        root.set_attribute("data-live", "").ok();
    }
}

/// Returns the chat layout that the document shows, as rendered by the server or set by [`lay_out`].
pub fn layout() -> Option<String> {
    document().document_element()?.get_attribute("data-layout")
}

/// Sets the chat layout that the document shows.
pub fn lay_out(layout: &str) {
    if let Some(root) = document().document_element() {
        root.set_attribute("data-layout", layout).ok();
    }
}

/// Returns the action and the URL-encoded fields of the submitted form, including the pressed button's.
pub fn form_of(event: &leptos::ev::SubmitEvent) -> Option<(String, String)> {
    #[cfg(feature = "hydrate")]
    {
        use leptos::wasm_bindgen::JsCast;
        let form = event.target()?.dyn_into::<web_sys::HtmlFormElement>().ok()?;
        let data = web_sys::FormData::new_with_form(&form).ok()?;
        let fields = web_sys::UrlSearchParams::new_with_str_sequence_sequence(&data).ok()?;
        if let Some(pressed) = event.submitter()
            && let (Some(name), Some(value)) = (pressed.get_attribute("name"), pressed.get_attribute("value"))
        {
            fields.append(&name, &value);
        }
        Some((form.get_attribute("action")?, fields.to_string().as_string()?))
    }
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = event;
        None
    }
}

/// Submits the form of `element` as if its button had been pressed.
pub fn submit_form_of(element: &web_sys::HtmlTextAreaElement) {
    if let Some(form) = element.form() {
        form.request_submit().ok();
    }
}

/// Prefix of the storage keys of drafts.
pub const DRAFTS: &str = "docket-draft ";

/// Returns the text stored in the browser under `name`.
pub fn kept_text(name: &str) -> Option<String> {
    #[cfg(feature = "hydrate")]
    return storage()?.get_item(name).ok()?;
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = name;
        None
    }
}

/// Stores a text in the browser under `name`; an empty text removes the entry. Errors are ignored: in some private
/// windows there is no storage.
pub fn keep_text(name: &str, text: &str) {
    #[cfg(feature = "hydrate")]
    if let Some(storage) = storage() {
        let kept = if text.is_empty() { storage.remove_item(name) } else { storage.set_item(name, text) };
        kept.ok();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = (name, text);
}

pub fn kept_names(begin: &str) -> Vec<String> {
    #[cfg(feature = "hydrate")]
    let names = storage().map(|storage| {
        let all = (0..storage.length().unwrap_or_default()).filter_map(|at| storage.key(at).ok().flatten());
        all.filter(|name| name.starts_with(begin)).collect()
    });
    #[cfg(not(feature = "hydrate"))]
    let names = Some(begin).and(None);
    names.unwrap_or_default()
}

/// Removes all drafts, since another person may use the browser next.
pub fn forget_drafts() {
    for name in kept_names(DRAFTS) {
        keep_text(&name, "");
    }
}

#[cfg(feature = "hydrate")]
fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// Resets the fields of a form to their default values.
pub fn reset(form: &web_sys::HtmlFormElement) {
    form.reset();
}

/// Returns true if the page's tab is visible.
pub fn is_looked_at() -> bool {
    !document().hidden()
}

/// Returns true if no element has the focus, as after the focused row was removed.
pub fn nothing_focused() -> bool {
    document().active_element().is_none_or(|element| element.tag_name() == "BODY")
}

/// Focuses the first element that matches, if there is one.
pub fn focus(selector: &str) {
    use leptos::wasm_bindgen::JsCast;
    let found = document().query_selector(selector).ok().flatten();
    if let Some(element) = found.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        element.focus().ok();
    }
}

/// Scrolls the first element that matches into view, no further than necessary.
pub fn show(selector: &str) {
    #[cfg(feature = "hydrate")]
    if let Some(element) = document().query_selector(selector).ok().flatten() {
        bring_in_sight(&element);
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = selector;
}

#[cfg(feature = "hydrate")]
fn bring_in_sight(element: &web_sys::Element) {
    let nearest = web_sys::ScrollIntoViewOptions::new();
    nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&nearest);
}

/// Animation frames to wait for each selector before the next one is tried as well.
const PATIENCE: usize = 6;

/// Focuses the first of these elements that appears while nothing has the focus. Each later one is tried only after
/// some frames. Focus that a later render removes is set again.
pub fn focus_one_of(selectors: &'static [&'static str]) {
    seek_focus(selectors, 0);
}

fn seek_focus(selectors: &'static [&'static str], frame: usize) {
    request_animation_frame(move || {
        for selector in selectors.iter().take(frame / PATIENCE + 1) {
            if nothing_focused() {
                focus(selector);
            }
        }
        if frame < PATIENCE * (selectors.len() + 1) {
            seek_focus(selectors, frame + 1);
        }
    });
}

/// Restores the focus after the next render, to the same element or to the one that replaced it under its id. If the
/// element is disabled then, focuses an enabled button next to it.
pub fn keep_focus() {
    #[cfg(feature = "hydrate")]
    {
        use leptos::wasm_bindgen::JsCast;
        let focused = document().active_element().and_then(|it| it.dyn_into::<web_sys::HtmlElement>().ok());
        let Some(focused) = focused.filter(|it| it.tag_name() != "BODY") else { return };
        request_animation_frame(move || {
            let disabled = focused.matches(":disabled").unwrap_or_default();
            if disabled || nothing_focused() {
                let beside = || focused.parent_element()?.query_selector("button:enabled").ok()??.dyn_into().ok();
                let same = || document().get_element_by_id(&focused.id())?.dyn_into().ok();
                let to = if disabled { beside() } else { same() };
                to.unwrap_or(focused).focus().ok();
            }
        });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PressedRow {
    pub task: i64,
    /// True if the grip was pressed, not the line.
    pub by_grip: bool,
}

/// Returns the row of a manually ordered list whose grip or line the primary pointer was pressed on.
pub fn pressed_row(event: &leptos::ev::PointerEvent) -> Option<PressedRow> {
    #[cfg(feature = "hydrate")]
    return drag::pressed_row(event);
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = event;
        None
    }
}

/// Captures the pointer: its events go to the pressed element wherever it moves.
pub fn hold_pointer(event: &leptos::ev::PointerEvent) {
    #[cfg(feature = "hydrate")]
    drag::hold_pointer(event);
    #[cfg(not(feature = "hydrate"))]
    let _ = event;
}

/// Returns the number of the row at a position in CSS pixels of the window, and true for its lower half.
pub fn row_at(place: (i32, i32)) -> Option<(i64, bool)> {
    #[cfg(feature = "hydrate")]
    return drag::row_at(place);
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = place;
        None
    }
}

pub fn mark_drop(place: Option<(i64, bool)>) {
    #[cfg(feature = "hydrate")]
    drag::mark_drop(place);
    #[cfg(not(feature = "hydrate"))]
    let _ = place;
}

pub fn mark_lifted(task: Option<i64>) {
    #[cfg(feature = "hydrate")]
    drag::mark_lifted(task);
    #[cfg(not(feature = "hydrate"))]
    let _ = task;
}

/// Replaces the page's address without a history entry.
pub fn rename(address: &str) {
    #[cfg(feature = "hydrate")]
    travel::rename(address);
    #[cfg(not(feature = "hydrate"))]
    let _ = address;
}

/// Returns the text before the caret; `None` while text is selected.
pub fn before_caret(input: &web_sys::HtmlInputElement) -> Option<String> {
    let (start, end) = (input.selection_start().ok()??, input.selection_end().ok()??);
    // Selection offsets count UTF-16 code units.
    let units: Vec<u16> = input.value().encode_utf16().take(start as usize).collect();
    (start == end).then(|| String::from_utf16_lossy(&units))
}

/// Returns the non-empty lines of the pasted text, trimmed.
pub fn pasted_lines(event: &leptos::ev::ClipboardEvent) -> Vec<String> {
    #[cfg(feature = "hydrate")]
    {
        let text = pasted(event).unwrap_or_default();
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = event;
        vec![]
    }
}

#[cfg(feature = "hydrate")]
fn pasted(event: &leptos::ev::ClipboardEvent) -> Option<String> {
    use leptos::wasm_bindgen::JsCast;
    let data = js_sys::Reflect::get(event, &"clipboardData".into()).ok()?;
    let get = js_sys::Reflect::get(&data, &"getData".into()).ok()?.dyn_into::<js_sys::Function>().ok()?;
    get.call1(&data, &"text".into()).ok()?.as_string()
}

/// Selects the text of the input `id` and copies it.
pub fn copy(id: &str) {
    use leptos::wasm_bindgen::JsCast;
    let field =
        document().get_element_by_id(id).and_then(|element| element.dyn_into::<web_sys::HtmlInputElement>().ok());
    if let Some(field) = field {
        field.select();
        #[cfg(feature = "hydrate")]
        copy_text(&field.value());
    }
}

/// Copies a text. Browsers have a clipboard in secure contexts only; elsewhere the selection can be copied by hand.
#[cfg(feature = "hydrate")]
fn copy_text(text: &str) -> Option<()> {
    use leptos::wasm_bindgen::JsCast;
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into()).ok()?;
    let write = js_sys::Reflect::get(&clipboard, &"writeText".into()).ok()?.dyn_into::<js_sys::Function>().ok()?;
    write.call1(&clipboard, &text.into()).ok().map(drop)
}

/// Shows a browser notification if permission was granted; never asks for it. Mobile browsers refuse unless the page is installed.
#[cfg(feature = "hydrate")]
pub fn notify(text: &str) -> Option<()> {
    let notification = notification()?;
    let allowed = js_sys::Reflect::get(&notification, &"permission".into()).ok()?.as_string()? == "granted";
    let shown = || js_sys::Reflect::construct(&notification, &js_sys::Array::of1(&text.into())).ok();
    allowed.then(shown).flatten().map(drop)
}

/// Asks for permission to show notifications and passes on the answer. Call it only in a click handler.
pub fn ask_to_notify(told: impl Fn(bool) + 'static) {
    #[cfg(feature = "hydrate")]
    {
        use leptos::wasm_bindgen::closure::Closure;
        use leptos::wasm_bindgen::{JsCast, JsValue};
        let told = Closure::once_into_js(move |answer: JsValue| told(answer.as_string().as_deref() == Some("granted")));
        let asked = notification().and_then(|notification| {
            let ask = js_sys::Reflect::get(&notification, &"requestPermission".into()).ok()?;
            ask.dyn_into::<js_sys::Function>().ok()?.call1(&notification, &told).ok()
        });
        if asked.is_none() {
            told.unchecked_into::<js_sys::Function>().call0(&JsValue::NULL).ok();
        }
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = told;
}

/// Returns the `Notification` constructor, which exists in secure contexts only.
#[cfg(feature = "hydrate")]
fn notification() -> Option<js_sys::Function> {
    use leptos::wasm_bindgen::JsCast;
    js_sys::Reflect::get(&js_sys::global(), &"Notification".into()).ok()?.dyn_into().ok()
}

/// Writes the browser's time zone into the input `id`, if the input still contains `UTC` and does not have the focus.
pub fn propose_zone(id: &str) {
    use leptos::wasm_bindgen::JsCast;
    let focused = document().active_element();
    let field = document()
        .get_element_by_id(id)
        .filter(|element| focused.as_ref() != Some(element))
        .and_then(|element| element.dyn_into::<web_sys::HtmlInputElement>().ok());
    if let (Some(field), Some(zone)) = (field, zone())
        && field.value() == "UTC"
    {
        field.set_value(&zone);
    }
}

/// Fills the datalist `id` with the time zones that the browser knows.
pub fn list_zones(id: &str) {
    #[cfg(feature = "hydrate")]
    {
        use leptos::wasm_bindgen::JsCast;
        let known = js_sys::Reflect::get(&js_sys::global(), &"Intl".into())
            .and_then(|intl| js_sys::Reflect::get(&intl, &"supportedValuesOf".into()))
            .and_then(|of| of.dyn_into::<js_sys::Function>())
            .and_then(|of| of.call1(&leptos::wasm_bindgen::JsValue::NULL, &"timeZone".into()));
        if let (Ok(known), Some(list)) = (known, document().get_element_by_id(id)) {
            let names = js_sys::Array::from(&known).join("<option>").as_string().unwrap_or_default();
            list.set_inner_html(&format!("<option>{names}"));
        }
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = id;
}

#[cfg(feature = "hydrate")]
fn zone() -> Option<String> {
    let options = js_sys::Intl::DateTimeFormat::default().resolved_options();
    js_sys::Reflect::get(&options, &"timeZone".into()).ok()?.as_string()
}

#[cfg(not(feature = "hydrate"))]
fn zone() -> Option<String> {
    None
}
