//! Token usage of a user's model calls.

use super::{Ctx, Error};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::domain::user::User;
use crate::domain::window::Window;
use crate::store::{self, Tx};

/// Seconds of a day without a clock change.
const DAY_S: i64 = 86_400;
const DAY: Window = Window::seconds(DAY_S);

/// Returns the user's input and output tokens since the start of their day.
pub async fn today(tx: &mut Tx, user: &User, now: &Timestamp) -> Result<(i64, i64), Error> {
    // Usage dated in the future, from before the clock was set back, does not count.
    let until = DAY.before(now).until;
    Ok(store::spending::spent(tx, user.user_id, (&begin_of_day(now, &user.zone), &until)).await?)
}

/// Returns [`today`] from a separate read transaction.
pub async fn of_today(ctx: &Ctx, user: &User) -> Result<(i64, i64), Error> {
    today(&mut ctx.read().await?, user, &ctx.now()).await
}

/// Returns the cost of today's tokens in micro-units of the provider's currency; `None` if a price is unknown.
pub async fn cost_of_today(ctx: &Ctx, user: &User) -> Result<Option<i64>, Error> {
    let begin = begin_of_day(&ctx.now(), &user.zone);
    Ok(store::spending::cost(&mut ctx.read().await?, user.user_id, &begin).await?)
}

/// True if the user's daily tokens are used up, including those of unfinished turns.
///
/// A day lasts from midnight to midnight in the user's zone. Changing the zone could start a new day at will. Usage of the last 24 hours
/// is therefore limited to twice the daily quota, the maximum in a fixed zone.
pub async fn used_up(tx: &mut Tx, user: &User, share: i64, under_way: i64, now: &Timestamp) -> Result<bool, Error> {
    let all = |(tokens_in, tokens_out): (i64, i64)| tokens_in.saturating_add(tokens_out).saturating_add(under_way);
    if all(today(tx, user, now).await?) >= share {
        return Ok(true);
    }
    let span = DAY.before(now);
    let lately = store::spending::spent(tx, user.user_id, (&span.after, &span.until)).await?;
    Ok(all(lately) >= share.saturating_mul(2))
}

/// Returns the user's input and output tokens of all time.
pub async fn ever(ctx: &Ctx, user: &User) -> Result<(i64, i64), Error> {
    let mut tx = ctx.read().await?;
    let all = (&Timestamp::from(jiff::Timestamp::UNIX_EPOCH), &Timestamp::from(jiff::Timestamp::MAX));
    Ok(store::spending::spent(&mut tx, user.user_id, all).await?)
}

/// Records token usage outside turns and summaries.
pub async fn note(ctx: &Ctx, user: UserId, tokens: (i64, i64), cost_micros: Option<i64>) -> Result<(), Error> {
    let (mut tx, at) = (ctx.write().await?, ctx.now());
    store::spending::note(&mut tx, user, tokens, cost_micros, &at).await?;
    ctx.commit(tx).await
}

/// Returns midnight in that zone, or the day's first moment if clocks skip midnight; 24 hours ago if the zone is unknown.
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
            // Zones across the date line, and with quarter-hour offsets.
            ("2026-03-11T10:30:00Z", "Pacific/Kiritimati", "2026-03-11T10:00:00Z"),
            ("2026-03-11T10:30:00Z", "Pacific/Pago_Pago", "2026-03-10T11:00:00Z"),
            ("2026-03-11T18:14:59Z", "Asia/Kathmandu", "2026-03-10T18:15:00Z"),
            ("2026-03-11T18:15:00Z", "Asia/Kathmandu", "2026-03-11T18:15:00Z"),
            // Days of 23 and 25 hours at clock changes.
            ("2026-03-09T03:59:59Z", "America/New_York", "2026-03-08T05:00:00Z"),
            ("2026-03-09T04:00:00Z", "America/New_York", "2026-03-09T04:00:00Z"),
            ("2026-11-02T04:59:59Z", "America/New_York", "2026-11-01T04:00:00Z"),
            ("2026-11-02T05:00:00Z", "America/New_York", "2026-11-02T05:00:00Z"),
            // Clocks skipped midnight: the day began at one.
            ("2026-04-24T09:00:00Z", "Africa/Cairo", "2026-04-23T22:00:00Z"),
        ] {
            let (now, begin) = (Timestamp::parse(now).unwrap(), Timestamp::parse(begin).unwrap());
            assert_eq!(begin_of_day(&now, zone), begin, "{now} {zone}");
        }
    }
}
