//! The form that edits a task, and the button that moves it to the bin.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::task_inputs::{Inputs, Name, Texts};
use super::{Icon, ReturnTo, Shape};
use crate::api::flash::Flash;
use crate::api::tasks::{Delete, TaskRow, Update};
use crate::domain::task::{Priority, Project, Task, Title};
use crate::messages::tasks as messages;
use crate::raw_text::TextArea;
use crate::ui::any_view::{Erase, held, part};
use crate::ui::form_actions::FormActions;

/// Typed values that a row can show before the server has answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    title: String,
    priority: String,
    project: String,
}

impl Typed {
    fn of(texts: &Texts) -> Self {
        let text = |name| texts.get(name).to_owned();
        Self { title: text(Name::Title), priority: text(Name::Priority), project: text(Name::Project) }
    }

    /// Applies the values to the task, as far as they parse.
    pub fn show(&self, task: &mut Task) {
        task.title = Title::parse(&self.title).unwrap_or_else(|_| task.title.clone());
        task.priority = Priority::parse(&self.priority).unwrap_or(task.priority);
        let project = self.project.trim().trim_start_matches('#');
        task.project = Project::parse(project).ok().or_else(|| task.project.clone().filter(|_| !project.is_empty()));
    }
}

/// The inputs are uncontrolled, so that updates do not overwrite what is being typed.
#[component]
pub fn TaskForm(
    row: TaskRow,
    /// Prefix of the ids: a page may contain the form of one task twice.
    place: &'static str,
    /// Typed values of this form that the server refused.
    refused: Option<Flash>,
    /// Runs after the form was saved.
    #[prop(into)]
    on_saved: Callback<()>,
    /// Runs with the values to show when the form is submitted, and with `None` when it was refused.
    #[prop(optional, into)]
    on_sent: Option<Callback<Option<Typed>>>,
    /// Runs on input, with true if the form has unsaved changes.
    #[prop(optional, into)]
    on_typed: Option<Callback<bool>>,
) -> impl IntoView {
    let acts = FormActions::current();
    let number = row.task.task_id;
    let (inputs, stored) = (Inputs::new(), Texts::of(|name| name.stored(&row)));
    let why = RwSignal::new(refused.as_ref().and_then(|flash| flash.error.clone()));
    let typed = |name: Name| refused.as_ref().and_then(|flash| flash.typed(Update::PATH, name.sent()));
    // The values sent last. The error message quotes the phrase that it is about.
    let sent = RwSignal::new(Texts::of(|name| typed(name).unwrap_or_default()));
    let unread = move |name: Name| {
        let (why, phrase) = (why.get()?, sent.with(|sent| sent.get(name).to_owned()));
        (!phrase.is_empty() && why.contains(&phrase)).then_some("true")
    };
    let first = Texts::of(|name| typed(name).unwrap_or_else(|| stored.get(name).to_owned()));
    let save = move |event: SubmitEvent| {
        let Some(texts) = inputs.texts() else { return };
        event.prevent_default();
        let form = texts.form(&number.to_string(), &stored);
        sent.set(texts.clone());
        if let Some(on_sent) = on_sent {
            on_sent.run(Some(Typed::of(&texts)));
        }
        acts.post_quietly(Update::PATH, form, move |answer| {
            let saved = answer.is_ok();
            why.try_set(answer.err().map(|error| error.message));
            if saved {
                inputs.settle(&texts);
                on_saved.try_run(());
            } else if let Some(on_sent) = on_sent {
                on_sent.try_run(None);
            }
        });
    };
    let typing = move |_| {
        if let Some(on_typed) = on_typed {
            on_typed.run(inputs.are_touched());
        }
    };
    let text = |name: Name| first.get(name).to_owned();
    let chosen = text(Name::Priority);
    let id = move |field: &str| format!("{place}-{number}-{field}");
    let told_by = move |name: Name| held(move || unread(name).map(|_| id("why")));
    let priorities = Priority::ALL.into_iter().rev().map(|priority| {
        let value = priority.as_str();
        view! { <option value=value selected=value == chosen>{messages::priority(value)}</option> }
    });
    view! {
        <div class="task-form">
            <form class="task-form__fields" method="post" action=Update::url() on:submit=save on:input=typing>
                <input type="hidden" name="task_id" value=number.to_string()/>
                // Without a script all fields are sent: the version protects changes that others made meanwhile.
                <input type="hidden" name="version" value=row.task.version.to_string()/>
                <ReturnTo/>
                <label class="task-form__wide" for=id("title")>{messages::TITLE}
                    <input id=id("title") name="title" node_ref=inputs.title value=text(Name::Title) required maxlength="200" autocomplete="off"/>
                </label>
                <label for=id("due")>{messages::DUE}
                    <input id=id("due") data-keys="d" name="due" node_ref=inputs.due aria-invalid=held(move || unread(Name::Due)) aria-describedby=told_by(Name::Due) value=text(Name::Due) placeholder=messages::TOMORROW_5PM autocomplete="off"/>
                </label>
                <label for=id("repeats")>{messages::REPEATS}
                    <input id=id("repeats") name="recurrence" node_ref=inputs.repeats aria-invalid=held(move || unread(Name::Repeats)) aria-describedby=told_by(Name::Repeats) value=text(Name::Repeats) placeholder=messages::EVERY_MONDAY autocomplete="off"/>
                </label>
                <label for=id("priority")>{messages::PRIORITY}
                    <select id=id("priority") name="priority" node_ref=inputs.priority>{priorities.collect_view()}</select>
                </label>
                <label for=id("project")>{messages::PROJECT}
                    <input id=id("project") name="project" node_ref=inputs.project value=text(Name::Project) maxlength="60" autocomplete="off"/>
                </label>
                <label for=id("tags")>{messages::TAGS}
                    <input id=id("tags") name="tags[0]" node_ref=inputs.tags value=text(Name::Tags) autocomplete="off"/>
                </label>
                <label class="task-form__wide" for=id("notes")>{messages::NOTES}
                    <TextArea text=text(Name::Notes) {..} id=id("notes") name="description" node_ref=inputs.notes rows="2" maxlength="4000"/>
                </label>
                {part(move || why.get().map(|text| view! { <p class="error task-form__wide" id=id("why") role="alert">{text}</p> }))}
                <button class="button button--primary">{messages::SAVE}</button>
            </form>
            <form class="task-form__bin" method="post" action=Delete::url() on:submit=move |event| acts.submit(event)>
                <input type="hidden" name="task_id" value=number.to_string()/>
                <ReturnTo/>
                <button class="button button--quiet-danger" data-keys="Delete"><Icon shape=Shape::Bin/> {messages::DELETE}</button>
            </form>
        </div>
    }
    .erase_lasting()
}
