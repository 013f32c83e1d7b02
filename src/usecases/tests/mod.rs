//! Use cases on every database at hand.

use super::testing::{add, ctxs, person, titled};
use super::{By, Ctx, Error};
use crate::domain::id::TaskNumber;

mod accounts;
mod bin;
mod concurrency;
mod histories;
mod record;
mod recurrence;
mod tasks;
mod undo;

/// Runs one mutating use case in a transaction of its own.
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
