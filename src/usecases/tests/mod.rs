//! Tests of use cases on every available database.

use std::ops::Deref;
use std::time::Instant;

use super::testing::{self, add, person, titled};
use super::{By, Ctx, Error, Tx, invocations};
use crate::domain::id::{ConversationId, InvocationId, TaskNumber, TurnId};
use crate::domain::tool::{CallResult, CallStatus, Risk, ToolName};
use crate::domain::turn::{Cause, Invocation};
use crate::domain::user::Caller;
use crate::store;

mod accounts;
mod bin;
mod checkpoints;
mod choices;
mod clocks;
mod concurrency;
mod histories;
mod import;
mod imported_rows;
mod order;
mod reauthentication;
mod record;
mod recurrence;
mod sessions;
mod spending;
mod tasks;
mod tokens;
mod undo;

/// Runs a mutating use case in a separate transaction.
macro_rules! done {
    ($ctx:expr, |$tx:ident| $call:expr) => {{
        let mut transaction = $ctx.write().await.unwrap();
        let $tx = &mut transaction;
        let result = $call.await;
        if result.is_ok() {
            $ctx.commit(transaction).await.unwrap();
        }
        result
    }};
}
use done;

/// A context that checks invariants on drop.
struct Checked(Ctx);

impl Deref for Checked {
    type Target = Ctx;

    fn deref(&self) -> &Ctx {
        &self.0
    }
}

impl Drop for Checked {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            store::testing::assert_invariants(&self.0.store);
        }
    }
}

/// Returns a new context on each available database, with its name for messages.
async fn ctxs() -> Vec<(&'static str, Checked)> {
    testing::ctxs().await.into_iter().map(|(db, ctx)| (db, Checked(ctx))).collect()
}

/// Inserts an agent's turn with that many successful calls at step 0; the test makes their changes.
async fn turn_in(ctx: &Ctx, tx: &mut Tx, caller: &Caller, calls: i32) -> TurnId {
    let (user, conversation, at) = (caller.id(), ConversationId::random(), ctx.now());
    store::conversations::create(tx, user, conversation, "tidy up", &at).await.unwrap();
    let new = store::turns::NewTurn {
        conversation,
        cause: Cause::Mcp,
        approval: None,
        client_key: None,
        lease_ms: None,
        starter: None,
    };
    let turn = store::turns::insert(tx, user, &new, &at).await.unwrap().id;
    for index in 0..calls {
        let row = Invocation {
            id: InvocationId { turn, step: 0, index },
            tool: Some(ToolName::UpdateTask),
            called_as: "update_task".into(),
            risk: Risk::Medium,
            arguments: serde_json::json!({}),
            result: CallResult { status: CallStatus::Ok, value: serde_json::json!({}) },
            approval_id: None,
            preview: vec![],
            duration_ms: 0,
            by: None,
            at: at.clone(),
        };
        invocations::write(ctx, tx, caller, row, Instant::now()).await.unwrap();
    }
    turn
}

/// Inserts an agent's turn as [`turn_in`] does, and commits.
async fn turn(ctx: &Ctx, caller: &Caller, calls: i32) -> TurnId {
    let mut tx = ctx.write().await.unwrap();
    let turn = turn_in(ctx, &mut tx, caller, calls).await;
    ctx.commit(tx).await.unwrap();
    turn
}

const ONE: TaskNumber = TaskNumber(1);

#[track_caller]
fn not_found<T: std::fmt::Debug>(result: Result<T, Error>, text: &str) {
    match result {
        Err(Error::NotFound(found)) => assert_eq!(found, text),
        other => panic!("expected not found, got {other:?}"),
    }
}

#[track_caller]
fn conflict<T: std::fmt::Debug>(result: Result<T, Error>, text: &str) {
    match result {
        Err(Error::Conflict(found)) => assert_eq!(found, text),
        other => panic!("expected a conflict, got {other:?}"),
    }
}
