//! Any endpoint that speaks OpenAI's chat completions. What single providers do otherwise is dealt with here and below, and
//! nowhere else. Requests and answers are plain JSON, since the client's own types drop what they do not know.

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
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

/// A streamed answer put together.
pub mod assembly;
/// Functions beside the tools, by which a model asks and declines.
mod control;
/// Texts as numbers.
mod embedding;
/// Answers as streams of events, whatever they are.
mod events;
/// What an error means.
mod refusal;
/// What an answer says.
pub mod reply;
/// What is sent.
mod request;
/// Schemas as Gemini takes them.
mod schema;

/// Nothing at all from a streaming provider in this time counts as failed. Where nothing is streamed, the first byte is that
/// of the whole answer, which has the time of a call.
const FIRST_BYTE: Duration = Duration::from_secs(10);
const CONNECT: Duration = Duration::from_secs(5);
/// Bytes an answer may have on the wire, and as many more as its tokens take: streamed, each comes in an event of its own.
const LARGEST: usize = 2 << 20;
const LARGEST_EACH: usize = 512;
/// Bytes of an error that are read.
const LARGEST_ERROR: usize = 64 << 10;
/// How long the text of an error is waited for, whose status is known.
const ERROR_TEXT: Duration = Duration::from_secs(1);

/// Where a model is and how it is to be asked.
#[derive(Clone)]
pub struct Settings {
    pub engine: Engine,
    pub base_url: String,
    /// Empty where the server wants none.
    pub api_key: String,
    pub model: String,
    pub temperature: f64,
    pub max_tokens: u32,
    /// Tokens that the model takes in and gives out at once.
    pub context_tokens: u32,
    /// Whether its words come as they are made.
    pub stream: bool,
}

impl Settings {
    /// Where replies come from: the host and the model. What a provider wants back of its own is nothing for another.
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
    /// [`FIRST_BYTE`], but for tests.
    first_byte: Duration,
    /// How it has turned out that the provider is to be asked.
    manner: RwLock<Manner>,
}

/// What sends requests. A small image may have no certificate authorities: then no https address is believed, and the rules answer,
/// but one by http is asked all the same.
fn sender() -> reqwest::Client {
    use reqwest::{redirect, retry};
    // A redirect could take the key elsewhere. A request that might be sent again would be kept until it is answered, and whether to ask
    // again is the turn's business.
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
    /// Reaches nobody yet.
    pub fn new(settings: Settings) -> Self {
        Self::waiting(settings, ERROR_TEXT)
    }

    fn waiting(settings: Settings, error_text: Duration) -> Self {
        // Somebody else may have chosen one already; any will do.
        rustls::crypto::ring::default_provider().install_default().ok();
        let http = sender();
        let tokens = usize::try_from(settings.max_tokens).unwrap_or(usize::MAX);
        let largest = LARGEST.max(tokens.saturating_mul(LARGEST_EACH));
        let config = OpenAIConfig::new()
            .with_api_base(settings.base_url.clone())
            .with_api_key(settings.api_key.clone())
            // Not from the environment: it is read in one place.
            .with_org_id("")
            .with_project_id("");
        let client = Client::build(http.clone(), config).with_http_service(Transport { http, largest, error_text });
        Self { settings, client, first_byte: FIRST_BYTE, manner: RwLock::new(Manner::USUAL) }
    }

    /// The texts as an embedding model's numbers, in the same order, and what that took. `dimensions` is how many numbers each is to
    /// have; without it the model decides, since not every one can be told.
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
            // Who only says that an answer is on its way is there, and has the time of a call.
            () = heard.notified() => opened.await?,
            () = tokio::time::sleep(self.first_byte) => {
                return Err(LlmError::Unavailable(format!("nothing came in {} s", self.first_byte.as_secs())));
            }
        };
        let mut answer = Assembly::default();
        let mut heard = 0;
        while let Some(chunk) = next {
            let text = answer.add(&chunk.map_err(failed)?)?;
            let unseen = answer.bytes().saturating_sub(heard + text.len());
            heard = answer.bytes();
            if let Some(told) = told {
                // Whoever listened may have given up; then this is dropped as well.
                if unseen > 0 {
                    told.send(Piece::Unseen(unseen)).ok();
                }
                if !text.is_empty() {
                    told.send(Piece::Text(text)).ok();
                }
            }
            next = stream.next().await;
        }
        answer.whole()
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
    /// Told when the answer to the request of this task begins: the client itself tells of whole events only.
    static HEARD: Arc<Notify>;
}

/// Sends a request once: the client's own would try again, forget Retry-After and read answers of any size.
#[derive(Clone)]
struct Transport {
    http: reqwest::Client,
    /// Bytes an answer may have.
    largest: usize,
    /// [`ERROR_TEXT`], but for tests.
    error_text: Duration,
}

impl Service<HttpRequestFactory> for Transport {
    type Response = reqwest::Response;
    type Error = OpenAIError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        let (http, largest, error_text) = (self.http.clone(), self.largest, self.error_text);
        let heard = HEARD.try_with(Arc::clone).ok();
        let trace = super::trace().and_then(|trace| trace.to_string().parse::<http::HeaderValue>().ok());
        Box::pin(async move {
            let mut request = factory.build().await?;
            // Both hold the body, which nobody needs once it is sent: the factory, and a body that could be sent again.
            drop(factory);
            let json = request.body().and_then(|body| body.as_bytes()).and_then(|json| std::str::from_utf8(json).ok());
            if let Some(json) = json.map(str::to_owned) {
                *request.body_mut() = Some(Body::wrap(json));
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

/// The same answer, broken off where it grows too large. Whoever waits for events is told that it begins, be it with a comment, and
/// gets events whatever it is.
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

/// An answer whose status is no success.
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

/// What the client reports, in words without anything of the conversation.
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
