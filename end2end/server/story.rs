//! Turn detail: as JSON, as a page without a script, and with its readers.

use serde_json::{Value, json};

use crate::app::{Db, PASSWORD, complaint, docket, finish};
use crate::mock::Mock;
use crate::on_both;

fn id(turn: &Value) -> &str {
    turn["turn_id"].as_str().expect("an id")
}

/// Returns the kinds of a turn's records, in order.
fn kinds(story: &Value) -> Vec<&str> {
    story["records"].as_array().unwrap().iter().map(|record| record["kind"].as_str().unwrap()).collect()
}

on_both! {
    async fn turn_details_link_approval_request_and_verdict(app) {
        let ada = app.user("ada");
        let first = ada.say("add pay rent").await;
        let asked = ada.say_after(&first, "delete task 1").await;
        let approval = asked["approval"]["approval_id"].as_str().unwrap();
        let decided =
            ada.post("/api/v1/approvals/decide", &[("approval_id", approval), ("verdict", "approve")]).await.ok();
        let story = ada.get("/api/v1/audit/turn", &[("turn_id", id(&asked))]).await.ok();
        // It read the task first.
        let asking = ["message", "step", "invocation", "step", "approval_request", "invocation", "message", "decision"];
        assert_eq!(kinds(&story), [&asking[..], &["approval_verdict"]].concat());
        let numbers: Vec<i64> =
            story["records"].as_array().unwrap().iter().map(|record| record["record"].as_i64().unwrap()).collect();
        assert!(numbers.is_sorted(), "{numbers:?}");
        assert_eq!(story["before"], first["turn_id"]);
        assert_eq!(story["after"], decided["turn"]["turn_id"]);
        assert_eq!(story["answered_by"], decided["turn"]["turn_id"]);
        assert_eq!(story["cost_micros"], Value::Null, "no price is known: that is not 0");
        assert_eq!(story["tokens_in"], Value::Null);
        assert_eq!(story["constitution"].as_str().unwrap().len(), 64);
        assert_eq!(story["approvals"][0]["decided_by"], "ada");
        assert_eq!((&story["basis"]["course"], &story["basis"]["zone"]), (&"machine".into(), &"Europe/London".into()));
        let told: Vec<&str> =
            story["context"].as_array().unwrap().iter().map(|told| told["speaker"].as_str().unwrap()).collect();
        assert_eq!(told, ["user", "assistant"], "the two messages of the turn before");
        let step = &story["records"][3]["body"]["reply"];
        assert_eq!(step["asked"]["prompt"].as_str().unwrap().len(), 64, "{step}");

        let story = ada.get("/api/v1/audit/turn", &[("turn_id", id(&decided["turn"]))]).await.ok();
        assert_eq!(story["asked_by"], asked["turn_id"]);
        let carrying = ["approval_request", "approval_verdict", "step", "change", "invocation", "step", "message", "decision"];
        assert_eq!(kinds(&story), carrying);
    }

    async fn the_page_of_a_turn_needs_no_script(app) {
        let ada = app.user("ada");
        let added = ada.say("add pay rent <b>now</b>").await;
        let changed = ada.say_after(&added, "change the priority of task 1 to high").await;
        let asked = ada.say_after(&added, "delete task 1").await;
        let approval = asked["approval"]["approval_id"].as_str().unwrap();
        let fields = [("approval_id", approval), ("verdict", "reject"), ("reason", "It is due")];
        ada.post("/api/v1/approvals/decide", &fields).await.ok();
        let browser = app.browser("ada").await;
        let page = browser.get(&format!("/audit/{}", id(&asked)), &[]).await.text;
        for words in [
            "Called a tool · approval requested",
            "<code>INVOKE_TOOL SUCCESS:APPROVAL_REQUESTED</code>",
            "The turn ended: approval requested",
            "ada said",
            "Approval required",
            "Moving a task to the bin needs approval.",
            "It is due",
            "id=\"story\"",
            "id=\"calls\"",
            "id=\"changes\"",
            "id=\"raw\"",
            "Nothing was changed.",
            "no pending approvals",
            "4 earlier messages",
            "no memories",
            "&lt;b&gt;now",
        ] {
            assert!(page.contains(words), "{words}");
        }
        assert!(page.contains("<dt>Cost</dt><dd>–</dd>"));
        assert!(!page.contains("<b>now"), "what people write is text");
        assert!(page.contains(&format!("href=\"/audit/{}\"", id(&added))));

        // Values before and after; and the answering turn names who gave the verdict.
        let page = browser.get(&format!("/audit/{}", id(&changed)), &[]).await.text;
        assert!(page.contains("<th scope=\"row\">priority</th><td>none</td><td>High (p1)</td>"), "{page}");
        assert!(page.contains("The rules asked for a call") && page.contains(" · took "), "{page}");
        let page = browser.get(&format!("/audit/{}", id(&asked)), &[]).await.text;
        assert!(page.contains("Declined by ada"), "{page}");

        // The list links to it, and the turn detail can undo the turn's changes.
        assert!(browser.get("/audit", &[]).await.text.contains(&format!("/audit/{}", id(&added))));
        let place = format!("/audit/{}", id(&added));
        let page = browser.get(&place, &[]).await.text;
        let call = added["tool_calls"][0]["invocation_id"].as_str().unwrap();
        assert!(page.contains(&format!("value=\"{call}\"")));
        let done = browser.form("/api/v1/undo", &[("invocation_id", call), ("return_to", &place)]).await;
        assert_eq!(done.status, 409, "the later change of its priority is in the way");
        assert!(browser.get("/audit/7", &[]).await.text.contains("turn id"));
    }

    async fn turn_detail_of_an_agent_call_attributes_the_decision(app) {
        app.user("ada");
        app.token("ada", "tasks:write").tool("add_task", serde_json::json!({ "title": "Buy milk" })).await;
        let ada = app.token("ada", "audit");
        let turns = ada.get("/api/v1/audit/list", &[]).await.ok();
        let page = app.browser("ada").await.get(&format!("/audit/{}", id(&turns["items"][0])), &[]).await.text;
        assert!(page.contains("An agent made this decision") && !page.contains("did not record"), "{page}");
    }

    async fn an_admins_reading_is_in_the_owners_record(app) {
        let ada = app.user("ada");
        let turn = ada.say("add buy a xylophone").await;
        app.command(&["user", "add", "root", "--password-stdin", "--admin"], PASSWORD);
        let root = app.browser("root").await;
        let mine = ada.get("/api/v1/audit/turn", &[("turn_id", id(&turn))]).await.ok();
        assert_eq!(mine["message"], "add buy a xylophone");
        assert_eq!(mine["readings"], serde_json::json!([]), "one's own reading is nobody's business");
        let page = root.get(&format!("/audit/{}", id(&turn)), &[]).await.text;
        assert!(page.contains("xylophone") && page.contains("ada said"));
        // The palette can undo the reader's own changes.
        let of_others = page.replace("/api/v1/undo/last", "");
        assert!(!of_others.contains("/api/v1/undo"), "nobody takes back what is another's");
        let mine = ada.get("/api/v1/audit/turn", &[("turn_id", id(&turn))]).await.ok();
        assert_eq!(mine["readings"][0]["reader"], "root", "{mine}");
        let page = app.browser("ada").await.get(&format!("/audit/{}", id(&turn)), &[]).await.text;
        assert!(page.contains("Read by an admin"));
    }

    async fn replay_of_every_dialogue_turn_reaches_the_same_decision(app) {
        let mut turns = vec![];
        for (at, dialogue) in include_str!("dialogues.jsonl").lines().enumerate() {
            let dialogue: Value = serde_json::from_str(dialogue).unwrap();
            let ada = app.user(&format!("ada{at}"));
            for task in dialogue["tasks"].as_array().unwrap() {
                ada.post("/api/v1/tasks/add", &[("title", task["title"].as_str().unwrap())]).await.ok();
            }
            let mut last = Value::Null;
            for words in dialogue["turns"].as_array().unwrap() {
                let words = words.as_str().unwrap();
                last = if last.is_null() { ada.say(words).await } else { ada.say_after(&last, words).await };
                let query = [("turn_id", id(&last)), ("engine", "rules")];
                let replay = ada.get("/api/v1/audit/replay", &query).await.ok();
                assert_eq!(replay["same"], true, "{}: {}", dialogue["about"], replay["differences"]);
                turns.push(id(&last).to_owned());
            }
        }
        let all = app.command(&["audit", "replay", "--all"], "");
        assert_eq!(all, format!("replayed {} turns: same decision", turns.len()));
        assert_eq!(app.command(&["audit", "replay", &turns[0]], ""), "same decision");
        assert_eq!(app.command(&["audit", "replay", &turns[0], "--engine", "rules"], ""), "same decision");
    }

    async fn a_replay_is_one_button_and_says_what_differs(app) {
        let ada = app.user("ada");
        let turn = ada.say("add pay rent").await;
        let browser = app.browser("ada").await;
        let place = format!("/audit/{}", id(&turn));
        let page = browser.get(&place, &[]).await.text;
        assert!(page.contains(&format!("href=\"{place}?replay=recorded\"")) && !page.contains("reached the same decision"));
        let page = browser.get(&place, &[("replay", "recorded")]).await.text;
        assert!(page.contains("The recorded replies") && page.contains("reached the same decision."));
        let page = browser.get(&place, &[("replay", "dice")]).await.text;
        assert!(page.contains("“dice” is not a replay engine; use recorded or rules."));
        let unknown = finish(docket(&app.database.url, &["audit", "replay", "7"]), "");
        assert_eq!((unknown.status.code(), complaint(&unknown).as_str()), (Some(1), "docket: That is not a valid turn id."));
    }
}

#[tokio::test]
async fn turn_detail_of_a_model_shows_cost_and_rules_replay() {
    for db in [Db::Sqlite, Db::Postgres] {
        let mock = Mock::start();
        let priced = [("DOCKET_PRICE_INPUT", "0.15"), ("DOCKET_PRICE_OUTPUT", "0.6")];
        let Some(app) = mock.app(db, &priced).await else { continue };
        let arguments = json!({ "title": "Oat milk", "priority": "high" });
        mock.script(json!([
            { "match": "add milk", "tool_calls": [{ "name": "add_task", "arguments": arguments }] },
            { "match": "add milk", "round": 1, "text": "Oat milk it is." },
        ]))
        .await;
        let ada = app.user("ada");
        let turn = ada.say("add milk").await;
        let story = ada.get("/api/v1/audit/turn", &[("turn_id", id(&turn))]).await.ok();
        assert_eq!(
            (&story["model"], kinds(&story)),
            (&json!("mock-1"), ["message", "step", "change", "invocation", "step", "message", "decision"].to_vec())
        );
        let steps: Vec<_> = story["records"].as_array().unwrap().iter().filter(|it| it["kind"] == "step").collect();
        assert_eq!(steps[0]["body"]["reply"]["act"]["calls"][0]["arguments"], arguments);
        let spent = (story["tokens_in"].as_i64().unwrap(), story["cost_micros"].as_i64().unwrap());
        assert!(spent.0 > 0 && spent.1 > 0, "{story}");

        let browser = app.browser("ada").await;
        let place = format!("/audit/{}", id(&turn));
        let page = browser.get(&place, &[]).await.text;
        let cost = format!("<dt>Cost</dt><dd>0.{:06}</dd>", spent.1);
        let constitution = story["constitution"].as_str().unwrap();
        for words in ["mock-1 asked for a call", "Raw reply", "mock-1 answered", constitution, cost.as_str()] {
            assert!(page.contains(words), "{words}: {page}");
        }

        // The statistics do so too.
        let figures = ada.get("/api/v1/audit/figures", &[]).await.ok();
        assert_eq!(
            (figures["whole"]["tokens_in"].as_i64(), figures["whole"]["cost_micros"].as_i64()),
            (Some(spent.0), Some(spent.1))
        );
        assert!(figures["whole"]["p50_ms"].is_i64() && figures["whole"]["p95_ms"].is_i64(), "{figures}");
        let page = browser.get("/audit", &[]).await.text;
        for chart in ["Turns by outcome", "Latency (ms)", "Tokens", "Cost", "Approval requests"] {
            assert!(page.contains(&format!("aria-label=\"{chart}\"")), "{chart}");
        }

        // Replay from recorded replies gives an equal decision without the model; the rules would have parsed the words literally.
        let asked = mock.requests().await.len();
        assert_eq!(app.command(&["audit", "replay", id(&turn)], ""), "same decision");
        let query = [("turn_id", id(&turn)), ("engine", "rules")];
        let replay = ada.get("/api/v1/audit/replay", &query).await.ok();
        assert_eq!(
            (&replay["same"], &replay["made"]["calls"][0]),
            (&json!(false), &json!("add_task {\"title\":\"milk\"}"))
        );
        let page = browser.get(&place, &[("replay", "rules")]).await.text;
        assert!(page.contains("≠ The rules reached a different decision. Nothing was changed."), "{page}");
        let told = finish(docket(&app.database.url, &["audit", "replay", id(&turn), "--engine", "rules"]), "");
        let printed = String::from_utf8(told.stdout).unwrap();
        for difference in replay["differences"].as_array().unwrap() {
            let difference = difference.as_str().unwrap();
            assert!(printed.contains(difference), "{difference} in {printed}");
        }
        assert!(printed.contains("Oat milk") && printed.contains("→") && told.status.code() == Some(1), "{printed}");
        assert_eq!(
            (ada.titles().await, mock.requests().await.len()),
            (vec!["Oat milk".to_owned()], asked),
            "only looked at"
        );
    }
}
