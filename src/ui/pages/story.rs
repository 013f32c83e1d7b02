//! One turn of the record, told from beginning to end, at an address of its own.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::api::audit::TurnStory;
use crate::ui::erase::Erase;
use crate::ui::fetch::Fetch;
use crate::ui::kept::kept;

#[component]
pub fn StoryPage() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let turn = kept(move || params.with(|params| params.get("id")).unwrap_or_default());
    let replay = kept(move || query.with(|query| query.get("replay")));
    // It is past; and an admin's every look is recorded, so nothing asks for it again.
    let found = Fetch::new(move || TurnStory { turn_id: turn.get(), replay: replay.get() }, None);
    view! {
        <Title text="Turn"/>
        <div class="page page--wide story">
            <header class="page__head"><h1>"Turn"</h1><a href="/audit">"All turns"</a></header>
            <Transition>
                {move || found.get().map(|found| match found {
                    Ok(html) => view! { <div class="story__whole" inner_html=html></div> }.erase(),
                    Err(error) => view! { <p class="error" role="alert">{error.message}</p> }.erase(),
                })}
            </Transition>
        </div>
    }
    .erase()
}
