//! Fetched page data: the answer of one reading server function, fetched by the rendering server and again by the
//! browser after changes. All answers travel as text through one resource type and differ only in decoding.

use std::fmt;
use std::pin::Pin;
use std::str::FromStr;

use leptos::prelude::*;
use leptos::server::codee::string::FromToStringCodec;
use leptos::server_fn::ServerFn;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::http;
use super::live::Live;
use super::session::Session;
use crate::api::ApiError;
use crate::api::error::Code;
use crate::messages::errors as messages;

/// A query and its answer.
#[derive(Clone)]
struct Text(String, Result<String, ApiError>);
type Future = Pin<Box<dyn std::future::Future<Output = Text> + Send>>;

/// The query, if there is one, and the number of refreshes.
type Key = (Option<String>, u32);

/// The last good answer as text, and the error of a newer request.
type Known = (Option<String>, Option<ApiError>);

/// The text of an answer and its decoded value.
type Decoded<T> = Option<(String, T)>;

/// A query and the text of its good answer.
type Good = (String, String);

/// Returns true if a query is also answered by the good answer to another one.
type Answers = fn(&str, &Good) -> bool;

/// An answer that keeps itself fresh. Read it inside a `Suspense` or `Transition`.
pub struct Fetch<T: 'static> {
    text: Resource<Text, FromToStringCodec>,
    /// The last good answer.
    good: StoredValue<Option<Good>>,
    /// Accepts the last good answer for other queries.
    answers: Answers,
    decoded: StoredValue<Decoded<T>>,
    /// Number of requests in flight.
    asking: RwSignal<u32>,
}

impl<T> Clone for Fetch<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Fetch<T> {}

impl<T: DeserializeOwned + Serialize + Clone + Send + Sync + 'static> Fetch<T> {
    /// Fetches `question`, and again when it or `again` changes. Waits for the session first, so that no answer is
    /// older than the event from which [`super::live`] listens.
    pub fn new<F>(question: impl Fn() -> F + Clone + Send + Sync + 'static, again: Option<RwSignal<u32>>) -> Self
    where
        F: ServerFn<Output = T, Error = ApiError> + Serialize + Send + 'static,
    {
        Self::maybe(move || Some(question()), again)
    }

    /// Like [`Self::new`]; without a question, no request is sent and the answer is a `NotFound` error.
    pub fn maybe<F>(
        question: impl Fn() -> Option<F> + Clone + Send + Sync + 'static,
        again: Option<RwSignal<u32>>,
    ) -> Self
    where
        F: ServerFn<Output = T, Error = ApiError> + Serialize + Send + 'static,
    {
        let (session, live) = (use_context::<Session>(), use_context::<Live>());
        let asking = RwSignal::new(0);
        let asked = question.clone();
        let key: Box<dyn Fn() -> Key + Send + Sync> = Box::new(move || {
            let query = asked().map(|asked| serde_qs::to_string(&asked).unwrap_or_default());
            (query, again.map(|again| again.get()).unwrap_or_default())
        });
        let fetch: Box<dyn Fn(Key) -> Future + Send + Sync> = Box::new(move |(query, _)| match query {
            Some(query) => answer(&question, query, session, live, asking),
            None => Box::pin(async { Text(String::new(), Err(unasked())) }),
        });
        let (good, decoded) = (StoredValue::new(None), StoredValue::new(None));
        Self { text: resource(key, fetch), good, answers: |_, _| false, decoded, asking }
    }

    /// Also keeps the last good answer if a query that `answers` accepts fails.
    pub fn answering(self, answers: Answers) -> Self {
        Self { answers, ..self }
    }

    /// Returns the answer or its error; the last good answer while a newer one is in flight or has failed.
    pub fn get(self) -> Option<Result<T, ApiError>> {
        let (good, error) = self.known()?;
        let Some(text) = good else { return error.map(Err) };
        let decoded = |last: &Decoded<T>| last.as_ref().filter(|it| it.0 == text).map(|it| it.1.clone());
        if let Some(found) = self.decoded.try_with_value(decoded)? {
            return Some(Ok(found));
        }
        let found = http::read::<T>(&text);
        if let Ok(found) = &found {
            self.decoded.try_set_value(Some((text, found.clone())));
        }
        Some(found)
    }

    /// Returns the last good answer, if there is one.
    pub fn ok(self) -> Option<T> {
        self.get().and_then(Result::ok)
    }

    /// Returns the error of the newest request, if it is to be shown.
    pub fn error(self) -> Option<ApiError> {
        self.known()?.1
    }

    /// Returns `true` for `aria-busy` while a request is in flight.
    pub fn busy(self) -> Option<&'static str> {
        // On the server the page may be gone by now.
        self.asking.try_get().filter(|asking| *asking > 0).map(|_| "true")
    }

    /// Waits for the first answer.
    pub async fn ready(self) {
        drop(self.text.await);
    }

    fn known(self) -> Option<Known> {
        known(self.text, self.good, self.answers)
    }
}

/// Serialises query, answer and error into the page.
impl fmt::Display for Text {
    #[cfg(feature = "ssr")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(query, answer) = self;
        serde_json::json!([query, answer.as_ref().ok(), answer.as_ref().err()]).fmt(f)
    }

    #[cfg(not(feature = "ssr"))]
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl FromStr for Text {
    type Err = ApiError;

    fn from_str(text: &str) -> Result<Self, ApiError> {
        let parts = serde_json::from_str::<Value>(text).map_err(|_| http::unreadable())?;
        let words = |at: usize| parts[at].as_str().map(str::to_owned);
        let answer = words(1).ok_or_else(|| http::read_value(&parts[2]).unwrap_or_else(http::unreadable));
        Ok(Self(words(0).unwrap_or_default(), answer))
    }
}

/// Returns the last good answer and the newest error. Returns `None` once the page is gone: on the server another
/// thread may read while the last byte is sent.
fn known(text: Resource<Text, FromToStringCodec>, good: StoredValue<Option<Good>>, answers: Answers) -> Option<Known> {
    let Text(query, answer) = text.try_get()??;
    match answer {
        Ok(text) => {
            good.try_set_value(Some((query, text.clone())));
            Some((Some(text), None))
        }
        Err(error) => {
            // A failed request keeps the last good answer, unless its subject no longer exists.
            let answered = |last: &Good| last.0 == query || answers(&query, last);
            let kept = good.try_get_value()?.filter(|last| error.code != Code::NotFound && answered(last));
            // The lost connection is announced once, for the whole page.
            let said = kept.is_some() && error.code == Code::Unavailable;
            Some((kept.map(|last| last.1), (!said).then_some(error)))
        }
    }
}

fn resource(
    key: Box<dyn Fn() -> Key + Send + Sync>,
    fetch: Box<dyn Fn(Key) -> Future + Send + Sync>,
) -> Resource<Text, FromToStringCodec> {
    Resource::new_str(key, fetch)
}

fn unasked() -> ApiError {
    ApiError::new(Code::NotFound, messages::NOTHING_WAS_ASKED)
}

#[cfg(feature = "ssr")]
fn answer<F>(
    question: &impl Fn() -> Option<F>,
    query: String,
    session: Option<Session>,
    _live: Option<Live>,
    _asking: RwSignal<u32>,
) -> Future
where
    F: ServerFn<Error = ApiError> + Send + 'static,
    F::Output: Serialize,
{
    let question = untrack(question);
    Box::pin(async move {
        if let Some(session) = session {
            session.ready().await;
        }
        let Some(question) = question else { return Text(query, Err(unasked())) };
        let answer = question.run_body().await;
        Text(query, answer.and_then(|answer| serde_json::to_string(&answer).map_err(|_| http::unreadable())))
    })
}

#[cfg(not(feature = "ssr"))]
fn answer<F: ServerFn>(
    _question: &impl Fn() -> Option<F>,
    query: String,
    _session: Option<Session>,
    live: Option<Live>,
    asking: RwSignal<u32>,
) -> Future {
    asked(F::url(), query, live, asking)
}

/// A request in flight, until it is answered or cancelled.
#[cfg(not(feature = "ssr"))]
struct Asking(RwSignal<u32>);

#[cfg(not(feature = "ssr"))]
impl Asking {
    fn begin(asking: RwSignal<u32>) -> Self {
        asking.try_update(|n| *n += 1);
        Self(asking)
    }
}

#[cfg(not(feature = "ssr"))]
impl Drop for Asking {
    fn drop(&mut self) {
        // The page may be gone by now.
        self.0.try_update(|n| *n -= 1);
    }
}

#[cfg(not(feature = "ssr"))]
fn asked(path: &'static str, query: String, live: Option<Live>, asking: RwSignal<u32>) -> Future {
    Box::pin(async move {
        let _asking = Asking::begin(asking);
        let answer = http::get(path, &query).await;
        if let Some(live) = live {
            live.answered(!answer.as_ref().is_err_and(|error| error.code == Code::Unavailable));
        }
        Text(query, answer)
    })
}
