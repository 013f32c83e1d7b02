//! What operators watch (R-1005): counters for whoever scrapes `/metrics`, and spans for whoever collects them by OpenTelemetry.
//! Neither holds anything that a person wrote, nor who they are.

use std::sync::Arc;
use std::time::Duration;

use self::export::Exporter;
use self::metrics::Metrics;
use self::spans::Span;
use crate::domain::trace::Traceparent;

/// Sending spans.
mod export;
/// Counting.
pub mod metrics;
/// Every name that a metric, a label or a span goes by.
pub mod names;
/// What took how long, and under what.
pub mod spans;

/// How long what is left may take to be sent when the process ends.
const FLUSH: Duration = Duration::from_secs(3);

/// What a process counts and tells. Cheap to clone; without a collector, spans cost a branch.
#[derive(Clone, Default)]
pub struct Telemetry {
    pub metrics: Arc<Metrics>,
    exporter: Option<Arc<Exporter>>,
}

impl Telemetry {
    /// The same with a collector of spans at `endpoint`, the base address of OTLP over HTTP. To be called within the runtime that
    /// sends them.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the address, or with one of OpenTelemetry's own variables.
    pub fn exporting(self, endpoint: Option<&str>) -> Result<Self, String> {
        let exporter = endpoint.map(Exporter::to).transpose()?.map(Arc::new);
        Ok(Self { exporter, ..self })
    }

    /// Whether anybody collects spans.
    pub fn traces(&self) -> bool {
        self.exporter.is_some()
    }

    /// Where a turn is to stand: under whoever sent it, or in a trace of its own; `None` where nobody collects spans.
    pub fn place(&self, sent: Option<Traceparent>) -> Option<Traceparent> {
        self.exporter.as_ref()?;
        Some(sent.unwrap_or_else(|| Traceparent { trace: rand::random(), span: [0; 8], sampled: true }))
    }

    /// Begins a span under `above`; one that nobody collects, or that is under none, is nothing.
    pub fn begin(&self, above: Option<&Traceparent>, kind: spans::Kind, name: &str) -> Span {
        match (&self.exporter, above) {
            (Some(exporter), Some(above)) => Span::begin(exporter.clone(), above, kind, name),
            _ => Span::nothing(),
        }
    }

    /// Sends what is left, for so long and no longer.
    pub async fn close(&self) {
        let Some(exporter) = self.exporter.clone() else { return };
        // The library waits for its own thread, which waits for ours to send.
        let closing = tokio::task::spawn_blocking(move || exporter.close(FLUSH));
        if tokio::time::timeout(FLUSH, closing).await.is_err() {
            tracing::warn!("spans were left unsent: the collector did not answer in time");
        }
    }
}
