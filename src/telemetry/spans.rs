//! Spans: what took how long, and under what. Their ids are known while they last and told when they are over, so that a turn's
//! trace is that of its row, whichever process runs it.

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

/// Which side of a call a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What happens in this process.
    Internal,
    /// Asking somebody else.
    Client,
    /// Being asked by somebody else.
    Server,
}

/// Something that is going on; it is over when this is dropped. Nothing at all where nobody collects spans.
pub struct Span(Option<Box<Open>>);

struct Open {
    exporter: Arc<Exporter>,
    /// The span itself.
    own: Traceparent,
    above: [u8; 8],
    /// Whether what is above was told by another process.
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
    /// One that nobody hears of.
    pub fn nothing() -> Self {
        Self(None)
    }

    pub(super) fn begin(exporter: Arc<Exporter>, above: &Traceparent, kind: Kind, name: &str) -> Self {
        // Whoever began the trace does not want its spans: they are not kept here either.
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

    /// Where what happens within it stands.
    pub fn own(&self) -> Option<Traceparent> {
        self.0.as_ref().map(|open| open.own)
    }

    /// Says of what is above that another process told it.
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

    /// The same with text that is only made where somebody hears of it.
    pub fn tell(&mut self, name: &'static str, value: impl ToString) {
        if self.0.is_some() {
            self.set(name, value.to_string());
        }
    }

    /// Says that it failed, by a word of few.
    pub fn fail(&mut self, kind: &'static str) {
        if let Some(open) = &mut self.0 {
            open.failed = true;
        }
        self.set(names::ERROR_TYPE, kind);
    }

    /// Says when it began and ended, of something that is past.
    pub fn lasted(&mut self, from: &Timestamp, until: &Timestamp) {
        if let Some(open) = &mut self.0 {
            open.begun = from.to_jiff().into();
            open.ended = Some(until.to_jiff().into());
        }
    }

    /// Leads to another trace that this has to do with.
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
