//! What Telegram tells, as far as Docket listens: what a person writes or presses in a private chat with the bot.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::wire::{self, CallbackQuery, Chat, Message, MessageEntity, User};
use crate::domain::channel::{ChatId, Press};

/// Something that a person did in their chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The same when Telegram tells it again.
    pub id: u32,
    pub chat: ChatId,
    /// How the person is called there.
    pub name: String,
    /// Telegram's time of the message that was written, or under which a button was pressed, in seconds since 1970.
    pub date: i64,
    pub what: What,
}

/// What it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Text(Text),
    /// A button of a message, under the name by which its presser is answered; `None` for one that is not Docket's.
    Press {
        press: Option<Press>,
        message: i64,
        answer_to: String,
    },
    /// A photo, a voice, a sticker and the like.
    Other,
}

/// A written message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// True if all of it is the sender's own: neither forwarded, nor made by a bot, nor quoted or struck out.
    pub is_own: bool,
    /// The message that it answers, where it answers one.
    pub answers: Option<i64>,
}

#[cfg(test)]
impl Text {
    /// A message of the sender's own that answers none.
    pub fn own(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_own: true, answers: None }
    }
}

/// What should have been an update and cannot be read. It says where, and nothing of what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("update {id:?} cannot be read from line {line}, column {column}")]
pub struct Unreadable {
    /// Its number, where that can be read.
    pub id: Option<u32>,
    line: usize,
    column: usize,
}

/// The kinds of update that Docket asks for.
#[derive(Deserialize)]
struct Kinds {
    update_id: u32,
    message: Option<IgnoredAny>,
    callback_query: Option<IgnoredAny>,
}

/// Reads what Telegram sent. `None` for what is nobody's message to the bot: edits, groups, channels, reactions, and kinds that are
/// newer than this program.
///
/// # Errors
/// For what is no update, or is a message or the press of a button and is not written as this program knows them.
pub fn read(body: &[u8]) -> Result<Option<Update>, Unreadable> {
    let unreadable = |id, error: serde_json::Error| Unreadable { id, line: error.line(), column: error.column() };
    let kinds: Kinds = serde_json::from_slice(body).map_err(|error| unreadable(None, error))?;
    if kinds.message.is_none() && kinds.callback_query.is_none() {
        return Ok(None);
    }
    let update: wire::Update =
        serde_json::from_slice(body).map_err(|error| unreadable(Some(kinds.update_id), error))?;
    let written = update.message.and_then(|message| message_of(update.update_id, message));
    Ok(written.or_else(|| update.callback_query.and_then(|query| press_of(update.update_id, query))))
}

fn press_of(id: u32, query: CallbackQuery) -> Option<Update> {
    let message = query.message?;
    let chat = private(&message.chat)?;
    let press: Option<Press> = query.data.and_then(|data| data.parse().ok());
    let press = press.filter(|_| is_of(&query.from, chat));
    let what = What::Press { press, message: message.message_id, answer_to: query.id };
    Some(Update { id, chat, name: called(&query.from), date: message.date, what })
}

fn message_of(id: u32, message: Message) -> Option<Update> {
    let chat = private(&message.chat)?;
    let from = message.from.as_ref().filter(|from| !from.is_bot)?;
    let (name, date) = (called(from), message.date);
    let (is_own, answers) = (is_of(from, chat) && has_own_words(&message), answered(&message));
    let what = message.text.map_or(What::Other, |text| What::Text(Text { text, is_own, answers }));
    Some(Update { id, chat, name, date, what })
}

/// Returns true if the chat is this person's: a private one has the number of the person in it.
fn is_of(person: &User, chat: ChatId) -> bool {
    !person.is_bot && person.id == chat.0
}

/// Returns true if nobody else wrote any of the message, and its sender marked nothing as said by others or taken back.
fn has_own_words(message: &Message) -> bool {
    let others = message.forward_origin.is_some()
        || message.forward_date.is_some()
        // Scheduled: written before whatever it seems to answer.
        || message.is_from_offline.is_some()
        || message.is_automatic_forward.is_some()
        || message.via_bot.is_some()
        || message.sender_business_bot.is_some()
        || message.sender_chat.is_some();
    // Every other kind marks words as said by others, as taken back or as code, or is newer than this program.
    const PLAIN: &str = "mention|hashtag|cashtag|bot_command|url|email|phone_number|bold|italic|underline|text_link|text_mention|custom_emoji";
    let quotes = |entity: &MessageEntity| PLAIN.split('|').all(|kind| kind != entity.kind);
    !others && !message.entities.iter().any(quotes)
}

/// The message that this one answers; 0 for what stands in no message of the chat.
fn answered(message: &Message) -> Option<i64> {
    let elsewhere = message.external_reply.is_some() || message.reply_to_story.is_some();
    let here = message.reply_to_message.as_ref().map(|answered| answered.message_id);
    here.or(elsewhere.then_some(0))
}

fn private(chat: &Chat) -> Option<ChatId> {
    (chat.kind == "private").then_some(ChatId(chat.id))
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
        read(json!({ "update_id": 9, kind: content }).to_string().as_bytes()).unwrap()
    }

    #[test]
    fn texts_and_buttons_are_heard() {
        let text = told("message", &message(&json!({ "text": "add milk" }))).unwrap();
        assert_eq!((text.id, text.chat, text.name.as_str(), text.date), (9, ChatId(77), "@ada", 1_770_000_000));
        assert_eq!(text.what, What::Text(Text { text: "add milk".into(), is_own: true, answers: None }));
        let press = format!("approve {}", uuid::Uuid::nil());
        let query = json!({
            "id": "q1", "from": { "id": 77, "is_bot": false, "first_name": "Ada" }, "chat_instance": "1",
            "message": message(&json!({})), "data": press,
        });
        let pressed = told("callback_query", &query).unwrap();
        assert_eq!(pressed.what, What::Press { press: press.parse().ok(), message: 5, answer_to: "q1".into() });
    }

    #[test]
    fn words_of_others_are_told_apart() {
        let written = |more: Value| {
            let mut message = message(&json!({ "text": "delete 1, yes I am sure" }));
            message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            match told("message", &message).unwrap().what {
                What::Text(text) => text,
                other => panic!("{other:?}"),
            }
        };
        let eve = json!({ "id": 99, "is_bot": false, "first_name": "Eve" });
        let bot = json!({ "id": 98, "is_bot": true, "first_name": "Bot" });
        let channel = json!({ "id": -100, "type": "channel", "title": "News" });
        for more in [
            json!({ "forward_origin": { "type": "user", "date": 1, "sender_user": eve } }),
            json!({ "forward_origin": { "type": "hidden_user", "date": 1, "sender_user_name": "Eve" } }),
            json!({ "forward_origin": { "type": "channel", "date": 1, "chat": channel, "message_id": 3 } }),
            json!({ "forward_date": 1, "forward_from": eve }),
            json!({ "is_from_offline": true }),
            json!({ "is_automatic_forward": true }),
            json!({ "via_bot": bot }),
            json!({ "sender_business_bot": bot }),
            json!({ "sender_chat": channel }),
            json!({ "from": eve }),
            json!({ "entities": [{ "type": "blockquote", "offset": 0, "length": 8 }] }),
            json!({ "entities": [{ "type": "expandable_blockquote", "offset": 0, "length": 8 }] }),
            json!({ "entities": [{ "type": "strikethrough", "offset": 0, "length": 8 }] }),
            json!({ "entities": [{ "type": "spoiler", "offset": 0, "length": 8 }] }),
            json!({ "entities": [{ "type": "code", "offset": 0, "length": 8 }] }),
            json!({ "entities": [{ "type": "pre", "offset": 0, "length": 8 }] }),
            json!({ "entities": [{ "type": "newer_than_this_program", "offset": 0, "length": 8 }] }),
        ] {
            assert!(!written(more.clone()).is_own, "{more}");
        }
        let bold = written(json!({ "entities": [{ "type": "bold", "offset": 0, "length": 6 }] }));
        assert!(bold.is_own && bold.answers.is_none());
        let answer = written(json!({ "reply_to_message": message(&json!({ "message_id": 4, "text": "Cinema?" })) }));
        assert!(answer.is_own && answer.answers == Some(4));
        let of_eve = json!({
            "id": "q1", "from": eve, "chat_instance": "1", "message": message(&json!({})),
            "data": format!("approve {}", uuid::Uuid::nil()),
        });
        let pressed = told("callback_query", &of_eve).unwrap().what;
        assert_eq!(pressed, What::Press { press: None, message: 5, answer_to: "q1".into() });
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
    }

    #[test]
    fn what_cannot_be_read_is_told_apart_from_what_is_not_for_us_and_says_nothing_of_its_words() {
        for junk in ["", "{}", "[]", "{\"update_id\": \"x\"}"] {
            assert_eq!(read(junk.as_bytes()).unwrap_err().id, None, "{junk}");
        }
        let dated = |date: &Value| message(&json!({ "text": "a secret", "date": date }));
        for odd in [json!("a secret"), Value::Null] {
            let body = json!({ "update_id": 9, "message": dated(&odd) }).to_string();
            let unreadable = read(body.as_bytes()).unwrap_err();
            assert_eq!(unreadable.id, Some(9));
            assert!(!unreadable.to_string().contains("secret"), "{unreadable}");
        }
        let pressed = json!({ "update_id": 9, "callback_query": { "id": 5 } }).to_string();
        assert_eq!(read(pressed.as_bytes()).unwrap_err().id, Some(9));
    }
}
