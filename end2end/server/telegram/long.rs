//! What is longer than a message may be: 4,096 units of UTF-16, of which a crab takes two.

use super::{ADA, World};
use crate::app::{Client, Db, until};

/// Gives Ada tasks whose titles are that many crabs and a number.
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
async fn a_long_question_has_its_buttons_last_and_none_once_it_is_decided() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        // The question names them all, and below it stands what becomes of each.
        crabs(&ada, 10, 100).await;
        world.write("delete all my tasks").await;
        let asked = until("the buttons", || async {
            world.bot.messages(ADA).into_iter().find(|message| !message.buttons.is_empty())
        })
        .await;
        let all = world.bot.messages(ADA);
        assert_eq!((all.len(), all.last()), (3, Some(&asked)), "the greeting, and a question of two messages");
        world.press(&asked, "No").await;
        let left = world.reads("Settled; see above").await;
        assert_eq!((left.id, left.buttons.len()), (asked.id, 0));
        assert!(world.bot.messages(ADA).iter().all(|message| message.buttons.is_empty()));
        assert_eq!(ada.titles().await.len(), 10);
    }
}
