//! Tampering with the signed audit log, and with its bundles, which two programs verify.

use std::path::Path;
use std::process::{Command, Output};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, Executor as _, PgConnection};

use crate::app::{Client, Db, TestApp, complaint, docket, finish, until};
use crate::database::spoil;
use crate::on_both;

/// Modifies the database directly.
async fn tamper(app: &TestApp, statements: &[&str]) {
    let text = |text: &str| sqlx::AssertSqlSafe(text.to_owned());
    if app.database.url.starts_with("sqlite") {
        spoil(&app.database.url, statements).await;
    } else {
        let mut database = PgConnection::connect(&app.database.url).await.unwrap();
        database.execute("SET session_replication_role = replica").await.unwrap();
        for statement in statements {
            database.execute(text(statement)).await.unwrap();
        }
    }
}

/// Creates records of most kinds.
async fn live(client: &Client) {
    client.say("add milk").await;
    let asked = client.say("delete task 1").await;
    client.say_after(&asked, "yes").await;
    client.post("/api/v1/tasks/add", &[("title", "by hand")]).await.ok();
}

/// Creates an approval that becomes void after it was approved.
async fn void(client: &Client) {
    let asked = client.say("delete task 2").await;
    client.post("/api/v1/tasks/update", &[("task_id", "2"), ("title", "renamed by hand")]).await.ok();
    let id = asked["approval"]["approval_id"].as_str().unwrap();
    client.post("/api/v1/approvals/decide", &[("approval_id", id), ("verdict", "approve")]).await.ok();
    let fresh = client.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok();
    let id = fresh[0]["approval_id"].as_str().unwrap();
    client.post("/api/v1/approvals/decide", &[("approval_id", id), ("verdict", "reject")]).await.ok();
}

fn verify(app: &TestApp) -> (i32, String) {
    let output = finish(docket(&app.database.url, &["audit", "verify"]), "");
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

on_both! {
    async fn truncated_hash_chain_is_detected_by_its_checkpoint(app) {
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        live(&ada).await;
        live(&bob).await;
        // Deletes the last records of ada's chain, about two tokens, completely.
        app.token("ada", "chat");
        app.token("ada", "audit");
        let number = app.command(&["audit", "checkpoint"], "");
        let number = number.strip_prefix("checkpoint ").unwrap();
        assert_eq!(app.command(&["audit", "checkpoint"], ""), format!("checkpoint {number}"), "there is nothing new");
        let records = ada.get("/api/v1/audit/verify", &[]).await.ok()["records"].as_i64().unwrap();
        let log = std::fs::read_to_string(app.checkpoint_log()).unwrap();
        let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
        assert_eq!(last["number"].to_string(), number);
        assert_eq!(verify(&app).0, 0);
        // A chain that has only grown is valid.
        bob.say("add tea").await;
        assert_eq!(verify(&app).0, 0);

        let ada_id = "(SELECT id FROM users WHERE name = 'ada')";
        let end = format!("(SELECT MAX(seq) - 2 FROM records WHERE user_id = {ada_id})");
        let rows = |table: &str| {
            let end = format!("SELECT record_seq FROM heads WHERE user_id = {ada_id}");
            format!("DELETE FROM {table} WHERE user_id = {ada_id} AND seq > ({end})")
        };
        let hash = "SELECT hash FROM records r WHERE r.user_id = heads.user_id AND r.seq = heads.record_seq";
        tamper(&app, &[
            &format!("DELETE FROM tokens WHERE user_id = {ada_id} AND scopes IN ('chat', 'audit')"),
            &format!("UPDATE heads SET record_seq = {end} WHERE user_id = {ada_id}"),
            &format!("UPDATE heads SET record_hash = ({hash}) WHERE user_id = {ada_id}"),
            &rows("bodies"),
            &rows("records"),
        ]).await;
        let (status, found) = verify(&app);
        assert_eq!((status, found.lines().count()), (1, 1), "{found}");
        let report = ada.get("/api/v1/audit/verify", &[]).await.ok();
        // The server may have signed the first of the two by itself.
        let sentence = report["broken"][0]["problem"].as_str().unwrap();
        let seq = records - 1;
        assert_eq!(report["broken"], json!([{ "user": "ada", "seq": seq, "kind": "", "problem": sentence }]));
        assert!(sentence.starts_with("the record is missing: checkpoint ") && sentence.contains(" signed the chain up to record "), "{sentence}");
        assert_eq!(found, format!("ada, record {seq}: {sentence}"));
        assert_eq!(report["checkpoint"]["signed"], true, "{report}");
        assert_eq!(bob.get("/api/v1/audit/verify", &[]).await.ok()["broken"], json!([]));
    }

    async fn server_signs_checkpoints_and_restores_missing_log_entries(app) {
        let mut app = app;
        app.user("ada").say("add milk").await;
        let log = app.checkpoint_log();
        let numbers = || -> Vec<i64> {
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()?["number"].as_i64()).collect()
        };
        // The first one before any request, the next one for the new records.
        until("a checkpoint that nobody asked for", || async { numbers().starts_with(&[1, 2]).then_some(()) }).await;
        std::fs::remove_file(&log).unwrap();
        app.restart();
        until("the checkpoint in the log again", || async { numbers().starts_with(&[1]).then_some(()) }).await;
        assert_eq!(verify(&app).0, 0, "{}", verify(&app).1);
    }
}

/// Returns each program's verification of a bundle: success, and output.
pub fn both(file: &Path, key: Option<&str>) -> [(bool, String); 2] {
    let file = file.to_str().unwrap();
    let key: Vec<&str> = key.iter().flat_map(|key| ["--key", key]).collect();
    let with = |arguments: &[&'static str]| [arguments.to_vec(), vec![file], key.clone()].concat();
    // There is no database.
    let own = finish(docket("postgres://nobody@127.0.0.1:1/none", &with(&["audit", "verify", "--bundle"])), "");
    let other = Command::new("python3").args(with(&["end2end/record/verify.py"])).output();
    let said = |output: Output| {
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{}", complaint(&output));
        assert!(!complaint(&output).contains("Traceback"), "{}", complaint(&output));
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    [said(own), said(other.expect("python3 runs"))]
}

/// Returns the line of a chain's record with this number.
fn record(lines: &[Value], name: &str, seq: i64) -> usize {
    let chain = lines.iter().position(|line| line["line"] == "chain" && line["name"] == name).unwrap();
    chain + usize::try_from(seq).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// Rewrites a chain from a record on, as an attacker with everything but the key could.
fn write_anew(lines: &mut [Value], name: &str, seq: i64) {
    let chain = record(lines, name, 0);
    let user = uuid::Uuid::parse_str(lines[chain]["user"].as_str().unwrap()).unwrap();
    let from = record(lines, name, seq);
    let mut previous = lines[from]["previous"].clone();
    for line in &mut lines[from..] {
        if line["line"] == "record" {
            let (salt, body) = ([1_u8; 16], line["body"].as_str().unwrap());
            let digest = Sha256::new().chain_update(salt).chain_update(body).finalize();
            let mut hash = Sha256::new().chain_update("docket/record/v1").chain_update(user);
            hash.update(line["seq"].as_i64().unwrap().to_be_bytes());
            hash.update(unhex(&previous));
            for part in [&line["kind"], &line["at"]] {
                let part = part.as_str().unwrap();
                hash.update((part.len() as u64).to_be_bytes());
                hash.update(part);
            }
            let hash = hex(&hash.chain_update(digest).finalize());
            line["salt"] = hex(&salt).into();
            line["digest"] = hex(&digest).into();
            line["previous"] = std::mem::replace(&mut previous, hash.clone().into());
            line["hash"] = hash.into();
        } else {
            line["hash"] = previous;
            return;
        }
    }
}

/// Updates the last line's counts after lines were removed.
fn recount(lines: &mut [Value]) {
    let count = |names: &[&str]| lines.iter().filter(|line| names.contains(&line["line"].as_str().unwrap())).count();
    let (records, chains, checkpoints) = (count(&["record"]), count(&["chain"]), count(&["checkpoint", "proof"]));
    *lines.last_mut().unwrap() =
        json!({ "line": "end", "records": records, "chains": chains, "checkpoints": checkpoints });
}

/// Returns the first of cy's records with an erased text, and the erasure.
fn erased(lines: &[Value]) -> (usize, usize) {
    let chain = record(lines, "cy", 0);
    let after = |tells: &dyn Fn(&Value) -> bool| chain + lines[chain..].iter().position(tells).unwrap();
    (after(&|line| line["erased_by"].is_i64()), after(&|line| line["kind"] == "erasure"))
}

/// Returns another key's proof that a record of `user` is the end of the only chain.
fn foreign_proof(record: &Value, user: &Value) -> Value {
    let (seq, id) = (&record["seq"], uuid::Uuid::parse_str(user.as_str().unwrap()).unwrap());
    let leaf = Sha256::new().chain_update([0]).chain_update("docket/head/v1").chain_update(id);
    let leaf = leaf.chain_update(seq.as_i64().unwrap().to_be_bytes()).chain_update(unhex(&record["hash"])).finalize();
    let root = BASE64_STANDARD.encode(leaf);
    let text = format!("docket/elsewhere\n1\n{root}\nnumber 1\ntime 2026-03-11T09:30:00.000Z\nrecords {seq}\n");
    let end = json!({ "user": user, "seq": seq, "hash": record["hash"] });
    json!({ "line": "proof", "number": 1, "note": format!("{text}\n— docket/elsewhere {root}\n"), "end": end, "index": 0, "path": [] })
}

/// Changes a member of cy's erasure, and rewrites the chain.
fn state(lines: &mut [Value], member: &str, make: impl FnOnce(Value) -> Value) {
    let (_, by) = erased(lines);
    let mut told: Value = serde_json::from_str(lines[by]["body"].as_str().unwrap()).unwrap();
    told[member] = make(told[member].take());
    lines[by]["body"] = told.to_string().into();
    let seq = lines[by]["seq"].as_i64().unwrap();
    write_anew(lines, "cy", seq);
}

/// A modification of a bundle of everyone's records, with a part of the expected output of both programs.
type Way = (&'static str, fn(&mut Vec<Value>), &'static str);

#[rustfmt::skip]
const WAYS: &[Way] = &[
    ("edit a text", |lines| { let at = record(lines, "ada", 5); lines[at]["body"] = "{}".into(); }, "ada, record 5"),
    ("edit a salt", |lines| { let at = record(lines, "ada", 5); lines[at]["salt"] = "00".into(); }, "ada, record 5"),
    ("edit a kind", |lines| { let at = record(lines, "ada", 5); lines[at]["kind"] = "reading".into(); }, "ada, record 5 (reading)"),
    ("edit a time", |lines| { let at = record(lines, "ada", 5); lines[at]["at"] = "2020-02-02T02:02:02.002Z".into(); }, "ada, record 5"),
    ("edit a hash", |lines| { let at = record(lines, "ada", 5); lines[at]["hash"] = "07".repeat(32).into(); }, "ada, record 5"),
    ("delete a text", |lines| { let at = record(lines, "ada", 5); lines[at].as_object_mut().unwrap().remove("body"); }, "ada, record 5"),
    ("claim an erasure", |lines| {
        let at = record(lines, "ada", 5);
        lines[at].as_object_mut().unwrap().remove("body");
        lines[at]["erased_by"] = 6.into();
    }, "ada, record 5: its text is missing, and record 6 did not erase it."),
    ("delete a record", |lines| { lines.remove(record(lines, "ada", 5)); recount(lines); }, "ada, record 5: the record is missing."),
    ("insert a record", |lines| {
        let at = record(lines, "ada", 5);
        lines.insert(at, lines[at].clone());
        recount(lines);
    }, "ada, record 6: the record is missing."),
    ("swap two", |lines| { let at = record(lines, "ada", 5); lines.swap(at, at + 1); }, "ada, record 5: the record is missing."),
    ("splice", |lines| {
        let (at, other) = (record(lines, "ada", 5), record(lines, "bob", 5));
        lines[at] = lines[other].clone();
    }, "ada, record 5"),
    ("cut", |lines| {
        let (at, next) = (record(lines, "ada", 9), record(lines, "bob", 0));
        let hash = lines[at]["hash"].clone();
        lines.splice(at + 1..next, [json!({ "line": "head", "seq": 9, "hash": hash })]);
        recount(lines);
    }, "ada, record 10: the record is missing: checkpoint "),
    ("write anew", |lines| write_anew(lines, "ada", 5), "it is not the record that checkpoint "),
    ("drop a chain", |lines| {
        let (at, next) = (record(lines, "ada", 0), record(lines, "bob", 0));
        lines.drain(at..next);
        recount(lines);
    }, "record 1: the record is missing: checkpoint "),
    ("edit a note", |lines| {
        let note = lines[1]["note"].as_str().unwrap().replace("records ", "records 1");
        lines[1]["note"] = note.into();
    }, "its signature does not match its contents."),
    ("rename an account", |lines| { let at = record(lines, "ada", 0); lines[at]["name"] = "eve".into(); }, "eve, record 1 (account): the bundle gives its account another name."),
    ("spoil a note", |lines| { lines[1]["note"] = "records".into(); }, "its note is not a valid checkpoint."),
    ("edit a mark", |lines| { let (at, _) = erased(lines); lines[at]["said"] = "07".repeat(32).into(); }, "erased was changed."),
    ("delete a mark", |lines| { let (at, _) = erased(lines); lines[at].as_object_mut().unwrap().remove("said"); }, "erased was changed."),
    ("vouch for other marks", |lines| state(lines, "rows", |_| json!("07".repeat(32))), "erased was changed."),
    ("vouch for no marks", |lines| state(lines, "rows", |_| Value::Null), "erased was changed."),
    ("state another verdict's columns", |lines| state(lines, "superseded", |mut stated| {
        stated[0]["columns"][1] = "rejected".into();
        stated
    }), "does not match that record."),
    ("state that a message is superseded", |lines| state(lines, "superseded", |mut stated| {
        stated[0]["seq"] = 5.into();
        stated
    }), "its statement about record 5 does not match that record."),
    ("state that no verdict supersedes another", |lines| state(lines, "superseded", |mut stated| {
        stated[0]["by"] = stated[0]["seq"].clone();
        stated
    }), "does not match that record."),
    ("name another erasure", |lines| { let (at, _) = erased(lines); lines[at]["erased_by"] = 1.into(); }, "and record 1 did not erase it."),
    ("name no erasure", |lines| {
        let (at, _) = erased(lines);
        lines[at].as_object_mut().unwrap().remove("erased_by");
    }, "its text is missing, and no erasure is recorded."),
    ("edit an end", |lines| {
        let grown = lines.iter_mut().find(|line| line["heads"].as_array().is_some_and(|heads| !heads.is_empty()));
        grown.unwrap()["heads"][0]["hash"] = "07".repeat(32).into();
    }, "its stored chain ends"),
];

/// Verifies the lines with both programs, whose outputs must agree.
#[track_caller]
fn agreed(folder: &Path, lines: &[Value], what: &str) -> (bool, String) {
    let file = folder.join("spoilt.jsonl");
    std::fs::write(&file, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    let [own, other] = both(&file, None);
    assert_eq!(own, other, "{what}");
    own
}

fn read(file: &Path) -> Vec<Value> {
    std::fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

on_both! {
    async fn two_programs_say_the_same_of_a_bundle(app) {
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        live(&ada).await;
        app.command(&["audit", "checkpoint"], "");
        live(&bob).await;
        ada.say("add tea").await;
        let cy = app.user("cy");
        live(&cy).await;
        void(&cy).await;
        app.command(&["audit", "checkpoint"], "");
        app.command(&["user", "erase", "cy", "--yes"], "");
        let folder = tempfile::tempdir().unwrap();
        let (whole, hers) = (folder.path().join("whole.jsonl"), folder.path().join("ada.jsonl"));
        let said = app.command(&["audit", "export-bundle", whole.to_str().unwrap()], "");
        assert!(said.starts_with("Wrote ") && said.contains(" 3 users and "), "{said}");
        app.command(&["audit", "export-bundle", hers.to_str().unwrap(), "--user", "ada"], "");
        let again = finish(docket(&app.database.url, &["audit", "export-bundle", hers.to_str().unwrap()]), "");
        assert!(complaint(&again).contains("already exists"), "{}", complaint(&again));

        let key = read(&whole)[0]["key"].as_str().unwrap().to_owned();
        let kinds: Vec<_> = read(&whole).iter().map(|line| line["kind"].clone()).collect();
        assert!(kinds.contains(&"standing".into()), "what cy's tasks are is told anew: {kinds:?}");
        for (file, verified) in [(&whole, " records, 3 users ("), (&hers, " records, 1 users\ncheckpoint ")] {
            let [own, other] = both(file, Some(&key));
            assert_eq!(own, other);
            let signed = format!("signed with {key}\n");
            assert!(own.0 && own.1.contains(verified) && own.1.ends_with(&signed), "{}", own.1);
            let another = key.replace("docket/", "docket/f");
            assert!(both(file, Some(&another)).iter().all(|(fine, said)| !fine && said.is_empty()));
        }
        for (what, spoil, found) in WAYS {
            let mut lines = read(&whole);
            spoil(&mut lines);
            let (fine, said) = agreed(folder.path(), &lines, what);
            assert!(!fine && said.contains(found), "{what}: {said}");
        }
        // Records after the newest checkpoint could be anybody's, also if another key signed them.
        for (file, line, foreign) in [(&whole, "checkpoint", false), (&hers, "proof", false), (&hers, "proof", true)] {
            let mut lines = read(file);
            while lines.iter().filter(|it| it["line"] == line).count() > 1 {
                let last = lines.iter().rposition(|it| it["line"] == line).unwrap();
                lines.remove(last);
            }
            if foreign {
                lines.insert(1, foreign_proof(&lines[lines.len() - 3], &lines[1]["end"]["user"]));
            }
            recount(&mut lines);
            let (fine, said) = agreed(folder.path(), &lines, line);
            assert!(!fine && said.starts_with("verified ") && !said.contains("covers"), "{line}: {said}");
        }
        // A proof of another key replaces none.
        let mut lines = read(&hers);
        write_anew(&mut lines, "ada", 5);
        for at in (0..lines.len()).rev().filter(|at| lines[*at]["line"] == "proof").collect::<Vec<_>>() {
            let (user, seq) = (lines[at]["end"]["user"].clone(), lines[at]["end"]["seq"].as_i64().unwrap());
            lines.insert(at, foreign_proof(&lines[record(&lines, "ada", seq)], &user));
        }
        recount(&mut lines);
        let (fine, said) = agreed(folder.path(), &lines, "replaced");
        assert!(!fine && said.contains("it signed another record than a checkpoint before it."), "{said}");
        // A user's own bundle proves that their chain is part of the signed whole.
        let end = json!({ "user": read(&hers)[1]["end"]["user"], "seq": 3, "hash": "07".repeat(32) });
        for (part, value) in [("index", json!(7)), ("path", json!(["07".repeat(32)])), ("end", end)] {
            let mut lines = read(&hers);
            assert_ne!(lines[1][part], value);
            lines[1][part] = value;
            let (fine, said) = agreed(folder.path(), &lines, part);
            assert!(!fine && said.contains("its listed chain end"), "{part}: {said}");
        }
        // A truncated bundle is invalid.
        let lines = read(&whole);
        for end in [0, 1, lines.len() / 2, lines.len() - 1] {
            assert_eq!(agreed(folder.path(), &lines[..end], "half"), (false, String::new()));
        }
    }
}

#[tokio::test]
async fn restored_backup_starts_a_new_checkpoint_log() {
    let mut app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let ada = app.user("ada");
    ada.say("add milk").await;
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.db");
    app.command(&["backup", copy.to_str().unwrap()], "");
    ada.say("add tea").await;
    app.command(&["audit", "checkpoint"], "");
    app.server.terminate();
    let said = app.command(&["restore", copy.to_str().unwrap()], "");
    assert!(said.contains("The checkpoint log is kept as ") && !app.checkpoint_log().exists(), "{said}");
    app.restart();
    app.command(&["audit", "checkpoint"], "");
    assert_eq!(verify(&app).0, 0);
    let page = ada.at(&app.server).get("/api/v1/audit/verify", &[]).await.ok();
    assert_eq!((&page["broken"], &page["checkpoint"]["signed"]), (&json!([]), &json!(true)), "{page}");
}

#[tokio::test]
async fn a_page_verifies_the_record_without_a_script() {
    let app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let ada = app.user("ada");
    live(&ada).await;
    app.command(&["audit", "checkpoint"], "");
    let page = ada.get("/audit", &[]).await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("<form method=\"get\" action=\"/audit\" class=\"seal\""), "{}", page.text);
    assert!(page.text.contains("Signed by checkpoint "), "{}", page.text);
    assert!(!page.text.contains("Verified through "));
    let page = ada.get("/audit", &[("verify", "now")]).await;
    assert!(page.text.contains("Verified through ") && page.text.contains(" records are intact"), "{}", page.text);
    let whose = "user_id = (SELECT id FROM users WHERE name = 'ada') AND seq = 3";
    tamper(&app, &[&format!("UPDATE bodies SET body = '{{}}' WHERE {whose}")]).await;
    let page = ada.get("/audit", &[("verify", "now")]).await;
    assert!(page.text.contains("ada, record 3") && page.text.contains("its text was changed."), "{}", page.text);
}
