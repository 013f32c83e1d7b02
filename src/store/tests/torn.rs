//! A truncated or damaged write-ahead log, as after a power cut: recovery yields a prefix of the commits.

use std::path::Path;

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use sqlx::Connection as _;

use super::*;

/// Number of damaged copies.
const COPIES: u64 = 500;
/// Number of tasks, each added in its own transaction; the first `SETTLED` are in the database file.
const TASKS: i64 = 40;
const SETTLED: i64 = 5;

/// Adds a task with all its rows.
async fn add(store: &Store, user: UserId) {
    let mut tx = store.write().await.unwrap();
    let number = tasks::next_number(&mut tx, user).await.unwrap();
    let stored = stored(number);
    tasks::insert(&mut tx, user, &stored).await.unwrap();
    let change = Change {
        change_id: ChangeId::new(),
        task_id: number,
        operation: Operation::Add,
        actor: Actor::User,
        agent: None,
        program: None,
        by: None,
        invocation_id: None,
        undoes: None,
        before: None,
        after: stored.task,
        at: now(),
    };
    let entry =
        changes::Entry { change, zone_before: None, zone_after: None, brought: vec![], put_off: None, action: None };
    changes::insert(&mut tx, user, &entry).await.unwrap();
    events::append(&mut tx, user, EventKind::TaskChanged, &json!({}), &now()).await.unwrap();
    tx.commit().await.unwrap();
}

fn url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

/// Truncates the log at a random offset, or corrupts some bytes.
fn damage(log: &[u8], copy: u64) -> Vec<u8> {
    let mut chance = StdRng::seed_from_u64(copy);
    let mut log = log.to_vec();
    if copy.is_multiple_of(2) {
        log.truncate(chance.random_range(0..log.len()));
    } else {
        for _ in 0..chance.random_range(1..4) {
            let at = chance.random_range(0..log.len());
            log[at] ^= chance.random_range(1..=255_u8);
        }
    }
    log
}

#[tokio::test]
async fn damaged_wal_yields_a_consistent_prefix_or_a_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (folder.path().join("docket.db"), folder.path().join("copy.db"));
    let store = Store::open(&url(&file), false).await.unwrap();
    let ana = user(&store, "ana").await;
    for _ in 0..SETTLED {
        add(&store, ana).await;
    }
    let mut beside = sqlx::SqliteConnection::connect(&url(&file)).await.unwrap();
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut beside).await.unwrap();
    for _ in SETTLED..TASKS {
        add(&store, ana).await;
    }
    let (settled, log) = (std::fs::read(&file).unwrap(), std::fs::read(folder.path().join("docket.db-wal")).unwrap());
    let (mut refused, mut lengths) = (0, std::collections::BTreeSet::new());
    for number in 0..COPIES {
        std::fs::write(&copy, &settled).unwrap();
        std::fs::write(folder.path().join("copy.db-wal"), damage(&log, number)).unwrap();
        std::fs::remove_file(folder.path().join("copy.db-shm")).ok();
        let Ok(opened) = Store::open(&url(&copy), false).await else {
            refused += 1;
            continue;
        };
        let mut tx = opened.read().await.unwrap();
        assert_eq!(testing::broken(&mut tx).await, Vec::<&str>::new(), "copy {number}");
        let sql = "SELECT number FROM tasks WHERE user_id = $1 ORDER BY number";
        let found: Vec<i64> = on!(tx, |conn| sqlx::query_scalar(sql).bind(ana).fetch_all(conn).await).unwrap();
        let length = i64::try_from(found.len()).unwrap();
        assert_eq!(found, (1..=length).collect::<Vec<_>>(), "copy {number}");
        let sound: String = on!(tx, |conn| sqlx::query_scalar("PRAGMA integrity_check").fetch_one(conn).await).unwrap();
        assert_eq!(sound, "ok", "copy {number}");
        assert!((SETTLED..=TASKS).contains(&length), "copy {number}: {length}");
        lengths.insert(length);
        drop(tx);
        opened.close().await;
    }
    assert!(refused < COPIES / 10 && lengths.len() > 20, "{refused} refused, prefixes of {lengths:?}");
    store.close().await;
}
