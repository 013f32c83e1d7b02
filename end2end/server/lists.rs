//! The task list: a task's page and history, projects and tags, bulk actions.

use crate::app::{Client, TestApp};
use crate::on_both;

async fn signed_in(app: &TestApp) -> (Client, Client) {
    let ada = app.user("ada");
    let browser = app.browser("ada").await;
    (ada, browser)
}

/// Returns the titles of open tasks.
async fn open(ada: &Client) -> Vec<String> {
    let found = ada.get("/api/v1/tasks/list", &[("status", "pending")]).await.ok();
    found["tasks"].as_array().unwrap().iter().map(|task| task["title"].as_str().unwrap().to_owned()).collect()
}

on_both! {
    async fn task_page_shows_its_history_and_undoes_a_change(app) {
        let (ada, browser) = signed_in(&app).await;
        let turn = ada.say("add milk").await;
        ada.post("/api/v1/tasks/update", &[("task_id", "1"), ("priority", "high"), ("project", "Home")]).await.ok();

        let life = ada.get("/api/v1/tasks/get", &[("task_id", "1")]).await.ok();
        let past = life["past"].as_array().unwrap();
        let told: Vec<_> = past.iter().map(|line| (line["what"].as_str().unwrap(), line["can_undo"] == true)).collect();
        assert_eq!(told, [("Changed by you, with the token “test”", true), ("Added by Docket for you", false)], "the later one is in the way");
        assert_eq!(past[1]["turn_id"], turn["turn_id"]);
        assert_eq!(past[0]["changes"][0]["before"], "none");

        let page = browser.get("/tasks/1", &[]).await;
        assert_eq!(page.status, 200);
        for part in ["Changed by you", "Added by Docket for you", "name=\"change_id\"", "value=\"high\" selected", "tasks-page--open"] {
            assert!(page.text.contains(part), "{part} is not in {}", page.text);
        }
        // Through a plain form, which redirects to its page.
        let change = past[0]["change_id"].as_str().unwrap();
        let undone = browser.form("/api/v1/undo", &[("change_id", change), ("return_to", "/tasks/1")]).await;
        assert_eq!((undone.status, undone.header("location")), (303, "/tasks/1"));
        let life = ada.get("/api/v1/tasks/get", &[("task_id", "1")]).await.ok();
        let told: Vec<_> = life["past"].as_array().unwrap().iter()
            .map(|line| (line["what"].as_str().unwrap(), line["undone"] == true, line["can_undo"] == true)).collect();
        assert_eq!(told, [("Changed back by you", false, true), ("Changed by you, with the token “test”", true, false), ("Added by Docket for you", false, true)]);
        assert_eq!(life["task"]["priority"], "none");

        // A task in the bin still has its page; one that never existed has none.
        ada.post("/api/v1/tasks/delete", &[("task_id", "1")]).await.ok();
        let page = browser.get("/tasks/1", &[]).await;
        assert!(page.status == 200 && page.text.contains("This task is in the bin."), "{}", page.text);
        let none = browser.get("/tasks/7", &[]).await;
        assert!(none.text.contains("There is no task #7."), "{}", none.text);
        ada.get("/api/v1/tasks/get", &[("task_id", "x")]).await.is_error(400, "malformed", "");
    }

    async fn agent_change_is_marked_in_lists_until_the_owner_edits(app) {
        let (ada, browser) = signed_in(&app).await;
        ada.say("add milk").await;
        ada.post("/api/v1/tasks/add", &[("title", "eggs")]).await.ok();
        let hands = |tasks: &[serde_json::Value]| tasks.iter().map(|task| task["changed_by"].clone()).collect::<Vec<_>>();
        assert_eq!(hands(&ada.tasks().await), [serde_json::json!("agent"), serde_json::Value::Null]);
        assert_eq!(browser.get("/tasks", &[]).await.text.matches("task-item__agent").count(), 1);
        ada.post("/api/v1/tasks/update", &[("task_id", "1"), ("priority", "low")]).await.ok();
        assert_eq!(hands(&ada.tasks().await), [serde_json::Value::Null, serde_json::Value::Null]);
    }

    async fn projects_and_tags_are_counted_and_narrow_the_list(app) {
        let (ada, browser) = signed_in(&app).await;
        for line in ["report #Work @desk", "mail #work @desk @phone", "paint #Home", "call mum @Phone"] {
            ada.post("/api/v1/tasks/add", &[("text", line)]).await.ok();
        }
        ada.post("/api/v1/tasks/add", &[("text", "done #Gone")]).await.ok();
        ada.post("/api/v1/tasks/complete", &[("task_id", "5")]).await.ok();
        let facets = ada.get("/api/v1/tasks/facets", &[]).await.ok();
        let counts = |kind: &str| facets[kind].as_array().unwrap().iter()
            .map(|facet| (facet["name"].as_str().unwrap().to_lowercase(), facet["count"].as_i64().unwrap())).collect::<Vec<_>>();
        assert_eq!(counts("projects"), [("home".to_owned(), 1), ("work".to_owned(), 2)]);
        assert_eq!(counts("tags"), [("desk".to_owned(), 2), ("phone".to_owned(), 2)]);
        let page = browser.get("/tasks", &[("project", "work")]).await.text;
        assert!(page.contains("report") && page.contains("mail") && !page.contains("Done: call mum"), "{page}");
        let page = browser.get("/tasks", &[("tag", "phone")]).await.text;
        assert!(page.contains("Done: call mum") && page.contains("mail") && !page.contains("Done: paint"), "{page}");
    }

    async fn one_thing_is_done_to_several_tasks_or_to_none(app) {
        let (ada, browser) = signed_in(&app).await;
        for title in ["milk", "eggs", "bread"] {
            ada.post("/api/v1/tasks/add", &[("title", title)]).await.ok();
        }
        let both = [("task_ids", "1"), ("task_ids", "2"), ("act", "complete")];
        let done = ada.post("/api/v1/tasks/bulk", &both).await.ok();
        assert_eq!(done["done"], "Completed 2 tasks");
        assert_eq!(open(&ada).await, ["bread"]);
        // The second is completed already, so the third stays unchanged.
        let refused = ada.post("/api/v1/tasks/bulk", &[("task_ids", "3"), ("task_ids", "2"), ("act", "complete")]).await;
        refused.is_error(409, "conflict", "Task #2 is already completed.");
        assert_eq!(open(&ada).await, ["bread"]);
        // One undo reverts all of it.
        let changes: Vec<_> = done["tasks"].as_array().unwrap().iter().map(|task| ("change_id", task["change_id"].as_str().unwrap())).collect();
        ada.post("/api/v1/undo", &changes).await.ok();
        assert_eq!(open(&ada).await, ["milk", "eggs", "bread"]);

        ada.post("/api/v1/tasks/bulk", &[("task_ids", "1"), ("task_ids", "3"), ("act", "priority"), ("priority", "high"), ("due", "tomorrow")]).await.ok();
        let tasks = ada.tasks().await;
        let of = |number: i64| tasks.iter().find(|task| task["task_id"] == number).unwrap().clone();
        assert_eq!((&of(1)["priority"], &of(2)["priority"], &of(3)["priority"]), (&"high".into(), &"none".into(), &"high".into()));
        assert!(of(1)["due"].is_null(), "only the named field counts");
        ada.post("/api/v1/tasks/bulk", &[("task_ids", "1"), ("act", "burn")]).await.is_error(422, "invalid", "“burn” is not a bulk action");
        ada.post("/api/v1/tasks/bulk", &[("act", "delete")]).await.is_error(422, "invalid", "Select the tasks first.");
        ada.post("/api/v1/tasks/bulk", &[("task_ids", "1"), ("act", "due"), ("due", "blorgh")]).await.is_error(422, "invalid", "blorgh");

        ada.post("/api/v1/tasks/complete", &[("task_id", "2")]).await.ok();
        let refused = ada.post("/api/v1/tasks/bulk", &[("task_ids", "1"), ("task_ids", "2"), ("act", "due"), ("due", "tomorrow")]).await;
        refused.is_error(409, "conflict", "Task #2 is completed: reopen it before you set its due date.");
        assert!(ada.tasks().await.iter().all(|task| task["due"].is_null()), "of all of them or of none");
        ada.post("/api/v1/tasks/reopen", &[("task_id", "2")]).await.ok();

        // Without a script: checkboxes and buttons of one form.
        let page = browser.get("/tasks", &[]).await.text;
        assert_eq!(page.matches("form=\"bulk\"").count(), 3, "{page}");
        let gone = browser.form("/api/v1/tasks/bulk", &[("task_ids", "1"), ("task_ids", "2"), ("act", "delete"), ("return_to", "/tasks")]).await;
        assert_eq!((gone.status, gone.header("location")), (303, "/tasks"));
        assert!(browser.get("/tasks", &[]).await.text.contains("Moved 2 tasks to the bin."));
        let reader = app.token("ada", "tasks:read,tasks:write");
        reader.post("/api/v1/tasks/bulk", &[("task_ids", "3"), ("act", "delete")]).await.is_error(403, "forbidden", "tasks:delete");
    }
}

on_both! {
    async fn conversation_is_searched_renamed_and_hidden_until_its_next_message(app) {
        let (ada, browser) = signed_in(&app).await;
        let first = ada.say("add buy a zucchini").await;
        ada.say("show my tasks").await;
        let id = first["conversation_id"].as_str().unwrap();
        let titles = async |query: &[(&str, &str)]| {
            let found = ada.get("/api/v1/conversations/list", query).await.ok();
            found.as_array().unwrap().iter().map(|it| it["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(titles(&[]).await.len(), 2);
        // Search in messages, Docket's included; pattern characters are literal.
        assert_eq!(titles(&[("query", "CREATED task: buy a zucchini (#1")]).await, ["add buy a zucchini"]);
        assert!(titles(&[("query", "created%zucchini")]).await.is_empty());

        ada.post("/api/v1/conversations/rename", &[("conversation_id", id), ("title", "Shopping")]).await.ok();
        assert_eq!(titles(&[("query", "shopping")]).await, ["Shopping"]);
        ada.post("/api/v1/conversations/rename", &[("conversation_id", id), ("title", " ")]).await.is_error(422, "invalid", "must not be empty");
        let page = browser.get("/conversations", &[("q", "zucchini")]).await.text;
        assert!(page.contains(&format!("/?c={id}")) && page.contains("value=\"Shopping\""), "{page}");

        let hidden = browser.form("/api/v1/conversations/hide", &[("conversation_id", id), ("return_to", "/conversations")]).await;
        assert_eq!((hidden.status, hidden.header("location")), (303, "/conversations"));
        assert_eq!(titles(&[]).await, ["show my tasks"]);
        assert_eq!(titles(&[("hidden", "true")]).await, ["Shopping"]);
        // It can still be opened, and the next message restores it.
        assert_eq!(ada.get("/api/v1/conversations/messages", &[("conversation_id", id)]).await.ok()["conversation"]["hidden"], true);
        ada.say_after(&first, "thanks").await;
        assert_eq!(titles(&[]).await, ["Shopping", "show my tasks"]);
    }
}
