//! A task's row in a list: the checkbox, the line and the editor.

use leptos::prelude::*;

use super::row_editor::{Editing, move_form};
use super::task_check::{check, restore_button};
use super::task_line::{Now, TaskLine};
use super::{Icon, Shape};
use crate::api::tasks::TaskRow;
use crate::domain::id::TaskNumber;
use crate::domain::task::Status;
use crate::messages::tasks as messages;
use crate::ui::address::here;
use crate::ui::any_view::{Erase, held, part, whole};
use crate::ui::derived::kept;
use crate::ui::live::Live;

/// The row keeps its elements while `row` changes, so that focus and an open form survive updates. A `brief` row links
/// to its task, whose full row may be on the same page.
#[component]
pub fn TaskItem(#[prop(into)] row: Signal<TaskRow>, brief: bool) -> impl IntoView {
    let number = row.with_untracked(|row| row.task.task_id);
    let done = held(move || row.with(|row| row.task.status == Status::Completed));
    // A memo, or any update of the row would rebuild the form.
    let binned = kept(move || row.with(|row| row.task.deleted_at.is_some()));
    // True if the row has neighbours to change places with.
    let sorted = kept(move || row.with(|row| row.above.or(row.below).is_some()));
    let proposed = kept(move || row.with(|row| row.proposed).filter(|_| !brief));
    let elsewhere = Live::current().elsewhere;
    let told = kept(move || elsewhere.of(number).filter(|_| !brief));
    let editing = Editing::new(row);
    let seen = kept(move || editing.seen());
    let now = move || match told.get() {
        _ if editing.is_saving() => Now::Saving,
        Some(change) => Now::ChangedBy(change.actor, change.who),
        None => Now::Still,
    };
    view! {
        <li class="task-item" data-row="" class=("task-item--done", done) class=("task-item--changed", held(move || told.get().is_some())) id=(!brief).then(|| format!("task-{number}"))
            on:focusin=move |_| editing.come_near()>
            {(!brief).then(|| view! {
                <input class="task-item__select" type="checkbox" data-keys="x" form="bulk" name="task_ids" value=number.to_string()
                    aria-label=held(move || row.with(|row| messages::select(row.task.title.as_str())))/>
            })}
            {part(move || (!brief && sorted.get()).then(|| view! {
                <span class="task-item__grip" aria-hidden="true" title=messages::DRAG_TO_ANOTHER_PLACE></span>
            }))}
            {whole(move || if binned.get() {
                restore_button(row).erase()
            } else {
                check(row, held(move || row.with(|row| messages::done(row.task.title.as_str())))).erase()
            })}
            {whole(move || {
                let line = view! { <TaskLine row=seen now=Signal::derive(now) brief/> };
                if binned.get() || brief {
                    view! { <div class="task-item__line">{line}</div> }.erase()
                } else {
                    view! {
                        <details class="task-item__details" node_ref=editing.details on:toggle=move |_| editing.toggle()>
                            <summary class="task-item__line">{line} <span class="task-item__more"><Icon shape=Shape::Chevron/></span></summary>
                            <Behind editing number/>
                        </details>
                    }.erase()
                }
            })}
            {part(move || proposed.get().map(|id| view! {
                <a class="task-item__proposed" href=format!("/approvals/{id}")><Icon shape=Shape::Clock/> {messages::WAITS_FOR_YOUR_YES}</a>
            }))}
        </li>
    }
    .erase()
}

/// The editor once it is needed; until then, and without a script, a link to the task's page.
#[component]
fn Behind(editing: Editing, number: TaskNumber) -> impl IntoView {
    let address = here();
    let near = editing.near;
    view! {
        {part(move || near.get().then(|| editing.form()))}
        <div class="task-item__foot">
            {part(move || near.get().then(|| move_form(editing.row, number)))}
            <a class="task-item__past" href=held(move || address.with(|here| here.task(number)))>
                {held(move || if near.get() { messages::HISTORY } else { messages::EDIT_AND_HISTORY })}
            </a>
        </div>
    }
    .erase()
}
