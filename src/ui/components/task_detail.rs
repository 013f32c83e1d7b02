//! One task at its own address: its fields and its history.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::row_editor::move_form;
use super::task_check::check;
use super::{Each, EmptyState, Icon, ReturnTo, Shape, TaskForm};
use crate::api::flash::Flash;
use crate::api::tasks::{PastLine, Restore, TaskLife, TaskRow, Undo, Update};
use crate::domain::id::TaskNumber;
use crate::domain::task::Actor;
use crate::messages::tasks as messages;
use crate::ui::any_view::{Erase, held, part, whole};
use crate::ui::browser;
use crate::ui::derived::{Kept, kept, latest};
use crate::ui::fetch::Fetch;
use crate::ui::form_actions::FormActions;
use crate::ui::session::Session;

/// `found` is read inside the surrounding `Transition`; `back` leads to the list, in which `listed` is the task's row.
#[component]
pub fn TaskDetail(
    found: Fetch<TaskLife>,
    #[prop(into)] back: Signal<String>,
    listed: Signal<Option<TaskRow>>,
) -> impl IntoView {
    let life = move || found.ok();
    view! {
        <aside class="task-detail sheet" aria-label=messages::ONE_TASK>
            <a class="task-detail__close button button--quiet" href=back data-keys="Escape"><Icon shape=Shape::Cross/> {messages::CLOSE}</a>
            {part(move || found.error().map(|error| view! {
                <EmptyState shape=Shape::Search title=messages::NO_SUCH_TASK>{error.message}</EmptyState>
            }))}
            <Each each=move || life().into_iter().collect() key=|life| life.task.task.task_id let:first>
                {
                    let shown = latest(first, life);
                    view! { <Sheet life=shown listed/> }
                }
            </Each>
        </aside>
    }
    .erase()
}

#[component]
fn Sheet(life: Kept<TaskLife>, listed: Signal<Option<TaskRow>>) -> impl IntoView {
    let row = kept(move || life.with(|life| life.task.clone()));
    let binned = kept(move || row.with(|row| row.task.deleted_at.is_some()));
    // Updates do not overwrite what is being typed.
    let typing = RwSignal::new(false);
    let shown = latest(row.get_untracked(), move || (!typing.get()).then(|| row.get()));
    let typed = move |touched: bool| {
        if !touched {
            // A deferred update may replace the focused element.
            browser::keep_focus();
        }
        typing.set(touched);
    };
    let saved = move || {
        typing.try_set(false);
        browser::focus(".task-detail__title");
    };
    let number = row.with_untracked(|row| row.task.task_id);
    view! {
        <div class="task-detail__head">
            {part(move || (!binned.get()).then(|| check(Signal::derive(move || row.get()), held(|| messages::DONE.to_owned()))))}
            <h2 class="task-detail__title" tabindex="-1">
                {held(move || row.with(|row| row.task.title.to_string()))} " " <span class="task-item__number">"#"{number.to_string()}</span>
            </h2>
        </div>
        {whole(move || if binned.get() { view! { <Binned number/> }.erase() } else {
            let refused = refused(number);
            view! {
                {held(move || view! { <TaskForm place="detail" row=shown.get() refused=refused.clone() on_saved=saved on_typed=typed/> }.erase_lasting())}
            }.erase()
        })}
        // With a script, the row in the list is dragged instead.
        {part(move || listed.get().map(|row| move_form(Signal::stored(row), number)))}
        <h3 class="task-detail__heading">{messages::HISTORY}</h3>
        <ol class="task-detail__past">
            <Each each=move || life.with(|life| life.past.clone()) key=|line| (line.change_id, line.undone, line.can_undo) let:line>
                <Line line/>
            </Each>
        </ol>
    }
    .erase()
}

/// Returns the flash of a refused plain form for this task.
fn refused(number: TaskNumber) -> Option<Flash> {
    let flash = Session::current().flash();
    (flash.typed(Update::PATH, "task_id") == Some(number.to_string())).then_some(flash)
}

#[component]
fn Binned(number: TaskNumber) -> impl IntoView {
    let acts = FormActions::current();
    view! {
        <p class="task-detail__note">{messages::IN_THE_BIN}</p>
        <form method="post" action=Restore::url() on:submit=move |event| acts.submit(event)>
            <input type="hidden" name="task_id" value=number.to_string()/>
            <ReturnTo/>
            <button class="button"><Icon shape=Shape::Undo/> {messages::RESTORE}</button>
        </form>
    }
    .erase()
}

/// One change. One that cannot be undone alone has no button: the later change that blocks it has one.
#[component]
fn Line(line: PastLine) -> impl IntoView {
    let acts = FormActions::current();
    let agent = matches!(line.by, Actor::Agent | Actor::External);
    let shape = if agent { Shape::Agent } else { Shape::Dot };
    let undo = line.can_undo.then(|| {
        let label = messages::undo_of(&line.what, &line.at_label);
        view! {
            <form method="post" action=Undo::url() on:submit=move |event| acts.submit(event)>
                <input type="hidden" name="change_id" value=line.change_id.to_string()/>
                <ReturnTo/>
                <button class="receipt-line__undo" aria-label=label><Icon shape=Shape::Undo/> {messages::UNDO}</button>
            </form>
        }
    });
    let changes = line.changes.into_iter().map(|change| {
        view! { <span class="task-detail__change">{change.field} ": " {change.before} " → " {change.after}</span> }
    });
    let story = line.turn_id.map(|turn| view! { <a href=format!("/audit/{turn}")>{messages::WHY}</a> });
    view! {
        <li class="task-detail__line" class=("task-detail__line--agent", agent) class=("task-detail__line--undone", line.undone)>
            <Icon shape/>
            <p class="task-detail__what">
                {line.undone.then_some(messages::UNDONE)} {line.what} " " {story}
                {changes.collect_view()}
                <span class="task-detail__at">{line.at_label}</span>
            </p>
            {undo}
        </li>
    }
    .erase()
}
