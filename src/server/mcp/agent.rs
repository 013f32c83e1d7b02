//! What an outside agent may ask for: the tools, each call of them a turn, and the prompts and resources.

use std::panic::AssertUnwindSafe;

use axum::http::request::Parts;
use futures::FutureExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, ErrorCode,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SetLevelRequestMethod,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use super::{offers, round};
use crate::config::Secret;
use crate::domain::tool::CallStatus;
use crate::state::AppState;
use crate::tools::server::listing;
use crate::usecases::Error;
use crate::usecases::accounts::{self, Outsider};
use crate::workflow::outside::{self, Answer};

/// What an agent is told about this server.
const INSTRUCTIONS: &str = "Docket keeps the person's tasks. Tasks have numbers; list or search before you act on one. Deleting, renaming \
     and changing several tasks at once wait for the person's yes: the answer names a link to pass on, and after the yes the same \
     call once more gives the result. Everything you do is recorded under your token's name and can be undone.";

/// Most characters of a tool's name.
const MOST_NAME: usize = 128;

/// By which way an agent comes, and so how it says who it is.
#[derive(Debug, Clone)]
pub enum Door {
    /// With each request: the layer before has looked.
    Http,
    /// Over standard input, for as long as the process runs; the token is looked at with each call.
    Stdio(Secret),
}

/// The server that an outside agent talks to; it keeps nothing between requests.
#[derive(Clone)]
pub struct Outside {
    state: AppState,
    door: Door,
}

impl Outside {
    pub fn new(state: AppState, door: Door) -> Self {
        Self { state, door }
    }

    /// Who is asking.
    async fn visitor(&self, context: &RequestContext<RoleServer>) -> Result<Outsider, ErrorData> {
        let found = match &self.door {
            Door::Http => {
                context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Outsider>()).cloned()
            }
            Door::Stdio(token) => {
                accounts::agent_of_token(&self.state.ctx, token.reveal()).await.map_err(|error| failed(&error))?
            }
        };
        found.ok_or_else(|| ErrorData::invalid_request("That token is unknown or no longer valid.", None))
    }

    async fn call(&self, visitor: &Outsider, name: &str, arguments: Value) -> Result<Answer, ErrorData> {
        // A panic is an answer as well: without one the agent would wait for nothing.
        let call = AssertUnwindSafe(outside::call(&self.state, visitor, name, arguments)).catch_unwind();
        match call.await {
            Ok(answer) => answer.map_err(|error| failed(&error)),
            Err(_) => Err(ErrorData::internal_error("The tool broke off; nothing was changed.", None)),
        }
    }
}

#[expect(deprecated, reason = "clients of earlier revisions still set a level")]
impl ServerHandler for Outside {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources().build();
        let me = Implementation::new("docket", env!("CARGO_PKG_VERSION")).with_title("Docket");
        ServerConfig::new(capabilities).with_server_info(me).with_instructions(INSTRUCTIONS)
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
        let visitor = self.visitor(&context).await?;
        let name = readable(&request.name)?.to_owned();
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let again = request.request_state.is_some();
        if let Some((approval, verdict)) =
            round::answer(request.request_state, request.input_responses, &visitor.caller)?
        {
            outside::answered(&self.state, &visitor, approval, verdict).await.map_err(|error| failed(&error))?;
        }
        let answer = self.call(&visitor, &name, arguments).await?;
        // Asked once in a round: a client that comes back without an answer is told as any other is.
        if let Some(asked) = answer
            .waits
            .as_ref()
            .filter(|_| !again)
            .and_then(|waits| round::question(waits, &answer.result.value, &visitor.caller, &context))
        {
            return Ok(asked.into());
        }
        let result = match answer.result.status {
            CallStatus::Ok => CallToolResult::structured(answer.result.value),
            _ => CallToolResult::structured_error(answer.result.value),
        };
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
        // Reading a resource is a call of the tool that reads it: one gate, and one row in the record.
        let answer = self.call(&visitor, tool.as_str(), arguments).await?;
        offers::contents(&request.uri, &answer.result).map(ReadResourceResponse::Complete)
    }

    async fn set_level(
        &self,
        _request: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Nothing is ever logged to a client, so any level will do; the revision of 2026-07-28 has no such method.
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
        // A request that is known, but does not fit, is read as one that is not.
        let known = ["tools/call", "prompts/get", "resources/read"].contains(&request.method.as_str());
        Err(if known {
            ErrorData::invalid_params(format!("The parameters of {} do not fit.", request.method), None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("There is no method {}.", request.method), None)
        })
    }
}

/// What is wrong with a request is its sender's to mend; only what is wrong here is an internal error.
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

/// A tool's name as the record can keep it (MCP 2026-07-28, tool names: 1 to 128 characters).
fn readable(name: &str) -> Result<&str, ErrorData> {
    if (1..=MOST_NAME).contains(&name.chars().count()) && !name.contains(char::is_control) {
        return Ok(name);
    }
    Err(ErrorData::invalid_params(
        format!("A tool's name has 1 to {MOST_NAME} characters, and no control characters."),
        None,
    ))
}
