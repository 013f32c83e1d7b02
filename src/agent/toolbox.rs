//! The MCP client: the agent's only access to tasks.

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientConfig, MetaObject, RequestMetaObject,
};
use rmcp::service::{RunningService, ServiceError, serve_directly};
use rmcp::transport::IntoTransport;
use serde_json::{Value, json};

use crate::domain::id::ApprovalId;
use crate::domain::policy::Asker;
use crate::domain::tool::{Call, CallResult, CallStatus, meta};

/// The error of a call without a result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The tools did not answer; only the audit log shows whether the call ran.
    #[error("the tools did not answer: {0}")]
    Unanswered(String),
    #[error("the turn is another worker's by now")]
    Fenced,
}

/// The position of a call in its turn, with the approval it runs under.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub step: usize,
    pub index: usize,
    /// The requester, as the tool policy sees it.
    pub asker: Asker,
    pub approval: Option<ApprovalId>,
}

/// A connection to the tools of one turn.
pub struct Toolbox {
    client: RunningService<RoleClient, ClientConfig>,
}

impl Toolbox {
    /// Connects over `transport` to a server of the same build, without a handshake.
    pub fn connect<T, E, A>(transport: T) -> Self
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        Self { client: serve_directly(ClientConfig::default(), transport, None) }
    }

    /// Calls a tool and waits for its result.
    pub async fn call(&self, call: &Call, place: Place) -> Result<CallResult, Error> {
        let mut place_of = MetaObject::default();
        place_of.insert(meta::STEP.into(), json!(place.step));
        place_of.insert(meta::INDEX.into(), json!(place.index));
        place_of.insert(meta::ASKER.into(), json!(place.asker));
        if let Some(approval) = place.approval {
            place_of.insert(meta::APPROVAL.into(), json!(approval));
        }
        let mut request = CallToolRequestParams::new(call.tool.clone());
        request.arguments = call.arguments.as_object().cloned();
        request.meta = Some(RequestMetaObject(place_of));
        match self.client.call_tool_once(request).await.map_err(failed)? {
            CallToolResponse::Complete(result) => Ok(read(result)),
            // The enum is non-exhaustive; our own server only completes calls.
            _ => Err(Error::Unanswered("they asked back".into())),
        }
    }

    /// Closes the connection.
    pub async fn close(self) {
        // An error changes nothing, since the turn is over.
        self.client.cancel().await.ok();
    }
}

fn read(result: CallToolResult) -> CallResult {
    let told = result.meta.as_ref().and_then(|meta| meta.get(meta::STATUS)).and_then(Value::as_str);
    let guessed = if result.is_error == Some(true) { CallStatus::Error } else { CallStatus::Ok };
    CallResult {
        status: told.and_then(CallStatus::parse).unwrap_or(guessed),
        value: result.structured_content.unwrap_or(Value::Null),
    }
}

fn failed(error: ServiceError) -> Error {
    match error {
        ServiceError::McpError(told) if told.code.0 == meta::FENCED => Error::Fenced,
        other => unanswered(&other),
    }
}

fn unanswered(error: &dyn std::error::Error) -> Error {
    Error::Unanswered(error.to_string())
}
