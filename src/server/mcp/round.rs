//! Elicitation: asking the user through a capable agent client. The result requests input, and the client repeats the call with
//! the answer (MCP 2026-07-28, multi round-trip requests). The state holds the approval's id, sealed to the token and the call.
//! Its row accepts one verdict, from the agent that asked.

use rmcp::model::{
    ElicitationCapability, InputRequest, InputRequiredResult, InputResponses, ProtocolVersion, RequestStateCodec,
    SealOptions,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::domain::approval::{Approval, Verdict};
use crate::domain::id::ApprovalId;
use crate::domain::time::Timestamp;
use crate::domain::user::{Agent, Caller, Scope};
use crate::workflow::question::for_agent;

/// The name of the question, and of the only field of a form.
const QUESTION: &str = "approval";
const FIELD: &str = "approve";
/// Error for every invalid state, whatever the fault, so that a forger learns nothing.
const VOID: &str = "This requestState has expired or belongs to another call. Make the call again without it.";

/// The state that a client carries and cannot change.
#[derive(Debug, Serialize, Deserialize)]
struct Carried {
    approval: ApprovalId,
    /// By the application's clock, like the approval's own expiry.
    expires_at: Timestamp,
    /// True if the question was a form, whose answer is a verdict.
    #[serde(default)]
    in_form: bool,
}

/// Seals states to one token and one call, and opens them.
pub struct Seal {
    codec: RequestStateCodec,
    /// Associated data: authenticated, but not sent.
    bound: Vec<u8>,
}

impl Seal {
    /// Creates the seal of a call. `key` has at least 32 bytes; name and arguments are as sent, since a client repeats both.
    pub fn new(key: Vec<u8>, agent: &Agent, name: &str, arguments: &Value) -> Result<Self, ErrorData> {
        let call = json!({ "token": agent.token_id, "tool": name, "arguments": arguments });
        let unusable = |what: &str| ErrorData::internal_error(format!("The {what} cannot be used."), None);
        let call = serde_json_canonicalizer::to_vec(&call).map_err(|_| unusable("call"))?;
        let codec = RequestStateCodec::try_new(key).map_err(|_| unusable("key"))?;
        Ok(Self { codec, bound: Sha256::digest(call).to_vec() })
    }

    fn close(&self, approval: &Approval, in_form: bool) -> Option<String> {
        let carried = Carried { approval: approval.approval_id, expires_at: approval.expires_at.clone(), in_form };
        // The expiry is in the payload: the codec's own time-to-live uses another clock.
        self.codec.seal_json_with(&carried, &SealOptions::new().associated_data(&self.bound)).ok()
    }

    fn open(&self, state: &str, now: &Timestamp) -> Result<Carried, ErrorData> {
        let carried = self.codec.open_json_with::<Carried>(state, &self.bound).ok();
        let carried = carried.filter(|carried| *now < carried.expires_at);
        carried.ok_or_else(|| ErrorData::invalid_params(VOID, None))
    }
}

/// Returns true if the client can ask its user any kind of question.
pub fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
        && context.client_capabilities().is_some_and(|able| able.elicitation.is_some())
}

/// Returns the question in a form that the client supports; `None` if there is none. `told` is the result for all other clients.
///
/// Approving in a client's form is a verdict by its token, which needs the scope for verdicts and those of the approval's calls.
/// Otherwise the user is sent to the approval's page.
pub fn question(
    approval: &Approval,
    told: &Value,
    caller: &Caller,
    seal: &Seal,
    context: &RequestContext<RoleServer>,
) -> Option<InputRequiredResult> {
    let ElicitationCapability { form, url, .. } = context.client_capabilities()?.elicitation?;
    let link = told["link"].as_str().unwrap_or_default();
    let asked = for_agent(approval, &caller.user.zone, link);
    // A capability without a mode means forms, the only mode of earlier revisions.
    let may_answer = caller.may(Scope::Chat) && approval.calls.iter().all(|call| caller.may(call.tool.scope()));
    let in_form = may_answer && (form.is_some() || url.is_none());
    let params = if in_form {
        let field = json!({ "type": "boolean", "title": "Approve", "default": false });
        let schema = json!({ "type": "object", "properties": { FIELD: field }, "required": [FIELD] });
        json!({ "mode": "form", "message": asked, "requestedSchema": schema })
    } else if url.is_some() {
        json!({ "mode": "url", "message": format!("{asked}\nAnswer in Docket."), "url": link })
    } else {
        return None;
    };
    let request: InputRequest =
        serde_json::from_value(json!({ "method": "elicitation/create", "params": params })).ok()?;
    let requests = [(QUESTION.to_owned(), request)].into();
    Some(InputRequiredResult::new(Some(requests), Some(seal.close(approval, in_form)?)))
}

/// Returns the verdict in a call, if any. An opened page, a cancelled form, or an answer by a token that may not decide is none.
///
/// # Errors
/// Fails if the state was sealed for another token or call, was changed, or has expired.
pub fn answer(
    state: &str,
    responses: Option<&InputResponses>,
    caller: &Caller,
    seal: &Seal,
    now: &Timestamp,
) -> Result<Option<(ApprovalId, Verdict)>, ErrorData> {
    let Carried { approval, in_form, .. } = seal.open(state, now)?;
    let given = responses.and_then(|responses| responses.get(QUESTION)).filter(|_| in_form && caller.may(Scope::Chat));
    let Some(given) = given else { return Ok(None) };
    let verdict = match (given["action"].as_str(), &given["content"][FIELD]) {
        (Some("accept"), Value::Bool(true)) => Verdict::Approve,
        (Some("accept"), Value::Bool(false)) | (Some("decline"), _) => Verdict::Reject,
        _ => return Ok(None),
    };
    Ok(Some((approval, verdict)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::approval::ApprovalStatus;
    use crate::domain::id::{ConversationId, TokenId, TurnId};

    const KEY: [u8; 32] = [7; 32];

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn approval() -> Approval {
        Approval {
            approval_id: ApprovalId::new(),
            turn_id: TurnId::new(),
            conversation_id: ConversationId::random(),
            status: ApprovalStatus::Pending,
            calls: vec![],
            preview: vec![],
            question: "Are you sure?".into(),
            created_at: at("2026-03-11T09:00:00Z"),
            expires_at: at("2026-03-11T10:00:00Z"),
            decided_at: None,
            decided_by: None,
            decided_via: None,
            decided_with: None,
            reason: None,
        }
    }

    #[test]
    fn sealed_state_is_bound_to_token_and_call_until_expiry() {
        let agent = Agent { token_id: TokenId::new(), label: "desk".into() };
        let other = Agent { token_id: TokenId::new(), label: "desk".into() };
        let one = json!({ "task_id": 1 });
        let seal = |key: [u8; 32], agent: &Agent, name: &str, arguments: &Value| {
            Seal::new(key.to_vec(), agent, name, arguments).unwrap()
        };
        let (asked, own) = (approval(), seal(KEY, &agent, "delete_task", &one));
        let state = own.close(&asked, true).unwrap();
        let in_time = at("2026-03-11T09:59:59.999Z");
        let again = seal(KEY, &agent, "delete_task", &one);
        assert_eq!(again.open(&state, &in_time).unwrap().approval, asked.approval_id);

        let void = |seal: &Seal, state: &str, now: &Timestamp, what: &str| {
            let refused = seal.open(state, now).expect_err(what);
            assert_eq!(refused.message, VOID, "{what}");
        };
        void(&own, &state, &asked.expires_at, "at the end of its time");
        void(&seal(KEY, &other, "delete_task", &one), &state, &in_time, "of another token");
        void(&seal(KEY, &agent, "complete_task", &one), &state, &in_time, "of another tool");
        void(&seal(KEY, &agent, "delete_task", &json!({ "task_id": 2 })), &state, &in_time, "of another task");
        void(&seal([8; 32], &agent, "delete_task", &one), &state, &in_time, "of another server");
        void(&own, &asked.approval_id.to_string(), &in_time, "never sealed");
        for length in 0..state.len() {
            void(&own, &state[..length], &in_time, "cut short");
        }
        for place in 0..state.len() {
            let mut bytes = state.clone().into_bytes();
            bytes[place] = if bytes[place] == b'A' { b'Q' } else { b'A' };
            void(&own, &String::from_utf8(bytes).unwrap(), &in_time, "changed in a place");
        }
        // A codec without associated data seals for no call.
        let bare = RequestStateCodec::try_new(KEY.to_vec()).unwrap();
        let carried = Carried { approval: asked.approval_id, expires_at: asked.expires_at.clone(), in_form: true };
        void(&own, &bare.seal_json(&carried).unwrap(), &in_time, "bound to nothing");
    }
}
