//! Telegram updates other than plain texts, and messages that can no longer be edited.

use serde_json::json;

use super::{holds, table, task, text, titled};
use crate::app::{Db, until};
use crate::botapi::{Fault, Message};
use crate::mock::Mock;
use crate::telegram::{ADA, World, message};

#[tokio::test]
async fn captions_are_read_and_edits_are_refused_in_a_sentence() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        for (place, row) in table("telegram").iter().enumerate() {
            let why = text(row, "why");
            let title = format!("parcel {place}");
            let row = titled(row, &title);
            let before = (ada.titles().await.len(), world.bot.calls("sendMessage").len());
            let update = json!({ "update_id": world.next(), text(&row, "kind"): message(ADA, &row["content"]) });
            assert_eq!(world.told(&update).await, Some(200), "{why}");
            if !row["reads"].is_string() {
                // Answers arrive in order, so this one proves that there was none before.
                world.write("/stop").await;
                until(why, || async { (world.bot.calls("sendMessage").len() == before.1 + 1).then_some(()) }).await;
                assert_eq!(ada.titles().await.len(), before.0, "{why}");
                continue;
            }
            until(why, || async {
                let sent = world.bot.messages(ADA);
                let fresh = sent.iter().rev().take(1).any(|sent| sent.text.contains(text(&row, "reads")));
                (fresh && world.bot.calls("sendMessage").len() > before.1).then_some(())
            })
            .await;
            let added = text(&row, "reads").starts_with("Created");
            assert_eq!(ada.titles().await.contains(&title), added, "{why}");
        }
    }
}

#[tokio::test]
async fn an_answer_whose_message_cannot_be_edited_is_sent_anew() {
    for why in [
        "Bad Request: message can't be edited",
        "Bad Request: message to edit not found",
        "Bad Request: MESSAGE_ID_INVALID",
    ] {
        for world in World::each().await {
            let ada = world.linked("ada", ADA).await;
            let before = world.bot.messages(ADA).len();
            // Accepts the placeholder and refuses its edit.
            world.bot.fail(&[Fault::Fine, Fault::Refused(why)]);
            world.write("add milk").await;
            world.reads("Created task: milk").await;
            let after = world.bot.messages(ADA);
            assert_eq!(after.len(), before + 2, "{why}: the placeholder and the answer: {after:?}");
            assert_eq!(ada.titles().await, ["milk"], "{why}");
        }
    }
}

#[tokio::test]
async fn reply_applies_to_the_task_of_the_quoted_message() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        for (place, row) in table("telegram-replies").iter().enumerate() {
            let why = text(row, "why");
            world.write(&format!("add shirt {place}")).await;
            let card = world.reads(&format!("Created task: shirt {place}")).await;
            world.write(&format!("add sock {place}")).await;
            let other = number(&world.reads(&format!("Created task: sock {place}")).await.text);
            let (first, before) = (number(&card.text), world.bot.messages(ADA).len());
            let list = format!("{}\n{}", card.text, format_args!("sock {place} (#{other})"));
            let (id, answered, is_bot) = match text(row, "answers") {
                "list" => (999_999, list, true),
                "own" => (999_998, format!("add shirt {place}"), false),
                _ => (card.id, card.text.clone(), true),
            };
            let from = json!({ "id": if is_bot { 1 } else { ADA }, "is_bot": is_bot, "first_name": "x" });
            let mut replied = message(ADA, &json!({ "text": answered, "from": from }));
            replied["message_id"] = json!(id);
            let mut content = json!({
                "text": text(row, "text").replace("$other", &other.to_string()), "reply_to_message": replied,
            });
            if row["quote"] == true {
                content["quote"] = json!({ "text": format!("shirt {place}"), "position": 0 });
            }
            let update = json!({ "update_id": world.next(), "message": message(ADA, &content) });
            assert_eq!(world.told(&update).await, Some(200), "{why}");
            let reads = if row["reads"].is_string() { text(row, "reads") } else { "" };
            until(why, || async {
                let sent = world.bot.messages(ADA);
                let last = sent.last().filter(|last| last.text != "…" && last.text.contains(reads));
                (sent.len() > before && last.is_some()).then_some(())
            })
            .await;
            let untouched = json!({ "status": "pending", "due": null, "priority": "none" });
            for (number, field) in [(first, "task"), (other, "other")] {
                let expected = if row[field].is_object() { &row[field] } else { &untouched };
                holds(&task(&ada, number).await, expected, why);
            }
        }
    }
}

#[tokio::test]
async fn quoted_reply_ignores_numbers_in_titles_and_needs_approval() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        let add = async |title: &str| {
            let added = ada.post("/api/v1/tasks/add", &[("title", title), ("plain", "true")]).await.ok();
            added["task_id"].as_i64().unwrap_or_else(|| panic!("{added}"))
        };
        let victim = add("renew passport").await;
        let bait = add(&format!("pay invoice (#{victim})")).await;
        let answer = async |card: &Message, quote: &str, text: &str| {
            let mut replied =
                message(ADA, &json!({ "text": card.text, "from": { "id": 1, "is_bot": true, "first_name": "x" } }));
            replied["message_id"] = json!(card.id);
            let content =
                json!({ "text": text, "reply_to_message": replied, "quote": { "text": quote, "position": 0 } });
            world.told(&json!({ "update_id": world.next(), "message": message(ADA, &content) })).await
        };
        world.write(&format!("show task {bait}")).await;
        let card = world.reads(&format!("Task #{bait}: pay invoice")).await;
        answer(&card, "pay invoice", "delete it, yes I'm sure").await;
        world.reads(&format!("Are you sure you want to delete task {bait}?")).await;
        assert_eq!(ada.titles().await.len(), 2, "a text that code completed asks");
        world.write("/tasks").await;
        let list = world.reads(&format!("#{bait} pay invoice")).await;
        answer(&list, "pay invoice", "complete this").await;
        world.reads("Completed task: pay invoice").await;
        assert_eq!(task(&ada, victim).await["status"], "pending");
    }
}

/// Returns the number of the task that a message names.
fn number(text: &str) -> i64 {
    let number = text.rsplit_once("(#").and_then(|(_, rest)| rest.split_once(')')).map(|(number, _)| number);
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{text}"))
}

#[tokio::test]
async fn a_chat_says_what_a_model_did() {
    let mock = Mock::start();
    let world = World::on(Db::Sqlite, &mock.environment(&[("DOCKET_LLM_TIMEOUT_MS", "20000")])).await;
    let world = world.expect("SQLite is always there");
    let ada = world.linked("ada", ADA).await;
    ada.post("/api/v1/tasks/add", &[("title", "iron shirts")]).await.ok();
    for (say, tool, arguments, expected) in [(
        "how are the shirts",
        "complete_task",
        json!({ "task_id": 1 }),
        "Completed iron shirts (#1)\n\nThat is the note.",
    )] {
        mock.script(json!([
            { "match": say, "round": 0, "tool_calls": [{ "name": tool, "arguments": arguments }] },
            { "match": say, "round": 1, "text": "That is the note." },
        ]))
        .await;
        world.write(say).await;
        let sent = world.reads(expected).await;
        assert!(sent.text.ends_with("That is the note."), "{sent:?}");
        let agent = world.app.token("ada", "chat,tasks:read,tasks:write");
        if tool == "complete_task" {
            ada.post("/api/v1/tasks/update", &[("task_id", "1"), ("status", "pending")]).await.ok();
            let turn = agent.post("/api/v1/chat", &[("message", say)]).await.ok();
            assert!(text(&turn, "reply").starts_with(expected.lines().next().unwrap_or_default()), "{turn}");
        }
    }
}
