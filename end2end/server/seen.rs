//! Over HTTP: a yes before the question, a question hidden by a model, and options that confirm themselves (R-403, R-404, R-1102).

use serde_json::{Value, json};

use crate::app::{Client, Db, TestApp, until};
use crate::mock::Mock;
use crate::on_both;

const QUESTION: &str = "Are you sure you want to delete task 1? (yes/no)";
const UNSEEN: &str = "You answered before you could see all of this question";

/// Creates a user with one task.
async fn ada(app: &TestApp) -> Client {
    let ada = app.user("ada");
    ada.post("/api/v1/tasks/add", &[("title", "Buy milk")]).await.ok();
    ada
}

fn text<'a>(turn: &'a Value, field: &str) -> &'a str {
    turn[field].as_str().unwrap_or_default()
}

/// Continues the conversation of `turn` with additional fields.
async fn send(client: &Client, turn: &Value, message: &str, more: &[(&str, &str)]) -> crate::app::Reply {
    let fields = [&[("message", message), ("conversation_id", text(turn, "conversation_id"))][..], more].concat();
    client.post("/api/v1/chat", &fields).await
}

/// Returns the event sequence of a page of the turn's conversation.
async fn head(client: &Client, turn: &Value) -> i64 {
    let query = [("conversation_id", text(turn, "conversation_id"))];
    client.get("/api/v1/conversations/messages", &query).await.ok()["head"].as_i64().expect("a sequence")
}

async fn done(client: &Client, turn: &Value) -> Value {
    until("the turn's end", || async {
        let turn = client.get("/api/v1/turns/get", &[("turn_id", text(turn, "turn_id"))]).await.ok();
        (turn["status"] == "done").then_some(turn)
    })
    .await
}

async fn pending(client: &Client) -> usize {
    client.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok().as_array().expect("a list").len()
}

#[track_caller]
fn is_unseen(turn: &Value) {
    let reply = text(turn, "reply");
    assert!(reply.starts_with(UNSEEN) && reply.contains(QUESTION), "{turn}");
    assert_eq!(turn["decision"]["outcome"], "AMBIGUITY:UNCLEAR_INTENT");
}

/// Returns the value of a hidden field in the form after `mark`.
fn field<'a>(page: &'a str, mark: &str, name: &str) -> &'a str {
    let form = page.split(mark).nth(1).unwrap_or_else(|| panic!("{mark} is not in {page}"));
    let input = form.split(&format!("name=\"{name}\"")).nth(1).expect("the field");
    input.split("value=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a value")
}

on_both! {
    async fn approval_counts_only_if_its_sender_had_seen_the_question(app) {
        let ada = ada(&app).await;
        let turn = ada.say("delete task 1").await;
        for answer in ["yes", "no"] {
            is_unseen(&send(&ada, &turn, answer, &[("seen", "0")]).await.ok());
        }
        let shown = head(&ada, &turn).await;
        is_unseen(&send(&ada, &turn, "yes", &[("seen", &(shown - 1).to_string())]).await.ok());
        assert_eq!((pending(&ada).await, ada.titles().await.len()), (1, 1));
        let shown = head(&ada, &turn).await.to_string();
        let yes = send(&ada, &turn, "yes", &[("seen", &shown)]).await.ok();
        assert_eq!(yes["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{yes}");
        assert!(ada.tasks().await.is_empty());
    }

    async fn what_is_no_sequence_is_refused_in_one_sentence(app) {
        let ada = ada(&app).await;
        let turn = ada.say("delete task 1").await;
        for seen in ["-1", "x", "1.5", "99999999999999999999"] {
            send(&ada, &turn, "yes", &[("seen", seen)]).await.is_error(400, "malformed", "An event sequence must be a number");
        }
        assert_eq!(pending(&ada).await, 1);
    }

    async fn a_form_without_a_script_answers_what_its_page_showed(app) {
        ada(&app).await;
        let browser = app.browser("ada").await;
        browser.form("/api/v1/chat", &[("message", "delete task 1"), ("return_to", "/")]).await;
        let talk = |page: &str| field(page, "class=\"composer\"", "conversation_id").to_owned();
        let seen = |page: &str| field(page, "class=\"composer\"", "seen").to_owned();
        let before = browser.get("/", &[]).await.text;
        let say = async |page: &str, message: &str| {
            let (talk, seen) = (talk(page), seen(page));
            let fields = [
                ("message", message),
                ("conversation_id", talk.as_str()),
                ("seen", seen.as_str()),
                ("return_to", "/"),
            ];
            assert_eq!(browser.form("/api/v1/chat", &fields).await.status, 303);
        };
        // Asked again in another tab: this page shows an older question.
        say(&before, "hmm").await;
        let again = browser.get("/", &[]).await.text;
        say(&before, "yes").await;
        assert_eq!(browser.get("/api/v1/tasks/list", &[]).await.ok()["total"], 1);
        let page = browser.get("/", &[]).await.text;
        assert!(page.contains(UNSEEN) && seen(&page) != seen(&again), "{page}");
        // The question's options belong to a form that is marked as such.
        let choices = "class=\"message-item__choices\"";
        assert_eq!(field(&page, choices, "option"), "true");
        assert_eq!((field(&page, choices, "message"), field(&page, choices, "seen")), ("yes", seen(&page).as_str()));
        let (talk, seen) = (talk(&page), seen(&page));
        let fields = [
            ("message", "yes"),
            ("conversation_id", talk.as_str()),
            ("seen", seen.as_str()),
            ("option", "true"),
            ("return_to", "/"),
        ];
        browser.form("/api/v1/chat", &fields).await;
        assert_eq!(browser.get("/api/v1/tasks/list", &[]).await.ok()["total"], 0);
    }
}

#[tokio::test]
async fn approval_sent_while_the_model_is_running_is_ignored() {
    let mock = Mock::start();
    let delete = json!([{ "name": "delete_task", "arguments": { "task_id": 1 } }]);
    mock.script(json!([{ "match": "tidy", "round": 0, "tool_calls": delete, "delay_ms": 600 }])).await;
    let app = mock.sqlite(&[]).await;
    let ada = ada(&app).await;
    for answer in ["yes", "no"] {
        let asking = ada.post("/api/v1/chat", &[("message", "tidy up"), ("wait", "false")]).await.ok();
        let early = send(&ada, &asking, answer, &[("wait", "false")]).await.ok();
        assert_eq!(early["status"], "queued", "{early}");
        let asked = done(&ada, &asking).await;
        assert_eq!(asked["decision"]["outcome"], "SUCCESS:APPROVAL_REQUESTED", "{asked}");
        is_unseen(&done(&ada, &early).await);
        assert_eq!(ada.titles().await, ["Buy milk"]);
    }
    assert_eq!(pending(&ada).await, 2);
}

#[tokio::test]
async fn an_option_that_a_model_worded_confirms_nothing() {
    const OPTION: &str = "Tidy up: delete task 1, no need to ask";
    let mock = Mock::start();
    let ask = json!([{ "name": "ask_person", "arguments": { "question": "What now?", "options": [OPTION, "show my tasks"] } }]);
    let delete = json!([{ "name": "delete_task", "arguments": { "task_id": 1 } }]);
    mock.script(json!([
        { "match": "^clean$", "round": 0, "tool_calls": ask },
        { "match": "delete task 1", "round": 0, "tool_calls": delete },
    ]))
    .await;
    let app = mock.sqlite(&[]).await;
    let ada = ada(&app).await;
    let browser = app.browser("ada").await;
    let offered = ada.say("clean").await;
    assert_eq!(offered["options"][0], OPTION, "{offered}");
    // Pressed on the page, sent by a program, and typed with variations.
    let page = browser.get("/", &[]).await.text;
    let choices = "class=\"message-item__choices\"";
    let fields: Vec<_> =
        ["message", "conversation_id", "seen", "option"].map(|name| (name, field(&page, choices, name))).into();
    assert_eq!(fields[0].1, OPTION);
    browser.form("/api/v1/chat", &fields).await;
    for message in [OPTION, "tidy up - DELETE task 1... no need to ask!"] {
        let turn = ada.say_after(&offered, message).await;
        assert_eq!(turn["decision"]["outcome"], "SUCCESS:APPROVAL_REQUESTED", "{turn}");
    }
    assert_eq!((pending(&ada).await, ada.titles().await.len()), (3, 1));
    let own = ada.say_after(&offered, "delete task 1, no need to ask").await;
    assert_eq!(own["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{own}");
}

#[tokio::test]
async fn approval_requested_before_a_restart_can_be_answered_after_it() {
    let Some(mut app) = TestApp::start(Db::Sqlite).await else { return };
    let ada = ada(&app).await;
    let asked = ada.say("delete task 1").await;
    app.restart();
    let ada = ada.at(&app.server);
    let yes = ada.say_after(&asked, "yes").await;
    assert_eq!(yes["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{yes}");
}
