//! Tests of linking and unlinking chats, and of messages sent there.

use futures::FutureExt as _;

use super::*;
use crate::domain::channel::{Card, ChatId};
use crate::store::outbox::{self, CardRow, NewCard};
use crate::usecases::accounts::{self, Manager};
use crate::usecases::telegram::{self, CodeOutcome, RelinkAnswer};
use crate::workflow::telegram::UNLINKED;
use crate::workflow::{disable_account, telegram_messages};

/// Links the chat with the caller's account by a code; confirms if another account has the chat.
pub async fn link(world: &World, caller: &Caller, chat: ChatId) {
    let ctx = &world.state.ctx;
    let made = telegram::code(ctx, caller).await.unwrap();
    let mut tx = ctx.write().await.unwrap();
    let outcome = telegram::link(ctx, &mut tx, &made.code, chat, "@her").await.unwrap().unwrap();
    ctx.commit(tx).await.unwrap();
    if let CodeOutcome::Asks { relink, .. } = outcome {
        let mut tx = ctx.write().await.unwrap();
        let answer = telegram::answer_relink(ctx, &mut tx, relink, chat, Verdict::Approve).await.unwrap();
        assert!(matches!(answer, RelinkAnswer::Moved(_)), "{answer:?}");
        ctx.commit(tx).await.unwrap();
    }
}

#[tokio::test]
async fn link_code_expires_after_ten_minutes_or_on_replacement() {
    for world in worlds().await {
        let ctx = &world.state.ctx;
        let links = async |code: &str| {
            let mut tx = ctx.write().await.unwrap();
            telegram::link(ctx, &mut tx, code, ChatId(1), "@her").await.unwrap().is_some()
        };
        let code = async || telegram::code(ctx, &world.caller).await.unwrap().code;
        let late = code().await;
        ctx.clock.advance(599);
        assert!(links(&late).await, "what is not committed uses nothing up");
        ctx.clock.advance(1);
        assert!(!links(&late).await);
        let (first, second) = (code().await, code().await);
        assert_eq!((links(&first).await, links(&second).await), (false, true));
    }
}

/// Sends a message in the chat and runs its turn.
async fn say_in(world: &World, chat: ChatId) -> Result<(), Error> {
    let incoming = IncomingMessage { text: "add milk".into(), conversation: None, client_key: None };
    let way = Source { chat: Some(chat), ..Source::default() };
    inbox::accept_in_chat(&world.state, &world.caller, incoming, way).await?;
    worker::settle(&world.state).await.unwrap();
    Ok(())
}

/// Queues a notice for the caller and claims the first queued card.
async fn claimed(world: &World, text: Option<&str>) -> CardRow {
    let (ctx, card) = (&world.state.ctx, text.map(|text| Card::Said { text: text.into() }));
    let mut tx = ctx.write().await.unwrap();
    if let Some(card) = &card {
        let new = NewCard { chat: ChatId(1), card, key: None };
        outbox::insert(&mut tx, world.caller.id(), &new, &ctx.now()).await.unwrap().unwrap();
    }
    let held = outbox::claim(&mut tx, 60_000, 9).await.unwrap().remove(0);
    ctx.commit(tx).await.unwrap();
    held
}

#[tokio::test]
async fn claimed_delivery_is_not_sent_to_an_unlinked_chat() {
    for world in worlds().await {
        let ctx = world.state.ctx.clone();
        link(&world, &world.caller, ChatId(1)).await;
        say_in(&world, ChatId(1)).await.unwrap();
        let held = claimed(&world, None).await;
        let note = telegram_messages::note(&world.state, &held).await.unwrap().unwrap();
        assert!(note.text.starts_with("Created task: milk"), "{note:?}");

        telegram::part(&ctx, &world.caller).await.unwrap();
        assert_eq!(telegram_messages::note(&world.state, &held).await.unwrap(), None);
        assert!(!outbox::holds(&mut ctx.read().await.unwrap(), &held).await.unwrap());
        let farewell = claimed(&world, Some(UNLINKED)).await;
        assert!(telegram_messages::note(&world.state, &farewell).await.unwrap().is_some(), "but that it was parted");
        let mut tx = ctx.write().await.unwrap();
        outbox::settle(&mut tx, &farewell).await.unwrap();
        ctx.commit(tx).await.unwrap();
        let late = claimed(&world, Some("Undone.")).await;
        assert_eq!(telegram_messages::note(&world.state, &late).await.unwrap(), None);

        link(&world, &world.caller, ChatId(2)).await;
        assert_eq!(telegram_messages::note(&world.state, &held).await.unwrap(), None, "it was for another chat");
    }
}

#[tokio::test]
async fn message_from_a_chat_no_longer_linked_is_refused() {
    for world in worlds().await {
        link(&world, &world.caller, ChatId(1)).await;
        link(&world, &world.caller, ChatId(2)).await;
        let refused = say_in(&world, ChatId(1)).await;
        assert!(matches!(refused, Err(Error::Forbidden(_))), "{refused:?}");
        assert!(!world.has(TaskNumber(1)).await);
        say_in(&world, ChatId(2)).await.unwrap();
        assert!(world.has(TaskNumber(1)).await);
        telegram::part(&world.state.ctx, &world.caller).await.unwrap();
        assert!(matches!(say_in(&world, ChatId(2)).await, Err(Error::Forbidden(_))));
    }
}

#[tokio::test]
async fn a_disabled_account_loses_its_chat_and_its_code() {
    for world in worlds().await {
        let ctx = world.state.ctx.clone();
        link(&world, &world.caller, ChatId(1)).await;
        let made = telegram::code(&ctx, &world.caller).await.unwrap();
        say_in(&world, ChatId(1)).await.unwrap();
        let held = claimed(&world, None).await;
        let mut senders = ctx.live.listen_for_cards();
        disable_account::disable(&world.state, &Manager::CommandLine, "ada").await.unwrap();
        assert_eq!(senders.woken().now_or_never(), Some(true), "senders are woken");
        assert!(!outbox::holds(&mut ctx.read().await.unwrap(), &held).await.unwrap());

        // Enabling the account restores neither.
        accounts::enable(&ctx, &Manager::CommandLine, "ada").await.unwrap();
        assert!(telegram::caller_of_chat(&ctx, ChatId(1)).await.unwrap().is_none());
        let mut tx = ctx.write().await.unwrap();
        assert!(telegram::link(&ctx, &mut tx, &made.code, ChatId(1), "@her").await.unwrap().is_none());
        drop(tx);
        let bodies = store::testing::bodies(&mut ctx.read().await.unwrap(), world.caller.id()).await;
        let parted = bodies.iter().filter(|(_, body)| body.contains("telegram_unlinked")).collect::<Vec<_>>();
        assert!(matches!(&parted[..], [(_, body)] if body.contains("command line")), "{parted:?}");
    }
}

#[tokio::test]
async fn concurrent_takeovers_of_each_others_chats_do_not_deadlock() {
    for world in worlds().await {
        let (ada, ben) = (world.caller.clone(), person(&world.state.ctx, "ben").await);
        for round in 0..20 {
            let (hers, his) = if round % 2 == 0 { (1, 2) } else { (2, 1) };
            tokio::join!(link(&world, &ada, ChatId(hers)), link(&world, &ben, ChatId(his)));
            let mut tx = world.state.ctx.read().await.unwrap();
            for (caller, chat) in [(&ada, hers), (&ben, his)] {
                let link = store::telegram::of_user(&mut tx, caller.id()).await.unwrap();
                assert_eq!(link.map(|link| link.chat), Some(ChatId(chat)), "round {round}");
            }
        }
    }
}
