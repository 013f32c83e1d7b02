//! Statistics and exports of the audit log, and the list at a point in time.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::app::Client;
use crate::on_both;

async fn title_of(ada: &Client, number: i64) -> Value {
    let tasks = ada.get("/api/v1/tasks/list", &[("status", "all")]).await.ok();
    let tasks = tasks["tasks"].as_array().unwrap().clone();
    tasks.into_iter().find(|task| task["task_id"] == number).map_or(Value::Null, |task| task["title"].clone())
}

on_both! {
    async fn statistics_match_the_list_and_omit_an_unknown_cost(app) {
        let ada = app.user("ada");
        let first = ada.say("add pay rent").await;
        let asked = ada.say_after(&first, "delete task 1").await;
        let approval = asked["approval"]["approval_id"].as_str().unwrap();
        ada.post("/api/v1/approvals/decide", &[("approval_id", approval), ("verdict", "reject")]).await.ok();
        let bob = app.user("bob");
        bob.say("add sing").await;

        let figures = ada.get("/api/v1/audit/figures", &[]).await.ok();
        let whole = &figures["whole"];
        let counts = ["turns", "success", "refusal", "error", "tokens_in"].map(|name| whole[name].as_i64().unwrap());
        assert_eq!(counts, [3, 2, 1, 0, 0], "{figures}");
        assert_eq!((figures["writes"].as_i64(), &whole["cost_micros"]), (Some(1), &Value::Null));
        assert_eq!((&figures["approvals"]["asked"], &figures["approvals"]["denied"]), (&1.into(), &1.into()));
        let buckets = figures["buckets"].as_array().unwrap();
        assert_eq!((buckets.len(), &buckets[29]["counts"]["turns"]), (30, &3.into()));
        for (field, value, turns) in [
            ("outcome", "REFUSAL", 1),
            ("tool", "add_task", 1),
            ("actor", "approval", 1),
            ("kind", "INVOKE_TOOL", 2),
            ("conversation", first["conversation_id"].as_str().unwrap(), 3),
            ("until", "2020-01-01", 0),
        ] {
            let figures = ada.get("/api/v1/audit/figures", &[(field, value)]).await.ok();
            assert_eq!(figures["whole"]["turns"], turns, "{field}={value}");
            let listed = ada.get("/api/v1/audit/list", &[(field, value)]).await.ok();
            assert_eq!(listed["items"].as_array().unwrap().len(), turns, "{field}={value}");
        }
        ada.get("/api/v1/audit/figures", &[("actor", "cat")]).await.is_error(422, "invalid", "cat");
        ada.get("/api/v1/audit/figures", &[("conversation", "7")]).await.is_error(422, "invalid", "conversation id");

        let page = app.browser("ada").await.get("/audit", &[("outcome", "REFUSAL")]).await.text;
        assert!(page.contains("<dt>Cost</dt><dd>–</dd>") && page.contains("Last 30 days"));
        assert!(page.contains("aria-label=\"Tokens\"") && !page.contains("aria-label=\"Cost\""), "of an unknown price no chart");
        assert!(page.contains("/api/v1/audit/export?format=csv&amp;outcome=REFUSAL"), "the export keeps the filter");
        assert!(page.contains("<svg") && page.contains("As a table"));
        let bar = page.split("<a href=\"").find(|part| part.contains("refused 1")).expect("a bar that is a link");
        let place = bar.split('"').next().unwrap().replace("&amp;", "&");
        let narrowed = app.browser("ada").await.get(&place, &[]).await.text;
        assert!(narrowed.contains("Declined: Delete “Pay rent”") || narrowed.contains("Declined: Delete “pay rent”"));

        app.user("eve");
        let page = app.browser("eve").await.get("/audit", &[]).await.text;
        assert!(page.contains("Nothing recorded yet") && !page.contains("figures__tiles"), "of nothing there are no figures");
    }

    async fn requests_are_counted_by_what_became_of_them(app) {
        let ada = app.user("ada");
        for (number, verdict) in [(1, Some("approve")), (2, Some("reject")), (3, None)] {
            ada.say(&format!("add thing q{number}")).await;
            let asked = ada.say(&format!("delete task {number}")).await;
            let approval = asked["approval"]["approval_id"].as_str().unwrap();
            if let Some(verdict) = verdict {
                ada.post("/api/v1/approvals/decide", &[("approval_id", approval), ("verdict", verdict)]).await.ok();
            }
        }
        let counted = ada.get("/api/v1/audit/figures", &[]).await.ok();
        let expected = json!({ "asked": 3, "approved": 1, "denied": 1, "open": 1 });
        assert_eq!((&counted["approvals"], &counted["buckets"][29]["approvals"]), (&expected, &expected));
        let page = app.browser("ada").await.get("/audit", &[]).await.text;
        let (_, chart) = page.split_once("aria-label=\"Approval requests\"").expect("a chart of them");
        let heads = "<th scope=\"col\">approved</th><th scope=\"col\">denied</th><th scope=\"col\">open or expired</th>";
        assert!(chart.contains(heads) && chart.contains("<td>1</td><td>1</td><td>1</td>"), "{chart}");
    }

    async fn an_export_keeps_the_filter_and_holds_no_formula(app) {
        let ada = app.user("ada");
        ada.say("add pay rent").await;
        ada.say("=1+1").await;
        let lines = ada.get("/api/v1/audit/export", &[("format", "jsonl"), ("tool", "add_task")]).await;
        assert_eq!((lines.status, lines.header("content-type")), (200, "application/jsonl; charset=utf-8"));
        let rows: Vec<Value> = lines.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let call = &rows[0]["tool_calls"][0];
        assert_eq!((rows.len(), &rows[0]["message"], &call["tool"]), (1, &"add pay rent".into(), &"add_task".into()));
        assert_eq!(call["effect"], "stands", "what stands of it, as the page tells it");
        let invocation = call["invocation_id"].as_str().unwrap();
        ada.post("/api/v1/undo", &[("invocation_id", invocation)]).await.ok();
        let lines = ada.get("/api/v1/audit/export", &[("format", "jsonl"), ("tool", "add_task")]).await;
        let undone: Value = serde_json::from_str(&lines.text).unwrap();
        assert_eq!(undone["tool_calls"][0]["effect"], "undone", "{undone}");
        let table = ada.get("/api/v1/audit/export", &[("format", "csv")]).await;
        assert!(table.header("content-disposition").contains("docket-audit.csv"));
        assert!(table.text.starts_with("\u{feff}at,user,turn_id,") && table.text.contains(",'=1+1,"), "{}", table.text);
        assert_eq!(table.text.lines().filter(|line| line.contains(",ada,")).count(), 2);
        ada.get("/api/v1/audit/export", &[("format", "xml")]).await.is_error(400, "malformed", "xml");
        Client::anonymous(&app.server.base).get("/api/v1/audit/export", &[]).await.is_error(401, "unauthenticated", "");
        app.token("ada", "chat").get("/api/v1/audit/export", &[]).await.is_error(403, "forbidden", "audit");
    }

    async fn export_command_matches_the_page_and_is_recorded(app) {
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        ada.say("add pay rent").await;
        bob.say("add sing").await;
        let exported = |more: &[&str]| app.command(&[&["audit", "export", "--format"][..], more].concat(), "");
        for format in ["jsonl", "csv"] {
            let file = ada.get("/api/v1/audit/export", &[("format", format)]).await.text;
            assert_eq!(exported(&[format, "--user", "ada"]), file.trim(), "{format}");
        }
        let all = exported(&["jsonl"]);
        assert!(all.lines().count() == 2 && all.contains("pay rent") && all.contains("sing"), "{all}");
        assert_eq!(exported(&["csv", "--since", "2999-01-01", "--user", "ada"]).lines().count(), 1, "the head alone");
        assert_eq!(exported(&["jsonl", "--since", "2020-01-01T10:00"]), all);

        let folder = tempfile::tempdir().unwrap();
        let bundle = folder.path().join("bob.jsonl");
        app.command(&["audit", "export-bundle", bundle.to_str().unwrap(), "--user", "bob"], "");
        let told = std::fs::read_to_string(&bundle).unwrap();
        assert_eq!(told.matches("record_exported").count(), 2, "one for each of the two files that held his: {told}");
        assert!(app.command(&["audit", "verify"], "").starts_with("verified "));
    }

    async fn past_list_is_read_only_except_for_restoring_tasks(app) {
        let ada = app.user("ada");
        ada.post("/api/v1/tasks/add", &[("title", "a"), ("due", "2026-12-24T17:00:00Z")]).await.ok();
        let then = ada.post("/api/v1/tasks/add", &[("title", "b")]).await.ok();
        let then = then["created_at"].as_str().unwrap().to_owned();
        let renamed = ada.post("/api/v1/tasks/update", &[("task_id", "1"), ("title", "z"), ("due", "")]).await;
        assert_eq!(renamed.status, 200, "{}", renamed.text);
        ada.post("/api/v1/tasks/delete", &[("task_id", "2")]).await.ok();
        let past = ada.get("/api/v1/tasks/as_of", &[("at", &then)]).await.ok();
        let titles: Vec<_> = past["tasks"].as_array().unwrap().iter().map(|task| task["title"].as_str().unwrap()).collect();
        assert_eq!(titles, ["a", "b"], "{past}");
        assert!(ada.get("/api/v1/tasks/as_of", &[("at", "2020-01-01T10:00")]).await.ok()["tasks"].as_array().unwrap().is_empty());
        ada.get("/api/v1/tasks/as_of", &[("at", "2999-01-01")]).await.is_error(422, "invalid", "in the future");
        ada.get("/api/v1/tasks/as_of", &[("at", "yore")]).await.is_error(422, "invalid", "yore");

        let browser = app.browser("ada").await;
        let place = format!("/tasks/as-of?at={then}");
        let page = browser.get(&place, &[]).await.text;
        assert!(page.contains("2 tasks") && page.contains("Restore this task"));
        for number in ["1", "2"] {
            let fields = [("task_id", number), ("as_of", then.as_str()), ("return_to", place.as_str())];
            let done = browser.form("/api/v1/tasks/restore", &fields).await;
            assert_eq!((done.status, done.header("location")), (303, place.as_str()));
        }
        assert_eq!((title_of(&ada, 1).await, title_of(&ada, 2).await), ("a".into(), "b".into()));
        let early = [("task_id", "1"), ("as_of", "2020-01-01")];
        ada.post("/api/v1/tasks/restore", &early).await.is_error(409, "conflict", "Task #1 did not exist");
    }

    async fn ten_thousand_changes_fold_within_a_second(app) {
        let ada = app.user("ada");
        for part in 0..100 {
            let lines = (0..100).map(|at| format!("task {part} {at}")).collect::<Vec<_>>().join("\n");
            ada.post("/api/v1/tasks/add_lines", &[("lines", &lines)]).await.ok();
        }
        let began = Instant::now();
        let all = ada.get("/api/v1/tasks/as_of", &[("at", "now")]).await;
        assert_eq!(all.status, 422);
        let now = ada.post("/api/v1/tasks/add", &[("title", "last")]).await.ok()["created_at"].as_str().unwrap().to_owned();
        let (mut numbers, mut cursor) = (vec![], None);
        while numbers.len() < 10_001 {
            let asked: Vec<_> = [("at", now.clone())].into_iter().chain(cursor.map(|cursor| ("cursor", cursor))).collect();
            let asked: Vec<_> = asked.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let page = ada.get("/api/v1/tasks/as_of", &asked).await.ok();
            let tasks = page["tasks"].as_array().unwrap();
            assert!((1..=200).contains(&tasks.len()), "{}", tasks.len());
            numbers.extend(tasks.iter().map(|task| task["task_id"].as_i64().unwrap()));
            cursor = page["next"].as_str().map(str::to_owned);
            assert_eq!(cursor.is_none(), numbers.len() == 10_001);
        }
        assert_eq!(numbers, (1..=10_001).collect::<Vec<_>>(), "no page repeats or skips a task");
        // The target is one second for an optimised build on an idle machine.
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
        let page = app.browser("ada").await.get("/tasks/as-of", &[("at", &now)]).await.text;
        assert!(page.contains("Tasks #1 to #50") && page.contains("&amp;cursor="), "{page}");
    }
}
