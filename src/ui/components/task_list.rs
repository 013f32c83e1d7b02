//! Tasks under their headings.

use leptos::prelude::*;

use super::{Each, TaskItem};
use crate::api::tasks::TaskRow;
use crate::ui::browser;
use crate::ui::erase::Erase;
use crate::ui::kept::{kept, latest};

/// `headed` puts the rows under the headings that the server gave them; `brief` ones lead to their task instead of holding
/// its form.
#[component]
pub fn TaskList(
    #[prop(into)] rows: Signal<Vec<TaskRow>>,
    #[prop(optional)] headed: bool,
    #[prop(optional)] brief: bool,
) -> impl IntoView {
    // Read once for all rows.
    let rows = kept(move || rows.get());
    let groups = kept(move || {
        let mut groups = Vec::<String>::new();
        rows.with(|rows| {
            for row in rows {
                let group = if headed { row.group.as_str() } else { "" };
                if groups.last().is_none_or(|last| last != group) {
                    groups.push(group.to_owned());
                }
            }
        });
        groups
    });
    // A row that leaves takes the focus with it; the next one gets it.
    Effect::new(move |before: Option<usize>| {
        let count = rows.with(Vec::len);
        if before.is_some_and(|before| count < before) && browser::nothing_focused() {
            browser::focus(".task-item__check");
        }
        count
    });
    view! {
        <div class="task-list">
            <Each each=move || groups.get() key=|group: &String| group.clone() let:group>
                {
                    let heading = group.clone();
                    let late = group == "Overdue";
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
                                        // A row that leaves stays as it was for that moment.
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
