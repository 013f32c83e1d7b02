//! Rate limits: messages and calls per user, requests per IP address, and model checks.

use std::net::IpAddr;
use std::time::Instant;

use sha2::{Digest as _, Sha256};

use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::domain::window::Window;
use crate::state::AppState;
use crate::store::{self, Tx};
use crate::usecases::Error;

/// Factor over the limit from which refusals are only counted, not stored.
const COUNTED_ONLY: i64 = 5;
/// Length of every limit's window, in milliseconds.
const MINUTE_MS: i64 = 60_000;
/// Window of a sender's messages.
pub(super) const SENT: Window = Window::ms(MINUTE_MS);
/// Maximum distance of an address's theoretical arrival time: a minute of burst, and the refusals that are only counted.
const USED_BY_ADDRESS: Window = Window::ms(MINUTE_MS * COUNTED_ONLY);

/// Returns the seconds that a sender has to wait, given the messages of the last minute, oldest first; `None` within the limit. Refused
/// messages count too, so the wait ends when the next message is within the limit.
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

/// Counts a request and returns the seconds that its address has to wait, by the generic cell rate algorithm (ITU-T I.371). The row holds
/// the theoretical arrival time; a minute of burst is allowed. Refused requests count too.
///
/// The row stays locked until the transaction ends, so that all processes count together; lock the user first. The time is read from the
/// database once the row is locked, because a wait for the lock must not count. Afterwards, [`Ctx::now`] is the database's time.
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
    store::rate_limits::set(tx, &key, &used_until).await?;
    Ok((over_ms > 0).then(|| seconds(over_ms + share_ms)))
}

/// Interval of model checks in milliseconds, and the allowed burst.
const TRIAL_MS: i64 = 5 * MINUTE_MS;
const TRIALS_AHEAD: i64 = 5;
/// Maximum distance of a user's theoretical arrival time for model checks.
const USED_BY_TRIALS: Window = Window::ms(TRIAL_MS * TRIALS_AHEAD);

/// Counts a model check by the same algorithm.
///
/// # Errors
/// `RateLimited` over the limit; such a check is not counted.
pub(super) async fn of_trial(state: &AppState, tx: &mut Tx, user: UserId) -> Result<(), Error> {
    let key = Sha256::digest(format!("trial {user}"));
    let (used_until, now) = take(state, tx, &key, USED_BY_TRIALS).await?;
    let used_until = used_until.plus_ms(TRIAL_MS);
    let ahead_ms = used_until.ms_since(&now);
    if ahead_ms > TRIAL_MS * TRIALS_AHEAD {
        return Err(Error::RateLimited { retry_after_s: seconds(ahead_ms - TRIAL_MS * TRIALS_AHEAD) });
    }
    Ok(store::rate_limits::set(tx, &key, &used_until).await?)
}

/// Locks the key's row; returns its theoretical arrival time, at least now, and the present time.
async fn take(state: &AppState, tx: &mut Tx, key: &[u8], used: Window) -> Result<(Timestamp, Timestamp), Error> {
    let asked = Instant::now();
    let (used_until, heard) = store::rate_limits::take(tx, key, &state.ctx.now()).await?;
    state.ctx.hear(heard.as_ref(), asked);
    let now = state.ctx.now();
    Ok((used.end_or_now(used_until, &now), now))
}

/// Rounds milliseconds up to whole seconds.
fn seconds(ms: i64) -> i64 {
    ms.div_euclid(1000) + 1
}
