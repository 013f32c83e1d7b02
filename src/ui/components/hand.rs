//! The hand that drags a row: a mouse takes it by its grip, a finger by resting on it.

use std::time::Duration;

use leptos::ev::{Event, PointerEvent};
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;

use crate::ui::browser;

/// How long a finger rests on a row before it has it in hand; as long as a long press elsewhere on a phone.
const REST: Duration = Duration::from_millis(400);
/// How far, in CSS pixels, a finger may stray while it rests; beyond that it scrolls.
const STRAY: i32 = 10;

/// A pointer on a row.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Held {
    /// A finger that may come to rest: whose row, where it came down, and what waits for it.
    Resting { task: i64, at: (i32, i32), timer: TimeoutHandle },
    /// A row that goes with the pointer.
    Lifted { task: i64 },
}

/// Where a row would be put: beside that other one, below it if `true`.
pub type Place = (i64, bool);

/// One pointer and the rows of one list.
#[derive(Debug, Clone, Copy)]
pub struct Hand {
    held: StoredValue<Option<Held>>,
    /// Whether the first row may lie beside the second.
    may: Callback<(i64, i64), bool>,
    /// Puts a row there.
    put: Callback<(i64, Place)>,
}

impl Hand {
    /// Must be made while a component runs. Escape empties the hand, and so does a row that was taken out of the document: the
    /// document then hears that the pointer is held no longer, and the list may hear nothing more of it.
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

    /// A pointer came down.
    pub fn down(self, event: &PointerEvent) {
        self.end();
        let Some(pressed) = browser::pressed_row(event) else { return };
        if pressed.by_grip {
            // No text is selected on the way.
            event.prevent_default();
            browser::hold_pointer(event);
            self.lift(pressed.task);
        } else if event.pointer_type() != "mouse" {
            let waited = move || {
                if let Some(Some(Held::Resting { task, .. })) = self.held.try_get_value() {
                    self.lift(task);
                }
            };
            if let Ok(timer) = set_timeout_with_handle(waited, REST) {
                let at = (event.client_x(), event.client_y());
                self.held.set_value(Some(Held::Resting { task: pressed.task, at, timer }));
            }
        }
    }

    /// It moved.
    pub fn moved(self, event: &PointerEvent) {
        let at = (event.client_x(), event.client_y());
        match self.held.get_value() {
            Some(Held::Resting { at: (x, y), .. }) if (at.0 - x).abs().max((at.1 - y).abs()) > STRAY => self.end(),
            // It was lifted off where the list did not hear of it.
            Some(Held::Lifted { .. }) if event.buttons() == 0 => self.end(),
            Some(Held::Lifted { task }) => browser::mark_drop(self.place(task, at)),
            _ => {}
        }
    }

    /// It was lifted off: what it held lies there.
    pub fn up(self, event: &PointerEvent) {
        if let Some(Held::Lifted { task }) = self.held.get_value()
            && let Some(place) = self.place(task, (event.client_x(), event.client_y()))
        {
            self.put.run((task, place));
        }
        self.end();
    }

    /// What the browser would do with a finger on a row that it has in hand: scroll, or show a menu.
    pub fn keep(self, event: &Event) {
        if matches!(self.held.get_value(), Some(Held::Lifted { .. })) {
            event.prevent_default();
        }
    }

    /// Whatever was held lies where it lay.
    pub fn end(self) {
        match self.held.get_value() {
            Some(Held::Resting { timer, .. }) => timer.clear(),
            Some(Held::Lifted { .. }) => {
                browser::mark_lifted(None);
                browser::mark_drop(None);
            }
            None => return,
        }
        self.held.set_value(None);
    }

    fn lift(self, task: i64) {
        self.held.set_value(Some(Held::Lifted { task }));
        browser::mark_lifted(Some(task));
    }

    fn place(self, task: i64, at: (i32, i32)) -> Option<Place> {
        browser::row_at(at).filter(|(other, _)| self.may.run((task, *other)))
    }
}
