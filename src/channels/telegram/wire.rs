//! Objects of Telegram's Bot API (10.0), with the fields that Docket reads. Other fields are ignored.

use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Deserialize)]
pub struct Update {
    pub update_id: u32,
    pub message: Option<Message>,
    pub edited_message: Option<Message>,
    pub callback_query: Option<CallbackQuery>,
}

#[derive(Deserialize)]
pub struct Message {
    pub date: i64,
    pub chat: Chat,
    pub from: Option<User>,
    pub text: Option<String>,
    #[serde(default)]
    pub entities: Vec<MessageEntity>,
    /// Text of a photo, a video, a document and the like.
    pub caption: Option<String>,
    #[serde(default)]
    pub caption_entities: Vec<MessageEntity>,
    pub forward_origin: Option<IgnoredAny>,
    /// Used before version 7.0.
    pub forward_date: Option<IgnoredAny>,
    pub is_from_offline: Option<IgnoredAny>,
    pub is_automatic_forward: Option<IgnoredAny>,
    pub via_bot: Option<IgnoredAny>,
    pub sender_business_bot: Option<IgnoredAny>,
    pub sender_chat: Option<IgnoredAny>,
    pub external_reply: Option<IgnoredAny>,
    pub reply_to_story: Option<IgnoredAny>,
    pub reply_to_message: Option<Answered>,
    pub quote: Option<Quote>,
    pub media_group_id: Option<String>,
    /// A service message of the chat, which nobody wrote.
    #[serde(
        alias = "pinned_message",
        alias = "message_auto_delete_timer_changed",
        alias = "write_access_allowed",
        alias = "chat_background_set",
        alias = "boost_added",
        alias = "proximity_alert_triggered",
        alias = "successful_payment",
        alias = "refunded_payment",
        alias = "users_shared",
        alias = "chat_shared",
        alias = "connected_website",
        alias = "web_app_data",
        alias = "gift",
        alias = "unique_gift",
        alias = "checklist_tasks_done",
        alias = "checklist_tasks_added",
        alias = "paid_message_price_changed",
        alias = "suggested_post_info"
    )]
    pub notice: Option<IgnoredAny>,
}

/// The message that a reply refers to.
#[derive(Deserialize)]
pub struct Answered {
    pub message_id: i64,
    pub from: Option<User>,
    pub text: Option<String>,
}

/// The part of another message that a message quotes.
#[derive(Deserialize)]
pub struct Quote {
    #[serde(default)]
    pub text: String,
}

#[derive(Deserialize)]
pub struct MessageEntity {
    #[serde(rename = "type")]
    pub kind: String,
    /// Start and length in UTF-16 units.
    #[serde(default)]
    pub offset: usize,
    #[serde(default)]
    pub length: usize,
    /// Address of a `text_link`.
    pub url: Option<String>,
}

#[derive(Deserialize)]
pub struct Chat {
    pub id: i64,
    #[serde(rename = "type")]
    pub kind: String,
}

#[derive(Deserialize)]
pub struct User {
    pub id: i64,
    pub is_bot: bool,
    pub first_name: String,
    pub username: Option<String>,
}

#[derive(Deserialize)]
pub struct CallbackQuery {
    pub id: String,
    pub from: User,
    pub data: Option<String>,
    pub message: Option<MaybeInaccessibleMessage>,
}

/// The message whose button was pressed. Its date is 0 if Telegram no longer has it.
#[derive(Deserialize)]
pub struct MaybeInaccessibleMessage {
    pub message_id: i64,
    pub date: i64,
    pub chat: Chat,
}

#[derive(Deserialize)]
pub struct Sent {
    pub message_id: i64,
    #[serde(default)]
    pub date: i64,
}

/// The registered webhook and the state of its delivery.
#[derive(Debug, Deserialize)]
pub struct WebhookInfo {
    /// Empty if there is none.
    pub url: String,
    pub pending_update_count: u32,
    pub last_error_message: Option<String>,
}

/// A successful answer.
#[derive(Deserialize)]
pub struct Done<T> {
    pub result: T,
}

/// An unsuccessful answer.
#[derive(Deserialize)]
pub struct Undone {
    pub description: String,
    pub parameters: Option<ResponseParameters>,
}

#[derive(Deserialize)]
pub struct ResponseParameters {
    /// Seconds.
    pub retry_after: Option<u16>,
}
