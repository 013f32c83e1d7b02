//! The receipt of a tool call in one line, with Undo if the change can be undone.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Icon, ReturnTo, Shape};
use crate::api::chat::{Receipt, ReceiptState};
use crate::api::tasks::Undo;
use crate::messages::receipts as messages;
use crate::ui::any_view::Erase;
use crate::ui::form_actions::FormActions;

#[component]
pub fn ReceiptLine(receipt: Receipt) -> impl IntoView {
    let acts = FormActions::current();
    let (shape, tone) = match receipt.state {
        ReceiptState::Read => (Shape::Eye, "read"),
        ReceiptState::Done => (Shape::Check, "done"),
        ReceiptState::Undone => (Shape::Undo, "undone"),
        ReceiptState::Waiting => (Shape::Clock, "waiting"),
        ReceiptState::Unchanged => (Shape::Cross, "unchanged"),
        ReceiptState::Failed => (Shape::Alert, "failed"),
    };
    let id = receipt.invocation_id.to_string();
    let undo = receipt.can_undo.then(|| {
        let label = messages::undo_of(&receipt.verb, &receipt.text);
        view! {
            <form method="post" action=Undo::url() on:submit=move |event| acts.submit(event)>
                <input type="hidden" name="invocation_id" value=id.clone()/>
                <ReturnTo/>
                <button class="receipt-line__undo" aria-label=label><Icon shape=Shape::Undo/> {messages::UNDO}</button>
            </form>
        }
    });
    let task = receipt.task.map(|number| {
        view! {
            <span class="receipt-line__number">"#"{number.to_string()}</span>
        }
    });
    view! {
        <li class=format!("receipt-line receipt-line--{tone}")>
            <Icon shape/>
            <p class="receipt-line__text">
                {(receipt.state == ReceiptState::Undone).then_some(messages::UNDONE)}
                <strong>{receipt.verb}</strong> " " {task} " " {receipt.text}
                {receipt.details.into_iter().map(|detail| view! { <span class="receipt-line__detail">{detail}</span> }).collect_view()}
            </p>
            {undo}
        </li>
    }
    .erase()
}
