//! The offer of sample tasks, and the button that removes them.

use std::sync::atomic::{AtomicBool, Ordering};

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::ReturnTo;
use crate::api::tasks::{AddSamples, RemoveSamples};
use crate::messages::tasks as messages;
use crate::ui::any_view::part;
use crate::ui::browser;
use crate::ui::derived::kept;
use crate::ui::form_actions::FormActions;

/// Focus after a press: the first task, or the next offer if there is none.
const NEXT: &[&str] = &[".task-item__check", ".samples>.button", "#main"];

/// True after an offer was pressed. Static, since another component may show the next offer.
static PRESSED: AtomicBool = AtomicBool::new(false);

/// `there` is the number of samples in the list: 0 shows the offer, `None` shows nothing.
#[component]
pub fn Samples(#[prop(into)] there: Signal<Option<usize>>) -> impl IntoView {
    let acts = FormActions::current();
    let there = kept(move || there.get());
    // The pressed button is removed, and would take the focus with it.
    Effect::new(move |before: Option<Option<usize>>| {
        let now = there.get();
        if before.is_some_and(|before| before != now) && PRESSED.swap(false, Ordering::Relaxed) {
            browser::focus_one_of(NEXT);
        }
        now
    });
    let send = move |event: SubmitEvent| {
        PRESSED.store(true, Ordering::Relaxed);
        acts.submit_then(event, move |answer| {
            if answer.is_err() {
                PRESSED.store(false, Ordering::Relaxed);
            }
        });
    };
    part(move || {
        there.get().map(|there| {
            let (url, text, label) = match there {
                0 => (AddSamples::url(), messages::FIVE_TASKS_TO_TRY.to_owned(), messages::ADD_A_SAMPLE_LIST),
                there => (RemoveSamples::url(), messages::are_samples(there), messages::REMOVE_THE_SAMPLES),
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
