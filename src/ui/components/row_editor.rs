//! The editor of a row. It is built once the row gets the focus or a press, so that a long list contains no forms.

use leptos::html::Details;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::task_form::Typed;
use super::{Icon, ReturnTo, Shape, TaskForm};
use crate::api::tasks::{MoveTask, TaskRow};
use crate::domain::id::TaskNumber;
use crate::messages::tasks as messages;
use crate::ui::any_view::{Erase, Piece, held};
use crate::ui::browser;
use crate::ui::derived::{kept, latest};

/// Optimistic editing of a row: it shows the submitted values at once, and a refused form reopens.
#[derive(Clone, Copy)]
pub struct Editing {
    pub row: Signal<TaskRow>,
    pub details: NodeRef<Details>,
    /// True once the row got the focus or a press.
    pub near: RwSignal<bool>,
    toggled: RwSignal<()>,
    /// The submitted values, and the row's version at that time.
    edited: RwSignal<Option<(i64, Typed)>>,
    saving: RwSignal<bool>,
}

impl Editing {
    pub fn new(row: Signal<TaskRow>) -> Self {
        let details = NodeRef::<Details>::new();
        let near = RwSignal::new(false);
        // The details may have been opened before hydration.
        Effect::new(move |_| {
            if details.get().is_some_and(|details| details.open()) {
                come_near(near);
            }
        });
        Self {
            row,
            details,
            near,
            toggled: RwSignal::new(()),
            edited: RwSignal::new(None),
            saving: RwSignal::new(false),
        }
    }

    /// Handles opening and closing of the details.
    pub fn toggle(self) {
        self.come_near();
        self.toggled.notify();
    }

    /// Handles focus or a press on the row.
    pub fn come_near(self) {
        come_near(self.near);
    }

    pub fn is_saving(self) -> bool {
        self.saving.get()
    }

    /// Returns the form of the task. Updates wait while it is open or being saved, so that typed text is not lost.
    pub fn form(self) -> Piece {
        let shown = latest(self.row.get_untracked(), move || {
            self.toggled.track();
            let (news, saving) = (self.row.get(), self.saving.get());
            (!saving && !self.details.get_untracked().is_some_and(|details| details.open())).then_some(news)
        });
        let form = move || {
            view! { <TaskForm place="task" row=shown.get() refused=None on_saved=move || self.saved() on_sent=move |typed| self.sent(typed)/> }
                .erase_lasting()
        };
        view! { {held(form)} }.erase()
    }

    /// Returns the row with the submitted values.
    pub fn seen(self) -> TaskRow {
        let mut row = self.row.get();
        self.edited.with(|edited| match edited {
            Some((version, typed)) if *version == row.task.version => typed.show(&mut row.task),
            _ => {}
        });
        row
    }

    /// Closes a submitted form, or reopens a refused one if `typed` is `None`.
    fn sent(self, typed: Option<Typed>) {
        // The row may be gone when the answer arrives.
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
        // After it is open again, or an update would replace it.
        if refused {
            self.saving.try_set(false);
        }
    }

    fn saved(self) {
        self.saving.try_set(false);
    }
}

/// Sets the signal only once, since each change rebuilds the row's content.
fn come_near(near: RwSignal<bool>) {
    if !near.get_untracked() {
        near.set(true);
    }
}

/// Buttons that move the row before the one above or after the one below. The list shows the move at once.
pub fn move_form(row: Signal<TaskRow>, number: TaskNumber) -> impl IntoView {
    let above = kept(move || row.with(|row| row.above));
    let below = kept(move || row.with(|row| row.below));
    let value = |number: Option<TaskNumber>| number.map(|number| number.to_string());
    view! {
        <form class="task-item__move" method="post" action=MoveTask::url() hidden=held(move || above.get().or(below.get()).is_none())>
            <input type="hidden" name="task_id" value=number.to_string()/>
            <ReturnTo/>
            <button class="task-item__past" name="before" data-keys="K" value=held(move || value(above.get()))
                disabled=held(move || above.get().is_none())>
                <Icon shape=Shape::Up/> {messages::MOVE_UP}
            </button>
            <button class="task-item__past" name="after" data-keys="J" value=held(move || value(below.get()))
                disabled=held(move || below.get().is_none())>
                <Icon shape=Shape::Down/> {messages::MOVE_DOWN}
            </button>
        </form>
    }
    .erase()
}
