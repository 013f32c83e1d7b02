//! One message of a conversation, with the receipts of what its turn did.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{ApprovalCard, Icon, ReceiptLine, ReturnTo, Shape, TaskCard};
use crate::api::chat::{Chat, MessageView, ReceiptState};
use crate::domain::conversation::Speaker;
use crate::domain::decision::DecisionKind;
use crate::ui::erase::{Erase, held};
use crate::ui::kept::{kept, latest as latest_of};
use crate::words::chat as words;

/// `on_choice` sends one of the choices that a question offered; `latest` says whether they are still to be offered. Of `item`,
/// the mentions of tasks in its text, the tasks that it answers with and its request are kept fresh.
#[component]
pub fn MessageItem(
    #[prop(into)] item: Signal<MessageView>,
    #[prop(into)] conversation: String,
    #[prop(into)] latest: Signal<bool>,
    #[prop(into)] on_choice: Callback<String>,
) -> impl IntoView {
    let MessageView { message, at_label, mut receipts, card, listed, .. } = item.get_untracked();
    let lists = !listed.is_empty();
    let listed = kept(move || item.with(|item| item.listed.clone()));
    let html = kept(move || item.with(|item| item.html.clone()));
    if card.is_some() {
        // The card says it, and what became of it.
        receipts.retain(|receipt| receipt.state != ReceiptState::Waiting);
    }
    let mine = message.speaker == Speaker::User;
    let refused = message.decision.is_some_and(|decision| {
        decision.kind == DecisionKind::Refuse || decision.outcome.as_str().starts_with("ERROR:")
    });
    let options = message.options;
    let choices = move || {
        (latest.get() && !options.is_empty()).then(|| {
            let buttons = options.iter().cloned().map(|option| choice(option, conversation.clone(), on_choice));
            view! { <div class="message-item__choices" role="group" aria-label=words::CHOICES>{buttons.collect_view()}</div> }
        })
    };
    let author = if mine { words::YOU } else { words::DOCKET };
    view! {
        <article class="message-item" class=("message-item--mine", mine) class=("message-item--refused", refused)>
            <header class="message-item__head">
                {(!mine).then(|| view! { <Icon shape=Shape::Agent/> })}
                <span class="message-item__author">{author}</span>
                <span class="message-item__at">{at_label}</span>
            </header>
            <div class="message-item__text" inner_html=held(move || html.get())></div>
            {lists.then(|| view! { <TaskCard rows=listed/> })}
            {(!receipts.is_empty()).then(|| view! {
                <ul class="message-item__receipts" aria-label=words::WHAT_WAS_DONE>
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

fn choice(option: String, conversation: String, on_choice: Callback<String>) -> impl IntoView {
    let chosen = option.clone();
    view! {
        <form method="post" action=Chat::url() on:submit=move |event| {
            event.prevent_default();
            on_choice.run(chosen.clone());
        }>
            <input type="hidden" name="message" value=option.clone()/>
            <input type="hidden" name="conversation_id" value=conversation/>
            <ReturnTo/>
            <button class="button">{option}</button>
        </form>
    }
    .erase()
}
