//! Short messages that come and go, with Undo where something can be taken back.

use leptos::prelude::*;

use crate::api::ApiError;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    pub text: String,
    /// The change that Undo takes back.
    pub undo: Option<String>,
    /// Field and value of an undo of which the rest can be taken back.
    pub rest: Option<(String, String)>,
    pub failed: bool,
}

/// The message that is shown now; a new one takes its place.
#[derive(Clone, Copy)]
pub struct Toaster(pub RwSignal<Option<Toast>>);

impl Toaster {
    pub fn provide() -> Self {
        let toaster = Self(RwSignal::new(None));
        provide_context(toaster);
        toaster
    }

    pub fn current() -> Self {
        expect_context()
    }

    /// Says what was done.
    pub fn say(self, text: impl Into<String>, undo: Option<String>) {
        self.0.set(Some(Toast { text: text.into(), undo, rest: None, failed: false }));
    }

    /// Says why something was not done.
    pub fn fail(self, error: &ApiError, rest: Option<(String, String)>) {
        self.0.set(Some(Toast { text: error.message.clone(), undo: None, rest, failed: true }));
    }

    pub fn clear(self) {
        self.0.set(None);
    }
}
