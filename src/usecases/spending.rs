//! What has been asked of models for a user and what it took, in tokens.

use super::{Ctx, Error};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::domain::user::User;
use crate::domain::window::Window;
use crate::store::{self, Tx};

/// Seconds of a day without a change of clocks.
const DAY_S: i64 = 86_400;
/// A day back from now.
const DAY: Window = Window::seconds(DAY_S);

/// Tokens in and out of the user's turns since the beginning of their day.
pub async fn today(tx: &mut Tx, user: &User, now: &Timestamp) -> Result<(i64, i64), Error> {
    // What was spent in the future, before the clock was set back, is not today's.
    let until = DAY.before(now).until;
    Ok(store::spending::spent(tx, user.user_id, (&begin_of_day(now, &user.zone), &until)).await?)
}

/// The same, read by itself.
pub async fn of_today(ctx: &Ctx, user: &User) -> Result<(i64, i64), Error> {
    today(&mut ctx.read().await?, user, &ctx.now()).await
}

/// What the tokens of today cost, in micro-units of the provider's currency; `None` where the price of some is not known.
pub async fn cost_of_today(ctx: &Ctx, user: &User) -> Result<Option<i64>, Error> {
    let begin = begin_of_day(&ctx.now(), &user.zone);
    Ok(store::spending::cost(&mut ctx.read().await?, user.user_id, &begin).await?)
}

/// Whether a share of so many tokens a day is used up, with those that unfinished turns have taken so far.
///
/// The day is the user's own, from midnight to midnight in their zone. A zone can be changed, and in some zone it is always just
/// past midnight: so nobody gets more than two days' shares in the last twenty-four hours, which is as much as falls into them
/// for those who stay where they are.
pub async fn used_up(tx: &mut Tx, user: &User, share: i64, under_way: i64, now: &Timestamp) -> Result<bool, Error> {
    let all = |(tokens_in, tokens_out): (i64, i64)| tokens_in.saturating_add(tokens_out).saturating_add(under_way);
    if all(today(tx, user, now).await?) >= share {
        return Ok(true);
    }
    let span = DAY.before(now);
    let lately = store::spending::spent(tx, user.user_id, (&span.after, &span.until)).await?;
    Ok(all(lately) >= share.saturating_mul(2))
}

/// Tokens in and out of all of the user's turns.
pub async fn ever(ctx: &Ctx, user: &User) -> Result<(i64, i64), Error> {
    let mut tx = ctx.read().await?;
    let all = (&Timestamp::from(jiff::Timestamp::UNIX_EPOCH), &Timestamp::from(jiff::Timestamp::MAX));
    Ok(store::spending::spent(&mut tx, user.user_id, all).await?)
}

/// Counts the tokens in and out of what was asked for the user beside turns and summaries.
pub async fn note(ctx: &Ctx, user: UserId, tokens: (i64, i64), cost_micros: Option<i64>) -> Result<(), Error> {
    let (mut tx, at) = (ctx.write().await?, ctx.now());
    store::spending::note(&mut tx, user, tokens, cost_micros, &at).await?;
    ctx.commit(tx).await
}

/// Midnight in that zone, or the day's first moment where clocks skip midnight; a day ago where the zone is not known any more.
fn begin_of_day(now: &Timestamp, zone: &str) -> Timestamp {
    let begin = now.to_jiff().in_tz(zone).and_then(|local| local.start_of_day());
    begin.map_or_else(|_| now.plus_seconds(-DAY_S), |begin| Timestamp::from(begin.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_where_the_user_is() {
        for (now, zone, begin) in [
            ("2026-03-11T03:30:00Z", "UTC", "2026-03-11T00:00:00Z"),
            ("2026-03-11T03:30:00Z", "Asia/Tokyo", "2026-03-10T15:00:00Z"),
            ("2026-03-11T03:30:00Z", "America/New_York", "2026-03-10T04:00:00Z"),
            ("2026-03-11T03:30:00Z", "Nowhere/Land", "2026-03-10T03:30:00Z"),
            // The other side of the date line, and quarters of an hour.
            ("2026-03-11T10:30:00Z", "Pacific/Kiritimati", "2026-03-11T10:00:00Z"),
            ("2026-03-11T10:30:00Z", "Pacific/Pago_Pago", "2026-03-10T11:00:00Z"),
            ("2026-03-11T18:14:59Z", "Asia/Kathmandu", "2026-03-10T18:15:00Z"),
            ("2026-03-11T18:15:00Z", "Asia/Kathmandu", "2026-03-11T18:15:00Z"),
            // Clocks went forward at two in the morning, and back: days of 23 and 25 hours.
            ("2026-03-09T03:59:59Z", "America/New_York", "2026-03-08T05:00:00Z"),
            ("2026-03-09T04:00:00Z", "America/New_York", "2026-03-09T04:00:00Z"),
            ("2026-11-02T04:59:59Z", "America/New_York", "2026-11-01T04:00:00Z"),
            ("2026-11-02T05:00:00Z", "America/New_York", "2026-11-02T05:00:00Z"),
            // They skipped midnight: the day began at one.
            ("2026-04-24T09:00:00Z", "Africa/Cairo", "2026-04-23T22:00:00Z"),
        ] {
            let (now, begin) = (Timestamp::parse(now).unwrap(), Timestamp::parse(begin).unwrap());
            assert_eq!(begin_of_day(&now, zone), begin, "{now} {zone}");
        }
    }
}
