//! One request, at an address of its own: works without a script, from a link, on any device.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use crate::api::approvals;
use crate::ui::components::ApprovalCard;
use crate::ui::erase::Erase;
use crate::ui::fetch::Fetch;
use crate::ui::kept::kept;
use crate::ui::live::Live;

#[component]
pub fn ApprovalPage() -> impl IntoView {
    let live = Live::current();
    let params = use_params_map();
    let id = kept(move || params.with(|params| params.get("id")).unwrap_or_default());
    let found = Fetch::new(move || approvals::Get { approval_id: id.get() }, Some(live.approvals));
    view! {
        <Title text="Approval"/>
        <div class="page page--narrow">
            <header class="page__head"><h1>"Approval"</h1><a href="/approvals">"All approvals"</a></header>
            <Transition>
                {move || found.get().map(|found| match found {
                    Ok(view) => view! { <ApprovalCard view/> }.erase(),
                    Err(error) => view! { <p class="error" role="alert">{error.message}</p> }.erase(),
                })}
            </Transition>
        </div>
    }
    .erase()
}
