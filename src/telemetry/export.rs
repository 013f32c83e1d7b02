//! Span export: OTLP over HTTP in batches, on a thread of the OpenTelemetry SDK, with the same HTTP client as models. Batch
//! sizes, intervals, extra headers and the service's name are OpenTelemetry's own variables, which the SDK reads.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use opentelemetry::{Key, KeyValue};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchSpanProcessor, SpanData, SpanProcessor as _};
use tokio::runtime::Handle;

use super::names;

/// Timeouts of sending a batch and of connecting.
const SEND: Duration = Duration::from_secs(10);
const CONNECT: Duration = Duration::from_secs(5);

/// Exports finished spans.
pub(super) struct Exporter {
    processor: BatchSpanProcessor,
}

impl Exporter {
    /// Creates an exporter to `endpoint`/v1/traces, as the specification defines for the base address of all signals.
    pub fn to(endpoint: &str) -> Result<Self, String> {
        // Another component may have installed one already; any will do.
        rustls::crypto::ring::default_provider().install_default().ok();
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .timeout(SEND)
            // A redirect could send the headers to another host.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|_| "The HTTP client for spans cannot be created.".to_owned())?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
            .with_http_client(Sender { http, runtime: Handle::current() })
            .build()
            .map_err(|error| format!("The OTEL_EXPORTER_OTLP_* settings are invalid: {error}."))?;
        let mut processor = BatchSpanProcessor::builder(exporter).build();
        processor.set_resource(&resource());
        Ok(Self { processor })
    }

    /// Adds a finished span to the next batch; drops it if the queue is full.
    pub fn send(&self, span: SpanData) {
        self.processor.on_end(span);
    }

    /// Sends the remaining spans and accepts no more.
    pub fn close(&self, within: Duration) {
        if let Err(error) = self.processor.shutdown_with_timeout(within) {
            tracing::warn!(%error, "some spans may not have been sent");
        }
    }
}

/// Returns the service's identity: `docket`, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES is set.
fn resource() -> Resource {
    let version = || KeyValue::new(names::SERVICE_VERSION, env!("CARGO_PKG_VERSION"));
    let told = Resource::builder().with_attribute(version()).build();
    let name = told.get(&Key::from_static_str(names::SERVICE_NAME));
    match name {
        // The SDK's default if no name is set.
        Some(name) if name.as_str().starts_with("unknown_service") => {
            Resource::builder().with_attribute(version()).with_service_name(names::SERVICE).build()
        }
        _ => told,
    }
}

/// Sends on the server's runtime, since the SDK's thread has none.
struct Sender {
    http: reqwest::Client,
    runtime: Handle,
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender")
    }
}

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (http, request) = (self.http.clone(), reqwest::Request::try_from(request)?);
        let sending = self.runtime.spawn(async move {
            let answer = http.execute(request).await?;
            let mut response = Response::builder().status(answer.status());
            if let Some(headers) = response.headers_mut() {
                headers.clone_from(answer.headers());
            }
            Ok::<_, HttpError>(response.body(answer.bytes().await?)?)
        });
        let answer = sending.await?;
        match &answer {
            Ok(answer) if answer.status().is_success() => {}
            Ok(answer) => tracing::warn!(status = answer.status().as_u16(), "the collector rejected spans"),
            Err(_) => tracing::warn!("the span collector cannot be reached"),
        }
        answer
    }
}
