//! Text that is opened and saved stays unchanged. Line ends are normalised on input, and control characters are refused.

use serde_json::{Value, json};

use super::page::Form;
use super::words::{HOSTILE, Words};
use crate::app::{Client, PASSWORD};
use crate::on_both;

/// Returns notes of every kind, as stored.
fn notes() -> Vec<String> {
    let plain =
        ["one\ntwo\n\n  three", "\nbelow an empty line", "\n\n", "&amp; &lt; &#13;&#10; &", "- a\n\t- b", "a\u{2028}b"];
    let hostile = (0..HOSTILE.len()).map(|at| Words { hostile: true }.text(at));
    plain.map(str::to_owned).into_iter().chain(hostile).collect()
}

async fn task(client: &Client, number: usize) -> Value {
    client.get("/api/v1/tasks/get", &[("task_id", &number.to_string())]).await.ok()["task"].clone()
}

on_both! {
    async fn a_form_that_is_saved_unchanged_changes_nothing(app) {
        let ada = app.user("ada");
        let agent = app.token("ada", "tasks:read,tasks:write");
        for (at, notes) in notes().iter().enumerate() {
            let made = json!({
                "title": HOSTILE[at % HOSTILE.len()], "description": notes, "project": "a & <b>", "tags": ["two words", "a,b", "&amp;"],
                "due": (["2030-03-13", "2030-03-13T17:00:30+09:00"][at % 2]), "priority": "high",
                "recurrence": (["FREQ=WEEKLY;BYDAY=MO", "FREQ=MONTHLY;BYDAY=2TU"][at % 2]),
            });
            let made = agent.tool("add_task", made).await;
            assert_eq!(made["task_id"], at + 1, "{made}");
        }
        let browser = app.browser("ada").await;
        for (at, notes) in notes().iter().enumerate() {
            let before = task(&ada, at + 1).await;
            assert_eq!(before["description"], if notes.trim().is_empty() { Value::Null } else { notes.as_str().into() });
            for page in [format!("/tasks/{}", at + 1), format!("/tasks/{}?view=all", at + 1)] {
                let forms = Form::all(&browser.get(&page, &[]).await.text);
                let number = (at + 1).to_string();
                let is_its = |form: &&Form| {
                    form.action == "/api/v1/tasks/update" && form.fields.iter().any(|it| it.0 == "task_id" && it.1 == number)
                };
                let form = forms.iter().find(is_its).unwrap_or_else(|| panic!("{page}: {forms:?}"));
                let fields: Vec<_> = form.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                let saved = browser.form(&form.action, &fields).await;
                assert_eq!(saved.status, 303, "{}", saved.text);
                let mut after = task(&ada, at + 1).await;
                for field in ["version", "updated_at"] {
                    after[field] = before[field].clone();
                }
                assert_eq!(after, before, "{page}: {fields:?}");
            }
        }
    }

    async fn line_ends_are_of_one_kind_by_every_way_in(app) {
        let ada = app.user("ada");
        let agent = app.token("ada", "tasks:read,tasks:write");
        let (sent, stored) = ("\r\none\r\ntwo\rthree\n", "\none\ntwo\nthree");
        ada.post("/api/v1/tasks/add", &[("title", "a"), ("description", sent)]).await.ok();
        ada.post("/api/v1/tasks/add", &[("title", "b")]).await.ok();
        ada.post("/api/v1/tasks/update", &[("task_id", "2"), ("description", sent)]).await.ok();
        agent.tool("add_task", json!({ "title": "c", "description": sent })).await;
        agent.tool("add_task", json!({ "title": "d" })).await;
        agent.tool("update_task", json!({ "task_id": 4, "description": sent })).await;
        let table = format!("title,description\ne,\"{sent}\"\n");
        ada.post("/api/v1/tasks/import", &[("text", &table), ("format", "csv")]).await.ok();
        let export = json!({ "tasks": [{ "title": "f", "description": sent }] }).to_string();
        ada.post("/api/v1/tasks/import", &[("text", &export), ("format", "json")]).await.ok();
        for number in 1..=6 {
            assert_eq!(task(&ada, number).await["description"], stored, "task {number}");
        }
        // An edit that changes only line ends changes nothing.
        let before = task(&ada, 1).await;
        ada.post("/api/v1/tasks/update", &[("task_id", "1"), ("description", "\none\r\ntwo\r\nthree")]).await;
        assert_eq!(task(&ada, 1).await["description"], before["description"]);
        let turn = ada.say("show my tasks\r\nplease\r").await;
        let conversation = turn["conversation_id"].as_str().expect("an id");
        let said = ada.get("/api/v1/conversations/messages", &[("conversation_id", conversation)]).await.ok();
        assert_eq!(said["items"][0]["text"], "show my tasks\nplease");
    }

    async fn control_characters_are_refused_by_every_way_in(app) {
        let ada = app.user("ada");
        let browser = app.browser("ada").await;
        let agent = app.token("ada", "tasks:read,tasks:write");
        let turn = ada.say("add milk").await;
        let asked = ada.say("delete task 1").await;
        let conversation = turn["conversation_id"].as_str().expect("an id");
        let approval = asked["approval"]["approval_id"].as_str().expect("a request");
        // A NUL is refused earlier (`inputs::no_route_takes_a_nul`).
        for sign in ["\u{1b}", "\u{85}"] {
            let text = format!("a{sign}b");
            for (path, fields) in [
                ("tasks/add", vec![("title", text.as_str())]),
                ("tasks/add", vec![("title", "x"), ("description", &text)]),
                ("tasks/add", vec![("title", "x"), ("project", &text)]),
                ("tasks/add", vec![("title", "x"), ("tags[0]", &text)]),
                ("tasks/update", vec![("task_id", "1"), ("description", &text)]),
                ("tasks/update", vec![("task_id", "1"), ("due", &text)]),
                ("tasks/update", vec![("task_id", "1"), ("recurrence", &text)]),
                ("chat", vec![("message", &text)]),
                ("conversations/rename", vec![("conversation_id", conversation), ("title", &text)]),
                ("approvals/decide", vec![("approval_id", approval), ("verdict", "reject"), ("reason", &text)]),
                ("settings/tokens/create", vec![("name", &text), ("scopes[0]", "chat")]),
                ("settings/zone", vec![("zone", &text)]),
                ("session/sign-in", vec![("name", &text), ("password", PASSWORD)]),
                ("admin/users/invite", vec![("name", &text)]),
            ] {
                let refused = browser.post(&format!("/api/v1/{path}"), &fields).await;
                assert!((400..500).contains(&refused.status), "{path} {fields:?}: {}", refused.text);
            }
            let refused = agent.tool("add_task", json!({ "title": "x", "description": text })).await;
            assert!(refused["error"].is_string(), "{refused}");
            for (path, field) in [
                ("/api/v1/tasks/list", "query"),
                ("/api/v1/tasks/list", "project"),
                ("/api/v1/tasks/list", "tag"),
                ("/api/v1/conversations/list", "query"),
                ("/api/v1/memories/search", "query"),
                ("/api/v1/audit/list", "text"),
                ("/api/v1/audit/list", "tool"),
                ("/api/v1/audit/list", "user"),
                ("/tasks", "q"),
                ("/conversations", "q"),
                ("/audit", "text"),
                ("/settings/memory", "query"),
                ("/join", "token"),
                ("/setup", "token"),
            ] {
                let found = browser.get(path, &[(field, &text)]).await;
                assert!(found.status < 500, "{path}?{field}: {}", found.text);
            }
        }
        assert_eq!(ada.titles().await, ["milk"]);
        assert_eq!(ada.get("/api/v1/approvals/list", &[]).await.ok()[0]["status"], "pending");
    }
}
