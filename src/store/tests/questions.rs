//! Rows for consent in a chat, from now and from before version 39.

use super::migrations::until;
use super::*;
use crate::domain::channel::{Card, ChatId};
use crate::domain::turn::SenderView;

const CHAT: ChatId = ChatId(7);

/// Creates a turn with an outbox entry and an approval.
async fn asking(tx: &mut Tx, life: &Life) -> TurnId {
    let (conversation, user) = (life.conversation, life.user);
    let cause = Cause::Message;
    let new = turns::NewTurn { conversation, cause, approval: None, client_key: None, lease_ms: None, starter: None };
    let turn = turns::insert(tx, user, &new, &now()).await.unwrap().id;
    ask_in(tx, life, turn).await;
    turn
}

/// Creates such a turn as before version 40, with its approval.
async fn asking_before(tx: &mut Tx, life: &Life) -> (TurnId, ApprovalId) {
    let turn = turn_before(tx, life.user, life.conversation, None).await;
    (turn, ask_in(tx, life, turn).await)
}

async fn ask_in(tx: &mut Tx, life: &Life, turn: TurnId) -> ApprovalId {
    let at = now();
    let card = Card::Turn { turn };
    let new = outbox::NewCard { chat: CHAT, card: &card, key: None };
    outbox::insert(tx, life.user, &new, &at).await.unwrap().unwrap();
    let new = approvals::NewApproval {
        conversation: life.conversation,
        turn,
        step: 0,
        expires_at: &at.plus_seconds(60),
        agent: None,
    };
    approvals::insert(tx, life.user, &new, &at).await.unwrap()
}

/// Marks a turn's outbox entry as sent by an earlier version.
async fn sent_before(tx: &mut Tx, turn: TurnId) {
    on!(tx, |conn| sqlx::query("UPDATE outbox SET ready_at = NULL, messages = '[5]' WHERE turn_id = $1")
        .bind(turn)
        .execute(conn)
        .await
        .map(drop))
    .unwrap();
}

#[tokio::test]
async fn migrated_reply_refers_only_to_the_approval_of_its_turn() {
    let folder = tempfile::tempdir().unwrap();
    for (db, url) in testing::urls_on_disk(folder.path()).await {
        let store = Store::connect(&url, false).await.unwrap();
        store.run(&until(&store, 39)).await.unwrap();
        let life = Life::of_version(&store, "ana", 38).await;
        let mut tx = store.write().await.unwrap();
        // The second decision refers to the first turn's approval, as an old model reply could.
        let (first, approval) = asking_before(&mut tx, &life).await;
        let (second, _) = asking_before(&mut tx, &life).await;
        for turn in [first, second] {
            let row = decisions::DecisionRow { asked_approval: Some(approval), ..decision(turn, "Sure?") };
            decide_before(&mut tx, life.user, &row).await;
        }
        sent_before(&mut tx, first).await;
        tx.commit().await.unwrap();
        store.close().await;

        let store = Store::open(&url, false).await.unwrap();
        let mut tx = store.write().await.unwrap();
        let mut last = async |turn: TurnId| {
            let turn = turns::get(&mut tx, life.user, turn).await.unwrap().expect("the turn");
            let found = consent::last_reply(&mut tx, life.user, life.conversation, turn.ordinal + 1).await.unwrap();
            let found = found.expect("a reply");
            (found.turn, found.question_of, found.about, found.told_seq)
        };
        assert_eq!(last(first).await, (first, Some(approval), Some(approval), 1), "{db}");
        assert_eq!(last(second).await, (second, None, Some(approval), 1), "{db}");
        let view = consent::view(&mut tx, life.user, life.turn).await.unwrap();
        assert_eq!(view, SenderView::default(), "{db}: nobody knows what was seen");

        // The second turn's entry was never sent; the first one's includes all known events.
        let mut delivery = async || {
            let (_, card) = consent::delivery(&mut tx, life.user, life.conversation, CHAT).await.unwrap();
            card.expect("the last turn has a card").seq
        };
        assert_eq!(delivery().await, 0, "{db}");
        let sql = "DELETE FROM outbox WHERE turn_id = $1";
        on!(tx, |conn| sqlx::query(sql).bind(second).execute(conn).await.map(drop)).unwrap();
        on!(tx, |conn| sqlx::query("UPDATE turns SET ordinal = 99 WHERE id = $1")
            .bind(first)
            .execute(conn)
            .await
            .map(drop))
        .unwrap();
        let (_, card) = consent::delivery(&mut tx, life.user, life.conversation, CHAT).await.unwrap();
        assert_eq!(card.map(|card| card.seq), Some(1), "{db}");
    }
}

#[tokio::test]
async fn delivery_covers_events_up_to_its_claim_once_sent() {
    for (db, store) in testing::stores().await {
        let life = Life::of(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        telegram::link(&mut tx, life.user, CHAT, "@ana", &now(), None).await.unwrap();
        asking(&mut tx, &life).await;
        tx.commit().await.unwrap();
        let shown = async || {
            let mut tx = store.read().await.unwrap();
            consent::delivery(&mut tx, life.user, life.conversation, CHAT).await.unwrap().1.unwrap()
        };
        let mut tx = store.write().await.unwrap();
        let mut held = outbox::claim_of(&mut tx, life.user, 60_000).await.unwrap().expect("a card");
        let head = events::head(&mut tx, life.user).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!((held.head, shown().await.seq, shown().await.sending), (head, 0, true), "{db}");
        // Events during the delivery are not included in it.
        let mut tx = store.write().await.unwrap();
        events::append(&mut tx, life.user, EventKind::TaskChanged, &json!({}), &now()).await.unwrap();
        (held.messages, held.shown_at, held.delivered_ms) = (vec![5], 1_770_000_000, 7);
        outbox::settle(&mut tx, &held).await.unwrap();
        tx.commit().await.unwrap();
        let now = shown().await;
        assert_eq!((now.seq, now.at, now.ended_ms, now.sending), (head, 1_770_000_000, 7, false), "{db}");
    }
}

#[tokio::test]
async fn conversation_options_include_those_of_all_replies() {
    for (db, store) in testing::stores().await {
        let life = Life::of(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        for options in [vec![], vec!["show \"options\":[] and more".to_owned(), "no".into()], vec!["yes".into()]] {
            let turn = asking(&mut tx, &life).await;
            let row = decisions::DecisionRow { options, ..decision(turn, "\"options\":[]") };
            decisions::insert(&mut tx, life.user, &row).await.unwrap();
        }
        let mut found = consent::options(&mut tx, life.user, life.conversation).await.unwrap();
        found.sort();
        assert_eq!(found, ["no", "show \"options\":[] and more", "yes"], "{db}");
    }
}
