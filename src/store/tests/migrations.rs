//! Migrations of empty databases, of earlier versions and of unknown versions.

use sqlx::migrate::{Migration, Migrator};

use super::*;
use crate::domain::rank::{Order, Rank};
use crate::domain::when;

/// Returns the migrations before number `version`.
pub(super) fn until(store: &Store, version: i64) -> Migrator {
    let all = match &store.db {
        Db::Sqlite { .. } => sqlx::migrate!("../migrations/sqlite"),
        Db::Pg(_) => sqlx::migrate!("../migrations/postgres"),
    };
    let earlier: Vec<Migration> = all.iter().filter(|it| it.version < version).cloned().collect();
    Migrator::with_migrations(earlier)
}

#[tokio::test]
async fn both_databases_have_the_same_migrations() {
    let names = |migrator: &Migrator| -> Vec<_> {
        migrator.iter().map(|migration| (migration.version, migration.description.to_string())).collect()
    };
    assert_eq!(names(&sqlx::migrate!("../migrations/sqlite")), names(&sqlx::migrate!("../migrations/postgres")));
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
    let folder = tempfile::tempdir().unwrap();
    for (db, url) in testing::urls_on_disk(folder.path()).await {
        let store = Store::connect(&url, false).await.unwrap();
        store.run(&until(&store, 12)).await.unwrap();
        let life = Life::of_before(&store, "ana").await;
        let rows = dump(&store, life.user).await;
        // Later migrations add columns.
        store.run(&until(&store, 13)).await.unwrap();
        assert_eq!(dump(&store, life.user).await, rows, "{db}");
        // Reopen, as at a start: prepared statements keep the old columns.
        store.close().await;
        let store = Store::open(&url, false).await.unwrap();
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
async fn migration_ranks_timed_tasks_by_their_own_zone() {
    let folder = tempfile::tempdir().unwrap();
    for (db, url) in testing::urls_on_disk(folder.path()).await {
        let store = Store::connect(&url, false).await.unwrap();
        store.run(&until(&store, 25)).await.unwrap();
        let life = Life::of_before(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let at = Timestamp::parse("2026-05-02T01:30:00Z").unwrap();
        on!(tx, |conn| sqlx::query(
            "UPDATE tasks SET due_at = $1, due_zone = 'America/New_York', due_day = $2 WHERE user_id = $3"
        )
        .bind(&at)
        .bind(crate::domain::time::CivilDate::parse("2026-05-01").unwrap())
        .bind(life.user)
        .execute(conn)
        .await
        .map(drop))
        .unwrap();
        tx.commit().await.unwrap();
        store.close().await;
        let store = Store::open(&url, false).await.unwrap();
        let mut tx = store.read().await.unwrap();
        let task = tasks::get(&mut tx, life.user, life.task).await.unwrap().unwrap();
        assert_eq!(task.task.due.as_deref(), Some("2026-05-01T21:30:00-04:00"), "{db}");
        assert_eq!(place(&mut tx, life.user, &task).await, Rank::of(&task.task), "{db}");
    }
}

/// Returns the rank of a task that is not overdue.
async fn place(tx: &mut Tx, user: UserId, task: &tasks::Stored) -> Rank {
    let order = Order::Day(when::overdue(&now(), "UTC"));
    match task_order::place(tx, user, task, &order).await.unwrap().unwrap().key {
        task_order::SortKey::Day { at: _, overdue: false, rank } => rank,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn missing_ranks_are_filled_at_start_except_for_unknown_zones() {
    let folder = tempfile::tempdir().unwrap();
    for (db, url) in testing::urls_on_disk(folder.path()).await {
        let store = Store::open(&url, false).await.unwrap();
        let life = Life::of(&store, "ana").await;
        let at = Timestamp::parse("2026-05-02T01:30:00Z").unwrap();
        let mut timed = vec![];
        for number in 20..23 {
            let due = Due::at(at.clone(), "America/New_York").unwrap();
            let mut stored = stored(TaskNumber(number));
            stored.task.due = Some(due.to_string());
            timed.push(tasks::Stored { due: Some(due), ..stored });
        }
        let mut tx = store.write().await.unwrap();
        for task in &timed {
            tasks::insert(&mut tx, life.user, task).await.unwrap();
        }
        // The process ended after the migration; the second task's zone is unknown here.
        for statement in
            ["UPDATE tasks SET place = ''", "UPDATE tasks SET due_zone = 'Atlantis/Nowhere' WHERE number = 21"]
        {
            testing::run(&mut tx, statement).await;
        }
        tx.commit().await.unwrap();
        store.close().await;
        for _ in 0..2 {
            let store = Store::open(&url, false).await.unwrap();
            let mut tx = store.read().await.unwrap();
            for task in [&timed[0], &timed[2], &stored(life.task)] {
                assert_eq!(place(&mut tx, life.user, task).await, Rank::of(&task.task), "{db}");
            }
            let left = testing::number(&mut tx, "SELECT COUNT(*) FROM tasks WHERE place = '' AND number = 21").await;
            let all = testing::number(&mut tx, "SELECT COUNT(*) FROM tasks WHERE place = ''").await;
            assert_eq!((left, all), (1, 1), "{db}");
            drop(tx);
            store.close().await;
        }
    }
}

#[tokio::test]
async fn migration_resets_ranks_taken_from_other_overdue_days() {
    let folder = tempfile::tempdir().unwrap();
    for (db, url) in testing::urls_on_disk(folder.path()).await {
        let store = Store::connect(&url, false).await.unwrap();
        store.run(&until(&store, 27)).await.unwrap();
        let user = user(&store, "ana").await;
        let [mut own, mut others] = [1, 2].map(|number| dated(TaskNumber(number), "2026-05-01"));
        let rank = |day: &str| {
            let first = Rank::natural(Some(day), Priority::None, 9);
            Rank::between(&first, &first.end_of_day(), 3)
        };
        (own.task.rank, others.task.rank) = (rank("2026-05-01"), rank("2026-05-03"));
        let mut tx = store.write().await.unwrap();
        for task in [&own, &others] {
            tasks::insert(&mut tx, user, task).await.unwrap();
        }
        // As the earlier version did.
        testing::run(&mut tx, "UPDATE tasks SET place = rank").await;
        tx.commit().await.unwrap();
        store.close().await;
        let store = Store::open(&url, false).await.unwrap();
        let mut tx = store.read().await.unwrap();
        assert_eq!(Some(place(&mut tx, user, &own).await), own.task.rank, "{db}");
        let natural = Rank::natural(Some("2026-05-01"), Priority::None, 2);
        assert_eq!(place(&mut tx, user, &others).await, natural, "{db}");
    }
}

#[tokio::test]
async fn tables_are_not_made_anew_around_a_reference_to_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("docket.db");
    let store = Store::connect(&format!("sqlite://{}", file.display()), false).await.unwrap();
    store.run(&until(&store, 12)).await.unwrap();
    let life = Life::of_before(&store, "ana").await;
    let spoiler = rusqlite::Connection::open(&file).unwrap();
    spoiler
        .execute_batch(
            "PRAGMA foreign_keys = OFF;
             INSERT INTO changes SELECT randomblob(16), user_id, 99, operation, actor, turn_id, step, idx, undoes,
                 version_before, version_after, record_seq, at FROM changes",
        )
        .unwrap();
    let rows = dump(&store, life.user).await;
    let refused = store.migrate().await.unwrap_err().to_string();
    assert!(refused.contains("reference IS NULL"), "{refused}");
    assert_eq!(dump(&store, life.user).await, rows);
}

/// Returns the names of copies in a folder, in order.
fn copies(folder: &std::path::Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut copies: Vec<String> = names.filter(|name| name.contains("before-")).collect();
    copies.sort();
    copies
}

#[tokio::test]
async fn a_file_is_copied_before_a_migration_and_otherwise_not() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("docket.db").display());
    let store = Store::connect(&url, false).await.unwrap();
    store.run(&until(&store, 8)).await.unwrap();
    store.close().await;
    let file = folder.path().join("docket.db");
    rusqlite::Connection::open(&file).unwrap().execute("INSERT INTO counters VALUES ('kept', 7)", []).unwrap();
    for _ in 0..2 {
        Store::open(&url, false).await.unwrap().close().await;
    }
    assert_eq!(copies(folder.path()), ["docket.db.before-0008"]);
    let copy = folder.path().join("docket.db.before-0008");
    assert_eq!(backup::versions(&copy).unwrap(), [1, 2, 3, 4, 5, 6, 7]);
    let old = rusqlite::Connection::open(&copy).unwrap();
    let kept: i64 = old.query_row("SELECT count FROM counters WHERE name = 'kept'", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 7);
    let fresh = tempfile::tempdir().unwrap();
    Store::open(&format!("sqlite://{}", fresh.path().join("docket.db").display()), false).await.unwrap();
    assert!(copies(fresh.path()).is_empty(), "nothing was there");
}

#[tokio::test]
async fn older_backup_is_migrated_without_another_backup() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("docket.db");
    let store = Store::connect(&format!("sqlite://{}", file.display()), false).await.unwrap();
    store.run(&until(&store, 8)).await.unwrap();
    store.close().await;
    let draft = backup::Draft::copy(&file, &file).unwrap();
    draft.store().await.unwrap().close().await;
    let newest = sqlx::migrate!("../migrations/sqlite").iter().map(|migration| migration.version).max();
    assert_eq!(backup::versions(draft.path()).unwrap().last().copied(), newest);
    assert!(copies(folder.path()).is_empty(), "{:?}", copies(folder.path()));
}

#[tokio::test]
async fn open_as_is_refuses_an_outdated_database_without_changing_it() {
    let folder = tempfile::tempdir().unwrap();
    for (db, url) in testing::urls_on_disk(folder.path()).await {
        let store = Store::connect(&url, false).await.unwrap();
        let refusal = async || Store::open_as_is(&url, false).await.err().unwrap().to_string();
        let refused = refusal().await;
        assert!(refused.contains("not a Docket database"), "{db}: {refused}");
        store.run(&until(&store, 12)).await.unwrap();
        let before = copies(folder.path());
        let refused = refusal().await;
        assert!(refused.contains("made by an older Docket"), "{db}: {refused}");
        assert_eq!(store.seen().await.unwrap().iter().max(), Some(&11), "{db}");
        assert_eq!(copies(folder.path()), before, "{db}");
        store.migrate().await.unwrap();
        Store::open_as_is(&url, false).await.unwrap();
    }
}

#[tokio::test]
async fn failing_migration_keeps_one_backup_without_overwriting_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("docket.db");
    let url = format!("sqlite://{}", file.display());
    let store = Store::connect(&url, false).await.unwrap();
    store.run(&until(&store, 8)).await.unwrap();
    store.close().await;
    let in_the_way = |sql: &str| rusqlite::Connection::open(&file).unwrap().execute_batch(sql).unwrap();
    in_the_way("CREATE TABLE client_keys (x)");
    for _ in 0..3 {
        assert!(Store::open(&url, false).await.is_err());
    }
    assert_eq!(copies(folder.path()), ["docket.db.before-0008"]);
    in_the_way("DROP TABLE client_keys");
    Store::open(&url, false).await.unwrap();
    assert_eq!(copies(folder.path()), ["docket.db.before-0008", "docket.db.before-0008-2"]);
}

#[tokio::test]
async fn a_bin_from_before_it_was_ever_emptied_can_be() {
    for (db, url) in testing::urls().await {
        let store = Store::connect(&url, false).await.unwrap();
        store.run(&until(&store, 9)).await.unwrap();
        let life = Life::of_before(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let mut binned = stored(life.task);
        (binned.task.version, binned.task.deleted_at) = (2, Some(now()));
        on!(tx, |conn| sqlx::query("UPDATE tasks SET version = 2, deleted_at = $1 WHERE user_id = $2")
            .bind(now())
            .bind(life.user)
            .execute(conn)
            .await
            .map(drop))
        .unwrap();
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
async fn commits_persist_on_disk_and_readers_see_one_snapshot() {
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
