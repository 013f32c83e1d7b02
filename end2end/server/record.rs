//! The record, verified: by the command and through the API.

use sqlx::{Connection as _, Executor as _, PgConnection, SqliteConnection};

use crate::app::{Client, TestApp, complaint, docket, finish};
use crate::on_both;

/// Changes something behind the server's back: what guards the tables is taken away first.
async fn tamper(app: &TestApp, table: &str, statement: &str) {
    let text = |text: String| sqlx::AssertSqlSafe(text);
    if app.database.url.starts_with("sqlite") {
        let mut database = SqliteConnection::connect(&app.database.url).await.unwrap();
        database.execute(text(format!("DROP TRIGGER IF EXISTS {table}_refuse_update"))).await.unwrap();
        database.execute(text(statement.to_owned())).await.unwrap();
    } else {
        let mut database = PgConnection::connect(&app.database.url).await.unwrap();
        database.execute("SET session_replication_role = replica").await.unwrap();
        database.execute(text(statement.to_owned())).await.unwrap();
    }
}

/// Runs `docket audit verify` and tells its exit status, what it found and what it said.
fn verify(app: &TestApp, arguments: &[&str]) -> (i32, String, String) {
    let arguments: Vec<&str> = ["audit", "verify"].iter().chain(arguments).copied().collect();
    let output = finish(docket(&app.database.url, &arguments), "");
    let found = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.code().unwrap(), found, complaint(&output))
}

/// A little of everything that is recorded.
async fn live(client: &Client) {
    client.say("add milk").await;
    let asked = client.say("delete task 1").await;
    client.say_after(&asked, "yes").await;
    client.post("/api/v1/tasks/add", &[("title", "by hand")]).await.ok();
    client.say("what can you do?").await;
}

on_both! {
    async fn an_honest_record_is_verified(app) {
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        live(&ada).await;
        live(&bob).await;
        let (status, found, said) = verify(&app, &[]);
        assert_eq!((status, said.as_str()), (0, ""));
        assert!(found.starts_with("verified ") && found.ends_with(" records, 2 users"), "{found}");
        let (status, found, _) = verify(&app, &["--user", "ada"]);
        assert!(status == 0 && found.ends_with(" records, 1 users"), "{found}");
        let report = ada.get("/api/v1/audit/verify", &[]).await.ok();
        assert_eq!(report["users"], 1);
        assert!(report["records"].as_u64().unwrap() > 15, "{report}");
        assert!(report["verified_through"].is_string() && report["broken"].as_array().unwrap().is_empty(), "{report}");
    }

    async fn what_was_edited_is_named_and_others_are_not(app) {
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        live(&ada).await;
        live(&bob).await;
        let whose = "user_id = (SELECT id FROM users WHERE name = 'ada')";
        tamper(&app, "invocations", &format!("UPDATE invocations SET duration_ms = 99999 WHERE {whose} AND tool = 'add_task'")).await;
        let (status, found, said) = verify(&app, &[]);
        assert_eq!((status, said.as_str()), (1, "docket: The record is broken: 1 of 2 chains is broken."));
        assert_eq!(found.lines().count(), 1, "{found}");
        assert!(found.starts_with("ada, record ") && found.ends_with(" (invocation): invocations.duration_ms is not what was recorded."), "{found}");
        let report = ada.get("/api/v1/audit/verify", &[]).await.ok();
        let broken = &report["broken"][0];
        assert_eq!((&broken["user"], &broken["kind"]), (&"ada".into(), &"invocation".into()), "{report}");
        assert!(report["verified_through"].is_null(), "{report}");
        assert!(bob.get("/api/v1/audit/verify", &[]).await.ok()["verified_through"].is_string());
        assert_eq!(verify(&app, &["--user", "bob"]).0, 0);
        ada.get("/api/v1/audit/verify", &[("user", "bob")]).await.is_error(404, "not_found", "bob");
        let only_chat = app.token("ada", "chat");
        only_chat.get("/api/v1/audit/verify", &[]).await.is_error(403, "forbidden", "audit");
    }
}
