//! A user's outbox entries are sent in order, by any sender.

use super::*;
use crate::domain::channel::{Card, ChatId};
use crate::domain::id::CardId;
use crate::store::outbox::NewCard;

const LEASE_MS: i64 = 60_000;

async fn card(tx: &mut Tx, user: UserId) -> CardId {
    let said = Card::Said { text: "hello".into() };
    outbox::insert(tx, user, &NewCard { chat: ChatId(1), card: &said, key: None }, &now()).await.unwrap().unwrap()
}

#[tokio::test]
async fn outbox_lane_continues_with_the_next_card_of_its_user() {
    for (db, store) in testing::stores().await {
        let (ana, ben) = (user(&store, "ana").await, user(&store, "ben").await);
        let mut tx = store.write().await.unwrap();
        let tx = &mut tx;
        let [first, second, third] = [card(tx, ana).await, card(tx, ana).await, card(tx, ana).await];
        let his = card(tx, ben).await;
        let next = async |tx: &mut Tx| outbox::claim_of(tx, ana, LEASE_MS).await.unwrap();
        let mut held = next(tx).await.unwrap();
        assert_eq!((held.id, held.fence), (first, 1), "{db}");
        assert_eq!(next(tx).await, None, "{db}: the first is not sent yet");
        held.messages.push(7);
        outbox::settle(tx, &held).await.unwrap();
        let held = next(tx).await.unwrap();
        assert_eq!(held.id, second, "{db}");
        outbox::put_off(tx, &held, 60_000, true).await.unwrap();
        assert_eq!(next(tx).await, None, "{db}: what failed keeps its place before the third");
        let claimed = outbox::claim(tx, LEASE_MS, 9).await.unwrap();
        assert_eq!(claimed.iter().map(|held| held.id).collect::<Vec<_>>(), [his], "{db}");
        outbox::put_off(tx, &held, 0, false).await.unwrap();
        let mut again = next(tx).await.unwrap();
        assert_eq!((again.id, again.fence, again.failures), (second, 2, 1), "{db}");
        again.messages.push(8);
        outbox::settle(tx, &again).await.unwrap();
        assert_eq!(next(tx).await.unwrap().id, third, "{db}");
    }
}
