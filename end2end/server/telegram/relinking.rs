//! A code of one account in the chat of another: a question names both, and only a yes moves the chat.

use serde_json::json;

use super::{ADA, World, message, press_update, text_update};
use crate::app::{Client, PASSWORD, until};
use crate::botapi::Message;
use crate::reminders::heard;

/// Returns the command with a new code of the user.
async fn start(user: &Client) -> String {
    let made = user.post("/api/v1/telegram/link", &[]).await.ok();
    format!("/start {}", made["code"].as_str().expect("a code"))
}

/// Waits for the question after a message, with its buttons.
async fn question(world: &World, after: i64) -> Message {
    let asks = |it: &Message| it.id > after && it.text.contains("instead?") && it.buttons.len() == 2;
    until("the question", || async { world.bot.messages(ADA).into_iter().find(asks) }).await
}

/// Adds a task through the chat, which shows its owner.
async fn add(world: &World, title: &str) {
    world.write(&format!("add {title}")).await;
    world.reads(&format!("Created task: {title}")).await;
}

#[tokio::test]
async fn link_code_of_another_account_moves_the_chat_after_confirmation() {
    for world in World::each().await {
        let (ada, ben) = (world.linked("ada", ADA).await, world.app.user("ben"));
        let open = Client::browser(&world.app.server.base);
        open.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", PASSWORD)]).await.ok();
        let code = start(&ben).await;
        world.write(&code).await;
        let asked = question(&world, 0).await;
        assert!(asked.text.contains("ada") && asked.text.contains("ben"), "{}", asked.text);
        add(&world, "milk").await;
        assert_eq!((ada.titles().await, ben.titles().await), (vec!["milk".to_owned()], vec![]));
        // A press in another chat or by another person has no effect.
        let (_, yes) = asked.buttons.iter().find(|(label, _)| label == "Yes").expect("a yes").clone();
        world.take(&press_update(world.next(), 5, asked.id, &yes)).await;
        let mut forged = press_update(world.next(), ADA, asked.id, &yes);
        forged["callback_query"]["from"] = json!({ "id": 5, "is_bot": false, "first_name": "Eve" });
        world.take(&forged).await;
        // Nor does a group, where nothing can be linked.
        let group = json!({ "text": start(&ben).await, "chat": { "id": -5, "type": "group", "title": "us" } });
        world.take(&json!({ "update_id": world.next(), "message": message(ADA, &group) })).await;
        add(&world, "eggs").await;
        assert_eq!(ada.titles().await.len(), 2, "still hers");
        assert_eq!(heard(&ada, "account.notice").await, 0);

        // The newer code voided the first question.
        world.press(&asked, "Yes").await;
        world.write(&start(&ben).await).await;
        let asked = question(&world, asked.id).await;
        world.press(&asked, "Yes").await;
        until("the second greeting", || async {
            let all = world.bot.messages(ADA);
            (all.iter()
                .filter(|it| {
                    it.text.contains("is now linked to the account “")
                        && it.text.contains("If this is not your account, send /unlink.")
                })
                .count()
                == 2)
                .then_some(())
        })
        .await;
        world.press(&asked, "No").await;
        add(&world, "bread").await;
        assert_eq!((ada.titles().await.len(), ben.titles().await), (2, vec!["bread".to_owned()]));
        let settled = until("no buttons", || async {
            world.bot.messages(ADA).into_iter().find(|it| it.id == asked.id && it.buttons.is_empty())
        })
        .await;
        assert!(settled.text.contains("ben"), "{}", settled.text);

        // The previous account is notified: in open tabs, on its next page, in its settings and in its audit log.
        assert_eq!(heard(&ada, "account.notice").await, 1);
        let page = open.get("/tasks", &[]).await.text;
        assert!(page.contains("is now linked to the account ben"), "{page}");
        let section = open.get("/api/v1/telegram/section", &[]).await.ok();
        let section = section.as_str().unwrap();
        assert!(section.contains("is now linked to the account ben") && section.contains("Dismiss"), "{section}");
        let notice =
            section.split("name=\"notice_id\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let bens = Client::browser(&world.app.server.base);
        bens.post("/api/v1/session/sign-in", &[("name", "ben"), ("password", PASSWORD)]).await.ok();
        let dismiss = "/api/v1/settings/notices/dismiss";
        bens.post(dismiss, &[("notice_id", notice)]).await.is_error(404, "not_found", "no such notice");
        ada.post(dismiss, &[("notice_id", notice)]).await.is_error(403, "forbidden", "browser");
        let back = open.form(dismiss, &[("notice_id", notice), ("return_to", "/settings#telegram")]).await;
        assert_eq!((back.status, back.header("location")), (303, "/settings#telegram"), "{}", back.text);
        assert!(!open.get("/tasks", &[]).await.text.contains("is now linked to the account ben"));
        assert!(world.app.command(&["audit", "verify"], "").starts_with("verified"));
    }
}

#[tokio::test]
async fn a_no_leaves_the_chat_and_spends_the_code() {
    for world in World::each().await {
        let (ada, ben) = (world.linked("ada", ADA).await, world.app.user("ben"));
        let code = start(&ben).await;
        world.write(&code).await;
        let asked = question(&world, 0).await;
        world.press(&asked, "No").await;
        world.reads("was not linked to the account").await;
        world.press(&asked, "Yes").await;
        world.take(&text_update(world.next(), 5, &code)).await;
        world.write(&code).await;
        add(&world, "milk").await;
        assert_eq!((ada.titles().await, ben.titles().await), (vec!["milk".to_owned()], vec![]));
        assert_eq!((world.bot.messages(5), heard(&ada, "account.notice").await), (vec![], 0));
    }
}

#[tokio::test]
async fn link_code_needs_the_password_and_token_revocation_unlinks_chat() {
    for world in World::each().await {
        let app = &world.app;
        let program = world.linked("ada", ADA).await;
        let ada = app.browser("ada").await;
        let path = "/api/v1/telegram/link";
        ada.post(path, &[]).await.ok();
        app.database.forget_passwords().await;
        ada.post(path, &[]).await.is_error(403, "forbidden", "Linking a chat requires your password");
        ada.post(path, &[("password", "wrong wrong wrong")]).await.is_error(
            422,
            "invalid",
            "The password is wrong. Nothing was changed.",
        );
        ada.post("/api/v1/telegram/unlink", &[]).await.ok();
        let section = ada.get("/api/v1/telegram/section", &[]).await.ok();
        assert!(section.as_str().unwrap().contains("type=\"password\""), "{section}");
        ada.post(path, &[("password", PASSWORD)]).await.ok();
        world.link(&program, ADA).await;
        add(&world, "milk").await;
        let list = app.command(&["token", "list", "--user", "ada"], "");
        let id = list.lines().nth(1).and_then(|line| line.split(' ').next()).expect("a token");
        app.command(&["token", "revoke", id], "");
        world.write("add eggs").await;
        assert_eq!(ada.titles().await, ["milk"]);
        let section = ada.get("/api/v1/telegram/section", &[]).await.ok();
        assert!(section.as_str().unwrap().contains("Create a linking code"), "{section}");
    }
}
