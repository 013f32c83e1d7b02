//! Claims and scheduling of outbox entries.

use super::*;
use crate::domain::channel::{Card, ChatId};
use crate::domain::id::CardId;
use crate::store::outbox::NewCard;

const LEASE_MS: i64 = 60_000;

/// Adds an entry to the user's queue.
async fn card(tx: &mut Tx, user: UserId) -> CardId {
    let said = Card::Said { text: "hello".into() };
    outbox::insert(tx, user, &NewCard { chat: ChatId(1), card: &said, key: None }, &now()).await.unwrap().unwrap()
}

/// Claims due entries and returns their ids.
async fn claimed(tx: &mut Tx) -> Vec<CardId> {
    outbox::claim(tx, LEASE_MS, 9).await.unwrap().into_iter().map(|held| held.id).collect()
}

#[tokio::test]
async fn a_sender_loses_what_is_stopped() {
    for (db, store) in testing::stores().await {
        let ana = user(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let tx = &mut tx;
        card(tx, ana).await;
        let mut held = outbox::claim(tx, LEASE_MS, 9).await.unwrap().remove(0);
        assert!(outbox::holds(tx, &held).await.unwrap(), "{db}");
        outbox::stop(tx, ana).await.unwrap();
        assert!(!outbox::holds(tx, &held).await.unwrap(), "{db}");
        assert!(!outbox::keep_messages(tx, &mut held, LEASE_MS).await.unwrap(), "{db}");
        outbox::put_off(tx, &held, 0, true).await.unwrap();
        assert_eq!(claimed(tx).await, [], "{db}: nor is it tried again");
    }
}

#[tokio::test]
async fn a_card_that_cannot_be_read_keeps_no_other_waiting() {
    for (db, store) in testing::stores().await {
        let (ana, ben) = (user(&store, "ana").await, user(&store, "ben").await);
        let mut tx = store.write().await.unwrap();
        let tx = &mut tx;
        let (spoilt, next, his) = (card(tx, ana).await, card(tx, ana).await, card(tx, ben).await);
        on!(tx, |conn| sqlx::query("UPDATE outbox SET card = '{}' WHERE id = $1")
            .bind(spoilt)
            .execute(conn)
            .await
            .map(drop))
        .unwrap();
        assert_eq!(claimed(tx).await, [his], "{db}: of each person the first");
        assert_eq!(claimed(tx).await, [next], "{db}: the spoilt one waits no more");
        assert_eq!(claimed(tx).await, [], "{db}");
    }
}

#[tokio::test]
async fn outbox_sweep_removes_old_deliveries_but_keeps_pending_ones() {
    for (db, store) in testing::stores().await {
        let ana = user(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let tx = &mut tx;
        let sent = card(tx, ana).await;
        let held = outbox::claim(tx, LEASE_MS, 9).await.unwrap().remove(0);
        outbox::settle(tx, &held).await.unwrap();
        let waiting = card(tx, ana).await;
        let before = now().plus_seconds(-1);
        assert!(!outbox::any_over(tx, &before).await.unwrap(), "{db}");
        assert_eq!(outbox::sweep(tx, &before).await.unwrap(), 0, "{db}");
        assert!(outbox::any_over(tx, &now()).await.unwrap(), "{db}");
        assert_eq!(outbox::sweep(tx, &now()).await.unwrap(), 1, "{db}");
        assert!(outbox::get(tx, ana, sent).await.unwrap().is_none(), "{db}");
        assert!(outbox::get(tx, ana, waiting).await.unwrap().is_some(), "{db}");
    }
}

#[tokio::test]
async fn reminder_completed_during_delivery_is_sent_again_as_update() {
    for (db, store) in testing::stores().await {
        let ana = Life::of(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let tx = &mut tx;
        let reminder = Card::Reminder { task: ana.task };
        let new = NewCard { chat: ChatId(1), card: &reminder, key: None };
        let id = outbox::insert(tx, ana.user, &new, &now()).await.unwrap().unwrap();
        let next = async |tx: &mut Tx| outbox::claim_of(tx, ana.user, LEASE_MS).await.unwrap();
        let mut held = next(tx).await.unwrap();
        let mut done = stored(ana.task);
        (done.task.version, done.task.status, done.task.completed_at) = (2, Status::Completed, Some(now()));
        assert!(tasks::update(tx, ana.user, &done).await.unwrap(), "{db}");
        held.messages.push(7);
        assert!(outbox::keep_messages(tx, &mut held, LEASE_MS).await.unwrap(), "{db}");
        outbox::settle(tx, &held).await.unwrap();
        let again = next(tx).await.unwrap();
        assert_eq!((again.id, again.messages.as_slice()), (id, [7].as_slice()), "{db}: in its message");
        outbox::settle(tx, &again).await.unwrap();
        assert_eq!(next(tx).await, None, "{db}");
    }
}

#[tokio::test]
async fn message_found_during_delivery_is_kept() {
    for (db, store) in testing::stores().await {
        let ana = user(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let tx = &mut tx;
        let id = card(tx, ana).await;
        let next = async |tx: &mut Tx| outbox::claim_of(tx, ana, LEASE_MS).await.unwrap().unwrap();
        let found = async |tx: &mut Tx, message: i64| {
            outbox::add_message(tx, ana, id, message).await.unwrap();
            outbox::refresh(tx, ana, id).await.unwrap();
        };
        let mut held = next(tx).await;
        found(tx, 5).await;
        held.messages.push(8);
        outbox::settle(tx, &held).await.unwrap();
        let mut held = next(tx).await;
        assert_eq!(held.messages, [5, 8], "{db}: what was found, and what was sent");

        found(tx, 5).await;
        found(tx, 6).await;
        // The second message was deleted and is sent again.
        held.messages[1] = 9;
        assert!(outbox::keep_messages(tx, &mut held, LEASE_MS).await.unwrap(), "{db}");
        found(tx, 7).await;
        outbox::settle(tx, &held).await.unwrap();
        let mut held = next(tx).await;
        assert_eq!(held.messages, [5, 6, 7, 9], "{db}");

        // A message that was sent, deleted and sent again within this claim.
        outbox::refresh(tx, ana, id).await.unwrap();
        held.messages.push(11);
        assert!(outbox::keep_messages(tx, &mut held, LEASE_MS).await.unwrap(), "{db}");
        held.messages[4] = 12;
        outbox::settle(tx, &held).await.unwrap();
        assert_eq!(next(tx).await.messages, [5, 6, 7, 9, 12], "{db}");
    }
}

/// Changes an entry as if the clock had been a day ahead.
async fn written_ahead(tx: &mut Tx, card: CardId) -> CardId {
    // The first 48 bits of an id are milliseconds.
    let ahead = CardId(uuid::Uuid::from_u128(card.0.as_u128() + (86_400_000 << 80)));
    on!(tx, |conn| sqlx::query(
        "UPDATE outbox SET id = $2, ready_at = ready_at + 86400000, lease_until = lease_until + 86400000 WHERE id = $1"
    )
    .bind(card)
    .bind(ahead)
    .execute(conn)
    .await
    .map(drop))
    .unwrap();
    ahead
}

#[tokio::test]
async fn outbox_order_survives_a_clock_set_back() {
    for (db, store) in testing::stores().await {
        let ana = user(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let tx = &mut tx;
        let first = card(tx, ana).await;
        let first = written_ahead(tx, first).await;
        let second = card(tx, ana).await;
        let third = card(tx, ana).await;
        assert!(first < second && second < third, "{db}");
        assert!(outbox::any_ready(tx).await.unwrap(), "{db}");
        for next in [first, second, third] {
            let held = outbox::claim(tx, LEASE_MS, 9).await.unwrap();
            assert_eq!(held.iter().map(|held| held.id).collect::<Vec<_>>(), [next], "{db}");
            outbox::settle(tx, &held[0]).await.unwrap();
        }
    }
}

#[tokio::test]
async fn card_whose_lease_ends_a_day_ahead_is_taken_over() {
    for (db, store) in testing::stores().await {
        let ana = user(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let tx = &mut tx;
        let first = card(tx, ana).await;
        let second = card(tx, ana).await;
        assert_eq!(claimed(tx).await, [first], "{db}");
        assert_eq!(claimed(tx).await, [], "{db}: it is held");
        let ahead = "UPDATE outbox SET lease_until = lease_until + 86400000 WHERE lease_until IS NOT NULL";
        testing::run(tx, ahead).await;
        let held = outbox::claim_of(tx, ana, LEASE_MS).await.unwrap().expect("its sender may be gone");
        assert_eq!(held.id, first, "{db}");
        outbox::settle(tx, &held).await.unwrap();
        assert_eq!(claimed(tx).await, [second], "{db}");
    }
}

#[tokio::test]
async fn card_is_put_off_no_longer_than_the_longest_wait() {
    for (db, store) in testing::stores().await {
        let ana = user(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let tx = &mut tx;
        card(tx, ana).await;
        let held = outbox::claim(tx, LEASE_MS, 9).await.unwrap().remove(0);
        outbox::put_off(tx, &held, 86_400_000, false).await.unwrap();
        assert_eq!(claimed(tx).await, [], "{db}: it is put off");
        testing::run(tx, "UPDATE outbox SET ready_at = ready_at - 600000").await;
        assert_eq!(claimed(tx).await, [held.id], "{db}");
    }
}
