//! Invalid input of every kind: a clear message, the right status, nothing partly stored.

use crate::app::{Client, Reply};
use crate::on_both;

/// Returns a text longer than any message or request may be.
fn long(size: usize) -> String {
    "a".repeat(size)
}

/// Fields of a form.
type Fields<'a> = &'a [(&'a str, &'a str)];

/// A valid id that belongs to nothing.
const NOBODYS: &str = "0b6e9c1e-7c1e-4f7e-9d8e-2f4a6c8e0a1b";

on_both! {
    async fn wrong_messages_leave_nothing_behind(app) {
        let ada = app.user("ada");
        let rows: [(Fields, u16, &str, &str); 9] = [
            (&[("message", "")], 422, "invalid", ""),
            (&[("message", "  \n\t ")], 422, "invalid", ""),
            (&[("message", &long(8_001))], 422, "invalid", "8000"),
            (&[("message", "add a\u{0}b")], 422, "invalid", "control"),
            (&[("message", "add a\u{1b}[31mb")], 422, "invalid", "control"),
            (&[], 400, "malformed", "message"),
            (&[("message", "add a"), ("conversation_id", "7")], 400, "malformed", "conversation id"),
            (&[("message", "add a"), ("conversation_id", NOBODYS)], 404, "not_found", ""),
            (&[("message", "add a"), ("wait", "perhaps")], 400, "malformed", ""),
        ];
        for (fields, status, code, part) in rows {
            ada.post("/api/v1/chat", fields).await.is_error(status, code, part);
        }
        assert!(ada.get("/api/v1/conversations/list", &[]).await.ok().as_array().unwrap().is_empty());
        assert!(ada.get("/api/v1/audit/list", &[]).await.ok()["items"].as_array().unwrap().is_empty());
        // The longest message that fits, and one of four-byte characters.
        ada.say(&format!("add {}", long(7_996))).await;
        ada.say(&"🦀".repeat(8_000)).await;
    }

    async fn wrong_tasks_leave_nothing_behind(app) {
        let ada = app.user("ada");
        let rows: [(&str, Fields, u16, &str, &str); 22] = [
            ("update", &[("task_id", "9"), ("recurrence", "every day"), ("due", "the 35th of May")], 422, "invalid", ""),
            ("snooze", &[("task_id", "9")], 404, "not_found", "9"),
            ("snooze", &[("task_id", "soon")], 400, "malformed", ""),
            ("add", &[], 400, "malformed", ""),
            ("add", &[("title", "")], 422, "invalid", "title"),
            ("add", &[("title", " ")], 422, "invalid", "title"),
            ("add", &[("title", &long(201))], 422, "invalid", "200"),
            ("add", &[("title", "a\u{7}b")], 422, "invalid", "control"),
            ("add", &[("title", "a"), ("description", &long(4_001))], 422, "invalid", "4"),
            ("add", &[("title", "a"), ("due", "the 35th of May")], 422, "invalid", ""),
            ("add", &[("title", "a"), ("due", "2026-02-30")], 422, "invalid", ""),
            ("add", &[("title", "a"), ("priority", "urgent!")], 422, "invalid", "priority"),
            ("add", &[("title", "a"), ("recurrence", "every blue moon")], 422, "invalid", ""),
            ("update", &[("task_id", "1"), ("title", "b")], 404, "not_found", "1"),
            ("complete", &[("task_id", "99999999999999999999")], 400, "malformed", ""),
            ("complete", &[("task_id", "one")], 400, "malformed", ""),
            ("complete", &[("task_id", "-1")], 400, "malformed", ""),
            ("complete", &[("task_id", "9")], 404, "not_found", "9"),
            ("delete", &[("task_id", "9")], 404, "not_found", "9"),
            ("restore", &[("task_id", "9")], 404, "not_found", "9"),
            ("reopen", &[("task_id", "9")], 404, "not_found", "9"),
            ("reopen", &[], 400, "malformed", ""),
        ];
        for (act, fields, status, code, part) in rows {
            let reply = ada.post(&format!("/api/v1/tasks/{act}"), fields).await;
            let told = format!("{act} {fields:?}");
            assert_eq!(reply.status, status, "{}: {}", &told[..told.len().min(200)], reply.text);
            reply.is_error(status, code, part);
        }
        assert!(ada.tasks().await.is_empty());
        for (query, part) in [(("status", "lost"), "lost"), (("due", "someday soon"), ""), (("cursor", "!"), "")] {
            let reply = ada.get("/api/v1/tasks/list", &[query]).await;
            assert!([400, 422].contains(&reply.status), "{query:?}: {}", reply.text);
            assert!(reply.text.contains(part), "{}", reply.text);
        }
    }

    async fn ids_that_are_not_ids_are_malformed(app) {
        let ada = app.user("ada");
        for (path, field) in [
            ("turns/get", "turn_id"),
            ("audit/turn", "turn_id"),
            ("audit/story", "turn_id"),
            ("audit/replay", "turn_id"),
            ("conversations/messages", "conversation_id"),
        ] {
            ada.get(&format!("/api/v1/{path}"), &[(field, "7")]).await.is_error(400, "malformed", "id");
            ada.get(&format!("/api/v1/{path}"), &[(field, NOBODYS)]).await.is_error(404, "not_found", "");
        }
        for (path, field) in [
            ("turns/stop", "turn_id"),
            ("approvals/extend", "approval_id"),
            ("undo", "change_id"),
            ("undo", "turn_id"),
            ("undo", "invocation_id"),
        ] {
            ada.post(&format!("/api/v1/{path}"), &[(field, "7")]).await.is_error(400, "malformed", "id");
            let known = if field == "invocation_id" { format!("{NOBODYS}.0.0") } else { NOBODYS.to_owned() };
            ada.post(&format!("/api/v1/{path}"), &[(field, &known)]).await.is_error(404, "not_found", "");
        }
        let decide = [("approval_id", NOBODYS), ("verdict", "maybe")];
        ada.post("/api/v1/approvals/decide", &decide).await.is_error(400, "malformed", "verdict");
        ada.post("/api/v1/undo", &[]).await.is_error(400, "malformed", "");
    }

    async fn oversized_bodies_are_refused_announced_or_not(app) {
        let ada = app.user("ada");
        for size in [300 * 1024, 3 * 1024 * 1024] {
            let announced = ada.post("/api/v1/chat", &[("message", &long(size))]).await;
            announced.is_error(413, "too_large", "256 KB");
            // Chunked, without a length.
            let pieces = futures::stream::iter(
                std::iter::once("message=".to_owned())
                    .chain((0..size / 1024).map(|_| long(1024)))
                    .map(Ok::<_, std::io::Error>),
            );
            let request = ada.request("POST", "/api/v1/tasks/add").header("content-type", "application/x-www-form-urlencoded");
            let reply = request.body(reqwest::Body::wrap_stream(pieces)).send().await.expect("an answer");
            Reply::of(reply).await.is_error(413, "too_large", "256 KB");
        }
        let elsewhere = ada.request("POST", "/nowhere").body(long(300 * 1024)).send().await.expect("an answer");
        assert_eq!(elsewhere.status(), 413);
        assert!(ada.tasks().await.is_empty());
    }

    async fn wrong_questions_about_memories_are_named(app) {
        let ada = app.user("ada");
        ada.get("/api/v1/memories/search", &[]).await.is_error(400, "malformed", "query");
        ada.get("/api/v1/memories/search", &[("query", " ")]).await.is_error(422, "invalid", "search text");
        ada.get("/api/v1/memories/search", &[("query", &long(501))]).await.is_error(422, "invalid", "500");
        ada.get("/api/v1/memories/list", &[("before", "7")]).await.is_error(400, "malformed", "memory id");
        ada.post("/api/v1/memories/forget", &[("memory_id", "7")]).await.is_error(400, "malformed", "memory id");
        ada.post("/api/v1/memories/forget", &[("memory_id", NOBODYS)]).await.is_error(404, "not_found", "no such memory");
        ada.post("/api/v1/memories/switch", &[("on", "perhaps")]).await.is_error(400, "malformed", "");
        ada.post("/api/v1/memories/switch", &[]).await.is_error(400, "malformed", "on");
    }

    async fn bodies_that_are_no_form_are_malformed(app) {
        let ada = app.user("ada");
        for (kind, body) in [
            ("application/json", r#"{"message":"add a"}"#.as_bytes()),
            ("application/x-www-form-urlencoded", b"message=%ff%fe"),
            ("application/x-www-form-urlencoded", b"\xff\xfe"),
            ("text/plain", b"message=add a"),
        ] {
            let reply = ada.request("POST", "/api/v1/chat").header("content-type", kind).body(body.to_vec());
            let reply = Reply::of(reply.send().await.expect("an answer")).await;
            assert!([400, 422].contains(&reply.status), "{kind}: {} {}", reply.status, reply.text);
        }
        assert!(ada.tasks().await.is_empty());
    }

    async fn paths_and_methods_that_are_not_there_say_so(app) {
        let ada = app.user("ada");
        for path in ["/api/v1/nothing", "/api/v2/chat", "/api/", "/api/v1/tasks"] {
            ada.get(path, &[]).await.is_error(404, "not_found", path);
            ada.post(path, &[]).await.is_error(404, "not_found", path);
        }
        let wrong = ada.get("/api/v1/chat", &[]).await;
        assert_eq!((wrong.status, wrong.header("allow")), (405, "POST"), "{}", wrong.text);
        assert!(wrong.json()["error"]["message"].as_str().unwrap().contains("GET"));
        assert_eq!(ada.post("/api/v1/tasks/list", &[]).await.status, 405);
    }

    async fn strangers_are_told_to_sign_in(app) {
        let stranger = Client::anonymous(&app.server.base);
        for (method, path) in docket::server::routes() {
            let public = ["/api/v1/session/", "/api/v1/settings/appearance"];
            if path.starts_with("/api/v1/") && !public.iter().any(|public| path.starts_with(public)) {
                let reply = Reply::of(stranger.request(&method, &path).send().await.expect("an answer")).await;
                assert!([400, 401].contains(&reply.status), "{method} {path}: {}", reply.text);
            }
        }
        let chat = stranger.post("/api/v1/chat", &[("message", "add a")]).await;
        chat.is_error(401, "unauthenticated", "");
    }
}
