//! Requests, and a browser's cookies.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use reqwest::header::{COOKIE, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Body, ClientBuilder, RequestBuilder, Response, Result};
use serde::Serialize;

/// Returns a builder of clients without TLS. The library needs a crypto provider anyway.
pub fn plain() -> ClientBuilder {
    rustls::crypto::ring::default_provider().install_default().ok();
    reqwest::Client::builder().tls_certs_only([]).redirect(Policy::none())
}

/// A browser's cookies by name.
#[derive(Clone, Default)]
pub struct Cookies(Arc<Mutex<BTreeMap<String, String>>>);

impl Cookies {
    fn header(&self) -> String {
        let pairs = self.0.lock().unwrap();
        pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    /// Stores the cookies that the answer sets, and drops expired ones.
    fn take(&self, answer: &Response) {
        for cookie in answer.headers().get_all(SET_COOKIE) {
            let cookie = cookie.to_str().expect("a cookie is text");
            let (pair, attributes) = cookie.split_once(';').unwrap_or((cookie, ""));
            let (name, value) = pair.split_once('=').expect("a cookie has a name and a value");
            let mut pairs = self.0.lock().unwrap();
            if attributes.split(';').any(|it| it.trim().eq_ignore_ascii_case("max-age=0")) {
                pairs.remove(name);
            } else {
                pairs.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}

/// A request under construction.
pub struct Request {
    pub request: RequestBuilder,
    pub cookies: Option<Cookies>,
}

impl Request {
    fn with(self, change: impl FnOnce(RequestBuilder) -> RequestBuilder) -> Self {
        Self { request: change(self.request), ..self }
    }

    pub fn header(self, name: &str, value: impl AsRef<str>) -> Self {
        self.with(|request| request.header(name, value.as_ref()))
    }

    pub fn query<T: Serialize + ?Sized>(self, query: &T) -> Self {
        self.with(|request| request.query(query))
    }

    pub fn form<T: Serialize + ?Sized>(self, fields: &T) -> Self {
        self.with(|request| request.form(fields))
    }

    pub fn json<T: Serialize + ?Sized>(self, json: &T) -> Self {
        self.with(|request| request.json(json))
    }

    pub fn body(self, body: impl Into<Body>) -> Self {
        self.with(|request| request.body(body))
    }

    pub async fn send(self) -> Result<Response> {
        let Some(cookies) = self.cookies else { return self.request.send().await };
        let kept = cookies.header();
        let request = if kept.is_empty() { self.request } else { self.request.header(COOKIE, kept) };
        let answer = request.send().await?;
        cookies.take(&answer);
        Ok(answer)
    }
}
