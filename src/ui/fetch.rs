//! What a page shows: the answer of one reading server function, fetched by the server that renders and again by the browser
//! when something changed. All of them travel as text through one resource type: only their decoding differs.

use std::pin::Pin;

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::call;
use super::session::Session;
use crate::api::ApiError;

type Text = Result<String, ApiError>;
type Future = Pin<Box<dyn std::future::Future<Output = Text> + Send>>;

/// The question, and how often it was to be asked again.
type Key = (String, u32);

/// An answer and the text that it was decoded from.
type Decoded<T> = Option<(Text, Result<T, ApiError>)>;

/// An answer that keeps itself fresh. Read it inside a `Suspense` or `Transition`.
pub struct Fetch<T: 'static> {
    text: Resource<Text>,
    decoded: StoredValue<Decoded<T>>,
}

impl<T> Clone for Fetch<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Fetch<T> {}

impl<T: DeserializeOwned + Serialize + Clone + Send + Sync + 'static> Fetch<T> {
    /// Asks `question`, and again when it or `again` changes. It waits for the session first, so that no answer is older than
    /// the event from which [`super::live`] listens.
    pub fn new<F>(question: impl Fn() -> F + Clone + Send + Sync + 'static, again: Option<RwSignal<u32>>) -> Self
    where
        F: ServerFn<Output = T, Error = ApiError> + Serialize + Send + 'static,
    {
        let session = use_context::<Session>();
        let asked = question.clone();
        let key: Box<dyn Fn() -> Key + Send + Sync> = Box::new(move || {
            (serde_qs::to_string(&asked()).unwrap_or_default(), again.map(|again| again.get()).unwrap_or_default())
        });
        let fetch: Box<dyn Fn(Key) -> Future + Send + Sync> =
            Box::new(move |(query, _)| answer(&question, query, session));
        Self { text: resource(key, fetch), decoded: StoredValue::new(None) }
    }

    /// The answer; the last one while a newer one is on its way. Nothing once the page is gone: on the server another thread
    /// may still look for what a page waits for while its last byte is sent.
    pub fn get(self) -> Option<Result<T, ApiError>> {
        let text = self.text.try_get()??;
        let known = |last: &Decoded<T>| last.as_ref().filter(|it| it.0 == text).map(|it| it.1.clone());
        if let Some(found) = self.decoded.try_with_value(known)? {
            return Some(found);
        }
        let found = text.clone().and_then(|text| serde_json::from_str(&text).map_err(|_| call::unreadable()));
        self.decoded.try_set_value(Some((text, found.clone())));
        Some(found)
    }

    /// The answer, if it is there and no error.
    pub fn ok(self) -> Option<T> {
        self.get().and_then(Result::ok)
    }

    /// Why there is no answer.
    pub fn error(self) -> Option<ApiError> {
        self.get().and_then(Result::err)
    }

    /// Waits for the first answer.
    pub async fn ready(self) {
        self.text.await.ok();
    }
}

fn resource(
    key: Box<dyn Fn() -> Key + Send + Sync>,
    fetch: Box<dyn Fn(Key) -> Future + Send + Sync>,
) -> Resource<Text> {
    Resource::new(key, fetch)
}

#[cfg(feature = "ssr")]
fn answer<F>(question: &impl Fn() -> F, _query: String, session: Option<Session>) -> Future
where
    F: ServerFn<Error = ApiError> + Send + 'static,
    F::Output: Serialize,
{
    let question = untrack(question);
    Box::pin(async move {
        if let Some(session) = session {
            session.ready().await;
        }
        let answer = question.run_body().await?;
        serde_json::to_string(&answer).map_err(|_| call::unreadable())
    })
}

#[cfg(not(feature = "ssr"))]
fn answer<F: ServerFn>(_question: &impl Fn() -> F, query: String, _session: Option<Session>) -> Future {
    Box::pin(async move { call::get(F::url(), &query).await })
}
