//! Ids that are none.

use sqlx::AssertSqlSafe;

use super::TABLES;
use crate::store::{Conn, Error, Tx};

/// Ids by which verification finds rows of other tables than the audited ones.
const IDS: [(&str, &str); 10] = [
    ("records", "user_id"),
    ("bodies", "user_id"),
    ("erasures", "user_id"),
    ("heads", "user_id"),
    ("tasks", "user_id"),
    ("users", "id"),
    ("tokens", "id"),
    ("tokens", "user_id"),
    ("turns", "id"),
    ("conversations", "id"),
];

/// Returns the tables with rows whose owner or key is no id of 16 bytes, with those columns. SQLite takes bytes of any number.
pub async fn malformed_ids(tx: &mut Tx) -> Result<Vec<(&'static str, &'static str)>, Error> {
    let Conn::Sqlite(conn) = &mut tx.conn else { return Ok(vec![]) };
    let audited = TABLES.iter().flat_map(|table| [(table.name, "user_id"), (table.name, table.key)]);
    let mut malformed = vec![];
    for (table, column) in IDS.into_iter().chain(audited) {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE length({column}) <> 16)");
        if sqlx::query_scalar::<_, bool>(AssertSqlSafe(sql)).fetch_one(&mut **conn).await? {
            malformed.push((table, column));
        }
    }
    Ok(malformed)
}
