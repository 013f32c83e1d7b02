//! The tasks that a message answers with, as they are now.

use leptos::prelude::*;

use super::TaskList;
use crate::api::tasks::TaskRow;
use crate::messages::tasks as messages;
use crate::ui::any_view::Erase;

#[component]
pub fn TaskCard(#[prop(into)] rows: Signal<Vec<TaskRow>>) -> impl IntoView {
    view! {
        <section class="task-card" aria-label=messages::TASKS_OF_THIS_ANSWER>
            <TaskList rows brief=true/>
        </section>
    }
    .erase()
}
