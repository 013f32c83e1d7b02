//! What holds at any moment of any history, and whether it does.

use super::{Error, Tx, on};

/// A sentence and a query that counts the rows which break it.
const INVARIANTS: &str = include_str!("invariants.sql");

/// The sentences with their queries.
pub(crate) fn invariants() -> impl Iterator<Item = (&'static str, &'static str)> {
    INVARIANTS.split("\n\n").map(|block| {
        let (sentence, query) = block.trim().split_once('\n').expect("a sentence and a query");
        (sentence.trim_start_matches("-- "), query)
    })
}

/// The sentences that do not hold, of everybody's rows.
pub async fn broken(tx: &mut Tx) -> Result<Vec<&'static str>, Error> {
    let mut broken = vec![];
    for (sentence, query) in invariants() {
        let rows: i64 = on!(tx, |conn| sqlx::query_scalar(query).fetch_one(conn).await)?;
        if rows > 0 {
            broken.push(sentence);
        }
    }
    Ok(broken)
}
