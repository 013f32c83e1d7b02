//! Turns, approvals and conversations as API answers.

use super::approvals::ApprovalView;
use super::chat::Thread;
use super::{ApiError, views};
use crate::domain::approval::{Approval, ApprovalStatus};
use crate::domain::id::TurnId;
use crate::domain::receipt;
use crate::domain::turn::Turn;
use crate::domain::user::Caller;
use crate::state::AppState;
use crate::usecases::{approvals, conversations};
use crate::workflow::inbox;

/// Returns a turn: once it is done, or with `wait` false its current state.
pub async fn turn(state: &AppState, caller: &Caller, id: TurnId, wait: bool) -> Result<Turn, ApiError> {
    let turn =
        if wait { inbox::wait(state, caller, id).await } else { conversations::turn(&state.ctx, caller, id).await };
    let mut turn = turn?;
    // A browser shows receipts instead.
    if caller.session.is_none() {
        let unsaid = receipt::unsaid(&turn, &state.ctx.now(), &caller.user.zone);
        let reply = turn.reply.iter().cloned();
        if !unsaid.is_empty() {
            turn.reply = Some([unsaid.join("\n")].into_iter().chain(reply).collect::<Vec<_>>().join("\n\n"));
        }
    }
    Ok(turn)
}

/// Converts an approval; while it is pending, adds the message that led to it.
pub async fn approval(state: &AppState, caller: &Caller, approval: Approval) -> Result<ApprovalView, ApiError> {
    with_words(state, caller, views::approval(approval, &state.ctx.now(), &caller.user.zone)).await
}

/// Converts an approval with all its changes.
pub async fn whole_approval(state: &AppState, caller: &Caller, approval: Approval) -> Result<ApprovalView, ApiError> {
    with_words(state, caller, views::whole_approval(approval, &state.ctx.now(), &caller.user.zone)).await
}

async fn with_words(state: &AppState, caller: &Caller, mut view: ApprovalView) -> Result<ApprovalView, ApiError> {
    if view.approval.status == ApprovalStatus::Pending {
        view.said = approvals::said(&state.ctx, caller, view.approval.approval_id).await?.map(|said| said.text);
    }
    Ok(view)
}

/// Adds the user's message to each pending card that does not directly follow that message.
pub async fn with_earlier_words(state: &AppState, caller: &Caller, mut thread: Thread) -> Result<Thread, ApiError> {
    for card in thread.items.iter_mut().filter_map(|item| item.card.as_mut()) {
        if card.approval.status == ApprovalStatus::Pending {
            let said = approvals::said(&state.ctx, caller, card.approval.approval_id).await?;
            card.said = said.filter(|said| said.turn != card.approval.turn_id).map(|said| said.text);
        }
    }
    Ok(thread)
}
