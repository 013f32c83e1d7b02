//! The MCP server for one caller. Caller and turn are bound at construction; no call can name another.

use std::future::ready;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use futures::channel::mpsc;
use futures::{FutureExt as _, Sink, SinkExt as _};
use rmcp::model::ErrorCode as McpCode;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientJsonRpcMessage, ListToolsResult, MetaObject,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, ServerJsonRpcMessage, Tool as McpTool, ToolAnnotations,
};
use rmcp::service::{RequestContext, serve_directly};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::arguments::Moment;
use super::registry::{Registry, TOOLS, Tool};
use crate::domain::id::{ApprovalId, ConversationId, InvocationId, TurnId};
use crate::domain::policy::Asker;
use crate::domain::tool::{AS_TEXT, CallResult, CallStatus, ErrorCode, ToolError, ToolName, meta};
use crate::domain::user::Caller;
use crate::usecases::invocations::{self, Attempt, Operation};
use crate::usecases::{Ctx, Error, approvals};

/// Capacity of a connection in messages, per direction.
const WAITING: usize = 8;

/// Error message for a call written as text.
const UNREADABLE: &str =
    "A call or markup was written as text, so nothing was carried out. Call a tool, or answer in plain words.";

/// The tools of one caller in one turn.
#[derive(Clone)]
pub struct TurnServer {
    ctx: Ctx,
    tools: &'static Registry,
    caller: Caller,
    held: Held,
    moment: Moment,
}

/// A turn with its fence token.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    pub turn: TurnId,
    pub fence: i64,
    pub conversation: ConversationId,
}

/// A channel that receives each JSON-RPC line of a client, for tests of the wire protocol.
pub type Tap = UnboundedSender<String>;

/// The client's end of an in-process connection: its sink and its receiver. Carries message values instead of their
/// text and skips the handshake, since both ends are of one build.
pub type Line = (Requests, mpsc::Receiver<ServerJsonRpcMessage>);
type Requests = Pin<Box<dyn Sink<ClientJsonRpcMessage, Error = mpsc::SendError> + Send>>;

/// Serves the tools in this process and returns the client's end of the connection.
pub fn open(server: TurnServer, tap: Option<Tap>) -> Line {
    let (requests, asked) = mpsc::channel(WAITING);
    let (answers, answered) = mpsc::channel(WAITING);
    let running = serve_directly(server, (answers, asked), None);
    // The server ends when the client disconnects; the result has no recipient.
    tokio::spawn(running.waiting());
    match tap {
        Some(tap) => (Box::pin(tapped(requests, tap)), answered),
        None => (Box::pin(requests), answered),
    }
}

/// Copies each request to the tap before it is sent.
fn tapped(
    requests: mpsc::Sender<ClientJsonRpcMessage>,
    tap: Tap,
) -> impl Sink<ClientJsonRpcMessage, Error = mpsc::SendError> {
    requests.with(move |message: ClientJsonRpcMessage| {
        if let Ok(line) = serde_json::to_string(&message) {
            tap.send(line).ok();
        }
        ready(Ok(message))
    })
}

impl TurnServer {
    /// Binds the server to a caller and turn; phrases such as "tomorrow" are relative to `moment`.
    pub fn new(ctx: Ctx, tools: &'static Registry, caller: Caller, held: Held, moment: Moment) -> Self {
        Self { ctx, tools, caller, held, moment }
    }

    async fn call(&self, name: &str, arguments: Value, place: Place) -> Result<CallResult, Error> {
        if let Some(approval) = place.approval {
            return self.call_approved(approval, place).await;
        }
        let attempt = self.attempt(place, place.index, name);
        let Some(tool) = ToolName::parse(name) else {
            let message = match name {
                AS_TEXT => UNREADABLE.to_owned(),
                name => format!("There is no tool named {name}."),
            };
            let error = ToolError { error: ErrorCode::Invalid, message, task_id: None };
            return invocations::refuse(&self.ctx, &self.caller, &attempt, None, &arguments, error).await;
        };
        match self.tools.prepare(tool, arguments.clone(), &self.moment) {
            Ok(operation) => invocations::run_once(&self.ctx, &self.caller, &attempt, operation.as_ref()).await,
            Err(invalid) => {
                let error = ToolError { error: ErrorCode::Invalid, message: invalid.to_string(), task_id: None };
                invocations::refuse(&self.ctx, &self.caller, &attempt, Some(tool), &arguments, error).await
            }
        }
    }

    /// Runs an approval's stored calls and ignores the request's arguments: exactly what was shown happens.
    async fn call_approved(&self, approval: ApprovalId, place: Place) -> Result<CallResult, Error> {
        let stored = approvals::get(&self.ctx, &self.caller, approval).await?.calls;
        let mut attempts = Vec::with_capacity(stored.len());
        let mut operations: Vec<Box<dyn Operation>> = Vec::with_capacity(stored.len());
        for (index, call) in stored.into_iter().enumerate() {
            let index = i32::try_from(index).expect("an approval has few calls");
            attempts.push(self.attempt(place, index, call.tool.as_str()));
            operations.push(self.tools.prepare(call.tool, call.arguments, &self.moment)?);
        }
        let results = invocations::run_approved(&self.ctx, &self.caller, approval, &attempts, &operations).await?;
        let result = usize::try_from(place.index).ok().and_then(|index| results.into_iter().nth(index));
        result.ok_or_else(|| Error::NotFound("The approval does not contain this call.".into()))
    }

    fn attempt<'a>(&self, place: Place, index: i32, called_as: &'a str) -> Attempt<'a> {
        let Held { turn, fence, conversation } = self.held;
        let (step, asker) = (place.step, place.asker);
        Attempt { id: InvocationId { turn, step, index }, fence, conversation, asker, called_as }
    }
}

/// The position of a call in its turn.
#[derive(Debug, Clone, Copy)]
struct Place {
    step: i32,
    index: i32,
    asker: Asker,
    approval: Option<ApprovalId>,
}

impl Place {
    fn read(sent: &MetaObject) -> Option<Self> {
        let number = |key| sent.get(key).and_then(Value::as_i64).and_then(|number| i32::try_from(number).ok());
        let approval = sent.get(meta::APPROVAL).and_then(Value::as_str).map(ApprovalId::parse).transpose().ok()?;
        let asker = sent.get(meta::ASKER).and_then(Value::as_str).and_then(|asker| Asker::parse(asker).ok())?;
        Some(Self { step: number(meta::STEP)?, index: number(meta::INDEX)?, asker, approval })
    }
}

impl ServerHandler for TurnServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(listing()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // A message that was never serialised keeps its metadata in `meta`.
        let place = Place::read(request.meta.as_ref().unwrap_or(&context.meta))
            .ok_or_else(|| ErrorData::invalid_params("The call lacks its position in the turn.", None))?;
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        // Converts a panic to an error, so that the client does not wait forever. Boxed: the future is large and the
        // library moves it.
        let call = AssertUnwindSafe(Box::pin(self.call(&request.name, arguments, place)));
        match call.catch_unwind().await.map_err(|_| ErrorData::internal_error("The tool failed.", None))? {
            Ok(result) => Ok(answer(result).into()),
            Err(error @ Error::Fenced) => Err(ErrorData::new(McpCode(meta::FENCED), error.to_string(), None)),
            // Nothing was recorded, so the caller may retry under the same position.
            Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
        }
    }
}

/// Returns a result without text content, since the in-process client reads the structured value.
fn answer(result: CallResult) -> CallToolResult {
    let mut told = MetaObject::default();
    told.insert(meta::STATUS.into(), json!(result.status));
    let mut answer = match result.status {
        CallStatus::Ok | CallStatus::AwaitingApproval => CallToolResult::success(vec![]),
        _ => CallToolResult::error(vec![]),
    };
    answer.structured_content = Some(result.value);
    answer.with_meta(Some(told))
}

/// Returns the tools as MCP lists them.
pub fn listing() -> Vec<McpTool> {
    TOOLS.iter().map(listed).collect()
}

/// Extends an output schema with the error form, since clients validate structured errors against it too.
fn or_error(mut schema: Value) -> Value {
    let fields = schema.as_object_mut().expect("a schema is an object");
    let output =
        fields.remove("required").map(|required| json!([{ "required": required }])).or_else(|| fields.remove("anyOf"));
    let mut either = output.unwrap_or_else(|| json!([]));
    let error = json!({ "required": ["error", "message"] });
    either.as_array_mut().expect("anyOf is a list").push(error);
    schema["anyOf"] = either;
    schema["properties"]["error"] = json!({ "type": "string", "description": "Why it was not done, in a word." });
    schema["properties"]["message"] =
        json!({ "type": "string", "description": "The same for people, with what to do." });
    schema
}

/// Returns a tool as MCP lists it, with all four hints.
fn listed(tool: &Tool) -> McpTool {
    let object = |value: Value| match value {
        Value::Object(object) => Arc::new(object),
        other => unreachable!("a schema is an object, not {other}"),
    };
    let hints = ToolAnnotations::with_title(tool.title)
        .read_only(tool.hints.read_only)
        .destructive(tool.hints.destructive)
        .idempotent(tool.hints.idempotent)
        .open_world(tool.hints.open_world);
    McpTool::new(tool.name.as_str(), tool.description, object((tool.input)()))
        .with_title(tool.title)
        .with_raw_output_schema(object(or_error((tool.output)())))
        .with_annotations(hints)
}
