//! One conversation of a list: its link and the forms that rename or hide it.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Icon, ReturnTo, Shape};
use crate::api::chat::{ConversationsHide, ConversationsRename};
use crate::domain::conversation::{Conversation, ConversationTitle};
use crate::messages::chat as messages;
use crate::ui::any_view::Erase;
use crate::ui::form_actions::FormActions;

#[component]
pub fn ConversationItem(conversation: Conversation) -> impl IntoView {
    let acts = FormActions::current();
    let id = conversation.conversation_id.to_string();
    let (field, hide) = (format!("title-{id}"), if conversation.hidden { "false" } else { "true" });
    let label = if conversation.hidden { messages::SHOW_AGAIN } else { messages::HIDE };
    view! {
        <li class="conversation-item">
            <a class="conversation-item__title" href=format!("/?c={id}")>{conversation.title.clone()}</a>
            <details class="conversation-item__more">
                <summary class="button button--quiet" aria-label=messages::change_title(&conversation.title)>
                    {messages::CHANGE} <Icon shape=Shape::Chevron/></summary>
                <form class="conversation-item__rename" method="post" action=ConversationsRename::url() on:submit=move |event| acts.submit(event)>
                    <input type="hidden" name="conversation_id" value=id.clone()/>
                    <ReturnTo/>
                    <label class="visually-hidden" for=field.clone()>{messages::TITLE}</label>
                    <input id=field name="title" value=conversation.title required maxlength=ConversationTitle::MAX.to_string() autocomplete="off"/>
                    <button class="button">{messages::RENAME}</button>
                </form>
                <form method="post" action=ConversationsHide::url() on:submit=move |event| acts.submit(event)>
                    <input type="hidden" name="conversation_id" value=id/>
                    <input type="hidden" name="hidden" value=hide/>
                    <ReturnTo/>
                    <button class="button button--quiet">{label}</button>
                </form>
            </details>
        </li>
    }
    .erase()
}
