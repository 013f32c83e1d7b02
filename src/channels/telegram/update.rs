//! What Telegram tells, as far as Docket listens: what a person writes or presses in a private chat with the bot.

use frankenstein::types::{ChatType, MaybeInaccessibleMessage, Message, User};
use frankenstein::updates::UpdateContent;

use crate::domain::channel::{ChatId, Press};

/// Something that a person did in their chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The same when Telegram tells it again.
    pub id: u32,
    pub chat: ChatId,
    /// How the person is called there.
    pub name: String,
    pub what: What,
}

/// What it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Text(String),
    /// A button, under the name by which its presser is answered; `None` for one that is not Docket's.
    Press {
        press: Option<Press>,
        answer_to: String,
    },
    /// A photo, a voice, a sticker and the like.
    Other,
}

/// Reads what Telegram sent. `None` for what is nobody's message to the bot: edits, groups, channels, reactions, and kinds that are
/// newer than this program.
pub fn read(body: &[u8]) -> Option<Update> {
    let update: frankenstein::updates::Update = serde_json::from_slice(body).ok()?;
    let id = update.update_id;
    match update.content {
        UpdateContent::Message(message) => message_of(id, *message),
        UpdateContent::CallbackQuery(query) => {
            let chat = match query.message {
                Some(MaybeInaccessibleMessage::Message(message)) => private(&message.chat)?,
                Some(MaybeInaccessibleMessage::InaccessibleMessage(message)) => private(&message.chat)?,
                None => return None,
            };
            let press = query.data.and_then(|data| data.parse().ok());
            let what = What::Press { press, answer_to: query.id };
            Some(Update { id, chat, name: called(&query.from), what })
        }
        _ => None,
    }
}

fn message_of(id: u32, message: Message) -> Option<Update> {
    let chat = private(&message.chat)?;
    let from = message.from.filter(|from| !from.is_bot)?;
    let what = message.text.map_or(What::Other, What::Text);
    Some(Update { id, chat, name: called(&from), what })
}

fn private(chat: &frankenstein::types::Chat) -> Option<ChatId> {
    (chat.type_field == ChatType::Private).then_some(ChatId(chat.id))
}

fn called(user: &User) -> String {
    user.username.as_ref().map_or_else(|| user.first_name.clone(), |name| format!("@{name}"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn message(more: &Value) -> Value {
        let mut message = json!({
            "message_id": 5, "date": 1_770_000_000, "chat": { "id": 77, "type": "private", "first_name": "Ada" },
            "from": { "id": 77, "is_bot": false, "first_name": "Ada", "username": "ada" },
        });
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        message
    }

    fn told(kind: &str, content: &Value) -> Option<Update> {
        read(json!({ "update_id": 9, kind: content }).to_string().as_bytes())
    }

    #[test]
    fn texts_and_buttons_are_heard() {
        let text = told("message", &message(&json!({ "text": "add milk" }))).unwrap();
        assert_eq!((text.id, text.chat, text.name.as_str()), (9, ChatId(77), "@ada"));
        assert_eq!(text.what, What::Text("add milk".into()));
        let press = format!("approve {}", uuid::Uuid::nil());
        let query = json!({
            "id": "q1", "from": { "id": 77, "is_bot": false, "first_name": "Ada" }, "chat_instance": "1",
            "message": message(&json!({})), "data": press,
        });
        let pressed = told("callback_query", &query).unwrap();
        assert_eq!(pressed.what, What::Press { press: press.parse().ok(), answer_to: "q1".into() });
    }

    #[test]
    fn a_photo_is_other_and_the_rest_is_not_for_us() {
        let photo = json!({ "photo": [{ "file_id": "a", "file_unique_id": "b", "width": 1, "height": 1 }] });
        assert_eq!(told("message", &message(&photo)).unwrap().what, What::Other);
        let text = message(&json!({ "text": "add milk" }));
        assert_eq!(told("edited_message", &text), None);
        assert_eq!(told("channel_post", &text), None);
        assert_eq!(told("newer_than_this_program", &json!({})), None);
        let group = message(&json!({ "text": "x", "chat": { "id": -5, "type": "group", "title": "us" } }));
        assert_eq!(told("message", &group), None);
        for junk in ["", "{}", "[]", "{\"update_id\": \"x\"}"] {
            assert_eq!(read(junk.as_bytes()), None);
        }
    }
}
