//! Pending approvals, the oldest first, then decided ones, the newest first; approvals of one turn are one group.

use leptos::prelude::*;

use crate::api::approvals::{ApprovalView, List};
use crate::domain::approval::ApprovalStatus;
use crate::domain::id::TurnId;
use crate::messages::approvals as messages;
use crate::ui::address::title;
use crate::ui::any_view::{Erase, held, part};
use crate::ui::components::{ApprovalCard, Each, EmptyState, Failure, Shape, Wait, card_key};
use crate::ui::derived::{Kept, kept, latest};
use crate::ui::fetch::Fetch;
use crate::ui::live::Live;

#[component]
pub fn ApprovalsPage() -> impl IntoView {
    let live = Live::current();
    let found = Fetch::new(|| List { status: None, brief: Some(true) }, Some(live.approvals));
    title(messages::APPROVALS);
    view! {
        <div class="page page--narrow">
            <header class="page__head"><h1>{messages::APPROVALS}</h1></header>
            <p class="page__lead">{messages::WHEN_DOCKET_ASKS}</p>
            <Wait>
                <Failure error=move || found.error()/>
                <Lists found/>
            </Wait>
        </div>
    }
    .erase()
}

#[component]
fn Lists(found: Fetch<Vec<ApprovalView>>) -> impl IntoView {
    let turns = kept(move || together(&found.ok().unwrap_or_default(), |view| view.approval.turn_id));
    // Approvals of one turn stay together while any of them is pending.
    let of = move |pending: bool| {
        let waits = |all: &[ApprovalView]| all.iter().any(|it| it.approval.status == ApprovalStatus::Pending);
        kept(move || {
            let mut found: Vec<_> =
                turns.with(|turns| turns.iter().filter(|it| waits(&it.1) == pending).cloned().collect());
            // A new one is added at the end, so that no card moves under the pointer.
            if pending {
                found.reverse();
                found.iter_mut().for_each(|it| it.1.reverse());
            }
            found
        })
    };
    let (waiting, decided) = (of(true), of(false));
    view! {
        <Requests turns=waiting/>
        {part(move || (found.ok().is_some() && waiting.with(Vec::is_empty)).then(|| view! {
            <EmptyState shape=Shape::Shield title=messages::NOTHING_WAITS_FOR_YOU>{messages::HOW_TO_BE_ASKED}</EmptyState>
        }))}
        {part(move || (!decided.with(Vec::is_empty)).then(|| view! { <h2>{messages::DECIDED}</h2> }))}
        <Requests turns=decided/>
    }
    .erase()
}

/// Cards grouped by turn; a group of several has their number as its heading.
#[component]
fn Requests(turns: Kept<Vec<(TurnId, Vec<ApprovalView>)>>) -> impl IntoView {
    view! {
        <Each each=move || turns.get() key=|(turn, _)| *turn let((turn, views))>
            {
                let found = move || turns.with(|turns| turns.iter().find(|it| it.0 == turn).map(|it| it.1.clone()));
                let own = latest(views, found);
                let label = kept(move || Some(own.with(Vec::len)).filter(|count| *count > 1).map(messages::asked_together));
                view! {
                    <div class="asked-together" role=held(move || label.get().map(|_| "group")) aria-label=held(move || label.get())>
                        {part(move || label.get().map(|label| view! { <p class="asked-together__head" aria-hidden="true">{label}</p> }))}
                        <Each each=move || own.get() key=card_key let:view>
                            {
                                let id = view.approval.approval_id;
                                let found = move || own.with(|own| own.iter().find(|it| it.approval.approval_id == id).cloned());
                                view! { <ApprovalCard view=latest(view, found)/> }
                            }
                        </Each>
                    </div>
                }
            }
        </Each>
    }
    .erase()
}

/// Groups items by key, in the order of each group's first item.
fn together<T: Clone, K: PartialEq>(items: &[T], key: impl Fn(&T) -> K) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = vec![];
    for item in items {
        let key = key(item);
        match groups.iter_mut().find(|group| group.0 == key) {
            Some(group) => group.1.push(item.clone()),
            None => groups.push((key, vec![item.clone()])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::together;

    #[test]
    fn what_belongs_together_stands_where_its_first_one_stands() {
        let items = [("b", 4), ("a", 3), ("b", 2), ("c", 1)];
        let groups = together(&items, |item| item.0);
        assert_eq!(groups, [("b", vec![("b", 4), ("b", 2)]), ("a", vec![("a", 3)]), ("c", vec![("c", 1)])]);
    }
}
