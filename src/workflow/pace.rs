//! How fast one may send: what a user or an agent has sent in the last minute, and what comes from one address. And how often
//! one may try the model.

use std::net::IpAddr;
use std::time::Instant;

use sha2::{Digest as _, Sha256};

use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::domain::window::Window;
use crate::state::AppState;
use crate::store::{self, Tx};
use crate::usecases::Error;

/// How far over the limit a sender may go before refusals are only counted.
const COUNTED_ONLY: i64 = 5;
/// The span of every limit, in milliseconds.
const MINUTE_MS: i64 = 60_000;
/// The window of what a sender sends.
pub(super) const SENT: Window = Window::ms(MINUTE_MS);
/// The furthest end of what an address has used: the minute ahead, and those of refusals that are only counted.
const USED_BY_ADDRESS: Window = Window::ms(MINUTE_MS * COUNTED_ONLY);

/// How long a sender over the limit has to wait, in seconds, of whom these came in the last minute, oldest first; `None` within it.
/// What is refused counts as well, so the wait is until few enough are left of all of them: who sends again after it is within the limit.
///
/// # Errors
/// `RateLimited` far over the limit.
pub(super) fn of_sender(state: &AppState, recent: &[Timestamp], now: &Timestamp) -> Result<Option<i64>, Error> {
    let limit = usize::try_from(state.ctx.limits.messages_per_minute).unwrap_or(usize::MAX);
    if recent.len() < limit {
        return Ok(None);
    }
    let until_gone = |at: &Timestamp| seconds(SENT.left_ms(at, now));
    let last_to_go = recent.len() - limit;
    if i64::try_from(recent.len() / limit).is_ok_and(|times| times >= COUNTED_ONLY) {
        return Err(Error::RateLimited { retry_after_s: until_gone(&recent[last_to_go]) });
    }
    // This one is kept and takes a place.
    Ok(Some(until_gone(recent.get(last_to_go + 1).unwrap_or(now))))
}

/// The same of an address, counting what comes now. A row says until when what came would have used the address's share up, had it
/// come evenly; a minute of it may be used ahead (the generic cell rate algorithm, ITU-T I.371). What is refused counts as well, so the
/// wait leaves room for the one that comes after it. The row is locked until the transaction ends, so that any number of processes
/// count together; take the user's lock before. The clock is the database's, read only once the row is held: who waited for it longer
/// than others would else look back from them, and pay for their time too. Once this has counted, [`Ctx::now`] is the database's time.
///
/// [`Ctx::now`]: crate::usecases::Ctx::now
///
/// # Errors
/// `RateLimited` far over the limit.
pub(super) async fn of_address(state: &AppState, tx: &mut Tx, address: Option<IpAddr>) -> Result<Option<i64>, Error> {
    let limit = state.ctx.limits.messages_per_address;
    let (Some(address), 1..) = (address, limit) else {
        state.ctx.now_in(tx).await?;
        return Ok(None);
    };
    let key = Sha256::digest(address.to_string());
    let (used_until, now) = take(state, tx, &key, USED_BY_ADDRESS).await?;
    let share_ms = MINUTE_MS / limit;
    let used_until = used_until.plus_ms(share_ms);
    let over_ms = used_until.ms_since(&now) - MINUTE_MS;
    if over_ms > MINUTE_MS * (COUNTED_ONLY - 1) {
        return Err(Error::RateLimited { retry_after_s: seconds(over_ms) });
    }
    store::paces::set(tx, &key, &used_until).await?;
    Ok((over_ms > 0).then(|| seconds(over_ms + share_ms)))
}

/// How often one may try the model: one more each five minutes, and so many of them ahead.
const TRIAL_MS: i64 = 5 * MINUTE_MS;
const TRIALS_AHEAD: i64 = 5;
/// The furthest end of what a person's tries have used.
const USED_BY_TRIALS: Window = Window::ms(TRIAL_MS * TRIALS_AHEAD);

/// Counts a try of the model, by the same rule.
///
/// # Errors
/// `RateLimited` for who has tried it too often; such a try is not counted.
pub(super) async fn of_trial(state: &AppState, tx: &mut Tx, user: UserId) -> Result<(), Error> {
    let key = Sha256::digest(format!("trial {user}"));
    let (used_until, now) = take(state, tx, &key, USED_BY_TRIALS).await?;
    let used_until = used_until.plus_ms(TRIAL_MS);
    let ahead_ms = used_until.ms_since(&now);
    if ahead_ms > TRIAL_MS * TRIALS_AHEAD {
        return Err(Error::RateLimited { retry_after_s: seconds(ahead_ms - TRIAL_MS * TRIALS_AHEAD) });
    }
    Ok(store::paces::set(tx, &key, &used_until).await?)
}

/// Locks the key's row; returns until when it is used up, at the earliest now, and the present time.
async fn take(state: &AppState, tx: &mut Tx, key: &[u8], used: Window) -> Result<(Timestamp, Timestamp), Error> {
    let asked = Instant::now();
    let (used_until, heard) = store::paces::take(tx, key, &state.ctx.now()).await?;
    state.ctx.hear(heard.as_ref(), asked);
    let now = state.ctx.now();
    Ok((used.end_or_now(used_until, &now), now))
}

/// Whole seconds after which so many milliseconds are over.
fn seconds(ms: i64) -> i64 {
    ms.div_euclid(1000) + 1
}
