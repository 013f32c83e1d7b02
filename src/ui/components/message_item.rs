//! One message of a conversation, with the receipts of what its turn did.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{ApprovalCard, Icon, ReceiptLine, ReturnTo, Shape, TaskCard};
use crate::api::chat::{Chat, MessageView, ReceiptState};
use crate::api::tasks::TaskRow;
use crate::domain::conversation::Speaker;
use crate::domain::decision::DecisionKind;
use crate::ui::erase::{Erase, Piece};

/// `on_choice` sends one of the choices that a question offered; `latest` says whether they are still to be offered; `listed`
/// are the tasks that it answers with, kept fresh.
#[component]
pub fn MessageItem(
    item: MessageView,
    #[prop(into)] listed: Signal<Vec<TaskRow>>,
    #[prop(into)] conversation: String,
    #[prop(into)] latest: Signal<bool>,
    #[prop(into)] on_choice: Callback<String>,
) -> impl IntoView {
    let MessageView { mut message, at_label, mut receipts, card, listed: first } = item;
    let lists = !first.is_empty();
    if lists {
        message.text = without_entries(&message.text, &first);
    }
    if card.is_some() {
        // Its buttons say so.
        if let Some(question) = message.text.strip_suffix(" (yes/no)") {
            message.text = question.to_owned();
        }
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
            view! { <div class="message-item__choices" role="group" aria-label="Choices">{buttons.collect_view()}</div> }
        })
    };
    let author = if mine { "You" } else { "Docket" };
    view! {
        <article class="message-item" class=("message-item--mine", mine) class=("message-item--refused", refused)>
            <header class="message-item__head">
                {(!mine).then(|| view! { <Icon shape=Shape::Agent/> })}
                <span class="message-item__author">{author}</span>
                <span class="message-item__at">{at_label}</span>
            </header>
            <p class="message-item__text">{linked(&message.text)}</p>
            {lists.then(|| view! { <TaskCard rows=listed/> })}
            {(!receipts.is_empty()).then(|| view! {
                <ul class="message-item__receipts" aria-label="What was done">
                    {receipts.into_iter().map(|receipt| view! { <ReceiptLine receipt/> }).collect_view()}
                </ul>
            })}
            {card.map(|view| view! { <ApprovalCard view/> })}
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

/// The text without the entries of a list that the card shows.
fn without_entries(text: &str, rows: &[TaskRow]) -> String {
    let shown = |line: &str| {
        let entry = line.trim_start().starts_with(|c: char| c.is_ascii_digit() || "-*•".contains(c));
        entry && rows.iter().any(|row| line.contains(&("(#".to_owned() + &row.task.task_id.to_string() + ")")))
    };
    text.lines().filter(|line| !shown(line)).collect::<Vec<_>>().join("\n")
}

/// The text with every `#42` as a link to that task.
fn linked(text: &str) -> Vec<Piece> {
    let mut views = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('#') {
        let digits = rest[start + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let end = start + 1 + digits;
        if digits > 0 {
            views.push(rest[..start].to_owned().erase());
            let number = &rest[start + 1..end];
            let href = format!("/tasks/{number}");
            views.push(view! { <a href=href>"#"{number.to_owned()}</a> }.erase());
        } else {
            views.push(rest[..end].to_owned().erase());
        }
        rest = &rest[end..];
    }
    views.push(rest.to_owned().erase());
    views
}
