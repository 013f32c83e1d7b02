//! Disabling of an account: ends all of its work in one transaction.

use std::time::Instant;

use crate::domain::user::User;
use crate::state::AppState;
use crate::store;
use crate::usecases::accounts::{self, Manager};
use crate::usecases::{Commit, Error, approvals};

use super::{commit_turn, inbox, turn_telemetry};

/// Reason of a disabled account's void approvals.
const VOID: &str = "The account was disabled.";

/// Disables an account: ends its sessions and tokens, unlinks its chat, voids its pending approvals, and ends its open turns with a
/// decision. Workers of these turns lose their leases.
///
/// # Errors
/// `NotFound` for an unknown name; `Conflict` for the only admin.
pub async fn disable(state: &AppState, by: &Manager<'_>, name: &str) -> Result<User, Error> {
    let ctx = &state.ctx;
    let mut tx = ctx.write().await?;
    let user = accounts::named(&mut tx, name).await?;
    // Locks the turns first, in the order of workers, which avoids deadlocks.
    let turns = store::turns::seize(&mut tx, user.user_id, ctx.limits.lease_ms).await?;
    let user = accounts::disable(ctx, &mut tx, by, user).await?;
    let mut ended = vec![];
    for turn in &turns {
        let row =
            commit_turn::end_disabled_within(state, &mut tx, turn, Instant::now()).await.map_err(inbox::unkept)?;
        ended.push((turn.cause, row));
    }
    approvals::withdraw_all(ctx, &mut tx, &user, VOID).await?;
    ctx.commit_at(tx, Commit::Finish).await?;
    for (cause, row) in ended {
        turn_telemetry::count(state, cause, row.engine, row.decision.outcome, row.duration_ms);
    }
    // Its queued cards are dropped, which frees senders for others.
    ctx.live.wake_senders();
    Ok(user)
}
