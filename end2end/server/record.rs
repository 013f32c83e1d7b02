//! Verification of the audit log by command and API. `workflow/tests/tamper` covers all tampering in process.

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqliteConnection};
use tempfile::TempDir;

use crate::app::{Client, TestApp, complaint, docket, finish};
use crate::database::{on_server, spoil};
use crate::on_both;

const ADA: &str = "(SELECT id FROM users WHERE name = 'ada')";

/// Modifies the database directly.
async fn tamper(url: &str, statements: &[String]) {
    let text = |text: &str| AssertSqlSafe(text.to_owned());
    if url.starts_with("sqlite") {
        spoil(url, statements).await;
    } else {
        let mut database = PgConnection::connect(url).await.unwrap();
        database.execute("SET session_replication_role = replica").await.unwrap();
        for sql in statements {
            database.execute(text(sql)).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        }
        database.close().await.unwrap();
    }
}

/// Returns the number that a query finds.
pub async fn number(url: &str, sql: &str) -> i64 {
    let query = AssertSqlSafe(sql.to_owned());
    let number: Option<i64> = if url.starts_with("sqlite") {
        let mut database = SqliteConnection::connect(url).await.unwrap();
        let number = sqlx::query_scalar(query).fetch_one(&mut database).await.unwrap();
        database.close().await.unwrap();
        number
    } else {
        let mut database = PgConnection::connect(url).await.unwrap();
        let number = sqlx::query_scalar(query).fetch_one(&mut database).await.unwrap();
        database.close().await.unwrap();
        number
    };
    number.unwrap_or_else(|| panic!("{sql} tells nothing"))
}

/// Runs `docket audit verify`; returns its exit status, its findings and its stderr.
fn verify(url: &str, arguments: &[&str]) -> (i32, String, String) {
    let arguments: Vec<&str> = ["audit", "verify"].iter().chain(arguments).copied().collect();
    let output = finish(docket(url, &arguments), "");
    let found = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.code().unwrap(), found, complaint(&output))
}

/// Creates records of most kinds.
async fn live(client: &Client) {
    client.say("add milk").await;
    let asked = client.say("delete task 1").await;
    client.say_after(&asked, "yes").await;
    client.post("/api/v1/tasks/add", &[("title", "by hand")]).await.ok();
    client.say("what can you do?").await;
}

/// Creates such records for ada and bob, an approval by button and an admin's access to a turn; then stops the server.
async fn lived(app: &mut TestApp) {
    let (ada, bob) = (app.user("ada"), app.user("bob"));
    live(&ada).await;
    live(&bob).await;
    let eggs = ada.say("add eggs").await;
    let asked = ada.say("delete task 3").await;
    let approval = asked["approval"]["approval_id"].as_str().unwrap();
    ada.post("/api/v1/approvals/decide", &[("approval_id", approval), ("verdict", "approve")]).await.ok();
    app.command(&["user", "add", "root", "--password-stdin", "--admin"], crate::app::PASSWORD);
    let page = app.browser("root").await.get(&format!("/audit/{}", eggs["turn_id"].as_str().unwrap()), &[]).await;
    assert_eq!(page.status, 200, "{}", page.text);
    app.server.terminate();
}

/// Copies of an unused database.
struct Copies {
    url: String,
    folder: TempDir,
}

impl Copies {
    fn of(app: &TestApp) -> Self {
        Self { url: app.database.url.clone(), folder: tempfile::tempdir().unwrap() }
    }

    /// Makes another copy and returns its URL.
    async fn make(&self) -> String {
        if self.url.starts_with("sqlite") {
            let file = self.folder.path().join(format!("{}.db", uuid::Uuid::new_v4().simple()));
            let mut database = SqliteConnection::connect(&self.url).await.unwrap();
            database.execute(AssertSqlSafe(format!("VACUUM INTO '{}'", file.display()))).await.unwrap();
            database.close().await.unwrap();
            format!("sqlite://{}", file.display())
        } else {
            let (head, whole) = self.url.rsplit_once('/').unwrap();
            let name = format!("e2e_{}", uuid::Uuid::new_v4().simple());
            on_server(&format!("CREATE DATABASE {name} TEMPLATE {whole}")).await.unwrap();
            format!("{head}/{name}")
        }
    }

    async fn remove(&self, url: &str) {
        if let Some(file) = url.strip_prefix("sqlite://") {
            std::fs::remove_file(file).unwrap();
        } else {
            let (_, name) = url.rsplit_once('/').unwrap();
            on_server(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
        }
    }
}

on_both! {
    async fn unreplayable_turn_does_not_stop_replay_of_others(app) {
        let mut app = app;
        lived(&mut app).await;
        let replay = |url: &str| {
            let output = finish(docket(url, &["audit", "replay", "--all"]), "");
            (output.status.code(), String::from_utf8_lossy(&output.stdout).trim().to_owned(), complaint(&output))
        };
        let (status, found, said) = replay(&app.database.url);
        assert_eq!((status, said.as_str()), (Some(0), ""), "{found}");
        let copies = Copies::of(&app);
        let copy = copies.make().await;
        let decided = format!("FROM decisions WHERE user_id = {ADA})");
        let first = format!("DELETE FROM bodies WHERE user_id = {ADA} AND seq = (SELECT MIN(record_seq) {decided}");
        let later = format!(
            "UPDATE bodies SET body = replace(body, 'Created task: eggs', 'Created task: eggz')
             WHERE user_id = {ADA} AND seq IN (SELECT record_seq {decided}"
        );
        tamper(&copy, &[first, later]).await;
        let (status, found, said) = replay(&copy);
        assert_eq!(status, Some(1), "{found}");
        assert!(found.contains("eggz") && found.lines().last().unwrap().contains(" cannot be replayed: "), "{found}");
        assert!(said.starts_with("docket: 1 of ") && said.ends_with(" reached a different decision, 1 cannot be replayed."), "{said}");
        copies.remove(&copy).await;
    }

    async fn an_honest_record_is_verified(app) {
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        live(&ada).await;
        live(&bob).await;
        let (status, found, said) = verify(&app.database.url, &[]);
        assert_eq!((status, said.as_str()), (0, ""));
        assert!(found.starts_with("verified ") && found.ends_with(" records, 2 users"), "{found}");
        let (status, found, _) = verify(&app.database.url, &["--user", "ada"]);
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
        let edit = format!("UPDATE invocations SET duration_ms = 99999 WHERE user_id = {ADA} AND tool = 'add_task'");
        tamper(&app.database.url, &[edit]).await;
        let (status, found, said) = verify(&app.database.url, &[]);
        assert_eq!((status, said.as_str()), (1, "docket: The audit log is broken: 1 of 2 chains is broken."));
        assert_eq!(found.lines().count(), 1, "{found}");
        assert!(found.starts_with("ada, record ") && found.ends_with(" (invocation): invocations.duration_ms does not match the record."), "{found}");
        let report = ada.get("/api/v1/audit/verify", &[]).await.ok();
        let broken = &report["broken"][0];
        assert_eq!((&broken["user"], &broken["kind"]), (&"ada".into(), &"invocation".into()), "{report}");
        assert!(report["verified_through"].is_null(), "{report}");
        assert!(bob.get("/api/v1/audit/verify", &[]).await.ok()["verified_through"].is_string());
        assert_eq!(verify(&app.database.url, &["--user", "bob"]).0, 0);
        ada.get("/api/v1/audit/verify", &[("user", "bob")]).await.is_error(404, "not_found", "bob");
        let only_chat = app.token("ada", "chat");
        only_chat.get("/api/v1/audit/verify", &[]).await.is_error(403, "forbidden", "audit");
    }
}
