//! From a message to a task: the main path of the application.

use serde_json::json;

use crate::on_both;

on_both! {
    async fn a_message_becomes_a_task(app) {
        let ada = app.user("ada");
        let turn = ada.say("add buy milk").await;
        assert_eq!(turn["status"], "done", "{turn}");
        assert_eq!(turn["cause"], "message");
        assert_eq!(turn["engine"], "rules");
        assert_eq!(turn["decision"], json!({"kind": "INVOKE_TOOL", "outcome": "SUCCESS:TASK_COMPLETED"}));
        let call = &turn["tool_calls"][0];
        assert_eq!((&call["tool"], &call["risk"], &call["status"]), (&json!("add_task"), &json!("medium"), &json!("ok")));
        let title = call["result"]["title"].as_str().expect("a title").to_owned();
        assert_eq!(turn["reply"].as_str().unwrap().lines().next().unwrap(), format!("Created task: {title} (#1)"));
        assert_eq!(ada.titles().await, [title]);
    }

    async fn a_conversation_goes_on_and_is_kept(app) {
        let ada = app.user("ada");
        let first = ada.say("add buy milk").await;
        let second = ada.say_after(&first, "complete task 1").await;
        assert_eq!(second["conversation_id"], first["conversation_id"]);
        assert_eq!(ada.tasks().await[0]["status"], "completed");
        let conversation = first["conversation_id"].as_str().unwrap();
        let page = ada.get("/api/v1/conversations/messages", &[("conversation_id", conversation)]).await.ok();
        let spoken: Vec<_> = page["items"].as_array().unwrap().iter().map(|item| item["speaker"].clone()).collect();
        assert_eq!(spoken, ["user", "assistant", "user", "assistant"]);
        let list = ada.get("/api/v1/conversations/list", &[]).await.ok();
        assert_eq!(list.as_array().unwrap().len(), 1);
    }

    async fn a_client_key_makes_a_repeat_the_same_turn(app) {
        let ada = app.user("ada");
        let fields = [("message", "add buy milk"), ("client_key", "form-1")];
        let first = ada.post("/api/v1/chat", &fields).await.ok();
        let again = ada.post("/api/v1/chat", &fields).await.ok();
        assert_eq!(first["turn_id"], again["turn_id"]);
        assert_eq!(ada.tasks().await.len(), 1);
    }

    async fn a_client_key_adds_a_task_once(app) {
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        let add = |title: &'static str| [("title", title), ("client_key", "form-1")];
        let first = ada.post("/api/v1/tasks/add", &add("Buy milk")).await.ok();
        let again = ada.post("/api/v1/tasks/add", &add("Buy milk")).await.ok();
        assert_eq!(first, again);
        assert_eq!(ada.tasks().await.len(), 1);
        bob.post("/api/v1/tasks/add", &add("Buy bread")).await.ok();
        assert_eq!(bob.tasks().await[0]["title"], "Buy bread", "a key is its user's own");
    }

    async fn an_answer_holds_its_tasks_as_they_are_now(app) {
        let ada = app.user("ada");
        for line in ["buy milk today", "call mum tomorrow", "read a book"] {
            ada.post("/api/v1/tasks/add", &[("text", line)]).await.ok();
        }
        let turn = ada.say("what's due this week").await;
        let listed = || async {
            let query = [("conversation_id", turn["conversation_id"].as_str().expect("an id"))];
            let thread = ada.get("/api/v1/conversations/messages", &query).await.ok();
            let messages = thread["items"].as_array().expect("messages").clone();
            messages.iter().map(|message| message["listed"].as_array().expect("a list").clone()).collect::<Vec<_>>()
        };
        let numbers = |rows: &[serde_json::Value]| rows.iter().map(|row| row["task_id"].as_i64()).collect::<Vec<_>>();
        let before = listed().await;
        assert_eq!((before[0].len(), numbers(&before[1])), (0, vec![Some(1), Some(2)]));
        ada.post("/api/v1/tasks/complete", &[("task_id", "2")]).await.ok();
        ada.post("/api/v1/tasks/delete", &[("task_id", "1")]).await.ok();
        let now = listed().await;
        assert_eq!(numbers(&now[1]), [Some(1), Some(2)]);
        assert_eq!((now[1][0]["deleted_at"].is_string(), &now[1][1]["status"]), (true, &serde_json::json!("completed")));
        // Reads for a change or for a clarifying question.
        for words in ["complete read a book", "delete the task about tax"] {
            ada.say_after(&turn, words).await;
            assert_eq!(listed().await.last().map(Vec::len), Some(0), "{words}");
        }
    }

    async fn message_without_waiting_returns_a_turn_to_poll(app) {
        let ada = app.user("ada");
        let turn = ada.post("/api/v1/chat", &[("message", "add buy milk"), ("wait", "false")]).await.ok();
        let id = turn["turn_id"].as_str().expect("an id").to_owned();
        let done = crate::app::until("the turn", || async {
            let turn = ada.get("/api/v1/turns/get", &[("turn_id", &id)]).await.ok();
            (turn["status"] == "done").then_some(turn)
        })
        .await;
        assert_eq!(done["decision"]["outcome"], "SUCCESS:TASK_COMPLETED");
    }
}
