//! Announcements for screen readers: polite, in a live region that exists from the start.

use leptos::prelude::*;

/// The last announcement, from context.
#[derive(Clone, Copy)]
pub struct LiveRegion(RwSignal<String>);

impl LiveRegion {
    pub fn provide() -> Self {
        let told = Self(RwSignal::new(String::new()));
        provide_context(told);
        told
    }

    pub fn current() -> Self {
        expect_context()
    }

    /// Announces `text`. Appends a no-break space to repeat a text, since screen readers ignore unchanged regions.
    pub fn announce(self, text: &str) {
        self.0.try_update(|told| *told = if told == text { format!("{text}\u{a0}") } else { text.to_owned() });
    }

    pub fn text(self) -> String {
        self.0.get()
    }
}
