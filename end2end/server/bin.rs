//! The bin: tasks are purged after 30 days, and later requests for them say so.

use sqlx::{Connection, Executor, PgConnection, SqliteConnection};

use crate::app::{Client, until};
use crate::on_both;

/// Moves all deletions to a date long ago. The server must be stopped.
async fn age(url: &str) {
    let sql = "UPDATE tasks SET deleted_at = '2020-01-01T00:00:00.000Z', updated_at = '2020-01-01T00:00:00.000Z'
        WHERE deleted_at IS NOT NULL";
    let aged = if url.starts_with("sqlite") {
        SqliteConnection::connect(url).await.expect("the file").execute(sql).await.map(|done| done.rows_affected())
    } else {
        PgConnection::connect(url).await.expect("the server").execute(sql).await.map(|done| done.rows_affected())
    };
    assert_eq!(aged.expect("the table"), 1);
}

async fn in_bin(ada: &Client) -> i64 {
    ada.get("/api/v1/tasks/list", &[("view", "bin")]).await.ok()["total"].as_i64().expect("a number")
}

on_both! {
    async fn task_in_the_bin_is_deleted_permanently_after_30_days(app) {
        let mut app = app;
        let ada = app.user("ada");
        ada.post("/api/v1/tasks/add", &[("title", "secret plans")]).await.ok();
        let deleted = ada.post("/api/v1/tasks/delete", &[("task_id", "1")]).await.ok();
        let change = deleted["change_id"].as_str().unwrap().to_owned();
        app.restart();
        let ada = ada.at(&app.server);
        assert_eq!(in_bin(&ada).await, 1, "it was deleted just now");
        let browser = app.browser("ada").await;
        let page = browser.get("/tasks", &[("view", "bin")]).await.text;
        assert!(page.contains("secret plans") && page.contains("stay here for 30 days"), "{page}");

        app.server.terminate();
        age(&app.database.url).await;
        app.server = app.another();
        let ada = ada.at(&app.server);
        until("the bin to be emptied", || async { (in_bin(&ada).await == 0).then_some(()) }).await;

        let gone = "Task #1 was deleted permanently after 30 days in the bin and cannot be restored.";
        for path in ["restore", "update", "complete", "reopen", "delete"] {
            let refused = ada.post(&format!("/api/v1/tasks/{path}"), &[("task_id", "1"), ("title", "x")]).await;
            refused.is_error(404, "not_found", gone);
        }
        ada.post("/api/v1/undo", &[("change_id", &change)]).await.is_error(409, "conflict", gone);
        let found = ada.get("/api/v1/tasks/list", &[("query", "secret")]).await.ok();
        assert_eq!(found["total"], 0);
        let added = ada.post("/api/v1/tasks/add", &[("title", "new")]).await.ok();
        assert_eq!(added["task_id"], 2, "its number is never given again");
        let asked = ada.say("show task 1").await;
        assert!(!asked["reply"].as_str().unwrap().contains("secret"), "{asked}");
    }
}
