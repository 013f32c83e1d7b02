//! Linking an account with a Telegram chat.

use leptos::prelude::*;
#[cfg(feature = "ssr")]
use leptos::server_fn::ServerFn;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
#[cfg(feature = "ssr")]
use super::{context, error::Code, reauthentication, settings::DismissNotice};
#[cfg(feature = "ssr")]
use crate::domain::{user::Caller, user::Door, user::Scope, when};
#[cfg(feature = "ssr")]
use crate::messages::{access, assistant, telegram_link as messages};
#[cfg(feature = "ssr")]
use crate::raw_text::escaped;
#[cfg(feature = "ssr")]
use crate::state::AppState;
#[cfg(feature = "ssr")]
use crate::usecases::accounts::{self, Protected};
#[cfg(feature = "ssr")]
use crate::usecases::telegram;

/// A one-time code that links the chat which sends it as `/start CODE`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct LinkCode {
    pub code: String,
    /// RFC 3339.
    pub expires_at: String,
    /// Link that opens Telegram with the code filled in; `None` if the bot's name is unknown.
    pub url: Option<String>,
}

/// Creates a one-time code that links a chat with the caller's account. A session needs the password if it was last entered more
/// than ten minutes ago. A chat linked by a token's code is unlinked with the token.
#[server(prefix = "/api/v1", endpoint = "telegram/link")]
pub async fn telegram_link(password: Option<String>) -> Result<LinkCode, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    telegram::may_link(&caller)?;
    if caller.door == Door::Web {
        reauthentication::require(&state, &caller, Protected::LinkChat, password.as_deref()).await?;
    }
    let Some(bot) = &state.telegram else {
        return Err(ApiError::new(Code::Conflict, messages::NO_BOT));
    };
    let made = telegram::code(&state.ctx, &caller).await?;
    let url = bot.name().await.map(|name| format!("https://t.me/{name}?start={}", made.code));
    Ok(LinkCode { code: made.code, expires_at: made.expires_at.to_string(), url })
}

/// Unlinks the caller's chat; nothing more is sent there.
#[server(prefix = "/api/v1", endpoint = "telegram/unlink")]
pub async fn telegram_unlink() -> Result<(), ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    Ok(telegram::part(&state.ctx, &caller).await?)
}

/// Renders the section of the settings, so that the browser needs no code for it: the linked chat, or how to link one.
#[server(prefix = "/api/v1", endpoint = "telegram/section", input = GetUrl)]
pub async fn telegram_section() -> Result<String, ApiError> {
    let (state, caller) = context::session_only()?;
    Ok(notices(&state, &caller).await? + &section(&state, &caller).await?)
}

/// Renders notices about changes to the caller's chat that others made, each with a Dismiss button.
#[cfg(feature = "ssr")]
async fn notices(state: &AppState, caller: &Caller) -> Result<String, ApiError> {
    let (now, zone) = (state.ctx.now(), &caller.user.zone);
    let notices = accounts::list_notices(&state.ctx, caller).await?;
    let html = notices.into_iter().map(|notice| {
        let told = messages::noticed(&when::instant(&notice.created_at, &now, zone), &notice.body.sentence());
        let id = format!("<input type=\"hidden\" name=\"notice_id\" value=\"{}\">", notice.notice_id);
        alert(&told) + &form(DismissNotice::PATH, messages::DISMISS, &id)
    });
    Ok(html.collect())
}

#[cfg(feature = "ssr")]
async fn section(state: &AppState, caller: &Caller) -> Result<String, ApiError> {
    if state.telegram.is_none() {
        return Ok(paragraph(messages::REMINDERS_WITHOUT_BOT));
    }
    if let Some(linked) = telegram::linked(&state.ctx, caller).await? {
        let since = when::instant(&linked.since, &state.ctx.now(), &caller.user.zone);
        let told = messages::linked(&linked.name, &since);
        let unlink = form(TelegramUnlink::PATH, messages::UNLINK, "");
        return Ok(paragraph(&told) + &paragraph(assistant::PASSES_TELEGRAM) + &unlink);
    }
    let why = messages::WHAT_IT_IS_FOR;
    // Left by the form that created the code.
    let made = context::left_by(TelegramLink::PATH);
    let Some(code) = made.as_ref().and_then(|flash| flash.told("code")) else {
        let password = if reauthentication::asks_password(state, caller).await? { password() } else { String::new() };
        let link = form(TelegramLink::PATH, messages::MAKE_A_CODE, &password);
        return Ok(paragraph(why) + &paragraph(assistant::PASSES_TELEGRAM) + &link);
    };
    let how = paragraph(messages::SEND_THIS) + &format!("<p><code>/start {}</code></p>", escaped(&code));
    let url = made.and_then(|flash| flash.told("url")).filter(|url| url.starts_with("https://t.me/"));
    let open =
        url.map(|url| format!("<p><a href=\"{}\">{}</a></p>{}", escaped(&url), messages::OPEN_TELEGRAM, qr(&url)));
    Ok(how + &open.unwrap_or_default())
}

#[cfg(feature = "ssr")]
fn form(path: &str, label: &str, fields: &str) -> String {
    format!(
        "<form method=\"post\" action=\"{path}\"><input type=\"hidden\" name=\"return_to\" \
         value=\"/settings#telegram\">{fields}<button class=\"button\">{label}</button></form>"
    )
}

/// The password field, shown if the last password is too old.
#[cfg(feature = "ssr")]
fn password() -> String {
    format!(
        "<div class=\"field\"><label class=\"field__label\" for=\"link-password\">{}</label><input id=\"link-password\" \
         type=\"password\" name=\"password\" required autocomplete=\"current-password\"></div>",
        access::YOUR_PASSWORD
    )
}

#[cfg(feature = "ssr")]
fn alert(text: &str) -> String {
    format!("<p class=\"error\" role=\"alert\">{}</p>", escaped(text))
}

#[cfg(feature = "ssr")]
fn paragraph(text: &str) -> String {
    format!("<p>{}</p>", escaped(text))
}

/// Renders the address as a QR code for phones.
#[cfg(feature = "ssr")]
fn qr(url: &str) -> String {
    let Ok(code) = qrcode::QrCode::new(url) else { return String::new() };
    let drawn = code.render::<qrcode::render::svg::Color>().min_dimensions(180, 180).build();
    // Skips the XML declaration, which is for stand-alone files.
    let drawing = drawn.find("<svg").map_or("", |at| &drawn[at..]);
    drawing.replacen("<svg", &format!("<svg role=\"img\" aria-label=\"{}\"", messages::SAME_LINK_AS_QR_CODE), 1)
}
