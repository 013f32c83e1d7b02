//! What a page shows: the answer of one reading server function, fetched by the server that renders and again by the browser
//! when something changed. All of them travel as text through one resource type: only their decoding differs.

use std::pin::Pin;

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::call;
use super::live::Live;
use super::session::Session;
use crate::api::ApiError;
use crate::api::error::Code;

/// A question and its answer.
type Text = (String, Result<String, ApiError>);
type Future = Pin<Box<dyn std::future::Future<Output = Text> + Send>>;

/// The question, and how often it was to be asked again.
type Key = (String, u32);

/// What is known: the last good answer to the question, and why there is no newer one.
#[derive(Clone)]
struct Known<T> {
    good: Option<T>,
    error: Option<ApiError>,
}

/// What is known and the text that it was read from.
type Decoded<T> = Option<(Text, Known<T>)>;

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
        let (session, live) = (use_context::<Session>(), use_context::<Live>());
        let asked = question.clone();
        let key: Box<dyn Fn() -> Key + Send + Sync> = Box::new(move || {
            (serde_qs::to_string(&asked()).unwrap_or_default(), again.map(|again| again.get()).unwrap_or_default())
        });
        let fetch: Box<dyn Fn(Key) -> Future + Send + Sync> =
            Box::new(move |(query, _)| answer(&question, query, session, live));
        Self { text: resource(key, fetch), decoded: StoredValue::new(None) }
    }

    /// What is known. Nothing once the page is gone: on the server another thread may still look for what a page waits for
    /// while its last byte is sent.
    fn known(self) -> Option<Known<T>> {
        let text = self.text.try_get()??;
        let read = |last: &Decoded<T>| last.as_ref().filter(|it| it.0 == text).map(|it| it.1.clone());
        if let Some(known) = self.decoded.try_with_value(read)? {
            return Some(known);
        }
        let answer = text.1.clone().and_then(|text| serde_json::from_str(&text).map_err(|_| call::unreadable()));
        let known = match answer {
            Ok(good) => Known { good: Some(good), error: None },
            Err(error) => {
                // A question that went unanswered takes nothing away, unless what it is about is gone.
                let same =
                    |last: &Decoded<T>| last.as_ref().filter(|it| it.0.0 == text.0).and_then(|it| it.1.good.clone());
                let good = self.decoded.try_with_value(same)?.filter(|_| error.code != Code::NotFound);
                // That the connection is lost is said once, for the whole page.
                let said = good.is_some() && error.code == Code::Unavailable;
                Known { good, error: (!said).then_some(error) }
            }
        };
        self.decoded.try_set_value(Some((text, known.clone())));
        Some(known)
    }

    /// The answer, or why there is none; the last one while a newer one is on its way or could not be had.
    pub fn get(self) -> Option<Result<T, ApiError>> {
        let Known { good, error } = self.known()?;
        good.map(Ok).or(error.map(Err))
    }

    /// The last good answer, if there is one.
    pub fn ok(self) -> Option<T> {
        self.known().and_then(|known| known.good)
    }

    /// Why there is no newer answer.
    pub fn error(self) -> Option<ApiError> {
        self.known().and_then(|known| known.error)
    }

    /// Waits for the first answer.
    pub async fn ready(self) {
        self.text.await.1.ok();
    }
}

fn resource(
    key: Box<dyn Fn() -> Key + Send + Sync>,
    fetch: Box<dyn Fn(Key) -> Future + Send + Sync>,
) -> Resource<Text> {
    Resource::new(key, fetch)
}

#[cfg(feature = "ssr")]
fn answer<F>(question: &impl Fn() -> F, query: String, session: Option<Session>, _live: Option<Live>) -> Future
where
    F: ServerFn<Error = ApiError> + Send + 'static,
    F::Output: Serialize,
{
    let question = untrack(question);
    Box::pin(async move {
        if let Some(session) = session {
            session.ready().await;
        }
        let answer = question.run_body().await;
        (query, answer.and_then(|answer| serde_json::to_string(&answer).map_err(|_| call::unreadable())))
    })
}

#[cfg(not(feature = "ssr"))]
fn answer<F: ServerFn>(
    _question: &impl Fn() -> F,
    query: String,
    _session: Option<Session>,
    live: Option<Live>,
) -> Future {
    Box::pin(async move {
        let answer = call::get(F::url(), &query).await;
        if let Some(live) = live {
            live.answered(!answer.as_ref().is_err_and(|error| error.code == Code::Unavailable));
        }
        (query, answer)
    })
}
