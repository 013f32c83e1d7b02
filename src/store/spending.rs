//! Token usage of a user's model calls: turns, summaries and others.

use super::{Error, Tx, on};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;

/// Returns the user's tokens in and out from `since` to `until`, including summaries and other model calls.
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

/// Returns the cost of these tokens in micro-units of the provider's currency; `None` if a price is missing.
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

/// Adds tokens in and out of a model call that is no turn or summary, with the cost if known.
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
