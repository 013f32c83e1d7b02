//! Tables from nothing, from the version before, and from a version that is not known yet.

use sqlx::migrate::{Migration, Migrator};

use super::*;

/// The migrations of the store's database but the last `without`.
fn earlier(store: &Store, without: usize) -> Migrator {
    let all = match &store.db {
        Db::Sqlite { .. } => sqlx::migrate!("migrations/sqlite"),
        Db::Pg(_) => sqlx::migrate!("migrations/postgres"),
    };
    let all: Vec<Migration> = all.iter().cloned().collect();
    Migrator::with_migrations(all[..all.len() - without].to_vec())
}

#[tokio::test]
async fn both_databases_have_the_same_migrations() {
    let names = |migrator: &Migrator| -> Vec<_> {
        migrator.iter().map(|migration| (migration.version, migration.description.to_string())).collect()
    };
    assert_eq!(names(&sqlx::migrate!("migrations/sqlite")), names(&sqlx::migrate!("migrations/postgres")));
}

#[tokio::test]
async fn tables_come_from_nothing_and_a_second_start_changes_nothing() {
    for (db, store) in testing::stores().await {
        let life = Life::of(&store, "ana").await;
        let before = dump(&store, life.user).await;
        store.migrate().await.unwrap();
        assert_eq!(dump(&store, life.user).await, before, "{db}");
    }
}

#[tokio::test]
async fn rows_of_the_version_before_live_on() {
    for (db, url) in testing::urls().await {
        let store = Store::connect(&url, false).await.unwrap();
        store.run(&earlier(&store, 1)).await.unwrap();
        let life = Life::of(&store, "ana").await;
        let before = dump(&store, life.user).await;
        store.migrate().await.unwrap();
        assert_eq!(dump(&store, life.user).await, before, "{db}");
        let mut tx = store.read().await.unwrap();
        let task = tasks::get(&mut tx, life.user, life.task).await.unwrap().unwrap();
        let filter = crate::domain::task::Filter { query: Some(task.task.title.to_string()), ..Default::default() };
        assert_eq!(
            tasks::list(&mut tx, life.user, &filter, None, 9).await.unwrap(),
            [task],
            "{db}: found by its words"
        );
        assert!(decisions::get(&mut tx, life.user, life.turn).await.unwrap().is_some(), "{db}");
        assert_eq!(chain::verify(&mut tx, life.user).await, 7, "{db}");
    }
}

#[tokio::test]
async fn tables_are_not_made_anew_around_a_reference_to_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("docket.db");
    let store = Store::connect(&format!("sqlite://{}", file.display()), false).await.unwrap();
    store.run(&earlier(&store, 1)).await.unwrap();
    let life = Life::of(&store, "ana").await;
    let spoiler = rusqlite::Connection::open(&file).unwrap();
    spoiler
        .execute_batch(
            "PRAGMA foreign_keys = OFF;
             INSERT INTO changes SELECT randomblob(16), user_id, 99, operation, actor, turn_id, step, idx, undoes,
                 version_before, version_after, record_seq, at FROM changes",
        )
        .unwrap();
    let before = dump(&store, life.user).await;
    let refused = store.migrate().await.unwrap_err().to_string();
    assert!(refused.contains("reference IS NULL"), "{refused}");
    assert_eq!(dump(&store, life.user).await, before);
}

#[tokio::test]
async fn a_bin_from_before_it_was_ever_emptied_can_be() {
    for (db, url) in testing::urls().await {
        let store = Store::connect(&url, false).await.unwrap();
        let since = sqlx::migrate!("migrations/sqlite").iter().filter(|migration| migration.version >= 9).count();
        store.run(&earlier(&store, since)).await.unwrap();
        let life = Life::of(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let mut binned = stored(life.task);
        (binned.task.version, binned.task.deleted_at) = (2, Some(now()));
        assert!(tasks::update(&mut tx, life.user, &binned).await.unwrap(), "{db}");
        tx.commit().await.unwrap();
        store.migrate().await.unwrap();
        let mut tx = store.write().await.unwrap();
        assert_eq!(tasks::get(&mut tx, life.user, life.task).await.unwrap(), Some(binned), "{db}");
        assert_eq!(bin::owners(&mut tx, &now()).await.unwrap(), [life.user], "{db}");
        assert_eq!(bin::overdue(&mut tx, life.user, &now(), 9).await.unwrap(), [life.task], "{db}");
        assert!(bin::purge(&mut tx, life.user, life.task, 3, &now()).await.unwrap(), "{db}");
    }
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused() {
    for (db, store) in testing::stores().await {
        let mut tx = store.write().await.unwrap();
        on!(tx, |conn| sqlx::query(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES (9999, 'from the future', TRUE, $1, 0)"
        )
        .bind([0_u8; 48].as_slice())
        .execute(conn)
        .await
        .map(drop))
        .unwrap();
        tx.commit().await.unwrap();
        let refused = store.migrate().await.unwrap_err().to_string();
        assert!(refused.contains("newer version of Docket"), "{db}: {refused}");
    }
}

#[tokio::test]
async fn a_database_that_cannot_be_opened_is_named() {
    for (url, said) in [
        ("mysql://x", "must begin with sqlite:// or postgres://"),
        ("sqlite:///proc/nowhere/docket.db", "/proc/nowhere/docket.db cannot be used"),
        ("postgres://127.0.0.1:1/x", "PostgreSQL cannot be reached"),
    ] {
        let refused = Store::open(url, false).await.err().unwrap().to_string();
        assert!(refused.contains(said), "{url}: {refused}");
    }
}

#[tokio::test]
async fn a_file_keeps_what_was_committed_and_readers_see_one_moment() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/new/docket.db", folder.path().display());
    let store = Store::open(&url, true).await.unwrap();
    let life = Life::of(&store, "ana").await;
    let mut snapshot = store.read().await.unwrap();
    let mut tx = store.write().await.unwrap();
    assert_eq!(events::head(&mut snapshot, life.user).await.unwrap(), 1);
    events::append(&mut tx, life.user, EventKind::TaskChanged, &json!({}), &now()).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(events::head(&mut snapshot, life.user).await.unwrap(), 1, "a reader stays at its moment");
    drop(snapshot);
    let before = dump(&store, life.user).await;
    store.close().await;
    let store = Store::open(&url, true).await.unwrap();
    assert_eq!(dump(&store, life.user).await, before);
    let mut tx = store.read().await.unwrap();
    assert!(events::append(&mut tx, life.user, EventKind::TaskChanged, &json!({}), &now()).await.is_err());
}
