//! Dragging of rows: a mouse drags the grip, a finger long-presses the row.

use std::time::Duration;

use leptos::ev::{Event, PointerEvent};
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;

use crate::ui::browser;

/// Duration of a long press, as elsewhere on phones.
const REST: Duration = Duration::from_millis(400);
/// Distance in CSS pixels that a finger may move during a long press; beyond that it scrolls.
const STRAY: i32 = 10;

/// State of a pointer that was pressed on a row.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Pointer {
    /// A possible long press: the row, the start position in CSS pixels, and the timer.
    Resting { task: i64, at: (i32, i32), timer: TimeoutHandle },
    /// The row is being dragged.
    Lifted { task: i64 },
}

/// A drop position: the number of another row, and true for below it.
pub type Place = (i64, bool);

/// Drag and drop for the rows of one list, with one pointer at a time.
#[derive(Debug, Clone, Copy)]
pub struct DragState {
    held: StoredValue<Option<Pointer>>,
    /// Returns true if the first row may be dropped next to the second.
    may: Callback<(i64, i64), bool>,
    /// Moves a row to a drop position.
    put: Callback<(i64, Place)>,
}

impl DragState {
    /// Call it while a component runs. Escape ends the drag, and so does a lost pointer capture: once the dragged row
    /// has left the document, the list may get no further events.
    pub fn new(may: Callback<(i64, i64), bool>, put: Callback<(i64, Place)>) -> Self {
        let hand = Self { held: StoredValue::new(None), may, put };
        Effect::new(move |_| {
            let escape = window_event_listener(leptos::ev::keydown, move |event| {
                if event.key() == "Escape" {
                    hand.end();
                }
            });
            let lost = window_event_listener(leptos::ev::lostpointercapture, move |_| hand.end());
            on_cleanup(move || {
                escape.remove();
                lost.remove();
            });
        });
        hand
    }

    pub fn down(self, event: &PointerEvent) {
        self.end();
        let Some(pressed) = browser::pressed_row(event) else { return };
        if pressed.by_grip {
            // Prevents text selection during the drag.
            event.prevent_default();
            browser::hold_pointer(event);
            self.lift(pressed.task);
        } else if event.pointer_type() != "mouse" {
            let waited = move || {
                if let Some(Some(Pointer::Resting { task, .. })) = self.held.try_get_value() {
                    self.lift(task);
                }
            };
            if let Ok(timer) = set_timeout_with_handle(waited, REST) {
                let at = (event.client_x(), event.client_y());
                self.held.set_value(Some(Pointer::Resting { task: pressed.task, at, timer }));
            }
        }
    }

    pub fn moved(self, event: &PointerEvent) {
        let at = (event.client_x(), event.client_y());
        match self.held.get_value() {
            Some(Pointer::Resting { at: (x, y), .. }) if (at.0 - x).abs().max((at.1 - y).abs()) > STRAY => self.end(),
            // The pointer was released where the list got no event.
            Some(Pointer::Lifted { .. }) if event.buttons() == 0 => self.end(),
            Some(Pointer::Lifted { task }) => browser::mark_drop(self.place(task, at)),
            _ => {}
        }
    }

    /// Drops the dragged row at the pointer's position.
    pub fn up(self, event: &PointerEvent) {
        if let Some(Pointer::Lifted { task }) = self.held.get_value()
            && let Some(place) = self.place(task, (event.client_x(), event.client_y()))
        {
            self.put.run((task, place));
        }
        self.end();
    }

    /// Prevents scrolling and the context menu while a row is dragged.
    pub fn keep(self, event: &Event) {
        if matches!(self.held.get_value(), Some(Pointer::Lifted { .. })) {
            event.prevent_default();
        }
    }

    /// Ends the drag. A row that was not dropped stays in its position.
    pub fn end(self) {
        match self.held.get_value() {
            Some(Pointer::Resting { timer, .. }) => timer.clear(),
            Some(Pointer::Lifted { .. }) => {
                browser::mark_lifted(None);
                browser::mark_drop(None);
            }
            None => return,
        }
        self.held.set_value(None);
    }

    fn lift(self, task: i64) {
        self.held.set_value(Some(Pointer::Lifted { task }));
        browser::mark_lifted(Some(task));
    }

    fn place(self, task: i64, at: (i32, i32)) -> Option<Place> {
        browser::row_at(at).filter(|(other, _)| self.may.run((task, *other)))
    }
}
