//! The Telegram channel, with a fake of its Bot API.

use std::sync::atomic::{AtomicU32, Ordering};

use futures::future::join_all;
use serde_json::{Value, json};

use crate::app::{Client, Db, PASSWORD, Reply, Server, TestApp, complaint, until};
use crate::botapi::{BotApi, Message, SECRET, TOKEN};
use crate::reminders::heard;

mod failing;
/// Servers that crash in the middle.
mod gaps;
/// Texts longer than a message.
mod long;
mod relinking;

/// Ada's chat.
pub const ADA: i64 = 77;

/// A server with a bot.
pub struct World {
    pub app: TestApp,
    pub bot: BotApi,
    updates: AtomicU32,
    /// Further environment of every process.
    more: Vec<(String, String)>,
}

impl World {
    /// Starts one on each available database.
    pub async fn each() -> Vec<Self> {
        let mut worlds = vec![];
        for db in [Db::Sqlite, Db::Postgres] {
            worlds.extend(Self::on(db, &[]).await);
        }
        worlds
    }

    pub async fn on(db: Db, more: &[(&str, &str)]) -> Option<Self> {
        let bot = BotApi::start();
        let environment = [&bot.environment()[..], more].concat();
        let app = TestApp::start_with(db, &environment).await?;
        let more = more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Some(Self { app, bot, updates: AtomicU32::new(1000), more })
    }

    /// Starts another process on the same database, which is killed at the commit `crash`, if given.
    pub fn another(&self, crash: &str) -> Server {
        let more: Vec<_> = self.more.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let environment =
            [&self.bot.environment()[..], &more, &[("DOCKET_CRASH", crash), ("DOCKET_LEASE_MS", "2000")]].concat();
        Server::start(&self.app.database.url, &environment).unwrap_or_else(|output| panic!("{}", complaint(&output)))
    }

    pub fn next(&self) -> u32 {
        self.updates.fetch_add(1, Ordering::SeqCst)
    }

    /// Sends an update to the server, as Telegram does. Returns the status, if the server survived.
    pub async fn told(&self, update: &Value) -> Option<u16> {
        let anyone = Client::anonymous(&self.app.server.base);
        let request = anyone.request("POST", "/telegram/webhook").header("x-telegram-bot-api-secret-token", SECRET);
        request.json(update).send().await.ok().map(|answer| answer.status().as_u16())
    }

    async fn take(&self, update: &Value) {
        assert_eq!(self.told(update).await, Some(200), "{update}");
    }

    /// Sends a message from ada's chat.
    pub async fn write(&self, text: &str) {
        self.take(&text_update(self.next(), ADA, text)).await;
    }

    /// Presses a button of a message in ada's chat.
    pub async fn press(&self, message: &Message, label: &str) {
        let (_, data) = message.buttons.iter().find(|(found, _)| found == label).expect("the button is there");
        self.take(&press_update(self.next(), ADA, message.id, data)).await;
    }

    /// Waits for a message in ada's chat that contains `part`.
    pub async fn reads(&self, part: &str) -> Message {
        until(part, || async { self.bot.with(ADA, part) }).await
    }

    /// Creates a user with this chat.
    pub async fn linked(&self, name: &str, chat: i64) -> Client {
        let user = self.app.user(name);
        self.link(&user, chat).await;
        user
    }

    /// Links the chat to the user.
    pub async fn link(&self, user: &Client, chat: i64) {
        let made = user.post("/api/v1/telegram/link", &[]).await.ok();
        let code = made["code"].as_str().expect("a code");
        self.take(&text_update(self.next(), chat, &format!("/start {code}"))).await;
        until("the greeting", || async { self.bot.with(chat, "linked to the account") }).await;
    }

    async fn turns(&self, user: &Client) -> Vec<Value> {
        let list = user.get("/api/v1/audit/list", &[]).await.ok();
        list["items"].as_array().expect("a list").clone()
    }
}

pub fn text_update(id: u32, chat: i64, text: &str) -> Value {
    json!({ "update_id": id, "message": message(chat, &json!({ "text": text })) })
}

pub fn message(chat: i64, more: &Value) -> Value {
    // A person takes a second to read a question, so answers within the second of its display do not count.
    let date = jiff::Timestamp::now().as_second() + 1;
    let mut message = json!({
        "message_id": 1, "date": date, "chat": { "id": chat, "type": "private", "first_name": "Ada" },
        "from": { "id": chat, "is_bot": false, "first_name": "Ada", "username": "ada" },
    });
    message.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    message
}

pub fn press_update(id: u32, chat: i64, message_id: i64, data: &str) -> Value {
    let mut pressed = message(chat, &json!({}));
    pressed["message_id"] = json!(message_id);
    json!({ "update_id": id, "callback_query": {
        "id": format!("q{id}"), "from": { "id": chat, "is_bot": false, "first_name": "Ada" }, "chat_instance": "1",
        "message": pressed, "data": data,
    } })
}

#[tokio::test]
async fn only_telegram_is_let_in_and_strangers_hear_nothing() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        let heard = world.bot.calls("sendMessage").len();
        let update = text_update(world.next(), ADA, "add milk");
        for secret in ["", "wrong", "a-secret_wor", "a-secret_word2"] {
            let anyone = Client::anonymous(&world.app.server.base);
            let request = anyone.request("POST", "/telegram/webhook").header("x-telegram-bot-api-secret-token", secret);
            let reply = Reply::of(request.json(&update).send().await.expect("an answer")).await;
            assert_eq!((reply.status, reply.text.as_str()), (401, ""), "{secret}");
        }
        for stranger in ["add milk", "/start", "/start WRONGCODE234", "/tasks"] {
            world.take(&text_update(world.next(), 5, stranger)).await;
        }
        // Neither does an unknown kind of update or a message in a group.
        for silent in [json!({ "update_id": 1, "something": {} }), json!({ "update_id": 2, "edited_message": {} })] {
            assert_eq!(world.told(&silent).await, Some(200));
        }
        world.write("/help").await;
        until("the help", || async { (world.bot.messages(ADA).len() == 2).then_some(()) }).await;
        assert!(ada.tasks().await.is_empty());
        assert!(world.turns(&ada).await.is_empty());
        assert_eq!(world.bot.messages(5), []);
        assert_eq!(world.bot.calls("sendMessage").len(), heard + 1);
    }
}

#[tokio::test]
async fn without_a_bot_there_is_no_webhook() {
    let app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let ada = app.user("ada");
    let reply = ada.request("POST", "/telegram/webhook").json(&json!({})).send().await.expect("an answer");
    assert_eq!(reply.status(), 404);
    ada.post("/api/v1/telegram/link", &[]).await.is_error(409, "conflict", "no Telegram bot");
    let alone = Server::start(&app.database.url, &[("DOCKET_TELEGRAM_TOKEN", TOKEN)]).err().expect("a refusal");
    assert!(complaint(&alone).contains("DOCKET_TELEGRAM_SECRET must be set"), "{}", complaint(&alone));
}

#[tokio::test]
async fn link_code_works_once_and_unlinks_from_either_side() {
    for world in World::each().await {
        let ada = world.app.user("ada");
        let made = ada.post("/api/v1/telegram/link", &[]).await.ok();
        let code = made["code"].as_str().unwrap();
        assert!(made["expires_at"].as_str().unwrap().ends_with('Z'));
        assert_eq!(made["url"], format!("https://t.me/docket_test_bot?start={code}"));
        let start = format!("/start {code}");
        let update = text_update(world.next(), ADA, &start);
        join_all((0..10).map(|_| world.take(&update))).await;
        world.take(&text_update(world.next(), 5, &start)).await;
        world.reads("linked to the account").await;
        world.write("add milk").await;
        world.reads("Created task: milk (#1)").await;
        assert_eq!((world.bot.messages(ADA).len(), world.bot.messages(5)), (2, vec![]));

        // On the page and in the chat.
        let browser = Client::browser(&world.app.server.base);
        browser.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", PASSWORD)]).await.ok();
        let page = browser.get("/settings", &[]).await.text;
        assert!(page.contains("Linked to @ada") && page.contains("Unlink"), "{page}");
        assert!(page.contains("are not end-to-end encrypted") && !page.contains("stay on this machine"), "{page}");
        let back = [("return_to", "/settings#telegram")];
        let unlinked = browser.form("/api/v1/telegram/unlink", &back).await;
        assert_eq!((unlinked.status, unlinked.header("location")), (303, "/settings#telegram"));
        world.write("add eggs").await;
        let asked = browser.form("/api/v1/telegram/link", &back).await;
        assert_eq!(asked.status, 303);
        let page = browser.get("/settings", &[]).await.text;
        assert!(page.contains("Your messages stay on this machine"), "nobody is linked: {page}");
        assert!(
            page.contains("aria-label=\"QR code with the same link\"")
                && page.contains("https://t.me/docket_test_bot?start="),
            "{page}"
        );
        let code = page.split("<code>/start ").nth(1).and_then(|rest| rest.get(..12)).expect("the code is shown");
        world.write(&format!("/start {}", code.to_lowercase())).await;
        until("the second greeting", || async {
            (world.bot.messages(ADA).iter().filter(|it| it.text.contains("linked to")).count() == 2).then_some(())
        })
        .await;
        world.write("/unlink").await;
        world.reads("no longer linked").await;
        world.write("add bread").await;
        assert_eq!(ada.titles().await, ["milk"]);
    }
}

#[tokio::test]
async fn a_message_is_a_turn_whose_reply_replaces_a_placeholder() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        world.write("add **bold** <b>milk</b> & eggs").await;
        world.reads("Created task").await;
        world.write("show my tasks").await;
        world.reads("1 open task").await;
        let sent = world.bot.calls("sendMessage");
        let placeholders = sent.iter().filter(|call| call["text"] == "…").count();
        assert_eq!(placeholders, 2, "{sent:?}");
        let edited = world.bot.calls("editMessageText");
        let previews = sent.iter().chain(&edited).filter(|call| call["link_preview_options"]["is_disabled"] != true);
        assert_eq!(previews.collect::<Vec<_>>(), Vec::<&Value>::new(), "Telegram is to look no link up");
        assert_eq!(world.bot.messages(ADA).len(), 3);
        assert!(!world.bot.calls("sendChatAction").is_empty());
        let conversations = ada.get("/api/v1/conversations/list", &[]).await.ok();
        assert_eq!(conversations.as_array().unwrap().len(), 1, "both are of one conversation");
        world.write("/new").await;
        world.reads("New conversation.").await;
        world.write("hello").await;
        until("another conversation", || async {
            let all = ada.get("/api/v1/conversations/list", &[]).await.ok();
            (all.as_array().unwrap().len() == 2).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn repeated_update_creates_one_turn() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        let update = text_update(world.next(), ADA, "add milk");
        join_all((0..100).map(|_| world.take(&update))).await;
        // Later updates first, and an old one again.
        let (first, second) = (world.next(), world.next());
        for (id, title) in [(second, "bread"), (first, "eggs"), (second, "bread")] {
            world.take(&text_update(id, ADA, &format!("add {title}"))).await;
        }
        world.take(&update).await;
        world.reads("Created task: eggs").await;
        let mut titles = ada.titles().await;
        titles.sort();
        assert_eq!(titles, ["bread", "eggs", "milk"]);
        assert_eq!(world.turns(&ada).await.len(), 3);
        assert_eq!(world.bot.messages(ADA).len(), 4);
    }
}

#[tokio::test]
async fn a_question_has_buttons_and_the_first_door_decides() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        world.write("add milk").await;
        world.reads("Created task: milk").await;
        world.write("delete task 1").await;
        let asked = until("the buttons", || async {
            world.bot.with(ADA, "Are you sure").filter(|asked| asked.buttons.len() == 2)
        })
        .await;
        assert!(asked.text.contains("milk (#1) goes to the bin"), "{}", asked.text);
        join_all((0..10).map(|_| world.press(&asked, "Yes"))).await;
        world.press(&asked, "No").await;
        world.reads("Deleted task: milk").await;
        let decided = until("no buttons", || async {
            world.bot.with(ADA, "Are you sure").filter(|asked| asked.buttons.is_empty())
        })
        .await;
        assert_eq!(decided.id, asked.id);
        assert!(decided.text.contains("already approved by ada on Telegram"), "{}", decided.text);
        assert!(ada.tasks().await.is_empty());
        assert_eq!(world.turns(&ada).await.len(), 3);
        // The other channel is updated at once.
        assert_eq!(heard(&ada, "approval.decided").await, 1);
        let settled = ada.get("/api/v1/approvals/list", &[]).await.ok();
        assert_eq!((&settled[0]["status"], &settled[0]["decided_via"]), (&json!("approved"), &json!("telegram")));
        let browser = Client::browser(&world.app.server.base);
        browser.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", PASSWORD)]).await.ok();
        let page = browser.get("/approvals", &[("status", "approved")]).await.text;
        assert!(page.contains("approval-card--approved") && !page.contains("approval-card--pending"), "{page}");
        let answers = world.bot.calls("answerCallbackQuery");
        assert!(answers.iter().filter(|answer| answer["text"] == "Approved.").count() <= 1, "{answers:?}");

        // Decided in the browser: the chat's message is updated.
        world.write("add bread").await;
        world.reads("Created task: bread").await;
        world.write("delete task 2").await;
        until("the question", || async {
            world.bot.with(ADA, "bread (#2) goes to the bin").filter(|asked| !asked.buttons.is_empty())
        })
        .await;
        let waiting = ada.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok();
        let id = waiting[0]["approval_id"].as_str().unwrap();
        ada.post("/api/v1/approvals/decide", &[("approval_id", id), ("verdict", "reject")]).await.ok();
        world.reads("already declined by ada through the API").await;
        world.reads("All right, nothing was changed: bread").await;
    }
}

#[tokio::test]
async fn commands_are_answered() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        world.write("/undo").await;
        world.reads("nothing to undo in this conversation").await;
        world.write("add milk tomorrow 5pm").await;
        world.reads("Created task: milk").await;
        world.write("/tasks@docket_test_bot").await;
        world.reads("#1 milk · tomorrow 17:00").await;
        world.write("add bread").await;
        world.reads("Created task: bread").await;
        let undo = text_update(world.next(), ADA, "/undo");
        join_all((0..10).map(|_| world.take(&undo))).await;
        world.reads("Undid my last change to #2.").await;
        assert_eq!(ada.titles().await, ["milk"]);
        world.write("/stop").await;
        world.reads("Nothing is running").await;
    }
}

#[tokio::test]
async fn whoever_is_shut_out_is_not_served_any_more() {
    for world in World::each().await {
        world.linked("ada", ADA).await;
        world.write("add milk").await;
        world.reads("Created task: milk").await;
        world.write("delete task 1").await;
        let asked = until("the buttons", || async {
            world.bot.with(ADA, "Are you sure").filter(|asked| !asked.buttons.is_empty())
        })
        .await;
        world.app.command(&["user", "disable", "ada"], "");
        let before = world.bot.messages(ADA);
        world.write("add bread").await;
        world.press(&asked, "Yes").await;
        world.app.command(&["user", "enable", "ada"], "");
        // Re-enabling the account restores neither tokens nor the chat.
        let ada = world.app.token("ada", "chat,tasks:read");
        world.write("/tasks").await;
        world.write("add eggs").await;
        assert_eq!(ada.titles().await, ["milk"]);
        assert_eq!(world.bot.messages(ADA), before);
    }
}

#[tokio::test]
async fn the_command_tells_telegram_where_to_send() {
    let Some(world) = World::on(Db::Sqlite, &[]).await else { return };
    let run = |arguments: &[&str]| {
        let mut command = crate::app::docket(&world.app.database.url, arguments);
        command.envs(world.bot.environment()).env("DOCKET_PUBLIC_URL", "https://docket.example");
        let output = crate::app::finish(command, "");
        assert!(output.status.success(), "{}", complaint(&output));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert!(run(&["telegram", "status"]).contains("Webhook: none"));
    assert!(run(&["telegram", "set-webhook"]).contains("https://docket.example/telegram/webhook"));
    let hook = world.bot.calls("setWebhook").remove(0);
    assert_eq!(
        (&hook["secret_token"], &hook["url"]),
        (&json!(SECRET), &json!("https://docket.example/telegram/webhook"))
    );
    let status = run(&["telegram", "status"]);
    assert!(status.contains("@docket_test_bot") && status.contains("Pending updates: 3"), "{status}");
    // Errors are reported without the token.
    let mut command = crate::app::docket(&world.app.database.url, &["telegram", "status"]);
    command.envs(world.bot.environment()).env("DOCKET_TELEGRAM_API", "http://127.0.0.1:1");
    let failed = complaint(&crate::app::finish(command, ""));
    assert!(failed.contains("did not answer") && !failed.contains(TOKEN), "{failed}");
}
