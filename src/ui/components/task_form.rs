//! The form that changes a task: name, due, how it repeats, priority, project, notes; and the way to the bin.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::task_inputs::{Inputs, Name, Texts};
use super::{Icon, ReturnTo, Shape};
use crate::api::flash::Flash;
use crate::api::tasks::{Delete, TaskRow, Update};
use crate::domain::task::{Priority, Project, Task, Title};
use crate::raw_text::TextArea;
use crate::ui::acts::Acts;
use crate::ui::erase::{Erase, held, part};
use crate::words::tasks as words;

/// What was typed that says by itself what a row will show.
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
    /// Beginning of the ids in it: a page may have the form of one task in two places.
    place: &'static str,
    /// What was typed into this form before, if the server refused it.
    refused: Option<Flash>,
    /// Runs when what the form asked for was done.
    #[prop(into)]
    on_saved: Callback<()>,
    /// Runs when the form is sent, with what can be shown before the answer; and with nothing when it was refused.
    #[prop(optional, into)]
    on_sent: Option<Callback<Option<Typed>>>,
    /// Runs with each key: whether what stands in the form is to be saved.
    #[prop(optional, into)]
    on_typed: Option<Callback<bool>>,
) -> impl IntoView {
    let acts = Acts::current();
    let number = row.task.task_id;
    let (inputs, stored) = (Inputs::new(), Texts::of(|name| name.stored(&row)));
    let why = RwSignal::new(refused.as_ref().and_then(|flash| flash.error.clone()));
    let typed = |name: Name| refused.as_ref().and_then(|flash| flash.typed(Update::PATH, name.sent()));
    // What was sent last. The message quotes the phrase that it is about.
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
        acts.post_from(Update::PATH, form, move |answer| {
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
        view! { <option value=value selected=value == chosen>{words::priority(value)}</option> }
    });
    view! {
        <div class="task-form">
            <form class="task-form__fields" method="post" action=Update::url() on:submit=save on:input=typing>
                <input type="hidden" name="task_id" value=number.to_string()/>
                // Without a script all fields are sent: none of them over what somebody else changed meanwhile.
                <input type="hidden" name="version" value=row.task.version.to_string()/>
                <ReturnTo/>
                <label class="task-form__wide" for=id("title")>{words::TITLE}
                    <input id=id("title") name="title" node_ref=inputs.title value=text(Name::Title) required maxlength="200" autocomplete="off"/>
                </label>
                <label for=id("due")>{words::DUE}
                    <input id=id("due") data-keys="d" name="due" node_ref=inputs.due aria-invalid=held(move || unread(Name::Due)) aria-describedby=told_by(Name::Due) value=text(Name::Due) placeholder=words::TOMORROW_5PM autocomplete="off"/>
                </label>
                <label for=id("repeats")>{words::REPEATS}
                    <input id=id("repeats") name="recurrence" node_ref=inputs.repeats aria-invalid=held(move || unread(Name::Repeats)) aria-describedby=told_by(Name::Repeats) value=text(Name::Repeats) placeholder=words::EVERY_MONDAY autocomplete="off"/>
                </label>
                <label for=id("priority")>{words::PRIORITY}
                    <select id=id("priority") name="priority" node_ref=inputs.priority>{priorities.collect_view()}</select>
                </label>
                <label for=id("project")>{words::PROJECT}
                    <input id=id("project") name="project" node_ref=inputs.project value=text(Name::Project) maxlength="60" autocomplete="off"/>
                </label>
                <label for=id("tags")>{words::TAGS}
                    <input id=id("tags") name="tags[0]" node_ref=inputs.tags value=text(Name::Tags) autocomplete="off"/>
                </label>
                <label class="task-form__wide" for=id("notes")>{words::NOTES}
                    <TextArea text=text(Name::Notes) {..} id=id("notes") name="description" node_ref=inputs.notes rows="2" maxlength="4000"/>
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
