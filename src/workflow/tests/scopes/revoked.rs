//! Tests of tokens revoked or narrowed while a turn waits, runs, or is resumed by another process.

use super::*;
use crate::store::testing;
use crate::usecases::accounts::revoke_token;

impl World {
    /// Accepts a message of this caller without starting its turn.
    async fn waits(&self, caller: &Caller, text: &str) -> crate::domain::id::TurnId {
        let places: Vec<_> = std::iter::from_fn(|| self.state.try_turn_slot()).collect();
        let incoming = IncomingMessage { text: text.into(), conversation: None, client_key: None };
        let accepted = inbox::accept(&self.state, caller, incoming).await.unwrap();
        drop(places);
        accepted.turn
    }

    /// Changes the scopes of the caller's token in the database; there is no command for it.
    async fn set_scopes(&self, caller: &Caller, scopes: &[Scope]) {
        let id = caller.program.as_ref().unwrap().token_id;
        let mut tx = self.state.ctx.write().await.unwrap();
        let scopes = Scope::write_list(scopes);
        let id = if self.state.ctx.store.is_embedded() { format!("x'{}'", id.0.simple()) } else { format!("'{id}'") };
        let sql = format!("UPDATE tokens SET scopes = '{scopes}' WHERE id = {id}");
        assert_eq!(testing::run(&mut tx, &sql).await, 1);
        self.state.ctx.commit(tx).await.unwrap();
    }
}

#[tokio::test]
async fn queued_turn_is_refused_once_its_token_is_revoked() {
    for world in worlds().await {
        let token = world.token(&TASKS).await;
        let turn = world.waits(&token, "add milk").await;
        revoke_token(&world.state.ctx, token.program.as_ref().unwrap().token_id).await.unwrap();
        worker::settle(&world.state).await.unwrap();
        let turn = inbox::wait(&world.state, &world.caller, turn).await.unwrap();
        ended(&turn, DecisionKind::Refuse, Outcome::OutOfScope);
        assert_eq!(turn.reply.as_deref(), Some("The token “phone” was revoked, so this request was stopped."));
        assert!(turn.tool_calls.is_empty() && !world.has(TaskNumber(1)).await);
    }
}

#[tokio::test]
async fn queued_verdict_runs_nothing_once_its_token_is_revoked() {
    for mut world in worlds().await {
        world.task("wash car").await;
        let asked = world.say("delete task 1").await;
        let token = world.token(&TASKS).await;
        let places: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
        let id = asked.approval.unwrap().approval_id;
        let decided =
            inbox::decide(&world.state, &token, id, Verdict::Approve, DecidedVia::Api, None).await.unwrap().turn;
        drop(places);
        revoke_token(&world.state.ctx, token.program.as_ref().unwrap().token_id).await.unwrap();
        worker::settle(&world.state).await.unwrap();
        let turn = inbox::wait(&world.state, &world.caller, decided).await.unwrap();
        ended(&turn, DecisionKind::Refuse, Outcome::OutOfScope);
        assert!(world.has(TaskNumber(1)).await);
    }
}

#[tokio::test]
async fn turn_runs_with_scopes_reduced_since_it_was_queued() {
    for world in worlds().await {
        world.task("wash car").await;
        let token = world.token(&TASKS).await;
        let (waits, all) = (world.waits(&token, "complete task 1").await, token.scopes.clone());
        world.set_scopes(&token, &[Scope::Chat, Scope::TasksRead]).await;
        // Another process knows only the database.
        let replica = world.replica().await;
        worker::settle(&replica).await.unwrap();
        let turn = inbox::wait(&replica, &world.caller, waits).await.unwrap();
        assert!(refusal(&turn).contains("tasks:write"), "{turn:#?}");
        world.set_scopes(&token, &all).await;
        let task = tasks::get(&world.state.ctx, &world.caller, TaskNumber(1)).await.unwrap();
        assert_eq!(task.status, Status::Pending);
    }
}

#[tokio::test]
async fn approved_call_is_refused_once_the_deciders_scope_is_removed() {
    for mut world in worlds().await {
        world.task("wash car").await;
        world.model(&[&[("delete_task", json!({ "task_id": 1 }))]], "That is that.");
        let asked = world.say("tidy up").await;
        let token = world.token(&TASKS).await;
        let places: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
        let id = asked.approval.unwrap().approval_id;
        let decided =
            inbox::decide(&world.state, &token, id, Verdict::Approve, DecidedVia::Api, None).await.unwrap().turn;
        drop(places);
        world.set_scopes(&token, &[Scope::Chat, Scope::TasksRead, Scope::TasksWrite]).await;
        worker::settle(&world.state).await.unwrap();
        let turn = inbox::wait(&world.state, &world.caller, decided).await.unwrap();
        assert!(refusal(&turn).contains("tasks:delete"), "{turn:#?}");
        world.set_scopes(&token, &token.scopes.clone()).await;
        assert!(world.has(TaskNumber(1)).await);
    }
}

#[tokio::test]
async fn approved_request_of_a_revoked_token_runs_without_later_calls() {
    for mut world in worlds().await {
        world.task("wash car").await;
        let token = world.token(&TASKS).await;
        let add: &[(&str, Value)] = &[("add_task", json!({ "title": "milk" }))];
        world.model(&[&[("delete_task", json!({ "task_id": 1 }))], add], "That is that.");
        let asked = world.say_as(&token, "tidy up").await;
        revoke_token(&world.state.ctx, token.program.as_ref().unwrap().token_id).await.unwrap();
        let ran = world.press(&asked, Verdict::Approve).await.unwrap();
        ended(&ran, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert!(!world.has(TaskNumber(1)).await && !world.has(TaskNumber(2)).await, "{ran:#?}");
        let reply = ran.reply.as_deref().unwrap();
        assert_eq!(reply, "Deleted task: wash car (#1)\nThe token “phone” was revoked, so this request was stopped.");
    }
}

#[tokio::test]
async fn turn_taken_over_from_a_dead_worker_keeps_token_scopes() {
    for mut world in worlds().await {
        world.task("wash car").await;
        let writes = world.token(&[Scope::TasksWrite]).await;
        world.model(&[&[("delete_task", json!({ "task_id": 1 }))]], "That is that.");
        let id = world.waits(&writes, "tidy up").await;
        // A worker claims it and dies.
        let mut tx = world.state.ctx.write().await.unwrap();
        let taken = store::turns::claim(&mut tx, 0).await.unwrap().unwrap();
        world.state.ctx.commit(tx).await.unwrap();
        assert_eq!((taken.id, taken.starter.unwrap().token_id), (id, writes.program.as_ref().map(|it| it.token_id)));
        let mut tx = world.state.ctx.write().await.unwrap();
        store::turns::take_over(&mut tx).await.unwrap();
        world.state.ctx.commit(tx).await.unwrap();
        worker::settle(&world.state).await.unwrap();
        let turn = inbox::wait(&world.state, &world.caller, id).await.unwrap();
        assert!(refusal(&turn).contains("tasks:delete"), "{turn:#?}");
        assert!(world.has(TaskNumber(1)).await);
    }
}

#[tokio::test]
async fn queued_yes_decides_nothing_once_its_token_loses_chat_scope() {
    for mut world in worlds().await {
        world.task("wash car").await;
        let asked = world.say("delete task 1").await;
        let token = world.token(&TASKS).await;
        let places: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
        let incoming = IncomingMessage { text: "yes".into(), conversation: world.conversation, client_key: None };
        let yes = inbox::accept(&world.state, &token, incoming).await.unwrap().turn;
        drop(places);
        world.set_scopes(&token, &TASKS).await;
        worker::settle(&world.state).await.unwrap();
        let turn = inbox::wait(&world.state, &world.caller, yes).await.unwrap();
        ended(&turn, DecisionKind::Refuse, Outcome::OutOfScope);
        assert!(turn.reply.as_deref().unwrap().contains("scope chat"), "{turn:#?}");
        world.set_scopes(&token, &token.scopes.clone()).await;
        let id = asked.approval.unwrap().approval_id;
        let approval = approvals::get(&world.state.ctx, &world.caller, id).await.unwrap();
        assert_eq!(approval.status, ApprovalStatus::Pending);
    }
}
