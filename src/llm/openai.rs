//! A client for endpoints compatible with OpenAI's chat completions. This module alone handles differences between
//! providers. Requests and answers are plain JSON, since the typed client drops unknown fields.

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll};
use std::time::Duration;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use async_trait::async_trait;
use futures::StreamExt as _;
use reqwest::Body;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::Notify;
use tower::Service;

use self::assembly::Assembly;
use self::request::Manner;
use super::{Llm, LlmError, Piece, Reply, Request, Told, Usage};
use crate::domain::decision::Engine;

pub mod assembly;
/// Credentials in base URLs.
mod authorization;
/// Control functions next to the tools: asking and declining.
mod control;
/// Tool calls that only repeat a text of the request.
mod echo;
mod embedding;
/// Normalisation of answers to server-sent events.
mod events;
/// Machine markup that does not belong in a reply.
mod markup;
mod nesting;
/// Classification of provider errors.
mod refusal;
pub mod reply;
mod request;
mod schema;
/// Tool calls written as text.
mod written;

/// Timeout for the first byte of a streamed answer. Without streaming, the call's timeout applies instead.
const FIRST_BYTE: Duration = Duration::from_secs(10);
const CONNECT: Duration = Duration::from_secs(5);
/// Maximum bytes of an answer, or [`LARGEST_EACH`] per token if that is more: streaming sends each token in its own event.
const LARGEST: usize = 2 << 20;
const LARGEST_EACH: usize = 512;
/// Maximum bytes read of an error body.
const LARGEST_ERROR: usize = 64 << 10;
/// Timeout for an error body whose status is known.
const ERROR_TEXT: Duration = Duration::from_secs(1);

/// Endpoint and parameters of a model.
#[derive(Clone)]
pub struct Settings {
    pub engine: Engine,
    pub base_url: String,
    /// Empty if the server needs no key.
    pub api_key: String,
    pub model: String,
    pub temperature: f64,
    pub max_tokens: u32,
    /// Size of the context window in tokens, for input and output together.
    pub context_tokens: u32,
    /// True if replies are streamed.
    pub stream: bool,
}

impl Settings {
    /// Returns host and model, which identify the source of a reply. Provider-specific fields go back only to their source.
    fn source(&self) -> String {
        let host = self.base_url.parse::<http::Uri>().ok();
        let host = host.as_ref().and_then(|address| Some((address.host()?, address.port_u16())));
        let host = host.map(|(host, port)| port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")));
        format!("{}/{}", host.unwrap_or_default(), self.model)
    }
}

/// A model behind an endpoint.
pub struct OpenAi {
    settings: Settings,
    client: Client<OpenAIConfig>,
    /// [`FIRST_BYTE`], except in tests.
    first_byte: Duration,
    /// Request variant that the provider was found to accept.
    manner: RwLock<Manner>,
    /// True after a reply began with reasoning without an opening tag. From then on, reasoning is held back until it is complete.
    unopened_thoughts: AtomicBool,
}

/// Builds the HTTP client. Without certificate authorities, as in minimal images, https requests fail and the fallback
/// answers, while http still works.
fn sender() -> reqwest::Client {
    use reqwest::{redirect, retry};
    // Redirects could send the key elsewhere. Automatic retries would keep the body in memory, and the turn decides
    // about retries.
    let plain = || {
        let once = retry::never().max_retries_per_request(0);
        reqwest::Client::builder().connect_timeout(CONNECT).redirect(redirect::Policy::none()).retry(once)
    };
    let sender = plain().build().or_else(|error| {
        tracing::error!(?error, "no model can be reached by https: install the system's ca-certificates");
        plain().tls_certs_only([]).build()
    });
    sender.expect("a client without a proxy or certificates of its own can be built")
}

impl OpenAi {
    /// Creates the client without connecting.
    pub fn new(settings: Settings) -> Self {
        Self::waiting(settings, ERROR_TEXT)
    }

    fn waiting(settings: Settings, error_text: Duration) -> Self {
        // Fails if a provider is already installed; any provider works.
        rustls::crypto::ring::default_provider().install_default().ok();
        let http = sender();
        let tokens = usize::try_from(settings.max_tokens).unwrap_or(usize::MAX);
        let largest = LARGEST.max(tokens.saturating_mul(LARGEST_EACH));
        let (address, name) = authorization::credentials(&settings.base_url);
        let (base, query) = match address.split_once('?') {
            Some((base, query)) => (base, Some(query.to_owned())),
            None => (address.as_str(), None),
        };
        // Some servers reject an empty key, so none is sent.
        let authorization = settings.api_key.is_empty().then(|| name.map(|name| authorization::basic(&name)));
        let config = OpenAIConfig::new()
            .with_api_base(base)
            .with_api_key(settings.api_key.clone())
            // Prevents the client from reading environment variables.
            .with_org_id("")
            .with_project_id("");
        let client = Client::build(http.clone(), config).with_http_service(Transport {
            http,
            largest,
            error_text,
            query,
            authorization,
        });
        Self {
            settings,
            client,
            first_byte: FIRST_BYTE,
            manner: RwLock::new(Manner::USUAL),
            unopened_thoughts: AtomicBool::new(false),
        }
    }

    /// Returns one vector per text, in order, and the tokens used. `dimensions` sets the vector length; `None` omits
    /// the parameter, since not every model accepts it.
    pub async fn embed(
        &self,
        model: &str,
        dimensions: Option<u32>,
        texts: &[&str],
    ) -> Result<(Vec<Vec<f32>>, Usage), LlmError> {
        let body = embedding::body(model, dimensions, texts);
        let sent = body.to_string().len();
        let answer: Value = self.client.embeddings().create_byot(body).await.map_err(failed)?;
        embedding::read(&answer, texts.len(), sent)
    }

    async fn ask(&self, request: &Request, told: Option<&Told>) -> Result<Reply, LlmError> {
        let known = *self.manner.read().unwrap_or_else(PoisonError::into_inner);
        let mut manner = known;
        let body = |manner| request::body(&self.settings, manner, request);
        let first = body(manner);
        let sent = first.get().len();
        if let Some(told) = told {
            told.send(Piece::Asked(sent)).ok();
        }
        let mut answer = self.send(first, told).await;
        while let Some(other) = answer.as_ref().err().and_then(|error| manner.after(known, error, request)) {
            manner = other;
            answer = self.send(body(manner), told).await;
        }
        if answer.is_ok() && manner != known {
            *self.manner.write().unwrap_or_else(PoisonError::into_inner) = manner;
        }
        let mut reply = reply::read(self.settings.engine, answer?, request, sent)?;
        if let Some(raw) = &mut reply.raw {
            raw["source"] = self.settings.source().into();
        }
        Ok(reply)
    }

    async fn send(&self, body: Box<RawValue>, told: Option<&Told>) -> Result<Value, LlmError> {
        if self.settings.stream {
            return self.streamed(body, told).await;
        }
        self.client.chat().create_byot::<_, Value>(body).await.map_err(failed)
    }

    async fn streamed(&self, body: Box<RawValue>, told: Option<&Told>) -> Result<Value, LlmError> {
        let heard = Arc::new(Notify::new());
        let opened = HEARD.scope(heard.clone(), async {
            let mut stream = self.client.chat().create_stream_byot::<_, Value>(body).await.map_err(failed)?;
            let first = stream.next().await;
            Ok::<_, LlmError>((stream, first))
        });
        let mut opened = pin!(opened);
        let (mut stream, mut next) = tokio::select! {
            biased;
            opened = &mut opened => opened?,
            // A keep-alive comment proves that the provider is up, so the call's timeout applies.
            () = heard.notified() => opened.await?,
            () = tokio::time::sleep(self.first_byte) => {
                return Err(LlmError::Unavailable(format!("nothing came in {} s", self.first_byte.as_secs())));
            }
        };
        let mut answer = Assembly::of(self.unopened_thoughts.load(Ordering::Relaxed));
        let mut heard = 0;
        while let Some(chunk) = next {
            let text = answer.add(&chunk.map_err(failed)?)?;
            let unseen = answer.bytes().saturating_sub(heard + text.len());
            heard = answer.bytes();
            if let Some(told) = told {
                // Sending fails if the receiver has given up; the call is then dropped as well.
                if unseen > 0 {
                    told.send(Piece::Unseen(unseen)).ok();
                }
                if !text.is_empty() {
                    told.send(Piece::Text(text)).ok();
                }
            }
            next = stream.next().await;
        }
        let answer = answer.whole()?;
        if markup::is_unopened(&reply::words(&answer["choices"][0]["message"]["content"])) {
            self.unopened_thoughts.store(true, Ordering::Relaxed);
        }
        Ok(answer)
    }
}

#[async_trait]
impl Llm for OpenAi {
    fn engine(&self) -> Engine {
        self.settings.engine
    }

    fn model(&self) -> Option<&str> {
        Some(&self.settings.model)
    }

    async fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        self.ask(request, None).await
    }

    async fn stream(&self, request: &Request, told: &Told) -> Result<Reply, LlmError> {
        self.ask(request, Some(told)).await
    }
}

tokio::task_local! {
    /// Notified at the first byte of this task's answer; the client itself reports complete events only.
    static HEARD: Arc<Notify>;
}

/// Sends a request once. The client's own transport retries, ignores `Retry-After` and has no size limit.
#[derive(Clone)]
struct Transport {
    http: reqwest::Client,
    /// Maximum bytes of an answer.
    largest: usize,
    /// [`ERROR_TEXT`], except in tests.
    error_text: Duration,
    /// The query of the base URL, added to each request.
    query: Option<String>,
    /// The header to use without a key, if the URL has credentials; `None` with a key.
    authorization: Option<Option<http::HeaderValue>>,
}

impl Service<HttpRequestFactory> for Transport {
    type Response = reqwest::Response;
    type Error = OpenAIError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        let (http, largest, error_text, query) = (self.http.clone(), self.largest, self.error_text, self.query.clone());
        let authorization = self.authorization.clone();
        let heard = HEARD.try_with(Arc::clone).ok();
        let trace = super::trace().and_then(|trace| trace.to_string().parse::<http::HeaderValue>().ok());
        Box::pin(async move {
            let mut request = factory.build().await?;
            if query.is_some() {
                request.url_mut().set_query(query.as_deref());
            }
            // Both the factory and a repeatable body would keep a copy of the body until the answer.
            drop(factory);
            let json = request.body().and_then(|body| body.as_bytes()).and_then(|json| std::str::from_utf8(json).ok());
            if let Some(json) = json.map(str::to_owned) {
                *request.body_mut() = Some(Body::wrap(json));
            }
            if let Some(header) = authorization {
                request.headers_mut().remove(http::header::AUTHORIZATION);
                request.headers_mut().extend(header.map(|header| (http::header::AUTHORIZATION, header)));
            }
            if let Some(trace) = trace {
                request.headers_mut().insert("traceparent", trace);
            }
            let response = http.execute(request).await.map_err(OpenAIError::Reqwest)?;
            if response.status().is_success() {
                return capped(response, largest, heard);
            }
            Err(OpenAIError::Boxed(Box::new(refused(response, error_text).await)))
        })
    }
}

/// Limits the body to `most` bytes. With `heard`, notifies it of each chunk, comments included, and converts any body
/// to server-sent events.
fn capped(
    response: reqwest::Response,
    most: usize,
    heard: Option<Arc<Notify>>,
) -> Result<reqwest::Response, OpenAIError> {
    let mut head = http::Response::builder().status(response.status());
    if let Some(kind) = response.headers().get(http::header::CONTENT_TYPE) {
        head = head.header(http::header::CONTENT_TYPE, kind);
    }
    let (mut left, streams) = (most, heard.is_some());
    let body = response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(io::Error::other)?;
        if let Some(heard) = &heard {
            heard.notify_one();
        }
        left = left.checked_sub(chunk.len()).ok_or_else(|| io::Error::other("the answer is too large"))?;
        Ok::<_, io::Error>(chunk)
    });
    let body = if streams { Body::wrap_stream(events::of(body)) } else { Body::wrap_stream(body) };
    head.body(body).map(Into::into).map_err(|error| OpenAIError::InvalidArgument(error.to_string()))
}

/// Reads the error of an unsuccessful answer.
async fn refused(response: reqwest::Response, patience: Duration) -> LlmError {
    let status = response.status().as_u16();
    let after = refusal::after(response.headers());
    let text = async {
        match capped(response, LARGEST_ERROR, None) {
            Ok(response) => response.text().await.unwrap_or_default(),
            Err(_) => String::new(),
        }
    };
    let text = tokio::time::timeout(patience, text).await.unwrap_or_default();
    refusal::read(status, after, &serde_json::from_str(&text).unwrap_or_default())
}

/// Converts a client error into a message without content of the conversation.
fn failed(error: OpenAIError) -> LlmError {
    match error {
        OpenAIError::Boxed(inner) => match inner.downcast::<LlmError>() {
            Ok(own) => *own,
            Err(_) => LlmError::Unavailable("the request failed".into()),
        },
        OpenAIError::Reqwest(error) if error.is_builder() => LlmError::Unfit("the address cannot be asked".into()),
        OpenAIError::Reqwest(error) if error.is_connect() => {
            LlmError::Unavailable("the provider cannot be reached".into())
        }
        OpenAIError::Reqwest(_) | OpenAIError::StreamError(_) => {
            LlmError::Unavailable("the connection broke, or the answer was too large".into())
        }
        OpenAIError::InvalidArgument(_) => LlmError::Unfit("the request cannot be made".into()),
        OpenAIError::JSONDeserialize(..) => LlmError::Unavailable("the answer is no JSON".into()),
        _ => LlmError::Unavailable("the request failed".into()),
    }
}

#[cfg(test)]
mod tests;
