//! The request that the sender of a message is asked about at once, in a native dialog.

use leptos::html::Dialog;
use leptos::prelude::*;

use super::{ApprovalCard, Icon, Shape};
use crate::api::approvals::ApprovalView;
use crate::ui::erase::{Erase, part};
use crate::ui::kept::latest;
use crate::words::approvals as words;

/// What the dialog asks now, from context; `None` while it is closed.
#[derive(Clone, Copy)]
pub struct ApprovalPrompt(pub RwSignal<Option<ApprovalView>>);

/// The dialog opens when the prompt is set. The browser gives the focus back to where it was. `waiting` are the requests as they
/// stand now.
#[component]
pub fn ApprovalDialog(#[prop(into)] waiting: Signal<Vec<ApprovalView>>) -> impl IntoView {
    let prompt = expect_context::<ApprovalPrompt>().0;
    let dialog = NodeRef::<Dialog>::new();
    Effect::new(move || {
        if let (true, Some(dialog)) = (prompt.read().is_some(), dialog.get()) {
            // It fails only where it is open already.
            dialog.show_modal().ok();
        }
    });
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    view! {
        <dialog class="approval-dialog" node_ref=dialog aria-label=words::DOCKET_ASKS on:close=move |_| prompt.set(None)>
            <header class="approval-dialog__head">
                <Icon shape=Shape::Agent/>
                <h2>{words::DOCKET_ASKS_FIRST}</h2>
                <button type="button" class="approval-dialog__later" on:click=move |_| close()>{words::DECIDE_LATER}</button>
            </header>
            {part(move || prompt.get().map(|view| {
                let id = view.approval.approval_id;
                let found = move || waiting.with(|all| all.iter().find(|it| it.approval.approval_id == id).cloned());
                view! { <ApprovalCard view=latest(view, found) on_sent=close/> }
            }))}
        </dialog>
    }
    .erase()
}
