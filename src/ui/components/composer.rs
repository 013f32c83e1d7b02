//! The message input. Enter sends, Shift+Enter starts a new line.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Icon, ReturnTo, Shape};
use crate::api::chat::Chat;
use crate::api::flash::Flash;
use crate::messages::chat as messages;
use crate::raw_text::TextArea;
use crate::ui::any_view::{Erase, held, part};
use crate::ui::browser;
use crate::ui::derived::kept;
use crate::ui::live::Live;
use crate::ui::live_region::LiveRegion;
use crate::ui::send_queue::SendQueue;

/// `shown` is the conversation, empty for a new one, and the sequence of the newest event that its messages include. `form_key` is the
/// plain form's idempotency key; `flash` restores a message that it could not send; `basic` is true without a model.
#[component]
pub fn Composer(
    outbox: SendQueue,
    shown: Signal<(String, i64)>,
    form_key: String,
    flash: Flash,
    basic: bool,
) -> impl IntoView {
    let before = flash.typed(Chat::PATH, "message");
    let error = flash.error_of(Chat::PATH);
    let live = Live::current();
    let send = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        outbox.send_typed();
    };
    let key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && !event.shift_key() && !event.is_composing() {
            event.prevent_default();
            if let Some(input) = outbox.input.get_untracked() {
                browser::submit_form_of(&input);
            }
        }
    };
    let over = move || outbox.over.get();
    let full = kept(move || outbox.queued().is_some());
    let crowded = move || full.get() && outbox.written.get();
    let hint = kept(move || match over() {
        0 if live.lost() => Some(messages::OFFLINE.to_owned()),
        0 if crowded() => Some(messages::ONE_WAITS_ALREADY.to_owned()),
        0 => None,
        over => Some(messages::too_long(over)),
    });
    // Announced once, not with each key press. The lost connection is announced for the whole page.
    let told = LiveRegion::current();
    let stops =
        kept(
            move || {
                if over() > 0 { Some(messages::TOO_LONG) } else { crowded().then_some(messages::ONE_WAITS_ALREADY) }
            },
        );
    Effect::new(move || stops.get().into_iter().for_each(|text| told.announce(text)));
    view! {
        <form class="composer" method="post" action=Chat::url() on:submit=send>
            {error.map(|text| view! { <p class="error" role="alert">{text}</p> })}
            <input type="hidden" name="conversation_id" value=held(move || shown.get().0)/>
            <input type="hidden" name="seen" value=held(move || shown.get().1.to_string())/>
            <input type="hidden" name="client_key" value=form_key/>
            <ReturnTo begins=true/>
            <div class="composer__box">
                <label class="visually-hidden" for="message">{messages::MESSAGE}</label>
                <TextArea text=before.unwrap_or_default() {..} class="composer__input" id="message" name="message" rows="1" required=true
                    placeholder=messages::ASK_OR_SAY enterkeyhint="send" aria-describedby="composer-hint"
                    aria-invalid=held(move || (over() > 0).then_some("true")) node_ref=outbox.input on:keydown=key
                    on:input=move |_| outbox.typed()/>
                <button class="composer__send" aria-label=messages::SEND title=messages::SEND
                    aria-disabled=held(move || (full.get() || over() > 0).then_some("true"))><Icon shape=Shape::Send/></button>
            </div>
            <p class="composer__hint" class=("composer__hint--wrong", held(move || over() > 0)) id="composer-hint">
                {held(move || hint.get())}
            </p>
            {part(move || basic.then(|| view! {
                <p class="composer__basic"><Icon shape=Shape::Gear/> <span>{messages::BASIC_MODE} " " <a href="/settings">{messages::SETTINGS}</a></span></p>
            }))}
        </form>
    }
    .erase_lasting()
}
