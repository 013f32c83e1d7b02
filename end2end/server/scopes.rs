//! Scopes through every interface: a token gains nothing through a chat, a verdict or a confirmation that its scopes
//! forbid directly (R-1103). Also tests the tokens and sessions named in the audit log.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::app::{Client, TestApp};
use crate::on_both;

const TASKS: [&str; 3] = ["tasks:read", "tasks:write", "tasks:delete"];

/// Returns every set of task scopes.
fn subsets() -> impl Iterator<Item = Vec<&'static str>> {
    (0..1 << TASKS.len()).map(|set| (0..TASKS.len()).filter(|at| set >> at & 1 == 1).map(|at| TASKS[at]).collect())
}

/// Returns ada's program with `chat` and these scopes.
fn program(app: &TestApp, scopes: &[&str]) -> Client {
    app.token("ada", &[&["chat"], scopes].concat().join(","))
}

/// Adds a task and returns its number.
async fn add(client: &Client, title: &str) -> String {
    client.post("/api/v1/tasks/add", &[("title", title)]).await.ok()["task_id"].to_string()
}

on_both! {
    async fn turn_is_limited_to_the_scopes_of_its_token(app) {
        let ada = app.user("ada");
        for scopes in subsets() {
            let token = program(&app, &scopes);
            let number = add(&ada, "Buy milk").await;
            for (text, needed) in [
                ("show my tasks".to_owned(), "tasks:read"),
                (format!("show task {number}"), "tasks:read"),
                ("add buy bread".to_owned(), "tasks:write"),
                (format!("rename task {number} to buy oat milk"), "tasks:write"),
                (format!("complete task {number}"), "tasks:write"),
                (format!("delete task {number}"), "tasks:delete"),
                (format!("delete task {number}, yes I'm sure"), "tasks:delete"),
            ] {
                let turn = token.say(&text).await;
                let call = turn["tool_calls"].as_array().and_then(|calls| calls.last()).unwrap_or_else(|| panic!("{turn}"));
                let what = format!("{scopes:?}: {text}: {turn}");
                if scopes.contains(&needed) {
                    assert_ne!(call["status"], "error", "{what}");
                    continue;
                }
                assert_eq!((&call["status"], &call["error"]["error"]), (&json!("error"), &json!("forbidden")), "{what}");
                let sentence = call["error"]["message"].as_str().unwrap();
                assert!(sentence.contains(needed) && sentence.contains("“test”"), "{what}");
                assert_eq!(turn["reply"], sentence, "{what}");
                assert_eq!(turn["approval"], Value::Null, "{what}");
            }
            if !scopes.contains(&"tasks:delete") {
                assert!(ada.tasks().await.iter().any(|task| task["task_id"] == json!(number.parse::<i64>().unwrap())), "{scopes:?}");
            }
        }
    }

    async fn a_token_that_may_only_chat_is_shown_no_tasks(app) {
        let ada = app.user("ada");
        let number = add(&ada, "Buy oat milk").await;
        let listed = ada.say("show my tasks").await;
        let asked = ada.say_after(&listed, &format!("delete task {number}")).await;
        let chats = program(&app, &[]);
        // Its messages may contain task numbers, but these are not looked up.
        let named = chats.say(&format!("is #{number} done?")).await;
        let thread = |turn: &Value| turn["conversation_id"].as_str().unwrap().to_owned();
        let own = chats.get("/api/v1/conversations/messages", &[("conversation_id", &thread(&named))]).await.ok();
        assert!(!own.to_string().contains("oat milk"), "{own}");
        let turn = chats.get("/api/v1/turns/get", &[("turn_id", asked["turn_id"].as_str().unwrap())]).await.ok();
        assert_eq!(turn["approval"]["preview"], json!([]), "{turn}");
        let waiting = chats.get("/api/v1/approvals/list", &[]).await.ok();
        assert_eq!(waiting[0]["preview"], json!([]), "{waiting}");
        assert!(!waiting.to_string().contains("oat milk"), "{waiting}");
        let page = chats.get("/api/v1/conversations/messages", &[("conversation_id", &thread(&listed))]).await.ok();
        for message in page["items"].as_array().unwrap() {
            assert_eq!(message["listed"], json!([]), "{message}");
            let calls = message["tool_calls"].as_array().unwrap();
            assert!(calls.iter().all(|call| call["result"] == Value::Null), "{message}");
        }
        // A token with `tasks:read` sees all of it.
        let reads = program(&app, &["tasks:read"]);
        let page = reads.get("/api/v1/conversations/messages", &[("conversation_id", &thread(&listed))]).await.ok();
        assert_eq!(page["items"][1]["listed"][0]["title"], "Buy oat milk", "{page}");
    }

    async fn audit_log_names_the_token_or_session_of_a_turn(app) {
        let ada = app.user("ada");
        let with_token = ada.say("add buy milk").await;
        assert_eq!((&with_token["by"]["door"], &with_token["by"]["token"]), (&json!("api"), &json!("test")), "{with_token}");
        let here = app.browser("ada").await;
        let in_browser = here.say("add buy bread").await;
        let sessions = here.get("/api/v1/settings/sessions", &[]).await.ok();
        let (by, session) = (&in_browser["by"], &sessions[0]);
        assert_eq!((&by["door"], &by["session_id"]), (&json!("web"), &session["session_id"]), "{in_browser} {sessions}");
        assert_eq!(by["device"], session["device"], "{in_browser} {sessions}");

        let story = ada.get("/api/v1/audit/turn", &[("turn_id", with_token["turn_id"].as_str().unwrap())]).await.ok();
        assert_eq!(story["by"], with_token["by"]);
        for record in story["records"].as_array().unwrap() {
            let named = match record["kind"].as_str().unwrap() {
                "message" | "invocation" | "change" => &record["body"]["by"],
                "decision" => &record["body"]["turn"]["by"],
                _ => continue,
            };
            assert_eq!(named["token_id"], with_token["by"]["token_id"], "{record}");
        }
        let page = async |turn: &Value| here.get(&format!("/audit/{}", turn["turn_id"].as_str().unwrap()), &[]).await.text;
        assert!(page(&with_token).await.contains("by token “test”"));
        let device = session["device"].as_str().unwrap();
        assert!(page(&in_browser).await.contains(&format!("in the browser session of {device}")), "{device}");
        // The exports do so too.
        let lines = ada.get("/api/v1/audit/export", &[("format", "jsonl")]).await.text;
        let newest: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        assert_eq!(newest["by"]["session_id"], session["session_id"], "{newest}");
        let table = ada.get("/api/v1/audit/export", &[("format", "csv")]).await.text;
        let oldest = table.lines().last().unwrap();
        assert!(oldest.ends_with(",api,test,"), "{table}");
        let whole = ada.get("/api/v1/export", &[]).await.text;
        let whole: Value = serde_json::from_str(&whole).unwrap();
        assert_eq!(whole["changes"][0]["by"]["token"], "test", "{}", whole["changes"]);
    }

    async fn a_session_is_named_by_nothing_of_its_cookie(app) {
        app.user("ada");
        let here = Client::browser(&app.server.base);
        let fields = [("name", "ada"), ("password", crate::app::PASSWORD)];
        let reply = here.post("/api/v1/session/sign-in", &fields).await;
        let cookie = reply.header("set-cookie").split(['=', ';']).nth(1).unwrap().to_owned();
        let id = here.get("/api/v1/settings/sessions", &[]).await.ok()[0]["session_id"].as_str().unwrap().replace('-', "");
        let digest: String = Sha256::digest(&cookie).iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(!digest.contains(&id) && !cookie.contains(&id), "{id} is part of {digest}");
        here.say("add buy milk").await;
        let everything = here.get("/api/v1/export", &[]).await.text;
        assert!(!everything.contains(&cookie) && !everything.contains(&digest));
    }

    async fn settings_say_what_a_token_can_no_longer_do(app) {
        app.user("ada");
        let narrow = app.token("ada", "chat");
        drop(narrow);
        app.token("ada", "chat,tasks:read,tasks:write");
        app.token("ada", "tasks:read");
        let here = app.browser("ada").await;
        let tokens = here.get("/api/v1/settings/tokens", &[]).await.ok();
        let notices: Vec<_> = tokens.as_array().unwrap().iter().map(|token| token["notice"].as_str()).collect();
        let [None, Some(chat), Some(usual), None] = notices[..] else { panic!("{tokens}") };
        for part in ["read tasks, add or change tasks or delete tasks", "tasks:read, tasks:write and tasks:delete", "create a new token"] {
            assert!(chat.contains(part), "{chat}");
        }
        assert!(usual.contains("no longer delete tasks") && usual.contains("tasks:delete"), "{usual}");
        assert!(here.get("/settings", &[]).await.text.contains("no longer delete tasks"));
    }
}
