//! Invariants of every history, checked after every test when its database is dropped.

use sqlx::{Connection, Executor, PgConnection, SqliteConnection};

/// The sentences and queries of the store's own tests.
const INVARIANTS: &str = include_str!("../../src/store/invariants.sql");

/// Runs the queries on either kind of connection, in one snapshot.
macro_rules! look {
    ($connection:ident, $begin:literal) => {{
        $connection.execute($begin).await.expect("a snapshot");
        if $connection.execute("SELECT COUNT(*) FROM users CROSS JOIN events").await.is_err() {
            return vec![];
        }
        let mut broken = vec![];
        for block in INVARIANTS.split("\n\n") {
            let (sentence, query) = block.trim().split_once('\n').expect("a sentence and a query");
            let rows: i64 = sqlx::query_scalar(query)
                .fetch_one(&mut $connection)
                .await
                .unwrap_or_else(|error| panic!("{sentence} {error}"));
            if rows > 0 {
                broken.push(sentence.trim_start_matches("-- "));
            }
        }
        broken
    }};
}

/// Returns the violated invariants of the database at `url`; none if no server created its tables.
pub async fn broken(url: &str) -> Vec<&'static str> {
    if url.starts_with("sqlite") {
        let Ok(mut connection) = SqliteConnection::connect(url).await else { return vec![] };
        look!(connection, "BEGIN")
    } else {
        let mut connection = PgConnection::connect(url).await.expect("the tests' PostgreSQL");
        look!(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }
}

pub async fn open_turns(url: &str) -> i64 {
    const OPEN: &str = "SELECT COUNT(*) FROM turns WHERE status <> 'done'";
    let open = if url.starts_with("sqlite") {
        let mut connection = SqliteConnection::connect(url).await.expect("the tests' SQLite");
        sqlx::query_scalar(OPEN).fetch_one(&mut connection).await
    } else {
        let mut connection = PgConnection::connect(url).await.expect("the tests' PostgreSQL");
        sqlx::query_scalar(OPEN).fetch_one(&mut connection).await
    };
    open.expect("turns can be counted")
}

/// Fails the test if an invariant is violated; runs in `Drop`, which cannot await.
pub fn check(url: &str) {
    let broken = std::thread::scope(|scope| {
        let check = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(broken(url))
        });
        check.join().expect("the invariants can be looked at")
    });
    assert!(broken.is_empty(), "broken: {broken:#?}");
}
