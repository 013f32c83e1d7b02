//! The checkbox of a task and the button that restores one. All on a page share one form with the common fields.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
#[cfg(feature = "ssr")]
use leptos_router::location::RequestUrl;

#[cfg(feature = "ssr")]
use super::return_to::LONGEST;
use super::{Icon, Shape};
use crate::api::tasks::{Complete, Reopen, Restore, TaskRow};
use crate::domain::task::Status;
use crate::messages::tasks as messages;
use crate::ui::any_view::{Changing, Erase, held};
use crate::ui::derived::kept;
use crate::ui::form_actions::FormActions;
use crate::ui::http;
#[cfg(feature = "ssr")]
use crate::ui::http::account;

/// Id of the shared form. Each button sets the action and the task.
const FORM: &str = "act";

/// The shared form, once per page. Rendered by the server only: the script does not submit it.
#[cfg(feature = "ssr")]
pub fn act_form() -> impl IntoView {
    let url = use_context::<RequestUrl>().unwrap_or_default();
    // Leptos puts a host in front of the path.
    let path = url.as_ref().splitn(4, '/').nth(3).unwrap_or_default();
    let whole = "/".to_owned() + if path.len() > LONGEST { path.split('?').next().unwrap_or_default() } else { path };
    let account = Some(account()).filter(|account| !account.is_empty());
    let account = account.map(|account| view! { <input type="hidden" name="account" value=account/> });
    view! { <form id=FORM method="post" hidden><input type="hidden" name="return_to" value=whole/> {account}</form> }
}

/// The checkbox of a task: one button whose action follows the state, so that it keeps the focus.
pub fn check(row: Signal<TaskRow>, label: Changing<String>) -> impl IntoView {
    let acts = FormActions::current();
    let number = row.with_untracked(|row| row.task.task_id.to_string());
    let stored = kept(move || row.with(|row| (row.task.status == Status::Completed, row.task.version)));
    // Version at which the checkbox was pressed. Until the list is newer, it shows the requested state.
    let pressed_at = RwSignal::new(None::<i64>);
    let waiting = move || pressed_at.get() == Some(stored.get().1);
    let done = move || stored.get().0 != waiting();
    let form = http::form(&[("task_id", &number)]);
    let send = move |event: MouseEvent| {
        event.prevent_default();
        let (completed, version) = stored.get_untracked();
        if pressed_at.get_untracked() == Some(version) {
            return;
        }
        pressed_at.set(Some(version));
        acts.post(if completed { Reopen::PATH } else { Complete::PATH }, form.clone(), move |answer| {
            if answer.is_err() {
                // The row may be gone by now.
                pressed_at.try_set(None);
            }
        });
    };
    let priority =
        held(move || row.with(|row| format!("task-item__check task-item__check--{}", row.task.priority.as_str())));
    view! {
        <button class=priority role="checkbox" data-keys="e" form=FORM name="task_id" value=number
            formaction=held(move || if stored.get().0 { Reopen::url() } else { Complete::url() })
            aria-checked=held(move || done().to_string()) aria-label=label on:click=send>
            <span class="task-item__ring"></span>
        </button>
    }
    .erase()
}

pub fn restore_button(row: Signal<TaskRow>) -> impl IntoView {
    let acts = FormActions::current();
    let number = row.with_untracked(|row| row.task.task_id.to_string());
    let form = http::form(&[("task_id", &number)]);
    let send = move |event: MouseEvent| {
        event.prevent_default();
        acts.post(Restore::PATH, form.clone(), |_| ());
    };
    view! {
        <button class="task-item__restore button" form=FORM name="task_id" value=number formaction=Restore::url() on:click=send
            aria-label=held(move || row.with(|row| messages::restore(row.task.title.as_str())))>
            <Icon shape=Shape::Undo/> {messages::RESTORE}
        </button>
    }
    .erase()
}
