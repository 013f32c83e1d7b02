//! Suggested first messages, about the user's own tasks if there are any.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::ReturnTo;
use super::message_item::Choice;
use crate::api::chat::Chat;
use crate::api::tasks::{TaskRow, TaskRows};
use crate::messages::{chat as messages, tasks};
use crate::ui::any_view::{Erase, held};
use crate::ui::derived::kept;
use crate::ui::fetch::Fetch;

/// `open` are the open tasks, kept fresh.
#[component]
pub fn Starters(open: Fetch<TaskRows>, on_choice: Callback<Choice>) -> impl IntoView {
    let texts = kept(move || texts(&open.ok().map(|rows| rows.tasks).unwrap_or_default()));
    let buttons = [0, 1, 2].map(|at| {
        let text = kept(move || texts.with(|texts| texts[at].clone()));
        view! {
            <form method="post" action=Chat::url() on:submit=move |event| {
                event.prevent_default();
                on_choice.run((text.get_untracked(), true, String::new()));
            }>
                <input type="hidden" name="message" value=held(move || text.get())/>
                // Titles in it may have been written by others.
                <input type="hidden" name="option" value="true"/>
                <ReturnTo begins=true/>
                <button class="button">{held(move || text.get())}</button>
            </form>
        }
    });
    view! { <div class="starters">{buttons}</div> }.erase()
}

/// Returns messages that change the list, ask about it and complete a task; overdue tasks, projects and today come first.
fn texts(open: &[TaskRow]) -> [String; 3] {
    let under = |heading: &str| open.iter().find(|row| row.group == heading);
    let late = under(tasks::OVERDUE);
    let next = under(tasks::TODAY).or_else(|| open.iter().find(|row| !row.overdue)).or(late);
    let project = open.iter().find_map(|row| row.task.project.as_ref());
    [
        late.map_or_else(
            || messages::ADD_BUY_MILK.to_owned(),
            |row| messages::move_to_tomorrow(row.task.title.as_str()),
        ),
        project.map_or_else(|| messages::WHAT_IS_DUE.to_owned(), |project| messages::list_project(project.as_str())),
        next.map_or_else(|| messages::ADD_CALL_MUM.to_owned(), |row| messages::complete(row.task.title.as_str())),
    ]
}

/// Builds tasks from titles, headings and projects.
#[cfg(test)]
pub fn rows(given: &[(&str, &str, Option<&str>)]) -> TaskRows {
    let row = |(title, heading, project): &(&str, &str, Option<&str>)| {
        let at = "2026-03-11T09:30:00Z";
        let task = serde_json::json!({
            "task_id": 1, "title": title, "description": null, "status": "pending", "priority": "none", "due": null,
            "project": project, "tags": [], "recurrence": null, "version": 1, "created_at": at, "updated_at": at,
            "completed_at": null, "deleted_at": null,
        });
        let task = serde_json::from_value(task).unwrap();
        TaskRow { overdue: *heading == tasks::OVERDUE, ..TaskRow::plain(task, heading) }
    };
    TaskRows { tasks: given.iter().map(row).collect(), total: 0, next: None, samples: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starters_are_about_what_is_there() {
        let (add, due, call) = (messages::ADD_BUY_MILK, messages::WHAT_IS_DUE, messages::ADD_CALL_MUM);
        let late = ("Pay rent", "Overdue", Some("Home"));
        let today = ("Water the ferns", "Today", None);
        let later = ("Fix the bike", "No date", Some("Book club"));
        for (given, expected) in [
            (&[][..], [add, due, call]),
            (&[later], [add, "list tasks in the Book club project", "complete Fix the bike"]),
            (&[today, later], [add, "list tasks in the Book club project", "complete Water the ferns"]),
            (&[late], ["move Pay rent to tomorrow", "list tasks in the Home project", "complete Pay rent"]),
            (
                &[late, later, today],
                ["move Pay rent to tomorrow", "list tasks in the Home project", "complete Water the ferns"],
            ),
        ] {
            assert_eq!(texts(&rows(given).tasks), expected);
        }
    }
}
