//! Tests of relinking: a code of one account in another's chat needs confirmation there.

use futures::future::join_all;

use super::*;
use crate::channels::telegram::{Telegram, Text, Update, What};
use crate::domain::channel::{ChatId, Note, Press};
use crate::domain::id::UserId;
use crate::domain::live::EventKind;
use crate::domain::user::Scope;
use crate::store::outbox::{self, CardRow};
use crate::usecases::accounts::{self, AlsoEnd, Manager};
use crate::usecases::telegram as chats;
use crate::workflow::{disable_account, telegram, telegram_messages};

const CHAT: ChatId = ChatId(77);

/// Returns a server with a chat linked to ada, and ben, who requests it.
async fn contested() -> Vec<(World, Caller)> {
    let mut all = vec![];
    for mut world in worlds().await {
        world.state.telegram = Some(Arc::new(Telegram::new("http://127.0.0.1:1", "123456:x")));
        let ben = person(&world.state.ctx, "ben").await;
        write(&world, 1, &start(&world, &world.caller).await).await;
        assert_eq!(owner(&world).await, Some(world.caller.id()));
        sent(&world, &world.caller).await;
        all.push((world, ben));
    }
    all
}

/// Returns the command with a new code of the caller.
async fn start(world: &World, caller: &Caller) -> String {
    format!("/start {}", chats::code(&world.state.ctx, caller).await.unwrap().code)
}

async fn tell(world: &World, id: u32, chat: ChatId, what: What) -> Result<(), Error> {
    telegram::receive(&world.state, Update { id, chat, name: "@her".into(), date: 0, what }).await
}

async fn write(world: &World, id: u32, text: &str) {
    tell(world, id, CHAT, What::Text(Text::own(text))).await.unwrap();
}

async fn press(world: &World, id: u32, press: Press) {
    let what = What::Press { press: Some(press), message: 9, answer_to: "q".into() };
    tell(world, id, CHAT, what).await.unwrap();
}

/// Returns the account linked with the chat.
async fn owner(world: &World) -> Option<UserId> {
    store::telegram::user_of(&mut world.state.ctx.read().await.unwrap(), CHAT).await.unwrap()
}

/// Sends the caller's queued cards; returns their contents, without empty ones.
async fn sent(world: &World, caller: &Caller) -> Vec<Note> {
    let (ctx, mut all) = (&world.state.ctx, vec![]);
    loop {
        let mut tx = ctx.write().await.unwrap();
        let Some(mut held) = outbox::claim_of(&mut tx, caller.id(), 60_000).await.unwrap() else { return all };
        ctx.commit(tx).await.unwrap();
        let note = telegram_messages::note(&world.state, &held).await.unwrap();
        if note.is_some() && held.messages.is_empty() {
            held.messages.push(9);
        }
        settle(world, &held).await;
        all.extend(note);
    }
}

async fn settle(world: &World, held: &CardRow) {
    let mut tx = world.state.ctx.write().await.unwrap();
    outbox::settle(&mut tx, held).await.unwrap();
    world.state.ctx.commit(tx).await.unwrap();
}

/// Returns the yes and the no of the only confirmation among these notes.
#[track_caller]
fn buttons(notes: &[Note]) -> (Press, Press) {
    let [Note { text, buttons, .. }] = notes else { panic!("one question: {notes:?}") };
    assert!(text.contains("**ada**") && text.contains("**ben**") && text.contains('?'), "{text}");
    let [yes, no] = &buttons[..] else { panic!("two buttons: {buttons:?}") };
    assert_eq!((yes.label.as_str(), no.label.as_str()), ("Yes", "No"));
    (yes.press, no.press)
}

/// Sends ben's code in the chat; returns the yes and the no of the confirmation.
async fn asked(world: &World, ben: &Caller, update: u32) -> (Press, Press) {
    write(world, update, &start(world, ben).await).await;
    assert_eq!(owner(world).await, Some(world.caller.id()), "nothing moves before the yes");
    // An older confirmation may be closed first.
    let notes: Vec<_> = sent(world, ben).await.into_iter().filter(|note| !note.buttons.is_empty()).collect();
    buttons(&notes)
}

/// Returns the texts of account notices.
async fn noticed(world: &World) -> Vec<String> {
    let mut tx = world.state.ctx.read().await.unwrap();
    let events = store::events::after(&mut tx, world.caller.id(), 0, 1_000).await.unwrap();
    let notices = events.into_iter().filter(|event| event.kind == EventKind::AccountNotice);
    notices.map(|event| event.data["text"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn relink_needs_a_yes_and_notifies_the_previous_account() {
    for (world, ben) in contested().await {
        let code = start(&world, &ben).await;
        join_all((0..5).map(|_| tell(&world, 2, CHAT, What::Text(Text::own(code.clone()))))).await;
        let (yes, no) = buttons(&sent(&world, &ben).await);
        assert!(sent(&world, &world.caller).await.is_empty(), "hers says nothing");
        // The code works in no other chat, and does not answer in this one.
        tell(&world, 3, ChatId(5), What::Text(Text::own(code.clone()))).await.unwrap();
        write(&world, 4, &code).await;
        buttons(&sent(&world, &ben).await);
        assert_eq!((owner(&world).await, noticed(&world).await.len()), (Some(world.caller.id()), 0));

        let what = || What::Press { press: Some(yes), message: 9, answer_to: "q".into() };
        join_all([6, 6, 7, 8].map(|id| tell(&world, id, CHAT, what()))).await;
        press(&world, 9, no).await;
        assert_eq!(owner(&world).await, Some(ben.id()));
        let texts: Vec<_> = sent(&world, &ben).await.into_iter().map(|note| (note.text, note.buttons.len())).collect();
        assert_eq!(
            texts.iter().filter(|(text, _)| text.starts_with("This chat is now linked to the account “")).count(),
            1
        );
        assert!(texts.iter().all(|(text, buttons)| text.contains("linked to") && *buttons == 0), "{texts:?}");
        let told = noticed(&world).await;
        assert!(told.len() == 1 && told[0].contains("@her") && told[0].contains("the account ben"), "{told:?}");
        let ctx = &world.state.ctx;
        let notices = accounts::list_notices(ctx, &world.caller).await.unwrap();
        assert_eq!(notices.iter().map(|it| it.body.sentence()).collect::<Vec<_>>(), told);
        let bodies = store::testing::bodies(&mut ctx.read().await.unwrap(), world.caller.id()).await;
        let parted: Vec<_> = bodies.iter().filter(|(_, body)| body.contains("telegram_unlinked")).collect();
        assert!(
            matches!(&parted[..], [(_, body)] if body.contains("another account") && body.contains("ben")),
            "{parted:?}"
        );
        // Late repeats of an update have no effect.
        write(&world, 2, &code).await;
        assert!(sent(&world, &ben).await.is_empty());
        accounts::dismiss_notice(ctx, &ben, notices[0].notice_id).await.unwrap_err();
        accounts::dismiss_notice(ctx, &world.caller, notices[0].notice_id).await.unwrap();
        assert!(accounts::list_notices(ctx, &world.caller).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_no_spends_the_code_and_moves_nothing() {
    for (world, ben) in contested().await {
        let code = start(&world, &ben).await;
        write(&world, 2, &code).await;
        let (yes, no) = buttons(&sent(&world, &ben).await);
        press(&world, 3, no).await;
        press(&world, 4, yes).await;
        assert_eq!(owner(&world).await, Some(world.caller.id()));
        let notes = sent(&world, &ben).await;
        assert!(
            matches!(&notes[..], [note] if note.buttons.is_empty() && note.text.contains("was not linked")),
            "{notes:?}"
        );
        // Neither there nor in another chat.
        write(&world, 2, &code).await;
        write(&world, 5, &code).await;
        tell(&world, 6, ChatId(5), What::Text(Text::own(code))).await.unwrap();
        assert_eq!(owner(&world).await, Some(world.caller.id()));
        assert!(sent(&world, &ben).await.is_empty());
        let helped = sent(&world, &world.caller).await;
        assert_eq!(helped.len(), 1, "only for what came anew: {helped:?}");
        assert_eq!(noticed(&world).await.len(), 0);
        let bodies = store::testing::bodies(&mut world.state.ctx.read().await.unwrap(), world.caller.id()).await;
        assert_eq!(bodies.iter().filter(|(_, body)| body.contains("telegram_link_declined")).count(), 1);
    }
}

#[tokio::test]
async fn relink_answer_is_valid_only_in_its_chat_before_expiry() {
    for (world, ben) in contested().await {
        let (yes, _) = asked(&world, &ben, 21).await;
        let what = What::Press { press: Some(yes), message: 9, answer_to: "q".into() };
        // From another chat, linked with another account or none.
        tell(&world, 3, ChatId(5), what.clone()).await.unwrap();
        let cleo = person(&world.state.ctx, "cleo").await;
        super::chats::link(&world, &cleo, ChatId(6)).await;
        tell(&world, 4, ChatId(6), what).await.unwrap();
        assert_eq!(owner(&world).await, Some(world.caller.id()));
        world.state.ctx.clock.advance(600);
        press(&world, 5, yes).await;
        assert_eq!(owner(&world).await, Some(world.caller.id()), "ten minutes are over");
        let notes = sent(&world, &ben).await;
        assert!(matches!(&notes[..], [note] if note.buttons.is_empty()), "{notes:?}");
    }
}

#[tokio::test]
async fn an_account_is_not_asked_about_its_own_chat() {
    for (world, _) in contested().await {
        let code = start(&world, &world.caller).await;
        write(&world, 2, &code).await;
        let notes = sent(&world, &world.caller).await;
        assert!(matches!(&notes[..], [note] if note.text.contains("already linked to the account “ada”")), "{notes:?}");
        tell(&world, 3, ChatId(5), What::Text(Text::own(code))).await.unwrap();
        assert_eq!(owner(&world).await, Some(world.caller.id()), "the code is spent");
    }
}

#[tokio::test]
async fn a_question_ends_with_its_code_and_with_either_account() {
    for (world, ben) in contested().await {
        let ctx = &world.state.ctx;
        // A newer code voids an older one's confirmation, and so does a new password.
        let (yes, _) = asked(&world, &ben, 22).await;
        chats::code(ctx, &ben).await.unwrap();
        press(&world, 3, yes).await;
        assert_eq!(owner(&world).await, Some(world.caller.id()));
        let (yes, _) = asked(&world, &ben, 23).await;
        accounts::set_password(ctx, "ben", "correct horse battery", AlsoEnd::default()).await.unwrap();
        press(&world, 4, yes).await;
        assert_eq!(owner(&world).await, Some(world.caller.id()));
        // A disabled account gets no chat.
        let (yes, _) = asked(&world, &ben, 24).await;
        disable_account::disable(&world.state, &Manager::CommandLine, "ben").await.unwrap();
        press(&world, 5, yes).await;
        assert_eq!(owner(&world).await, Some(world.caller.id()));
        accounts::enable(ctx, &Manager::CommandLine, "ben").await.unwrap();
        press(&world, 6, yes).await;
        assert_eq!(owner(&world).await, Some(world.caller.id()));
        // A disabled account does not keep its chat: the person in the chat has confirmed.
        let (yes, _) = asked(&world, &ben, 25).await;
        disable_account::disable(&world.state, &Manager::CommandLine, "ada").await.unwrap();
        assert_eq!(owner(&world).await, None);
        press(&world, 7, yes).await;
        assert_eq!(owner(&world).await, Some(ben.id()));
    }
}

#[tokio::test]
async fn of_two_questions_the_first_yes_moves_the_chat_once() {
    for (world, ben) in contested().await {
        let cleo = person(&world.state.ctx, "cleo").await;
        let (one, other) = (start(&world, &ben).await, start(&world, &cleo).await);
        let told = tokio::join!(
            tell(&world, 2, CHAT, What::Text(Text::own(one))),
            tell(&world, 3, CHAT, What::Text(Text::own(other))),
        );
        assert!(matches!(told, (Ok(()), Ok(()))), "{told:?}");
        let first = buttons(&sent(&world, &ben).await).0;
        let second = sent(&world, &cleo).await[0].buttons[0].press;
        let presses = [(4, first), (5, second)].map(|(id, press)| {
            let what = What::Press { press: Some(press), message: 9, answer_to: "q".into() };
            tell(&world, id, CHAT, what)
        });
        join_all(presses).await;
        let won = owner(&world).await.unwrap();
        assert!([ben.id(), cleo.id()].contains(&won), "one of them");
        assert_eq!(noticed(&world).await.len(), 1, "it left its first account once");
        for who in [&ben, &cleo] {
            let linked = chats::linked(&world.state.ctx, who).await.unwrap().is_some();
            assert_eq!(linked, who.id() == won);
        }
    }
}

#[tokio::test]
async fn what_a_token_linked_ends_with_the_token() {
    for (world, ben) in contested().await {
        let ctx = &world.state.ctx;
        let scopes = [Scope::Chat, Scope::TasksRead, Scope::TasksWrite, Scope::TasksDelete];
        let (id, secret) = accounts::create_token(ctx, "ben", "phone", &scopes, 0).await.unwrap();
        let program = accounts::caller_of_token(ctx, &secret).await.unwrap().unwrap();
        let (yes, _) = asked(&world, &program, 26).await;
        press(&world, 3, yes).await;
        assert_eq!(owner(&world).await, Some(ben.id()));
        let late = start(&world, &program).await;
        accounts::revoke_token(ctx, id).await.unwrap();
        assert_eq!(owner(&world).await, None, "the chat goes with the token");
        write(&world, 4, &late).await;
        assert_eq!(owner(&world).await, None, "and so does a code");
        // Revoking a token does not affect a link made in a browser.
        let (other, _) = accounts::create_token(ctx, "ben", "other", &scopes, 0).await.unwrap();
        write(&world, 5, &start(&world, &ben).await).await;
        accounts::revoke_token(ctx, other).await.unwrap();
        assert_eq!(owner(&world).await, Some(ben.id()));
    }
}
