//! What a person's model calls took: those of turns, of summaries, and the others.

use super::{Error, Tx, on};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;

/// Returns tokens in and out of the user's turns from `since` to `until`, of the summaries of what they said, and of what else was asked
/// for them.
pub async fn spent(tx: &mut Tx, user: UserId, (since, until): (&Timestamp, &Timestamp)) -> Result<(i64, i64), Error> {
    Ok(on!(tx, |conn| {
        sqlx::query_as(
        "SELECT CAST(COALESCE(SUM(tokens_in), 0) AS BIGINT), CAST(COALESCE(SUM(tokens_out), 0) AS BIGINT)
         FROM (SELECT tokens_in, tokens_out FROM decisions WHERE user_id = $1 AND at >= $2 AND at <= $3
               UNION ALL SELECT tokens_in, tokens_out FROM summaries WHERE user_id = $1 AND at >= $2 AND at <= $3
               UNION ALL SELECT tokens_in, tokens_out FROM token_usage WHERE user_id = $1 AND at >= $2 AND at <= $3) AS taken"
    )
    .bind(user)
    .bind(since)
    .bind(until)
    .fetch_one(conn)
    .await
    })?)
}

/// What these tokens cost, in micro-units of the provider's currency; `None` where the price of some is not known.
pub async fn cost(tx: &mut Tx, user: UserId, since: &Timestamp) -> Result<Option<i64>, Error> {
    let (sum, unknown): (i64, i64) = on!(tx, |conn| sqlx::query_as(
        "SELECT CAST(COALESCE(SUM(cost_micros), 0) AS BIGINT), COUNT(*) - COUNT(cost_micros)
         FROM (SELECT cost_micros FROM decisions WHERE user_id = $1 AND at >= $2 AND tokens_in IS NOT NULL
               UNION ALL SELECT cost_micros FROM summaries WHERE user_id = $1 AND at >= $2 AND tokens_in IS NOT NULL
               UNION ALL SELECT cost_micros FROM token_usage WHERE user_id = $1 AND at >= $2) AS taken"
    )
    .bind(user)
    .bind(since)
    .fetch_one(conn)
    .await)?;
    Ok((unknown == 0).then_some(sum))
}

/// Notes the tokens in and out that something beside turns and summaries has taken, and what they cost where that is known.
pub async fn note(
    tx: &mut Tx,
    user: UserId,
    (tokens_in, tokens_out): (i64, i64),
    cost_micros: Option<i64>,
    at: &Timestamp,
) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "INSERT INTO token_usage (user_id, at, tokens_in, tokens_out, cost_micros) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (user_id, at) DO UPDATE SET tokens_in = token_usage.tokens_in + excluded.tokens_in,
             tokens_out = token_usage.tokens_out + excluded.tokens_out,
             cost_micros = token_usage.cost_micros + excluded.cost_micros"
    )
    .bind(user)
    .bind(at)
    .bind(tokens_in)
    .bind(tokens_out)
    .bind(cost_micros)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}
