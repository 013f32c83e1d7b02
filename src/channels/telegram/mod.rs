//! Client of Telegram's Bot API. Callers are responsible for retries, order and leases.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::{OnceCell, Semaphore};

use crate::domain::channel::{Button, ChatId};

mod text;
mod update;
mod wire;

pub use text::{LENGTH, length, pieces};
pub use update::{File, Text, Unreadable, Update, What, read};
use wire::{Done, Sent, Undone, User, WebhookInfo};

/// Connection timeout.
const CONNECT: Duration = Duration::from_secs(5);
/// Request timeout.
const ANSWER: Duration = Duration::from_secs(20);
/// Request timeout while a page is waiting.
const AT_ONCE: Duration = Duration::from_secs(3);
/// Maximum bytes of an answer.
const LARGEST: usize = 1 << 20;

/// A failed Bot API call. Never contains the request's address, since that holds the token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Rate limited: nothing may be sent for `retry_after_s` seconds.
    #[error("Telegram limits the rate: retry after {retry_after_s} seconds")]
    Flooded { retry_after_s: u16 },
    /// Permanent failure: a retry would fail, too.
    #[error("Telegram refused: {0}")]
    Refused(String),
    /// Unknown outcome: the call may have been executed.
    #[error("Telegram did not answer: {0}")]
    Unanswered(String),
}

impl Failure {
    /// Returns true if the message can never be edited: it was deleted, is too old, or is not the bot's.
    pub fn is_uneditable(&self) -> bool {
        const SAID: [&str; 5] = [
            "message to edit not found",
            "message can't be edited",
            "message can\u{2019}t be edited",
            "message_id_invalid",
            "message identifier is not specified",
        ];
        matches!(self, Self::Refused(why) if SAID.iter().any(|said| why.to_lowercase().contains(said)))
    }
}

/// A bot. Cheap to use from many tasks at once.
pub struct Telegram {
    http: reqwest::Client,
    /// Contains the token: never printed.
    base: String,
    /// The public part of the token.
    id: String,
    /// The bot's user name, once it was fetched.
    name: OnceCell<String>,
    /// Messages outside the outbox that may be sent at a time.
    aside: Semaphore,
    /// Limits acknowledgements of button presses.
    presses: Semaphore,
}

impl Telegram {
    /// Creates a client without connecting. `api` is an address without a token, such as `https://api.telegram.org`.
    pub fn new(api: &str, token: &str) -> Self {
        // Another component may have installed one already; any will do.
        rustls::crypto::ring::default_provider().install_default().ok();
        // A redirect could send the token to another host.
        let redirect = reqwest::redirect::Policy::none;
        let plain = || reqwest::Client::builder().connect_timeout(CONNECT).timeout(ANSWER).redirect(redirect());
        let http = plain().build().or_else(|error| {
            tracing::error!(?error, "Telegram cannot be reached over HTTPS: install the system's ca-certificates");
            plain().tls_certs_only([]).build()
        });
        let http = http.expect("a client without a proxy or certificates of its own can be built");
        let id = token.split(':').next().unwrap_or_default().to_owned();
        Self {
            http,
            id,
            base: format!("{}/bot{token}", api.trim_end_matches('/')),
            name: OnceCell::new(),
            aside: Semaphore::new(4),
            presses: Semaphore::new(16),
        }
    }

    /// Returns the bot's id. Each bot numbers its updates separately.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Sends a message; returns its id in the chat and its time. Link previews are off, so that Telegram does not fetch the
    /// user's links.
    pub async fn send(&self, chat: ChatId, html: &str, buttons: &[Button]) -> Result<(i64, i64), Failure> {
        let message = written(chat, html, buttons);
        self.ask::<Sent>("sendMessage", &message).await.map(|sent| (sent.message_id, sent.date))
    }

    /// Sends a message outside the outbox, or drops it while several such messages are under way.
    pub async fn send_if_idle(&self, chat: ChatId, html: &str) -> Result<(), Failure> {
        let Ok(_place) = self.aside.try_acquire() else { return Ok(()) };
        self.send(chat, html, &[]).await.map(drop)
    }

    /// Replaces the text of a message; an identical text is no error. Returns the time of the edit, 0 if Telegram returns none.
    pub async fn edit(&self, chat: ChatId, message: i64, html: &str, buttons: &[Button]) -> Result<i64, Failure> {
        let mut edit = written(chat, html, buttons);
        edit["message_id"] = message.into();
        match self.ask::<Value>("editMessageText", &edit).await {
            Err(Failure::Refused(why)) if why.contains("message is not modified") => Ok(0),
            done => done.map(|edited| edited["edit_date"].as_i64().unwrap_or(0)),
        }
    }

    /// Shows the typing indicator for a few seconds.
    pub async fn typing(&self, chat: ChatId) -> Result<(), Failure> {
        self.ask::<bool>("sendChatAction", &json!({ "chat_id": chat.0, "action": "typing" })).await.map(drop)
    }

    /// Acknowledges a button press, with an optional line of text; drops it while many such answers are under way.
    pub async fn answer(&self, press: &str, text: Option<&str>) -> Result<(), Failure> {
        let Ok(_place) = self.presses.try_acquire() else { return Ok(()) };
        // Telegram accepts at most 200 characters.
        let text = text.map(|text| text.chars().take(200).collect::<String>());
        let mut answer = json!({ "callback_query_id": press });
        if let Some(text) = text {
            answer["text"] = text.into();
        }
        self.ask::<bool>("answerCallbackQuery", &answer).await.map(drop)
    }

    /// Returns the bot's name without its `@`; `None` if Telegram does not answer within `AT_ONCE`.
    pub async fn name(&self) -> Option<&str> {
        let asked = self.name.get_or_try_init(|| async {
            let me = tokio::time::timeout(AT_ONCE, self.ask::<User>("getMe", &json!({}))).await;
            me.ok().and_then(Result::ok).and_then(|me| me.username).ok_or(())
        });
        asked.await.ok().map(String::as_str)
    }

    /// Registers `url` as the webhook; Telegram sends `secret` in a header.
    pub async fn set_webhook(&self, url: &str, secret: &str) -> Result<(), Failure> {
        let hook = json!({ "url": url, "secret_token": secret, "allowed_updates": ["message", "edited_message", "callback_query"] });
        self.ask::<bool>("setWebhook", &hook).await.map(drop)
    }

    /// Returns the registered webhook and the state of its delivery.
    pub async fn webhook(&self) -> Result<WebhookInfo, Failure> {
        self.ask("getWebhookInfo", &json!({})).await
    }

    async fn ask<T: DeserializeOwned>(&self, method: &str, parameters: &Value) -> Result<T, Failure> {
        let unanswered = |error: reqwest::Error| Failure::Unanswered(error.without_url().to_string());
        let sent = self.http.post(format!("{}/{method}", self.base)).json(parameters).send().await;
        let mut answer = sent.map_err(unanswered)?;
        let (status, mut body) = (answer.status(), Vec::new());
        while let Some(chunk) = answer.chunk().await.map_err(unanswered)? {
            if body.len() + chunk.len() > LARGEST {
                return Err(Failure::Unanswered("its answer is too large".into()));
            }
            body.extend_from_slice(&chunk);
        }
        if status.is_success() {
            let read = serde_json::from_slice::<Done<T>>(&body);
            return read.map(|done| done.result).map_err(|_| Failure::Unanswered("its answer cannot be read".into()));
        }
        let failure = failure(status.as_u16(), serde_json::from_slice(&body).ok());
        if is_misdirected(status.as_u16()) {
            // The message is valid; the operator has to act.
            tracing::error!(method, %status, "the Bot API does not know this bot; check DOCKET_TELEGRAM_TOKEN and DOCKET_TELEGRAM_API");
        }
        Err(failure)
    }
}

/// Classifies an unsuccessful answer.
fn failure(status: u16, error: Option<Undone>) -> Failure {
    let rest = error.as_ref().and_then(|error| error.parameters.as_ref()?.retry_after);
    let said = error.map_or_else(|| format!("status {status}"), |error| error.description);
    match (rest, status) {
        (Some(retry_after_s), _) => Failure::Flooded { retry_after_s },
        (None, 429) => Failure::Flooded { retry_after_s: 1 },
        (None, _) if status >= 500 || is_misdirected(status) => Failure::Unanswered(said),
        (None, _) => Failure::Refused(said),
    }
}

/// Returns true if the status indicates a wrong token or address: no such bot, no such path, or a redirect.
fn is_misdirected(status: u16) -> bool {
    matches!(status, 300..=399 | 401 | 404)
}

/// Builds the parameters of a message to send or edit, with its buttons in one row.
fn written(chat: ChatId, html: &str, buttons: &[Button]) -> Value {
    let key = |button: &Button| json!({ "text": button.label, "callback_data": button.press.to_string() });
    let row: Vec<Value> = buttons.iter().map(key).collect();
    let mut message = json!({
        "chat_id": chat.0, "text": html, "parse_mode": "HTML", "link_preview_options": { "is_disabled": true },
    });
    if !row.is_empty() {
        message["reply_markup"] = json!({ "inline_keyboard": [row] });
    }
    message
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[test]
    fn uneditable_message_error_is_distinguished_from_other_refusals() {
        for (why, expected) in [
            ("Bad Request: message to edit not found", true),
            ("Bad Request: message can't be edited", true),
            ("Bad Request: MESSAGE_ID_INVALID", true),
            ("Bad Request: message is not modified", false),
            ("Bad Request: can't parse entities", false),
            ("Bad Request: message text is empty", false),
            ("Forbidden: bot was blocked by the user", false),
        ] {
            assert_eq!(Failure::Refused(why.into()).is_uneditable(), expected, "{why}");
        }
        assert!(!Failure::Unanswered("message can't be edited".into()).is_uneditable());
    }

    #[test]
    fn only_a_message_that_is_at_fault_is_refused() {
        let said = |what: &str| Some(Undone { description: what.into(), parameters: None });
        for status in [301, 302, 307, 401, 404, 500, 502] {
            assert_eq!(failure(status, said("no")), Failure::Unanswered("no".into()), "{status}");
            assert_eq!(failure(status, None), Failure::Unanswered(format!("status {status}")));
        }
        for status in [400, 403, 413] {
            assert_eq!(failure(status, said("no")), Failure::Refused("no".into()), "{status}");
        }
        assert_eq!(failure(429, None), Failure::Flooded { retry_after_s: 1 });
    }

    #[tokio::test]
    async fn an_answer_without_end_is_given_up() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let bot = Telegram::new(&format!("http://{}", listener.local_addr().unwrap()), "1:x");
        tokio::spawn(async move {
            let mut connection = listener.accept().await.unwrap().0;
            connection.read_exact(&mut [0; 64]).await.unwrap();
            connection.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
            while connection.write_all(&[b' '; 1 << 16]).await.is_ok() {}
        });
        let given_up = bot.typing(ChatId(1)).await;
        assert_eq!(given_up, Err(Failure::Unanswered("its answer is too large".into())));
    }
}
