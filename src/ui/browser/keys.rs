//! Keyboard shortcuts, active while no field has the focus. The page declares them: `data-keys` of a link, button,
//! field or dialog names the key (`e`, `g t` in sequence, `mod+z` with Ctrl or ⌘). A `data-row` has separate keys.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, HtmlDialogElement, HtmlElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent};
use leptos::{ev, web_sys};

/// Elements that take text: while one has the focus, keys are not shortcuts.
const FIELDS: &str = "textarea, select, input:not([type=checkbox]):not([type=radio]), [contenteditable]";
/// The palette's entries that match the typed words.
const ENTRIES: &str = "#palette li:not([hidden]) a";

/// Time in milliseconds in which a second key may follow `g`.
const GOING_MS: f64 = 1500.0;
/// Most animation frames to wait for a field of a page that was just opened: four seconds at 60 Hz.
const COMING: u32 = 240;

/// Listens until the page's owner is cleaned up.
pub fn listen() {
    // Time of the last `g`, which awaits a second key.
    let going = StoredValue::new(None);
    let pressed = window_event_listener(ev::keydown, move |event| {
        if press(&event, going).is_some() {
            event.prevent_default();
        }
    });
    let typed = window_event_listener(ev::input, |event| {
        if let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok())
            && input.id() == "palette-words"
        {
            narrow(&input.value().to_lowercase());
        }
    });
    let clicked = window_event_listener(ev::click, |event| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let dialog = target.filter(|it| it.closest("a, button").is_ok_and(|found| found.is_some()));
        let dialog = dialog.and_then(|it| it.closest("dialog[data-keys]").ok().flatten());
        if let Some(dialog) = dialog.and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok()) {
            dialog.close();
        }
    });
    on_cleanup(move || [pressed, typed, clicked].into_iter().for_each(|it| it.remove()));
}

/// Runs the shortcut of a key; returns `None` if the key has none here.
fn press(event: &KeyboardEvent, going: StoredValue<Option<f64>>) -> Option<()> {
    let page = document();
    if event.default_prevented() || event.is_composing() || event.alt_key() {
        return None;
    }
    let key = typed(event);
    let name = if event.ctrl_key() || event.meta_key() { "mod+".to_owned() + &key.to_lowercase() } else { key };
    let focused = page.active_element();
    let within = |selector: &str| focused.as_ref().and_then(|it| it.closest(selector).ok().flatten());
    if let Some(dialog) = page.query_selector("dialog[open]").ok().flatten() {
        return match name.as_str() {
            "ArrowDown" => step(ENTRIES, focused.as_ref(), 1),
            "ArrowUp" => step(ENTRIES, focused.as_ref(), -1),
            "Enter" if within("#palette-words").is_some() => activate(page.query_selector(ENTRIES).ok()??),
            "mod+enter" => press_once(event, named(&dialog, &name)?),
            _ => None,
        };
    }
    let typing = within(FIELDS).is_some();
    let off = page.document_element().is_some_and(|root| root.has_attribute("data-shortcuts"));
    // The palette and Escape also work in fields, and with shortcuts off.
    if (typing || off) && name != "mod+k" && name != "Escape" {
        return None;
    }
    let now = event.time_stamp();
    let gone = going.try_update_value(Option::take).flatten().is_some_and(|at| now - at <= GOING_MS);
    let name = if gone { "g ".to_owned() + &name } else { name };
    match name.as_str() {
        "g" => {
            going.set_value(Some(now));
            None
        }
        "Escape" => escape(typing, focused?),
        "/" | "q" => match on_page(&name) {
            Some(field) => activate(field),
            None => {
                activate(on_page("g t")?)?;
                come(name, COMING);
                Some(())
            }
        },
        "j" => step("[data-row]", within("[data-row]").as_ref(), 1),
        "k" => step("[data-row]", within("[data-row]").as_ref(), -1),
        "1" | "2" | "3" | "4" => prioritise(&within("[data-row]")?, &name),
        _ => {
            // The checkboxes of rows are hidden until selection is switched on.
            if name == "x"
                && let Ok(Some(switch)) = page.query_selector(".bulk-bar__on:not(:checked)")
            {
                activate(switch);
            }
            let here = within("[data-row]").and_then(|row| named(&row, &name));
            let found = here.or_else(|| on_page(&name))?;
            if matches!(name.as_str(), "J" | "K") { activate(found) } else { press_once(event, found) }
        }
    }
}

/// Activates `found`, unless the key repeats because it is held down.
fn press_once(event: &KeyboardEvent, found: Element) -> Option<()> {
    if event.repeat() { Some(()) } else { activate(found) }
}

/// Returns the key; Shift alone decides the case of a letter, not Caps Lock.
fn typed(event: &KeyboardEvent) -> String {
    let key = event.key();
    match (key.len(), event.shift_key()) {
        (1, true) => key.to_ascii_uppercase(),
        (1, false) => key.to_ascii_lowercase(),
        _ => key,
    }
}

/// Returns the selector of elements with this key; `None` for keys that no element can declare.
fn selector(name: &str) -> Option<String> {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || " +?/".contains(c));
    plain.then(|| "[data-keys=\"".to_owned() + name + "\"]")
}

fn named(inside: &Element, name: &str) -> Option<Element> {
    inside.query_selector(&selector(name)?).ok()?
}

/// Finds the element with this key outside all rows; a field counts only while it is visible.
fn on_page(name: &str) -> Option<Element> {
    all(&selector(name)?).find(|found| {
        let field = found.matches(FIELDS).unwrap_or_default();
        let in_row = found.closest("[data-row]").is_ok_and(|row| row.is_some());
        !in_row && (!field || is_seen(found))
    })
}

fn all(selector: &str) -> impl Iterator<Item = Element> {
    let found = document().query_selector_all(selector).ok();
    let count = found.as_ref().map_or(0, |found| found.length());
    (0..count).filter_map(move |at| found.as_ref()?.item(at)?.dyn_into().ok())
}

fn is_seen(element: &Element) -> bool {
    element.dyn_ref::<HtmlElement>().is_some_and(|element| element.offset_parent().is_some())
}

/// Closes the top layer by its link, or presses Stop if no layer is open. If a layer is open and a field has the focus,
/// only leaves the field, so that typed text is not lost.
fn escape(typing: bool, focused: Element) -> Option<()> {
    let named = || all("[data-keys=Escape]").filter(is_seen);
    match named().find(|it| it.tag_name() == "A") {
        Some(_) if typing => focused.dyn_ref::<HtmlElement>()?.blur().ok(),
        Some(layer) => activate(layer),
        None => activate(named().next()?),
    }
}

/// Activates the field with this key as soon as it is visible, within `frames` animation frames.
fn come(name: String, frames: u32) {
    request_animation_frame(move || match on_page(&name).filter(is_seen) {
        Some(field) => {
            activate(field);
        }
        None if frames > 0 => come(name, frames - 1),
        None => {}
    });
}

/// Opens a dialog, focuses a field, or clicks any other element.
fn activate(found: Element) -> Option<()> {
    if let Some(dialog) = found.dyn_ref::<HtmlDialogElement>() {
        // Clears the palette's last search.
        if let Some(words) =
            document().get_element_by_id("palette-words").and_then(|it| it.dyn_into::<HtmlInputElement>().ok())
        {
            words.set_value("");
            narrow("");
        }
        return dialog.show_modal().ok();
    }
    // A field inside a closed row is opened first.
    if let Some(details) = found.closest("details").ok().flatten()
        && found.matches(FIELDS).unwrap_or_default()
    {
        details.set_attribute("open", "").ok();
    }
    let element = found.dyn_ref::<HtmlElement>()?;
    if element.matches(FIELDS).unwrap_or_default() {
        element.focus().ok()?;
        if let Some(input) = element.dyn_ref::<HtmlInputElement>() {
            input.select();
        }
    } else {
        element.click();
    }
    Some(())
}

/// Moves the focus by `by` among the matching elements, or to the first or last one if none has it.
fn step(selector: &str, from: Option<&Element>, by: i32) -> Option<()> {
    let all = document().query_selector_all(selector).ok()?;
    let count = i32::try_from(all.length()).ok()?;
    let at = (0..count).find(|at| all.item((*at).cast_unsigned()).as_deref() == from.map(AsRef::as_ref));
    let to = match at {
        Some(at) => at + by,
        None if by > 0 => 0,
        None => count - 1,
    };
    let found = all.item(u32::try_from(to).ok()?)?.dyn_into::<Element>().ok()?;
    let inside =
        found.query_selector("summary, button, a").ok().flatten().filter(|_| !found.matches("a").unwrap_or_default());
    inside.unwrap_or(found).dyn_into::<HtmlElement>().ok()?.focus().ok()
}

fn prioritise(row: &Element, key: &str) -> Option<()> {
    let field = row.query_selector("select[name=priority]").ok()??.dyn_into::<HtmlSelectElement>().ok()?;
    let priority = match key {
        "1" => "high",
        "2" => "medium",
        "3" => "low",
        _ => "none",
    };
    field.set_value(priority);
    field.form()?.request_submit().ok()
}

/// Hides the palette's entries that do not contain every word.
fn narrow(words: &str) {
    let Ok(entries) = document().query_selector_all("#palette li") else { return };
    for at in 0..entries.length() {
        if let Some(entry) = entries.item(at).and_then(|it| it.dyn_into::<web_sys::HtmlElement>().ok()) {
            let text = entry.text_content().unwrap_or_default().to_lowercase();
            entry.set_hidden(!words.split_whitespace().all(|word| text.contains(word)));
        }
    }
}
