//! Audit logs whose signatures cannot be checked: verification says so with a separate exit status.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sqlx::{Connection as _, Executor as _, SqliteConnection};

use crate::app::{Database, Db, PASSWORD, Server, TestApp, complaint, docket, finish, until};
use crate::database::spoil;
use crate::on_both;

/// Runs `docket audit verify`; returns its exit status and both outputs.
#[track_caller]
fn verify(url: &str, arguments: &[&str]) -> (i32, String, String) {
    let arguments: Vec<&str> = ["audit", "verify"].iter().chain(arguments).copied().collect();
    let output = finish(docket(url, &arguments), "");
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.code().unwrap(), said, complaint(&output))
}

/// Moves a file away and returns its new path.
fn put_away(file: &Path) -> PathBuf {
    let away = file.with_extension("away");
    std::fs::rename(file, &away).unwrap();
    away
}

#[track_caller]
fn run(url: &str, arguments: &[&str], input: &str) -> String {
    let output = finish(docket(url, arguments), input);
    assert!(output.status.success(), "docket {arguments:?}: {}", complaint(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn key_of(app: &TestApp) -> PathBuf {
    let log = app.checkpoint_log();
    match app.database.url.starts_with("sqlite") {
        true => log.with_file_name("checkpoint.key"),
        false => log.with_extension("key"),
    }
}

on_both! {
    async fn verification_without_key_or_log_exits_3(app) {
        let mut app = app;
        app.user("ada").say("add milk").await;
        app.server.terminate();
        app.command(&["audit", "checkpoint"], "");
        let url = app.database.url.clone();
        assert_eq!(verify(&url, &[]).0, 0, "{:?}", verify(&url, &[]));
        let (key, log) = (key_of(&app), app.checkpoint_log());
        for (file, why) in [
            (&log, "Signatures were not checked in full: the checkpoint log is missing."),
            (&key, "Signatures were not checked: the checkpoint key is missing."),
        ] {
            let away = put_away(file);
            for arguments in [&[][..], &["--user", "ada"]] {
                let (status, said, complained) = verify(&url, arguments);
                assert_eq!((status, complained), (3, format!("docket: {why} Use --allow-unsigned to accept that.")));
                assert!(said.starts_with("verified ") && said.lines().count() == 1, "{said}");
            }
            let (status, said, complained) = verify(&url, &["--allow-unsigned"]);
            assert_eq!((status, complained.as_str(), said.lines().last()), (0, "", Some(why)));
            std::fs::rename(away, file).unwrap();
        }
        assert_eq!(verify(&url, &[]).0, 0);
    }

    async fn fresh_server_has_signed_its_record_before_it_serves(app) {
        let (status, said, complained) = verify(&app.database.url, &[]);
        assert_eq!((status, said.as_str(), complained.as_str()), (0, "verified 0 records, 0 users", ""));
        let ada = app.user("ada");
        assert_eq!(verify(&app.database.url, &[]).0, 0);
        let report = ada.get("/api/v1/audit/verify", &[]).await.ok();
        assert_eq!((&report["unsigned"], &report["checkpoint"]["signed"]), (&Value::Null, &true.into()), "{report}");
        // The server reports it as well; it may be about to sign the latest records, and then starts a new log.
        app.command(&["audit", "checkpoint"], "");
        until("a report without a log", || async {
            std::fs::remove_file(app.checkpoint_log()).ok();
            let report = ada.get("/api/v1/audit/verify", &[]).await.ok();
            (report["unsigned"] == "no_log" && report["broken"].as_array().unwrap().is_empty()).then_some(())
        })
        .await;
    }

    async fn amending_a_sound_record_changes_nothing(app) {
        let mut app = app;
        app.user("ada").say("add milk").await;
        app.command(&["user", "erase", "ada", "--yes"], "");
        app.server.terminate();
        let before = app.command(&["audit", "verify"], "");
        let said = app.command(&["audit", "amend"], "");
        assert_eq!(said, format!("{before}\nThere was nothing to amend."));
        assert_eq!(app.command(&["audit", "verify"], ""), before);
        let away = put_away(&key_of(&app));
        let refused = finish(docket(&app.database.url, &["audit", "amend"]), "");
        assert_eq!(refused.status.code(), Some(1));
        assert!(complaint(&refused).contains("there is no key at"), "{}", complaint(&refused));
        std::fs::rename(away, key_of(&app)).unwrap();
    }
}

#[tokio::test]
async fn tampering_wins_over_missing_signatures() {
    let mut app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    app.user("ada").say("add milk").await;
    app.server.terminate();
    put_away(&key_of(&app));
    put_away(&app.checkpoint_log());
    spoil(&app.database.url, &["UPDATE bodies SET body = '{}' WHERE seq = 3"]).await;
    for arguments in [&[][..], &["--allow-unsigned"]] {
        let (status, said, complained) = verify(&app.database.url, arguments);
        assert_eq!(status, 1, "{said} {complained}");
        assert!(said.starts_with("ada, record 3 (") && said.ends_with("): its text was changed."), "{said}");
        assert_eq!(complained, "docket: The audit log is broken: 1 of 1 chains is broken.");
    }
    let refused = finish(docket(&app.database.url, &["audit", "amend"]), "");
    assert_eq!(refused.status.code(), Some(1));
}

#[tokio::test]
async fn accounts_and_tokens_made_before_any_server_verify() {
    let database = Database::fresh(Db::Sqlite).await.expect("SQLite is always there");
    run(&database.url, &["user", "add", "ada", "--password-stdin"], PASSWORD);
    assert_eq!(verify(&database.url, &[]).0, 0, "{:?}", verify(&database.url, &[]));
    run(&database.url, &["token", "create", "--user", "ada", "--name", "x", "--scope", "chat"], "");
    assert_eq!(verify(&database.url, &[]).0, 0, "{:?}", verify(&database.url, &[]));
    // The server continues with the same key.
    let server = Server::start(&database.url, &[]).unwrap_or_else(|output| panic!("{}", complaint(&output)));
    assert_eq!(verify(&database.url, &[]).0, 0);
    drop(server);
}

#[tokio::test]
async fn postgres_gets_its_key_from_the_first_server() {
    let Some(database) = Database::fresh(Db::Postgres).await else { return };
    run(&database.url, &["user", "add", "ada", "--password-stdin"], PASSWORD);
    let (status, said, complained) = verify(&database.url, &[]);
    assert!(status == 3 && said.ends_with(" records, 1 users"), "{status}: {said} {complained}");
    let server = Server::start(&database.url, &[]).unwrap_or_else(|output| panic!("{}", complaint(&output)));
    assert_eq!(verify(&database.url, &[]).0, 0);
    drop(server);
}

#[tokio::test]
async fn restoring_checks_signatures_where_the_key_is() {
    let mut app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    app.user("ada").say("add milk").await;
    app.command(&["audit", "checkpoint"], "");
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.db").display().to_string();
    // The copy's own checkpoint covers the newest records.
    app.user("bob").say("add tea").await;
    app.command(&["backup", &copy], "");
    app.server.terminate();
    assert!(!app.command(&["restore", &copy], "").contains("Signatures"));
    let newest = ["checkpoint_heads", "checkpoints"]
        .map(|table| format!("DELETE FROM {table} WHERE number = (SELECT MAX(number) FROM checkpoints)"));
    let cut = format!("{copy}.cut");
    std::fs::copy(&copy, &cut).unwrap();
    spoil(&format!("sqlite://{cut}"), &newest.each_ref().map(String::as_str)).await;
    let refused = finish(docket(&app.database.url, &["restore", &cut]), "");
    assert!(complaint(&refused).contains("newer than its newest checkpoint"), "{}", complaint(&refused));
    let said = app.command(&["restore", &cut, "--allow-unsigned"], "");
    assert!(said.ends_with("records are newer than the newest checkpoint."), "{said}");
    app.command(&["restore", &copy], "");
    // The next server starts its log.
    assert_eq!(verify(&app.database.url, &[]).0, 3);
    app.restart();
    assert_eq!(verify(&app.database.url, &[]).0, 0);
    let elsewhere = Database::fresh(Db::Sqlite).await.expect("SQLite is always there");
    let said = run(&elsewhere.url, &["restore", &copy], "");
    assert_eq!(said.lines().last(), Some("Signatures were not checked: the checkpoint key is missing."));
    // A signature by another key is detected if the key is available, and cannot be otherwise.
    let forged = "UPDATE checkpoints SET note = replace(note, substr(note, -20), 'AAAA' || substr(note, -16))";
    spoil(&format!("sqlite://{copy}"), &[forged]).await;
    app.server.terminate();
    let refused = finish(docket(&app.database.url, &["restore", &copy]), "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(complaint(&refused).contains("its signature does not match its contents"), "{}", complaint(&refused));
}

#[tokio::test]
async fn emptied_checkpoint_log_is_a_finding_unlike_a_missing_one() {
    let mut app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let ada = app.user("ada");
    for text in ["add milk", "add tea", "add bread"] {
        ada.say(text).await;
        app.command(&["audit", "checkpoint"], "");
    }
    app.server.terminate();
    std::fs::write(app.checkpoint_log(), "").unwrap();
    let (status, said, _) = verify(&app.database.url, &["--allow-unsigned"]);
    assert!(status == 1 && said.contains("it is missing from the log, and so are all later ones."), "{status} {said}");
    std::fs::remove_file(app.checkpoint_log()).unwrap();
    assert_eq!(verify(&app.database.url, &[]).0, 3);
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_cannot_sign_does_not_serve() {
    for spoilt in ["checkpoint.key", "checkpoints.log"] {
        let database = Database::fresh(Db::Sqlite).await.expect("SQLite is always there");
        run(&database.url, &["user", "add", "ada", "--password-stdin"], PASSWORD);
        let folder = Path::new(database.url.strip_prefix("sqlite://").unwrap()).parent().unwrap().to_owned();
        let path = folder.join(spoilt);
        std::fs::remove_file(&path).unwrap();
        if spoilt == "checkpoint.key" {
            std::os::unix::fs::symlink(folder.join("nowhere"), &path).unwrap();
        } else {
            std::fs::create_dir(&path).unwrap();
        }
        let Err(output) = Server::start(&database.url, &[]) else { panic!("it serves without {spoilt}") };
        let said = complaint(&output);
        assert!(said.contains(spoilt) && said.contains("cannot be used"), "{said}");
    }
}

#[tokio::test]
async fn export_never_overwrites_database_or_audit_files() {
    let mut app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    app.user("ada").say("add milk").await;
    let file = PathBuf::from(app.database.url.strip_prefix("sqlite://").unwrap());
    let beside = |end: &str| PathBuf::from(format!("{}{end}", file.display()));
    for serving in [true, false] {
        if !serving {
            app.server.terminate();
        }
        for own in [file.clone(), beside("-wal"), beside("-shm"), beside(".lock"), key_of(&app), app.checkpoint_log()] {
            let before = std::fs::read(&own).ok().filter(|_| !serving);
            let own_name = own.display().to_string();
            for command in [&["audit", "export-bundle"][..], &["backup"]] {
                let arguments = [command, &[own_name.as_str(), "--force"]].concat();
                let refused = finish(docket(&app.database.url, &arguments), "");
                let said = complaint(&refused);
                assert_eq!(refused.status.code(), Some(1), "docket {arguments:?}: {said}");
                assert!(said.ends_with("is a file of the database or its audit log; choose another name."), "{said}");
            }
            if let Some(before) = before {
                assert_eq!(std::fs::read(&own).unwrap(), before, "{own_name}");
            }
        }
        let allowed = file.with_file_name("record.jsonl").display().to_string();
        app.command(&["audit", "export-bundle", &allowed, "--force"], "");
    }
    assert_eq!(verify(&app.database.url, &[]).0, 0);
}

#[tokio::test]
async fn backup_with_a_modified_schema_is_not_restored() {
    let mut app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    app.user("ada").say("add milk").await;
    app.server.terminate();
    let folder = tempfile::tempdir().unwrap();
    let evil = "CREATE TRIGGER evil AFTER INSERT ON sessions BEGIN UPDATE users SET role = 'admin'; END";
    for (statement, object) in [
        ("", ""),
        (evil, "trigger evil"),
        ("DROP TRIGGER changes_refuse_update", "trigger changes_refuse_update"),
        ("CREATE VIEW seen AS SELECT * FROM bodies", "view seen"),
        ("CREATE TABLE kept (body TEXT)", "table kept"),
        ("ALTER TABLE users ADD COLUMN shadow TEXT", "table users"),
    ] {
        let copy = folder.path().join("copy.db").display().to_string();
        app.command(&["backup", &copy, "--force"], "");
        let mut database = SqliteConnection::connect(&format!("sqlite://{copy}")).await.unwrap();
        if !statement.is_empty() {
            database.execute(statement).await.unwrap();
        }
        database.close().await.unwrap();
        let restored = finish(docket(&app.database.url, &["restore", &copy]), "");
        let said = complaint(&restored);
        let expected = format!("its schema is not the one that Docket creates ({object}).");
        assert!(restored.status.success() == object.is_empty(), "{statement}: {said}");
        assert!(object.is_empty() || said.ends_with(&expected), "{statement}: {said}");
    }
}

#[tokio::test]
async fn unsigned_bundle_exits_3_in_both_verifiers() {
    let mut app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    app.user("ada").say("add milk").await;
    app.server.terminate();
    put_away(&key_of(&app));
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("bundle.jsonl").display().to_string();
    app.command(&["audit", "export-bundle", &bundle], "");
    let why = "Signatures were not checked: the checkpoint key is missing.";
    for (allowed, expected) in [(&[][..], 3), (&["--allow-unsigned"], 0)] {
        let arguments = [&["--bundle", bundle.as_str()][..], allowed].concat();
        let (status, said, complained) = verify("postgres://nobody@127.0.0.1:1/none", &arguments);
        let mut other = std::process::Command::new("python3");
        let other = other.arg("end2end/record/verify.py").arg(&bundle).args(allowed).output().expect("python3 runs");
        assert_eq!((status, other.status.code()), (expected, Some(expected)), "{said} {complained}");
        assert_eq!(said, String::from_utf8_lossy(&other.stdout).trim());
        let told = if expected == 3 { complained } else { said };
        assert!(told.contains(why), "{told}");
    }
}
