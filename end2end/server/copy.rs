//! `docket copy`, from outside: the data of real turns, served from the other database (R-1006).

use crate::app::{Client, Database, Db, Server, TestApp, complaint, docket, finish};

/// Creates data of every kind.
async fn live(ada: &Client) {
    let first = ada.say("add buy milk tomorrow 5pm @home p1").await;
    ada.say_after(&first, "add water ferns every monday #Garden").await;
    ada.say_after(&first, "complete task 2").await;
    let asked = ada.say_after(&first, "delete task 1").await;
    ada.say_after(&asked, "yes").await;
    ada.say("rename task 3 to “Œuvre”").await;
    ada.post("/api/v1/tasks/add", &[("title", "by hand"), ("due", "2030-01-01"), ("client_key", "k")]).await.ok();
    ada.post("/api/v1/undo", &[("turn_id", asked["turn_id"].as_str().expect("a turn"))]).await;
}

/// Returns the data that ada sees everywhere.
async fn seen(ada: &Client) -> Vec<String> {
    let mut seen = vec![];
    for (path, query) in [
        ("/api/v1/tasks/list", &[("status", "all")][..]),
        ("/api/v1/conversations/list", &[]),
        ("/api/v1/approvals/list", &[]),
        ("/api/v1/audit/list", &[]),
    ] {
        seen.push(ada.get(path, query).await.ok().to_string());
    }
    seen
}

fn start(url: &str) -> Server {
    Server::start(url, &[]).unwrap_or_else(|output| panic!("{}", complaint(&output)))
}

#[tokio::test]
async fn copy_from_sqlite_to_postgres_and_back_preserves_everything() {
    let Some(postgres) = Database::fresh(Db::Postgres).await else { return };
    let mut app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let ada = app.user("ada");
    app.user("ben").say("add eggs").await;
    live(&ada).await;
    let before = seen(&ada).await;
    let copy = |from: &str, to: &str| finish(docket("sqlite://unused", &["copy", "--from", from, "--to", to]), "");
    let refused = copy(&app.database.url, &postgres.url);
    assert!(complaint(&refused).contains("already uses"), "{}", complaint(&refused));
    app.server.terminate();
    let copied = copy(&app.database.url, &postgres.url);
    assert!(copied.status.success(), "{}", complaint(&copied));
    assert!(String::from_utf8_lossy(&copied.stdout).contains("hash chains"), "{copied:?}");
    let mut server = start(&postgres.url);
    assert_eq!(seen(&ada.at(&server)).await, before);
    let turn = ada.at(&server).say("add one more lamp").await;
    assert_eq!(turn["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{turn}");
    let before = seen(&ada.at(&server)).await;
    server.terminate();
    let again = copy(&app.database.url, &postgres.url);
    assert!(complaint(&again).contains("not empty"), "{}", complaint(&again));
    let back = Database::fresh(Db::Sqlite).await.expect("SQLite is always there");
    let copied = copy(&postgres.url, &back.url);
    assert!(copied.status.success(), "{}", complaint(&copied));
    assert_eq!(seen(&ada.at(&start(&back.url))).await, before);
}

#[tokio::test]
async fn a_copy_of_nothing_makes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = format!("sqlite://{}/none.db", folder.path().display());
    let refused =
        finish(docket("sqlite://unused", &["copy", "--from", &missing, "--to", "postgres://127.0.0.1:1/x"]), "");
    assert!(complaint(&refused).contains("There is no file"), "{}", complaint(&refused));
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
}
