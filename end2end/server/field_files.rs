//! Texts, batches and files from `end2end/field`: each case over HTTP, MCP, the chat and quick add.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::app::{Client, Reply};
use crate::on_both;

const CASES: &str = "end2end/field";
/// Scopes of an agent.
const AGENT: &str = "tasks:read,tasks:write,tasks:delete";

fn cases<T: DeserializeOwned>(name: &str) -> T {
    let text = std::fs::read_to_string(Path::new(CASES).join(name)).expect("the cases are there");
    serde_json::from_str(&text).expect("cases are JSON")
}

#[derive(Deserialize)]
struct Text {
    spellings: Vec<Spelling>,
    names: Vec<Spelling>,
    blank: Vec<String>,
    searches: Vec<Search>,
}

/// A stored text, and the text of a search for it.
#[derive(Deserialize)]
struct Spelling {
    stored: String,
    asked: String,
}

#[derive(Deserialize)]
struct Search {
    tasks: Vec<String>,
    query: String,
    found: Vec<String>,
}

#[derive(Deserialize)]
struct Batch {
    act: String,
    count: i64,
    status: u16,
}

#[derive(Deserialize)]
struct File {
    file: String,
    format: String,
    /// Fields of the resulting tasks, in order.
    tasks: Vec<Value>,
    /// Parts of the messages about refused rows, about dropped details and about the file, each in order.
    refused: Vec<String>,
    left_out: Vec<String>,
    notes: Vec<String>,
}

fn titles(list: &Value) -> Vec<&str> {
    list["tasks"].as_array().expect("tasks").iter().map(|task| task["title"].as_str().expect("a title")).collect()
}

/// Asserts that each message contains the part at its position.
#[track_caller]
fn says(all: &Value, parts: &[String], file: &str) {
    let said: Vec<String> = all
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it.as_str().or_else(|| it["why"].as_str()).expect("a sentence").to_owned())
        .collect();
    assert_eq!(said.len(), parts.len(), "{file}: {said:#?}");
    for (said, part) in said.iter().zip(parts) {
        assert!(said.contains(part.as_str()), "{file}: {part:?} is not in {said:?}");
    }
}

async fn status_of(client: &Client, number: &Value) -> String {
    let life = client.get("/api/v1/tasks/get", &[("task_id", &number.to_string())]).await.ok();
    life["task"]["status"].as_str().expect("a status").to_owned()
}

async fn upload(client: &Client, path: &str, file: &[u8], skip: bool) -> Reply {
    let mut body = b"--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"tasks\"\r\n\r\n".to_vec();
    body.extend_from_slice(file);
    let skip = if skip { "\r\n--x\r\ncontent-disposition: form-data; name=\"skip\"\r\n\r\ntrue" } else { "" };
    body.extend_from_slice(format!("{skip}\r\n--x--\r\n").as_bytes());
    let request = client.request("POST", path).header("content-type", "multipart/form-data; boundary=x").body(body);
    Reply::of(request.send().await.expect("an answer")).await
}

on_both! {
    async fn title_spelling_variants_find_the_task_through_every_interface(app) {
        for (at, Spelling { stored, asked }) in cases::<Text>("text.json").spellings.iter().enumerate() {
            let name = format!("ada{at}");
            let (ada, agent) = (app.user(&name), app.token(&name, AGENT));
            // An additional task that matches nothing.
            ada.post("/api/v1/tasks/add", &[("title", "Unrelated")]).await.ok();
            let task = ada.post("/api/v1/tasks/add", &[("text", stored)]).await.ok();
            assert_eq!(task["title"], *stored, "quick add keeps the text as typed");
            assert_eq!(titles(&ada.get("/api/v1/tasks/list", &[("query", asked)]).await.ok()), [stored], "{asked}");
            assert_eq!(titles(&agent.tool("list_tasks", json!({ "query": asked })).await), [stored], "{asked}");
            let turn = ada.say(&format!("complete {asked}")).await;
            assert_eq!(status_of(&ada, &task["task_id"]).await, "completed", "{asked}: {turn}");
        }
    }

    async fn name_spelling_variants_share_one_tag_and_one_project(app) {
        for (at, Spelling { stored, asked }) in cases::<Text>("text.json").names.iter().enumerate() {
            let name = format!("ada{at}");
            let (ada, agent) = (app.user(&name), app.token(&name, AGENT));
            let fields = [("title", "one"), ("tags", stored.as_str()), ("tags", asked), ("project", stored)];
            let one = ada.post("/api/v1/tasks/add", &fields).await.ok();
            assert_eq!((&one["tags"], &one["project"]), (&json!([stored]), &json!(stored)), "stored as typed, once");
            agent.tool("add_task", json!({ "title": "two", "tags": [asked], "project": asked })).await;
            let both = ["one", "two"];
            for field in ["tag", "project"] {
                assert_eq!(titles(&ada.get("/api/v1/tasks/list", &[(field, asked)]).await.ok()), both, "{field} {asked}");
                let arguments = json!({ field: stored });
                assert_eq!(titles(&agent.tool("list_tasks", arguments).await), both, "{field} {stored}");
            }
            let facets = ada.get("/api/v1/tasks/facets", &[]).await.ok();
            for kind in ["tags", "projects"] {
                assert_eq!(facets[kind].as_array().map(Vec::len), Some(1), "{facets}");
                assert_eq!(facets[kind][0]["count"], 2, "{facets}");
            }
        }
    }

    async fn text_that_nobody_sees_is_empty_at_every_door(app) {
        let (ada, agent) = (app.user("ada"), app.token("ada", AGENT));
        for blank in &cases::<Text>("text.json").blank {
            ada.post("/api/v1/tasks/add", &[("title", blank)]).await.is_error(422, "invalid", "must not be empty");
            let lines = ada.post("/api/v1/tasks/add_lines", &[("lines", blank)]).await;
            assert_eq!(lines.status, 422, "{blank:?}: {}", lines.text);
            let quick = ada.post("/api/v1/tasks/add", &[("text", blank)]).await;
            assert!(matches!(quick.status, 400 | 422), "{blank:?}: {}", quick.text);
            let said = ada.post("/api/v1/chat", &[("message", blank)]).await;
            assert!(matches!(said.status, 400 | 422), "{blank:?}: {}", said.text);
            assert_eq!(agent.tool("add_task", json!({ "title": blank })).await["error"], "invalid", "{blank:?}");
            assert!(ada.tasks().await.is_empty(), "{blank:?}");
        }
        ada.post("/api/v1/tasks/add", &[("title", "x"), ("project", "Home"), ("description", "notes")]).await.ok();
        for blank in &cases::<Text>("text.json").blank {
            let found = ada.get("/api/v1/tasks/list", &[("query", blank), ("project", blank), ("tag", blank)]).await.ok();
            assert_eq!(titles(&found), ["x"], "{blank:?} narrows nothing");
            assert_eq!(titles(&agent.tool("list_tasks", json!({ "query": blank })).await), ["x"], "{blank:?}");
            let fields = [("task_id", "1"), ("project", blank.as_str()), ("description", blank), ("tags", blank)];
            let cleared = ada.post("/api/v1/tasks/update", &fields).await.ok();
            let expected = (&Value::Null, &Value::Null, &json!([]));
            assert_eq!((&cleared["project"], &cleared["description"], &cleared["tags"]), expected, "{blank:?}");
            let fields = [("task_id", "1"), ("project", "Home"), ("description", "notes")];
            ada.post("/api/v1/tasks/update", &fields).await.ok();
        }
    }

    async fn a_search_finds_what_it_says_and_prefers_its_accents(app) {
        for (at, Search { tasks, query, found }) in cases::<Text>("text.json").searches.iter().enumerate() {
            let name = format!("ada{at}");
            let (ada, agent) = (app.user(&name), app.token(&name, AGENT));
            for title in tasks {
                ada.post("/api/v1/tasks/add", &[("title", title)]).await.ok();
            }
            assert_eq!(titles(&ada.get("/api/v1/tasks/list", &[("query", query)]).await.ok()), *found, "{query}");
            assert_eq!(titles(&agent.tool("list_tasks", json!({ "query": query })).await), *found, "{query}");
        }
        let ada = app.user("percent");
        for title in ["100% cotton sheets", "100 nails", "paint the fence"] {
            ada.post("/api/v1/tasks/add", &[("title", title)]).await.ok();
        }
        let turn = ada.say("search 100%").await;
        let reply = turn["reply"].as_str().unwrap_or_else(|| panic!("{turn}"));
        assert!(reply.contains("100% cotton sheets") && !reply.contains("nails"), "{reply}");
        // A URL typed by a user.
        let typed = ada.get("/api/v1/tasks/list?query=100%", &[]).await.ok();
        assert_eq!(titles(&typed), ["100% cotton sheets"]);
    }

    async fn a_batch_is_done_whole_or_refused_by_its_limit(app) {
        let (ada, agent) = (app.user("ada"), app.token("ada", AGENT));
        let rows = (1..=1001).map(|number| format!("t{number}\n")).collect::<String>();
        ada.post("/api/v1/tasks/import", &[("text", &format!("title\n{rows}"))]).await.ok();
        for Batch { act, count, status } in cases::<Vec<Batch>>("bulk.json") {
            let ids: Vec<String> = (1..=count).map(|id| id.to_string()).collect();
            let mut fields = vec![("act", act.as_str()), ("due", "2030-01-01"), ("priority", "high")];
            fields.extend(ids.iter().map(|id| ("task_ids", id.as_str())));
            if act == "restore" {
                ada.post("/api/v1/tasks/delete", &[("task_id", &count.to_string())]).await.ok();
            }
            if act == "due" {
                fields[0] = ("act", "reopen");
                ada.post("/api/v1/tasks/bulk", &fields).await.ok();
                fields[0] = ("act", "due");
            }
            let done = ada.post("/api/v1/tasks/bulk", &fields).await;
            if status == 422 {
                done.is_error(422, "invalid", "the limit is 1000");
            } else {
                let tasks = done.ok()["tasks"].as_array().map(Vec::len);
                assert_eq!(tasks, usize::try_from(count).ok(), "{act} {count}");
            }
        }
        let many = |count: i64| json!({ "task_ids": (1..=count).collect::<Vec<_>>(), "priority": "low" });
        let asked = agent.tool("update_task", many(1000)).await;
        let id = asked["approval_id"].as_str().unwrap_or_else(|| panic!("{asked}"));
        ada.post("/api/v1/approvals/decide", &[("approval_id", id), ("verdict", "approve")]).await.ok();
        agent.tool("update_task", many(1000)).await;
        let low = ada.get("/api/v1/tasks/list", &[("priority", "low")]).await.ok();
        assert_eq!(low["total"], 1000);
        let refused = agent.tool("update_task", many(1001)).await;
        assert!(refused["message"].as_str().is_some_and(|why| why.contains("1000")), "{refused}");
        // The chat changes all tasks, not only the first hundred.
        let ben = app.user("ben");
        let rows = (1..=250).map(|number| format!("chore {number}\n")).collect::<String>();
        ben.post("/api/v1/tasks/import", &[("text", &format!("title\n{rows}"))]).await.ok();
        let turn = ben.say("complete all tasks").await;
        if let Some(id) = turn["approval"]["approval_id"].as_str() {
            ben.post("/api/v1/approvals/decide", &[("approval_id", id), ("verdict", "approve")]).await.ok();
        }
        let left = ben.get("/api/v1/tasks/list", &[("status", "pending")]).await.ok();
        assert_eq!(left["total"], 0, "{turn}");
    }

    async fn files_of_other_programs_are_shown_then_added(app) {
        for (at, case) in cases::<Vec<File>>("import.json").into_iter().enumerate() {
            let ada = app.user(&format!("ada{at}"));
            let bytes = std::fs::read(Path::new(CASES).join("import").join(&case.file)).expect("the file is there");
            let preview = upload(&ada, "/api/v1/tasks/import/preview", &bytes, false).await.ok();
            assert_eq!(preview["format"], *case.format, "{preview}");
            says(&preview["problems"], &case.refused, &case.file);
            says(&preview["left_out"], &case.left_out, &case.file);
            says(&preview["notes"], &case.notes, &case.file);
            let done = upload(&ada, "/api/v1/tasks/import", &bytes, true).await.ok();
            assert_eq!(done["added"].as_u64(), u64::try_from(case.tasks.len()).ok(), "{done}");
            assert_eq!(done["details"].as_u64(), u64::try_from(case.left_out.len()).ok(), "{done}");
            let mut tasks = ada.tasks().await;
            tasks.sort_by_key(|task| task["task_id"].as_i64());
            for (task, expected) in tasks.iter().zip(&case.tasks) {
                for (field, value) in expected.as_object().expect("fields") {
                    if field == "repeats" {
                        assert!(task["recurrence"].is_string(), "{}: {task}", case.file);
                    } else {
                        assert_eq!(task[field], *value, "{} {field}: {task}", case.file);
                    }
                }
            }
            for (row, task) in preview["rows"].as_array().expect("rows").iter().zip(&tasks) {
                assert_eq!((&row["title"], &row["tags"]), (&task["title"], &task["tags"]), "a row is what it becomes");
                assert_eq!(row["repeats"].is_string(), task["recurrence"].is_string(), "{row}");
            }
            // Also through the command line, which finds all of them present.
            let path = format!("{CASES}/import/{}", case.file);
            let name = format!("ada{at}");
            let arguments = ["import", "--user", &name, "--format", &case.format, &path, "--skip"];
            let told = app.command(&arguments, "");
            assert!(told.starts_with("Added 0 tasks"), "{told}");
        }
    }

    async fn import_accepts_files_up_to_the_documented_size(app) {
        let ada = app.user("ada");
        let preview = "/api/v1/tasks/import/preview";
        // Four bytes per character in a form, three in a file.
        for (line, count) in [("я", 900), ("漢", 600), ("x", 1_800)] {
            let row = format!("task,{}\n", line.repeat(count));
            let rows = (4 * 1024 * 1024 - 20) / row.len();
            let file = format!("title,description\n{}", row.repeat(rows));
            assert!(file.len() > 4_000_000, "{}", file.len());
            assert_eq!(ada.post(preview, &[("text", &file)]).await.ok()["add"].as_u64(), u64::try_from(rows).ok(), "{line}");
            let sent = upload(&ada, preview, file.as_bytes(), false).await.ok();
            assert_eq!(sent["add"].as_u64(), u64::try_from(rows).ok(), "{line}");
            let large = file + &row.repeat(10);
            ada.post(preview, &[("text", &large)]).await.is_error(413, "too_large", "4096 KB");
            upload(&ada, preview, large.as_bytes(), false).await.is_error(413, "too_large", "4096 KB");
        }
    }

    async fn a_password_begins_behind_a_byte_order_mark(app) {
        for (at, before) in ["", "\u{feff}"].into_iter().enumerate() {
            let name = format!("mark{at}");
            let password = "correct horse 7 battery";
            app.command(&["user", "add", &name, "--password-stdin"], &format!("{before}{password}\r\n"));
            let fields = [("name", name.as_str()), ("password", password)];
            let browser = Client::browser(&app.server.base);
            browser.post("/api/v1/session/sign-in", &fields).await.ok();
        }
    }
}
