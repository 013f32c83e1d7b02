//! Spans: durations and their nesting. Ids exist from the start and are exported at the end, so that a turn keeps the trace of
//! its row, whichever process runs it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::SystemTime;

use opentelemetry::trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
use opentelemetry::{InstrumentationScope, KeyValue, Value};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};

use super::export::Exporter;
use super::names;
use crate::domain::time::Timestamp;
use crate::domain::trace::Traceparent;

/// Role of a span in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Work within this process.
    Internal,
    /// A request to another service.
    Client,
    /// A request from another service.
    Server,
}

/// An open span, exported when dropped. Empty if tracing is off.
pub struct Span(Option<Box<Open>>);

struct Open {
    exporter: Arc<Exporter>,
    /// Trace and id of the span itself.
    own: Traceparent,
    above: [u8; 8],
    /// True if the parent span belongs to another process.
    remote: bool,
    kind: Kind,
    name: Cow<'static, str>,
    begun: SystemTime,
    ended: Option<SystemTime>,
    attributes: Vec<KeyValue>,
    links: Vec<Traceparent>,
    failed: bool,
}

impl Span {
    /// Returns an empty span, which is not exported.
    pub fn nothing() -> Self {
        Self(None)
    }

    pub(super) fn begin(exporter: Arc<Exporter>, above: &Traceparent, kind: Kind, name: &str) -> Self {
        // The start of the trace was not sampled, so its spans are not kept here either.
        if !above.sampled {
            return Self(None);
        }
        Self(Some(Box::new(Open {
            exporter,
            own: Traceparent { span: rand::random(), ..*above },
            above: above.span,
            remote: false,
            kind,
            name: name.to_owned().into(),
            begun: SystemTime::now(),
            ended: None,
            attributes: vec![],
            links: vec![],
            failed: false,
        })))
    }

    /// Returns the parent context for nested spans.
    pub fn own(&self) -> Option<Traceparent> {
        self.0.as_ref().map(|open| open.own)
    }

    /// Marks the parent as a span of another process.
    pub fn from_elsewhere(mut self) -> Self {
        if let Some(open) = &mut self.0 {
            open.remote = open.above != [0; 8];
        }
        self
    }

    /// Adds an attribute by one of [`names`].
    pub fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        if let Some(open) = &mut self.0 {
            open.attributes.push(KeyValue::new(name, value));
        }
    }

    /// Adds a text attribute; formats it only if the span is exported.
    pub fn tell(&mut self, name: &'static str, value: impl ToString) {
        if self.0.is_some() {
            self.set(name, value.to_string());
        }
    }

    /// Marks the span as failed, with a kind of low cardinality.
    pub fn fail(&mut self, kind: &'static str) {
        if let Some(open) = &mut self.0 {
            open.failed = true;
        }
        self.set(names::ERROR_TYPE, kind);
    }

    /// Sets start and end of a span in the past.
    pub fn lasted(&mut self, from: &Timestamp, until: &Timestamp) {
        if let Some(open) = &mut self.0 {
            open.begun = from.to_jiff().into();
            open.ended = Some(until.to_jiff().into());
        }
    }

    /// Links to a related trace; ignores the span's own.
    pub fn link(&mut self, other: Traceparent) {
        if let Some(open) = self.0.as_mut().filter(|open| open.own.trace != other.trace) {
            open.links.push(other);
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            let exporter = open.exporter.clone();
            exporter.send(open.data());
        }
    }
}

impl Open {
    fn data(self) -> SpanData {
        let mut links = SpanLinks::default();
        links.links = self.links.iter().map(|other| context(other, true)).map(link).collect();
        SpanData {
            span_context: context(&self.own, false),
            parent_span_id: SpanId::from_bytes(self.above),
            parent_span_is_remote: self.remote,
            span_kind: match self.kind {
                Kind::Internal => SpanKind::Internal,
                Kind::Client => SpanKind::Client,
                Kind::Server => SpanKind::Server,
            },
            name: self.name,
            start_time: self.begun,
            end_time: self.ended.unwrap_or_else(SystemTime::now),
            attributes: self.attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links,
            status: if self.failed { Status::error("") } else { Status::Unset },
            instrumentation_scope: InstrumentationScope::builder(names::SERVICE)
                .with_version(env!("CARGO_PKG_VERSION"))
                .build(),
        }
    }
}

fn link(to: SpanContext) -> opentelemetry::trace::Link {
    opentelemetry::trace::Link::with_context(to)
}

fn context(place: &Traceparent, remote: bool) -> SpanContext {
    SpanContext::new(
        TraceId::from_bytes(place.trace),
        SpanId::from_bytes(place.span),
        if place.sampled { TraceFlags::SAMPLED } else { TraceFlags::default() },
        remote,
        TraceState::default(),
    )
}
