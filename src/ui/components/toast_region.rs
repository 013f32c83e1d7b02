//! Toasts, in a status region that exists from the start, and reminders that await an answer.

use std::time::Duration;

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Each, Icon, ReturnTo, Shape};
use crate::api::ApiError;
use crate::api::error::Code;
use crate::api::flash::Flash;
use crate::api::reminders::Snooze;
use crate::api::tasks::{Complete, Undo};
use crate::messages::layout as messages;
use crate::ui::any_view::{Erase, held, part};
use crate::ui::derived::kept;
use crate::ui::form_actions::FormActions;
use crate::ui::live::Live;
use crate::ui::reminders::{Reminder, Reminders};
use crate::ui::send_queue::SendQueue;
use crate::ui::toaster::{Toast, Toaster};

/// Time that the restored connection is shown.
const BACK: Duration = Duration::from_secs(5);
/// Time that a toast stays after it last had the pointer or the focus.
const STAY: Duration = Duration::from_secs(10);
/// Most reminders to show at once; the others follow as these are answered.
const AT_ONCE: usize = 2;

/// `flash` is the message that a plain form left for this page.
#[component]
pub fn ToastRegion(#[prop(into)] flash: Signal<Flash>) -> impl IntoView {
    let toaster = Toaster::current();
    let live = Live::current();
    let dismissed = RwSignal::new(false);
    let still = RwSignal::new(false);
    let reminders = Reminders::current();
    let more = move || reminders.all().len().saturating_sub(AT_ONCE);
    let shown = move || {
        toaster.0.get().or_else(|| {
            let flash = flash.get();
            let failed = flash.stray_error().map(|text| Toast::failure(text, flash.rest.clone()));
            let said = failed.or_else(|| Toast::of(flash));
            said.filter(|_| !dismissed.get())
        })
    };
    let outbox = SendQueue::current();
    let lost = kept(move || live.lost());
    // An unsent message reports the lost connection itself, and again when it is retried.
    let was_said = RwSignal::new(false);
    Effect::new(move || was_said.set(lost.get() && (outbox.stuck() || was_said.get_untracked())));
    let said = kept(move || outbox.stuck() || was_said.get());
    let back = RwSignal::new(false);
    Effect::new(move |before: Option<(bool, Option<TimeoutHandle>)>| {
        let now = lost.get();
        let (was_lost, timer) = before.unwrap_or_default();
        if now == was_lost {
            return (now, timer);
        }
        if let Some(timer) = timer {
            timer.clear();
        }
        back.set(was_lost);
        let end = move || {
            back.try_set(false);
        };
        (now, was_lost.then(|| set_timeout_with_handle(end, BACK).ok()).flatten())
    });
    let clear = move || {
        dismissed.set(true);
        toaster.clear();
    };
    Effect::new(move |timer: Option<Option<TimeoutHandle>>| {
        if let Some(timer) = timer.flatten() {
            timer.clear();
        }
        (shown().is_some() && !still.get()).then(|| set_timeout_with_handle(clear, STAY).ok()).flatten()
    });
    view! {
        <div class="toast-region">
            // Each is announced when it appears, without the others.
            <div class="toast-region__reminders" role="region" aria-live="polite" aria-label=messages::REMINDERS>
                <Each each=move || reminders.all().into_iter().take(AT_ONCE).collect() key=|it: &Reminder| it.clone()
                    children=reminder_view/>
                {part(move || (more() > 0).then(|| {
                    view! { <p class="toast-region__toast toast-region__more">{held(move || messages::more_reminders(more()))}</p> }
                }))}
            </div>
            <div role="status" on:mouseenter=move |_| still.set(true) on:mouseleave=move |_| still.set(false)
                on:focusin=move |_| still.set(true) on:focusout=move |_| still.set(false)>
                {part(move || shown().filter(|toast| !toast.failed).map(|toast| toast_view(toast, clear)))}
                {part(move || back.get().then(|| connection(Shape::Check, messages::CONNECTION_RESTORED)))}
            </div>
            <div role="alert">
                {part(move || shown().filter(|toast| toast.failed).map(|toast| toast_view(toast, clear)))}
                {part(move || (lost.get() && !said.get()).then(|| connection(Shape::Alert, messages::CONNECTION_LOST)))}
            </div>
            {part(move || (lost.get() && said.get()).then(|| connection(Shape::Alert, messages::CONNECTION_LOST)))}
        </div>
    }
    .erase()
}

fn connection(shape: Shape, text: &'static str) -> impl IntoView {
    view! {
        <p class="toast-region__toast toast-region__toast--connection">
            <Icon shape/>
            <span class="toast-region__text">{text}</span>
        </p>
    }
    .erase()
}

/// A reminder with its actions. Only pages with a script show reminders.
fn reminder_view(reminder: Reminder) -> impl IntoView {
    let (acts, reminders) = (FormActions::current(), Reminders::current());
    let task = reminder.task;
    let answers = [(Complete::url(), messages::DONE), (Snooze::url(), messages::IN_AN_HOUR)].map(|(url, label)| {
        let back = reminder.clone();
        let answered = move |answer: Result<_, ApiError>| match answer {
            Ok(_) => {}
            // Answered elsewhere.
            Err(error) if matches!(error.code, Code::Conflict | Code::NotFound) => {}
            Err(_) => reminders.put_back(back),
        };
        view! {
            <form method="post" action=url on:submit=move |event| {
                acts.submit_then(event, answered.clone());
                reminders.answer(task);
            }>
                <input type="hidden" name="task_id" value=task/>
                <button class="toast-region__button">{label}</button>
            </form>
        }
    });
    view! {
        <div class="toast-region__toast">
            <Icon shape=Shape::Clock/>
            <span class="toast-region__text">{messages::due_now(&reminder.title)}</span>
            <div class="toast-region__answers">
                {answers}
                <button type="button" class="toast-region__button" aria-label=messages::DISMISS on:click=move |_| reminders.answer(task)>
                    <Icon shape=Shape::Cross/>
                </button>
            </div>
        </div>
    }
    .erase()
}

fn toast_view(toast: Toast, clear: impl Fn() + Copy + 'static) -> impl IntoView {
    let acts = FormActions::current();
    let shape = if toast.failed { Shape::Alert } else { Shape::Check };
    let label = if toast.rest.is_some() { messages::UNDO_THE_REST } else { messages::UNDO };
    let in_part = toast.rest.is_some().then(|| ("rest".to_owned(), "true".to_owned()));
    let whole = toast.undo.into_iter().map(|change| ("change_id".to_owned(), change));
    let fields: Vec<_> = toast.rest.into_iter().chain(in_part).chain(whole).collect();
    let undo = (!fields.is_empty()).then(|| {
        let fields = fields.into_iter().map(|(name, value)| view! { <input type="hidden" name=name value=value/> });
        view! {
            <form method="post" action=Undo::url() on:submit=move |event| {
                acts.submit(event);
                clear();
            }>
                {fields.collect_view()}
                <ReturnTo/>
                <button class="toast-region__button"><Icon shape=Shape::Undo/> {label}</button>
            </form>
        }
    });
    let again = toast.again.map(|(path, form)| {
        let send = move |_| {
            clear();
            acts.post(&path, form.clone(), |_| ());
        };
        view! {
            <button type="button" class="toast-region__button" on:click=send><Icon shape=Shape::Repeat/> {messages::TRY_AGAIN}</button>
        }
    });
    view! {
        <div class="toast-region__toast" class=("toast-region__toast--failed", toast.failed) class=("toast-region__toast--verdict", toast.verdict)>
            <Icon shape/>
            <span class="toast-region__text">{toast.text}</span>
            {undo}
            {again}
            <button type="button" class="toast-region__button" aria-label=messages::DISMISS on:click=move |_| clear()>
                <Icon shape=Shape::Cross/>
            </button>
        </div>
    }
    .erase()
}
