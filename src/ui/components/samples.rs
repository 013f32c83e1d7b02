//! The offer of a list to try things with, and the way to be rid of it.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::ReturnTo;
use crate::api::tasks::{AddSamples, RemoveSamples};
use crate::ui::acts::Acts;
use crate::ui::erase::part;
use crate::ui::kept::kept;
use crate::words::tasks as words;

/// `there` samples stand in the list; 0 offers them, `None` says nothing.
#[component]
pub fn Samples(#[prop(into)] there: Signal<Option<usize>>) -> impl IntoView {
    let acts = Acts::current();
    let there = kept(move || there.get());
    part(move || {
        there.get().map(|there| {
            let (url, text, label) = match there {
                0 => (AddSamples::url(), words::FIVE_TASKS_TO_TRY.to_owned(), words::ADD_A_SAMPLE_LIST),
                there => (RemoveSamples::url(), words::are_samples(there), words::REMOVE_THE_SAMPLES),
            };
            view! {
                <form class="samples" class=("samples--offer", there == 0) method="post" action=url on:submit=move |event| acts.send(event)>
                    <ReturnTo/>
                    <p class="samples__text">{text}</p>
                    <button class="button">{label}</button>
                </form>
            }
        })
    })
}
