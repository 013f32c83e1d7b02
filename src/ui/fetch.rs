//! What a page shows: the answer of one reading server function, fetched by the server that renders and again by the browser
//! when something changed. All of them travel as text through one resource type: only their decoding differs.

use std::fmt;
use std::pin::Pin;
use std::str::FromStr;

use leptos::prelude::*;
use leptos::server::codee::string::FromToStringCodec;
use leptos::server_fn::ServerFn;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::call;
use super::live::Live;
use super::session::Session;
use crate::api::ApiError;
use crate::api::error::Code;
use crate::words::errors as words;

/// A question and its answer.
#[derive(Clone)]
struct Text(String, Result<String, ApiError>);
type Future = Pin<Box<dyn std::future::Future<Output = Text> + Send>>;

/// The question, if there is one, and how often it was to be asked again.
type Key = (Option<String>, u32);

/// An answer as text, and why there is no newer one.
type Known = (Option<String>, Option<ApiError>);

/// An answer and the text that it was decoded from.
type Decoded<T> = Option<(String, T)>;

/// A good answer as text, behind its question.
type Good = (String, String);

/// Whether a question is answered by what another one was answered with.
type Answers = fn(&str, &Good) -> bool;

/// An answer that keeps itself fresh. Read it inside a `Suspense` or `Transition`.
pub struct Fetch<T: 'static> {
    text: Resource<Text, FromToStringCodec>,
    /// The last good answer.
    good: StoredValue<Option<Good>>,
    /// Which questions it answers beside its own.
    answers: Answers,
    decoded: StoredValue<Decoded<T>>,
    /// How many questions are on their way.
    asking: RwSignal<u32>,
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
        Self::maybe(move || Some(question()), again)
    }

    /// The same for a question that there may be none of; then there is no answer either.
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

    /// The same, where another question may be about what is shown: it stays while that one goes unanswered.
    pub fn answering(self, answers: Answers) -> Self {
        Self { answers, ..self }
    }

    /// The answer, or why there is none; the last one while a newer one is on its way or could not be had.
    pub fn get(self) -> Option<Result<T, ApiError>> {
        let (good, error) = self.known()?;
        let Some(text) = good else { return error.map(Err) };
        let decoded = |last: &Decoded<T>| last.as_ref().filter(|it| it.0 == text).map(|it| it.1.clone());
        if let Some(found) = self.decoded.try_with_value(decoded)? {
            return Some(Ok(found));
        }
        let found = call::read::<T>(&text);
        if let Ok(found) = &found {
            self.decoded.try_set_value(Some((text, found.clone())));
        }
        Some(found)
    }

    /// The last good answer, if there is one.
    pub fn ok(self) -> Option<T> {
        self.get().and_then(Result::ok)
    }

    /// Why there is no newer answer.
    pub fn error(self) -> Option<ApiError> {
        self.known()?.1
    }

    /// Whether a newer answer is on its way, for what shows the one before it.
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

/// How the server puts it into the page: the question, the answer and the error.
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
        let parts = serde_json::from_str::<Value>(text).map_err(|_| call::unreadable())?;
        let words = |at: usize| parts[at].as_str().map(str::to_owned);
        let answer = words(1).ok_or_else(|| call::read_value(&parts[2]).unwrap_or_else(call::unreadable));
        Ok(Self(words(0).unwrap_or_default(), answer))
    }
}

/// What is known of a question. Nothing once the page is gone: on the server another thread may still look for what a page
/// waits for while its last byte is sent.
fn known(text: Resource<Text, FromToStringCodec>, good: StoredValue<Option<Good>>, answers: Answers) -> Option<Known> {
    let Text(query, answer) = text.try_get()??;
    match answer {
        Ok(text) => {
            good.try_set_value(Some((query, text.clone())));
            Some((Some(text), None))
        }
        Err(error) => {
            // A question that went unanswered takes nothing away, unless what it is about is gone.
            let answered = |last: &Good| last.0 == query || answers(&query, last);
            let kept = good.try_get_value()?.filter(|last| error.code != Code::NotFound && answered(last));
            // That the connection is lost is said once, for the whole page.
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
    ApiError::new(Code::NotFound, words::NOTHING_WAS_ASKED)
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
        Text(query, answer.and_then(|answer| serde_json::to_string(&answer).map_err(|_| call::unreadable())))
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

/// A question on its way, until it is answered or let go.
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
        let answer = call::get(path, &query).await;
        if let Some(live) = live {
            live.answered(!answer.as_ref().is_err_and(|error| error.code == Code::Unavailable));
        }
        Text(query, answer)
    })
}
