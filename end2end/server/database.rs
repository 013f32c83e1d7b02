//! A separate database for each test.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};
use tempfile::TempDir;

use crate::invariants;

/// The kind of a test's database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Db {
    Sqlite,
    Postgres,
}

/// A database that is dropped with its last user.
pub struct Database {
    pub url: String,
    _folder: TempDir,
}

impl Database {
    /// Creates an empty database; `None` for PostgreSQL if none is configured.
    pub async fn fresh(db: Db) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = match db {
            Db::Sqlite => format!("sqlite://{}", folder.path().join("docket.db").display()),
            Db::Postgres => {
                let server = server()?;
                let name = format!("e2e_{}", uuid::Uuid::new_v4().simple());
                on_server(&format!("CREATE DATABASE {name}")).await.expect("a new database");
                let (head, _) = server.rsplit_once('/').expect("a URL with a database");
                format!("{head}/{name}")
            }
        };
        Some(Self { url, _folder: folder })
    }

    /// Sets the last password entry of all sessions to eleven minutes ago.
    pub async fn forget_passwords(&self) {
        if self.url.starts_with("sqlite") {
            let sql = "UPDATE sessions SET authenticated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-660 seconds')";
            let mut database = SqliteConnection::connect(&self.url).await.expect("the tests' SQLite");
            database.execute(sql).await.expect("the sessions");
        } else {
            let sql = "UPDATE sessions SET authenticated_at = now() - INTERVAL '660 seconds'";
            let mut database = PgConnection::connect(&self.url).await.expect("the tests' PostgreSQL");
            database.execute(sql).await.expect("the sessions");
        }
    }

    /// Returns every row of all tables except `without`, as text by table.
    pub async fn dump(&self, without: &[&str]) -> BTreeMap<String, Vec<String>> {
        let mut all = BTreeMap::new();
        if self.url.starts_with("sqlite") {
            let mut database = SqliteConnection::connect(&self.url).await.expect("the tests' SQLite");
            let tables = "SELECT m.name, group_concat('quote(\"' || c.name || '\")', ' || '','' || ')
                FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' GROUP BY m.name";
            let tables: Vec<(String, String)> =
                sqlx::query_as(tables).fetch_all(&mut database).await.expect("the tables");
            for (table, columns) in tables.into_iter().filter(|(name, _)| !without.contains(&name.as_str())) {
                let rows = format!("SELECT {columns} FROM \"{table}\" ORDER BY 1");
                let rows = sqlx::query_scalar(AssertSqlSafe(rows)).fetch_all(&mut database).await.expect("rows");
                all.insert(table, rows);
            }
        } else {
            let mut database = PgConnection::connect(&self.url).await.expect("the tests' PostgreSQL");
            let tables = "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = current_schema()";
            let tables: Vec<String> = sqlx::query_scalar(tables).fetch_all(&mut database).await.expect("the tables");
            for table in tables.into_iter().filter(|name| !without.contains(&name.as_str())) {
                let rows = format!("SELECT CAST(t AS TEXT) FROM {table} t ORDER BY 1");
                let rows = sqlx::query_scalar(AssertSqlSafe(rows)).fetch_all(&mut database).await.expect("rows");
                all.insert(table, rows);
            }
        }
        all
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            invariants::check(&self.url);
        }
        // Hundreds of PostgreSQL databases would take gigabytes. A failure to drop one does not fail the test.
        if let Some((_, name)) = self.url.rsplit_once('/').filter(|_| self.url.starts_with("postgres")) {
            let dropping = format!("DROP DATABASE {name} WITH (FORCE)");
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let runtime =
                        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
                    runtime.block_on(on_server(&dropping)).ok();
                });
            });
        }
    }
}

/// Returns the URL of the tests' PostgreSQL, if it is configured.
fn server() -> Option<String> {
    std::env::var("DOCKET_TEST_POSTGRES_URL").ok()
}

/// Runs a statement on the tests' PostgreSQL, outside any test's database.
pub async fn on_server(sql: &str) -> sqlx::Result<()> {
    let mut connection = PgConnection::connect(&server().expect("a PostgreSQL")).await?;
    connection.execute(AssertSqlSafe(sql.to_owned())).await?;
    connection.close().await
}

/// Modifies a SQLite database directly, with its triggers removed and then restored.
pub async fn spoil(url: &str, statements: &[impl AsRef<str>]) {
    let text = |text: &str| AssertSqlSafe(text.to_owned());
    let mut database = SqliteConnection::connect(url).await.unwrap();
    let guards: Vec<(String, String)> = sqlx::query_as("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        .fetch_all(&mut database)
        .await
        .unwrap();
    database.execute("PRAGMA foreign_keys = OFF").await.unwrap();
    for (guard, _) in &guards {
        database.execute(text(&format!("DROP TRIGGER {guard}"))).await.unwrap();
    }
    for sql in statements.iter().map(AsRef::as_ref) {
        database.execute(text(sql)).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
    for (_, sql) in &guards {
        database.execute(text(sql)).await.unwrap();
    }
    database.close().await.unwrap();
}
