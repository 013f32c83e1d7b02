//! Short messages that come and go, with Undo where something can be taken back.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::ApiError;
use crate::api::approvals::Decide;
use crate::api::flash::Flash;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    pub text: String,
    /// The changes that Undo takes back.
    pub undo: Vec<String>,
    /// Field and value of an undo of which the rest can be taken back.
    pub rest: Option<(String, String)>,
    pub failed: bool,
    /// It repeats what the card of a request says.
    pub verdict: bool,
    /// The address and the fields of a form that did not reach the server.
    pub again: Option<(String, String)>,
}

impl Toast {
    /// What a form's answer has to say.
    pub fn of(flash: Flash) -> Option<Self> {
        let verdict = flash.path == Decide::PATH;
        flash.done.map(|text| Self { text, undo: flash.undo, rest: None, failed: false, verdict, again: None })
    }

    /// Why something was not done.
    pub fn failure(text: String, rest: Option<(String, String)>) -> Self {
        Self { text, undo: vec![], rest, failed: true, verdict: false, again: None }
    }
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

    /// Says why something was not done.
    pub fn fail(self, error: &ApiError, rest: Option<(String, String)>) {
        self.0.set(Some(Toast::failure(error.message.clone(), rest)));
    }

    pub fn clear(self) {
        self.0.set(None);
    }
}
