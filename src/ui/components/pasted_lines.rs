//! Several lines pasted into quick add: one task each, one task with notes, or none.

use leptos::html::Button;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::tasks::{Add, AddLines};
use crate::messages::tasks as messages;
use crate::ui::any_view::Erase;
use crate::ui::form_actions::FormActions;

/// `on_close` runs after any of the three choices.
#[component]
pub fn PastedLines(lines: Vec<String>, #[prop(into)] on_close: Callback<()>) -> impl IntoView {
    let acts = FormActions::current();
    let send = move |event| {
        acts.submit(event);
        on_close.run(());
    };
    let first = NodeRef::<Button>::new();
    Effect::new(move || {
        if let Some(button) = first.get() {
            button.focus().ok();
        }
    });
    let (count, title, notes) = (lines.len().to_string(), lines[0].clone(), lines[1..].join("\n"));
    let label = messages::lines_pasted(&count);
    view! {
        <div class="pasted-lines" role="group" aria-label=label>
            <p class="pasted-lines__first">{lines[0].clone()} " …"</p>
            <form method="post" action=AddLines::url() on:submit=send>
                <input type="hidden" name="lines" value=lines.join("\n")/>
                <button class="button button--primary" node_ref=first>{messages::ADD_TASKS.0} {count} {messages::ADD_TASKS.1}</button>
            </form>
            <form method="post" action=Add::url() on:submit=send>
                <input type="hidden" name="text" value=title/>
                <input type="hidden" name="description" value=notes/>
                <button class="button">{messages::ONE_TASK_REST_AS_NOTES}</button>
            </form>
            <button type="button" class="button button--quiet" on:click=move |_| on_close.run(())>{messages::CANCEL}</button>
        </div>
    }
    .erase()
}
