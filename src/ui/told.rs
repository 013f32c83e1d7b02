//! What a screen reader is told of things that change elsewhere on the page: politely, in a region that stands from the start.

use leptos::prelude::*;

/// What was told last, from context.
#[derive(Clone, Copy)]
pub struct Told(RwSignal<String>);

impl Told {
    pub fn provide() -> Self {
        let told = Self(RwSignal::new(String::new()));
        provide_context(told);
        told
    }

    pub fn current() -> Self {
        expect_context()
    }

    /// Has it told. A region that stays as it is stays silent: what was told a moment ago gets a blank at its end.
    pub fn say(self, text: &str) {
        self.0.try_update(|told| *told = if told == text { format!("{text}\u{a0}") } else { text.to_owned() });
    }

    /// What stands in the region.
    pub fn text(self) -> String {
        self.0.get()
    }
}
