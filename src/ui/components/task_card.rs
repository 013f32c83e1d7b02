//! The tasks that a message answers with, as they are now.

use leptos::prelude::*;

use super::TaskList;
use crate::api::tasks::TaskRow;
use crate::ui::any_view::Erase;
use crate::words::tasks as words;

#[component]
pub fn TaskCard(#[prop(into)] rows: Signal<Vec<TaskRow>>) -> impl IntoView {
    view! {
        <section class="task-card" aria-label=words::TASKS_OF_THIS_ANSWER>
            <TaskList rows brief=true/>
        </section>
    }
    .erase()
}
