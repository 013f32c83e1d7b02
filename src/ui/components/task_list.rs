//! Tasks under their headings, in an order that dragging changes.

use leptos::prelude::*;

use super::drag::DragState;
use super::order::Order;
use super::{Each, TaskItem};
use crate::api::tasks::TaskRow;
use crate::messages::tasks as messages;
use crate::ui::any_view::Erase;
use crate::ui::browser;
use crate::ui::derived::{kept, latest};
use crate::ui::optimistic_add::OptimisticAdd;

/// Returns each heading of the rows once, in order; the empty heading if `headed` is false.
fn headings(rows: &[TaskRow], headed: bool) -> Vec<String> {
    let mut headings: Vec<String> = vec![];
    for row in rows {
        let heading = if headed { row.group.as_str() } else { "" };
        if !headings.iter().any(|other| other == heading) {
            headings.push(heading.to_owned());
        }
    }
    headings
}

/// `headed` groups the rows under the server's headings. `brief` rows link to their task instead of containing its form.
#[component]
pub fn TaskList(
    #[prop(into)] rows: Signal<Vec<TaskRow>>,
    #[prop(optional)] headed: bool,
    #[prop(optional)] brief: bool,
) -> impl IntoView {
    let order = Order::new(rows);
    let hand = DragState::new(
        Callback::new(move |(task, other)| order.may_lie_beside(task, other)),
        Callback::new(move |(task, (other, after))| order.put(task, other, after)),
    );
    // Computed once for all rows.
    let rows = kept(move || order.shown());
    let groups = kept(move || rows.with(|rows| headings(rows, headed)));
    if !brief {
        let adding = OptimisticAdd::current();
        Effect::new(move || rows.with(|rows| adding.yield_to(rows)));
    }
    // If the focused row is removed, the first row gets the focus.
    Effect::new(move |before: Option<usize>| {
        let count = rows.with(Vec::len);
        if before.is_some_and(|before| count < before) && browser::nothing_focused() {
            browser::focus(".task-item__check");
        }
        count
    });
    view! {
        <div class="task-list" on:submit=move |event| order.pressed(event)
            on:pointerdown=move |event| hand.down(&event) on:pointermove=move |event| hand.moved(&event)
            on:pointerup=move |event| hand.up(&event) on:pointercancel=move |_| hand.end()
            on:touchmove=move |event| hand.keep(&event) on:contextmenu=move |event| hand.keep(&event)>
            <Each each=move || groups.get() key=|group: &String| group.clone() let:group>
                {
                    let heading = group.clone();
                    let late = group == messages::OVERDUE;
                    let of_group = move || {
                        rows.with(|rows| {
                            let mine = rows.iter().filter(|row| !headed || row.group == group);
                            mine.cloned().collect::<Vec<_>>()
                        })
                    };
                    view! {
                        <section class="task-list__group">
                            {headed.then(|| view! {
                                <h3 class="task-list__heading" class=("task-list__heading--late", late)>{heading.clone()}</h3>
                            })}
                            <ul>
                                <Each each=of_group key=|row| row.task.task_id let:row>
                                    {
                                        let number = row.task.task_id;
                                        let found = move || rows.with(|rows| rows.iter().find(|row| row.task.task_id == number).cloned());
                                        // A row that is being removed keeps its last value.
                                        view! { <TaskItem row=latest(row, found) brief/> }
                                    }
                                </Each>
                            </ul>
                        </section>
                    }
                }
            </Each>
        </div>
    }
    .erase()
}
