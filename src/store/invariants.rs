//! Invariants of the stored data.

use super::{Error, Tx, on};

/// Blocks of a sentence and a query that counts violating rows.
const INVARIANTS: &str = include_str!("invariants.sql");

/// Returns the sentence and the query of each invariant.
pub(crate) fn invariants() -> impl Iterator<Item = (&'static str, &'static str)> {
    INVARIANTS.split("\n\n").map(|block| {
        let (sentence, query) = block.trim().split_once('\n').expect("a sentence and a query");
        (sentence.trim_start_matches("-- "), query)
    })
}

/// Returns the sentences of the violated invariants, over all users.
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
