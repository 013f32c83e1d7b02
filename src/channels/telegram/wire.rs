//! Objects of Telegram's Bot API (10.0), as far as Docket reads them. Fields that are not named here may come and change.

use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Deserialize)]
pub struct Update {
    pub update_id: u32,
    pub message: Option<Message>,
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
    pub forward_origin: Option<IgnoredAny>,
    /// Before version 7.0.
    pub forward_date: Option<IgnoredAny>,
    pub is_from_offline: Option<IgnoredAny>,
    pub is_automatic_forward: Option<IgnoredAny>,
    pub via_bot: Option<IgnoredAny>,
    pub sender_business_bot: Option<IgnoredAny>,
    pub sender_chat: Option<IgnoredAny>,
    pub external_reply: Option<IgnoredAny>,
    pub reply_to_story: Option<IgnoredAny>,
    pub reply_to_message: Option<Answered>,
}

/// The message that another one answers.
#[derive(Deserialize)]
pub struct Answered {
    pub message_id: i64,
}

#[derive(Deserialize)]
pub struct MessageEntity {
    #[serde(rename = "type")]
    pub kind: String,
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

/// The message under which a button was pressed. Its date is 0 where Telegram has forgotten it.
#[derive(Deserialize)]
pub struct MaybeInaccessibleMessage {
    pub message_id: i64,
    pub date: i64,
    pub chat: Chat,
}

/// A message that was sent.
#[derive(Deserialize)]
pub struct Sent {
    pub message_id: i64,
    #[serde(default)]
    pub date: i64,
}

/// The address that the bot's updates go to, and the state of their delivery.
#[derive(Debug, Deserialize)]
pub struct WebhookInfo {
    /// Empty if there is none.
    pub url: String,
    pub pending_update_count: u32,
    pub last_error_message: Option<String>,
}

/// The answer to a call that was done.
#[derive(Deserialize)]
pub struct Done<T> {
    pub result: T,
}

/// The answer to a call that was not done.
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
