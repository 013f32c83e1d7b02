//! Actions on several selected tasks. The rows contain the checkboxes; the bar is their form.

use leptos::html::Form;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Icon, ReturnTo, Shape};
use crate::api::tasks::{BulkAct, BulkTasks, View};
use crate::domain::task::{Priority, Project};
use crate::messages::tasks as messages;
use crate::ui::any_view::Erase;
use crate::ui::browser;
use crate::ui::form_actions::FormActions;

/// The offered actions depend on the `view` that is listed.
#[component]
pub fn BulkBar(view: View) -> impl IntoView {
    let acts = FormActions::current();
    let form = NodeRef::<Form>::new();
    let send = move |event| {
        acts.submit_then(event, move |answer| {
            if let (Ok(_), Some(form)) = (answer, form.try_get_untracked().flatten()) {
                browser::reset(&form);
            }
        });
    };
    let button = |act: BulkAct, shape: Shape, label: &'static str, class: &'static str| {
        view! { <button class=class name="act" value=act.as_str()><Icon shape/> {label}</button> }.erase()
    };
    let quiet = "button button--quiet";
    let offered = match view {
        View::Bin => vec![button(BulkAct::Restore, Shape::Undo, messages::RESTORE, quiet)],
        View::Done => vec![
            button(BulkAct::Reopen, Shape::Undo, messages::REOPEN, quiet),
            button(BulkAct::Delete, Shape::Bin, messages::DELETE, "button button--quiet-danger"),
        ],
        View::Today | View::Upcoming | View::All => vec![
            button(BulkAct::Complete, Shape::Check, messages::COMPLETE, quiet),
            button(BulkAct::Delete, Shape::Bin, messages::DELETE, "button button--quiet-danger"),
        ],
    };
    let fields = matches!(view, View::Today | View::Upcoming | View::All).then(fields);
    view! {
        <form class="bulk-bar" id="bulk" method="post" action=BulkTasks::url() node_ref=form on:submit=send aria-label=messages::SELECTED_TASKS>
            <ReturnTo/>
            <label class="bulk-bar__switch"><input class="bulk-bar__on" type="checkbox"/> {messages::SELECT_SEVERAL}</label>
            <div class="bulk-bar__acts">
                <span class="bulk-bar__count">{messages::SELECTED}</span>
                {offered}
                {fields}
            </div>
        </form>
    }
    .erase()
}

/// Inputs for bulk edits; the name of each button says which field is set.
fn fields() -> impl IntoView {
    let priorities = Priority::ALL.into_iter().rev().map(|priority| {
        let value = priority.as_str();
        view! { <option value=value>{messages::priority(value)}</option> }
    });
    view! {
        <span class="bulk-bar__field">
            <label class="visually-hidden" for="bulk-due">{messages::DUE}</label>
            <input id="bulk-due" name="due" placeholder=messages::TOMORROW autocomplete="off"/>
            <button class="button button--quiet" name="act" value=BulkAct::Due.as_str()>{messages::SET_DUE}</button>
        </span>
        <span class="bulk-bar__field">
            <label class="visually-hidden" for="bulk-priority">{messages::PRIORITY}</label>
            <select id="bulk-priority" name="priority">{priorities.collect_view()}</select>
            <button class="button button--quiet" name="act" value=BulkAct::Priority.as_str()>{messages::SET_PRIORITY}</button>
        </span>
        <span class="bulk-bar__field">
            <label class="visually-hidden" for="bulk-project">{messages::PROJECT}</label>
            <input id="bulk-project" name="project" placeholder=messages::PROJECT maxlength=Project::MAX.to_string() autocomplete="off"/>
            <button class="button button--quiet" name="act" value=BulkAct::Project.as_str()>{messages::SET_PROJECT}</button>
        </span>
    }
    .erase()
}
