//! Rights of a turn: its user's, bounded by the present scopes of the tokens behind it (R-1103). They are read from the database
//! whenever they matter: a token may be revoked or lose scopes while its turn waits, runs, or goes on in another process.
//!
//! Stored calls of an approval run with the rights of whoever decided, which is the credential that started the turn of the verdict or
//! of the message that said yes. Steps of the engine run with the rights of whoever asked for them.

use crate::agent::machine::{Origin, Step};
use crate::domain::credential::Credential;
use crate::domain::id::{ApprovalId, TurnId};
use crate::domain::turn::Cause;
use crate::domain::user::{Agent, Caller, Door, Scope, Session};
use crate::store::turns::TurnRow;
use crate::store::{self, Error, Tx};
use crate::usecases::scopes;

use super::history;

/// A caller with the rights of a turn, or the sentence why nothing more may be done for it.
pub type Rights = Result<Caller, String>;

/// Returns the rights of whoever started the turn. `full` is its user, allowed all that their role allows. Without a starter these
/// are the user's own: nobody started an expiry's turn, and of older turns nothing is known.
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
    // An agent is named by the request that it made.
    let program = (starter.door != Door::Mcp).then_some(agent);
    Ok(Ok(Caller { scopes, program, bounds: vec![id], ..caller }))
}

/// The user's own rights, by the door and the session of the starter.
pub fn without_token(full: &Caller, starter: Option<&Credential>) -> Caller {
    let Some(starter) = starter else { return full.clone() };
    let session = starter.session_id.map(|session_id| Session { session_id, device: String::new() });
    Caller { door: starter.door, session, ..full.clone() }
}

/// Returns true if tokens may bound the engine's steps of the turn; else the rights are those of its starter.
pub fn are_bounded(turn: &TurnRow, steps: &[Step]) -> bool {
    let token = turn.starter.as_ref().is_some_and(|starter| starter.token_id.is_some());
    token || turn.cause == Cause::Approval || approved(steps).next().is_some()
}

/// Returns the rights with which the turn's engine goes on, after these steps: those of whoever asked. In a turn that carries out an
/// approval that is the starter of the turn that asked; in one whose message approved something, the sender of the message and that
/// starter together, so that neither gets more than their own.
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

/// The scopes that bounded the engine, for the record; `None` where no token did.
pub fn recorded(caller: &Caller) -> Option<Vec<Scope>> {
    (!caller.bounds.is_empty()).then(|| caller.scopes.clone())
}

/// The approvals whose stored calls are among the steps.
fn approved(steps: &[Step]) -> impl Iterator<Item = ApprovalId> {
    steps.iter().filter_map(|step| match step.origin {
        Origin::Approval(approval) => Some(approval),
        Origin::Engine | Origin::Again(_) => None,
    })
}

/// The first caller, bounded by the other's scopes as well.
fn together(first: Option<Caller>, other: Caller) -> Caller {
    let Some(mut first) = first else { return other };
    first.scopes.retain(|scope| other.scopes.contains(scope));
    first.bounds.extend(other.bounds);
    first
}
