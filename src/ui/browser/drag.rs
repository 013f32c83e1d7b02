//! Rows that are dragged by their grips.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{DragEvent, Element};

/// Marks the row beside which a dragged one would be put, and on which side.
const MARK: &str = "data-drop";

/// The number of the row whose grip is dragged.
pub fn grabbed(event: &DragEvent) -> Option<i64> {
    let grip = element(event)?.closest(".task-item__grip").ok()??;
    let row = grip.closest("[data-row]").ok()??;
    if let Some(carried) = event.data_transfer() {
        // Firefox drags nothing that carries nothing.
        carried.set_data("text/plain", &row.id()).ok();
        carried.set_effect_allowed("move");
        carried.set_drag_image(&row, 12, 24);
    }
    number(&row)
}

/// The number of the row under the pointer, and whether its lower half is.
pub fn over(event: &DragEvent) -> Option<(i64, bool)> {
    let row = element(event)?.closest("[data-row]").ok()??;
    let place = row.get_bounding_client_rect();
    let lower = f64::from(event.client_y()) > place.top() + place.height() / 2.0;
    Some((number(&row)?, lower))
}

/// Shows where a dragged row would be put, and nowhere else.
pub fn mark(place: Option<(i64, bool)>) {
    if let Ok(Some(marked)) = document().query_selector("[data-drop]") {
        marked.remove_attribute(MARK).ok();
    }
    let row = place.and_then(|(number, after)| Some((document().get_element_by_id(&format!("task-{number}"))?, after)));
    if let Some((row, after)) = row {
        row.set_attribute(MARK, if after { "after" } else { "before" }).ok();
    }
}

fn element(event: &DragEvent) -> Option<Element> {
    event.target()?.dyn_into().ok()
}

fn number(row: &Element) -> Option<i64> {
    row.id().strip_prefix("task-")?.parse().ok()
}
