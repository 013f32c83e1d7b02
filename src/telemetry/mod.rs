//! Telemetry for operators (R-1005): metrics at `/metrics`, and spans for OpenTelemetry. Neither contains anything that a user
//! wrote, nor their identity.

use std::sync::Arc;
use std::time::Duration;

use self::export::Exporter;
use self::metrics::Metrics;
use self::spans::Span;
use crate::domain::trace::Traceparent;

mod export;
pub mod metrics;
pub mod names;
pub mod spans;

/// Time to send the remaining spans when the process ends.
const FLUSH: Duration = Duration::from_secs(3);

/// Metrics and tracing of a process. Cheap to clone; without a collector, a span costs a branch.
#[derive(Clone, Default)]
pub struct Telemetry {
    pub metrics: Arc<Metrics>,
    exporter: Option<Arc<Exporter>>,
}

impl Telemetry {
    /// Adds a span exporter to `endpoint`, the base address of OTLP over HTTP. Must be called within the runtime that sends the
    /// spans.
    ///
    /// # Errors
    /// One sentence about an invalid address or an invalid OpenTelemetry variable.
    pub fn exporting(self, endpoint: Option<&str>) -> Result<Self, String> {
        let exporter = endpoint.map(Exporter::to).transpose()?.map(Arc::new);
        Ok(Self { exporter, ..self })
    }

    /// Returns true if spans are exported.
    pub fn traces(&self) -> bool {
        self.exporter.is_some()
    }

    /// Returns the parent of a turn's span: the caller's span, otherwise a new trace; `None` if tracing is off.
    pub fn place(&self, sent: Option<Traceparent>) -> Option<Traceparent> {
        self.exporter.as_ref()?;
        Some(sent.unwrap_or_else(|| Traceparent { trace: rand::random(), span: [0; 8], sampled: true }))
    }

    /// Begins a span below `above`; an empty one if tracing is off or there is no parent.
    pub fn begin(&self, above: Option<&Traceparent>, kind: spans::Kind, name: &str) -> Span {
        match (&self.exporter, above) {
            (Some(exporter), Some(above)) => Span::begin(exporter.clone(), above, kind, name),
            _ => Span::nothing(),
        }
    }

    /// Sends the remaining spans, for at most `FLUSH`.
    pub async fn close(&self) {
        let Some(exporter) = self.exporter.clone() else { return };
        // The SDK waits for its own thread, which waits for this runtime to send.
        let closing = tokio::task::spawn_blocking(move || exporter.close(FLUSH));
        if tokio::time::timeout(FLUSH, closing).await.is_err() {
            tracing::warn!("some spans were not sent: the collector did not answer in time");
        }
    }
}
