//! Throttling of failed sign-ins with exponential backoff per account and address, per account, and per address.
//!
//! A stranger cannot lock an account: its own delay is at most a minute and does not apply to addresses that its owner used lately.
//! Password-reset links are not throttled (OWASP Authentication Cheat Sheet, "Account Lockout"). Unknown names behave like known ones.

use sha2::{Digest as _, Sha256};

use crate::domain::time::Timestamp;
use crate::domain::user::Visitor;
use crate::domain::window::{self, Window};
use crate::store;
use crate::store::sign_ins::Tries;
use crate::usecases::{Ctx, Error};

/// Time without an attempt after which earlier failures are forgotten: 1 hour.
const FORGOTTEN: Window = Window::seconds(3_600);
/// Time for which an address counts as the owner's after a successful sign-in: 30 days.
const REMEMBERED: Window = Window::seconds(30 * 86_400);

/// Number of free attempts, and the longest delay in seconds.
#[derive(Clone, Copy)]
struct Pace {
    free: i64,
    longest_s: i64,
}

const PAIR: Pace = Pace { free: 5, longest_s: 900 };
const ACCOUNT: Pace = Pace { free: 20, longest_s: 60 };
/// Higher, because an office shares one address.
const ADDRESS: Pace = Pace { free: 50, longest_s: 60 };

impl Pace {
    /// Returns the delay in seconds after that many failures.
    fn wait_s(&self, failures: i64) -> i64 {
        match failures - self.free {
            ..0 => 0,
            over => self.longest_s.min(1 << over.min(30)),
        }
    }
}

/// An attempt that counts as failed until [`Try::succeed`].
pub(super) struct Try {
    keys: Vec<[u8; 32]>,
}

/// A key that is currently throttled.
struct Closed {
    key: [u8; 32],
    pace: Pace,
    tries: Tries,
}

/// Counts an attempt to sign in as `name`, before the password is checked.
///
/// # Errors
/// `RateLimited` with the seconds to wait. A throttled attempt is not counted, so it does not lengthen the delay.
pub(super) async fn begin(ctx: &Ctx, name: &str, from: &Visitor) -> Result<Try, Error> {
    loop {
        let (now, closed) = match count(ctx, name, from).await? {
            (_, Ok(counted)) => return Ok(counted),
            (now, Err(closed)) => (now, closed),
        };
        if !window::is_from_future(&closed.tries.tried_at, &now) {
            return Err(Error::RateLimited {
                retry_after_s: closed.tries.closed_until.ms_since(&now).div_euclid(1000) + 1,
            });
        }
        closed.begin_again(ctx, &now).await?;
    }
}

/// Counts an attempt under each of its keys, or under none if one of them is throttled. Also returns the current time.
async fn count(ctx: &Ctx, name: &str, from: &Visitor) -> Result<(Timestamp, Result<Try, Closed>), Error> {
    let mut tx = ctx.write().await?;
    let now = ctx.now_in(&mut tx).await?;
    let (forgotten, remembered) = (FORGOTTEN.before(&now).after, REMEMBERED.before(&now).after);
    let name = name.trim().to_lowercase();
    let address = from.address.map(|address| address.to_string()).unwrap_or_default();
    let pair = key(&["pair", &name, &address]);
    store::sign_ins::sweep(&mut tx, &forgotten, &remembered).await?;
    let known = store::sign_ins::state(&mut tx, &pair).await?.and_then(|tries| tries.good_at);
    let known = known.is_some_and(|good_at| good_at > remembered);
    let mut paced = vec![(pair, PAIR)];
    if !known {
        paced.push((key(&["account", &name]), ACCOUNT));
        paced.push((key(&["address", &address]), ADDRESS));
    }
    for (key, pace) in &paced {
        let Some(failures) = store::sign_ins::begin(&mut tx, key, &now, &forgotten).await? else {
            let Some(tries) = store::sign_ins::state(&mut tx, key).await? else {
                return Err(Error::RateLimited { retry_after_s: 1 });
            };
            return Ok((now, Err(Closed { key: *key, pace: *pace, tries })));
        };
        let wait_s = pace.wait_s(failures);
        if wait_s > 0 {
            store::sign_ins::close(&mut tx, key, &now.plus_seconds(wait_s)).await?;
        }
    }
    ctx.commit(tx).await?;
    Ok((now, Ok(Try { keys: paced.into_iter().map(|(key, _)| key).collect() })))
}

impl Closed {
    /// Restarts the delay at `now` with its original length, if the clock was set back since the last attempt.
    async fn begin_again(&self, ctx: &Ctx, now: &Timestamp) -> Result<(), Error> {
        let meant_ms = self.tries.closed_until.ms_since(&self.tries.tried_at);
        let wait_ms = meant_ms.clamp(0, self.pace.wait_s(self.tries.failures) * 1_000);
        let mut tx = ctx.write().await?;
        store::sign_ins::move_to(&mut tx, &self.key, &self.tries, (now, &now.plus_ms(wait_ms))).await?;
        ctx.commit(tx).await
    }
}

impl Try {
    /// Resets the failures after a correct password and marks the address as the owner's.
    pub(super) async fn succeed(self, tx: &mut store::Tx, now: &Timestamp) -> Result<(), Error> {
        for (at, key) in self.keys.iter().enumerate() {
            store::sign_ins::forgive(tx, key, now, at == 0).await?;
        }
        Ok(())
    }
}

/// Returns the digest of a key. A digest does not reveal a password that was typed into the name field.
fn key(parts: &[&str]) -> [u8; 32] {
    Sha256::digest(parts.join("\0")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_up_to_its_longest() {
        let waits: Vec<_> = [1, 4, 5, 6, 7, 14, 15, 99].map(|failures| PAIR.wait_s(failures)).into();
        assert_eq!(waits, [0, 0, 1, 2, 4, 512, 900, 900]);
        assert_eq!(ACCOUNT.wait_s(1_000_000), 60);
    }
}
