//! Rights of a turn: its user's, bounded by the present scopes of the tokens behind it (R-1103). Scopes are read from the database
//! before each use, because a token may be revoked or lose scopes while its turn waits or runs.
//!
//! Approved calls run with the rights of the approver: the credential that started the turn of the verdict, or of the message that
//! approved. Steps of the engine run with the rights of the requester.

use crate::agent::machine::{Origin, Step};
use crate::domain::credential::Credential;
use crate::domain::id::{ApprovalId, TurnId};
use crate::domain::turn::Cause;
use crate::domain::user::{Agent, Caller, Door, Scope, Session};
use crate::store::turns::TurnRow;
use crate::store::{self, Error, Tx};
use crate::usecases::scopes;

use super::history;

/// A caller with the rights of a turn, or a sentence about why the turn must end.
pub type Rights = Result<Caller, String>;

/// Returns the rights of the turn's starter. `full` is the user with all scopes of their role. Without a starter, these are the user's: an
/// expiry has no starter, and old turns have no recorded one.
pub async fn of_starter(tx: &mut Tx, full: &Caller, starter: Option<&Credential>) -> Result<Rights, Error> {
    let caller = without_token(full, starter);
    let Some((starter, id)) = starter.and_then(|starter| Some((starter, starter.token_id?))) else {
        return Ok(Ok(caller));
    };
    let token = store::tokens::get(tx, full.id(), id).await?;
    let Some(token) = token.filter(|token| token.revoked_at.is_none()) else {
        let named = store::credentials::named(tx, full.id(), starter.clone()).await?;
        return Ok(Err(scopes::revoked(&named.token.unwrap_or_default())));
    };
    let scopes = token.scopes.into_iter().filter(|scope| full.may(*scope)).collect();
    let agent = Agent { token_id: id, label: token.label };
    // The approval names the agent.
    let program = (starter.door != Door::Mcp).then_some(agent);
    Ok(Ok(Caller { scopes, program, bounds: vec![id], ..caller }))
}

/// Returns the user's own rights, with the channel and the session of the starter.
pub fn without_token(full: &Caller, starter: Option<&Credential>) -> Caller {
    let Some(starter) = starter else { return full.clone() };
    let session = starter.session_id.map(|session_id| Session { session_id, device: String::new() });
    Caller { door: starter.door, session, ..full.clone() }
}

/// Returns true if tokens may bound the engine's steps of the turn; otherwise its starter's rights apply.
pub fn are_bounded(turn: &TurnRow, steps: &[Step]) -> bool {
    let token = turn.starter.as_ref().is_some_and(|starter| starter.token_id.is_some());
    token || turn.cause == Cause::Approval || approved(steps).next().is_some()
}

/// Returns the rights of the turn's engine after these steps, which are the requester's. If the turn carries out an approval, these are the
/// starter's of the requesting turn. If its message approved something, they are the intersection with the sender's.
pub async fn of_engine(tx: &mut Tx, full: &Caller, turn: &TurnRow, steps: &[Step]) -> Result<Rights, Error> {
    let (mut bounds, mut seen): (Option<Caller>, Vec<TurnId>) = (None, vec![turn.id]);
    let mut open = vec![(turn.clone(), approved(steps).collect::<Vec<_>>())];
    while let Some((turn, approved)) = open.pop() {
        if turn.cause != Cause::Approval {
            match of_starter(tx, full, turn.starter.as_ref()).await? {
                Ok(caller) => bounds = Some(together(bounds, caller)),
                Err(revoked) => return Ok(Err(revoked)),
            }
        }
        for approval in turn.approval.into_iter().chain(approved) {
            let asking = match store::approvals::get(tx, turn.user, approval).await? {
                Some(approval) => store::turns::get(tx, turn.user, approval.turn_id).await?,
                None => None,
            };
            let Some(asking) = asking.filter(|asking| !seen.contains(&asking.id)) else { continue };
            seen.push(asking.id);
            let steps = history::steps_of(tx, turn.user, asking.id).await.unwrap_or_default();
            open.push((asking, self::approved(&steps).collect()));
        }
    }
    match bounds {
        Some(caller) => Ok(Ok(caller)),
        None => of_starter(tx, full, turn.starter.as_ref()).await,
    }
}

/// Returns the scopes that bounded the engine, for the audit log; `None` if no token did.
pub fn recorded(caller: &Caller) -> Option<Vec<Scope>> {
    (!caller.bounds.is_empty()).then(|| caller.scopes.clone())
}

/// Returns the approvals whose stored calls are among the steps.
fn approved(steps: &[Step]) -> impl Iterator<Item = ApprovalId> {
    steps.iter().filter_map(|step| match step.origin {
        Origin::Approval(approval) => Some(approval),
        Origin::Engine | Origin::Again(_) => None,
    })
}

/// Bounds the first caller by the other's scopes.
fn together(first: Option<Caller>, other: Caller) -> Caller {
    let Some(mut first) = first else { return other };
    first.scopes.retain(|scope| other.scopes.contains(scope));
    first.bounds.extend(other.bounds);
    first
}
