//! Sending spans: OTLP over HTTP, in batches, by a thread of the library's, over the client that models are asked by. How much is
//! kept and how often it is sent, further headers and the service's name are OpenTelemetry's own variables, which its library reads.

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

/// How long a batch may take on its way.
const SEND: Duration = Duration::from_secs(10);
const CONNECT: Duration = Duration::from_secs(5);

/// Where finished spans go.
pub(super) struct Exporter {
    processor: BatchSpanProcessor,
}

impl Exporter {
    /// Sends to `endpoint`/v1/traces, as the specification has it for the address that all kinds of telemetry share.
    pub fn to(endpoint: &str) -> Result<Self, String> {
        // Somebody else may have chosen one already; any will do.
        rustls::crypto::ring::default_provider().install_default().ok();
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .timeout(SEND)
            // A redirect could take the headers elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|_| "The client that sends spans cannot be made.".to_owned())?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
            .with_http_client(Sender { http, runtime: Handle::current() })
            .build()
            .map_err(|error| format!("Spans cannot be sent as OTEL_EXPORTER_OTLP_* say: {error}."))?;
        let mut processor = BatchSpanProcessor::builder(exporter).build();
        processor.set_resource(&resource());
        Ok(Self { processor })
    }

    /// Puts a finished span into the next batch; where too many wait already, it is dropped.
    pub fn send(&self, span: SpanData) {
        self.processor.on_end(span);
    }

    /// Sends what is left and takes no more.
    pub fn close(&self, within: Duration) {
        if let Err(error) = self.processor.shutdown_with_timeout(within) {
            tracing::warn!(%error, "spans may have been left unsent");
        }
    }
}

/// Who tells: `docket`, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES says otherwise.
fn resource() -> Resource {
    let version = || KeyValue::new(names::SERVICE_VERSION, env!("CARGO_PKG_VERSION"));
    let told = Resource::builder().with_attribute(version()).build();
    let name = told.get(&Key::from_static_str(names::SERVICE_NAME));
    match name {
        // What the library takes where nobody says it.
        Some(name) if name.as_str().starts_with("unknown_service") => {
            Resource::builder().with_attribute(version()).with_service_name(names::SERVICE).build()
        }
        _ => told,
    }
}

/// Sends on the server's own runtime: the library's thread has none.
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
            Ok(answer) => tracing::warn!(status = answer.status().as_u16(), "the collector refused spans"),
            Err(_) => tracing::warn!("the collector of spans cannot be reached"),
        }
        answer
    }
}
