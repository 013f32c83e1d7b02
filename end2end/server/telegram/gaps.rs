//! Servers that crash at a commit of a chat action, with Telegram repeating the update: each action takes effect once.

use serde_json::Value;

use super::{ADA, World, press_update, text_update};
use crate::app::{Db, until};
use crate::botapi::Message;
use crate::mock::Mock;
use crate::reminders::add;

const SIDES: [&str; 2] = ["before", "after"];
const STOPPED: &str = "Stopped. Nothing was changed.";

/// Crashes the server at a point of an update, and sends the update twice to the next one.
async fn die_at(world: &mut World, point: &str, update: &Value) {
    world.app.server.terminate();
    world.app.server = world.another(point);
    world.told(update).await;
    world.app.server.dies().await;
    world.app.server = world.another("");
    for _ in 0..2 {
        world.take(update).await;
    }
}

/// Waits until everything is sent, and checks that `more` messages were added. Repeated placeholders do not count.
async fn said(world: &World, before: usize, more: usize) {
    let helps = |all: &[Message]| all.iter().filter(|message| message.text.starts_with("You can write to me")).count();
    let so_far = helps(&world.bot.messages(ADA));
    world.write("/help").await;
    until("the help", || async { (helps(&world.bot.messages(ADA)) > so_far).then_some(()) }).await;
    world.bot.forget(ADA, "…");
    let all = world.bot.messages(ADA);
    assert_eq!(all.len(), before + more + 1, "{all:?}");
}

#[tokio::test]
async fn crash_while_linking_or_running_a_command_applies_it_once() {
    for mut world in World::each().await {
        let ada = world.app.user("ada");
        for side in SIDES {
            let chat = format!("{side} chat");
            let made = ada.at(&world.app.server).post("/api/v1/telegram/link", &[]).await.ok();
            let start = text_update(world.next(), ADA, &format!("/start {}", made["code"].as_str().unwrap()));
            let before = world.bot.messages(ADA).len();
            die_at(&mut world, &chat, &start).await;
            said(&world, before, 1).await;

            world.write("add milk").await;
            world.reads("Created task: milk").await;
            for (command, answer) in [("/tasks", "milk"), ("/new", "New conversation.")] {
                let before = world.bot.messages(ADA).len();
                let update = text_update(world.next(), ADA, command);
                die_at(&mut world, &chat, &update).await;
                said(&world, before, 1).await;
                assert!(world.bot.messages(ADA)[before].text.contains(answer), "{command} {side}");
            }
            let talks = async |world: &World| {
                let all = ada.at(&world.app.server).get("/api/v1/conversations/list", &[]).await.ok();
                all.as_array().unwrap().len()
            };
            let begun = talks(&world).await;
            world.write("add bread").await;
            world.reads("Created task: bread").await;
            world.write("add eggs").await;
            world.reads("Created task: eggs").await;
            assert_eq!(talks(&world).await, begun + 1, "{side}: a conversation was begun, and one");

            let before = world.bot.messages(ADA).len();
            let undo = text_update(world.next(), ADA, "/undo");
            die_at(&mut world, &format!("{side} undo"), &undo).await;
            said(&world, before, 1).await;
            let titles = ada.at(&world.app.server).titles().await;
            assert!(titles.contains(&"bread".into()) && !titles.contains(&"eggs".into()), "{side}: {titles:?}");

            let before = world.bot.messages(ADA).len();
            let unlink = text_update(world.next(), ADA, "/unlink");
            die_at(&mut world, &chat, &unlink).await;
            world.reads("no longer linked").await;
            assert_eq!(world.bot.messages(ADA).len(), before + 1, "{side}");
            for created in ["milk", "bread", "eggs", "no longer linked"] {
                let all: Vec<_> = world.bot.messages(ADA).into_iter().filter(|it| it.text.contains(created)).collect();
                all.iter().for_each(|message| world.bot.forget(ADA, &message.text));
            }
        }
    }
}

#[tokio::test]
async fn crash_while_stopping_ends_the_turn_once() {
    let mock = Mock::start();
    mock.fail("timeout").await;
    // Not streamed: a stream must begin within 10 s, which is as long as a terminating server waits for its turns.
    let environment = mock.environment(&[("DOCKET_LLM_TIMEOUT_MS", "60000"), ("DOCKET_LLM_STREAM", "off")]);
    for db in [Db::Sqlite, Db::Postgres] {
        let Some(mut world) = World::on(db, &environment).await else { continue };
        let ada = world.linked("ada", ADA).await;
        for side in SIDES {
            let before = world.bot.messages(ADA).len();
            world.write("what would you say?").await;
            until("a placeholder", || async { world.bot.with(ADA, "…") }).await;
            let stop = text_update(world.next(), ADA, "/stop");
            die_at(&mut world, &format!("{side} stop"), &stop).await;
            until("the end", || async {
                world.bot.messages(ADA)[before..].iter().find(|it| it.text.contains(STOPPED)).cloned()
            })
            .await;
            said(&world, before, 1).await;
        }
        let turns = world.turns(&ada.at(&world.app.server)).await;
        let replies: Vec<_> = turns.iter().map(|turn| turn["reply"].as_str().unwrap()).collect();
        assert_eq!(replies, [STOPPED; SIDES.len()]);
    }
}

#[tokio::test]
async fn crash_while_handling_a_button_applies_it_once() {
    for mut world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        let pressed = |world: &World, message: &Message, label: &str| {
            let (_, data) = message.buttons.iter().find(|(found, _)| found == label).expect("the button is there");
            press_update(world.next(), ADA, message.id, data)
        };
        for (at, point) in ["before edit", "after edit", "before chat", "after chat"].into_iter().enumerate() {
            let title = format!("grape{at}");
            let due = add(&ada.at(&world.app.server), &title, 3).await["due"].clone();
            let notice = world.reads(&format!("Due now: {title}")).await;
            let (before, done) = (world.bot.messages(ADA).len(), point.contains("edit"));
            let update = pressed(&world, &notice, if done { "Done" } else { "In an hour" });
            die_at(&mut world, point, &update).await;
            let words = if done { "Done:" } else { "Snoozed until" };
            let settled = until(words, || async {
                world.bot.with(ADA, &title).filter(|message| message.text.starts_with(words))
            })
            .await;
            assert_eq!((settled.id, settled.buttons.len()), (notice.id, 0), "{point}");
            said(&world, before, 0).await;
            let tasks = ada.at(&world.app.server).tasks().await;
            let task = tasks.iter().find(|task| task["title"] == title.as_str()).unwrap();
            let status = if done { "completed" } else { "pending" };
            assert_eq!((&task["status"], &task["due"]), (&status.into(), &due), "{point}");
        }

        for (at, point) in
            ["before verdict", "after verdict", "before approved", "after approved"].into_iter().enumerate()
        {
            let title = format!("plum{at}");
            world.write(&format!("add {title}")).await;
            let made = world.reads(&format!("Created task: {title}")).await;
            let number = made.text.split(['#', ')']).nth(1).unwrap();
            world.write(&format!("delete task {number}")).await;
            let asked = until("the buttons", || async {
                world.bot.with(ADA, &format!("{title} (#{number}) goes to the bin")).filter(|it| it.buttons.len() == 2)
            })
            .await;
            let before = world.bot.messages(ADA).len();
            let update = pressed(&world, &asked, "Yes");
            die_at(&mut world, point, &update).await;
            world.reads(&format!("Deleted task: {title}")).await;
            said(&world, before, 1).await;
            assert!(!ada.at(&world.app.server).titles().await.contains(&title), "{point}");
            until("no buttons", || async {
                world.bot.messages(ADA).iter().all(|message| message.buttons.is_empty()).then_some(())
            })
            .await;
        }
    }
}
