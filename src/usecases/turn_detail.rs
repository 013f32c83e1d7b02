//! Turn details. Owners read theirs freely; an admin's reading of another user's turn is recorded first.

use super::approvals::is_shown;
use super::{Ctx, Error, audit};
use crate::domain::approval::Approval;
use crate::domain::audit::AuditEntry;
use crate::domain::id::{TurnId, UserId};
use crate::domain::turn_detail::{Recalled, Story, Told};
use crate::domain::user::Caller;
use crate::store::decisions::DecisionRow;
use crate::store::turns::TurnRow;
use crate::store::{self, Tx};

/// Returns the turn as listed, and all its details.
pub async fn whole(ctx: &Ctx, caller: &Caller, id: TurnId) -> Result<(AuditEntry, Story), Error> {
    let owner = owner(ctx, caller, id).await?;
    let mut tx = ctx.read().await?;
    let entry = audit::turn(&mut tx, owner, id).await?;
    let story = story(&mut tx, owner, id).await?.ok_or_else(no_turn)?;
    Ok((entry, story))
}

/// Returns the owner of a turn that the caller is about to read. Only admins find other users' turns, and their reading is recorded.
pub async fn owner(ctx: &Ctx, caller: &Caller, id: TurnId) -> Result<UserId, Error> {
    let owner = audit::owner_of(&mut ctx.read().await?, caller, id).await?;
    if owner != caller.id() {
        let mut tx = ctx.write().await?;
        store::admin_reads::insert(&mut tx, owner, id, caller.id(), &ctx.now()).await?;
        ctx.commit(tx).await?;
    }
    Ok(owner)
}

pub(super) fn no_turn() -> Error {
    Error::NotFound("There is no such turn.".into())
}

async fn story(tx: &mut Tx, owner: UserId, id: TurnId) -> Result<Option<Story>, Error> {
    let Some(turn) = store::turns::get(tx, owner, id).await? else { return Ok(None) };
    let decision = store::decisions::get(tx, owner, id).await?;
    let mut approvals = vec![];
    for approval in store::turn_detail::approvals(tx, owner, id).await? {
        approvals.extend(store::approvals::get(tx, owner, approval).await?);
    }
    approvals.retain(|approval| approval.turn_id != id || is_shown(approval, turn.status));
    let mut answered_by = None;
    for approval in approvals.iter().filter(|approval| approval.turn_id == id) {
        answered_by = store::turn_detail::carried_out_by(tx, owner, approval.approval_id).await?.or(answered_by);
    }
    let (before, after) = store::turn_detail::beside(tx, owner, turn.conversation, turn.ordinal).await?;
    let asked = |approval: &&Approval| Some(approval.approval_id) == turn.approval;
    Ok(Some(Story {
        records: store::turn_detail::records(tx, owner, id).await?,
        context: context(tx, &turn, decision.as_ref()).await?,
        memories: memories(tx, owner, decision.as_ref()).await?,
        readings: store::admin_reads::of_turn(tx, owner, id).await?,
        cost_micros: store::turn_detail::cost(tx, owner, id).await?,
        asked_by: approvals.iter().find(asked).map(|approval| approval.turn_id),
        trace_id: turn.trace.map(|trace| trace.trace_id()),
        accepted_at: turn.accepted_at,
        model: decision.as_ref().and_then(|decision| decision.model.clone()),
        constitution: decision.as_ref().map(|decision| decision.constitution.clone()),
        tokens_in: decision.as_ref().and_then(|decision| decision.tokens_in),
        tokens_out: decision.as_ref().and_then(|decision| decision.tokens_out),
        tokens_estimated: decision.as_ref().is_some_and(|decision| decision.tokens_estimated),
        basis: decision.and_then(|decision| decision.basis),
        approvals,
        before,
        after,
        answered_by,
    }))
}

/// Returns the messages that the turn's engine received, without the turn's own.
async fn context(tx: &mut Tx, turn: &TurnRow, decision: Option<&DecisionRow>) -> Result<Vec<Told>, Error> {
    let Some(basis) = decision.and_then(|decision| decision.basis.as_ref()) else { return Ok(vec![]) };
    let limit = i64::try_from(basis.messages.len()).unwrap_or(i64::MAX);
    if limit == 0 {
        return Ok(vec![]);
    }
    // One more, because the turn's own reply is newer.
    let spoken = store::messages::recent(tx, turn.user, turn.conversation, turn.ordinal, limit + 1).await?;
    let told = spoken.into_iter().filter(|message| message.turn != turn.id && basis.messages.contains(&message.id));
    Ok(told.map(|it| Told { message_id: it.id, turn_id: it.turn, speaker: it.speaker, text: it.text }).collect())
}

/// Returns the memories that the turn's engine received; forgotten ones have no text.
async fn memories(tx: &mut Tx, owner: UserId, decision: Option<&DecisionRow>) -> Result<Vec<Recalled>, Error> {
    let mut recalled = vec![];
    for &memory_id in decision.into_iter().flat_map(|decision| &decision.memories) {
        let text = store::memories::get(tx, owner, memory_id).await?.map(|memory| memory.text);
        recalled.push(Recalled { memory_id, text });
    }
    Ok(recalled)
}
