//! A cancelled `BEGIN` leaves no open transaction on its connection.

use std::task::Poll;

use futures::FutureExt as _;

use super::*;

/// Numbers of polls after which the future is dropped.
const MOMENTS: std::ops::Range<u32> = 1..9;
/// Enough rounds to reuse every connection of the pool.
const ROUNDS: usize = 8;

/// Polls a future `times` times, then drops it.
async fn give_up_after(times: u32, mut future: impl Future + Unpin) {
    let mut left = times;
    std::future::poll_fn(|cx| {
        left -= 1;
        let done = future.poll_unpin(cx).is_ready() || left == 0;
        if done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

#[tokio::test]
async fn cancelled_begin_leaves_no_open_transaction() {
    for (name, store) in testing::stores().await {
        let user = user(&store, "ada").await;
        for times in MOMENTS.cycle().take(ROUNDS * MOMENTS.len()) {
            give_up_after(times, store.read().boxed()).await;
            // On a leaked transaction this would be a second BEGIN within a read-only one.
            let mut tx = store.write().await.unwrap();
            let heard = events::append(&mut tx, user, EventKind::TaskChanged, &json!({}), &now()).await;
            assert!(heard.is_ok(), "{name}: {heard:?} after {times}");
            tx.commit().await.unwrap();
        }
    }
}
