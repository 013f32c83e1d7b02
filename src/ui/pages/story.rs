//! One turn of the record, told from beginning to end, at an address of its own.

use leptos::prelude::*;

use crate::api::audit::TurnStory;
use crate::ui::address::{here, title};
use crate::ui::components::Wait;
use crate::ui::erase::Erase;
use crate::ui::fetch::Fetch;
use crate::ui::kept::kept;
use crate::ui::rendered::html;
use crate::words::story as words;

#[component]
pub fn StoryPage() -> impl IntoView {
    let address = here();
    let turn = kept(move || address.with(|here| here.part(1)).unwrap_or_default());
    let replay = kept(move || address.with(|here| here.field("replay")));
    // It is past; and an admin's every look is recorded, so nothing asks for it again.
    let found = Fetch::new(move || TurnStory { turn_id: turn.get(), replay: replay.get() }, None);
    title(words::TURN);
    view! {
        <div class="page page--wide story">
            <header class="page__head"><h1>{words::TURN}</h1><a href="/audit">{words::ALL_TURNS}</a></header>
            <Wait>
                {html("story__whole", move || found.get())}
            </Wait>
        </div>
    }
    .erase()
}
