//! What a person can do from any page: forms, sent in the browser's stead, and what is said about the answer.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use super::live::Live;
use super::toaster::{Toast, Toaster};
use super::{browser, call};
use crate::api::ApiError;
use crate::api::error::Code;
use crate::api::flash::Flash;

/// Sends forms, from context.
#[derive(Clone, Copy)]
pub struct Acts {
    live: Live,
    toaster: Toaster,
}

impl Acts {
    pub fn provide(live: Live, toaster: Toaster) -> Self {
        let acts = Self { live, toaster };
        provide_context(acts);
        acts
    }

    pub fn current() -> Self {
        expect_context()
    }

    /// Sends the form of `event` without leaving the page, says how it ended, and has the lists read again.
    pub fn send(self, event: SubmitEvent) {
        self.send_then(event, |_| ());
    }

    /// The same, and then does `then` with the answer. What the form held is read before this returns.
    pub fn send_then(self, event: SubmitEvent, then: impl FnOnce(Result<Value, ApiError>) + 'static) {
        event.prevent_default();
        if let Some((path, form)) = browser::form_of(&event) {
            self.post_then(&path, form, then);
        }
    }

    /// Sends a form that stands nowhere, and then does `then` with the answer.
    pub fn post_then(self, path: &str, form: String, then: impl FnOnce(Result<Value, ApiError>) + 'static) {
        self.post_and(path.to_owned(), form, true, Box::new(then));
    }

    /// The same for a form that says itself what the server refused.
    pub fn post_from(self, path: &str, form: String, then: impl FnOnce(Result<Value, ApiError>) + 'static) {
        self.post_and(path.to_owned(), form, false, Box::new(then));
    }

    fn post_and(self, path: String, form: String, says_failure: bool, then: Box<dyn FnOnce(Result<Value, ApiError>)>) {
        spawn_local(async move {
            let pairs = form.split('&').filter_map(|pair| pair.split_once('='));
            // Ids are written in a form as they are.
            let rest = Flash::rest_of(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
            self.live.elsewhere.begin();
            let answer = call::post(&path, form.clone()).await;
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
