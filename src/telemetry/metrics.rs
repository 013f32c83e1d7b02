//! Metrics. Events of this process are counted as they happen. Numbers from the database are read on request, so that every
//! server reports the same.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Metric, Registry};

use super::names::metric;
use crate::domain::approval::DecidedVia;
use crate::domain::decision::{Engine, Outcome};
use crate::domain::queue_depth::{Dropped, Load};
use crate::domain::tool::{CallStatus, ToolName};
use crate::domain::turn::Cause;

/// In seconds: a turn of the rules takes milliseconds, a model's may take a minute.
const BUCKETS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];
/// In seconds, for requests, which have many label values.
const FEW_BUCKETS: [f64; 7] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0];

type Seconds<L> = Family<L, Histogram, fn() -> Histogram>;

/// Counters of this process since its start.
pub struct Metrics {
    registry: Registry,
    turns: Family<Turn, Counter>,
    turn_seconds: Seconds<Engined>,
    model_calls: Family<ModelCall, Counter>,
    model_seconds: Seconds<Engined>,
    tokens: Family<Tokens, Counter>,
    tool_calls: Family<ToolCall, Counter>,
    tool_seconds: Seconds<Tool>,
    decided: Family<Decided, Counter>,
    requests: Family<Request, Counter>,
    request_seconds: Seconds<Route>,
    connections: Gauge,
    connections_closed: Family<Let, Counter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Turn {
    cause: &'static str,
    engine: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Engined {
    engine: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ModelCall {
    engine: &'static str,
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Tokens {
    engine: &'static str,
    direction: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Tool {
    tool: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ToolCall {
    tool: &'static str,
    asker: &'static str,
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Decided {
    verdict: &'static str,
    via: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    route: String,
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Queued {
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Let {
    why: &'static str,
}

fn seconds() -> Histogram {
    Histogram::new(BUCKETS)
}

fn few_seconds() -> Histogram {
    Histogram::new(FEW_BUCKETS)
}

fn add(all: &mut Registry, (name, help): (&str, &str), counts: impl Metric) {
    all.register(name, help, counts);
}

impl Default for Metrics {
    fn default() -> Self {
        let mut made = Self {
            registry: Registry::default(),
            turns: Family::default(),
            turn_seconds: Family::new_with_constructor(seconds),
            model_calls: Family::default(),
            model_seconds: Family::new_with_constructor(seconds),
            tokens: Family::default(),
            tool_calls: Family::default(),
            tool_seconds: Family::new_with_constructor(seconds),
            decided: Family::default(),
            requests: Family::default(),
            request_seconds: Family::new_with_constructor(few_seconds),
            connections: Gauge::default(),
            connections_closed: Family::default(),
        };
        let all = &mut made.registry;
        add(all, metric::TURNS, made.turns.clone());
        add(all, metric::TURN_SECONDS, made.turn_seconds.clone());
        add(all, metric::MODEL_CALLS, made.model_calls.clone());
        add(all, metric::MODEL_SECONDS, made.model_seconds.clone());
        add(all, metric::TOKENS, made.tokens.clone());
        add(all, metric::TOOL_CALLS, made.tool_calls.clone());
        add(all, metric::TOOL_SECONDS, made.tool_seconds.clone());
        add(all, metric::DECIDED, made.decided.clone());
        add(all, metric::REQUESTS, made.requests.clone());
        add(all, metric::REQUEST_SECONDS, made.request_seconds.clone());
        add(all, metric::CONNECTIONS, made.connections.clone());
        add(all, metric::CONNECTIONS_CLOSED, made.connections_closed.clone());
        add(all, metric::BUILD, Info::new([("version", env!("CARGO_PKG_VERSION"))]));
        made
    }
}

impl Metrics {
    /// Counts a decided turn and its duration.
    pub fn turn(&self, cause: Cause, engine: Engine, outcome: Outcome, took: Duration) {
        let (cause, engine, outcome) = (cause.as_str(), engine.as_str(), outcome.as_str());
        self.turns.get_or_create(&Turn { cause, engine, outcome }).inc();
        self.turn_seconds.get_or_create(&Engined { engine }).observe(took.as_secs_f64());
    }

    /// Counts one request to a model: its result in a word, its tokens in and out, and its duration.
    pub fn model_call(&self, engine: Engine, result: &'static str, tokens: Option<(i64, i64)>, took: Duration) {
        let engine = engine.as_str();
        self.model_calls.get_or_create(&ModelCall { engine, result }).inc();
        self.model_seconds.get_or_create(&Engined { engine }).observe(took.as_secs_f64());
        for (direction, tokens) in tokens.map(|(into, out)| [("in", into), ("out", out)]).into_iter().flatten() {
            let tokens = u64::try_from(tokens).unwrap_or_default();
            self.tokens.get_or_create(&Tokens { engine, direction }).inc_by(tokens);
        }
    }

    /// Counts a tool call; an unknown name counts as `unknown`.
    pub fn tool_call(&self, tool: Option<ToolName>, asker: &'static str, status: CallStatus, took: Duration) {
        let tool = tool.map_or("unknown", ToolName::as_str);
        self.tool_calls.get_or_create(&ToolCall { tool, asker, status: status.as_str() }).inc();
        self.tool_seconds.get_or_create(&Tool { tool }).observe(took.as_secs_f64());
    }

    /// Counts a decided approval: `approved` or `rejected` via a channel, or `expired` by nobody.
    pub fn decided(&self, verdict: &'static str, via: Option<DecidedVia>) {
        self.decided.get_or_create(&Decided { verdict, via: via.map_or("nobody", DecidedVia::as_str) }).inc();
    }

    /// Counts an answered request; `route` is a pattern, never an address.
    pub fn request(&self, route: &str, status: u16, took: Duration) {
        let class = match status / 100 {
            1 => "1xx",
            2 => "2xx",
            3 => "3xx",
            4 => "4xx",
            _ => "5xx",
        };
        self.requests.get_or_create(&Request { route: route.to_owned(), status: class }).inc();
        self.request_seconds.get_or_create(&Route { route: route.to_owned() }).observe(took.as_secs_f64());
    }

    pub fn connection_opened(&self) {
        self.connections.inc();
    }

    /// Counts the end of a connection, by either side.
    pub fn connection_ended(&self) {
        self.connections.dec();
    }

    pub fn connection_closed(&self, why: &'static str) {
        self.connections_closed.get_or_create(&Let { why }).inc();
    }

    /// Renders all metrics as OpenMetrics text, with the database's numbers and the state of the circuit breaker.
    pub fn render(&self, load: &Load, rests: bool) -> String {
        let mut now = Registry::default();
        let oldest = Duration::from_millis(load.oldest_ms.unsigned_abs()).as_secs_f64();
        add(&mut now, metric::BREAKER, ConstGauge::new(i64::from(rests)));
        add(&mut now, metric::PENDING, ConstGauge::new(load.approvals));
        add(&mut now, metric::OUTBOX, ConstGauge::new(load.outbox));
        add(&mut now, metric::OLDEST, ConstGauge::new(oldest));
        let queue = Family::<Queued, Gauge>::default();
        queue.get_or_create(&Queued { status: "queued" }).set(load.queued);
        queue.get_or_create(&Queued { status: "running" }).set(load.running);
        add(&mut now, metric::QUEUE, queue);
        let dropped = Family::<Let, Counter>::default();
        for (what, count) in Dropped::ALL.into_iter().zip(load.dropped) {
            dropped.get_or_create(&Let { why: what.as_str() }).inc_by(count.unsigned_abs());
        }
        add(&mut now, metric::DROPPED, dropped);
        let mut text = String::new();
        let written = encode_registry(&mut text, &self.registry);
        let written = written.and_then(|()| encode_registry(&mut text, &now)).and_then(|()| encode_eof(&mut text));
        written.expect("text can be written into memory");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_told_by_name_and_nobodys_words_are() {
        let metrics = Metrics::default();
        let took = Duration::from_millis(20);
        for _ in 0..2 {
            metrics.turn(Cause::Message, Engine::Rules, Outcome::TaskCompleted, took);
        }
        metrics.model_call(Engine::Openai, "ok", Some((30, 4)), took);
        metrics.tool_call(ToolName::parse("add_task"), "rules", CallStatus::Ok, took);
        metrics.tool_call(None, "mcp", CallStatus::Error, took);
        metrics.decided("expired", None);
        metrics.request("/audit/{turn_id}", 404, took);
        metrics.connection_opened();
        metrics.connection_closed("headers");
        let load = Load { queued: 3, running: 1, oldest_ms: 1500, approvals: 7, outbox: 2, dropped: [5, 0, 6] };
        let text = metrics.render(&load, true);
        for line in [
            r#"docket_turns_total{cause="message",engine="rules",outcome="SUCCESS:TASK_COMPLETED"} 2"#,
            r#"docket_turn_duration_seconds_bucket{le="0.025",engine="rules"} 2"#,
            r#"docket_turn_duration_seconds_bucket{le="0.01",engine="rules"} 0"#,
            r#"docket_model_tokens_total{engine="openai",direction="in"} 30"#,
            r#"docket_mcp_calls_total{tool="unknown",asker="mcp",status="error"} 1"#,
            r#"docket_approvals_decided_total{verdict="expired",via="nobody"} 1"#,
            r#"docket_http_requests_total{route="/audit/{turn_id}",status="4xx"} 1"#,
            "docket_http_connections 1",
            r#"docket_http_connections_closed_total{why="headers"} 1"#,
            r#"docket_queue_turns{status="queued"} 3"#,
            "docket_queue_oldest_seconds 1.5",
            "docket_approvals_pending 7",
            "docket_outbox_waiting 2",
            r#"docket_telegram_dropped_total{why="stranger"} 5"#,
            r#"docket_telegram_dropped_total{why="malformed"} 6"#,
            "docket_breaker_open 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\nis not in\n{text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }
}
