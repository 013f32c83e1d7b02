//! Form actions of every page: submit a form by script and show its outcome as a toast.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use super::live::Live;
use super::toaster::{Toast, Toaster};
use super::{browser, http};
use crate::api::ApiError;
use crate::api::error::Code;
use crate::api::flash::Flash;

/// Form submission, from context.
#[derive(Clone, Copy)]
pub struct FormActions {
    live: Live,
    toaster: Toaster,
}

impl FormActions {
    pub fn provide(live: Live, toaster: Toaster) -> Self {
        let acts = Self { live, toaster };
        provide_context(acts);
        acts
    }

    pub fn current() -> Self {
        expect_context()
    }

    /// Submits the form of `event` without leaving the page, shows the outcome and refreshes the lists.
    pub fn submit(self, event: SubmitEvent) {
        self.submit_then(event, |_| ());
    }

    /// Like [`Self::send`], then calls `then` with the answer. Reads the form's fields before it returns.
    pub fn submit_then(self, event: SubmitEvent, then: impl FnOnce(Result<Value, ApiError>) + 'static) {
        event.prevent_default();
        if let Some((path, form)) = browser::form_of(&event) {
            self.post(&path, form, then);
        }
    }

    /// Submits a form that is not on the page, then calls `then` with the answer.
    pub fn post(self, path: &str, form: String, then: impl FnOnce(Result<Value, ApiError>) + 'static) {
        self.post_and(path.to_owned(), form, true, Box::new(then));
    }

    /// Like [`Self::post_then`], for a form that shows a refusal itself: a failure makes no toast.
    pub fn post_quietly(self, path: &str, form: String, then: impl FnOnce(Result<Value, ApiError>) + 'static) {
        self.post_and(path.to_owned(), form, false, Box::new(then));
    }

    fn post_and(self, path: String, form: String, says_failure: bool, then: Box<dyn FnOnce(Result<Value, ApiError>)>) {
        spawn_local(async move {
            let pairs = form.split('&').filter_map(|pair| pair.split_once('='));
            // Ids need no URL-decoding.
            let rest = Flash::rest_of(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
            self.live.elsewhere.begin();
            let answer = http::post(&path, form.clone()).await;
            self.live.elsewhere.end(&answer);
            if says_failure || answer.is_ok() {
                self.say(path, form, &answer, rest);
            }
            self.live.refresh();
            then(answer);
        });
    }

    fn say(self, path: String, form: String, answer: &Result<Value, ApiError>, rest: Option<(String, String)>) {
        match answer {
            Ok(json) => {
                if let Some(flash @ Flash { done: Some(_), .. }) = Flash::of_answer(&path, json) {
                    self.toaster.0.set(Toast::of(flash));
                }
            }
            Err(error) => {
                let again = (error.code == Code::Unavailable).then_some((path, form));
                let toast = Toast::failure(error.message.clone(), rest.filter(|_| error.rest));
                self.toaster.0.set(Some(Toast { again, ..toast }));
            }
        }
    }
}
