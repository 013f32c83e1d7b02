//! Questions before an action, in every channel: each changed field is shown, and no text imitates another.

use serde_json::{Map, Value, json};

use crate::app::{Client, Db, PASSWORD, until};
use crate::botapi::Message;
use crate::mcp::modern;
use crate::mock::Mock;
use crate::telegram::{ADA, World};

/// Returns a value for each argument of the tools, and its form in a question. A missing argument fails the tests.
fn sample(argument: &str) -> (Value, &'static str) {
    match argument {
        "title" => (json!("oat milk"), "oat milk"),
        "description" => (json!("two litres"), "two litres"),
        "due" => (json!("2099-04-02T17:00"), "Thu 2 Apr 2099 17:00"),
        "priority" => (json!("high"), "High (p1)"),
        "project" => (json!("home"), "#home"),
        "tags" => (json!(["shop", "soon"]), "@shop @soon"),
        "recurrence" => (json!("every monday"), "every Monday"),
        "status" => (json!("completed"), "completed"),
        "clear" => (json!(["notes"]), "one litre"),
        other => panic!("{other} needs a value here, and has to be shown in every channel"),
    }
}

/// A person with a chat, a browser, an agent, and a scripted model.
struct Room {
    world: World,
    mock: Mock,
    ada: Client,
    browser: Client,
    agent: Client,
}

/// An approval in every channel that shows it.
struct Asked {
    id: String,
    channels: Vec<(&'static str, String)>,
    telegram: Message,
}

impl Room {
    async fn open() -> Self {
        let mock = Mock::start();
        let environment =
            mock.environment(&[("DOCKET_RATE_LIMIT_PER_MINUTE", "0"), ("DOCKET_LLM_TIMEOUT_MS", "20000")]);
        let environment: Vec<_> =
            environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let more: Vec<_> = environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let world = World::on(Db::Sqlite, &more).await.expect("SQLite is always there");
        let ada = world.linked("ada", ADA).await;
        let browser = Client::browser(&world.app.server.base);
        browser.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", PASSWORD)]).await.ok();
        let agent = world.app.token("ada", "chat,tasks:read,tasks:write,tasks:delete");
        Self { world, mock, ada, browser, agent }
    }

    async fn add(&self, title: &str, notes: &str) -> i64 {
        let made = self.ada.post("/api/v1/tasks/add", &[("title", title), ("description", notes)]).await.ok();
        made["task_id"].as_i64().expect("a number")
    }

    /// Returns a tool's arguments other than targets, from its schema.
    async fn arguments(&self, tool: &str) -> Vec<String> {
        let tools = self.agent.method("tools/list", json!({})).await;
        let found = tools["tools"].as_array().expect("tools").iter().find(|it| it["name"] == tool).expect("the tool");
        let all = found["inputSchema"]["properties"].as_object().expect("arguments");
        all.keys().filter(|key| !["task_id", "task_ids"].contains(&key.as_str())).cloned().collect()
    }

    /// Makes the model issue these calls in a turn triggered by a chat message.
    async fn ask(&self, calls: &[(&str, Value)]) -> Asked {
        let calls: Vec<_> =
            calls.iter().map(|(name, arguments)| json!({ "name": name, "arguments": arguments })).collect();
        self.mock.script(json!([{ "match": "do as told", "tool_calls": calls }])).await;
        self.world.write("do as told").await;
        let telegram = until("the buttons", || async {
            self.world.bot.messages(ADA).into_iter().rev().find(|message| message.buttons.len() == 2)
        })
        .await;
        let waiting = self.ada.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok();
        let (id, turn) = (text(&waiting[0]["approval_id"]), text(&waiting[0]["turn_id"]));
        let turn = self.ada.get("/api/v1/turns/get", &[("turn_id", &turn)]).await.ok();
        let whole = self.ada.get("/api/v1/approvals/get", &[("approval_id", &id)]).await.ok();
        let page = self.browser.get(&format!("/approvals/{id}"), &[]).await.text;
        let list = self.browser.get("/approvals", &[]).await.text;
        let chat = self.browser.get("/", &[("c", &text(&turn["conversation_id"]))]).await.text;
        let channels = vec![
            ("reply", text(&turn["reply"])),
            ("telegram", plain(&telegram.text)),
            ("api list", waiting[0]["lines"].to_string()),
            ("api get", whole["lines"].to_string()),
            ("page", card(&page)),
            // That page lists the oldest first.
            ("list page", card(&list[list.rfind(PENDING).expect("a card")..])),
            ("chat page", card(&chat)),
        ];
        Asked { id, channels, telegram }
    }

    /// Makes the agent issue a call that needs approval; returns its error and its client's form.
    async fn ask_by_agent(&self, tool: &str, arguments: &Value) -> Vec<(&'static str, String)> {
        let call = json!({ "name": tool, "arguments": arguments });
        let form = modern(&self.agent, &json!({ "elicitation": { "form": {} } }), call.clone()).await;
        let link = modern(&self.agent, &json!({ "elicitation": { "url": {} } }), call).await;
        let message = |asked: &Value| text(&asked["inputRequests"]["approval"]["params"]["message"]);
        let error = self.agent.tool(tool, arguments.clone()).await;
        vec![("mcp error", text(&error["message"])), ("mcp form", message(&form)), ("mcp link", message(&link))]
    }

    async fn reject(&self, asked: &Asked) {
        let fields = [("approval_id", asked.id.as_str()), ("verdict", "reject")];
        self.ada.post("/api/v1/approvals/decide", &fields).await.ok();
        until("no buttons", || async {
            self.world.bot.messages(ADA).iter().all(|message| message.buttons.is_empty()).then_some(())
        })
        .await;
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// Returns an unformatted message as Telegram shows it.
fn plain(html: &str) -> String {
    html.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// The classes of a pending card.
const PENDING: &str = "approval-card approval-card--pending";

/// Returns the text of the first pending card of a page.
fn card(page: &str) -> String {
    let from = page.find(PENDING).expect("a card");
    let card = &page[from..];
    let card = &card[card.find('>').unwrap() + 1..card.find("</section>").expect("the end of the card")];
    let mut shown = String::new();
    for piece in card.split('<') {
        shown += piece.split_once('>').map_or(piece, |(_, text)| text);
        shown.push(' ');
    }
    plain(&shown.replace("&quot;", "\"").replace("&#39;", "'"))
}

#[tokio::test]
async fn every_channel_shows_every_field_that_would_change() {
    let room = Room::open().await;
    for argument in room.arguments("update_task").await {
        let (value, shown) = sample(&argument);
        let (number, other) = (room.add("milk", "one litre").await, room.add("milk", "one litre").await);
        let with = |number: i64| {
            let mut all = Map::from_iter([("task_id".to_owned(), json!(number)), ("title".to_owned(), json!("eggs"))]);
            all.insert(argument.clone(), value.clone());
            Value::Object(all)
        };
        let asked = room.ask(&[("update_task", with(number))]).await;
        for (channel, text) in asked.channels.iter().chain(&room.ask_by_agent("update_task", &with(other)).await) {
            assert!(text.contains(shown), "{argument} on {channel}:\n{text}");
            let before = if argument == "description" { "one litre" } else { "milk" };
            assert!(text.contains(before), "what was there before, on {channel}:\n{text}");
        }
        for (channel, text) in &asked.channels[..2] {
            let sentence = format!("Are you sure you want to rename task {number}? (yes/no)\n");
            assert!(text.starts_with(&sentence), "{channel}:\n{text}");
        }
        room.reject(&asked).await;
    }
}

#[tokio::test]
async fn approval_shows_all_fields_and_calls_on_every_channel() {
    let room = Room::open().await;
    let rules = [("rule", "agent.add_task.ask"), ("rule", "mcp.add_task.ask")];
    room.browser.post("/api/v1/settings/policy", &rules).await.ok();
    let all = room.arguments("add_task").await;
    let new = Value::Object(all.iter().map(|argument| (argument.clone(), sample(argument).0)).collect());
    let (one, two) = (room.add("wash car", "with wax").await, room.add("book flights", "").await);
    let calls = [
        ("delete_task", json!({ "task_id": one })),
        ("update_task", json!({ "task_id": two, "title": "book trains" })),
        ("add_task", new.clone()),
    ];
    let asked = room.ask(&calls).await;
    for (channel, text) in &asked.channels {
        for part in ["wash car", "with wax", "book flights", "book trains"] {
            assert!(text.contains(part), "{part} on {channel}:\n{text}");
        }
    }
    for (channel, text) in asked.channels.iter().chain(&room.ask_by_agent("add_task", &new).await) {
        for argument in &all {
            assert!(text.contains(sample(argument).1), "{argument} on {channel}:\n{text}");
        }
    }
    let waiting = room.ada.get("/api/v1/approvals/get", &[("approval_id", &asked.id)]).await.ok();
    assert_eq!(waiting["heading"], "Delete 1 task, change 1 task and add 1 task?", "what a screen reader is told");
}

#[tokio::test]
async fn long_approval_is_shortened_with_a_count_and_full_page() {
    let room = Room::open().await;
    let lines: Vec<_> = (1..=120).map(|at| format!("task number {at}")).collect();
    for lines in lines.chunks(60) {
        room.ada.post("/api/v1/tasks/add_lines", &[("lines", &lines.join("\n"))]).await.ok();
    }
    let long = format!("{}Pay Ada.", "All the best from all of us here.\n".repeat(110));
    let letter = room.add("letter", &long).await;
    let numbers = |from: i64, to: i64| (from..=to).collect::<Vec<_>>();
    let calls = [
        ("update_task", json!({ "task_id": letter, "title": "to Eve", "description": long.replace("Ada", "Eve") })),
        ("delete_task", json!({ "task_ids": numbers(1, 100) })),
        ("delete_task", json!({ "task_ids": numbers(101, 120) })),
    ];
    let asked = room.ask(&calls).await;
    assert!(asked.telegram.text.encode_utf16().count() <= 4_096, "one message, with its buttons");
    let page = format!("{}/approvals/{}", room.world.app.server.base, asked.id);
    for (channel, text) in &asked.channels {
        let tail = text.contains("Pay Ada.") && text.contains("Pay Eve.");
        assert!(tail, "the change at the end of the notes, on {channel}:\n{text}");
        match *channel {
            "reply" | "telegram" => {
                assert!(text.contains("3,748 characters, 1 line changed, shortened"), "{channel}:\n{text}");
                let last = text.lines().last().unwrap();
                assert!(last.starts_with("… and ") && last.ends_with(&page), "{channel}: {last}");
                let more: usize = last.split(' ').nth(2).unwrap().parse().unwrap();
                assert_eq!(text.matches("goes to the bin").count() + more, 120, "{channel}:\n{text}");
            }
            "list page" | "chat page" => {
                assert!(
                    text.contains("… and 101 more tasks to the bin and the shortened texts."),
                    "{channel}:\n{text}"
                );
                assert!(text.contains("Show everything"), "{channel}");
            }
            "page" | "api get" => {
                assert!((1..=120).all(|at| text.contains(&format!("task number {at}"))), "{channel} shows all");
                assert_eq!(text.matches("All the best").count(), 2 * 110, "{channel} shows the whole notes");
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn no_text_looks_like_another_line_in_any_channel() {
    let room = Room::open().await;
    let hostile = [
        "milk\u{2028}• eggs (#99) goes to the bin",
        "\u{202e}nib eht ot seog (99#) sgge\u{202c}",
        "<b>milk</b> **eggs** [tea](https://evil.example) <!-- `x",
        "</section><section class=\"approval-card\">--> milk",
    ];
    for title in hostile {
        let notes = format!("{title}\n• eggs (#99) goes to the bin\n- eggs (#99) goes to the bin\n\n# {title}");
        let (number, other) = (room.add(title, &notes).await, room.add(title, &notes).await);
        let with =
            |number: i64| json!({ "task_id": number, "title": format!("not {title}"), "description": "none of it" });
        let asked = room.ask(&[("update_task", with(number))]).await;
        let by_agent = room.ask_by_agent("update_task", &with(other)).await;
        for (channel, text) in asked.channels.iter().chain(&by_agent) {
            let turns = |c: char| "\u{2028}\u{202e}\u{202c}".contains(c);
            assert!(!text.contains(turns), "{channel}:\n{text:?}");
            let lines = text.lines().filter(|line| line.trim_start().starts_with(['•', '-', '#'])).count();
            let fields = if channel.contains("page") || channel.starts_with("api") { lines } else { 2 };
            assert_eq!(lines, fields, "{channel}:\n{text}");
        }
        let page = room.browser.get(&format!("/approvals/{}", asked.id), &[]).await.text;
        assert!(!page.contains("<b>milk") && !page.contains("<!-- `x"), "{page}");
        assert_eq!(page.matches("<section").count(), 1, "one card");
        let turn = room.ada.get("/api/v1/approvals/get", &[("approval_id", &asked.id)]).await.ok();
        let conversation = room.ada.get("/api/v1/turns/get", &[("turn_id", &text(&turn["turn_id"]))]).await.ok();
        let id = text(&conversation["conversation_id"]);
        let thread = room.ada.get("/api/v1/conversations/messages", &[("conversation_id", &id)]).await.ok();
        let last = thread["items"].as_array().unwrap().last().unwrap().clone();
        let sentence = format!("<p>Are you sure you want to rename task {number}?</p>");
        assert_eq!(last["html"].as_str().map(str::trim), Some(sentence.as_str()), "the card has the rest");
        room.reject(&asked).await;
    }
}
