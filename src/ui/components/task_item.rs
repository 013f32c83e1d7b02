//! One task of a list: the check, the line, and the form behind it.

use leptos::html::Details;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::task_form::Typed;
use super::task_line::{Now, TaskLine};
use super::{Icon, ReturnTo, Shape, TaskForm};
use crate::api::flash::Flash;
use crate::api::tasks::{Complete, MoveTask, Reopen, Restore, TaskRow, Update};
use crate::domain::id::TaskNumber;
use crate::domain::task::Status;
use crate::ui::acts::Acts;
use crate::ui::address::here;
use crate::ui::browser;
use crate::ui::erase::{Changing, Erase, held, part, whole};
use crate::ui::kept::{kept, latest};
use crate::ui::live::Live;
use crate::ui::session::Session;
use crate::words::tasks as words;

/// The row keeps its place in the document while `row` changes, so that focus and an open form survive news. A `brief` one
/// leads to its task, whose own row may stand beside it on the page.
#[component]
pub fn TaskItem(#[prop(into)] row: Signal<TaskRow>, brief: bool) -> impl IntoView {
    let number = row.with_untracked(|row| row.task.task_id);
    let address = here();
    let details = NodeRef::<Details>::new();
    let done = held(move || row.with(|row| row.task.status == Status::Completed));
    // Kept, or any news of the row would make the form anew.
    let binned = kept(move || row.with(|row| row.task.deleted_at.is_some()));
    // It has neighbours that it can change places with.
    let sorted = kept(move || row.with(|row| row.above.or(row.below).is_some()));
    let proposed = kept(move || row.with(|row| row.proposed).filter(|_| !brief));
    let elsewhere = Live::current().elsewhere;
    let told = kept(move || elsewhere.of(number).filter(|_| !brief));
    let editing = Editing { row, details, edited: RwSignal::new(None), saving: RwSignal::new(false) };
    let seen = kept(move || editing.seen());
    let now = move || match told.get() {
        _ if editing.saving.get() => Now::Saving,
        Some(change) => Now::ChangedBy(change.actor, change.who),
        None => Now::Still,
    };
    let toggled = RwSignal::new(());
    // An open form keeps what is being typed, and so does one that may come back; news wait until it is closed and saved.
    let shown = latest(row.get_untracked(), move || {
        toggled.track();
        let (news, saving) = (row.get(), editing.saving.get());
        (!saving && !details.get_untracked().is_some_and(|details| details.open())).then_some(news)
    });
    view! {
        <li class="task-item" data-row="" class=("task-item--done", done) class=("task-item--changed", held(move || told.get().is_some())) id=(!brief).then(|| format!("task-{number}"))>
            {(!brief).then(|| view! {
                <input class="task-item__select" type="checkbox" data-keys="x" form="bulk" name="task_ids" value=number.to_string()
                    aria-label=held(move || row.with(|row| words::select(row.task.title.as_str())))/>
            })}
            {part(move || (!brief && sorted.get()).then(|| view! {
                <span class="task-item__grip" aria-hidden="true" title=words::DRAG_TO_ANOTHER_PLACE><Icon shape=Shape::Grip/></span>
            }))}
            {whole(move || if binned.get() { restore_button(row).erase() } else { row_check(row).erase() })}
            {whole(move || {
                let line = view! { <TaskLine row=seen now=Signal::derive(now) brief/> };
                if binned.get() || brief {
                    view! { <div class="task-item__line">{line}</div> }.erase()
                } else {
                    let refused = refused(number.to_string());
                    let open = refused.is_some();
                    view! {
                        <details class="task-item__details" node_ref=details open=open on:toggle=move |_| toggled.notify()>
                            <summary class="task-item__line">{line} <span class="task-item__more"><Icon shape=Shape::Chevron/></span></summary>
                            {held(move || view! { <TaskForm place="task" row=shown.get() refused=refused.clone() on_saved=move || editing.saved() on_sent=move |typed| editing.sent(typed)/> }.erase_lasting())}
                            <div class="task-item__foot">
                                {move_form(row, number)}
                                <a class="task-item__past" href=held(move || address.with(|here| here.task(number)))><Icon shape=Shape::Clock/> {words::HISTORY}</a>
                            </div>
                        </details>
                    }.erase()
                }
            })}
            {part(move || proposed.get().map(|id| view! {
                <a class="task-item__proposed" href=format!("/approvals/{id}")><Icon shape=Shape::Clock/> {words::WAITS_FOR_YOUR_YES}</a>
            }))}
        </li>
    }
    .erase()
}

/// What the row's form asked for: the row shows it at once, and the form comes back where it was refused.
#[derive(Clone, Copy)]
struct Editing {
    row: Signal<TaskRow>,
    details: NodeRef<Details>,
    /// What was typed, and the version of the row by then.
    edited: RwSignal<Option<(i64, Typed)>>,
    saving: RwSignal<bool>,
}

impl Editing {
    /// The row as it is to be seen.
    fn seen(self) -> TaskRow {
        let mut row = self.row.get();
        self.edited.with(|edited| match edited {
            Some((version, typed)) if *version == row.task.version => typed.show(&mut row.task),
            _ => {}
        });
        row
    }

    /// The form went out, or came back.
    fn sent(self, typed: Option<Typed>) {
        // The row may be gone when the answer comes.
        let Some(task) = self.row.try_with_untracked(|row| row.task.clone()) else { return };
        let refused = typed.is_none();
        if !refused {
            self.saving.try_set(true);
        }
        self.edited.try_set(typed.map(|typed| (task.version, typed)));
        if let Some(details) = self.details.try_get_untracked().flatten() {
            let was_open = details.open();
            details.set_open(refused);
            if was_open && !refused {
                browser::focus(&format!("[id=task-{}] summary", task.task_id));
            }
        }
        // Once it is open again, or news would take its place.
        if refused {
            self.saving.try_set(false);
        }
    }

    fn saved(self) {
        self.saving.try_set(false);
    }
}

/// The answer to a plain form about this task that was refused.
fn refused(number: String) -> Option<Flash> {
    let flash = Session::current().flash();
    (flash.typed(Update::PATH, "task_id") == Some(number)).then_some(flash)
}

fn row_check(row: Signal<TaskRow>) -> impl IntoView {
    check(row, held(move || row.with(|row| words::done(row.task.title.as_str()))))
}

/// The round check of a task. It is one form with one button, whose target follows the state, so that it keeps the focus.
pub fn check(row: Signal<TaskRow>, label: Changing<String>) -> impl IntoView {
    let acts = Acts::current();
    let number = row.with_untracked(|row| row.task.task_id.to_string());
    let stored = kept(move || row.with(|row| (row.task.status == Status::Completed, row.task.version)));
    // The version at which the check was pressed: until the list is newer, the check shows what was asked for.
    let pressed_at = RwSignal::new(None::<i64>);
    let waiting = move || pressed_at.get() == Some(stored.get().1);
    let done = move || stored.get().0 != waiting();
    let send = move |event: leptos::ev::SubmitEvent| {
        let version = stored.get_untracked().1;
        if pressed_at.get_untracked() == Some(version) {
            event.prevent_default();
            return;
        }
        pressed_at.set(Some(version));
        acts.send_then(event, move |answer| {
            if answer.is_err() {
                // The row may be gone by now.
                pressed_at.try_set(None);
            }
        });
    };
    let priority =
        held(move || row.with(|row| format!("task-item__check task-item__check--{}", row.task.priority.as_str())));
    view! {
        <form class="task-item__tick" method="post"
            action=held(move || if stored.get().0 { Reopen::url() } else { Complete::url() }) on:submit=send>
            <input type="hidden" name="task_id" value=number/>
            <ReturnTo/>
            <button class=priority role="checkbox" data-keys="e" aria-checked=held(move || done().to_string())
                aria-label=label>
                <span class="task-item__ring"><Icon shape=Shape::Check/></span>
            </button>
        </form>
    }
    .erase()
}

/// Buttons that put the row before the one above it, or behind the one below. The list shows that at once.
fn move_form(row: Signal<TaskRow>, number: TaskNumber) -> impl IntoView {
    let above = kept(move || row.with(|row| row.above));
    let below = kept(move || row.with(|row| row.below));
    let value = |number: Option<TaskNumber>| number.map(|number| number.to_string());
    view! {
        <form class="task-item__move" method="post" action=MoveTask::url() hidden=held(move || above.get().or(below.get()).is_none())>
            <input type="hidden" name="task_id" value=number.to_string()/>
            <ReturnTo/>
            <button class="task-item__past" name="before" data-keys="K" value=held(move || value(above.get()))
                disabled=held(move || above.get().is_none())>
                <Icon shape=Shape::Up/> {words::MOVE_UP}
            </button>
            <button class="task-item__past" name="after" data-keys="J" value=held(move || value(below.get()))
                disabled=held(move || below.get().is_none())>
                <Icon shape=Shape::Down/> {words::MOVE_DOWN}
            </button>
        </form>
    }
    .erase()
}

fn restore_button(row: Signal<TaskRow>) -> impl IntoView {
    let acts = Acts::current();
    let number = row.with_untracked(|row| row.task.task_id.to_string());
    view! {
        <form class="task-item__restore" method="post" action=Restore::url() on:submit=move |event| acts.send(event)>
            <input type="hidden" name="task_id" value=number/>
            <ReturnTo/>
            <button class="button" aria-label=held(move || row.with(|row| words::restore(row.task.title.as_str())))>
                <Icon shape=Shape::Undo/> {words::RESTORE}
            </button>
        </form>
    }
    .erase()
}
