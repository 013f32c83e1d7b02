//! Telegram's Bot API: what is sent to it. Repeats, order and leases are the business of whoever sends.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::domain::channel::{Button, ChatId};

/// Text as Telegram takes it: HTML, in pieces.
mod text;
/// What Telegram tells.
mod update;
/// Objects of the Bot API.
mod wire;

pub use text::{LENGTH, length, pieces};
pub use update::{Text, Unreadable, Update, What, read};
use wire::{Done, Sent, Undone, User, WebhookInfo};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(20);
/// The same where somebody waits for a page.
const AT_ONCE: Duration = Duration::from_secs(3);

/// Why the Bot API did not do it. Never with the address that was asked, since that holds the token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Too much at once: nothing is to be sent for so long.
    #[error("Telegram wants {retry_after_s} seconds of rest")]
    Flooded { retry_after_s: u16 },
    /// It will not do that, however often it is asked.
    #[error("Telegram refused: {0}")]
    Refused(String),
    /// Nobody knows whether it was done.
    #[error("Telegram did not answer: {0}")]
    Unanswered(String),
}

/// A bot. Cheap to use from many tasks at once.
pub struct Telegram {
    http: reqwest::Client,
    /// With the token in it: never printed.
    base: String,
    /// The part of the token that is no secret.
    id: String,
    /// What the bot is called, once it was asked.
    name: OnceCell<String>,
}

impl Telegram {
    /// Reaches nobody yet. `api` is an address without a token, such as `https://api.telegram.org`.
    pub fn new(api: &str, token: &str) -> Self {
        // Somebody else may have chosen one already; any will do.
        rustls::crypto::ring::default_provider().install_default().ok();
        // A redirect could take the token elsewhere.
        let redirect = reqwest::redirect::Policy::none;
        let plain = || reqwest::Client::builder().connect_timeout(CONNECT).timeout(ANSWER).redirect(redirect());
        let http = plain().build().or_else(|error| {
            tracing::error!(?error, "Telegram cannot be reached by https: install the system's ca-certificates");
            plain().tls_certs_only([]).build()
        });
        let http = http.expect("a client without a proxy or certificates of its own can be built");
        let id = token.split(':').next().unwrap_or_default().to_owned();
        Self { http, id, base: format!("{}/bot{token}", api.trim_end_matches('/')), name: OnceCell::new() }
    }

    /// The bot's own number: updates are numbered by each bot for itself.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Sends a message; its number in the chat and its time. Telegram is not to fetch what links in it point to: they are the person's own.
    pub async fn send(&self, chat: ChatId, html: &str, buttons: &[Button]) -> Result<(i64, i64), Failure> {
        let message = written(chat, html, buttons);
        self.ask::<Sent>("sendMessage", &message).await.map(|sent| (sent.message_id, sent.date))
    }

    /// Puts other words into a message; one that has them already is fine. Returns the time of the edit, 0 if Telegram names none.
    pub async fn edit(&self, chat: ChatId, message: i64, html: &str, buttons: &[Button]) -> Result<i64, Failure> {
        let mut edit = written(chat, html, buttons);
        edit["message_id"] = message.into();
        match self.ask::<Value>("editMessageText", &edit).await {
            Err(Failure::Refused(why)) if why.contains("message is not modified") => Ok(0),
            done => done.map(|edited| edited["edit_date"].as_i64().unwrap_or(0)),
        }
    }

    /// Shows for some seconds that an answer is being written.
    pub async fn typing(&self, chat: ChatId) -> Result<(), Failure> {
        self.ask::<bool>("sendChatAction", &json!({ "chat_id": chat.0, "action": "typing" })).await.map(drop)
    }

    /// Ends the waiting of whoever pressed a button, with a line if there is something to say.
    pub async fn answer(&self, press: &str, text: Option<&str>) -> Result<(), Failure> {
        // 200 characters are what fits.
        let text = text.map(|text| text.chars().take(200).collect::<String>());
        let mut answer = json!({ "callback_query_id": press });
        if let Some(text) = text {
            answer["text"] = text.into();
        }
        self.ask::<bool>("answerCallbackQuery", &answer).await.map(drop)
    }

    /// What the bot is called, without its `@`; nothing where Telegram does not say so at once.
    pub async fn name(&self) -> Option<&str> {
        let asked = self.name.get_or_try_init(|| async {
            let me = tokio::time::timeout(AT_ONCE, self.ask::<User>("getMe", &json!({}))).await;
            me.ok().and_then(Result::ok).and_then(|me| me.username).ok_or(())
        });
        asked.await.ok().map(String::as_str)
    }

    /// Has Telegram send to `url` what people write, with `secret` in a header.
    pub async fn set_webhook(&self, url: &str, secret: &str) -> Result<(), Failure> {
        let hook = json!({ "url": url, "secret_token": secret, "allowed_updates": ["message", "callback_query"] });
        self.ask::<bool>("setWebhook", &hook).await.map(drop)
    }

    /// Where Telegram sends now, and how that goes.
    pub async fn webhook(&self) -> Result<WebhookInfo, Failure> {
        self.ask("getWebhookInfo", &json!({})).await
    }

    async fn ask<T: DeserializeOwned>(&self, method: &str, parameters: &Value) -> Result<T, Failure> {
        let unanswered = |error: reqwest::Error| Failure::Unanswered(error.without_url().to_string());
        let sent = self.http.post(format!("{}/{method}", self.base)).json(parameters).send().await;
        let answer = sent.map_err(unanswered)?;
        let status = answer.status();
        let body = answer.bytes().await.map_err(unanswered)?;
        if status.is_success() {
            let read = serde_json::from_slice::<Done<T>>(&body);
            return read.map(|done| done.result).map_err(|_| Failure::Unanswered("its answer cannot be read".into()));
        }
        let failure = failure(status.as_u16(), serde_json::from_slice(&body).ok());
        if is_misdirected(status.as_u16()) {
            // Nothing is wrong with the message: whoever runs the server has to act.
            tracing::error!(method, %status, "the Bot API does not know the bot; check DOCKET_TELEGRAM_TOKEN and DOCKET_TELEGRAM_API");
        }
        Err(failure)
    }
}

/// What an answer that is no success means for what was asked.
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

/// Whether a status says that the token or the address is wrong: no such bot, no such place, or elsewhere.
fn is_misdirected(status: u16) -> bool {
    matches!(status, 300..=399 | 401 | 404)
}

/// Parameters of a message that is sent or edited, with its buttons side by side.
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
    use super::*;

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
}
