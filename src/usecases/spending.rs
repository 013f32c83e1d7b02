//! What a user's turns have cost, in tokens.

use super::{Ctx, Error};
use crate::domain::time::Timestamp;
use crate::domain::user::User;
use crate::store::{self, Tx};

/// Tokens in and out of the user's turns since the beginning of their day.
pub async fn today(tx: &mut Tx, user: &User, now: &Timestamp) -> Result<(i64, i64), Error> {
    Ok(store::decisions::spent(tx, user.user_id, &begin_of_day(now, &user.zone)).await?)
}

/// The same, read by itself.
pub async fn of_today(ctx: &Ctx, user: &User) -> Result<(i64, i64), Error> {
    today(&mut ctx.read().await?, user, &ctx.now()).await
}

/// Tokens in and out of all of the user's turns.
pub async fn ever(ctx: &Ctx, user: &User) -> Result<(i64, i64), Error> {
    let mut tx = ctx.read().await?;
    let begin = Timestamp::from(jiff::Timestamp::UNIX_EPOCH);
    Ok(store::decisions::spent(&mut tx, user.user_id, &begin).await?)
}

/// Midnight in that zone, or a day ago where the zone is not known any more.
fn begin_of_day(now: &Timestamp, zone: &str) -> Timestamp {
    let begin = now.to_jiff().in_tz(zone).and_then(|local| local.start_of_day());
    begin.map_or_else(|_| now.plus_seconds(-86_400), |begin| Timestamp::from(begin.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_where_the_user_is() {
        let now = Timestamp::parse("2026-03-11T03:30:00Z").unwrap();
        for (zone, begin) in [
            ("UTC", "2026-03-11T00:00:00Z"),
            ("Asia/Tokyo", "2026-03-10T15:00:00Z"),
            ("America/New_York", "2026-03-10T04:00:00Z"),
            ("Nowhere/Land", "2026-03-10T03:30:00Z"),
        ] {
            assert_eq!(begin_of_day(&now, zone), Timestamp::parse(begin).unwrap(), "{zone}");
        }
    }
}
