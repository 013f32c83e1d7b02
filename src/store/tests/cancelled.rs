//! Whoever goes away while a transaction begins leaves nothing of it to the next on the same connection.

use std::task::Poll;

use futures::FutureExt as _;

use super::*;

/// The moments of a beginning at which it is given up: how often it went on before.
const MOMENTS: std::ops::Range<u32> = 1..9;
/// Enough for every connection of a pool to be lent again.
const ROUNDS: usize = 8;

/// Lets a future go on so often, and drops it.
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
async fn one_who_is_cancelled_while_beginning_leaves_no_connection_within_a_transaction() {
    for (name, store) in testing::stores().await {
        let user = user(&store, "ada").await;
        for times in MOMENTS.cycle().take(ROUNDS * MOMENTS.len()) {
            give_up_after(times, store.read().boxed()).await;
            // On the connection of the one before this would be a second BEGIN, within a transaction that only reads.
            let mut tx = store.write().await.unwrap();
            let heard = events::append(&mut tx, user, EventKind::TaskChanged, &json!({}), &now()).await;
            assert!(heard.is_ok(), "{name}: {heard:?} after {times}");
            tx.commit().await.unwrap();
        }
    }
}
