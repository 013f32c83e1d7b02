//! Toasts, with Undo if the change can be undone.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::ApiError;
use crate::api::approvals::Decide;
use crate::api::flash::Flash;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    pub text: String,
    /// Ids of the changes that Undo reverts.
    pub undo: Vec<String>,
    /// Field and value of a refused undo whose other changes can be undone.
    pub rest: Option<(String, String)>,
    pub failed: bool,
    /// True if it repeats the text of an approval's card.
    pub verdict: bool,
    /// Path and fields of a form that did not reach the server.
    pub again: Option<(String, String)>,
}

impl Toast {
    /// Returns the toast of a form's answer, if the form did something.
    pub fn of(flash: Flash) -> Option<Self> {
        let verdict = flash.path == Decide::PATH;
        flash.done.map(|text| Self { text, undo: flash.undo, rest: None, failed: false, verdict, again: None })
    }

    /// Returns a toast with the reason why an action failed.
    pub fn failure(text: String, rest: Option<(String, String)>) -> Self {
        Self { text, undo: vec![], rest, failed: true, verdict: false, again: None }
    }
}

/// The current toast; a new one replaces it.
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

    pub fn fail(self, error: &ApiError, rest: Option<(String, String)>) {
        self.0.set(Some(Toast::failure(error.message.clone(), rest)));
    }

    pub fn clear(self) {
        self.0.set(None);
    }
}
