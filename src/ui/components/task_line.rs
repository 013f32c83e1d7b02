//! The text of a task's row: the title in one line, the details below it.

use leptos::prelude::*;

use super::{Icon, Shape};
use crate::api::tasks::TaskRow;
use crate::domain::task::{Actor, Priority, Status};
use crate::messages::tasks as messages;
use crate::ui::any_view::{Erase, Piece, held, part, whole};

/// Transient state of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Now {
    Still,
    Saving,
    /// Somebody changed it elsewhere: the actor and a name.
    ChangedBy(Actor, String),
}

#[component]
pub fn TaskLine(#[prop(into)] row: Signal<TaskRow>, now: Signal<Now>, brief: bool) -> impl IntoView {
    let meta = whole(move || {
        row.with(|row| {
            let task = &row.task;
            let late = row.overdue && task.status == Status::Pending;
            let due = row.due_label.clone().map(|label| {
                view! {
                    <span class="task-item__due" class=("task-item__due--late", late)>
                        <Icon shape=if late { Shape::Alert } else { Shape::Calendar }/>
                        {late.then(|| view! { <span class="visually-hidden">{messages::OVERDUE_BEFORE}</span> })} {label}
                    </span>
                }
            });
            let repeats = row.repeats.clone().map(|text| view! { <span><Icon shape=Shape::Repeat/> {text}</span> });
            let priority = (task.priority != Priority::None).then(|| {
                let class = format!("task-item__priority task-item__priority--{}", task.priority.as_str());
                view! { <span class=class><Icon shape=Shape::Flag/> {messages::priority(task.priority.as_str())}</span> }
            });
            let project = task.project.clone().map(|name| view! { <span>"#"{name.to_string()}</span> });
            let tags = task.tags.iter().map(|tag| view! { <span>"@"{tag.to_string()}</span> }).collect_view();
            let notes = task.description.clone().map(|text| {
                view! {
                    <span class="task-item__notes">{text.to_string()}</span>
                }
            });
            let by = row.changed_by.map(|by| {
                let who = if by == Actor::Agent { messages::BY_DOCKET } else { messages::BY_AN_OUTSIDE_AGENT };
                view! { <span class="task-item__agent"><Icon shape=Shape::Agent/> {who}</span> }
            });
            view! { {due} {repeats} {priority} {project} {tags} {by} {notes} }
        })
    });
    let number = row.with_untracked(|row| row.task.task_id.to_string());
    let place = "/tasks/".to_owned() + &number;
    let number = "#".to_owned() + &number;
    let number = if brief {
        view! { <a class="task-item__number" href=place>{number}</a> }.erase()
    } else {
        view! { <span class="task-item__number">{number}</span> }.erase()
    };
    view! {
        <span class="task-item__title">{held(move || row.with(|row| row.task.title.to_string()))}</span>
        {part(move || just_now(now.get()))}
        {number}
        <span class="task-item__meta">{meta}</span>
    }
    .erase()
}

fn just_now(now: Now) -> Option<Piece> {
    match now {
        Now::Still => None,
        Now::Saving => Some(view! { <span class="task-item__now">{messages::SAVING}</span> }.erase()),
        Now::ChangedBy(actor, who) => {
            let agent = actor != Actor::User;
            let shape = if agent { Shape::Agent } else { Shape::Repeat };
            Some(
                view! {
                    <span class="task-item__now" class=("task-item__now--agent", agent)><Icon shape/> {who}</span>
                }
                .erase(),
            )
        }
    }
}
