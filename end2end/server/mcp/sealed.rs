//! State that a client carries while a person is asked: sealed to the token and the call, valid as long as the approval.

use super::*;

/// The error for every invalid state.
const VOID: &str = "This requestState has expired or belongs to another call. Make the call again without it.";
/// All scopes of an agent, verdicts included.
const VERDICTS: &str = "chat,tasks:read,tasks:write,tasks:delete";

fn form() -> Value {
    json!({ "elicitation": { "form": {} } })
}

/// Returns a call with an approval in the client's form.
fn yes(name: &str, arguments: &Value, state: &str) -> Value {
    json!({
        "name": name, "arguments": arguments, "requestState": state,
        "inputResponses": { "approval": { "action": "accept", "content": { "approve": true } } },
    })
}

/// Requests the deletion of a task; returns the state to be sent back.
async fn asked(agent: &Client, task: i64) -> String {
    let call = json!({ "name": "delete_task", "arguments": { "task_id": task } });
    let asked = modern(agent, &form(), call).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    asked["requestState"].as_str().expect("a state").to_owned()
}

async fn is_void(agent: &Client, call: Value, what: &str) {
    let refused = modern_reply(agent, &form(), call).await;
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["message"]),
        (&json!(-32_602), &json!(VOID)),
        "{what}: {refused}"
    );
}

on_both! {
    async fn a_state_holds_for_its_token_and_its_call_only(app) {
        let ada = app.user("ada");
        for title in ["a", "b"] {
            ada.post("/api/v1/tasks/add", &[("title", title)]).await.ok();
        }
        let (agent, rival) = (app.token("ada", VERDICTS), app.token("ada", VERDICTS));
        let (one, two) = (json!({ "task_id": 1 }), json!({ "task_id": 2 }));
        let state = asked(&agent, 1).await;
        let approvals = ada.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok();
        let id = approvals[0]["approval_id"].as_str().unwrap();
        let mut changed = state.clone().into_bytes();
        let place = changed.len() / 2;
        changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
        for (what, forged) in [
            ("the approval's own id", id.to_owned()),
            ("nothing", String::new()),
            ("cut short", state[..state.len() - 1].to_owned()),
            ("half", state[..state.len() / 2].to_owned()),
            ("changed", String::from_utf8(changed).unwrap()),
            ("made up", format!("rs1.{}.{}", "A".repeat(80), "A".repeat(43))),
        ] {
            is_void(&agent, yes("delete_task", &one, &forged), what).await;
        }
        is_void(&rival, yes("delete_task", &one, &state), "of another token").await;
        is_void(&agent, yes("delete_task", &two, &state), "of another task").await;
        is_void(&agent, yes("complete_task", &one, &state), "of another tool").await;
        is_void(&agent, json!({ "name": "list_tasks", "requestState": state }), "of a call that asks nothing").await;
        assert_eq!(ada.tasks().await.len(), 2);
        let waiting = ada.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok();
        assert_eq!((waiting.as_array().unwrap().len(), &waiting[0]["approval_id"]), (1, &json!(id)), "nothing was decided or asked");
        let turns = outside_turns(&ada).await;
        assert_eq!(turns.len(), 1, "and no call was made");
        let done = modern(&agent, &form(), yes("delete_task", &one, &state)).await;
        assert_eq!(done["structuredContent"]["status"], "deleted", "{done}");
        // The state remains valid after a restart.
        let mut app = app;
        let state = asked(&agent, 2).await;
        app.restart();
        let done = modern(&agent.at(&app.server), &form(), yes("delete_task", &two, &state)).await;
        assert_eq!(done["structuredContent"]["status"], "deleted", "{done}");
    }
}

/// Tests that an expired state decides nothing.
async fn ends_with_its_time(db: Db) {
    let Some(app) = TestApp::start_with(db, &[("DOCKET_APPROVAL_TTL_SECONDS", "1")]).await else { return };
    let ada = app.user("ada");
    ada.post("/api/v1/tasks/add", &[("title", "a")]).await.ok();
    let agent = app.token("ada", VERDICTS);
    let state = asked(&agent, 1).await;
    // A closed form decides nothing either, until the state expires.
    let mut closed = yes("delete_task", &json!({ "task_id": 1 }), &state);
    closed["inputResponses"]["approval"] = json!({ "action": "cancel" });
    until("the end of its time", async || {
        let told = modern_reply(&agent, &form(), closed.clone()).await;
        (told["error"]["message"] == VOID).then_some(())
    })
    .await;
    is_void(&agent, yes("delete_task", &json!({ "task_id": 1 }), &state), "a yes too late").await;
    assert_eq!(ada.titles().await, ["a"]);
}

#[tokio::test]
async fn a_state_ends_with_its_time_on_sqlite() {
    ends_with_its_time(Db::Sqlite).await;
}

#[tokio::test]
async fn a_state_ends_with_its_time_on_postgres() {
    ends_with_its_time(Db::Postgres).await;
}

#[tokio::test]
async fn a_state_of_one_process_holds_in_another() {
    let Some(app) = TestApp::start(Db::Postgres).await else { return };
    let other = app.another();
    let ada = app.user("ada");
    ada.post("/api/v1/tasks/add", &[("title", "a")]).await.ok();
    let agent = app.token("ada", VERDICTS);
    let state = asked(&agent, 1).await;
    let answer = yes("delete_task", &json!({ "task_id": 1 }), &state);
    let done = modern(&agent.at(&other), &form(), answer).await;
    assert_eq!(done["structuredContent"]["status"], "deleted", "{done}");
    assert!(ada.tasks().await.is_empty());
}
