//! The MCP server for agent clients: tools, each call of them a turn, and prompts and resources.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use axum::http::request::Parts;
use futures::FutureExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    GetPromptRequestParams, GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ResourceUpdatedNotificationParam,
    ServerCapabilities, ServerConfig, SetLevelRequestMethod, SubscribeRequestMethod, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestMethod, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext, SubscriptionSendError};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::listen::{self, Changes, Since, Subscribed};
use super::offers;
use super::round::{self, Seal};
use crate::config::Secret;
use crate::domain::tool::{CallResult, CallStatus};
use crate::domain::trace::Traceparent;
use crate::domain::user::Scope;
use crate::messages::errors as messages;
use crate::server::inputs;
use crate::server::live::MOST_STREAMS;
use crate::server::session;
use crate::server::visitor::sent_trace;
use crate::state::AppState;
use crate::tools::server::listing;
use crate::usecases::accounts::{self, Outsider};
use crate::usecases::keys::{self, Purpose};
use crate::usecases::{self, Error};
use crate::workflow::agent_call::{self, Answer};

/// Instructions for agents about this server.
const INSTRUCTIONS: &str = "Docket keeps the person's tasks. Tasks have numbers; list or search before you act on one. Deleting, renaming \
     and changing several tasks at once wait for the person's yes: the answer names a link to pass on, and after the yes the same \
     call once more gives the result. Everything you do is recorded under your token's name and can be undone.";

/// Interval at which a silent stream checks its token. An active one checks before each notification.
const RECHECK: Duration = Duration::from_secs(5);
/// Time that a call with a verdict waits for the approved calls: less than the usual client timeout of a minute.
const PATIENCE: Duration = Duration::from_secs(45);
/// Error for an `initialize` request with invalid parameters.
pub const NO_VERSION: &str = "The parameters of initialize are invalid: it needs protocolVersion, such as \
     \"2025-11-25\", capabilities and clientInfo.";
/// Maximum length of a tool's name, in characters.
const MOST_NAME: usize = 128;

/// Transport of an agent, which decides how it authenticates.
#[derive(Debug, Clone)]
pub enum Door {
    /// Token in each request; an earlier layer has checked it.
    Http,
    /// Standard input, for the lifetime of the process; the token is checked at each call.
    Stdio(Secret),
}

/// The MCP server of an agent client. Stateless between requests, except for the subscriptions of a process's only client.
#[derive(Clone)]
pub struct Outside {
    state: AppState,
    door: Door,
    stopping: CancellationToken,
    subscribed: Subscribed,
}

impl Outside {
    /// Creates a server. Streams end when `stopping` is cancelled.
    pub fn new(state: AppState, door: Door, stopping: CancellationToken) -> Self {
        Self { state, door, stopping, subscribed: Subscribed::default() }
    }

    /// Returns the authenticated agent client.
    async fn visitor(&self, context: &RequestContext<RoleServer>) -> Result<Outsider, ErrorData> {
        let found = match &self.door {
            Door::Http => {
                context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Outsider>()).cloned()
            }
            Door::Stdio(token) => {
                accounts::agent_of_token(&self.state.ctx, token.reveal(), None).await.map_err(|error| failed(&error))?
            }
        };
        found.ok_or_else(unknown)
    }

    /// Returns the trace of a call: from MCP's `_meta`, otherwise from the HTTP headers.
    fn trace(&self, request: &CallToolRequestParams, context: &RequestContext<RoleServer>) -> Option<Traceparent> {
        if !self.state.telemetry.traces() {
            return None;
        }
        let meta = request.meta.as_ref().unwrap_or(&context.meta);
        let sent = meta.get("traceparent").and_then(Value::as_str).and_then(Traceparent::parse);
        sent.or_else(|| sent_trace(&self.state, &context.extensions.get::<Parts>()?.headers))
    }

    /// Authenticates the agent client again, for anything that outlasts a request.
    async fn still(&self, context: &RequestContext<RoleServer>) -> Result<Outsider, ErrorData> {
        let Door::Http = &self.door else { return self.visitor(context).await };
        let token = context.extensions.get::<Parts>().and_then(|parts| session::bearer(&parts.headers));
        let found = accounts::agent_of_token(&self.state.ctx, token.unwrap_or_default(), None).await;
        found.map_err(|error| failed(&error))?.ok_or_else(unknown)
    }

    /// Returns an agent client that may read tasks, and so may receive their changes.
    async fn reader(&self, context: &RequestContext<RoleServer>) -> Result<Outsider, ErrorData> {
        let visitor = self.still(context).await?;
        usecases::require(&visitor.caller, Scope::TasksRead).map_err(|error| failed(&error))?;
        Ok(visitor)
    }

    /// Notifies the client of a process that a resource has changed. Returns false if the client has gone or may no longer read
    /// tasks.
    async fn tell(&self, context: &RequestContext<RoleServer>, uri: String) -> bool {
        let updated = ResourceUpdatedNotificationParam::new(uri);
        self.reader(context).await.is_ok() && context.peer.notify_resource_updated(updated).await.is_ok()
    }

    /// Returns the seal for the state of this call's questions.
    async fn seal(&self, visitor: &Outsider, name: &str, arguments: &Value) -> Result<Seal, ErrorData> {
        let key = keys::key(&self.state.ctx, Purpose::RequestState).await.map_err(|error| failed(&error))?;
        Seal::new(key, &visitor.agent, name, arguments)
    }

    async fn call(&self, visitor: &Outsider, name: &str, arguments: Value) -> Result<Answer, ErrorData> {
        if let Door::Stdio(_) = &self.door {
            inputs::arguments(&arguments).map_err(|refused| ErrorData::invalid_params(refused.message, None))?;
        }
        // A panic becomes an error, as the agent would otherwise wait for an answer that never comes. Boxed: the future is large,
        // and rmcp moves it.
        let call = AssertUnwindSafe(Box::pin(agent_call::call(&self.state, visitor, name, arguments)));
        match call.catch_unwind().await {
            Ok(answer) => answer.map_err(|error| failed(&error)),
            Err(_) => Err(ErrorData::internal_error("The tool failed; nothing was changed.", None)),
        }
    }
}

#[expect(deprecated, reason = "clients of earlier revisions still set a level")]
impl ServerHandler for Outside {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources();
        let capabilities = capabilities.enable_resources_subscribe().build();
        let me = Implementation::new("docket", env!("CARGO_PKG_VERSION")).with_title("Docket");
        ServerConfig::new(capabilities).with_server_info(me).with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut info = self.negotiate_initialize(&request)?;
        // Revisions with an initialize handshake deliver changes over a session's stream, which HTTP does not have here.
        if let (Door::Http, Some(resources)) = (&self.door, info.capabilities.resources.as_mut()) {
            resources.subscribe = None;
        }
        Ok(info)
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
        let mut visitor = self.visitor(&context).await?;
        visitor.trace = self.trace(&request, &context);
        let name = readable(&request.name)?.to_owned();
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        if let Some(state) = &request.request_state {
            let (seal, now) = (self.seal(&visitor, &name, &arguments).await?, self.state.ctx.now());
            let answer = round::answer(state, request.input_responses.as_ref(), &visitor.caller, &seal, &now)?;
            if let Some(answer) = answer {
                agent_call::answered(&self.state, &visitor, answer, PATIENCE).await.map_err(|error| failed(&error))?;
            }
        }
        let answer = self.call(&visitor, &name, arguments.clone()).await?;
        // One question per round: a client that returns without an answer gets the same result as any other.
        if let Some(waits) =
            answer.waits.as_ref().filter(|_| request.request_state.is_none() && round::can_ask(&context))
        {
            let seal = self.seal(&visitor, &name, &arguments).await?;
            if let Some(asked) = round::question(waits, &answer.result.value, &visitor.caller, &seal, &context) {
                return Ok(asked.into());
            }
        }
        let mut result = structured(answer.result)?;
        // Added after the result itself, since older clients read only the first block.
        result.content.extend(answer.note.map(ContentBlock::text));
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(offers::prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        offers::prompt(&request.name).map(GetPromptResponse::Complete)
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(offers::resources()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(offers::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let visitor = self.visitor(&context).await?;
        let (tool, arguments) = offers::call_for(&request.uri)?;
        // Reading a resource is a call of its tool: the same checks, and an entry in the audit log.
        let answer = self.call(&visitor, tool.as_str(), arguments).await?;
        offers::contents(&request.uri, &answer.result).map(ReadResourceResponse::Complete)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(listen::accepted(requested))
    }

    async fn listen(&self, stream: SubscriptionContext) -> Result<(), ErrorData> {
        let context = stream.request_context();
        let wanted = stream.accepted().resource_subscriptions.clone().unwrap_or_default();
        let visitor = self.reader(context).await?;
        if matches!(self.door, Door::Http) && self.state.ctx.live.listeners(visitor.caller.id()) >= MOST_STREAMS {
            return Err(ErrorData::invalid_request(messages::too_many_streams(MOST_STREAMS), None));
        }
        let since = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Since>()).copied();
        let mut changes = Changes::after(&self.state, &visitor.caller, since).await.map_err(|error| failed(&error))?;
        let tell = async |uris: Vec<&String>| {
            for uri in uris {
                stream.sink().notify_resource_updated(uri).await?;
            }
            Ok::<_, SubscriptionSendError>(())
        };
        // If the start of the subscription is unknown, any resource may have changed: notify of all.
        let mut told = if since.is_none() { tell(wanted.iter().collect()).await } else { Ok(()) };
        let mut recheck = tokio::time::interval(RECHECK);
        while told.is_ok() {
            tokio::select! {
                () = stream.cancelled() => break,
                () = self.stopping.cancelled() => break,
                _ = recheck.tick() => drop(self.reader(context).await?),
                touched = changes.next() => {
                    let touched = touched.map_err(|error| failed(&error))?;
                    self.reader(context).await?;
                    let shown = |uri: &&String| touched.iter().any(|task| offers::shows(uri, *task));
                    told = tell(wanted.iter().filter(shown).collect()).await;
                }
            }
        }
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Door::Stdio(_) = &self.door else { return Err(ErrorData::method_not_found::<SubscribeRequestMethod>()) };
        offers::call_for(&request.uri)?;
        let visitor = self.reader(&context).await?;
        let changes = Changes::after(&self.state, &visitor.caller, None).await.map_err(|error| failed(&error))?;
        let outside = self.clone();
        let tell = move |uri| {
            let (outside, context) = (outside.clone(), context.clone());
            async move { outside.tell(&context, uri).await }.boxed()
        };
        if self.subscribed.begin(request.uri, changes, Box::new(tell)) {
            return Ok(());
        }
        Err(ErrorData::invalid_params(format!("You can subscribe to at most {} resources.", listen::MOST), None))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Door::Stdio(_) = &self.door else { return Err(ErrorData::method_not_found::<UnsubscribeRequestMethod>()) };
        self.subscribed.end(&request.uri);
        Ok(())
    }

    async fn set_level(
        &self,
        _request: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Nothing is ever logged to a client, so any level is accepted. The revision of 2026-07-28 has no such method.
        if context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
        {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // rmcp parses a known request with invalid parameters as a custom one.
        let known = ["tools/call", "prompts/get", "resources/read"].contains(&request.method.as_str());
        Err(if request.method == "initialize" {
            ErrorData::invalid_params(NO_VERSION, None)
        } else if known {
            ErrorData::invalid_params(format!("The parameters of {} are invalid.", request.method), None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("The method {} does not exist.", request.method), None)
        })
    }
}

/// Converts a result, with the same JSON as text. rmcp would format the text with `Display`, which is slower.
fn structured(result: CallResult) -> Result<CallToolResult, ErrorData> {
    let text =
        serde_json::to_string(&result.value).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let content = vec![ContentBlock::text(text)];
    let mut told = match result.status {
        CallStatus::Ok => CallToolResult::success(content),
        _ => CallToolResult::error(content),
    };
    told.structured_content = Some(result.value);
    Ok(told)
}

fn unknown() -> ErrorData {
    ErrorData::invalid_request("This token is unknown or no longer valid.", None)
}

/// Maps errors: only a fault of the server is an internal error, everything else is an error of the request.
fn failed(error: &Error) -> ErrorData {
    let told = error.to_string();
    match error {
        Error::Store(_) | Error::Fenced => {
            tracing::error!(error = ?error, "an outside call failed");
            ErrorData::internal_error(told, None)
        }
        Error::RateLimited { retry_after_s } => {
            ErrorData::invalid_request(told, Some(json!({ "retry_after": retry_after_s })))
        }
        Error::Invalid(_)
        | Error::NotFound(_)
        | Error::Conflict(_)
        | Error::Partly(_)
        | Error::Forbidden(_)
        | Error::Unauthenticated(_) => ErrorData::invalid_params(told, None),
    }
}

/// Checks that the audit log can store a tool's name (MCP 2026-07-28, tool names: 1 to 128 characters).
fn readable(name: &str) -> Result<&str, ErrorData> {
    if (1..=MOST_NAME).contains(&name.chars().count()) && !name.contains(char::is_control) {
        return Ok(name);
    }
    Err(ErrorData::invalid_params(
        format!("A tool name must have 1 to {MOST_NAME} characters, without control characters."),
        None,
    ))
}
