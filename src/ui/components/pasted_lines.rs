//! Several lines pasted into quick add: a task each, or one with notes, or nothing.

use leptos::html::Button;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::tasks::{Add, AddLines};
use crate::ui::acts::Acts;
use crate::ui::erase::Erase;
use crate::words::tasks as words;

/// `on_close` runs when one of the three was chosen.
#[component]
pub fn PastedLines(lines: Vec<String>, #[prop(into)] on_close: Callback<()>) -> impl IntoView {
    let acts = Acts::current();
    let send = move |event| {
        acts.send(event);
        on_close.run(());
    };
    let first = NodeRef::<Button>::new();
    Effect::new(move || {
        if let Some(button) = first.get() {
            button.focus().ok();
        }
    });
    let (count, title, notes) = (lines.len().to_string(), lines[0].clone(), lines[1..].join("\n"));
    let label = words::lines_pasted(&count);
    view! {
        <div class="pasted-lines" role="group" aria-label=label>
            <p class="pasted-lines__first">{lines[0].clone()} " …"</p>
            <form method="post" action=AddLines::url() on:submit=send>
                <input type="hidden" name="lines" value=lines.join("\n")/>
                <button class="button button--primary" node_ref=first>{words::ADD_TASKS.0} {count} {words::ADD_TASKS.1}</button>
            </form>
            <form method="post" action=Add::url() on:submit=send>
                <input type="hidden" name="text" value=title/>
                <input type="hidden" name="description" value=notes/>
                <button class="button">{words::ONE_TASK_REST_AS_NOTES}</button>
            </form>
            <button type="button" class="button button--quiet" on:click=move |_| on_close.run(())>{words::CANCEL}</button>
        </div>
    }
    .erase()
}
