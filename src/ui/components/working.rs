//! What the agent is doing right now, and Stop.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos::task::spawn_local;

use super::{Icon, Shape};
use crate::api::chat::TurnStop;
use crate::ui::call;
use crate::ui::erase::{Erase, held, part};
use crate::ui::kept::kept;
use crate::ui::live::Live;
use crate::ui::outbox::Outbox;
use crate::words::frame as words;

#[component]
pub fn Working(outbox: Outbox) -> impl IntoView {
    let live = Live::current();
    let progress = kept(move || outbox.progress());
    let step = move || progress.get().map_or_else(|| words::THINKING.to_owned(), |progress| progress.step);
    let said = move || progress.get().map(|progress| progress.said).filter(|said| !said.is_empty());
    // It does not change with each word, or a press on Stop could be lost.
    let busy = kept(move || progress.with(Option::is_some));
    let stop = move |_| {
        if let Some(progress) = progress.get_untracked() {
            spawn_local(async move {
                let turn = call::post(TurnStop::PATH, call::form(&[("turn_id", &progress.turn_id)])).await;
                if turn.is_ok_and(|turn| turn["status"] == "done") {
                    live.progress.set(None);
                }
                live.refresh();
            });
        }
    };
    view! {
        // Not announced piece by piece: the whole reply is, once it is there.
        {held(move || said().map(|said| view! { <p class="working__said">{said}</p> }))}
        <div class="working">
            <span class="working__dots" aria-hidden="true"><i></i><i></i><i></i></span>
            <span>{held(step)}"…"</span>
            {part(move || busy.get().then(|| view! {
                <button type="button" class="button button--quiet" data-keys="Escape" on:click=stop><Icon shape=Shape::Stop/> {words::STOP}</button>
            }))}
        </div>
    }
    .erase()
}
