//! Transfers between SQLite and PostgreSQL: exact values, all or nothing, every table.

use std::collections::BTreeSet;

use super::*;
use crate::domain::task::{Due, Project, Tag};
use crate::store::transfer::{COPIED, DERIVED, columns, copy};

/// Rows for tables that a [`Life`] leaves empty.
const REST: &[&str] = &[
    "INSERT INTO setup_links VALUES (x'00ff', '2026-03-11T09:30:00.001Z')",
    "INSERT INTO account_links SELECT id, randomblob(32), 'invite', created_at, created_at, id FROM users",
    "INSERT INTO policies SELECT id, 'agent', 'add_task', 'ask', created_at FROM users",
    "INSERT INTO sign_in_tries VALUES (x'01', 3, '2026-03-11T09:30:00.001Z', '2026-03-11T09:30:00.002Z', NULL)",
    "INSERT INTO address_paces VALUES (x'02', '2026-03-11T09:30:00.001Z')",
    "INSERT INTO server_keys VALUES ('a “key”', x'00ff7f')",
    "INSERT INTO counters VALUES ('refused', 9007199254740993)",
    "INSERT INTO erasures SELECT user_id, 1, seq, digest FROM records WHERE kind = 'erasure'",
    "DELETE FROM bodies WHERE seq = 1",
    "INSERT INTO checkpoints VALUES (1, 'a

— b c
')",
    "INSERT INTO checkpoint_heads SELECT 1, user_id, 9007199254740993, x'00ff' FROM heads",
    "INSERT INTO client_keys SELECT user_id, 'a “key”\\ with \u{1F95B}', id FROM changes",
    "INSERT INTO imported SELECT user_id, x'0001', randomblob(16), id FROM changes",
    "INSERT INTO outbox SELECT randomblob(16), id, 'telegram', 9007199254740993, '{\"b\": 1.0,  \"a\":2}', NULL, 'a key', 2, '[7]', NULL, 12,
         3, 4, '1999-12-31T23:59:59.000Z', 9007199254740993, 9007199254740993, 7, 8 FROM users",
    "INSERT OR REPLACE INTO reminders SELECT user_id, number, '2026-03-11T09:30:00.001Z' FROM tasks",
    "INSERT INTO outside_changes SELECT user_id, randomblob(16), at, id FROM changes",
    "INSERT INTO readings SELECT user_id, 1, id, user_id, accepted_at FROM turns GROUP BY user_id",
    "INSERT INTO telegram_links SELECT user_id, random(), '@“ana”', id, created_at, (SELECT id FROM tokens) FROM conversations GROUP BY user_id",
    "INSERT INTO telegram_codes SELECT id, randomblob(32), created_at, NULL FROM users",
    "INSERT INTO telegram_relinks SELECT randomblob(16), id, id, 9007199254740993, '@“ana”', randomblob(32), (SELECT id FROM tokens), created_at FROM users",
    "INSERT INTO account_notices SELECT randomblob(16), id, '{\"b\": 1.0,  \"a\":2}', created_at FROM users",
    "INSERT INTO memories SELECT user_id, randomblob(16), id, 1, 2, 'line
break', x'0000803f', 'local', x'0102', created_at FROM conversations",
    "INSERT INTO summaries SELECT user_id, id, 1, 2, NULL, 3, NULL, created_at, 7 FROM conversations",
    "INSERT INTO token_usage SELECT id, created_at, 9007199254740993, 7, 9007199254740993 FROM users",
    "INSERT INTO memory_off SELECT id, created_at FROM users",
    "INSERT INTO jobs VALUES ('bin', '2026-03-11T09:30:00.120Z')",
];

/// Creates two lives, one of them with tasks of every kind.
async fn lives(store: &Store) -> [Life; 2] {
    let lives = [Life::of(store, "ana").await, {
        let mut tx = store.write().await.unwrap();
        on!(tx, |conn| sqlx::query("UPDATE sessions SET hash = $1")
            .bind([9_u8; 32].as_slice())
            .execute(conn)
            .await
            .map(drop))
        .unwrap();
        on!(tx, |conn| sqlx::query("UPDATE tokens SET hash = $1")
            .bind([9_u8; 32].as_slice())
            .execute(conn)
            .await
            .map(drop))
        .unwrap();
        tx.commit().await.unwrap();
        Life::of(store, "ben").await
    }];
    let mut tx = store.write().await.unwrap();
    for due in [
        Due::Date(crate::domain::time::CivilDate::parse("2026-03-29").unwrap()),
        Due::at(now().plus_ms(7), "Europe/London").unwrap(),
    ] {
        let number = tasks::next_number(&mut tx, lives[0].user).await.unwrap();
        let mut full = stored(number);
        full.task.title = Title::parse("Œuvre “\\\" \u{1F95B}").unwrap();
        full.task.project = Some(Project::parse("Café").unwrap());
        full.task.tags = vec![Tag::parse("a b").unwrap()];
        full.task.due = Some(due.to_string());
        tasks::insert(&mut tx, lives[0].user, &tasks::Stored { due: Some(due), ..full }).await.unwrap();
    }
    for life in &lives {
        records::append(&mut tx, life.user, records::Kind::Erasure, &now(), &json!({})).await.unwrap();
    }
    for sql in REST {
        on!(tx, |conn| sqlx::query(AssertSqlSafe((*sql).to_owned())).execute(conn).await.map(drop)).unwrap();
    }
    tx.commit().await.unwrap();
    lives
}

async fn on_disk(folder: &std::path::Path, name: &str) -> Store {
    Store::open(&format!("sqlite://{}", folder.join(name).display()), false).await.unwrap()
}

/// Opens an empty PostgreSQL database if a server is available.
async fn postgres(folder: &std::path::Path) -> Option<Store> {
    let urls = testing::urls_on_disk(folder).await;
    let (_, url) = urls.into_iter().find(|(name, _)| *name == "postgres")?;
    Some(Store::open(&url, false).await.unwrap())
}

/// Returns all rows of a SQLite table in SQL notation.
async fn quoted(store: &Store, table: &str) -> Vec<String> {
    let mut tx = store.read().await.unwrap();
    let columns: String = on!(tx, |conn| sqlx::query_scalar(AssertSqlSafe(format!(
        "SELECT group_concat('quote(' || name || ')', ' || '','' || ') FROM pragma_table_info('{table}')"
    )))
    .fetch_one(conn)
    .await)
    .unwrap();
    let sql = format!("SELECT {columns} FROM {table} ORDER BY 1");
    on!(tx, |conn| sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(conn).await).unwrap()
}

#[tokio::test]
async fn every_value_goes_to_postgres_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let Some(middle) = postgres(folder.path()).await else { return };
    let source = on_disk(folder.path(), "source.db").await;
    let lives = lives(&source).await;
    // These rows violate invariants, so the copy is made without checking them; other tests copy real turns.
    let copied = all(&source, &middle).await;
    let back = on_disk(folder.path(), "back.db").await;
    assert_eq!(all(&middle, &back).await, copied);
    for table in COPIED.iter().chain(DERIVED) {
        let rows = quoted(&source, table).await;
        assert!(!rows.is_empty(), "{table} has a row to try");
        assert_eq!(quoted(&back, table).await, rows, "{table}");
    }
    for life in &lives {
        assert_eq!(chain::verify(&mut middle.read().await.unwrap(), life.user).await, 8);
    }
}

/// Copies all rows without checking invariants.
async fn all(from: &Store, to: &Store) -> i64 {
    let (mut source, mut target) = (from.read().await.unwrap(), to.write().await.unwrap());
    let rows = crate::store::transfer::rows(&mut source, &mut target).await.unwrap();
    target.commit().await.unwrap();
    rows
}

#[tokio::test]
async fn a_copy_wants_an_empty_target_of_the_other_kind() {
    let folder = tempfile::tempdir().unwrap();
    let source = on_disk(folder.path(), "source.db").await;
    let refused = copy(&source, &on_disk(folder.path(), "other.db").await).await.err().unwrap().to_string();
    assert!(refused.contains("from a SQLite file to PostgreSQL or back"), "{refused}");
    let Some(target) = postgres(folder.path()).await else { return };
    user(&target, "ben").await;
    let refused = copy(&source, &target).await.err().unwrap().to_string();
    assert!(refused.contains("not empty (it has users)"), "{refused}");
}

#[tokio::test]
async fn a_copy_that_does_not_verify_leaves_the_target_empty() {
    let folder = tempfile::tempdir().unwrap();
    let Some(target) = postgres(folder.path()).await else { return };
    let source = on_disk(folder.path(), "source.db").await;
    Life::of(&source, "ana").await;
    let refused = copy(&source, &target).await.err().unwrap().to_string();
    assert!(refused.contains("a consistency check failed"), "{refused}");
    let mut tx = target.read().await.unwrap();
    for table in COPIED {
        let sql = AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
        let rows: i64 = on!(tx, |conn| sqlx::query_scalar(sql).fetch_one(conn).await).unwrap();
        assert_eq!(rows, 0, "{table}");
    }
}

#[tokio::test]
async fn every_table_and_column_is_copied_or_kept_by_triggers() {
    let listed: BTreeSet<String> = COPIED.iter().chain(DERIVED).map(|&name| name.to_owned()).collect();
    let folder = tempfile::tempdir().unwrap();
    let sqlite = on_disk(folder.path(), "source.db").await;
    let mut tx = sqlite.read().await.unwrap();
    // Shadow tables belong to a virtual table that is listed.
    let found: Vec<String> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
         AND name NOT LIKE 'sqlite_%' AND name <> '_sqlx_migrations'"
    )
    .fetch_all(conn)
    .await)
    .unwrap();
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), listed, "store/copying.rs lists the tables of SQLite");
    let Some(postgres) = postgres(folder.path()).await else { return };
    let mut other = postgres.read().await.unwrap();
    let found: Vec<String> = on!(other, |conn| sqlx::query_scalar(
        "SELECT table_name::text FROM information_schema.tables
         WHERE table_schema = current_schema() AND table_name <> '_sqlx_migrations'"
    )
    .fetch_all(conn)
    .await)
    .unwrap();
    assert!(
        found.iter().all(|table| listed.contains(table)),
        "store/copying.rs lists the tables of PostgreSQL: {found:?}"
    );
    let Conn::Pg(pg) = &mut other.conn else { unreachable!("it is PostgreSQL") };
    for table in COPIED {
        let there: BTreeSet<String> = columns(pg, table).await.unwrap().into_iter().map(|column| column.name).collect();
        let sql = "SELECT name FROM pragma_table_info($1)";
        let here: Vec<String> = on!(tx, |conn| sqlx::query_scalar(sql).bind(*table).fetch_all(conn).await).unwrap();
        assert_eq!(here.into_iter().collect::<BTreeSet<_>>(), there, "{table}");
    }
}
