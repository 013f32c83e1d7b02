//! Every name that a metric, a label or a span goes by, in one place: those of others change, and operators' queries hang on ours.
//!
//! `gen_ai.*` and `mcp.*` are the semantic conventions for generative AI and for the Model Context Protocol
//! (open-telemetry/semantic-conventions-genai, in development); `docket.*` are our own. None carries what a person wrote.

/// Whose spans these are.
pub const SERVICE: &str = "docket";
pub const SERVICE_NAME: &str = "service.name";
pub const SERVICE_VERSION: &str = "service.version";

pub const ERROR_TYPE: &str = "error.type";

/// What is done with a model: one of the three below.
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
/// A tool that runs where the agent does.
pub const FUNCTION: &str = "function";
pub const CALL_ID: &str = "gen_ai.tool.call.id";

pub const MCP_METHOD: &str = "mcp.method.name";
pub const TOOLS_CALL: &str = "tools/call";
pub const TRANSPORT: &str = "network.transport";
/// Within the process.
pub const IN_PROCESS: &str = "inproc";

pub const TURN: &str = "docket.turn.id";
/// What set the turn off.
pub const CAUSE: &str = "docket.turn.cause";
/// How many workers have held the turn.
pub const ATTEMPT: &str = "docket.turn.attempt";
/// Head and sub-code of the decision.
pub const OUTCOME: &str = "docket.decision.outcome";
pub const DECISION: &str = "docket.decision.kind";
/// What a call came to.
pub const CALL_STATUS: &str = "docket.call.status";
pub const APPROVAL: &str = "docket.approval.id";
pub const APPROVAL_STATUS: &str = "docket.approval.status";
pub const APPROVAL_VIA: &str = "docket.approval.via";
/// The span of a person's thinking.
pub const APPROVAL_WAIT: &str = "approval wait";

/// What `/metrics` tells: name, without the unit and the `_total` that the format adds, and help.
pub mod metric {
    pub const TURNS: (&str, &str) = ("docket_turns", "Turns that were decided by this process");
    pub const TURN_SECONDS: (&str, &str) = ("docket_turn_duration_seconds", "From a turn's start to its decision");
    pub const MODEL_CALLS: (&str, &str) = ("docket_model_calls", "Calls of a model, each try counted");
    pub const MODEL_SECONDS: (&str, &str) = ("docket_model_call_duration_seconds", "From a model call to its end");
    pub const TOKENS: (&str, &str) = ("docket_model_tokens", "Tokens that providers counted, or that were estimated");
    pub const TOOL_CALLS: (&str, &str) = ("docket_mcp_calls", "Calls of tools over MCP");
    pub const TOOL_SECONDS: (&str, &str) = ("docket_mcp_call_duration_seconds", "From a tool call to its result");
    pub const DECIDED: (&str, &str) = ("docket_approvals_decided", "Approvals that were settled through this process");
    pub const REQUESTS: (&str, &str) = ("docket_http_requests", "HTTP requests that were answered");
    pub const REQUEST_SECONDS: (&str, &str) =
        ("docket_http_request_duration_seconds", "From a request to its answer's head");
    pub const CONNECTIONS: (&str, &str) =
        ("docket_http_connections", "Connections that are open, event streams included");
    pub const CONNECTIONS_CLOSED: (&str, &str) =
        ("docket_http_connections_closed", "Connections that the server closed by itself");
    pub const BUILD: (&str, &str) = ("docket_build", "What is running");
    pub const BREAKER: (&str, &str) =
        ("docket_breaker_open", "1 while the model is not asked, after too many failures");
    pub const QUEUE: (&str, &str) = ("docket_queue_turns", "Turns in the database that are not done");
    pub const OLDEST: (&str, &str) =
        ("docket_queue_oldest_seconds", "How long ago the oldest turn was accepted that is not done");
    pub const PENDING: (&str, &str) = ("docket_approvals_pending", "Approvals in the database that wait for a person");
    pub const OUTBOX: (&str, &str) = ("docket_outbox_waiting", "Cards in the database that are to be sent to a chat");
    pub const DROPPED: (&str, &str) =
        ("docket_telegram_dropped", "Updates from Telegram in the database of which nothing but their number is kept");
}
