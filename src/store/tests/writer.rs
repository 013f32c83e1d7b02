//! Group commit: no writer returns early, and none waits for a writer that never comes.

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::*;
use crate::store::sequences::Wakeup;

/// Opens a file, since an in-memory database has one connection for everything.
async fn file() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&format!("sqlite://{}/docket.db", folder.path().display()), true).await.unwrap();
    (folder, store)
}

async fn hear(tx: &mut Tx, user: UserId) -> i64 {
    events::append(tx, user, EventKind::TaskChanged, &json!({}), &now()).await.unwrap()
}

async fn heard(store: &Store, user: UserId) -> i64 {
    events::head(&mut store.read().await.unwrap(), user).await.unwrap()
}

/// Returns a pending write, and the commit of the writer before it.
async fn one_behind_another(
    store: &Store,
    user: UserId,
) -> (BoxFuture<'_, Result<Tx, Error>>, BoxFuture<'_, Result<Vec<Wakeup>, Error>>) {
    let mut first = store.write().await.unwrap();
    hear(&mut first, user).await;
    let mut second = store.write().boxed();
    assert!(futures::poll!(&mut second).is_pending(), "it waits for its turn");
    let mut committed = first.commit().boxed();
    assert!(futures::poll!(&mut committed).is_pending());
    (second, committed)
}

/// Awaits the next write while the previous commit is pending.
async fn turn<C>(
    next: impl Future<Output = Result<Tx, Error>>,
    committed: &mut (impl Future<Output = C> + Unpin),
) -> Tx {
    tokio::select! {
        turn = next => turn.unwrap(),
        _ = committed => panic!("a commit was told before it could be on the disk"),
    }
}

#[tokio::test]
async fn one_commit_serves_those_who_wait_behind_it() {
    let (_folder, store) = file().await;
    let ana = user(&store, "ana").await;
    let (second, mut committed) = one_behind_another(&store, ana).await;
    let mut second = turn(second, &mut committed).await;
    assert_eq!(heard(&store, ana).await, 0, "nothing is on the disk yet");
    assert_eq!(hear(&mut second, ana).await, 2, "the second sees what the first wrote");
    second.commit().await.unwrap();
    assert_eq!(committed.await.unwrap(), [Wakeup { user: ana, ended: false }]);
    assert_eq!(heard(&store, ana).await, 2);
}

#[tokio::test]
async fn a_writer_does_not_wait_for_one_who_never_comes() {
    let (_folder, store) = file().await;
    let ana = user(&store, "ana").await;
    let (second, committed) = one_behind_another(&store, ana).await;
    drop(second);
    committed.await.unwrap();
    assert_eq!(heard(&store, ana).await, 1);
}

#[tokio::test]
async fn group_commit_completes_after_all_waiters_are_cancelled() {
    for writer_first in [true, false] {
        let (_folder, store) = file().await;
        let ana = user(&store, "ana").await;
        let (second, committed) = one_behind_another(&store, ana).await;
        if writer_first {
            drop(committed);
            drop(second);
        } else {
            drop(second);
            drop(committed);
        }
        let made = async {
            while heard(&store, ana).await == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), made).await.expect("it is made");
    }
}

#[tokio::test]
async fn aborted_writer_rolls_back_only_its_own_changes() {
    let (_folder, store) = file().await;
    let (ana, ben) = (user(&store, "ana").await, user(&store, "ben").await);
    let (second, mut committed) = one_behind_another(&store, ana).await;
    let mut second = turn(second, &mut committed).await;
    assert_eq!((hear(&mut second, ana).await, hear(&mut second, ben).await), (2, 1));
    let third = store.write().boxed();
    futures::pin_mut!(third);
    assert!(futures::poll!(&mut third).is_pending(), "it waits for its turn");
    drop(second);
    let mut third = turn(third, &mut committed).await;
    assert_eq!(hear(&mut third, ana).await, 2, "after the first, as if the second had never been");
    third.commit().await.unwrap();
    assert_eq!(committed.await.unwrap(), [Wakeup { user: ana, ended: false }]);
    assert_eq!((heard(&store, ana).await, heard(&store, ben).await), (2, 0));
    let told = events::after(&mut store.read().await.unwrap(), ana, 0, 9).await.unwrap();
    assert_eq!(told.iter().map(|event| event.seq).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test]
async fn lost_group_commit_fails_every_writer_and_keeps_nothing() {
    let (_folder, store) = file().await;
    let ana = user(&store, "ana").await;
    let (second, mut committed) = one_behind_another(&store, ana).await;
    let mut second = turn(second, &mut committed).await;
    // SQLite does this by itself on a full disk.
    on!(second, |conn| sqlx::query("ROLLBACK").execute(conn).await.map(drop)).unwrap();
    assert!(second.commit().await.is_err());
    assert!(committed.await.is_err());
    assert_eq!(heard(&store, ana).await, 0);
    let mut third = store.write().await.unwrap();
    assert_eq!(hear(&mut third, ana).await, 1, "the connection is as good as new");
    third.commit().await.unwrap();
}

/// Limits the pages of the database file. SQLite refuses a further one as on a full disk.
async fn limit(tx: &mut Tx, pages: u32) {
    testing::attempt(tx, &format!("PRAGMA max_page_count = {pages}")).await.unwrap();
}

#[tokio::test]
async fn full_disk_is_reported_to_writers_and_later_writes_succeed() {
    let (_folder, store) = file().await;
    let ana = user(&store, "ana").await;
    let (second, mut committed) = one_behind_another(&store, ana).await;
    let mut second = turn(second, &mut committed).await;
    // SQLite raises a limit below the present size to that size.
    limit(&mut second, 1).await;
    let much = json!("x".repeat(100_000));
    let full = events::append(&mut second, ana, EventKind::TaskChanged, &much, &now()).await.unwrap_err();
    assert!(format!("{full:?}").contains("full"), "{full:?}");
    drop(second);
    let kept = i64::from(committed.await.is_ok());
    assert_eq!(heard(&store, ana).await, kept);
    let mut third = store.write().await.unwrap();
    limit(&mut third, u32::MAX - 1).await;
    assert_eq!(events::append(&mut third, ana, EventKind::TaskChanged, &much, &now()).await.unwrap(), kept + 1);
    third.commit().await.unwrap();
    assert_eq!(heard(&store, ana).await, kept + 1);
}
