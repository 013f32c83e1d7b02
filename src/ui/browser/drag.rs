//! DOM access for dragging rows.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};

use super::PressedRow;

/// Attribute of the row next to the drop position; its value is the side, `before` or `after`.
const DROP: &str = "data-drop";
/// Attribute of the dragged row.
const LIFTED: &str = "data-lifted";

pub fn pressed_row(event: &PointerEvent) -> Option<PressedRow> {
    let element = event.target()?.dyn_into::<Element>().ok().filter(|_| event.is_primary() && event.button() == 0)?;
    let by_grip = element.closest(".task-item__grip").ok()?.is_some();
    let row = element.closest("[data-row]").ok()??;
    let movable = row.query_selector(".task-item__grip").ok()?.is_some();
    let by_line = || element.closest(".task-item__line").is_ok_and(|line| line.is_some());
    (movable && (by_grip || by_line())).then_some(PressedRow { task: number(&row)?, by_grip })
}

pub fn hold_pointer(event: &PointerEvent) {
    if let Some(element) = event.target().and_then(|it| it.dyn_into::<Element>().ok()) {
        element.set_pointer_capture(event.pointer_id()).ok();
    }
}

pub fn row_at((x, y): (i32, i32)) -> Option<(i64, bool)> {
    let row = document().element_from_point(x as f32, y as f32)?.closest("[data-row]").ok()??;
    let place = row.get_bounding_client_rect();
    Some((number(&row)?, f64::from(y) > place.top() + place.height() / 2.0))
}

pub fn mark_drop(place: Option<(i64, bool)>) {
    let row = mark(DROP, place.map(|(number, after)| (number, if after { "after" } else { "before" })));
    if let Some(row) = row {
        // Scrolls on at the edge of the window.
        super::bring_in_sight(&row);
    }
}

pub fn mark_lifted(number: Option<i64>) {
    mark(LIFTED, number.map(|number| (number, "")));
}

/// Removes the attribute `name` from its element and sets it on `row`, if given. Returns that row's element.
fn mark(name: &str, row: Option<(i64, &str)>) -> Option<Element> {
    if let Ok(Some(marked)) = document().query_selector(&format!("[{name}]")) {
        marked.remove_attribute(name).ok();
    }
    let (number, value) = row?;
    let row = document().get_element_by_id(&format!("task-{number}"))?;
    row.set_attribute(name, value).ok();
    Some(row)
}

fn number(row: &Element) -> Option<i64> {
    row.id().strip_prefix("task-")?.parse().ok()
}
