//! The task list at a past moment.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::html;
use crate::api::ApiError;
use crate::api::as_of::Then;
use crate::api::tasks::{Restore, TaskRow};
use crate::api::views;
use crate::domain::task::Status;
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::messages::{as_of as messages, counts};

/// Renders the page below its heading. The list begins after `cursor`.
pub fn as_of(found: Option<&Result<Then, ApiError>>, cursor: Option<&str>, now: &Timestamp, zone: &str) -> String {
    let at = found.and_then(|found| found.as_ref().ok()).map_or(now, |found| &found.at);
    let input = |at: &Timestamp| when::local(at, zone).strftime("%Y-%m-%dT%H:%M").to_string();
    let list = found.map(|found| match found {
        Ok(found) => list(found, cursor, now, zone),
        Err(error) => view! { <p class="error" role="alert">{error.message.clone()}</p> }.into_any(),
    });
    html(view! {
        <form class="as-of__when sheet" method="get" action="/tasks/as-of">
            <label for="as-of-at">{messages::AT}</label>
            <input id="as-of-at" type="datetime-local" name="at" value=input(at) max=input(now) required/>
            <button class="button button--primary">{messages::LOOK_BACK}</button>
        </form>
        {list}
    })
}

fn list(found: &Then, cursor: Option<&str>, now: &Timestamp, zone: &str) -> AnyView {
    let heading = format!("{}, {}", counted(found, cursor.is_none()), when::instant(&found.at, now, zone));
    let here = address(&found.at, cursor);
    let next = found.next.as_deref().map(|next| address(&found.at, Some(next)));
    let row = |task: &crate::domain::task::Task| {
        let TaskRow { task, due_label, repeats, .. } = views::row(task.clone(), &found.at, zone);
        let done = task.status == Status::Completed;
        let project = task.project.as_ref().map(|project| format!("#{project}"));
        let meta = [due_label, repeats, project].into_iter().flatten().collect::<Vec<_>>().join(" · ");
        let name = messages::restore_task(task.title.as_str());
        view! {
            <li class="as-of__task">
                <p><span class="as-of__mark">{if done { messages::DONE } else { messages::OPEN }}</span> " #" {task.task_id.0} " "
                    <span class=if done { "as-of__title as-of__title--done" } else { "as-of__title" }>{task.title.to_string()}</span></p>
                <p class="as-of__meta">{meta}</p>
                <form method="post" action=Restore::url()>
                    <input type="hidden" name="task_id" value=task.task_id.0/>
                    <input type="hidden" name="as_of" value=found.at.to_string()/>
                    <input type="hidden" name="return_to" value=here.clone()/>
                    <button class="button button--quiet" aria-label=name>{messages::RESTORE_THIS_TASK}</button>
                </form>
            </li>
        }
    };
    let none = found.tasks.is_empty();
    let erased = (found.erased > 0).then(|| messages::erased(found.erased));
    view! {
        <h2 class="as-of__head">{heading}</h2>
        {erased.map(|told| view! { <p>{told}</p> })}
        <p class="page__lead">{messages::ONLY_TO_BE_LOOKED_AT}</p>
        <ul class="sheet as-of__tasks" hidden=none>{found.tasks.iter().map(row).collect_view()}</ul>
        {next.map(|next| view! { <a class="button tasks-page__next" href=next>{messages::MORE}</a> })}
    }
    .into_any()
}

/// Returns the number of tasks, or the range of numbers on a page of several.
fn counted(found: &Then, is_first: bool) -> String {
    match (&found.tasks[..], is_first && found.next.is_none()) {
        ([], true) if found.erased > 0 => messages::NO_TASK_IS_KNOWN.to_owned(),
        ([], true) => messages::NO_TASK.to_owned(),
        ([], false) => messages::NO_TASK_ON_THIS_PAGE.to_owned(),
        (tasks, true) => counts::tasks(tasks.len()),
        ([first, .., last], false) => messages::range(first.task_id.0, last.task_id.0),
        ([only], false) => messages::range(only.task_id.0, only.task_id.0),
    }
}

/// Returns the address of the page after `cursor`.
fn address(at: &Timestamp, cursor: Option<&str>) -> String {
    let cursor = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
    format!("/tasks/as-of?at={at}{cursor}")
}
