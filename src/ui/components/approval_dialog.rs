//! The native dialog that opens at once with the approval that the user's own message needs.

use leptos::html::Dialog;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos::task::spawn_local;

use super::{ApprovalCard, Icon, Shape};
use crate::api::approvals::{self, ApprovalView};
use crate::domain::approval::ApprovalStatus;
use crate::messages::approvals as messages;
use crate::ui::any_view::{Erase, part};
use crate::ui::derived::latest;
use crate::ui::http;

/// Approvals that the dialog shows one after the other, from context.
#[derive(Clone, Copy)]
pub struct ApprovalPrompt {
    /// The approval in the dialog; `None` while the dialog is closed.
    open: RwSignal<Option<ApprovalView>>,
    /// Ids of approvals that open once this one is answered or closed.
    next: StoredValue<Vec<String>>,
}

impl ApprovalPrompt {
    /// Puts a closed prompt into context.
    pub fn provide() {
        provide_context(Self { open: RwSignal::new(None), next: StoredValue::new(vec![]) });
    }

    /// Opens the approval with this id if it is pending and `may_open`. An open approval is never replaced: the new one waits behind it.
    pub fn ask(self, id: String, may_open: Box<dyn Fn() -> bool>) {
        spawn_local(async move {
            let answer = http::get(approvals::Get::PATH, &http::form(&[("approval_id", &id), ("brief", "true")])).await;
            let view = answer.ok().and_then(|answer| http::read::<ApprovalView>(&answer).ok());
            let pending = view.filter(|view| view.approval.status == ApprovalStatus::Pending);
            // The page may be gone when the answer arrives.
            let Some(open) = self.open.try_with_untracked(Option::is_some) else { return };
            match pending {
                Some(_) if open => self.next.update_value(|next| next.push(id)),
                Some(view) if may_open() => self.open.set(Some(view)),
                None if !open => self.open_next(),
                _ => {}
            }
        });
    }

    fn open_next(self) {
        let next = self.next.try_update_value(|next| (!next.is_empty()).then(|| next.remove(0))).flatten();
        if let Some(id) = next {
            self.ask(id, Box::new(|| true));
        }
    }
}

/// Opens when the prompt is set; on close the browser restores the focus. `waiting` has the pending approvals, kept fresh.
#[component]
pub fn ApprovalDialog(#[prop(into)] waiting: Signal<Vec<ApprovalView>>) -> impl IntoView {
    let queue = expect_context::<ApprovalPrompt>();
    let prompt = queue.open;
    let dialog = NodeRef::<Dialog>::new();
    Effect::new(move || {
        if let (true, Some(dialog)) = (prompt.read().is_some(), dialog.get()) {
            // Fails only if the dialog is already open.
            dialog.show_modal().ok();
        }
    });
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    view! {
        <dialog class="approval-dialog" node_ref=dialog aria-label=messages::DOCKET_ASKS on:close=move |_| {
            prompt.set(None);
            queue.open_next();
        }>
            <header class="approval-dialog__head">
                <Icon shape=Shape::Agent/>
                <h2>{messages::DOCKET_ASKS_FIRST}</h2>
                <button type="button" class="approval-dialog__later" on:click=move |_| close()>{messages::DECIDE_LATER}</button>
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
