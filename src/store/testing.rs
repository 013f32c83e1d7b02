//! Fresh databases for tests: SQLite in memory, and PostgreSQL if `DOCKET_TEST_POSTGRES_URL` is set.

use std::path::Path;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use uuid::Uuid;

pub(crate) use super::invariants::invariants;
use super::{Conn, Db, Location, Store, Tx, on};
use crate::domain::id::UserId;

/// Returns an empty store per available database, with its name for messages. `make test` always runs both.
pub(crate) async fn stores() -> Vec<(&'static str, Store)> {
    let mut stores = vec![];
    for (name, url) in urls().await {
        stores.push((name, Store::open(&url, false).await.unwrap()));
    }
    stores
}

/// Opens another connection to a migrated database.
pub(crate) async fn connect(url: &str) -> Store {
    match url.parse() {
        Ok(options) if url.starts_with("postgres") => Store::on_pg(options),
        _ => Store::connect(url, false).await.unwrap(),
    }
}

/// Returns URLs of empty databases.
pub(crate) async fn urls() -> Vec<(&'static str, String)> {
    urls_with("sqlite::memory:".to_owned()).await
}

/// Returns URLs of empty databases that other processes can open as well. SQLite's file is in `folder`.
pub(crate) async fn urls_on_disk(folder: &Path) -> Vec<(&'static str, String)> {
    urls_with(format!("sqlite://{}", folder.join("docket.db").display())).await
}

async fn urls_with(sqlite: String) -> Vec<(&'static str, String)> {
    let mut urls = vec![("sqlite", sqlite)];
    if let Ok(server) = std::env::var("DOCKET_TEST_POSTGRES_URL") {
        urls.push(("postgres", schema(&server).await));
    }
    urls
}

/// Returns the number of test rounds from the environment variable, or `quick`.
pub(crate) fn rounds(name: &str, quick: i64) -> i64 {
    std::env::var(name).map_or(quick, |rounds| rounds.parse().expect("a number of rounds"))
}

/// Creates a schema for one test, which is faster than a database.
async fn schema(server: &str) -> String {
    let name = format!("test_{}", Uuid::new_v4().simple());
    let mut conn = PgConnection::connect(server).await.unwrap();
    sqlx::query(AssertSqlSafe(format!("CREATE SCHEMA {name}"))).execute(&mut conn).await.unwrap();
    conn.close().await.unwrap();
    let joint = if server.contains('?') { '&' } else { '?' };
    format!("{server}{joint}options=-csearch_path%3D{name}")
}

/// Returns kind and body of the user's records, oldest first.
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

/// Returns the violated invariants.
pub(crate) async fn broken(tx: &mut Tx) -> Vec<&'static str> {
    super::invariants::broken(tx).await.unwrap()
}

/// Fails the test if an invariant is violated. Works in `Drop`, since it uses its own runtime.
pub(crate) fn assert_invariants(store: &Store) {
    let broken = std::thread::scope(|scope| {
        let check = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let store = match &store.db {
                    Db::Sqlite { .. } => store.clone(),
                    // Connections belong to the runtime that opened them.
                    Db::Pg(pool) => Store::on_pg((*pool.connect_options()).clone()),
                };
                broken(&mut store.read().await.unwrap()).await
            })
        });
        check.join().unwrap()
    });
    assert!(broken.is_empty(), "broken: {broken:#?}");
}

/// Returns the places that contain a word: file names on SQLite, byte by byte, and columns on PostgreSQL.
pub(crate) async fn places(store: &Store, word: &str) -> Vec<String> {
    let pool = match &store.db {
        Db::Sqlite { at: Location::File { path, .. }, .. } => {
            let files = ["", "-wal", "-shm"].map(|end| format!("{}{end}", path.display()));
            let holds = |file: &String| {
                let bytes = std::fs::read(file).unwrap_or_default();
                bytes.windows(word.len()).any(|part| part == word.as_bytes())
            };
            return files.into_iter().filter(holds).collect();
        }
        Db::Sqlite { .. } => panic!("a database in memory has no files"),
        Db::Pg(pool) => pool,
    };
    let columns: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns
         WHERE table_schema = current_schema()",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    let hex: String = word.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut places = vec![];
    for (table, column, kind) in columns {
        let looked_for = if kind == "bytea" { &hex } else { word };
        let sql = format!("SELECT COUNT(*) FROM {table} WHERE strpos({column}::text, $1) > 0");
        let found: i64 = sqlx::query_scalar(AssertSqlSafe(sql)).bind(looked_for).fetch_one(pool).await.unwrap();
        if found > 0 {
            places.push(format!("{table}.{column}"));
        }
    }
    places
}

/// Begins a transaction without integrity checks, for corrupting rows. Drop it, never commit it.
pub(crate) async fn spoil(store: &Store, text: &str) -> Tx {
    let mut tx = store.write().await.unwrap();
    let mut first = vec![];
    match &mut tx.conn {
        Conn::Sqlite(conn) => {
            first.push("PRAGMA defer_foreign_keys = ON".to_owned());
            let triggers: Vec<String> = sqlx::query_scalar("SELECT name FROM sqlite_master WHERE type = 'trigger'")
                .fetch_all(&mut **conn)
                .await
                .unwrap();
            first.extend(triggers.into_iter().map(|name| format!("DROP TRIGGER {name}")));
        }
        Conn::Pg(_) => first.push("SET LOCAL session_replication_role = replica".to_owned()),
    }
    for statement in first.iter().map(String::as_str).chain([text]) {
        run(&mut tx, statement).await;
    }
    tx
}

/// Executes and commits SQL that the store has no function for.
pub(crate) async fn execute(store: &Store, text: &str) {
    let mut tx = store.write().await.unwrap();
    on!(tx, |conn| sqlx::query(AssertSqlSafe(text.to_owned())).execute(conn).await.map(drop)).unwrap();
    tx.commit().await.unwrap();
}

/// Executes a statement and returns the number of affected rows.
pub(crate) async fn run(tx: &mut Tx, statement: &str) -> u64 {
    let sql = AssertSqlSafe(statement.to_owned());
    let done = on!(tx, |conn| sqlx::query(sql).execute(conn).await.map(|done| done.rows_affected()));
    done.unwrap_or_else(|error| panic!("{statement}: {error}"))
}

/// Executes a statement that may be rejected. Returns the number of affected rows, or `None` if rejected.
pub(crate) async fn attempt(tx: &mut Tx, statement: &str) -> Option<u64> {
    let sql = AssertSqlSafe(statement.to_owned());
    on!(tx, |conn| sqlx::query(sql).execute(conn).await.map(|done| done.rows_affected())).ok()
}

/// Returns names and types of a table's columns.
pub(crate) async fn columns(store: &Store, table: &str) -> Vec<(String, String)> {
    let mut tx = store.read().await.unwrap();
    let columns = match &mut tx.conn {
        Conn::Sqlite(conn) => {
            let sql = format!("SELECT name, type FROM pragma_table_info('{table}')");
            sqlx::query_as(AssertSqlSafe(sql)).fetch_all(&mut **conn).await
        }
        Conn::Pg(conn) => {
            let sql = "SELECT column_name::text, data_type::text FROM information_schema.columns
                 WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position";
            sqlx::query_as(sql).bind(table).fetch_all(&mut **conn).await
        }
    };
    columns.unwrap()
}

/// Returns the ids that a query selects.
pub(crate) async fn ids(tx: &mut Tx, query: &str) -> Vec<Uuid> {
    on!(tx, |conn| sqlx::query_scalar(AssertSqlSafe(query.to_owned())).fetch_all(conn).await).unwrap()
}

/// Returns the number that a query selects.
pub(crate) async fn number(tx: &mut Tx, query: &str) -> i64 {
    let sql = AssertSqlSafe(query.to_owned());
    let number: Option<i64> = on!(tx, |conn| sqlx::query_scalar(sql).fetch_one(conn).await)
        .unwrap_or_else(|error| panic!("{query}: {error}"));
    number.unwrap_or_else(|| panic!("{query}: nothing"))
}
