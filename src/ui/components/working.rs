//! The progress of a running turn, and Stop.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Icon, ReturnTo, Shape};
use crate::api::chat::TurnStop;
use crate::messages::layout as messages;
use crate::ui::any_view::{Erase, held, part};
use crate::ui::derived::{Kept, kept};
use crate::ui::form_actions::FormActions;
use crate::ui::live::Live;
use crate::ui::turns::Progress;

/// `progress` is `None` while the message is being sent.
#[component]
pub fn Working(progress: Kept<Option<Progress>>) -> impl IntoView {
    let (live, acts) = (Live::current(), FormActions::current());
    let step = move || progress.get().map_or_else(|| messages::THINKING.to_owned(), |progress| progress.step);
    // Text for a long wait; empty while the reply streams in.
    let waits_for = kept(move || {
        progress.with(|progress| match progress {
            None => messages::ON_ITS_WAY,
            Some(it) if !it.said.is_empty() => "",
            Some(_) => messages::NO_ANSWER_YET,
        })
    });
    let said = move || progress.get().map(|progress| progress.said).filter(|said| !said.is_empty());
    // A memo that does not change with each delta, or a press on Stop could be lost.
    let turn = kept(move || progress.with(|progress| progress.as_ref().map(|it| it.turn_id.clone())));
    let stop = move |event: leptos::ev::SubmitEvent| {
        acts.submit_then(event, move |answer| {
            if let Ok(turn) = answer
                && turn["status"] == "done"
            {
                live.turns.try_update(|turns| turns.end(turn["turn_id"].as_str().unwrap_or_default()));
            }
        });
    };
    view! {
        // Not announced delta by delta: the complete reply is.
        {held(move || said().map(|said| view! { <p class="working__said">{said}</p> }))}
        <div class="working">
            <span class="working__dots" aria-hidden="true"><i></i><i></i><i></i></span>
            <span>{held(step)}"… "<span class="working__wait">{held(move || waits_for.get())}</span></span>
            {part(move || turn.get().map(|turn| view! {
                <form method="post" action=TurnStop::url() on:submit=stop>
                    <input type="hidden" name="turn_id" value=turn/>
                    <ReturnTo/>
                    <button class="button button--quiet" data-keys="Escape"><Icon shape=Shape::Stop/> {messages::STOP}</button>
                </form>
            }))}
        </div>
    }
    .erase()
}
