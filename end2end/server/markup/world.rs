//! An account in which every user-supplied string is hostile, and an admin.

use serde_json::{Value, json};

use super::provider;
use super::words::{HOSTILE, Words};
use crate::app::{Client, Db, PASSWORD, Server, TestApp, until};
use crate::botapi::{BotApi, SECRET};

/// Ada's Telegram chat.
const CHAT: i64 = 77;

pub struct World {
    pub words: Words,
    pub app: TestApp,
    /// The browsers of ada and of an admin.
    pub ada: Client,
    pub root: Client,
    pub conversations: Vec<String>,
    pub approvals: Vec<String>,
    pub turns: Vec<String>,
    pub tasks: usize,
    /// A time at which there were tasks.
    pub then: String,
    _bot: BotApi,
}

impl World {
    pub async fn new(words: Words) -> Self {
        let (bot, model) = (BotApi::start(), words.line(3, 60));
        let url = provider::start(words);
        let engine = [
            ("DOCKET_ENGINE", "compatible"),
            ("DOCKET_LLM_BASE_URL", url.as_str()),
            ("DOCKET_LLM_API_KEY", "sk-test"),
            ("DOCKET_LLM_MODEL", model.as_str()),
            ("DOCKET_LLM_STREAM", "off"),
            ("DOCKET_LLM_RETRIES", "0"),
        ];
        let environment = [&bot.environment()[..], &engine].concat();
        let mut app = TestApp::start_with(Db::Sqlite, &environment).await.expect("SQLite is always there");
        let token = app.user("ada");
        app.command(&["user", "add", "root", "--password-stdin", "--admin", "--timezone", "Europe/London"], PASSWORD);
        tasks(&token, words).await;
        talks(&token, words).await;
        requests(&token, words).await;
        agent(&app, words).await;
        telegram(&app, &bot, &token, words).await;
        // A server summarises at its start and every minute.
        app.server.terminate();
        app.server = Server::start(&app.database.url, &environment).expect("another starts");
        let token = token.at(&app.server);
        until("memories", || async {
            let found = token.get("/api/v1/memories/list", &[]).await.ok();
            found["memories"].as_array().filter(|found| !found.is_empty()).map(|_| ())
        })
        .await;
        let (ada, root) = (app.browser("ada").await, app.browser("root").await);
        tokens(&ada, words).await;
        let ids = |list: Value, field: &str| -> Vec<String> {
            let items = list["items"].as_array().or(list.as_array()).expect("a list").clone();
            items.iter().map(|item| item[field].as_str().expect("an id").to_owned()).collect()
        };
        let conversations = ids(ada.get("/api/v1/conversations/list", &[]).await.ok(), "conversation_id");
        let approvals = ids(ada.get("/api/v1/approvals/list", &[("status", "all")]).await.ok(), "approval_id");
        let newest = ada.get("/api/v1/audit/list", &[]).await.ok();
        let turns = ids(newest.clone(), "turn_id");
        let then = newest["items"][0]["at"].as_str().expect("an instant").to_owned();
        Self { then, words, app, ada, root, conversations, approvals, turns, tasks: HOSTILE.len(), _bot: bot }
    }
}

impl World {
    /// Returns the structure of all data, without texts.
    pub async fn shape(&self) -> Vec<String> {
        let tasks = self.ada.tasks().await;
        let count = |value: &Value| value.as_array().map_or(0, Vec::len);
        let tasks = tasks.iter().map(|it| {
            format!("task {} {} {} {}", it["task_id"], it["status"], it["project"].is_null(), count(&it["tags"]))
        });
        let mut all: Vec<_> = tasks.collect();
        let mut cursor: Option<String> = None;
        loop {
            let fields: Vec<_> = cursor.iter().map(|cursor| ("cursor", cursor.as_str())).collect();
            let page = self.ada.get("/api/v1/audit/list", &fields).await.ok();
            for turn in page["items"].as_array().expect("a list") {
                let calls: Vec<_> =
                    turn["tool_calls"].as_array().expect("calls").iter().map(|it| it["status"].to_string()).collect();
                all.push(format!("turn {} {} {}", turn["engine"], turn["decision"], calls.join(" ")));
            }
            let Some(next) = page["next"].as_str() else { return all };
            cursor = Some(next.to_owned());
        }
    }
}

/// Adds tasks for every view, with hostile strings in each field.
async fn tasks(ada: &Client, words: Words) {
    for at in 0..HOSTILE.len() {
        let (title, notes) = (words.line(at, 200), words.text(at));
        let (project, tag) = (words.line(at, 60), words.word(at, 40));
        let fields = [
            ("title", title.as_str()),
            ("description", &notes),
            ("project", &project),
            ("tags[0]", &tag),
            ("due", if at % 2 == 0 { "2030-03-01" } else { "2020-03-01" }),
        ];
        ada.post("/api/v1/tasks/add", &fields).await.ok();
    }
    let long = words.long(0, 4_000);
    ada.post("/api/v1/tasks/update", &[("task_id", "1"), ("description", &long), ("recurrence", "every monday")])
        .await
        .ok();
    ada.post("/api/v1/tasks/update", &[("task_id", "2"), ("title", &words.long(1, 200))]).await.ok();
    for task in ["3", "4"] {
        ada.post("/api/v1/tasks/complete", &[("task_id", task)]).await.ok();
    }
    for task in ["5", "6"] {
        ada.post("/api/v1/tasks/delete", &[("task_id", task)]).await.ok();
    }
    let rows: Vec<_> =
        (0..3).map(|at| format!("\"{}\",\"{}\"", csv(&words.line(at, 200)), csv(&words.text(at)))).collect();
    let table = format!("title,description\n{}\n", rows.join("\n"));
    ada.post("/api/v1/tasks/import", &[("text", &table), ("format", "csv")]).await.ok();
}

/// Escapes a cell of a CSV table.
pub fn csv(text: &str) -> String {
    text.replace('"', "\"\"")
}

/// Holds conversations whose messages, replies, questions, calls and titles are hostile.
async fn talks(ada: &Client, words: Words) {
    // Enough messages for a summary.
    let turn = ada.say(&format!("say {}", words.line(0, 200))).await;
    for at in 1..30 {
        ada.say_after(&turn, &format!("say {}", words.line(at, 200))).await;
    }
    let acts = ["say", "ask", "decline", "call", "add", "wrong", "break", "show"];
    for at in 0..HOSTILE.len() {
        let line = words.line(at, 200);
        // If the model fails, the rules answer, and they may parse one text differently from another.
        let message = |act: &str, text: String| if act == "break" { act.to_owned() } else { format!("{act} {text}") };
        let turn = ada.say(&message(acts[at % acts.len()], line.clone())).await;
        let other = acts[(at + 3) % acts.len()];
        ada.say_after(&turn, &message(other, format!("{line}\r\n\r\n{}", words.long(at, 300)))).await;
        if at % 2 == 0 {
            let conversation = turn["conversation_id"].as_str().expect("an id");
            let title = words.line(at, 80);
            ada.post("/api/v1/conversations/rename", &[("conversation_id", conversation), ("title", &title)])
                .await
                .ok();
        }
    }
}

/// Creates pending approvals, approved ones, and ones rejected with a reason.
async fn requests(ada: &Client, words: Words) {
    for (at, (message, verdict)) in [
        ("delete 7".to_owned(), Some("approve")),
        ("delete 8".to_owned(), Some("reject")),
        (format!("rename 9 {}", words.line(2, 150)), Some("reject")),
        (format!("rename 10 {}", words.line(3, 150)), Some("approve")),
        ("delete 11".to_owned(), None),
        (format!("rename 12 {}", words.line(11, 150)), None),
    ]
    .into_iter()
    .enumerate()
    {
        let turn = ada.say(&message).await;
        let id = turn["approval"]["approval_id"].as_str().unwrap_or_else(|| panic!("a request: {turn}"));
        let reason = words.line(at, 200);
        let fields = [("approval_id", id), ("verdict", verdict.unwrap_or_default()), ("reason", &reason)];
        if verdict.is_some() {
            ada.post("/api/v1/approvals/decide", &fields).await.ok();
        }
    }
}

/// Runs agents with hostile names.
async fn agent(app: &TestApp, words: Words) {
    let scope = "tasks:read,tasks:write,tasks:delete";
    for at in [0, 5, 11] {
        let name = words.line(at, 60);
        let create = ["token", "create", "--user", "ada", "--name", &name, "--agent", "--scope", scope];
        let agent = Client { token: Some(app.command(&create, "")), ..Client::anonymous(&app.server.base) };
        let line = words.line(at, 120);
        agent.tool("add_task", json!({ "title": line, "description": words.text(at) })).await;
        agent.tool("update_task", json!({ "task_id": 14, "description": words.text(at) })).await;
        agent.tool("delete_task", json!({ "task_id": 13 + at })).await;
        agent.tool("get_task", json!({ "task_id": line })).await;
    }
}

/// Sends messages from a Telegram user with a hostile name.
async fn telegram(app: &TestApp, bot: &BotApi, ada: &Client, words: Words) {
    let made = ada.post("/api/v1/telegram/link", &[]).await.ok();
    let name = words.line(1, 60);
    let says = [format!("/start {}", made["code"].as_str().expect("a code")), format!("say {}", words.line(4, 200))];
    for (at, text) in says.iter().enumerate() {
        let message = json!({
            "message_id": at, "date": 1_770_000_000, "chat": { "id": CHAT, "type": "private", "first_name": name },
            "from": { "id": CHAT, "is_bot": false, "first_name": name }, "text": text,
        });
        let anyone = Client::anonymous(&app.server.base);
        let request = anyone.request("POST", "/telegram/webhook").header("x-telegram-bot-api-secret-token", SECRET);
        let answer = request.json(&json!({ "update_id": 1_000 + at, "message": message })).send().await;
        assert_eq!(answer.expect("an answer").status(), 200);
    }
    until("a reply on Telegram", || async { bot.with(CHAT, "h05") }).await;
}

async fn tokens(ada: &Client, words: Words) {
    for at in 0..4 {
        let name = words.line(at, 60);
        ada.post("/api/v1/settings/tokens/create", &[("name", &name), ("scopes[0]", "tasks:read")]).await.ok();
    }
}
