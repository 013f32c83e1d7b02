//! Texts longer than a message may be: 4,096 UTF-16 code units, of which a crab takes two.

use serde_json::json;

use super::{ADA, World};
use crate::app::{Client, Db, until};
use crate::mock::Mock;

/// Gives ada tasks whose titles have `crabs` crabs and a number.
async fn crabs(ada: &Client, tasks: usize, crabs: usize) {
    let lines: Vec<String> = (0..tasks).map(|at| format!("{} {at}", "🦀".repeat(crabs))).collect();
    ada.post("/api/v1/tasks/add_lines", &[("lines", &lines.join("\n"))]).await.ok();
}

#[tokio::test]
async fn a_long_reply_is_cut_into_messages_that_fit() {
    let Some(world) = World::on(Db::Sqlite, &[]).await else { return };
    let ada = world.linked("ada", ADA).await;
    crabs(&ada, 40, 190).await;
    world.write("/tasks").await;
    world.reads("#40").await;
    let all = world.bot.messages(ADA);
    assert_eq!(all.len(), 5, "four messages of ten lines each, after the greeting");
    assert!(all.iter().all(|message| message.text.encode_utf16().count() <= 4096));
}

#[tokio::test]
async fn approval_after_a_long_reply_has_buttons_only_until_decided() {
    let mock = Mock::start();
    let Some(world) = World::on(Db::Sqlite, &mock.environment(&[("DOCKET_LLM_TIMEOUT_MS", "20000")])).await else {
        return;
    };
    let ada = world.linked("ada", ADA).await;
    let title = "x".repeat(185);
    ada.post("/api/v1/tasks/add", &[("title", &title)]).await.ok();
    // The earlier results leave no room for the question in their message; the decided message is shorter.
    let add = |_| json!({ "name": "add_task", "arguments": { "title": title } });
    let mut calls: Vec<_> = (0..19).map(add).collect();
    calls.push(json!({ "name": "delete_task", "arguments": { "task_id": 1 } }));
    mock.script(json!([{ "match": "as told", "tool_calls": calls }])).await;
    world.write("do as told").await;
    let asked = until("the buttons", || async {
        world.bot.messages(ADA).into_iter().find(|message| !message.buttons.is_empty())
    })
    .await;
    let all = world.bot.messages(ADA);
    assert_eq!((all.len(), all.last()), (3, Some(&asked)), "the greeting, the reply, and the question");
    assert!(asked.text.starts_with("Are you sure you want to delete task 1? (yes/no)\n"), "{}", asked.text);
    world.press(&asked, "No").await;
    let left = world.reads("Closed, see above").await;
    assert_eq!((left.id, left.buttons.len()), (asked.id, 0));
    assert!(world.bot.messages(ADA).iter().all(|message| message.buttons.is_empty()));
    assert_eq!(ada.titles().await.len(), 20);
}
