//! Tasks under their headings, in an order that a hand can change.

use std::collections::VecDeque;

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::hand::Hand;
use super::{Each, TaskItem};
use crate::api::tasks::{MoveTask, TaskRow};
use crate::domain::id::TaskNumber;
use crate::ui::acts::Acts;
use crate::ui::erase::Erase;
use crate::ui::kept::{kept, latest};
use crate::ui::{browser, call};
use crate::words::tasks as words;

/// A row that was put elsewhere by hand, as long as the server's list does not say so itself.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Move {
    task: TaskNumber,
    other: TaskNumber,
    /// Below the other one, not above it.
    after: bool,
    /// The version at which the server knows it.
    known_at: i64,
}

/// The rows of a list, put in order by hand.
#[derive(Clone, Copy)]
struct Order {
    rows: Signal<Vec<TaskRow>>,
    moved: RwSignal<Option<Move>>,
    /// Forms that are sent one after another: two at once may arrive the other way round. The first is under way.
    sent: StoredValue<VecDeque<String>>,
    acts: Acts,
}

impl Order {
    /// The rows as they are shown.
    fn shown(self) -> Vec<TaskRow> {
        let mut rows = self.rows.get();
        let Some(moved) = self.moved.get() else { return rows };
        let Some(from) = rows.iter().position(|row| row.task.task_id == moved.task) else { return rows };
        if rows[from].task.version >= moved.known_at {
            return rows;
        }
        let row = rows.remove(from);
        let to = rows.iter().position(|row| row.task.task_id == moved.other);
        rows.insert(to.map_or(from, |to| to + usize::from(moved.after)), row);
        // A second press goes on from here.
        for at in 0..rows.len() {
            let beside = |other: Option<&TaskRow>| {
                other.filter(|other| other.group == rows[at].group).map(|other| other.task.task_id)
            };
            let (above, below) = (at.checked_sub(1).and_then(|at| beside(rows.get(at))), beside(rows.get(at + 1)));
            (rows[at].above, rows[at].below) = (above, below);
        }
        rows
    }

    /// Shows the row there at once, and takes that back where the server refuses.
    fn put(self, task: i64, other: i64, after: bool) {
        let (task, other) = (TaskNumber(task), TaskNumber(other));
        let version = self
            .rows
            .with_untracked(|rows| rows.iter().find(|row| row.task.task_id == task).map_or(0, |row| row.task.version));
        let before = self.moved.get_untracked().filter(|it| it.task == task && it.known_at > version);
        let known_at = before.map_or(version, |it| it.known_at) + 1;
        browser::keep_focus();
        self.moved.set(Some(Move { task, other, after, known_at }));
        let side = if after { "after" } else { "before" };
        let form = call::form(&[("task_id", &task.to_string()), (side, &other.to_string())]);
        if self.sent.try_update_value(|sent| (sent.push_back(form), sent.len()).1) == Some(1) {
            self.send();
        }
    }

    /// Sends the first form that waits, and then the next; what waits behind a refused one is given up with it.
    fn send(self) {
        let Some(form) = self.sent.try_with_value(|sent| sent.front().cloned()).flatten() else { return };
        self.acts.post_then(MoveTask::PATH, form, move |answer| {
            self.sent.try_update_value(|sent| if answer.is_ok() { drop(sent.pop_front()) } else { sent.clear() });
            if answer.is_err() {
                self.moved.try_set(None);
            }
            self.send();
        });
    }

    /// A button of a row's form.
    fn pressed(self, event: SubmitEvent) {
        let Some((_, form)) = browser::form_of(&event).filter(|(path, _)| path == MoveTask::url()) else { return };
        event.prevent_default();
        let number = |name: &str| {
            form.split('&').find_map(|pair| pair.split_once('=').filter(|pair| pair.0 == name)?.1.parse::<i64>().ok())
        };
        let (before, after) = (number("before"), number("after"));
        if let (Some(task), Some(other)) = (number("task_id"), before.or(after)) {
            self.put(task, other, after.is_some());
        }
    }

    /// Whether one row may lie beside the other: under the same heading.
    fn may_lie_beside(self, task: i64, other: i64) -> bool {
        let group = |number: i64| {
            self.rows.with_untracked(|rows| {
                rows.iter().find(|row| row.task.task_id.0 == number).map(|row| row.group.clone())
            })
        };
        task != other && group(task) == group(other)
    }
}

/// The headings of the rows, each once for the rows that follow one another under it; one that says nothing where none is shown.
fn headings(rows: &[TaskRow], headed: bool) -> Vec<String> {
    let mut headings: Vec<String> =
        rows.iter().map(|row| if headed { row.group.clone() } else { String::new() }).collect();
    headings.dedup();
    headings
}

/// `headed` puts the rows under the headings that the server gave them; `brief` ones lead to their task instead of holding
/// its form.
#[component]
pub fn TaskList(
    #[prop(into)] rows: Signal<Vec<TaskRow>>,
    #[prop(optional)] headed: bool,
    #[prop(optional)] brief: bool,
) -> impl IntoView {
    let moved = RwSignal::new(None);
    let order = Order { rows, moved, sent: StoredValue::default(), acts: Acts::current() };
    let hand = Hand::new(
        Callback::new(move |(task, other)| order.may_lie_beside(task, other)),
        Callback::new(move |(task, (other, after))| order.put(task, other, after)),
    );
    // Read once for all rows.
    let rows = kept(move || order.shown());
    let groups = kept(move || rows.with(|rows| headings(rows, headed)));
    // A row that leaves takes the focus with it; the next one gets it.
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
                    let late = group == words::OVERDUE;
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
