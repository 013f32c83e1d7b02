//! What a person can do from any page, and what is said about it. One action each for the whole application, so that
//! a list of two hundred rows does not carry a thousand of them.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::live::Live;
use super::toaster::Toaster;
use crate::api::ApiError;
use crate::api::approvals::{Decide, Decided};
use crate::api::tasks::{Add, Complete, Delete, Reopen, Restore, TaskRow, Undo, Update};

/// The actions, from context.
#[derive(Clone, Copy)]
pub struct Acts {
    pub add: ServerAction<Add>,
    pub update: ServerAction<Update>,
    pub complete: ServerAction<Complete>,
    pub reopen: ServerAction<Reopen>,
    pub delete: ServerAction<Delete>,
    pub restore: ServerAction<Restore>,
    pub undo: ServerAction<Undo>,
    pub decide: ServerAction<Decide>,
}

impl Acts {
    pub fn provide(live: Live, toaster: Toaster) -> Self {
        let acts = Self {
            add: ServerAction::new(),
            update: ServerAction::new(),
            complete: ServerAction::new(),
            reopen: ServerAction::new(),
            delete: ServerAction::new(),
            restore: ServerAction::new(),
            undo: ServerAction::new(),
            decide: ServerAction::new(),
        };
        let said = |verb: &'static str| {
            move |row: &TaskRow| {
                toaster.say(format!("{verb} “{}”.", row.task.title), row.change_id.map(|id| id.to_string()));
            }
        };
        follow(acts.add, live, toaster, said("Added"));
        follow(acts.update, live, toaster, said("Saved"));
        follow(acts.complete, live, toaster, said("Completed"));
        follow(acts.reopen, live, toaster, said("Reopened"));
        follow(acts.delete, live, toaster, said("Moved to the bin:"));
        follow(acts.restore, live, toaster, said("Restored"));
        follow(acts.undo, live, toaster, move |rows: &Vec<TaskRow>| {
            let titles = rows.iter().map(|row| format!("“{}”", row.task.title)).collect::<Vec<_>>().join(", ");
            toaster.say(format!("Undone: {titles}."), None);
        });
        follow(acts.decide, live, toaster, move |decided: &Decided| {
            toaster.say(decided.view.decided_label.clone().unwrap_or_default(), None);
        });
        provide_context(acts);
        acts
    }

    pub fn current() -> Self {
        expect_context()
    }
}

/// Says how each run of an action ended, and has the lists read again.
fn follow<F, T>(action: ServerAction<F>, live: Live, toaster: Toaster, say: impl Fn(&T) + 'static)
where
    F: ServerFn<Output = T, Error = ApiError> + Clone + Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    let value = action.value();
    Effect::new(move || {
        value.with(|value| match value {
            Some(Ok(done)) => {
                say(done);
                live.refresh();
            }
            Some(Err(error)) => {
                toaster.fail(error);
                live.refresh();
            }
            None => {}
        });
    });
}
