//! Every request, newest first: those that wait, then those that are decided.

use leptos::prelude::*;

use crate::api::approvals::List;
use crate::domain::approval::ApprovalStatus;
use crate::ui::address::title;
use crate::ui::components::{ApprovalCard, Each, EmptyState, Failure, Shape, Wait, card_key};
use crate::ui::erase::{Erase, part};
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
    title("Approvals");
    view! {
        <div class="page page--narrow">
            <header class="page__head"><h1>"Approvals"</h1></header>
            <p class="page__lead">"Docket asks here before it deletes or renames tasks, or changes several at once."</p>
            <Wait>
                <Failure error=move || found.error()/>
                <Each each=move || of(true) key=card_key let:view><ApprovalCard view/></Each>
                {part(move || (found.ok().is_some() && of(true).is_empty()).then(|| view! {
                    <EmptyState shape=Shape::Shield title="Nothing waits for you">"Ask Docket to delete a task, and it will ask you back."</EmptyState>
                }))}
                {part(move || (!of(false).is_empty()).then(|| view! { <h2>"Decided"</h2> }))}
                <Each each=move || of(false) key=card_key let:view><ApprovalCard view/></Each>
            </Wait>
        </div>
    }
    .erase()
}
