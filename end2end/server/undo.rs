//! Undo from every place: by a program, from a receipt, from the audit log, and of the rest after a conflict.

use serde_json::{Value, json};

use crate::app::{Client, PASSWORD, TestApp};
use crate::on_both;

/// Creates a user with a browser, and a turn that added two tasks.
async fn added(app: &TestApp) -> (Client, Client, Value) {
    let ada = app.user("ada");
    let browser = app.browser("ada").await;
    let turn = ada.say("add milk and then add eggs").await;
    assert_eq!(turn["tool_calls"].as_array().unwrap().len(), 2, "{turn}");
    (ada, browser, turn)
}

/// Returns the receipts of the conversation's last message, as a newly loaded page shows them.
async fn receipts(ada: &Client, turn: &Value) -> Vec<(String, bool)> {
    let conversation = turn["conversation_id"].as_str().unwrap();
    let page = ada.get("/api/v1/conversations/messages", &[("conversation_id", conversation)]).await.ok();
    let receipts = page["items"].as_array().unwrap().last().unwrap()["receipts"].as_array().unwrap().clone();
    let state =
        |receipt: &Value| (receipt["state"].as_str().unwrap().to_owned(), receipt["can_undo"].as_bool().unwrap());
    receipts.iter().map(state).collect()
}

fn states(states: [(&str, bool); 2]) -> Vec<(String, bool)> {
    states.map(|(state, can_undo)| (state.to_owned(), can_undo)).to_vec()
}

on_both! {
    async fn a_receipt_remembers_that_it_was_undone(app) {
        let (ada, browser, turn) = added(&app).await;
        assert_eq!(receipts(&ada, &turn).await, states([("done", true), ("done", true)]));
        let page = browser.get("/", &[]).await.text;
        assert_eq!(page.matches("class=\"receipt-line__undo\"").count(), 2, "{page}");

        let call = turn["tool_calls"][0]["invocation_id"].as_str().unwrap();
        let undone = ada.post("/api/v1/undo", &[("invocation_id", call)]).await.ok();
        assert_eq!((&undone["undone"][0]["title"], &undone["left"]), (&"milk".into(), &json!([])));
        assert_eq!(receipts(&ada, &turn).await, states([("undone", false), ("done", true)]));
        let page = browser.get("/", &[]).await.text;
        assert_eq!(page.matches("class=\"receipt-line__undo\"").count(), 1, "{page}");
        assert!(page.contains("receipt-line--undone") && page.contains("Undone: "), "{page}");
        ada.post("/api/v1/undo", &[("invocation_id", call)]).await.is_error(409, "conflict", "already been undone");

        // An undo can itself be undone, and the receipt shows it.
        let again = undone["undone"][0]["change_id"].as_str().unwrap();
        ada.post("/api/v1/undo", &[("change_id", again)]).await.ok();
        assert_eq!(receipts(&ada, &turn).await, states([("done", true), ("done", true)]));
        assert_eq!(ada.titles().await, ["milk", "eggs"]);
    }

    async fn a_token_that_may_delete_nothing_does_not_by_undoing(app) {
        let (ada, _, turn) = added(&app).await;
        let writes = app.token("ada", "tasks:read,tasks:write");
        let life = writes.get("/api/v1/tasks/get", &[("task_id", "1")]).await.ok();
        let added = life["past"][0]["change_id"].as_str().expect("the change that added it");
        for target in [("change_id", added), ("turn_id", turn["turn_id"].as_str().unwrap())] {
            writes.post("/api/v1/undo", &[target]).await.is_error(403, "forbidden", "tasks:delete");
        }
        assert_eq!(ada.titles().await, ["milk", "eggs"]);
        // It can undo its own edits, including a recurrence that they created.
        ada.post("/api/v1/tasks/update", &[("task_id", "1"), ("due", "today"), ("recurrence", "daily")]).await.ok();
        writes.post("/api/v1/tasks/complete", &[("task_id", "1")]).await.ok();
        assert_eq!(ada.titles().await, ["milk", "milk", "eggs"]);
        let life = writes.get("/api/v1/tasks/get", &[("task_id", "1")]).await.ok();
        let changes = life["past"].as_array().unwrap();
        let done = changes.iter().find(|change| change["what"].as_str().unwrap().starts_with("Completed by you")).unwrap();
        writes.post("/api/v1/undo", &[("change_id", done["change_id"].as_str().unwrap())]).await.ok();
        assert_eq!(ada.titles().await, ["milk", "eggs"]);
    }

    async fn undo_of_a_turn_with_rest_skips_edited_tasks(app) {
        let (ada, browser, turn) = added(&app).await;
        ada.post("/api/v1/tasks/update", &[("task_id", "1"), ("priority", "high")]).await.ok();
        let id = turn["turn_id"].as_str().unwrap();
        let why = "Task #1 was edited by you since then (priority). Undo that change first.";
        let refused = ada.post("/api/v1/undo", &[("turn_id", id)]).await;
        refused.is_error(409, "conflict", why);
        assert_eq!(refused.json()["error"]["rest"], true);
        assert_eq!(ada.titles().await, ["milk", "eggs"], "all or nothing");

        // Without a script: the page gives the reason and offers the rest.
        let page = browser.form("/api/v1/undo", &[("turn_id", id), ("return_to", "/audit")]).await;
        assert_eq!(page.status, 409);
        for part in [why, "Undo the rest", "name=\"rest\"", id] {
            assert!(page.text.contains(part), "{part} is not in {}", page.text);
        }
        let done = browser.form("/api/v1/undo", &[("turn_id", id), ("rest", "true"), ("return_to", "/audit")]).await;
        assert_eq!((done.status, done.header("location")), (303, "/audit"));
        assert_eq!(ada.titles().await, ["milk"]);
        let page = browser.get("/audit", &[]).await.text;
        assert!(page.contains("Undone: “eggs”. Left: Task #1 was edited by you"), "{page}");
        let nothing = ada.post("/api/v1/undo", &[("turn_id", id), ("rest", "true")]).await;
        nothing.is_error(409, "conflict", why);
        assert!(nothing.json()["error"]["rest"].is_null(), "there is no rest any more");
    }

    async fn turn_detail_offers_undo_only_to_its_owner(app) {
        let (ada, browser, turn) = added(&app).await;
        ada.say("show my tasks").await;
        let place = format!("/audit/{}", turn["turn_id"].as_str().unwrap());
        let page = browser.get(&place, &[]).await.text;
        let offers = |page: &str| (page.matches("aria-label=\"Undo: ").count(), page.matches("class=\"button\">Undo all of this turn").count());
        assert_eq!(offers(&page), (2, 1), "one for each call that changed something: {page}");
        app.command(&["user", "add", "root", "--password-stdin", "--admin"], PASSWORD);
        let root = app.browser("root").await;
        let theirs = root.get("/audit", &[]).await.text;
        assert!(theirs.contains("add milk and then add eggs"), "an admin reads everyone's");
        let story = ada.get("/api/v1/audit/turn", &[("turn_id", turn["turn_id"].as_str().unwrap())]).await.ok();
        assert_eq!(story["readings"][0]["reader"], "root", "and the record says so: {story}");
        let theirs = root.get(&place, &[]).await.text;
        assert!(theirs.contains("add milk and then add eggs"));
        assert_eq!(offers(&theirs), (0, 0), "and changes nobody's");

        let id = turn["turn_id"].as_str().unwrap();
        let done = browser.form("/api/v1/undo", &[("turn_id", id), ("return_to", "/audit")]).await;
        assert_eq!(done.status, 303);
        assert!(ada.tasks().await.is_empty());
        assert_eq!(offers(&browser.get(&place, &[]).await.text), (0, 0));
        for page in ["/audit", &place] {
            let page = browser.get(page, &[]).await.text;
            assert!(page.contains("since undone"), "{page}");
        }
        let row = ada.get("/api/v1/audit/turn", &[("turn_id", id)]).await.ok();
        assert_eq!(row["tool_calls"][0]["effect"], "undone", "{row}");
    }

    async fn undo_of_a_turn_before_thousands_of_changes_asks(app) {
        let (ada, _, turn) = added(&app).await;
        let lines = vec!["bread"; 100].join("\n");
        for _ in 0..26 {
            ada.post("/api/v1/tasks/add_lines", &[("lines", &lines)]).await.ok();
        }
        let agent = app.token("ada", "tasks:read,tasks:write,tasks:delete");
        let asked = agent.tool("undo", json!({ "scope": "turn", "turn_id": turn["turn_id"] })).await;
        assert!(asked["approval_id"].is_string(), "{asked}");
        let titles = ada.get("/api/v1/tasks/list", &[("query", "milk")]).await.ok();
        assert_eq!(titles["tasks"].as_array().unwrap().len(), 1, "{titles}");
    }
}
