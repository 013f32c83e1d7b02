//! The form that changes a task: name, due, how it repeats, priority, project, notes; and the way to the bin.

use leptos::ev::SubmitEvent;
use leptos::html::{Input, Select};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Icon, ReturnTo, Shape};
use crate::api::flash::Flash;
use crate::api::tasks::{Delete, TaskRow, Update};
use crate::domain::task::{Priority, Project, Task, Title};
use crate::ui::acts::Acts;
use crate::ui::erase::{Erase, held, part};
use crate::words::tasks as words;

/// The fields that are read as phrases.
const READ: [&str; 2] = ["due", "recurrence"];
/// Their places.
const DUE: usize = 0;
const REPEATS: usize = 1;

/// What was typed that says by itself what a row will show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    title: String,
    priority: String,
    project: String,
}

impl Typed {
    /// Shows it in the task, as far as it can be read.
    pub fn show(&self, task: &mut Task) {
        task.title = Title::parse(&self.title).unwrap_or_else(|_| task.title.clone());
        task.priority = Priority::parse(&self.priority).unwrap_or(task.priority);
        let project = self.project.trim().trim_start_matches('#');
        task.project = Project::parse(project).ok().or_else(|| task.project.clone().filter(|_| !project.is_empty()));
    }
}

/// Inputs stay uncontrolled: what somebody is typing is not overwritten by news from elsewhere.
#[component]
pub fn TaskForm(
    row: TaskRow,
    /// What was typed into this form before, if the server refused it.
    refused: Option<Flash>,
    /// Runs when what the form asked for was done.
    #[prop(into)]
    on_saved: Callback<()>,
    /// Runs when the form is sent, with what can be shown before the answer; and with nothing when it was refused.
    #[prop(optional, into)]
    on_sent: Option<Callback<Option<Typed>>>,
) -> impl IntoView {
    let acts = Acts::current();
    let (task, repeats) = (row.task, row.repeats.unwrap_or_default());
    let (title, priority, project) = (NodeRef::<Input>::new(), NodeRef::<Select>::new(), NodeRef::<Input>::new());
    let inputs = READ.map(|_| NodeRef::<Input>::new());
    let why = RwSignal::new(refused.as_ref().and_then(|flash| flash.error.clone()));
    let sent = RwSignal::new(READ.map(|field| refused.as_ref().and_then(|flash| flash.typed(Update::PATH, field))));
    // The message quotes the phrase that it is about.
    let unread = move |field: usize| {
        let (why, phrase) = (why.get()?, sent.with(|sent| sent[field].clone())?);
        (!phrase.is_empty() && why.contains(&phrase)).then_some("true")
    };
    let save = move |event: SubmitEvent| {
        sent.set(inputs.map(|input| input.get_untracked().map(|input| input.value())));
        let values = (title.get_untracked(), priority.get_untracked(), project.get_untracked());
        if let (Some(on_sent), (Some(title), Some(priority), Some(project))) = (on_sent, values) {
            on_sent.run(Some(Typed { title: title.value(), priority: priority.value(), project: project.value() }));
        }
        acts.send_from(event, move |answer| {
            let saved = answer.is_ok();
            why.try_set(answer.err().map(|error| error.message));
            if saved {
                on_saved.try_run(());
            } else if let Some(on_sent) = on_sent {
                on_sent.try_run(None);
            }
        });
    };
    let typed = |field: &str, stored: String| {
        refused.as_ref().and_then(|flash| flash.typed(Update::PATH, field)).unwrap_or(stored)
    };
    let chosen = typed("priority", task.priority.as_str().to_owned());
    let number = task.task_id;
    let id = move |field: &str| format!("task-{number}-{field}");
    let told_by = move |field: usize| held(move || unread(field).map(|_| id("why")));
    let priorities = Priority::ALL.into_iter().rev().map(|priority| {
        let value = priority.as_str();
        view! { <option value=value selected=value == chosen>{words::priority(value)}</option> }
    });
    let tags = task.tags.iter().map(|tag| tag.as_str()).collect::<Vec<_>>().join(", ");
    view! {
        <div class="task-form">
            <form class="task-form__fields" method="post" action=Update::url() on:submit=save>
                <input type="hidden" name="task_id" value=number.to_string()/>
                <ReturnTo/>
                <label class="task-form__wide" for=id("title")>{words::TITLE}
                    <input id=id("title") name="title" node_ref=title value=typed("title", task.title.to_string()) required maxlength="200" autocomplete="off"/>
                </label>
                <label for=id("due")>{words::DUE}
                    <input id=id("due") data-keys="d" name="due" node_ref=inputs[DUE] aria-invalid=held(move || unread(DUE)) aria-describedby=told_by(DUE) value=typed("due", due_input(task.due.as_deref())) placeholder=words::TOMORROW_5PM autocomplete="off"/>
                </label>
                <label for=id("repeats")>{words::REPEATS}
                    <input id=id("repeats") name="recurrence" node_ref=inputs[REPEATS] aria-invalid=held(move || unread(REPEATS)) aria-describedby=told_by(REPEATS) value=typed("recurrence", repeats) placeholder=words::EVERY_MONDAY autocomplete="off"/>
                </label>
                <label for=id("priority")>{words::PRIORITY}
                    <select id=id("priority") name="priority" node_ref=priority>{priorities.collect_view()}</select>
                </label>
                <label for=id("project")>{words::PROJECT}
                    <input id=id("project") name="project" node_ref=project value=typed("project", task.project.as_ref().map(|name| name.to_string()).unwrap_or_default()) maxlength="60" autocomplete="off"/>
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
