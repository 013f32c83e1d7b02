//! All names of metrics, labels and spans. Foreign conventions change, and operators' queries depend on ours.
//!
//! `gen_ai.*` and `mcp.*` are the semantic conventions for generative AI and for the Model Context Protocol
//! (open-telemetry/semantic-conventions-genai, in development); `docket.*` are our own. No value contains text that a user wrote.

/// Default name of the service.
pub const SERVICE: &str = "docket";
pub const SERVICE_NAME: &str = "service.name";
pub const SERVICE_VERSION: &str = "service.version";

pub const ERROR_TYPE: &str = "error.type";

/// Kind of model operation: one of the three below.
pub const OPERATION: &str = "gen_ai.operation.name";
pub const INVOKE_AGENT: &str = "invoke_agent";
pub const CHAT: &str = "chat";
pub const EXECUTE_TOOL: &str = "execute_tool";

pub const AGENT: &str = "gen_ai.agent.name";
pub const CONVERSATION: &str = "gen_ai.conversation.id";
pub const PROVIDER: &str = "gen_ai.provider.name";
pub const MODEL: &str = "gen_ai.request.model";
pub const TEMPERATURE: &str = "gen_ai.request.temperature";
pub const MAX_TOKENS: &str = "gen_ai.request.max_tokens";
pub const TOKENS_IN: &str = "gen_ai.usage.input_tokens";
pub const TOKENS_OUT: &str = "gen_ai.usage.output_tokens";
pub const TOOL: &str = "gen_ai.tool.name";
pub const TOOL_TYPE: &str = "gen_ai.tool.type";
/// A tool that runs in the agent's process.
pub const FUNCTION: &str = "function";
pub const CALL_ID: &str = "gen_ai.tool.call.id";

pub const MCP_METHOD: &str = "mcp.method.name";
pub const TOOLS_CALL: &str = "tools/call";
pub const TRANSPORT: &str = "network.transport";
/// Transport within the process.
pub const IN_PROCESS: &str = "inproc";

pub const TURN: &str = "docket.turn.id";
/// Trigger of the turn.
pub const CAUSE: &str = "docket.turn.cause";
/// Number of workers that have claimed the turn.
pub const ATTEMPT: &str = "docket.turn.attempt";
/// Head and sub-code of the decision.
pub const OUTCOME: &str = "docket.decision.outcome";
pub const DECISION: &str = "docket.decision.kind";
/// Result of a call.
pub const CALL_STATUS: &str = "docket.call.status";
pub const APPROVAL: &str = "docket.approval.id";
pub const APPROVAL_STATUS: &str = "docket.approval.status";
pub const APPROVAL_VIA: &str = "docket.approval.via";
/// Name of the span while an approval waits for its verdict.
pub const APPROVAL_WAIT: &str = "approval wait";

/// Metrics of `/metrics`: name, without the unit and the `_total` that the format adds, and help text.
pub mod metric {
    pub const TURNS: (&str, &str) = ("docket_turns", "Turns decided by this process");
    pub const TURN_SECONDS: (&str, &str) =
        ("docket_turn_duration_seconds", "Time from the start of a turn to its decision");
    pub const MODEL_CALLS: (&str, &str) = ("docket_model_calls", "Model calls, including retries");
    pub const MODEL_SECONDS: (&str, &str) = ("docket_model_call_duration_seconds", "Duration of a model call");
    pub const TOKENS: (&str, &str) = ("docket_model_tokens", "Model tokens, as reported by the provider or estimated");
    pub const TOOL_CALLS: (&str, &str) = ("docket_mcp_calls", "Tool calls over MCP");
    pub const TOOL_SECONDS: (&str, &str) = ("docket_mcp_call_duration_seconds", "Duration of a tool call");
    pub const DECIDED: (&str, &str) = ("docket_approvals_decided", "Approvals decided by this process");
    pub const REQUESTS: (&str, &str) = ("docket_http_requests", "HTTP requests answered");
    pub const REQUEST_SECONDS: (&str, &str) =
        ("docket_http_request_duration_seconds", "Time from an HTTP request to its response headers");
    pub const CONNECTIONS: (&str, &str) = ("docket_http_connections", "Open connections, including event streams");
    pub const CONNECTIONS_CLOSED: (&str, &str) = ("docket_http_connections_closed", "Connections closed by the server");
    pub const BUILD: (&str, &str) = ("docket_build", "Version of the running server");
    pub const BREAKER: (&str, &str) = ("docket_breaker_open", "1 while the circuit breaker of the model is open");
    pub const QUEUE: (&str, &str) = ("docket_queue_turns", "Unfinished turns in the database");
    pub const OLDEST: (&str, &str) = ("docket_queue_oldest_seconds", "Age of the oldest unfinished turn");
    pub const PENDING: (&str, &str) = ("docket_approvals_pending", "Pending approvals in the database");
    pub const OUTBOX: (&str, &str) = ("docket_outbox_waiting", "Chat messages in the outbox");
    pub const DROPPED: (&str, &str) =
        ("docket_telegram_dropped", "Telegram updates that were dropped and only counted");
}
