//! Grouping of SQLite rows during iteration. Values are borrowed from SQLite; only sums are stored.

use std::collections::HashMap;

use rusqlite::types::ValueRef;
use sqlx::{Execute as _, QueryBuilder};

use crate::domain::statistics::Group;
use crate::domain::time::Timestamp;
use crate::store::Error;
use crate::store::sqlite::{Connection, Sqlite, failed};

/// Sums over the turns of a group.
#[derive(Default)]
struct Sums {
    turns: i64,
    tokens_in: i64,
    tokens_out: i64,
    cost_micros: Option<i64>,
}

/// Groups rows of `at`, outcome, duration, tokens in, tokens out and cost; shortest duration first.
pub(super) fn up(conn: &Connection, mut query: QueryBuilder<Sqlite>, edges: &[Timestamp]) -> Result<Vec<Group>, Error> {
    let mut query = query.build();
    let bound = query.take_arguments().map_err(sqlx::Error::Encode)?.unwrap_or_default();
    let mut statement = conn.raw().prepare_cached(query.sql().as_str()).map_err(read)?;
    let mut rows = statement.query(rusqlite::params_from_iter(bound.0)).map_err(read)?;
    // Outcomes are few, so a linear search suffices; durations are many.
    let mut outcomes: Vec<String> = vec![];
    let mut piles: HashMap<(usize, usize, i64), Sums> = HashMap::new();
    while let Some(row) = rows.next().map_err(read)? {
        let text = |at: usize| row.get_ref(at).map_err(read)?.as_str().map_err(|_| corrupt());
        let number = |at: usize| match row.get_ref(at).map_err(read)? {
            ValueRef::Integer(number) => Ok(Some(number)),
            ValueRef::Null => Ok(None),
            _ => Err(corrupt()),
        };
        let (at, outcome) = (text(0)?, text(1)?);
        // Timestamps have a fixed width, so they sort as text.
        let bucket = edges.partition_point(|edge| edge.as_str() <= at).saturating_sub(1);
        let outcome = outcomes.iter().position(|known| known == outcome).unwrap_or_else(|| {
            outcomes.push(outcome.to_owned());
            outcomes.len() - 1
        });
        let pile = piles.entry((bucket, outcome, number(2)?.unwrap_or_default())).or_default();
        pile.turns += 1;
        pile.tokens_in += number(3)?.unwrap_or_default();
        pile.tokens_out += number(4)?.unwrap_or_default();
        pile.cost_micros = pile.cost_micros.into_iter().chain(number(5)?).reduce(|one, other| one + other);
    }
    let mut piles: Vec<_> = piles.into_iter().collect();
    piles.sort_unstable_by_key(|((bucket, outcome, duration), _)| (*duration, *bucket, *outcome));
    let told = |((bucket, outcome, duration_ms), sums): ((usize, usize, i64), Sums)| Group {
        bucket,
        outcome: outcomes[outcome].clone(),
        duration_ms,
        turns: sums.turns,
        tokens_in: sums.tokens_in,
        tokens_out: sums.tokens_out,
        cost_micros: sums.cost_micros,
    };
    Ok(piles.into_iter().map(told).collect())
}

fn read(error: rusqlite::Error) -> Error {
    Error::Sql(failed(error))
}

fn corrupt() -> Error {
    Error::Corrupt("a decision with a bad figure".into())
}
