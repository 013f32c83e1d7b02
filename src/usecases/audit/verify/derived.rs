//! Rows derived from others: owners of conversations, agents of turns, and the digests by which agents' calls are found again.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::findings::Findings;
use crate::domain::id::UserId;
use crate::store::audited_columns::{self, AgentRequest};
use crate::store::records::Kind;
use crate::store::{self, Tx};
use crate::usecases::Error;

/// Compares all derived rows, or one user's. Runs after the audited rows, because a broken record explains a derived difference.
pub async fn compare(tx: &mut Tx, owner: Option<UserId>, found: &mut Findings) -> Result<(), Error> {
    for (user, seq, kind) in audited_columns::others_conversations(tx, owner).await? {
        if !found.is_broken(user) {
            found.broken(user, seq, kind.as_str(), "its conversation is missing or belongs to another user.");
        }
    }
    for (user, seq) in audited_columns::others_agents(tx, owner).await? {
        if !found.is_broken(user) {
            found.broken(user, seq, Kind::Decision.as_str(), "turns.token_id does not match the record.");
        }
    }
    requests(tx, owner, found).await
}

/// Compares the digests of agents' approvals with the calls that requested them.
async fn requests(tx: &mut Tx, owner: Option<UserId>, found: &mut Findings) -> Result<(), Error> {
    let mut after = None;
    loop {
        let page = audited_columns::agent_requests(tx, owner, after).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id);
        for calls in page.chunk_by(|one, other| one.id == other.id) {
            let request = &calls[0];
            if !found.is_broken(request.user) && !is_sound(calls) {
                let problem = "approvals.call_digest does not match the record.";
                found.broken(request.user, request.seq, Kind::ApprovalRequest.as_str(), problem);
            }
        }
        tokio::task::yield_now().await;
    }
}

/// Returns true if the digest is that of one of the approval's calls. An erased call cannot be compared and counts as a match.
fn is_sound(calls: &[AgentRequest]) -> bool {
    let request = &calls[0];
    let Some(digest) = &request.call_digest else { return request.is_erased };
    let is_erased = calls.iter().any(|call| call.call.is_none());
    request.has_agent
        && (is_erased || calls.iter().filter_map(|call| call.call.as_deref()).any(|call| has_digest(call, digest)))
}

fn has_digest(call: &str, digest: &[u8]) -> bool {
    let call: Value = serde_json::from_str(call).unwrap_or_default();
    let call = json!({ "tool": call["tool"], "arguments": call["arguments"] });
    store::canonical::to_string(&call).is_ok_and(|call| Sha256::digest(call)[..] == *digest)
}
