//! The form that changes a task: name, due, priority, project, notes; and the way to the bin.

use leptos::ev::SubmitEvent;
use leptos::html::Input;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Icon, ReturnTo, Shape};
use crate::api::flash::Flash;
use crate::api::tasks::{Delete, TaskRow, Update};
use crate::domain::task::Priority;
use crate::ui::acts::Acts;
use crate::ui::erase::{Erase, held, part};
use crate::words::tasks as words;

/// Inputs stay uncontrolled: what somebody is typing is not overwritten by news from elsewhere.
#[component]
pub fn TaskForm(
    row: TaskRow,
    /// What was typed into this form before, if the server refused it.
    refused: Option<Flash>,
    /// Runs when what the form asked for was done.
    #[prop(into)]
    on_saved: Callback<()>,
) -> impl IntoView {
    let acts = Acts::current();
    let task = row.task;
    let due = NodeRef::<Input>::new();
    let why = RwSignal::new(refused.as_ref().and_then(|flash| flash.error.clone()));
    let typed_due = RwSignal::new(refused.as_ref().and_then(|flash| flash.typed(Update::PATH, "due")));
    // The message quotes the date that it is about.
    let undated = move || {
        let (why, due) = (why.get()?, typed_due.get()?);
        (!due.is_empty() && why.contains(&due)).then_some("true")
    };
    let save = move |event: SubmitEvent| {
        typed_due.set(due.get_untracked().map(|due| due.value()));
        acts.send_from(event, move |answer| {
            let saved = answer.is_ok();
            why.try_set(answer.err().map(|error| error.message));
            if saved {
                on_saved.try_run(());
            }
        });
    };
    let typed = |field: &str, stored: String| {
        refused.as_ref().and_then(|flash| flash.typed(Update::PATH, field)).unwrap_or(stored)
    };
    let chosen = typed("priority", task.priority.as_str().to_owned());
    let number = task.task_id;
    let id = move |field: &str| format!("task-{number}-{field}");
    let priorities = Priority::ALL.into_iter().rev().map(|priority| {
        let name = match priority {
            Priority::High => words::HIGH_P1,
            Priority::Medium => words::MEDIUM_P2,
            Priority::Low => words::LOW_P3,
            Priority::None => words::NONE,
        };
        view! { <option value=priority.as_str() selected=priority.as_str() == chosen>{name}</option> }
    });
    let tags = task.tags.iter().map(|tag| tag.as_str()).collect::<Vec<_>>().join(", ");
    view! {
        <div class="task-form">
            <form class="task-form__fields" method="post" action=Update::url() on:submit=save>
                <input type="hidden" name="task_id" value=number.to_string()/>
                <ReturnTo/>
                <label class="task-form__wide" for=id("title")>{words::TITLE}
                    <input id=id("title") name="title" value=typed("title", task.title.to_string()) required maxlength="200" autocomplete="off"/>
                </label>
                <label for=id("due")>{words::DUE}
                    <input id=id("due") data-keys="d" name="due" node_ref=due aria-invalid=held(undated) aria-describedby=held(move || undated().map(|_| id("why"))) value=typed("due", due_input(task.due.as_deref())) placeholder=words::TOMORROW_5PM autocomplete="off"/>
                </label>
                <label for=id("priority")>{words::PRIORITY}
                    <select id=id("priority") name="priority">{priorities.collect_view()}</select>
                </label>
                <label for=id("project")>{words::PROJECT}
                    <input id=id("project") name="project" value=typed("project", task.project.as_ref().map(|name| name.to_string()).unwrap_or_default()) maxlength="60" autocomplete="off"/>
                </label>
                <label for=id("tags")>{words::TAGS}
                    <input id=id("tags") name="tags[0]" value=typed("tags[0]", tags) autocomplete="off"/>
                </label>
                <label class="task-form__wide" for=id("notes")>{words::NOTES}
                    <textarea id=id("notes") name="description" rows="2" maxlength="4000">
                        {typed("description", task.description.as_ref().map(|text| text.to_string()).unwrap_or_default())}
                    </textarea>
                </label>
                {part(move || why.get().map(|text| view! { <p class="error task-form__wide" id=id("why") role="alert">{text}</p> }))}
                <button class="button button--primary">{words::SAVE}</button>
            </form>
            <form class="task-form__bin" method="post" action=Delete::url() on:submit=move |event| acts.send(event)>
                <input type="hidden" name="task_id" value=number.to_string()/>
                <ReturnTo/>
                <button class="button button--quiet-danger" data-keys="Delete"><Icon shape=Shape::Bin/> {words::DELETE}</button>
            </form>
        </div>
    }
    .erase_lasting()
}

/// The wire form of a due date as a person would type it: `2026-03-13`, or `2026-03-13 17:00`.
fn due_input(due: Option<&str>) -> String {
    let Some(due) = due else { return String::new() };
    match (due.get(..10), due.get(11..16)) {
        (Some(day), Some(time)) => format!("{day} {time}"),
        _ => due.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::due_input;

    #[test]
    fn a_due_date_is_shown_as_one_would_type_it() {
        assert_eq!(due_input(Some("2026-03-13")), "2026-03-13");
        assert_eq!(due_input(Some("2026-03-13T17:00:00+01:00")), "2026-03-13 17:00");
        assert_eq!(due_input(None), "");
    }
}
