//! The page of one approval: works without a script, from a link, on any device.

use leptos::prelude::*;

use crate::api::approvals;
use crate::messages::approvals as messages;
use crate::ui::address::{here, title};
use crate::ui::any_view::Erase;
use crate::ui::components::{ApprovalCard, Each, Failure, Wait, card_key};
use crate::ui::derived::{kept, latest};
use crate::ui::fetch::Fetch;
use crate::ui::live::Live;

#[component]
pub fn ApprovalPage() -> impl IntoView {
    let live = Live::current();
    let address = here();
    let id = kept(move || address.with(|here| here.part(1)).unwrap_or_default());
    let found = Fetch::new(move || approvals::Get { approval_id: id.get(), brief: None }, Some(live.approvals));
    title(messages::APPROVAL);
    view! {
        <div class="page page--narrow">
            <header class="page__head"><h1>{messages::APPROVAL}</h1><a href="/approvals">{messages::ALL_APPROVALS}</a></header>
            <Wait>
                <Failure error=move || found.error()/>
                <Each each=move || found.ok().into_iter().collect() key=card_key let:view>
                    <ApprovalCard view=latest(view, move || found.ok())/>
                </Each>
            </Wait>
        </div>
    }
    .erase()
}
