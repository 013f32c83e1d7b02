//! A fake span collector that accepts OTLP over HTTP and stores everything.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use prost::Message as _;

use crate::app::until;
use crate::stand_in;

/// A received span, with ids in hexadecimal.
#[derive(Debug, Clone, Default)]
pub struct Span {
    pub name: String,
    pub trace: String,
    pub id: String,
    /// Empty without a parent.
    pub parent: String,
    /// 1 internal, 2 server, 3 client.
    pub kind: i32,
    /// 2 for an error.
    pub status: i32,
    /// All values as text.
    pub attributes: BTreeMap<String, String>,
    /// Linked traces.
    pub links: Vec<String>,
    pub service: String,
}

#[derive(Default)]
struct Inner {
    spans: Vec<Span>,
    /// The raw request bodies.
    raw: Vec<u8>,
    headers: Vec<HeaderMap>,
}

/// A running collector.
#[derive(Clone)]
pub struct Collector {
    pub url: String,
    inner: Arc<Mutex<Inner>>,
}

impl Collector {
    pub fn start() -> Self {
        let inner = Arc::<Mutex<Inner>>::default();
        let address = stand_in::serve(Router::new().route("/v1/traces", post(take)).with_state(inner.clone()));
        Self { url: format!("http://{address}"), inner }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no request panics")
    }

    /// Returns the environment that makes a server export spans without delay.
    pub fn environment<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let mut environment =
            vec![("OTEL_EXPORTER_OTLP_ENDPOINT", self.url.as_str()), ("OTEL_BSP_SCHEDULE_DELAY", "20")];
        environment.extend(more);
        environment
    }

    pub fn of(&self, trace: &str) -> Vec<Span> {
        self.inner().spans.iter().filter(|span| span.trace == trace).cloned().collect()
    }

    /// Returns all spans so far.
    pub fn all(&self) -> Vec<Span> {
        self.inner().spans.clone()
    }

    /// Waits until the trace has `count` spans of the name, and returns them.
    pub async fn named(&self, trace: &str, name: &str, count: usize) -> Vec<Span> {
        until(name, || async {
            let found: Vec<_> = self.of(trace).into_iter().filter(|span| span.name == name).collect();
            (found.len() == count).then_some(found)
        })
        .await
    }

    /// Returns true if any request body contained these words.
    pub fn heard(&self, words: &str) -> bool {
        let inner = self.inner();
        inner.raw.windows(words.len()).any(|part| part == words.as_bytes())
    }

    /// Returns a header of the last request.
    pub fn header(&self, name: &str) -> Option<String> {
        let inner = self.inner();
        Some(inner.headers.last()?.get(name)?.to_str().ok()?.to_owned())
    }
}

async fn take(State(inner): State<Arc<Mutex<Inner>>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let Ok(request) = ExportTraceServiceRequest::decode(body.clone()) else { return StatusCode::BAD_REQUEST };
    let mut inner = inner.lock().expect("no request panics");
    inner.raw.extend_from_slice(&body);
    inner.headers.push(headers);
    for resource in request.resource_spans {
        let told = resource.resource.map(|resource| attributes(resource.attributes)).unwrap_or_default();
        let service = told.get("service.name").cloned().unwrap_or_default();
        for span in resource.scope_spans.into_iter().flat_map(|scope| scope.spans) {
            inner.spans.push(Span {
                name: span.name,
                trace: hex(&span.trace_id),
                id: hex(&span.span_id),
                parent: hex(&span.parent_span_id),
                kind: span.kind,
                status: span.status.map_or(0, |status| status.code),
                attributes: attributes(span.attributes),
                links: span.links.iter().map(|link| hex(&link.trace_id)).collect(),
                service: service.clone(),
            });
        }
    }
    StatusCode::OK
}

fn attributes(all: Vec<KeyValue>) -> BTreeMap<String, String> {
    all.into_iter().map(|it| (it.key, text(it.value))).collect()
}

fn text(value: Option<AnyValue>) -> String {
    match value.and_then(|value| value.value) {
        Some(any_value::Value::StringValue(text)) => text,
        Some(any_value::Value::IntValue(number)) => number.to_string(),
        Some(any_value::Value::DoubleValue(number)) => number.to_string(),
        Some(any_value::Value::BoolValue(is)) => is.to_string(),
        other => format!("{other:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
