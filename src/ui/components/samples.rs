//! The offer of a list to try things with, and the way to be rid of it.

use std::sync::atomic::{AtomicBool, Ordering};

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::ReturnTo;
use crate::api::tasks::{AddSamples, RemoveSamples};
use crate::ui::acts::Acts;
use crate::ui::browser;
use crate::ui::erase::part;
use crate::ui::kept::kept;
use crate::words::tasks as words;

/// What gets the focus after a press: the first task, or where there is none the next offer.
const NEXT: &[&str] = &[".task-item__check", ".samples>.button", "#main"];

/// Whether an offer of this page was pressed: another may stand in its place by the time that the list has changed.
static PRESSED: AtomicBool = AtomicBool::new(false);

/// `there` samples stand in the list; 0 offers them, `None` says nothing.
#[component]
pub fn Samples(#[prop(into)] there: Signal<Option<usize>>) -> impl IntoView {
    let acts = Acts::current();
    let there = kept(move || there.get());
    // The button that was pressed goes, and would take the focus with it.
    Effect::new(move |before: Option<Option<usize>>| {
        let now = there.get();
        if before.is_some_and(|before| before != now) && PRESSED.swap(false, Ordering::Relaxed) {
            browser::focus_one_of(NEXT);
        }
        now
    });
    let send = move |event: SubmitEvent| {
        PRESSED.store(true, Ordering::Relaxed);
        acts.send_then(event, move |answer| {
            if answer.is_err() {
                PRESSED.store(false, Ordering::Relaxed);
            }
        });
    };
    part(move || {
        there.get().map(|there| {
            let (url, text, label) = match there {
                0 => (AddSamples::url(), words::FIVE_TASKS_TO_TRY.to_owned(), words::ADD_A_SAMPLE_LIST),
                there => (RemoveSamples::url(), words::are_samples(there), words::REMOVE_THE_SAMPLES),
            };
            view! {
                <form class="samples" class=("samples--offer", there == 0) method="post" action=url on:submit=send>
                    <ReturnTo/>
                    <p class="samples__text">{text}</p>
                    <button class="button">{label}</button>
                </form>
            }
        })
    })
}
