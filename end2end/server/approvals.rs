//! Approvals: request, verdict and expiry.

use serde_json::Value;

use crate::app::{Client, Db, TestApp, until};
use crate::on_both;

/// Rounds over HTTP per database; others run in process (`workflow/tests/verdicts.rs`).
const ROUNDS: usize = 20;

/// Creates a user with one task, and the turn that asked to delete it.
async fn asked(app: &TestApp) -> (Client, Value) {
    let ada = app.user("ada");
    ada.post("/api/v1/tasks/add", &[("title", "Buy milk")]).await.ok();
    let turn = ada.say("delete task 1").await;
    assert_eq!(turn["decision"]["outcome"], "SUCCESS:APPROVAL_REQUESTED", "{turn}");
    let calls = turn["tool_calls"].as_array().expect("calls");
    assert_eq!(calls.last().expect("a call")["status"], "awaiting_approval", "{turn}");
    assert_eq!(turn["approval"]["status"], "pending");
    assert_eq!(turn["approval"]["question"], "Are you sure you want to delete task 1? (yes/no)");
    assert_eq!(ada.titles().await, ["Buy milk"], "nothing happens before the yes");
    (ada, turn)
}

async fn decide(client: &Client, turn: &Value, verdict: &str) -> crate::app::Reply {
    let id = turn["approval"]["approval_id"].as_str().expect("an approval");
    client.post("/api/v1/approvals/decide", &[("approval_id", id), ("verdict", verdict)]).await
}

on_both! {
    async fn a_yes_runs_the_stored_call(app) {
        let (ada, turn) = asked(&app).await;
        let decided = decide(&ada, &turn, "approve").await.ok();
        assert_eq!(decided["status"], "approved", "{decided}");
        assert_eq!(decided["decided_via"], "api");
        assert_eq!(decided["turn"]["cause"], "approval");
        assert_eq!(decided["turn"]["conversation_id"], turn["conversation_id"]);
        assert_eq!(decided["turn"]["decision"]["outcome"], "SUCCESS:TASK_COMPLETED");
        assert!(ada.tasks().await.is_empty());
        // Deletion moves a task to the bin.
        ada.post("/api/v1/tasks/restore", &[("task_id", "1")]).await.ok();
        assert_eq!(ada.titles().await, ["Buy milk"]);
    }

    async fn a_no_changes_nothing(app) {
        let (ada, turn) = asked(&app).await;
        let decided = decide(&ada, &turn, "reject").await.ok();
        assert_eq!(decided["status"], "rejected");
        assert_eq!(decided["turn"]["decision"]["outcome"], "REFUSAL:USER_REJECTED");
        assert_eq!(ada.titles().await, ["Buy milk"]);
    }

    async fn approval_card_and_audit_log_show_request_and_verdict(app) {
        let (ada, turn) = asked(&app).await;
        let waiting = ada.get("/api/v1/approvals/list", &[]).await.ok();
        assert_eq!(waiting[0]["said"], "delete task 1", "{waiting}");
        assert_eq!(waiting[0]["settled_label"], Value::Null);
        decide(&ada, &turn, "reject").await.ok();
        let decided = ada.get("/api/v1/approvals/list", &[]).await.ok();
        assert_eq!(decided[0]["said"], Value::Null);
        let line = decided[0]["settled_label"].as_str().expect("a line");
        assert!(line.starts_with("Declined · Delete “Buy milk” · ada, "), "{line}");
        let record = ada.get("/api/v1/audit/list", &[]).await.ok();
        assert_eq!(record["items"][0]["said"], "Declined: Delete “Buy milk”", "{record}");
        assert_eq!(record["items"][1]["said"], "delete task 1", "{record}");
    }

    async fn one_verdict_wins_and_the_others_hear_whose(app) {
        let (ada, turn) = asked(&app).await;
        let answers = futures::future::join_all((0..6).map(|at| {
            let (ada, turn) = (&ada, &turn);
            async move { decide(ada, turn, if at % 2 == 0 { "approve" } else { "reject" }).await }
        }))
        .await;
        let won = answers.iter().filter(|reply| reply.status == 200).count();
        assert_eq!(won, 1, "{answers:?}");
        for late in answers.iter().filter(|reply| reply.status != 200) {
            late.is_error(409, "conflict", "ada");
        }
    }

    async fn concurrent_verdicts_by_form_api_and_chat_have_one_winner(app) {
        let ada = app.user("ada");
        let browser = app.browser("ada").await;
        // The second client uses another process, if there may be one.
        let other = app.database.url.starts_with("postgres").then(|| app.another());
        let program = other.as_ref().map_or_else(|| ada.clone(), |other| ada.at(other));
        ada.post("/api/v1/tasks/add", &[("title", "Buy milk")]).await.ok();
        for round in 0..ROUNDS {
            let turn = ada.say("delete task 1").await;
            let id = turn["approval"]["approval_id"].as_str().unwrap();
            let verdict = |bit: usize| if round >> bit & 1 == 0 { "approve" } else { "reject" };
            let fields = |bit| [("approval_id", id), ("verdict", verdict(bit)), ("return_to", "/approvals")];
            let text = if verdict(2) == "approve" { "yes" } else { "no" };
            let (form, api) = (fields(0), fields(1));
            let (form, api, chat) = tokio::join!(
                browser.form("/api/v1/approvals/decide", &form),
                program.post("/api/v1/approvals/decide", &api),
                ada.say_after(&turn, text),
            );
            let approval = ada.get("/api/v1/approvals/get", &[("approval_id", id)]).await.ok();
            let chat_won = chat["decision"]["outcome"] != "SUCCESS:RESPONSE_GIVEN";
            let won = [(form.status == 303, "web"), (api.status == 200, "api"), (chat_won, "chat")];
            let won: Vec<_> = won.iter().filter(|(won, _)| *won).map(|(_, via)| *via).collect();
            assert_eq!(won, [approval["decided_via"].as_str().unwrap()], "round {round}: {chat}");
            let yes = approval["status"] == "approved";
            assert_eq!(ada.tasks().await.is_empty(), yes, "round {round}: {approval}");
            let sentence = if yes { "This was already approved by ada" } else { "This was already declined by ada" };
            if won != ["web"] {
                assert_eq!(form.status, 409);
                assert!(form.text.contains(sentence), "the page says it");
            }
            if won != ["api"] {
                api.is_error(409, "conflict", sentence);
            }
            if won != ["chat"] {
                assert!(chat["reply"].as_str().unwrap().starts_with(sentence), "{chat}");
            }
            if yes {
                ada.post("/api/v1/tasks/restore", &[("task_id", "1")]).await.ok();
            }
        }
    }

    async fn a_reason_is_told_and_a_stranger_has_no_say(app) {
        let (ada, turn) = asked(&app).await;
        decide(&app.user("eve"), &turn, "approve").await.is_error(404, "not_found", "There is no such approval.");
        let id = turn["approval"]["approval_id"].as_str().unwrap();
        let fields = [("approval_id", id), ("verdict", "reject"), ("reason", "it is still needed")];
        let decided = ada.post("/api/v1/approvals/decide", &fields).await.ok();
        assert_eq!(decided["reason"], "it is still needed");
        assert!(decided["turn"]["reply"].as_str().unwrap().ends_with("Your reason: it is still needed"), "{decided}");
        assert_eq!(ada.titles().await, ["Buy milk"]);
    }

    async fn a_clear_yes_in_the_chat_decides(app) {
        let (ada, turn) = asked(&app).await;
        let vague = ada.say_after(&turn, "hmm").await;
        assert_ne!(vague["decision"]["outcome"], "SUCCESS:TASK_COMPLETED");
        assert_eq!(ada.titles().await, ["Buy milk"]);
        let (bob, turn) = {
            let bob = app.user("bob");
            bob.post("/api/v1/tasks/add", &[("title", "Buy bread")]).await.ok();
            let turn = bob.say("delete task 1").await;
            (bob, turn)
        };
        bob.say_after(&turn, "yes").await;
        assert!(bob.tasks().await.is_empty());
        let all = bob.get("/api/v1/approvals/list", &[]).await.ok();
        assert_eq!((&all[0]["status"], &all[0]["decided_via"]), (&"approved".into(), &"chat".into()));
    }

    async fn a_confirmation_in_the_same_message_needs_no_question(app) {
        let ada = app.user("ada");
        ada.post("/api/v1/tasks/add", &[("title", "Buy milk")]).await.ok();
        let turn = ada.say("delete task 1, yes I am sure").await;
        assert_eq!(turn["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{turn}");
        assert_eq!(turn["reply"], "Deleted task: Buy milk (#1)");
        assert!(ada.tasks().await.is_empty());
        let all = ada.get("/api/v1/approvals/list", &[]).await.ok();
        assert_eq!(all[0]["decided_via"], "inline");
    }

    async fn words_that_deny_or_report_a_request_confirm_nothing(app) {
        let ada = app.user("ada");
        for title in ["rent", "contract"] {
            ada.post("/api/v1/tasks/add", &[("title", title)]).await.ok();
        }
        for words in [
            "tasks 1 and 2 must not be deleted, I am sure",
            "could you please not delete 1, I am sure",
            "keep 2, don't delete 1, I am sure",
            "I would never delete task 1, I am sure",
            "nobody should delete 1, I am sure",
            "delete 1, I am not so sure, yes",
            "> delete 1, yes I am sure",
            "Bob: delete 1, yes I am sure",
        ] {
            ada.say(words).await;
            assert_eq!(ada.titles().await, ["rent", "contract"], "{words}");
        }
    }

    async fn a_yes_that_names_another_act_approves_nothing(app) {
        for words in ["yes, rename it", "correct that", "yes, both of them"] {
            let ada = app.user(&words.replace(|c: char| !c.is_alphanumeric(), ""));
            ada.post("/api/v1/tasks/add", &[("title", "rent")]).await.ok();
            let asked = ada.say("delete task 1").await;
            ada.say_after(&asked, words).await;
            assert_eq!(ada.titles().await, ["rent"], "{words}");
        }
    }

    async fn a_target_that_changed_meanwhile_voids_the_approval(app) {
        let (ada, turn) = asked(&app).await;
        ada.post("/api/v1/tasks/update", &[("task_id", "1"), ("title", "Buy oat milk")]).await.ok();
        decide(&ada, &turn, "approve").await;
        assert_eq!(ada.titles().await, ["Buy oat milk"], "what was not seen is not approved");
        let all = ada.get("/api/v1/approvals/list", &[]).await.ok();
        let old = all.as_array().unwrap().iter().find(|one| one["approval_id"] == turn["approval"]["approval_id"]).unwrap();
        assert_eq!(old["status"], "void", "{all}");
    }

    async fn more_time_is_given_on_request(app) {
        let (ada, turn) = asked(&app).await;
        let id = turn["approval"]["approval_id"].as_str().unwrap();
        let later = ada.post("/api/v1/approvals/extend", &[("approval_id", id)]).await.ok();
        let (before, after) = (turn["approval"]["expires_at"].as_str().unwrap(), later["expires_at"].as_str().unwrap());
        assert!(after > before, "{before} {after}");
    }

    async fn an_approval_survives_a_restart(app) {
        let mut app = app;
        let (ada, turn) = asked(&app).await;
        app.restart();
        let ada = ada.at(&app.server);
        assert_eq!(ada.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok().as_array().unwrap().len(), 1);
        decide(&ada, &turn, "approve").await.ok();
        assert!(ada.tasks().await.is_empty());
    }
}

#[tokio::test]
async fn asking_again_about_what_was_erased_is_refused_at_once() {
    let app = TestApp::start_with(Db::Sqlite, &[("DOCKET_APPROVAL_TTL_SECONDS", "1")]).await.unwrap();
    let (ada, turn) = asked(&app).await;
    until("the turn that tells of the expiry", || async {
        let page = ada.get("/api/v1/audit/list", &[("outcome", "REFUSAL:APPROVAL_EXPIRED")]).await.ok();
        (page["items"].as_array().unwrap().len() == 1).then_some(())
    })
    .await;
    app.command(&["user", "erase", "ada", "--yes"], "");
    let id = turn["approval"]["approval_id"].as_str().unwrap();
    for _ in 0..2 {
        let refused = ada.post("/api/v1/approvals/again", &[("approval_id", id)]).await;
        refused.is_error(409, "conflict", "have been erased, so it cannot be requested again");
    }
    let browser = app.browser("ada").await;
    let page = browser.get("/approvals", &[]).await;
    assert!(page.status == 200 && !page.text.contains("/api/v1/approvals/again"), "{}", page.text);
    // No turn was started for it.
    let turns = ada.get("/api/v1/audit/list", &[]).await.ok();
    assert!(turns["items"].as_array().unwrap().iter().all(|item| item["reply"] == "This text was erased."), "{turns}");
    assert_eq!(app.command(&["audit", "replay", "--all"], "").lines().next().unwrap(), "skipped 2 erased turns");
}

#[tokio::test]
async fn an_unanswered_approval_expires_by_itself() {
    let app = TestApp::start_with(Db::Sqlite, &[("DOCKET_APPROVAL_TTL_SECONDS", "5")]).await.unwrap();
    let (ada, turn) = asked(&app).await;
    until("the expiry", || async {
        let all = ada.get("/api/v1/approvals/list", &[("status", "expired")]).await.ok();
        (all.as_array().unwrap().len() == 1).then_some(())
    })
    .await;
    decide(&ada, &turn, "approve").await.is_error(409, "conflict", "expired");
    assert_eq!(ada.titles().await, ["Buy milk"]);
    // The page offers to ask again, with a plain form.
    let browser = app.browser("ada").await;
    let page = browser.get("/approvals", &[]).await;
    assert!(page.text.contains("Ask again") && page.text.contains("/api/v1/approvals/again"), "{}", page.text);
    let id = turn["approval"]["approval_id"].as_str().unwrap();
    let again = browser.form("/api/v1/approvals/again", &[("approval_id", id), ("return_to", "/approvals")]).await;
    assert_eq!((again.status, again.header("location")), (303, "/approvals"));
    let all = ada.get("/api/v1/approvals/list", &[]).await.ok();
    assert_eq!(all.as_array().unwrap().len(), 2, "{all}");
    assert_ne!(all[0]["approval_id"], id);
    assert_eq!(all[0]["question"], turn["approval"]["question"]);
    until("the turn that says so", || async {
        let page = ada.get("/api/v1/audit/list", &[("outcome", "REFUSAL:APPROVAL_EXPIRED")]).await.ok();
        (page["items"].as_array().unwrap().len() == 1).then_some(())
    })
    .await;
}
