//! Disabling an account: all that it has under way ends with it, in one transaction.

use std::time::Instant;

use crate::domain::user::User;
use crate::state::AppState;
use crate::store;
use crate::usecases::accounts::{self, Manager};
use crate::usecases::{Commit, Error, approvals};

use super::{finish, inbox, watch};

/// Why the requests of a disabled account take no answer.
const VOID: &str = "The account was disabled.";

/// Shuts an account out: its sessions and tokens end, its chat is parted from it, what waits for a yes is void, and each of its turns
/// that waits or runs ends with a decision that says so. A worker that was at one finds it taken and writes nothing more. The last admin stays.
///
/// # Errors
/// `NotFound` for a name that nobody has; `Conflict` for the last admin.
pub async fn disable(state: &AppState, by: &Manager<'_>, name: &str) -> Result<User, Error> {
    let ctx = &state.ctx;
    let mut tx = ctx.write().await?;
    let user = accounts::named(&mut tx, name).await?;
    // Turns before the rest, as workers lock them, so that the two never wait for each other.
    let turns = store::turns::seize(&mut tx, user.user_id, ctx.limits.lease_ms).await?;
    let user = accounts::disable(ctx, &mut tx, by, user).await?;
    let mut ended = vec![];
    for turn in &turns {
        let row = finish::shut_out_within(state, &mut tx, turn, Instant::now()).await.map_err(inbox::unkept)?;
        ended.push((turn.cause, row));
    }
    approvals::withdraw_all(ctx, &mut tx, &user, VOID).await?;
    ctx.commit_at(tx, Commit::Finish).await?;
    for (cause, row) in ended {
        watch::count(state, cause, row.engine, row.decision.outcome, row.duration_ms);
    }
    // What waited to be sent is not sent any more; whoever sends may go on with the others'.
    ctx.live.wake_senders();
    Ok(user)
}
