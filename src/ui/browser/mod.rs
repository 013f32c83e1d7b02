//! The browser's own things: the document, fields, focus, timers. On the server every function here does nothing.

use leptos::prelude::*;
use leptos::web_sys;

/// Rows that are dragged.
#[cfg(feature = "hydrate")]
mod drag;
/// Keys that act on the page.
#[cfg(feature = "hydrate")]
pub mod keys;
/// Panics.
#[cfg(all(feature = "hydrate", debug_assertions))]
pub mod panics;
/// Questions that were read, and fields that have the focus.
mod reading;
/// The event stream.
#[cfg(feature = "hydrate")]
pub mod stream;
/// The way between pages.
#[cfg(feature = "hydrate")]
pub mod travel;

pub use reading::{has_unread_question, types_elsewhere};

/// Marks the document as taken over by the script, for stylesheets and tests.
pub fn mark_live() {
    if let Some(root) = document().document_element() {
        root.set_attribute("data-live", "").ok();
    }
}

/// What the document shows of the chat, as the server or [`lay_out`] has said.
pub fn layout() -> Option<String> {
    document().document_element()?.get_attribute("data-layout")
}

/// Has the document show this of the chat.
pub fn lay_out(layout: &str) {
    if let Some(root) = document().document_element() {
        root.set_attribute("data-layout", layout).ok();
    }
}

/// Where the form of `event` goes and what it holds, with the name and value of the button that was pressed.
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

/// Submits the form that `element` belongs to as if its button had been pressed.
pub fn submit_form_of(element: &web_sys::HtmlTextAreaElement) {
    if let Some(form) = element.form() {
        form.request_submit().ok();
    }
}

/// How the names of kept drafts begin.
pub const DRAFTS: &str = "docket-draft ";

/// The text that the browser keeps under a name.
pub fn kept_text(name: &str) -> Option<String> {
    #[cfg(feature = "hydrate")]
    return storage()?.get_item(name).ok()?;
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = name;
        None
    }
}

/// Has the browser keep a text under a name; nothing is kept of an empty one. Where it keeps nothing, as in some private
/// windows, the page works without.
pub fn keep_text(name: &str, text: &str) {
    #[cfg(feature = "hydrate")]
    if let Some(storage) = storage() {
        let kept = if text.is_empty() { storage.remove_item(name) } else { storage.set_item(name, text) };
        kept.ok();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = (name, text);
}

/// The names that begin like this under which the browser keeps something.
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

/// Forgets all drafts: whoever uses the browser next is somebody else.
pub fn forget_drafts() {
    for name in kept_names(DRAFTS) {
        keep_text(&name, "");
    }
}

#[cfg(feature = "hydrate")]
fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// Puts the fields of a form back to what they were when the page was opened.
pub fn reset(form: &web_sys::HtmlFormElement) {
    form.reset();
}

/// Whether somebody may look at the page: its tab is not behind another.
pub fn is_looked_at() -> bool {
    !document().hidden()
}

/// Whether nothing has the focus, as after the focused row was taken away.
pub fn nothing_focused() -> bool {
    document().active_element().is_none_or(|element| element.tag_name() == "BODY")
}

/// Gives the focus to the first element that matches, if there is one.
pub fn focus(selector: &str) {
    use leptos::wasm_bindgen::JsCast;
    let found = document().query_selector(selector).ok().flatten();
    if let Some(element) = found.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        element.focus().ok();
    }
}

/// Scrolls to the first element that matches, no further than it takes to see the whole of it.
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

/// Frames in which what is wanted most may still come before the next best gets the focus.
const PATIENCE: usize = 6;

/// Gives the focus to the first of these that takes it, where nothing has it once the page has changed: each but the first only
/// after a while, and again where what had it went with the old page.
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

/// Gives the focus back to what has it now, or to what is called like it then, once the page has changed around it; to a button
/// beside it where it is disabled then.
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

/// A row that a pointer came down on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PressedRow {
    pub task: i64,
    /// On its grip, not on its line.
    pub by_grip: bool,
}

/// The row of a list in an order by hand whose grip or whose line a pointer came down on.
pub fn pressed_row(event: &leptos::ev::PointerEvent) -> Option<PressedRow> {
    #[cfg(feature = "hydrate")]
    return drag::pressed_row(event);
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = event;
        None
    }
}

/// Has this pointer's events go to what it came down on, wherever it goes.
pub fn hold_pointer(event: &leptos::ev::PointerEvent) {
    #[cfg(feature = "hydrate")]
    drag::hold_pointer(event);
    #[cfg(not(feature = "hydrate"))]
    let _ = event;
}

/// The number of the row at a place of the window in CSS pixels, and whether its lower half is there.
pub fn row_at(place: (i32, i32)) -> Option<(i64, bool)> {
    #[cfg(feature = "hydrate")]
    return drag::row_at(place);
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = place;
        None
    }
}

/// Shows where a dragged row would be put.
pub fn mark_drop(place: Option<(i64, bool)>) {
    #[cfg(feature = "hydrate")]
    drag::mark_drop(place);
    #[cfg(not(feature = "hydrate"))]
    let _ = place;
}

/// Shows which row is dragged.
pub fn mark_lifted(task: Option<i64>) {
    #[cfg(feature = "hydrate")]
    drag::mark_lifted(task);
    #[cfg(not(feature = "hydrate"))]
    let _ = task;
}

/// Gives the page that is shown another address, without a step to go back to.
pub fn rename(address: &str) {
    #[cfg(feature = "hydrate")]
    travel::rename(address);
    #[cfg(not(feature = "hydrate"))]
    let _ = address;
}

/// What stands in a field before the caret; `None` while a stretch is chosen.
pub fn before_caret(input: &web_sys::HtmlInputElement) -> Option<String> {
    let (start, end) = (input.selection_start().ok()??, input.selection_end().ok()??);
    // The browser counts as JavaScript does.
    let units: Vec<u16> = input.value().encode_utf16().take(start as usize).collect();
    (start == end).then(|| String::from_utf16_lossy(&units))
}

/// The lines of text that `event` brings, without empty ones.
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

/// Marks all of the field `id` and copies it.
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

/// Browsers have a clipboard on safe addresses only; elsewhere what is marked can be copied by hand.
#[cfg(feature = "hydrate")]
fn copy_text(text: &str) -> Option<()> {
    use leptos::wasm_bindgen::JsCast;
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into()).ok()?;
    let write = js_sys::Reflect::get(&clipboard, &"writeText".into()).ok()?.dyn_into::<js_sys::Function>().ok()?;
    write.call1(&clipboard, &text.into()).ok().map(drop)
}

/// Shows the text as the browser's own notification, where the person has allowed that; nobody is asked here. Browsers on phones
/// know such only of installed pages, and refuse.
#[cfg(feature = "hydrate")]
pub fn notify(text: &str) -> Option<()> {
    let notification = notification()?;
    let allowed = js_sys::Reflect::get(&notification, &"permission".into()).ok()?.as_string()? == "granted";
    let shown = || js_sys::Reflect::construct(&notification, &js_sys::Array::of1(&text.into())).ok();
    allowed.then(shown).flatten().map(drop)
}

/// Asks the person whether the browser may show notifications, and tells the answer; for a click and nothing else.
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

/// Browsers have it on safe addresses only.
#[cfg(feature = "hydrate")]
fn notification() -> Option<js_sys::Function> {
    use leptos::wasm_bindgen::JsCast;
    js_sys::Reflect::get(&js_sys::global(), &"Notification".into()).ok()?.dyn_into().ok()
}

/// Writes the browser's time zone into the field `id`, if the field still shows the server's proposal and nobody is about to write
/// another over it.
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

/// Puts the time zones that the browser knows into the list `id`, to be chosen from while one types.
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
