//! Where a message is written. Enter sends, Shift+Enter starts a new line.

use leptos::html::Textarea;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Icon, ReturnTo, Shape};
use crate::api::chat::Chat;
use crate::api::flash::Flash;
use crate::domain::text::MessageText;
use crate::ui::browser;
use crate::ui::erase::Erase;

/// `conversation` is empty for a new one; `form_key` makes a plain form that is sent twice count once; `flash` brings back a
/// message that a plain form could not send.
#[component]
pub fn Composer(
    input: NodeRef<Textarea>,
    #[prop(into)] conversation: Signal<String>,
    form_key: String,
    flash: Flash,
    #[prop(into)] on_send: Callback<String>,
) -> impl IntoView {
    let before = flash.typed(Chat::PATH, "message");
    let error = flash.error_of(Chat::PATH);
    let send = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(input) = input.get_untracked() else { return };
        let text = input.value();
        if !text.trim().is_empty() {
            input.set_value("");
            on_send.run(text);
        }
    };
    let key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && !event.shift_key() && !event.is_composing() {
            event.prevent_default();
            if let Some(input) = input.get_untracked() {
                browser::submit_form_of(&input);
            }
        }
    };
    view! {
        <form class="composer" method="post" action=Chat::url() on:submit=send>
            {error.map(|text| view! { <p class="error" role="alert">{text}</p> })}
            <input type="hidden" name="conversation_id" value=conversation/>
            <input type="hidden" name="client_key" value=form_key/>
            <ReturnTo/>
            <div class="composer__box">
                <label class="visually-hidden" for="message">"Message"</label>
                <textarea class="composer__input" id="message" name="message" rows="1" required maxlength=MessageText::MAX.to_string()
                    placeholder="Ask, or say what to do…" enterkeyhint="send" node_ref=input on:keydown=key>{before}</textarea>
                <button class="composer__send" aria-label="Send" title="Send"><Icon shape=Shape::Send/></button>
            </div>
        </form>
    }
    .erase_lasting()
}
