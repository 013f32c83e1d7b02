//! Tests of verdicts and scopes: approved calls run with the approver's rights, later steps with the requester's.

use super::*;
use crate::domain::id::ApprovalId;
use crate::domain::user::Door;
use crate::usecases::accounts::agent_of_token;
use crate::workflow::agent_call;

impl World {
    async fn decide_as(&self, caller: &Caller, id: ApprovalId, verdict: Verdict) -> Result<Turn, Error> {
        let via = if caller.door == Door::Web { DecidedVia::Web } else { DecidedVia::Api };
        let accepted = inbox::decide(&self.state, caller, id, verdict, via, None).await?;
        worker::settle(&self.state).await.unwrap();
        inbox::wait(&self.state, &self.caller, accepted.turn).await
    }

    async fn status(&self, id: ApprovalId) -> ApprovalStatus {
        approvals::get(&self.state.ctx, &self.caller, id).await.unwrap().status
    }
}

fn asked(turn: &Turn) -> ApprovalId {
    turn.approval.as_ref().unwrap_or_else(|| panic!("{turn:#?}")).approval_id
}

type Calls = Vec<(&'static str, Value)>;

/// Returns calls that request approval, with the scopes that each set needs; the last needs two.
fn requests() -> Vec<(Calls, Vec<Scope>)> {
    let delete = ("delete_task", json!({ "task_id": 1 }));
    let rename = ("update_task", json!({ "task_id": 1, "title": "another" }));
    vec![
        (vec![delete.clone()], vec![Scope::TasksDelete]),
        (vec![rename.clone()], vec![Scope::TasksWrite]),
        (vec![rename, delete], vec![Scope::TasksWrite, Scope::TasksDelete]),
    ]
}

#[tokio::test]
async fn verdict_requires_the_scopes_of_its_calls_on_every_channel() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_minute = 0;
        world.task("wash car").await;
        for (calls, needed) in requests() {
            for scopes in subsets() {
                let token = world.token(&scopes).await;
                let missing = needed.iter().find(|scope| !scopes.contains(scope));
                let what = format!("{scopes:?} for {needed:?}");
                for verdict in [Verdict::Approve, Verdict::Reject] {
                    world.model(&[&calls], "That is that.");
                    world.conversation = None;
                    let turn = world.say("go on").await;
                    let id = asked(&turn);
                    let Some(missing) = missing else { continue };
                    // Through the API.
                    let refused = world.decide_as(&token, id, verdict).await.unwrap_err();
                    let said = matches!(&refused, Error::Forbidden(text) if text.contains(missing.as_str()));
                    assert!(said, "{what}: {refused}");
                    // In the chat.
                    let text = if verdict == Verdict::Approve { "yes" } else { "no" };
                    let words = world.go_on_as(&token, Some(turn.conversation_id), text).await;
                    ended(&words, DecisionKind::Refuse, Outcome::OutOfScope);
                    assert!(words.reply.as_deref().unwrap().contains(missing.as_str()), "{what}: {words:#?}");
                    assert_eq!(world.status(id).await, ApprovalStatus::Pending, "{what}");
                    // The user can still answer it.
                    world.decide_as(&world.caller.clone(), id, Verdict::Reject).await.unwrap();
                }
                if missing.is_none() {
                    let pending = approvals::list(&world.state.ctx, &world.caller, Some(ApprovalStatus::Pending)).await;
                    for approval in pending.unwrap() {
                        let no = world.decide_as(&token, approval.approval_id, Verdict::Reject).await.unwrap();
                        ended(&no, DecisionKind::RespondOnly, Outcome::UserRejected);
                    }
                }
            }
        }
        assert_eq!(world.version_of_one().await, 1, "nothing was changed");
    }
}

impl World {
    async fn version_of_one(&self) -> i64 {
        tasks::get(&self.state.ctx, &self.caller, TaskNumber(1)).await.unwrap().version
    }
}

#[tokio::test]
async fn asking_again_needs_the_scopes_of_the_calls() {
    for mut world in worlds().await {
        world.task("wash car").await;
        let id = asked(&world.say("delete task 1").await);
        world.state.ctx.clock.advance(86_400);
        let writes = world.token(&[Scope::TasksRead, Scope::TasksWrite]).await;
        let refused = inbox::ask_again(&world.state, &writes, id, None).await.unwrap_err();
        assert!(matches!(&refused, Error::Forbidden(text) if text.contains("tasks:delete")), "{refused}");
        assert_eq!(world.waiting().await, 1, "it is not even said to be expired by that");
        let deletes = world.token(&[Scope::TasksDelete]).await;
        let accepted = inbox::ask_again(&world.state, &deletes, id, None).await.unwrap();
        worker::settle(&world.state).await.unwrap();
        let again = inbox::wait(&world.state, &world.caller, accepted.turn).await.unwrap();
        ended(&again, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        assert!(world.has(TaskNumber(1)).await);
    }
}

#[tokio::test]
async fn an_agents_form_answers_only_what_its_token_could_do() {
    for world in worlds().await {
        world.task("wash car").await;
        let scopes = [Scope::Chat, Scope::TasksDelete];
        let ctx = &world.state.ctx;
        let (id, secret) = create_token(ctx, "ada", "desk", &scopes, 0).await.unwrap();
        let desk = agent_of_token(ctx, &secret, None).await.unwrap().unwrap();
        let waits =
            agent_call::call(&world.state, &desk, "delete_task", json!({ "task_id": 1 })).await.unwrap().waits.unwrap();
        // As if the token had been narrowed before its client passed on the verdict.
        let mut narrowed = desk.clone();
        narrowed.caller.scopes = vec![Scope::Chat];
        let answer = (waits.approval_id, Verdict::Approve);
        let patience = std::time::Duration::from_secs(9);
        let refused = agent_call::answered(&world.state, &narrowed, answer, patience).await.unwrap_err();
        assert!(matches!(&refused, Error::Forbidden(text) if text.contains("tasks:delete")), "{refused}");
        assert_eq!(world.status(waits.approval_id).await, ApprovalStatus::Pending);
        assert!(world.has(TaskNumber(1)).await);
        let answered = agent_call::answered(&world.state, &desk, answer, patience);
        let (answered, ()) = tokio::join!(answered, async { worker::settle(&world.state).await.unwrap() });
        answered.unwrap();
        assert!(!world.has(TaskNumber(1)).await);
        let approval = approvals::get(ctx, &world.caller, waits.approval_id).await.unwrap();
        assert_eq!(approval.decided_with.and_then(|by| by.token_id), Some(id));
    }
}

/// Makes the model delete task 1, which needs approval, and then add a task.
fn delete_then_add(world: &mut World) {
    let add: &[(&str, Value)] = &[("add_task", json!({ "title": "milk" }))];
    world.model(&[&[("delete_task", json!({ "task_id": 1 }))], add], "That is that.");
}

#[tokio::test]
async fn calls_after_an_approved_one_have_the_requesters_scopes() {
    for mut world in worlds().await {
        // Requested with a token that may not add; approved in the browser.
        world.task("wash car").await;
        let deletes = world.token(&[Scope::TasksDelete]).await;
        delete_then_add(&mut world);
        let turn = world.say_as(&deletes, "tidy up").await;
        let ran = world.decide_as(&world.caller.clone(), asked(&turn), Verdict::Approve).await.unwrap();
        assert!(!world.has(TaskNumber(1)).await, "{ran:#?}");
        assert!(refusal(&ran).contains("tasks:write"), "{ran:#?}");
        assert_eq!(ran.tool_calls[0].status, CallStatus::Ok);
        assert!(!world.has(TaskNumber(2)).await, "a yes lends no rights to what comes after");
    }
}

#[tokio::test]
async fn an_approved_call_has_the_rights_of_whoever_decided() {
    for mut world in worlds().await {
        // Requested in the browser; approved with a token that may only delete.
        world.task("wash car").await;
        delete_then_add(&mut world);
        let turn = world.say("tidy up").await;
        let deletes = world.token(&[Scope::TasksDelete]).await;
        let ran = world.decide_as(&deletes, asked(&turn), Verdict::Approve).await.unwrap();
        let statuses: Vec<_> = ran.tool_calls.iter().map(|call| call.status).collect();
        assert_eq!(statuses, [CallStatus::Ok, CallStatus::Ok], "{ran:#?}");
        assert!(!world.has(TaskNumber(1)).await && world.has(TaskNumber(2)).await);
    }
}

#[tokio::test]
async fn yes_in_chat_grants_later_calls_no_additional_scopes() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_minute = 0;
        let deletes = world.token(&[Scope::TasksDelete]).await;
        let session = world.caller.clone();
        for (number, asks, answers) in [(1, &deletes, &session), (2, &session, &deletes)] {
            let (task, number) = (world.task("wash car").await, TaskNumber(number));
            assert_eq!(task, number);
            let add: &[(&str, Value)] = &[("add_task", json!({ "title": "milk" }))];
            world.model(&[&[("delete_task", json!({ "task_id": number }))], add], "That is that.");
            let turn = world.say_as(asks, "tidy up").await;
            let ran = world.go_on_as(answers, Some(turn.conversation_id), "yes").await;
            assert!(!world.has(number).await, "{ran:#?}");
            assert!(refusal(&ran).contains("tasks:write"), "{ran:#?}");
        }
    }
}

#[tokio::test]
async fn a_chain_of_requests_keeps_the_rights_of_its_beginning() {
    for mut world in worlds().await {
        for title in ["wash car", "wax car"] {
            world.task(title).await;
        }
        let deletes = world.token(&[Scope::TasksDelete]).await;
        let second: &[(&str, Value)] = &[("delete_task", json!({ "task_id": 2 }))];
        let add: &[(&str, Value)] = &[("add_task", json!({ "title": "milk" }))];
        // A verdict's turn starts with the approved call, so its model continues with the next round.
        world.model(&[&[("delete_task", json!({ "task_id": 1 }))], second], "That is that.");
        let first = world.say_as(&deletes, "tidy up").await;
        let next = world.decide_as(&world.caller.clone(), asked(&first), Verdict::Approve).await.unwrap();
        world.model(&[second, add], "That is that.");
        let last = world.decide_as(&world.caller.clone(), asked(&next), Verdict::Approve).await.unwrap();
        assert!(!world.has(TaskNumber(1)).await && !world.has(TaskNumber(2)).await);
        assert!(refusal(&last).contains("tasks:write"), "{last:#?}");
    }
}
