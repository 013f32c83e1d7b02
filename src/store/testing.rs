//! Fresh databases for tests: SQLite in memory, and PostgreSQL where `DOCKET_TEST_POSTGRES_URL` names a server.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use uuid::Uuid;

use super::{Store, Tx, on};
use crate::domain::id::UserId;

/// A fresh store on each database at hand, with its name for messages. `make test` always has both.
pub(crate) async fn stores() -> Vec<(&'static str, Store)> {
    let mut stores = vec![];
    for (name, url) in urls().await {
        stores.push((name, Store::open(&url, false).await.unwrap()));
    }
    stores
}

/// Addresses of empty databases.
pub(crate) async fn urls() -> Vec<(&'static str, String)> {
    let mut urls = vec![("sqlite", "sqlite::memory:".to_owned())];
    if let Ok(server) = std::env::var("DOCKET_TEST_POSTGRES_URL") {
        urls.push(("postgres", schema(&server).await));
    }
    urls
}

/// A schema of its own for one test: as good as a database, and quicker to make.
async fn schema(server: &str) -> String {
    let name = format!("test_{}", Uuid::new_v4().simple());
    let mut conn = PgConnection::connect(server).await.unwrap();
    sqlx::query(AssertSqlSafe(format!("CREATE SCHEMA {name}"))).execute(&mut conn).await.unwrap();
    conn.close().await.unwrap();
    let joint = if server.contains('?') { '&' } else { '?' };
    format!("{server}{joint}options=-csearch_path%3D{name}")
}

/// What the user's records say, oldest first: their kind and body.
pub(crate) async fn bodies(tx: &mut Tx, user: UserId) -> Vec<(String, String)> {
    on!(tx, |conn| sqlx::query_as(
        "SELECT r.kind, b.body FROM records r JOIN bodies b ON b.user_id = r.user_id AND b.seq = r.seq
         WHERE r.user_id = $1 ORDER BY r.seq"
    )
    .bind(user)
    .fetch_all(conn)
    .await)
    .unwrap()
}
