//! Databases of earlier releases: this version upgrades, verifies, replays, backs up and copies them, and decides their
//! pending approvals (R-704, R-1006).
//!
//! `fixtures/README.md` describes how they are made and how to add the next release.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use crate::app::{Client, Database, Db, PASSWORD, Server, checkpoint_files, complaint, docket, finish};
use crate::tamper::both;

/// Folder of the fixtures: one folder per release, with one per history.
const FIXTURES: &str = "end2end/server/fixtures";

/// The released histories. A release adds a line for each history of its folder.
const RELEASED: &[Released] = &[
    Released { release: "0.1.0-95d90e5", history: "sound", repair: None },
    Released { release: "0.1.0-95d90e5", history: "voided", repair: Some(ERASED_VERDICT) },
];

/// A fault of 0.1.0: erasing an approval that became void after an approve left the first verdict without a row.
const ERASED_VERDICT: Repair =
    Repair { problem: "(approval_verdict): its row in approvals is missing.", command: &["audit", "amend"] };

struct Released {
    release: &'static str,
    history: &'static str,
    repair: Option<Repair>,
}

/// A fault that a release left in its databases, with its repair.
#[derive(Clone, Copy)]
struct Repair {
    /// Part of the verification's output before the repair.
    problem: &'static str,
    /// The command that repairs it.
    command: &'static [&'static str],
}

/// A fixture on one kind of database.
struct Fixture {
    folder: PathBuf,
    /// The contents of `facts.json`.
    facts: Value,
}

impl Fixture {
    fn read(released: &Released, db: Db) -> Self {
        let kind = if db == Db::Sqlite { "sqlite" } else { "postgres" };
        let folder = Path::new(FIXTURES).join(released.release).join(released.history).join(kind);
        let facts = std::fs::read_to_string(folder.join("facts.json")).expect("the fixture has facts");
        Self { facts: serde_json::from_str(&facts).expect("facts are JSON"), folder }
    }

    fn unpacked(&self, name: &str) -> Vec<u8> {
        let packed = std::fs::File::open(self.folder.join(format!("{name}.gz"))).expect("the fixture has the file");
        let mut bytes = vec![];
        GzDecoder::new(packed).read_to_end(&mut bytes).expect("the file is whole");
        bytes
    }

    /// Creates a database from the fixture, with its checkpoint key and log; `None` without a PostgreSQL.
    async fn database(&self, db: Db) -> Option<Database> {
        let database = Database::fresh(db).await?;
        match database.url.strip_prefix("sqlite://") {
            Some(file) => std::fs::write(file, self.unpacked("docket.db")).expect("the database is written"),
            None => {
                let dump = String::from_utf8(self.unpacked("dump.sql")).expect("a dump is UTF-8");
                let mut connection = PgConnection::connect(&database.url).await.expect("the tests' PostgreSQL");
                connection.execute(AssertSqlSafe(dump)).await.expect("the dump is restored");
                connection.close().await.expect("the connection ends");
            }
        }
        place(["checkpoint.key", "checkpoints.log"].map(|name| self.folder.join(name)), &database.url);
        Some(database)
    }

    /// Starts a server on the database, with the clock at the fixture's creation.
    fn serve(&self, url: &str) -> Server {
        let made_at = self.text("made_at");
        Server::start(url, &[("DOCKET_CLOCK", made_at), ("DOCKET_DATABASE_CLOCK", made_at)])
            .unwrap_or_else(|output| panic!("{}", complaint(&output)))
    }

    fn text(&self, name: &str) -> &str {
        self.facts[name].as_str().expect("a fact is text")
    }

    fn client(&self, server: &Server, name: &str) -> Client {
        let token = self.facts["tokens"][name].as_str().expect("a token").to_owned();
        Client { token: Some(token), ..Client::anonymous(&server.base) }
    }

    /// Returns the public key of its checkpoints.
    fn key(&self) -> &str {
        let words = self.facts["bundles"]["everyone"]["words"].as_str().expect("a bundle was verified");
        words.rsplit(' ').next().expect("it ends with the key")
    }
}

/// Copies the checkpoint key and log to the paths of the database at `url`.
fn place(files: [PathBuf; 2], url: &str) {
    for (from, to) in files.iter().zip(checkpoint_files(url)) {
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("the folder is made");
        std::fs::copy(from, &to).expect("the file is copied");
        let owner = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&to, owner).expect("the file is the owner's");
    }
}

/// Runs a command; returns its exit status and output.
fn run(url: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let output = finish(docket(url, arguments), "");
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), format!("{found}{}", complaint(&output)).trim().to_owned())
}

/// Runs a command that must succeed.
#[track_caller]
fn done(url: &str, arguments: &[&str]) -> String {
    let (status, words) = run(url, arguments);
    assert_eq!(status, Some(0), "docket {arguments:?}: {words}");
    words
}

/// Verifies the audit log, which must be valid; returns the number of records and of erased texts.
#[track_caller]
fn verified(url: &str) -> (u64, u64) {
    let words = done(url, &["audit", "verify"]);
    counted(words.lines().next().unwrap_or_default())
}

/// Parses the numbers in `verified 435 records, 4 users (121 texts erased)`.
#[track_caller]
fn counted(words: &str) -> (u64, u64) {
    let number = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or_default();
    let (records, rest) = words.strip_prefix("verified ").and_then(|rest| rest.split_once(',')).expect(words);
    (number(records), rest.split_once('(').map_or(0, |(_, erased)| number(erased)))
}

/// Returns ada's titles and approvals in the form of `facts.json`.
async fn seen(ada: &Client) -> (Value, Value) {
    let tasks = ada.tasks().await.into_iter().map(|task| (task["task_id"].to_string(), task["title"].clone()));
    let approvals = ada.get("/api/v1/approvals/list", &[]).await.ok();
    let approvals = approvals.as_array().expect("a list").iter();
    let approvals =
        approvals.map(|one| (one["approval_id"].as_str().expect("an id").to_owned(), one["status"].clone()));
    (json!(tasks.collect::<serde_json::Map<_, _>>()), json!(approvals.collect::<serde_json::Map<_, _>>()))
}

/// Upgrades the fixture and runs all maintenance operations on it.
async fn carry_on(released: &Released, db: Db) {
    let fixture = Fixture::read(released, db);
    let Some(database) = fixture.database(db).await else { return };
    let url = &database.url;
    println!("{} {} {db:?}", released.release, released.history);

    // The first command upgrades the database.
    let before = counted(&match released.repair {
        None => done(url, &["audit", "verify"]),
        Some(repair) => {
            let (status, words) = run(url, &["audit", "verify"]);
            assert!(status == Some(1) && words.contains(repair.problem), "{status:?} {words}");
            done(url, repair.command);
            done(url, &["audit", "verify"])
        }
    });
    if released.repair.is_none() {
        let then = counted(fixture.facts["verified"]["words"].as_str().expect("it was verified"));
        assert_eq!(before, then, "an upgrade leaves the record as it is");
    }
    old_bundles(&fixture);

    let mut server = fixture.serve(url);
    let ada = fixture.client(&server, "ada");
    assert_eq!(seen(&ada).await, (fixture.facts["titles"].clone(), fixture.facts["approvals"].clone()));
    done(url, &["audit", "replay", "--all"]);
    decide(&fixture, &server).await;
    new_bundles(&fixture, url);
    let after = verified(url);
    assert!(after.0 > before.0 && after.1 == before.1, "{before:?} {after:?}");

    let now = seen(&ada).await;
    if db == Db::Sqlite {
        restored(&fixture, url, &now).await;
    }
    server.terminate();
    copied(&fixture, url, db, &now).await;
    verified(url);
}

/// Verifies the release's exported bundles with both programs.
fn old_bundles(fixture: &Fixture) {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["everyone", "ada"] {
        let file = folder.path().join(name);
        std::fs::write(&file, fixture.unpacked(&format!("{name}.jsonl"))).expect("a file");
        let then = fixture.facts["bundles"][name]["words"].as_str().expect("it was verified");
        for (good, words) in both(&file, Some(fixture.key())) {
            assert!(good, "{name}: {words}");
            assert_eq!(
                counted(words.lines().next().unwrap_or_default()),
                counted(then.lines().next().unwrap()),
                "{name}"
            );
        }
    }
}

/// Exports bundles and verifies them with both programs.
fn new_bundles(fixture: &Fixture, url: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    done(url, &["audit", "checkpoint"]);
    for more in [&[][..], &["--user", "ada"]] {
        let file = folder.path().join(format!("{}.jsonl", more.len()));
        let name = file.to_str().expect("a UTF-8 path");
        done(url, &[&["audit", "export-bundle", name], more].concat());
        for (good, words) in both(&file, Some(fixture.key())) {
            assert!(good && words.contains(fixture.key()), "{words}");
        }
    }
    done(url, &["audit", "checkpoint"]);
}

/// Decides every pending approval, each through another channel.
async fn decide(fixture: &Fixture, server: &Server) {
    let ada = fixture.client(server, "ada");
    let pending = fixture.facts["pending"].as_object().expect("requests by name");
    for (name, id) in pending {
        let id = id.as_str().expect("an id");
        let asked = ada.get("/api/v1/approvals/get", &[("approval_id", id)]).await.ok();
        assert_eq!(asked["status"], "pending", "{name}: {asked}");
        match name.as_str() {
            "extended" => in_the_chat(&ada, &asked).await,
            "repeated" => is_decided(&ada, id, "reject", "REFUSAL:USER_REJECTED").await,
            "batch" => {
                let browser = Client::browser(&server.base);
                let fields = [("name", "ada"), ("password", PASSWORD)];
                browser.post("/api/v1/session/sign-in", &fields).await.ok();
                is_decided(&browser, id, "approve", "SUCCESS:TASK_COMPLETED").await;
            }
            _ => is_decided(&ada, id, "approve", "SUCCESS:TASK_COMPLETED").await,
        }
    }
    if pending.contains_key("agents") {
        let robot = fixture.client(server, "robot");
        let call = robot.tool("delete_task", json!({ "task_id": 8 })).await;
        assert_eq!(call["status"], "deleted", "the agent gets the result: {call}");
        let call = robot.tool("add_task", json!({ "title": "oil the robot" })).await;
        assert_eq!(call["status"], "created", "the agent gets the result: {call}");
        assert_eq!(robot.tool("delete_task", json!({ "task_id": 8 })).await["error"], "not_found", "and gets it once");
    }
    assert!(
        ada.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok().as_array().is_some_and(Vec::is_empty)
    );
}

async fn is_decided(client: &Client, id: &str, verdict: &str, outcome: &str) {
    let fields = [("approval_id", id), ("verdict", verdict)];
    let decided = client.post("/api/v1/approvals/decide", &fields).await.ok();
    assert_eq!(decided["turn"]["decision"]["outcome"], outcome, "{decided}");
}

/// Approves by a message in the approval's conversation.
async fn in_the_chat(ada: &Client, asked: &Value) {
    let turn = ada.say_after(asked, "yes").await;
    assert_eq!(turn["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{turn}");
    let id = asked["approval_id"].as_str().expect("an id");
    let decided = ada.get("/api/v1/approvals/get", &[("approval_id", id)]).await.ok();
    assert_eq!((&decided["status"], &decided["decided_via"]), (&json!("approved"), &json!("chat")), "{decided}");
}

/// Backs up the database while its server runs, and restores the copy elsewhere.
async fn restored(fixture: &Fixture, url: &str, now: &(Value, Value)) {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy.db");
    let copy = copy.to_str().expect("a UTF-8 path");
    done(url, &["backup", copy]);
    let restored = Database::fresh(Db::Sqlite).await.expect("SQLite is always there");
    place(checkpoint_files(url), &restored.url);
    done(&restored.url, &["restore", copy]);
    // The server begins a new log.
    let mut server = fixture.serve(&restored.url);
    assert_eq!(seen(&fixture.client(&server, "ada")).await, *now);
    server.terminate();
    done(&restored.url, &["audit", "checkpoint"]);
    verified(&restored.url);
}

/// Copies the database to the other kind and back.
async fn copied(fixture: &Fixture, url: &str, db: Db, now: &(Value, Value)) {
    let (there, back) = if db == Db::Sqlite { (Db::Postgres, Db::Sqlite) } else { (Db::Sqlite, Db::Postgres) };
    let mut from = url.to_owned();
    // Kept until the end, since dropping the value drops the database.
    let mut all = vec![];
    for db in [there, back] {
        let Some(to) = Database::fresh(db).await else { return };
        place(checkpoint_files(&from), &to.url);
        done("sqlite://unused", &["copy", "--from", &from, "--to", &to.url]);
        verified(&to.url);
        done(&to.url, &["audit", "replay", "--all"]);
        let mut server = fixture.serve(&to.url);
        assert_eq!(seen(&fixture.client(&server, "ada")).await, *now);
        server.terminate();
        from.clone_from(&to.url);
        all.push(to);
    }
}

#[tokio::test]
async fn every_release_is_upgraded_and_carried_on_sqlite() {
    for released in RELEASED {
        carry_on(released, Db::Sqlite).await;
    }
}

#[tokio::test]
async fn every_release_is_upgraded_and_carried_on_postgres() {
    for released in RELEASED {
        carry_on(released, Db::Postgres).await;
    }
}

#[test]
fn every_folder_of_fixtures_is_in_the_table() {
    let folders = |at: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(at).expect("the folder is there").map(|entry| entry.expect("an entry").path());
        entries.filter(|path| path.is_dir()).collect()
    };
    let found: BTreeSet<PathBuf> = folders(Path::new(FIXTURES)).iter().flat_map(|release| folders(release)).collect();
    let known = RELEASED.iter().map(|one| Path::new(FIXTURES).join(one.release).join(one.history)).collect();
    assert_eq!(found, known);
}
