//! Tests of repeated updates from Telegram, immediate or late: each has one effect. Also tests of cards that follow their turn or
//! task.

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::stop::Thirsty;
use super::*;
use crate::channels::telegram::{Telegram, Text, Update, What};
use crate::domain::channel::{ChatId, Note, Press};
use crate::domain::task::{Due, Edit};
use crate::domain::time::CivilDate;
use crate::store::outbox::{self, CardRow};
use crate::usecases::telegram as chats;
use crate::usecases::testing::{add, titled};
use crate::workflow::{telegram, telegram_messages};

mod delivered;

const ADA: ChatId = ChatId(77);

/// Returns users with linked chats on servers without a Bot API; messages are taken from the outbox.
async fn linked() -> Vec<World> {
    let mut all = worlds().await;
    for world in &mut all {
        world.state.telegram = Some(Arc::new(Telegram::new("http://127.0.0.1:1", "123456:x")));
        link(world).await;
    }
    all
}

async fn link(world: &World) {
    let ctx = &world.state.ctx;
    let made = chats::code(ctx, &world.caller).await.unwrap();
    let mut tx = ctx.write().await.unwrap();
    assert!(chats::link(ctx, &mut tx, &made.code, ADA, "@ada").await.unwrap().is_some());
    ctx.commit(tx).await.unwrap();
}

/// Receives an update of the chat.
async fn tell(world: &World, id: u32, what: What) {
    telegram::receive(&world.state, Update { id, chat: ADA, name: "@ada".into(), date: 0, what }).await.unwrap();
}

async fn write(world: &World, id: u32, text: &str) {
    tell(world, id, What::Text(Text::own(text))).await;
}

async fn press(world: &World, id: u32, message: i64, press: Press) {
    tell(world, id, What::Press { press: Some(press), message, answer_to: "q".into() }).await;
}

/// Delivers the queued cards, each as one message; returns them with their contents.
async fn shown(world: &World) -> Vec<(CardRow, Note)> {
    let (ctx, mut all) = (&world.state.ctx, vec![]);
    loop {
        let mut tx = ctx.write().await.unwrap();
        let Some(mut held) = outbox::claim_of(&mut tx, world.caller.id(), 60_000).await.unwrap() else { return all };
        ctx.commit(tx).await.unwrap();
        let note = telegram_messages::note(&world.state, &held).await.unwrap();
        if note.is_some() && held.messages.is_empty() {
            held.messages.push(9);
        }
        let mut tx = ctx.write().await.unwrap();
        outbox::settle(&mut tx, &held).await.unwrap();
        ctx.commit(tx).await.unwrap();
        all.extend(note.map(|note| (held, note)));
    }
}

async fn texts(world: &World) -> Vec<String> {
    shown(world).await.into_iter().map(|(_, note)| note.text + &note.question).collect()
}

/// Sends a message whose turn waits until the returned slots are dropped; also returns its key.
async fn left(world: &World, id: u32, text: &str) -> (Vec<OwnedSemaphorePermit>, ClientKey) {
    let places: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
    write(world, id, text).await;
    (places, ClientKey::of_server("telegram", format_args!("123456 {id}")))
}

async fn asked_to_stop(world: &World, key: &ClientKey) -> bool {
    let mut tx = world.state.ctx.read().await.unwrap();
    store::turns::by_client_key(&mut tx, world.caller.id(), key).await.unwrap().expect("a turn").stop_asked
}

#[tokio::test]
async fn repeated_stop_does_not_stop_a_later_turn() {
    for world in linked().await {
        let (places, first) = left(&world, 1, "add milk").await;
        let stop = || write(&world, 2, "/stop");
        tokio::join!(stop(), stop(), stop());
        assert!(asked_to_stop(&world, &first).await);
        drop(places);
        worker::settle(&world.state).await.unwrap();
        // Repeated at once, and while another turn runs.
        stop().await;
        let (places, second) = left(&world, 3, "add eggs").await;
        stop().await;
        assert!(!asked_to_stop(&world, &second).await);
        drop(places);
        worker::settle(&world.state).await.unwrap();
        let said = texts(&world).await;
        assert!(said[0].starts_with("Stopped.") && said[1].starts_with("Created task: eggs"), "{said:?}");
        assert_eq!(said.len(), 2);

        // A stop without a running turn is answered once, and its repeats stop no later turn.
        for _ in 0..2 {
            write(&world, 4, "/stop").await;
        }
        let (places, third) = left(&world, 5, "add bread").await;
        write(&world, 4, "/stop").await;
        assert!(!asked_to_stop(&world, &third).await);
        write(&world, 6, "/stop").await;
        assert!(asked_to_stop(&world, &third).await, "a new one does");
        drop(places);
        worker::settle(&world.state).await.unwrap();
        let idle = texts(&world).await.iter().filter(|text| text.contains("Nothing is running")).count();
        assert_eq!(idle, 1);
    }
}

#[tokio::test]
async fn repeated_unlink_does_not_unlink_a_relinked_chat() {
    for world in linked().await {
        write(&world, 1, "/unlink").await;
        assert!(texts(&world).await[0].contains("no longer linked"));
        write(&world, 1, "/unlink").await;
        link(&world).await;
        write(&world, 1, "/unlink").await;
        let linked = async || chats::caller_of_chat(&world.state.ctx, ADA).await.unwrap().is_some();
        assert!(linked().await);
        assert_eq!(texts(&world).await, Vec::<String>::new());
        write(&world, 2, "/unlink").await;
        assert!(!linked().await);
    }
}

#[tokio::test]
async fn a_placeholder_follows_what_its_turn_has_done_so_far() {
    for mut world in linked().await {
        let (heard, mut asked) = mpsc::unbounded_channel();
        let gate = Arc::new(Semaphore::new(0));
        world.state.engine = Arc::new(Thirsty { heard, gate: gate.clone() });
        write(&world, 1, "shop").await;
        assert_eq!(asked.recv().await, Some("asked"));
        let (card, note) = shown(&world).await.remove(0);
        assert_eq!(note.text, "…");
        for (done, text) in [(1, "Added to your list\n…"), (2, "Added to your list\nAdded to your list\n…")] {
            gate.add_permits(1);
            assert_eq!((asked.recv().await, asked.recv().await), (Some("answered"), Some("asked")));
            let mut tx = world.state.ctx.read().await.unwrap();
            let now = outbox::get(&mut tx, world.caller.id(), card.id).await.unwrap().unwrap();
            drop(tx);
            assert_eq!(now.version, card.version + done, "each step has it shown anew");
            assert_eq!(telegram_messages::note(&world.state, &now).await.unwrap().unwrap().text, text);
        }
        write(&world, 2, "/stop").await;
        worker::settle(&world.state).await.unwrap();
        let (last, note) = shown(&world).await.pop().unwrap();
        assert_eq!(last.id, card.id);
        assert!(note.text.ends_with("Stopped. This much was already done."), "{note:?}");
    }
}

/// Adds a task due in a minute and delivers its reminder.
async fn reminded(world: &World, title: &str) -> (TaskNumber, CardRow, Note) {
    let ctx = &world.state.ctx;
    let mut new = titled(title);
    new.due = Due::at(ctx.now().plus_seconds(60), "Europe/London");
    let number = add(ctx, &world.caller, new).await.task_id;
    ctx.clock.advance(60);
    worker::settle(&world.state).await.unwrap();
    let (card, note) = shown(world).await.pop().expect("a reminder");
    (number, card, note)
}

/// Changes a task through the browser.
macro_rules! change {
    ($world:expr, |$ctx:ident, $tx:ident, $by:ident| $call:expr) => {{
        let $ctx = &$world.state.ctx;
        let mut transaction = $ctx.write().await.unwrap();
        let ($tx, $by) = (&mut transaction, By::person(&$world.caller));
        $call.await.unwrap();
        $ctx.commit(transaction).await.unwrap();
    }};
}

#[tokio::test]
async fn a_button_that_is_told_again_does_nothing_more() {
    for world in linked().await {
        let (milk, card, _) = reminded(&world, "milk").await;
        let status = async |number| tasks::get(&world.state.ctx, &world.caller, number).await.unwrap().status;
        press(&world, 1, 9, Press::Done(card.id)).await;
        assert_eq!(status(milk).await, Status::Completed);
        change!(world, |ctx, tx, by| tasks::reopen(ctx, tx, by, milk, None));
        press(&world, 1, 9, Press::Done(card.id)).await;
        assert_eq!(status(milk).await, Status::Pending, "it was taken up again meanwhile");

        let (bread, card, _) = reminded(&world, "bread").await;
        let waits = async || {
            store::reminders::of_task(&mut world.state.ctx.read().await.unwrap(), world.caller.id(), bread)
                .await
                .unwrap()
        };
        press(&world, 2, 9, Press::Snooze(card.id)).await;
        assert!(waits().await.is_some());
        world.state.ctx.clock.advance(3_600);
        worker::settle(&world.state).await.unwrap();
        assert_eq!(waits().await, None, "it reminded once more");
        press(&world, 2, 9, Press::Snooze(card.id)).await;
        assert_eq!(waits().await, None);
    }
}

#[tokio::test]
async fn reminder_message_in_a_chat_follows_changes_of_its_task() {
    for world in linked().await {
        let (milk, card, note) = reminded(&world, "milk").await;
        assert!(note.text.starts_with("Due now: milk (#1)") && note.buttons.len() == 2, "{note:?}");
        let now_reads = async |text: &str, buttons: usize| {
            let all = shown(&world).await;
            let [(same, note)] = &all[..] else { panic!("{all:?}") };
            assert_eq!((same.id, note.buttons.len()), (card.id, buttons));
            assert!(note.text.starts_with(text), "{note:?}");
        };
        change!(world, |ctx, tx, by| tasks::complete(ctx, tx, by, milk, None));
        now_reads("Done: milk (#1)", 0).await;
        change!(world, |ctx, tx, by| tasks::reopen(ctx, tx, by, milk, None));
        now_reads("Due now: milk (#1)", 2).await;
        let later = Due::at(world.state.ctx.now().plus_seconds(86_400), "Europe/London");
        for (due, text) in [
            (later, "Moved to Tomorrow 09:31: milk (#1)"),
            (Some(Due::Date(CivilDate::parse("2026-04-01").unwrap())), "Moved to Wed 1 Apr: milk (#1)"),
        ] {
            let moved = Edit { due: Some(due), ..Edit::default() };
            change!(world, |ctx, tx, by| tasks::edit(ctx, tx, by, milk, moved.clone(), None));
            now_reads(text, 0).await;
        }
        let renamed = Edit { title: Some(Title::parse("oat milk").unwrap()), ..Edit::default() };
        change!(world, |ctx, tx, by| tasks::edit(ctx, tx, by, milk, renamed.clone(), None));
        assert_eq!(texts(&world).await, Vec::<String>::new(), "what it says of the time is as it was");
        change!(world, |ctx, tx, by| tasks::delete(ctx, tx, by, milk, None));
        now_reads("Task #1 no longer exists.", 0).await;
    }
}

#[tokio::test]
async fn late_button_press_shows_the_current_state_of_its_reminder() {
    for world in linked().await {
        let (milk, card, _) = reminded(&world, "milk").await;
        change!(world, |ctx, tx, by| tasks::complete(ctx, tx, by, milk, None));
        assert_eq!(texts(&world).await, ["Done: milk (#1)"]);
        for (id, late) in [(1, Press::Done(card.id)), (2, Press::Snooze(card.id))] {
            press(&world, id, 9, late).await;
            assert_eq!(texts(&world).await, ["Done: milk (#1)"]);
        }
        change!(world, |ctx, tx, by| tasks::delete(ctx, tx, by, milk, None));
        texts(&world).await;
        press(&world, 3, 9, Press::Done(card.id)).await;
        assert_eq!(texts(&world).await, ["Task #1 no longer exists."]);
    }
}
