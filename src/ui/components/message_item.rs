//! One message of a conversation, with the receipts of its turn.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{ApprovalCard, Icon, ReceiptLine, ReturnTo, Shape, TaskCard};
use crate::api::chat::{Chat, MessageView, ReceiptState};
use crate::domain::conversation::{Speaker, Standing};
use crate::messages::chat as messages;
use crate::ui::any_view::{Erase, held};
use crate::ui::derived::{kept, latest as latest_of};

/// A message to send with one press: its text, true if it is one of the options of a question, and its idempotency key or nothing.
pub type Choice = (String, bool, String);

/// `on_choice` sends a choice that a question offered; `latest` is true while choices are to be offered. `shown` is the
/// conversation and the sequence of the newest event that its messages include. The mentions, the listed tasks and the
/// approval of `item` are kept fresh.
#[component]
pub fn MessageItem(
    #[prop(into)] item: Signal<MessageView>,
    shown: Signal<(String, i64)>,
    #[prop(into)] latest: Signal<bool>,
    on_choice: Callback<Choice>,
) -> impl IntoView {
    let MessageView { message, at_label, mut receipts, card, listed, again, .. } = item.get_untracked();
    let lists = !listed.is_empty();
    let listed = kept(move || item.with(|item| item.listed.clone()));
    let html = kept(move || item.with(|item| item.html.clone()));
    if card.is_some() {
        // The card replaces the receipt of the pending call.
        receipts.retain(|receipt| receipt.state != ReceiptState::Waiting);
    }
    let mine = message.speaker == Speaker::User;
    let standing = standing(message.standing);
    // An option is sent verbatim; a retry sends the user's own words.
    let options = message.options.into_iter().map(|option| (option.clone(), option, true));
    let options = options.chain(again.map(|words| (messages::TRY_AGAIN.to_owned(), words, false)));
    // Pressing a choice twice sends one message.
    let key = |at: usize| format!("choice.{}.{at}", message.message_id);
    let options: Vec<_> =
        options.enumerate().map(|(at, (label, text, option))| (label, (text, option, key(at)))).collect();
    let choices = move || {
        (latest.get() && !options.is_empty()).then(|| {
            let buttons = options.iter().cloned().map(|option| choice(option, shown, on_choice));
            view! { <div class="message-item__choices" role="group" aria-label=messages::CHOICES>{buttons.collect_view()}</div> }
        })
    };
    let author = if mine { messages::YOU } else { messages::DOCKET };
    view! {
        <article class="message-item" class=("message-item--mine", mine)>
            <header class="message-item__head">
                {(!mine).then(|| view! { <Icon shape=Shape::Agent/> })}
                <span class="message-item__author">{author}</span>
                <span class="message-item__at">{at_label}</span>
                {standing.map(|(shape, class, word)| view! {
                    <span class=format!("message-item__standing message-item__standing--{class}")><Icon shape/> {word}</span>
                })}
            </header>
            <div class="message-item__text" inner_html=held(move || html.get())></div>
            {lists.then(|| view! { <TaskCard rows=listed/> })}
            {(!receipts.is_empty()).then(|| view! {
                <ul class="message-item__receipts" aria-label=messages::WHAT_WAS_DONE>
                    {receipts.into_iter().map(|receipt| view! { <ReceiptLine receipt/> }).collect_view()}
                </ul>
            })}
            {card.map(|card| {
                let view = latest_of(card, move || item.with(|item| item.card.clone()));
                view! { <ApprovalCard view/> }
            })}
            {choices}
        </article>
    }
    .erase()
}

/// Returns icon, CSS modifier and label of a message that is not a complete answer.
fn standing(standing: Standing) -> Option<(Shape, &'static str, &'static str)> {
    match standing {
        Standing::Whole => None,
        Standing::Stopped => Some((Shape::Stop, "stopped", messages::STOPPED)),
        Standing::Limited => Some((Shape::Stop, "limited", messages::STEP_LIMIT)),
        Standing::Failed => Some((Shape::Alert, "failed", messages::FAILED)),
        Standing::Refused => Some((Shape::Cross, "refused", messages::NOT_DONE)),
    }
}

fn choice(
    (label, choice): (String, Choice),
    shown: Signal<(String, i64)>,
    on_choice: Callback<Choice>,
) -> impl IntoView {
    let (text, option, key) = choice.clone();
    let (conversation, seen) = shown.get_untracked();
    view! {
        <form method="post" action=Chat::url() on:submit=move |event| {
            event.prevent_default();
            on_choice.run(choice.clone());
        }>
            <input type="hidden" name="message" value=text/>
            <input type="hidden" name="conversation_id" value=conversation/>
            <input type="hidden" name="seen" value=seen.to_string()/>
            <input type="hidden" name="option" value=option.to_string()/>
            <input type="hidden" name="client_key" value=key/>
            <ReturnTo/>
            <button class="button">{label}</button>
        </form>
    }
    .erase()
}
