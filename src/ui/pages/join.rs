//! Behind an invitation or a link to a new password.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::ui::browser;
use crate::ui::components::Brand;
use crate::ui::erase::Erase;
use crate::ui::fetch::Fetch;
use crate::ui::rendered::join::GetJoin;
use crate::ui::rendered::placed;

#[component]
pub fn JoinPage() -> impl IntoView {
    let query = use_query_map();
    let token = move || query.with(|query| query.get("token")).unwrap_or_default();
    let shown = placed(Fetch::new(move || GetJoin { token: token() }, None));
    // The browser's own zone is proposed, unless somebody has typed another.
    Effect::new(move || browser::propose_zone("zone"));
    view! {
        <Title text="Welcome"/>
        <main class="door">
            <div class="door__brand"><Brand/></div>
            <Transition>{shown.clone()}</Transition>
        </main>
    }
    .erase()
}
