//! `docket backup` and `docket restore`, from outside and under load (R-1006).

use std::collections::BTreeSet;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sqlx::{Connection, SqliteConnection};

use crate::app::{Client, Database, Db, Server, TestApp, complaint, docket, finish, until};
use crate::database::spoil;

fn file(url: &str) -> PathBuf {
    url.strip_prefix("sqlite://").expect("a SQLite file").into()
}

fn url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

/// Runs a command that must fail; returns its error.
#[track_caller]
fn refusal(url: &str, arguments: &[&str]) -> String {
    let output = finish(docket(url, arguments), "");
    let said = complaint(&output);
    assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(said.starts_with("docket: ") && said.ends_with('.'), "{said}");
    said
}

#[track_caller]
fn done(url: &str, arguments: &[&str]) -> String {
    let output = finish(docket(url, arguments), "");
    assert!(output.status.success(), "docket {arguments:?}: {}", complaint(&output));
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a UTF-8 name")).collect()
}

/// Returns all titles, page by page.
async fn all_titles(client: &Client) -> BTreeSet<String> {
    let (mut titles, mut cursor) = (BTreeSet::new(), None::<String>);
    loop {
        let mut query = vec![("status", "all")];
        query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
        let list = client.get("/api/v1/tasks/list", &query).await.ok();
        let tasks = list["tasks"].as_array().expect("tasks");
        titles.extend(tasks.iter().map(|task| task["title"].as_str().expect("a title").to_owned()));
        match list["next"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return titles,
        }
    }
}

/// Writes until `over`; returns the acknowledged titles, each with the count of earlier acknowledgements.
async fn write(client: Client, who: usize, count: Arc<AtomicUsize>, over: Arc<AtomicBool>) -> Vec<(usize, String)> {
    let mut written = vec![];
    while !over.load(Ordering::SeqCst) {
        let title = format!("w{who}x{}", written.len());
        let turn = client.say(&format!("add {title}")).await;
        assert_eq!(turn["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{turn}");
        written.push((count.fetch_add(1, Ordering::SeqCst), title));
    }
    written
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_under_load_contains_all_earlier_acknowledged_writes() {
    let app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let ada = app.user("ada");
    let (count, over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let writers: Vec<_> =
        (0..4).map(|who| tokio::spawn(write(ada.clone(), who, count.clone(), over.clone()))).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy.db");
    until("a load", || async { (count.load(Ordering::SeqCst) >= 12).then_some(()) }).await;
    let before = count.load(Ordering::SeqCst);
    let copied = {
        let (url, copy) = (app.database.url.clone(), copy.display().to_string());
        tokio::task::spawn_blocking(move || done(&url, &["backup", &copy])).await.expect("the copy is made")
    };
    assert!(copied.starts_with("Copied "), "{copied}");
    // The backup did not block the writers.
    let during = count.load(Ordering::SeqCst);
    until("more writing", || async { (count.load(Ordering::SeqCst) > during + 4).then_some(()) }).await;
    over.store(true, Ordering::SeqCst);
    let mut written = vec![];
    for writer in writers {
        written.extend(writer.await.expect("a writer"));
    }
    assert_eq!(names(folder.path()), BTreeSet::from(["copy.db".to_owned()]), "one file");
    assert_eq!(std::fs::metadata(&copy).expect("a copy").permissions().mode() & 0o777, 0o600);

    let restored = Database::fresh(Db::Sqlite).await.expect("SQLite is always there");
    done(&restored.url, &["restore", copy.to_str().expect("a UTF-8 path")]);
    let server = Server::start(&restored.url, &[]).unwrap_or_else(|output| panic!("{}", complaint(&output)));
    let found = all_titles(&ada.at(&server)).await;
    let acknowledged = written.iter().filter(|(at, _)| *at < before);
    let missing: Vec<_> = acknowledged.filter(|(_, title)| !found.contains(title)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(found.len() < written.len(), "what came after the copy is not in it");
    let turn = ada.at(&server).say("add one more lamp").await;
    assert_eq!(turn["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{turn}");
}

#[tokio::test]
async fn backup_needs_force_to_overwrite_and_spares_databases_in_use() {
    let app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let (database, folder) = (&app.database.url, tempfile::tempdir().expect("a folder"));
    let copy = folder.path().join("copy.db");
    let copy = copy.to_str().expect("a UTF-8 path");
    std::fs::write(copy, "mine").expect("a file");
    let said = refusal(database, &["backup", copy]);
    assert!(said.contains("already exists") && said.contains("--force"), "{said}");
    assert_eq!(std::fs::read(copy).expect("the file"), b"mine");
    done(database, &["backup", copy, "--force"]);
    done(&url(Path::new(copy)), &["user", "list"]);
    let itself = file(database);
    let said = refusal(database, &["backup", itself.to_str().expect("a UTF-8 path"), "--force"]);
    assert!(said.contains("is a file of the database"), "{said}");
    let other = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let said = refusal(database, &["backup", file(&other.database.url).to_str().expect("a path"), "--force"]);
    assert!(said.contains("in use"), "{said}");
    let said = refusal(database, &["backup", "/nowhere/copy.db"]);
    assert!(said.contains("cannot be written to /nowhere"), "{said}");
    let said = refusal(&url(&folder.path().join("none.db")), &["backup", "x.db"]);
    assert!(said.contains("There is no file") && !folder.path().join("none.db").exists(), "{said}");
}

#[tokio::test]
async fn restoring_waits_for_no_server_and_keeps_what_was_there() {
    let mut app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let ada = app.user("ada");
    ada.say("add milk").await;
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy.db");
    let copy = copy.to_str().expect("a UTF-8 path");
    app.command(&["backup", copy], "");
    ada.say("add eggs").await;
    let database = app.database.url.clone();
    let said = refusal(&database, &["restore", copy]);
    assert!(said.contains("Another Docket server already uses"), "{said}");
    // Killed, so that the write-ahead log remains next to the file.
    app.server.kill();
    let access = || {
        let found = std::fs::metadata(file(&database)).expect("the database");
        (found.permissions().mode() & 0o777, found.uid(), found.gid())
    };
    std::fs::set_permissions(file(&database), std::fs::Permissions::from_mode(0o640)).expect("a mode");
    // Only root can change the owner.
    std::os::unix::fs::chown(file(&database), Some(4711), Some(4711)).ok();
    let before = access();
    let said = done(&database, &["restore", copy]);
    assert_eq!(access(), before, "who could use it can use what was restored");
    let kept = said.lines().last().and_then(|line| line.split("kept as ").nth(1)).expect("a name");
    app.restart();
    assert_eq!(ada.at(&app.server).titles().await, ["milk"]);
    let old = Database::fresh(Db::Sqlite).await.expect("SQLite is always there");
    done(&old.url, &["restore", kept.trim_end_matches('.')]);
    let server = Server::start(&old.url, &[]).unwrap_or_else(|output| panic!("{}", complaint(&output)));
    assert_eq!(ada.at(&server).titles().await, ["milk", "eggs"], "nothing of what was replaced is lost");
}

#[tokio::test]
async fn invalid_backup_is_not_restored_and_leaves_no_files() {
    let mut app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let ada = app.user("ada");
    ada.say("add milk").await;
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    app.command(&["backup", &at("sound.db")], "");
    app.server.terminate();
    let (database, home) = (app.database.url.clone(), file(&app.database.url));
    let home = home.parent().expect("a folder").to_owned();
    let before = names(&home);
    for (name, change, said) in [
        (
            "newer.db",
            "INSERT INTO _sqlx_migrations SELECT 9999, description, installed_on, success, checksum, 0 FROM _sqlx_migrations WHERE version = 1",
            "newer version",
        ),
        ("chain.db", "UPDATE records SET hash = x'00' WHERE seq = 2", "A record follows"),
        (
            "body.db",
            "UPDATE bodies SET body = replace(body, 'milk', 'beer') WHERE body LIKE '%milk%'",
            "does not verify",
        ),
        (
            "dangling.db",
            "INSERT INTO conversations (id, user_id, title, created_at, updated_at) SELECT randomblob(16), randomblob(16), title, created_at, updated_at FROM conversations",
            "not there",
        ),
    ] {
        std::fs::copy(at("sound.db"), at(name)).expect("a copy");
        spoil(&url(Path::new(&at(name))), &[change]).await;
        let refused = refusal(&database, &["restore", &at(name)]);
        assert!(refused.contains(said), "{name}: {refused}");
        assert_eq!(names(&home), before, "{name}");
    }
    let mut torn = std::fs::read(at("sound.db")).expect("a copy");
    let half = torn.len() / 2;
    torn[4096..half].fill(7);
    std::fs::write(at("torn.db"), torn).expect("a file");
    std::fs::write(at("letter.db"), "Dear Ann").expect("a file");
    SqliteConnection::connect(&format!("{}?mode=rwc", url(Path::new(&at("empty.db"))))).await.expect("a database");
    for (name, part) in [
        ("torn.db", "torn.db"),
        ("letter.db", "letter.db"),
        ("empty.db", "not a Docket database"),
        ("none.db", "There is no file"),
    ] {
        let refused = refusal(&database, &["restore", &at(name)]);
        assert!(refused.contains(part), "{name}: {refused}");
        assert_eq!(names(&home), before, "{name}");
    }
    app.restart();
    assert_eq!(ada.at(&app.server).titles().await, ["milk"]);
}

#[tokio::test]
async fn postgres_is_left_to_its_own_tools() {
    for command in ["backup", "restore"] {
        let said = refusal("postgres://127.0.0.1:1/docket", &[command, "x.db"]);
        assert!(said.contains("pg_dump") && said.contains("pg_restore"), "{said}");
    }
}
