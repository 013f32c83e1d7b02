//! Manual order of tasks, the sample list, and undo of the last action.

use serde_json::Value;

use crate::app::{Client, TestApp};
use crate::on_both;

async fn signed_in(app: &TestApp) -> (Client, Client) {
    let ada = app.user("ada");
    let browser = app.browser("ada").await;
    (ada, browser)
}

/// Returns the open tasks as a page shows them.
async fn shown(ada: &Client) -> Vec<Value> {
    let found = ada.get("/api/v1/tasks/list", &[("view", "all")]).await.ok();
    found["tasks"].as_array().unwrap().clone()
}

async fn titles(ada: &Client) -> Vec<String> {
    shown(ada).await.iter().map(|task| task["title"].as_str().unwrap().to_owned()).collect()
}

async fn due(client: &Client, dates: &[(&str, &str)]) {
    for (number, date) in dates {
        client.post("/api/v1/tasks/update", &[("task_id", number), ("due", date)]).await.ok();
    }
}

async fn add(ada: &Client, lines: &[&str]) {
    for line in lines {
        ada.post("/api/v1/tasks/add", &[("text", line)]).await.ok();
    }
}

on_both! {
    async fn a_task_is_put_beside_another_and_stays_there(app) {
        let (ada, browser) = signed_in(&app).await;
        add(&ada, &["milk", "eggs", "bread", "rent p1"]).await;
        assert_eq!(titles(&ada).await, ["rent", "milk", "eggs", "bread"], "by nature what matters more is first");
        let moved = ada.post("/api/v1/tasks/move", &[("task_id", "3"), ("before", "4")]).await.ok();
        assert_eq!(moved["done"], "Moved “bread” above “rent”");
        assert_eq!(titles(&ada).await, ["bread", "rent", "milk", "eggs"]);
        ada.post("/api/v1/tasks/move", &[("task_id", "4"), ("after", "2")]).await.ok();
        assert_eq!(titles(&ada).await, ["bread", "milk", "eggs", "rent"]);
        ada.post("/api/v1/tasks/move", &[("task_id", "3"), ("after", "1")]).await.ok();
        assert_eq!(titles(&ada).await, ["milk", "bread", "eggs", "rent"]);
        // Each task names its neighbours.
        let beside = |task: &Value| (task["above"].as_i64(), task["below"].as_i64());
        let neighbours: Vec<_> = shown(&ada).await.iter().map(beside).collect();
        assert_eq!(neighbours, [(None, Some(3)), (Some(1), Some(2)), (Some(3), Some(4)), (Some(2), None)]);
        // A move without an effect is not recorded.
        let version = shown(&ada).await[1]["version"].clone();
        let again = ada.post("/api/v1/tasks/move", &[("task_id", "3"), ("before", "2")]).await.ok();
        assert_eq!((&again["version"], &again["change_id"]), (&version, &Value::Null));

        // A move appears in the history and can be undone, like any change.
        let life = ada.get("/api/v1/tasks/get", &[("task_id", "3")]).await.ok();
        assert_eq!(life["past"][1]["changes"][0], serde_json::json!({"field": "order", "before": "none", "after": "by hand"}));
        let change = life["past"][0]["change_id"].as_str().unwrap();
        ada.post("/api/v1/undo", &[("change_id", change)]).await.ok();
        assert_eq!(titles(&ada).await, ["bread", "milk", "eggs", "rent"]);

        // Without a script: a button with the neighbour's number on the task's page.
        let page = browser.get("/tasks/1", &[]).await.text;
        assert!(page.contains("Move up") && page.contains("Move down"), "{page}");
        let gone = browser.form("/api/v1/tasks/move", &[("task_id", "1"), ("before", "3"), ("return_to", "/tasks")]).await;
        assert_eq!((gone.status, gone.header("location")), (303, "/tasks"));
        assert_eq!(titles(&ada).await, ["milk", "bread", "eggs", "rent"]);
        assert!(browser.get("/tasks", &[]).await.text.contains("Moved “milk” above “bread”."));
        app.command(&["audit", "verify"], "");
    }

    async fn another_day_is_another_place(app) {
        let (ada, _) = signed_in(&app).await;
        add(&ada, &["report tomorrow 9:00", "mail tomorrow", "read", "bills", "taxes"]).await;
        due(&ada, &[("4", "2020-01-01"), ("5", "2020-01-02")]).await;
        assert_eq!(titles(&ada).await, ["bills", "taxes", "mail", "report", "read"]);
        // Manual order applies within a day, above the time of day, and among overdue tasks.
        ada.post("/api/v1/tasks/move", &[("task_id", "1"), ("before", "2")]).await.ok();
        ada.post("/api/v1/tasks/move", &[("task_id", "5"), ("before", "4")]).await.ok();
        assert_eq!(titles(&ada).await, ["taxes", "bills", "report", "mail", "read"]);
        let refused = ada.post("/api/v1/tasks/move", &[("task_id", "3"), ("before", "1")]).await;
        refused.is_error(409, "conflict", "Task #1 has another date. To move task #3 there, give it that date.");
        ada.post("/api/v1/tasks/move", &[("task_id", "4"), ("after", "1")]).await.is_error(409, "conflict", "another date");
        // A new date or priority resets the manual position; an undo restores it.
        let edit = ada.post("/api/v1/tasks/update", &[("task_id", "1"), ("priority", "low")]).await.ok();
        assert_eq!(titles(&ada).await, ["taxes", "bills", "mail", "report", "read"]);
        ada.post("/api/v1/undo", &[("change_id", edit["change_id"].as_str().unwrap())]).await.ok();
        assert_eq!(titles(&ada).await, ["taxes", "bills", "report", "mail", "read"]);
        ada.post("/api/v1/tasks/update", &[("task_id", "1"), ("due", "")]).await.ok();
        assert_eq!(titles(&ada).await, ["taxes", "bills", "mail", "report", "read"]);
    }

    async fn pages_go_on_where_the_one_before_ended(app) {
        let (ada, browser) = signed_in(&app).await;
        let lines: Vec<String> = (0..55).map(|number| format!("thing {number} today")).collect();
        ada.post("/api/v1/tasks/add_lines", &[("lines", &lines.join("\n"))]).await.ok();
        // Its position in the day is after today's other tasks, and before all of them once it is overdue.
        let passed = (jiff::Timestamp::now() - jiff::SignedDuration::from_secs(5)).to_string();
        ada.post("/api/v1/tasks/add", &[("title", "call"), ("due", &passed)]).await.ok();
        let first = ada.get("/api/v1/tasks/list", &[("view", "all")]).await.ok();
        let second = ada.get("/api/v1/tasks/list", &[("view", "all"), ("cursor", first["next"].as_str().unwrap())]).await.ok();
        assert_eq!(second["next"], Value::Null);
        let rows: Vec<&Value> = [&first, &second].into_iter().flat_map(|page| page["tasks"].as_array().unwrap()).collect();
        assert_eq!((rows.len(), &rows[0]["title"], &rows[0]["group"]), (56, &"call".into(), &"Overdue".into()));
        let mut headings: Vec<&Value> = rows.iter().map(|row| &row["group"]).collect();
        headings.dedup();
        assert_eq!(headings.iter().filter(|group| **group == "Overdue").count(), 1, "{headings:?}");
        let cursor = first["next"].as_str().unwrap();
        assert!(browser.get("/tasks", &[("view", "all"), ("cursor", cursor)]).await.text.contains("thing 54"));
    }

    async fn what_has_no_place_is_refused(app) {
        let (ada, _) = signed_in(&app).await;
        add(&ada, &["milk", "eggs", "bread"]).await;
        ada.post("/api/v1/tasks/complete", &[("task_id", "3")]).await.ok();
        let refused = ada.post("/api/v1/tasks/move", &[("task_id", "1"), ("before", "3")]).await;
        refused.is_error(409, "conflict", "Task #3 is completed. Only open tasks can be reordered.");
        ada.post("/api/v1/tasks/move", &[("task_id", "1"), ("after", "1")]).await.is_error(422, "invalid", "next to itself");
        ada.post("/api/v1/tasks/move", &[("task_id", "1"), ("after", "9")]).await.is_error(404, "not_found", "There is no task #9.");
        for both in [&[("task_id", "1")][..], &[("task_id", "1"), ("before", "2"), ("after", "2")]] {
            ada.post("/api/v1/tasks/move", both).await.is_error(400, "malformed", "Give exactly one of before and after.");
        }
        ada.post("/api/v1/tasks/delete", &[("task_id", "2")]).await.ok();
        ada.post("/api/v1/tasks/move", &[("task_id", "1"), ("after", "2")]).await.is_error(404, "not_found", "There is no task #2.");
        let reader = app.token("ada", "tasks:read");
        reader.post("/api/v1/tasks/move", &[("task_id", "1"), ("after", "2")]).await.is_error(403, "forbidden", "tasks:write");
    }

    async fn samples_come_and_go_together(app) {
        let (ada, browser) = signed_in(&app).await;
        let told = async || ada.get("/api/v1/tasks/list", &[("view", "all")]).await.ok()["samples"].clone();
        assert_eq!(told().await, 0, "they are offered");
        assert!(browser.get("/", &[]).await.text.contains("Add a sample list"));
        let added = ada.post("/api/v1/tasks/samples/add", &[]).await.ok();
        assert_eq!((&added["done"], added["tasks"].as_array().unwrap().len()), (&"Added 5 samples".into(), 5));
        assert!(shown(&ada).await.iter().all(|task| task["tags"][0] == "sample"));
        assert_eq!(told().await, 5);
        ada.post("/api/v1/tasks/samples/add", &[]).await.is_error(409, "conflict", "already on your list");
        // A completed sample remains a sample; an edited one belongs to the user.
        ada.post("/api/v1/tasks/complete", &[("task_id", "1")]).await.ok();
        ada.post("/api/v1/tasks/update", &[("task_id", "2"), ("due", "friday")]).await.ok();
        add(&ada, &["my own"]).await;
        assert_eq!(told().await, 4);
        let page = browser.form("/api/v1/tasks/samples/remove", &[("return_to", "/tasks")]).await;
        assert_eq!((page.status, page.header("location")), (303, "/tasks"));
        assert!(browser.get("/tasks", &[]).await.text.contains("Removed 4 samples."));
        assert_eq!(titles(&ada).await, ["Call the dentist", "my own"]);
        assert_eq!(told().await, Value::Null, "nobody needs any");
        ada.post("/api/v1/tasks/samples/remove", &[]).await.is_error(409, "conflict", "There are no sample tasks on your list.");
        ada.post("/api/v1/undo/last", &[]).await.ok();
        assert_eq!(told().await, 4, "all at once");
        let writer = app.token("ada", "tasks:read,tasks:write");
        writer.post("/api/v1/tasks/samples/remove", &[]).await.is_error(403, "forbidden", "tasks:delete");
    }

    async fn undo_last_reverts_whole_groups_in_reverse_order(app) {
        let (ada, _) = signed_in(&app).await;
        ada.post("/api/v1/undo/last", &[]).await.is_error(409, "conflict", "There is nothing to undo from the last hour.");
        ada.say("add milk and then add eggs").await;
        ada.post("/api/v1/tasks/bulk", &[("task_ids", "1"), ("task_ids", "2"), ("act", "priority"), ("priority", "high")]).await.ok();
        add(&ada, &["bread"]).await;
        let last = async || {
            let undone = ada.post("/api/v1/undo/last", &[]).await.ok();
            let undone = undone["undone"].as_array().unwrap();
            let mut titles: Vec<_> = undone.iter().map(|task| task["title"].as_str().unwrap().to_owned()).collect();
            titles.sort();
            titles
        };
        assert_eq!(last().await, ["bread"]);
        assert_eq!(last().await, ["eggs", "milk"], "both at once");
        assert!(shown(&ada).await.iter().all(|task| task["priority"] == "none"));
        // An agent's change is not the person's.
        let agent = app.token("ada", "tasks:read,tasks:write");
        let before = titles(&ada).await;
        agent.tool("add_task", serde_json::json!({"title": "from outside"})).await;
        assert_eq!(last().await, ["eggs", "milk"], "the turn of the agent as a whole");
        assert_eq!(titles(&ada).await, ["from outside"], "{before:?}");
        ada.post("/api/v1/undo/last", &[]).await.is_error(409, "conflict", "nothing to undo from the last hour");
        // The conflict is reported.
        add(&ada, &["call mum"]).await;
        agent.tool("update_task", serde_json::json!({"task_id": 5, "priority": "high"})).await;
        let refused = ada.post("/api/v1/undo/last", &[]).await;
        refused.is_error(409, "conflict", "Task #5 was edited by");
        assert_eq!(titles(&ada).await.len(), 2, "nothing was taken back by half");
        app.command(&["audit", "verify"], "");
    }
}
