//! Telegram updates that Docket handles: messages and button presses in a private chat with the bot.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::wire::{self, CallbackQuery, Chat, Message, MessageEntity, User};
use crate::domain::channel::{ChatId, Press};

/// A user's action in their chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// Telegram's id of the update; a redelivery has the same one.
    pub id: u32,
    pub chat: ChatId,
    /// The user's name in Telegram.
    pub name: String,
    /// Telegram's time of the message, or of the message whose button was pressed, in seconds since 1970.
    pub date: i64,
    pub what: What,
}

/// The kind of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Text(Text),
    /// A button press, to be acknowledged with `answer_to`. `press` is `None` if the button is not Docket's.
    Press {
        press: Option<Press>,
        message: i64,
        answer_to: String,
    },
    /// The text of an earlier message was edited.
    Edited,
    /// A link code sent to a group, where everybody can read it.
    CodeInGroup,
    /// A photo without a caption, a voice message, a sticker and the like.
    Other {
        /// Id shared by the photos and files of one album.
        album: Option<String>,
    },
}

/// A written message, or the caption of a photo, a document and the like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// True if the sender wrote all of the text: not forwarded, not made by a bot, not quoted or struck out.
    pub is_own: bool,
    /// Id of the message that it replies to, if any.
    pub answers: Option<i64>,
    /// Text of that message if the bot wrote it, cut to the lines of the quoted part.
    pub answered: String,
    /// The file whose caption the text is.
    pub file: Option<File>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Id shared by the files of one album.
    pub album: Option<String>,
}

#[cfg(test)]
impl Text {
    /// Creates a message of the sender's own that is not a reply.
    pub fn own(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_own: true, answers: None, answered: String::new(), file: None }
    }
}

/// An update that cannot be parsed. Contains the position, and nothing of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("update {id:?} cannot be read from line {line}, column {column}")]
pub struct Unreadable {
    /// Id of the update, if it can be read.
    pub id: Option<u32>,
    line: usize,
    column: usize,
}

/// The kinds of update that Docket subscribes to.
#[derive(Deserialize)]
struct Kinds {
    update_id: u32,
    message: Option<IgnoredAny>,
    edited_message: Option<IgnoredAny>,
    callback_query: Option<IgnoredAny>,
}

/// Parses an update. Returns `None` if it is no user's message to the bot: groups, channels, reactions, edits of anything but
/// text, and unknown kinds.
///
/// # Errors
/// Fails if the body is no update, or if a message or button press has an unknown format.
pub fn read(body: &[u8]) -> Result<Option<Update>, Unreadable> {
    let unreadable = |id, error: serde_json::Error| Unreadable { id, line: error.line(), column: error.column() };
    let kinds: Kinds = serde_json::from_slice(body).map_err(|error| unreadable(None, error))?;
    if kinds.message.is_none() && kinds.edited_message.is_none() && kinds.callback_query.is_none() {
        return Ok(None);
    }
    let update: wire::Update =
        serde_json::from_slice(body).map_err(|error| unreadable(Some(kinds.update_id), error))?;
    let written = update.message.and_then(|message| message_of(update.update_id, message));
    let written = written.or_else(|| update.edited_message.and_then(|message| edit_of(update.update_id, message)));
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
    if let Some(update) = code_in_group(id, &message) {
        return Some(update);
    }
    let chat = private(&message.chat)?;
    let from = message.from.as_ref().filter(|from| !from.is_bot)?;
    let (name, date) = (called(from), message.date);
    let (is_own, answers) = (is_of(from, chat) && has_own_words(&message), answered(&message));
    let (answered, album) = (answered_text(&message), message.media_group_id);
    let file = message.caption.is_some().then(|| File { album: album.clone() });
    let entities = if message.text.is_some() { &message.entities } else { &message.caption_entities };
    let text = message.text.or(message.caption).filter(|text| !text.trim().is_empty());
    let what = match text {
        Some(text) => {
            let text = with_addresses(&text, entities);
            What::Text(Text { text, is_own, answers, answered, file })
        }
        None if message.notice.is_some() => return None,
        None => What::Other { album },
    };
    Some(Update { id, chat, name, date, what })
}

/// Converts a link command with its code in a group.
fn code_in_group(id: u32, message: &Message) -> Option<Update> {
    let from = message.from.as_ref().filter(|from| !from.is_bot && message.chat.kind.ends_with("group"))?;
    let (command, code) = message.text.as_ref()?.split_once(' ')?;
    let is_start = command.split('@').next() == Some("/start") && !code.trim().is_empty();
    let chat = ChatId(message.chat.id);
    is_start.then(|| Update { id, chat, name: called(from), date: message.date, what: What::CodeInGroup })
}

/// Converts the edit of a text. A live location is edited every few seconds, and ignored.
fn edit_of(id: u32, message: Message) -> Option<Update> {
    let edited = message_of(id, message)?;
    matches!(edited.what, What::Text(_)).then_some(Update { what: What::Edited, ..edited })
}

/// Returns true if the chat is this person's: a private chat has the id of its user.
fn is_of(person: &User, chat: ChatId) -> bool {
    !person.is_bot && person.id == chat.0
}

/// Returns true if the sender alone wrote the message, and marked nothing as quoted or struck out.
fn has_own_words(message: &Message) -> bool {
    let others = message.forward_origin.is_some()
        || message.forward_date.is_some()
        // A scheduled message is older than the message that it seems to answer.
        || message.is_from_offline.is_some()
        || message.is_automatic_forward.is_some()
        || message.via_bot.is_some()
        || message.sender_business_bot.is_some()
        || message.sender_chat.is_some();
    // All other kinds mark text as quoted, struck out or code, or are unknown.
    const PLAIN: &str = "mention|hashtag|cashtag|bot_command|url|email|phone_number|bold|italic|underline|text_link|text_mention|custom_emoji";
    let quotes = |entity: &MessageEntity| PLAIN.split('|').all(|kind| kind != entity.kind);
    !others && !message.entities.iter().chain(&message.caption_entities).any(quotes)
}

/// Returns the id of the message that this one replies to; 0 if that is not in this chat.
fn answered(message: &Message) -> Option<i64> {
    let elsewhere = message.external_reply.is_some() || message.reply_to_story.is_some();
    let here = message.reply_to_message.as_ref().map(|answered| answered.message_id);
    here.or(elsewhere.then_some(0))
}

/// Returns the text of the bot's message that this one replies to, cut to the quoted lines if a part is quoted.
fn answered_text(message: &Message) -> String {
    let of_bot = |answered: &&wire::Answered| answered.from.as_ref().is_some_and(|from| from.is_bot);
    let answered = message.reply_to_message.as_ref().filter(of_bot);
    let text = answered.and_then(|answered| answered.text.as_deref()).unwrap_or_default();
    let quote = message.quote.as_ref().map(|quote| quote.text.trim()).unwrap_or_default();
    let holds = |line: &&str| line.contains(quote) || quote.contains(line.trim());
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).filter(holds).collect();
    lines.join("\n")
}

/// Returns the text with each hidden link address in parentheses behind its words.
fn with_addresses(text: &str, entities: &[MessageEntity]) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut links: Vec<(usize, &str)> = entities
        .iter()
        .filter_map(|entity| Some((entity.offset.saturating_add(entity.length), entity.url.as_deref()?)))
        .filter(|(end, url)| *end <= units.len() && !text.contains(url))
        .collect();
    links.sort_unstable();
    let (mut whole, mut from) = (String::with_capacity(text.len()), 0);
    for (end, url) in links {
        whole += &String::from_utf16_lossy(&units[from..end]);
        whole += &format!(" ({url})");
        from = end;
    }
    whole + &String::from_utf16_lossy(&units[from..])
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
        assert_eq!(text.what, What::Text(Text::own("add milk")));
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
    fn photo_update_is_unsupported_and_other_kinds_are_ignored() {
        let photo = json!({ "photo": [{ "file_id": "a", "file_unique_id": "b", "width": 1, "height": 1 }] });
        assert_eq!(told("message", &message(&photo)).unwrap().what, What::Other { album: None });
        let text = message(&json!({ "text": "add milk" }));
        assert_eq!(told("channel_post", &text), None);
        assert_eq!(told("newer_than_this_program", &json!({})), None);
        let in_group =
            |text: &str| message(&json!({ "text": text, "chat": { "id": -5, "type": "supergroup", "title": "us" } }));
        assert_eq!(told("message", &in_group("x")), None);
        assert_eq!(told("message", &in_group("/start")), None);
        assert_eq!(told("message", &in_group("/start@docket_bot abc")).unwrap().what, What::CodeInGroup);
    }

    #[test]
    fn a_caption_is_read_as_a_text() {
        let file = json!({ "file_id": "a", "file_unique_id": "b" });
        for kind in ["photo", "video", "document", "audio", "voice", "animation"] {
            let content = if kind == "photo" { json!([file]) } else { file.clone() };
            let more = json!({ kind: content, "caption": "add milk" });
            let expected = Text { file: Some(File { album: None }), ..Text::own("add milk") };
            assert_eq!(told("message", &message(&more)).unwrap().what, What::Text(expected), "{kind}");
        }
        let quoted = json!({
            "photo": [], "caption": "delete 1, yes I am sure",
            "caption_entities": [{ "type": "blockquote", "offset": 0, "length": 8 }],
        });
        let What::Text(text) = told("message", &message(&quoted)).unwrap().what else { panic!("a caption is text") };
        assert!(!text.is_own);
        let blank = json!({ "photo": [], "caption": " " });
        assert_eq!(told("message", &message(&blank)).unwrap().what, What::Other { album: None });
    }

    #[test]
    fn text_update_includes_link_targets_and_the_quoted_message() {
        let of_bot = json!({ "id": 1, "is_bot": true, "first_name": "D" });
        let replied = json!({ "message_id": 4, "from": of_bot, "text": "Open:\nmilk (#1)\ntea 🫖 (#2)" });
        for (more, expected) in [
            (
                json!({ "entities": [{ "type": "text_link", "offset": 10, "length": 4, "url": "https://a.b/c" }] }),
                Text::own("🫖 review this (https://a.b/c) today"),
            ),
            (
                json!({ "entities": [{ "type": "text_link", "offset": 90, "length": 4, "url": "https://a.b/c" }] }),
                Text::own("🫖 review this today"),
            ),
            (
                json!({ "reply_to_message": replied }),
                Text {
                    answers: Some(4),
                    answered: "Open:\nmilk (#1)\ntea 🫖 (#2)".into(),
                    ..Text::own("🫖 review this today")
                },
            ),
            (
                json!({ "reply_to_message": replied, "quote": { "text": "tea", "position": 11 } }),
                Text { answers: Some(4), answered: "tea 🫖 (#2)".into(), ..Text::own("🫖 review this today") },
            ),
        ] {
            let mut content = json!({ "text": "🫖 review this today" });
            content.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            assert_eq!(told("message", &message(&content)).unwrap().what, What::Text(expected), "{more}");
        }
        for notice in ["pinned_message", "gift", "message_auto_delete_timer_changed"] {
            assert_eq!(told("message", &message(&json!({ notice: {} }))), None, "{notice}");
        }
    }

    #[test]
    fn malformed_update_reports_its_id_without_the_message_text() {
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
