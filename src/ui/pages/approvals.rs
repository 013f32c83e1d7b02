//! Every request, newest first: those that wait, then those that are decided.

use leptos::prelude::*;

use crate::api::approvals::List;
use crate::domain::approval::ApprovalStatus;
use crate::ui::address::title;
use crate::ui::components::{ApprovalCard, Each, EmptyState, Failure, Shape, Wait, card_key};
use crate::ui::erase::{Erase, part};
use crate::ui::fetch::Fetch;
use crate::ui::live::Live;
use crate::words::approvals as words;

#[component]
pub fn ApprovalsPage() -> impl IntoView {
    let live = Live::current();
    let found = Fetch::new(|| List { status: None }, Some(live.approvals));
    let of = move |pending: bool| {
        let all = found.ok().unwrap_or_default();
        all.into_iter().filter(|it| (it.approval.status == ApprovalStatus::Pending) == pending).collect::<Vec<_>>()
    };
    title(words::APPROVALS);
    view! {
        <div class="page page--narrow">
            <header class="page__head"><h1>{words::APPROVALS}</h1></header>
            <p class="page__lead">{words::WHEN_DOCKET_ASKS}</p>
            <Wait>
                <Failure error=move || found.error()/>
                <Each each=move || of(true) key=card_key let:view><ApprovalCard view/></Each>
                {part(move || (found.ok().is_some() && of(true).is_empty()).then(|| view! {
                    <EmptyState shape=Shape::Shield title=words::NOTHING_WAITS_FOR_YOU>{words::HOW_TO_BE_ASKED}</EmptyState>
                }))}
                {part(move || (!of(false).is_empty()).then(|| view! { <h2>{words::DECIDED}</h2> }))}
                <Each each=move || of(false) key=card_key let:view><ApprovalCard view/></Each>
            </Wait>
        </div>
    }
    .erase()
}
