//! Quick add over HTTP: tokens turned back into text, and several lines at once.

use serde_json::{Value, json};

use crate::on_both;

/// Returns a field of each task of an answer.
fn each<'a>(answer: &'a Value, field: &str) -> Vec<&'a str> {
    answer["tasks"].as_array().expect("tasks").iter().map(|task| task[field].as_str().expect("text")).collect()
}

/// Returns the fields that undo all changes of an answer.
fn changes(answer: &Value) -> Vec<(&'static str, &str)> {
    each(answer, "change_id").into_iter().map(|id| ("change_id", id)).collect()
}

on_both! {
    async fn words_turned_back_into_text_stay_in_the_title(app) {
        let ada = app.user("ada");
        let line = "read it today #Home @night p1";
        let read = ada.get("/api/v1/tasks/parse", &[("text", line)]).await.ok();
        let chips: Vec<_> = read["chips"].as_array().expect("chips").iter().map(|chip| (&chip["kind"], &chip["words"])).collect();
        let expected = [("due", "today"), ("project", "#Home"), ("tag", "@night"), ("priority", "p1")];
        let expected: Vec<_> = expected.iter().map(|(kind, words)| (json!(kind), json!([words]))).collect();
        assert_eq!(chips, expected.iter().map(|(kind, words)| (kind, words)).collect::<Vec<_>>());

        let plain = [("text", line), ("plain[0]", "#Home"), ("plain[1]", "today")];
        let read = ada.get("/api/v1/tasks/parse", &plain).await.ok();
        let fields = [("text", line), ("plain", "#Home"), ("plain", "today")];
        let task = ada.post("/api/v1/tasks/add", &fields).await.ok();
        for answer in [read, task] {
            assert_eq!(answer["title"], "read it today #Home", "{answer}");
            assert_eq!((&answer["project"], &answer["priority"], &answer["tags"]), (&Value::Null, &json!("high"), &json!(["night"])));
        }
        let one = ada.post("/api/v1/tasks/add", &[("text", "call mum today"), ("plain", "today")]).await.ok();
        assert_eq!((&one["title"], &one["due"]), (&json!("call mum today"), &Value::Null));
    }

    async fn lines_become_tasks_together_and_are_undone_together_or_alone(app) {
        let ada = app.user("ada");
        let lines = [("lines", "- buy milk p1\r\n\r\n2. call mum\n[ ] pay rent #Home")];
        let answer = ada.post("/api/v1/tasks/add_lines", &lines).await.ok();
        let first = changes(&answer);
        assert_eq!(each(&answer, "title"), ["buy milk", "call mum", "pay rent"]);
        assert_eq!((&answer["tasks"][0]["priority"], &answer["tasks"][2]["project"]), (&json!("high"), &json!("Home")));
        ada.post("/api/v1/undo", &first[1..2]).await.ok();
        assert_eq!(ada.titles().await, ["buy milk", "pay rent"]);
        // One of them was undone already: all or nothing.
        ada.post("/api/v1/undo", &first).await.is_error(409, "conflict", "already been undone");
        assert_eq!(ada.titles().await, ["buy milk", "pay rent"]);
        let answer = ada.post("/api/v1/tasks/add_lines", &[("lines", "a\nb\nc")]).await.ok();
        let undone = ada.post("/api/v1/undo", &changes(&answer)).await.ok();
        assert_eq!(undone["undone"].as_array().map(Vec::len), Some(3), "{undone}");
        assert_eq!(ada.titles().await, ["buy milk", "pay rent"]);
    }

    async fn lines_sent_again_under_their_key_are_added_once(app) {
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        let send = |lines: &'static str, key: &'static str| [("lines", lines), ("client_key", key)];
        let first = ada.post("/api/v1/tasks/add_lines", &send("buy milk\ncall mum\npay rent", "paste-1")).await.ok();
        let again = ada.post("/api/v1/tasks/add_lines", &send("buy milk\ncall mum\npay rent", "paste-1")).await.ok();
        assert_eq!((&first, each(&first, "title").len()), (&again, 3));
        assert_eq!(ada.titles().await, ["buy milk", "call mum", "pay rent"]);
        // A retry's own lines are ignored, even if the tasks have changed.
        ada.post("/api/v1/undo", &changes(&first)[..1]).await.ok();
        let fewer = ada.post("/api/v1/tasks/add_lines", &send("read", "paste-1")).await.ok();
        assert_eq!(each(&fewer, "title"), ["buy milk", "call mum", "pay rent"]);
        assert_eq!(ada.titles().await, ["call mum", "pay rent"]);
        ada.post("/api/v1/tasks/add_lines", &send("read", "paste-2")).await.ok();
        assert_eq!(ada.titles().await, ["call mum", "pay rent", "read"]);
        // A failed request does not use up its key, and keys are separate per user.
        ada.post("/api/v1/tasks/add_lines", &send("sew\n#Home", "paste-3")).await.is_error(422, "invalid", "Line 2");
        ada.post("/api/v1/tasks/add_lines", &send("sew", "paste-3")).await.ok();
        bob.post("/api/v1/tasks/add_lines", &send("cook\nsweep", "paste-1")).await.ok();
        assert_eq!((ada.titles().await.len(), bob.titles().await.len()), (4, 2));
        let long = "k".repeat(201);
        let refused = ada.post("/api/v1/tasks/add_lines", &[("lines", "x"), ("client_key", long.as_str())]).await;
        refused.is_error(400, "malformed", "client_key");
    }

    async fn a_line_that_is_no_task_keeps_the_others_out(app) {
        let ada = app.user("ada");
        let refused = ada.post("/api/v1/tasks/add_lines", &[("lines", "buy milk\n#Home\ncall mum")]).await;
        refused.is_error(422, "invalid", "Line 2");
        let many = "x\n".repeat(101);
        ada.post("/api/v1/tasks/add_lines", &[("lines", &many)]).await.is_error(422, "invalid", "100");
        ada.post("/api/v1/tasks/add_lines", &[("lines", " \n\n")]).await.is_error(422, "invalid", "not 0");
        assert!(ada.titles().await.is_empty());
    }
}
