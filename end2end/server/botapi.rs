//! A fake of Telegram's Bot API with scripted failures.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::post;
use serde_json::{Value, json};

use crate::stand_in;

/// The token of its bot.
pub const TOKEN: &str = "123456:stand-in";

/// A scripted failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Answers 429 with this retry delay in seconds; nothing is done.
    Flood(u16),
    /// Answers 500; nothing is done.
    Broken,
    /// Executes the call but answers 502.
    Lost,
    /// Executes the call but never answers.
    Silent,
    /// No failure.
    Fine,
    /// Answers 403: the person blocked the bot.
    Blocked,
    /// Answers 401: no bot has the token.
    Unknown,
    /// Answers 400 with this description; nothing is done.
    Refused(&'static str),
}

/// A message of a chat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    pub id: i64,
    pub text: String,
    /// Button data by label.
    pub buttons: Vec<(String, String)>,
}

#[derive(Default)]
struct Inner {
    calls: Vec<(String, Value)>,
    /// Messages by chat and number.
    messages: BTreeMap<(i64, i64), Message>,
    /// Failures of the next calls, other than typing indicators.
    faults: VecDeque<Fault>,
    webhook: String,
}

/// A running fake.
#[derive(Clone)]
pub struct BotApi {
    pub url: String,
    inner: Arc<Mutex<Inner>>,
}

impl BotApi {
    pub fn start() -> Self {
        let inner = Arc::<Mutex<Inner>>::default();
        let address = stand_in::serve(Router::new().route("/{bot}/{method}", post(call)).with_state(inner.clone()));
        Self { url: format!("http://{address}"), inner }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no call panics")
    }

    /// Returns the environment that makes a server use the fake.
    pub fn environment(&self) -> Vec<(&str, &str)> {
        vec![("DOCKET_TELEGRAM_TOKEN", TOKEN), ("DOCKET_TELEGRAM_SECRET", SECRET), ("DOCKET_TELEGRAM_API", &self.url)]
    }

    /// Schedules failures of the next calls.
    pub fn fail(&self, faults: &[Fault]) {
        self.inner().faults.extend(faults);
    }

    /// Returns the current messages of a chat.
    pub fn messages(&self, chat: i64) -> Vec<Message> {
        let inner = self.inner();
        inner.messages.range((chat, 0)..(chat + 1, 0)).map(|(_, message)| message.clone()).collect()
    }

    /// Removes the messages with this text from a chat.
    pub fn forget(&self, chat: i64, text: &str) {
        self.inner().messages.retain(|(of, _), message| *of != chat || message.text != text);
    }

    /// Returns the last message of a chat that contains `part`.
    pub fn with(&self, chat: i64, part: &str) -> Option<Message> {
        self.messages(chat).into_iter().rev().find(|message| message.text.contains(part))
    }

    /// Returns the parameters of all calls of a method so far.
    pub fn calls(&self, method: &str) -> Vec<Value> {
        self.inner().calls.iter().filter(|(name, _)| name == method).map(|(_, body)| body.clone()).collect()
    }
}

/// The webhook secret that each update must carry.
pub const SECRET: &str = "a-secret_word";

async fn call(
    State(inner): State<Arc<Mutex<Inner>>>,
    Path((bot, method)): Path<(String, String)>,
    body: String,
) -> (StatusCode, String) {
    match answered(&inner, &bot, &method, &body) {
        Some(answer) => answer,
        None => std::future::pending().await,
    }
}

/// Executes a call and returns the answer; `None` for no answer.
fn answered(inner: &Mutex<Inner>, bot: &str, method: &str, body: &str) -> Option<(StatusCode, String)> {
    let refused = |status: StatusCode, why: &str, parameters: Value| {
        let body = json!({ "ok": false, "error_code": status.as_u16(), "description": why, "parameters": parameters });
        Some((status, body.to_string()))
    };
    if bot != format!("bot{TOKEN}") {
        return refused(StatusCode::UNAUTHORIZED, "Unauthorized", Value::Null);
    }
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let mut inner = inner.lock().expect("no call panics");
    inner.calls.push((method.to_owned(), body.clone()));
    let fault = if method == "sendChatAction" { None } else { inner.faults.pop_front() };
    match fault {
        Some(Fault::Flood(rest)) => {
            let rest = json!({ "retry_after": rest });
            return refused(StatusCode::TOO_MANY_REQUESTS, "Too Many Requests: retry later", rest);
        }
        Some(Fault::Broken) => return refused(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error", Value::Null),
        Some(Fault::Blocked) => {
            return refused(StatusCode::FORBIDDEN, "Forbidden: bot was blocked by the user", Value::Null);
        }
        Some(Fault::Refused(why)) => return refused(StatusCode::BAD_REQUEST, why, Value::Null),
        Some(Fault::Unknown) => return refused(StatusCode::UNAUTHORIZED, "Unauthorized", Value::Null),
        Some(Fault::Lost | Fault::Silent | Fault::Fine) | None => {}
    }
    let done = answer(&mut inner, method, &body);
    match (fault, done) {
        (Some(Fault::Silent), _) => None,
        (Some(Fault::Lost), _) => Some((StatusCode::BAD_GATEWAY, String::new())),
        (_, Ok(result)) => Some((StatusCode::OK, json!({ "ok": true, "result": result }).to_string())),
        (_, Err(why)) => refused(StatusCode::BAD_REQUEST, why, Value::Null),
    }
}

fn answer(inner: &mut Inner, method: &str, body: &Value) -> Result<Value, &'static str> {
    let chat = body["chat_id"].as_i64().unwrap_or_default();
    match method {
        "getMe" => Ok(json!({ "id": 1, "is_bot": true, "first_name": "Docket", "username": "docket_test_bot" })),
        "setWebhook" => {
            body["url"].as_str().unwrap_or_default().clone_into(&mut inner.webhook);
            Ok(json!(true))
        }
        "getWebhookInfo" => {
            Ok(json!({ "url": inner.webhook, "has_custom_certificate": false, "pending_update_count": 3 }))
        }
        "sendMessage" | "editMessageText" => {
            let text = body["text"].as_str().unwrap_or_default();
            let plain = plain(text).ok_or("Bad Request: can't parse entities")?;
            if plain.encode_utf16().count() > 4096 {
                return Err("Bad Request: message is too long");
            }
            let id = match body["message_id"].as_i64() {
                Some(id) if inner.messages.contains_key(&(chat, id)) => id,
                Some(_) => return Err("Bad Request: message to edit not found"),
                None => i64::try_from(inner.calls.len()).expect("few calls"),
            };
            let keys = body["reply_markup"]["inline_keyboard"].as_array().cloned().unwrap_or_default();
            let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let keys = keys.iter().filter_map(Value::as_array).flatten();
            let buttons: Vec<_> = keys.map(|key| (text_of(&key["text"]), text_of(&key["callback_data"]))).collect();
            if buttons.iter().any(|(_, data)| data.len() > 64) {
                return Err("Bad Request: BUTTON_DATA_INVALID");
            }
            let message = Message { id, text: text.to_owned(), buttons };
            let before = inner.messages.insert((chat, id), message.clone());
            if before == Some(message) {
                return Err("Bad Request: message is not modified: specified new message content is the same");
            }
            Ok(
                json!({ "message_id": id, "date": 1, "edit_date": 1, "chat": { "id": chat, "type": "private" }, "text": text }),
            )
        }
        "sendChatAction" | "answerCallbackQuery" => Ok(json!(true)),
        _ => Err("Not Found: method not found"),
    }
}

/// Returns the visible text of HTML markup. `None` if Telegram rejects it: an unknown, unclosed or unopened tag, or an
/// unknown entity.
fn plain(text: &str) -> Option<String> {
    let (mut shown, mut open, mut rest) = (String::new(), vec![], text);
    while let Some(at) = rest.find(['<', '>', '&']) {
        shown += &rest[..at];
        let (mark, after) = rest[at..].split_at(rest[at..].find(['>', ';'])? + 1);
        match mark {
            "<b>" | "<code>" => open.push(mark.trim_matches(['<', '>'])),
            "</b>" | "</code>" if open.pop() == Some(mark.trim_matches(['<', '/', '>'])) => {}
            "&lt;" => shown.push('<'),
            "&gt;" => shown.push('>'),
            "&amp;" => shown.push('&'),
            _ => return None,
        }
        rest = after;
    }
    open.is_empty().then(|| shown + rest)
}

#[test]
fn the_stand_in_reads_what_telegram_reads() {
    for (text, shown) in [
        ("a <b>bold</b> word and <code>co&lt;de</code>", Some("a bold word and co<de")),
        ("milk &amp; eggs", Some("milk & eggs")),
        ("2 < 3", None),
        ("<b>open", None),
        ("<b>crossed <code>marks</b></code>", None),
        ("milk & eggs; bread", None),
    ] {
        assert_eq!(plain(text).as_deref(), shown, "{text}");
    }
}
