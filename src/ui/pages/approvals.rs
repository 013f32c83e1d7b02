//! Every request, newest first: those that wait, then those that are decided.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::api::approvals::{ApprovalView, List};
use crate::domain::approval::ApprovalStatus;
use crate::ui::components::{ApprovalCard, EmptyState, Shape};
use crate::ui::erase::Erase;
use crate::ui::fetch::Fetch;
use crate::ui::live::Live;

#[component]
pub fn ApprovalsPage() -> impl IntoView {
    let live = Live::current();
    let found = Fetch::new(|| List { status: None }, Some(live.approvals));
    let of = move |pending: bool| {
        let all = found.ok().unwrap_or_default();
        all.into_iter().filter(|it| (it.approval.status == ApprovalStatus::Pending) == pending).collect::<Vec<_>>()
    };
    let key =
        |view: &ApprovalView| (view.approval.approval_id, view.approval.status.as_str(), view.expires_label.clone());
    view! {
        <Title text="Approvals"/>
        <div class="page page--narrow">
            <header class="page__head"><h1>"Approvals"</h1></header>
            <p class="page__lead">"Docket asks here before it deletes or renames tasks, or changes several at once."</p>
            <Transition>
                {move || found.error().map(|error| view! { <p class="error" role="alert">{error.message}</p> })}
                <For each=move || of(true) key=key let:view><ApprovalCard view/></For>
                {move || (found.ok().is_some() && of(true).is_empty()).then(|| view! {
                    <EmptyState shape=Shape::Shield title="Nothing waits for you">"Ask Docket to delete a task, and it will ask you back."</EmptyState>
                })}
                {move || (!of(false).is_empty()).then(|| view! { <h2>"Decided"</h2> })}
                <For each=move || of(false) key=key let:view><ApprovalCard view/></For>
            </Transition>
        </div>
    }
    .erase()
}
