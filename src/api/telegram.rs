//! Linking one's account with a chat on Telegram.

use leptos::prelude::*;
#[cfg(feature = "ssr")]
use leptos::server_fn::ServerFn;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
#[cfg(feature = "ssr")]
use super::{context, error::Code};
#[cfg(feature = "ssr")]
use crate::domain::{user::Caller, user::Scope, when};
#[cfg(feature = "ssr")]
use crate::raw_text::escaped;
#[cfg(feature = "ssr")]
use crate::state::AppState;
#[cfg(feature = "ssr")]
use crate::usecases::telegram;
#[cfg(feature = "ssr")]
use crate::words::{assistant, telegram as words};

/// A code that links the chat that sends it as `/start CODE`, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct LinkCode {
    pub code: String,
    /// RFC 3339.
    pub expires_at: String,
    /// What opens Telegram with the code filled in; `None` where Telegram does not say what the bot is called.
    pub url: Option<String>,
}

/// Makes a one-time code that links a chat with the caller's account.
#[server(prefix = "/api/v1", endpoint = "telegram/link")]
pub async fn telegram_link() -> Result<LinkCode, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    telegram::may_link(&caller)?;
    let Some(bot) = &state.telegram else {
        return Err(ApiError::new(Code::Conflict, words::NO_BOT));
    };
    let made = telegram::code(&state.ctx, &caller).await?;
    let url = bot.name().await.map(|name| format!("https://t.me/{name}?start={}", made.code));
    Ok(LinkCode { code: made.code, expires_at: made.expires_at.to_string(), url })
}

/// Parts the caller from their chat; nothing more is sent there.
#[server(prefix = "/api/v1", endpoint = "telegram/unlink")]
pub async fn telegram_unlink() -> Result<(), ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    Ok(telegram::part(&state.ctx, &caller).await?)
}

/// The settings' section as HTML, since the browser needs no code for it: what is linked, or how to link.
#[server(prefix = "/api/v1", endpoint = "telegram/section", input = GetUrl)]
pub async fn telegram_section() -> Result<String, ApiError> {
    let (state, caller) = context::session_only()?;
    section(&state, &caller).await
}

#[cfg(feature = "ssr")]
async fn section(state: &AppState, caller: &Caller) -> Result<String, ApiError> {
    if state.telegram.is_none() {
        return Ok(paragraph(words::REMINDERS_WITHOUT_BOT));
    }
    if let Some(linked) = telegram::linked(&state.ctx, caller).await? {
        let since = when::instant(&linked.since, &state.ctx.now(), &caller.user.zone);
        let told = words::linked(&linked.name, &since);
        return Ok(paragraph(&told) + &paragraph(assistant::PASSES_TELEGRAM) + &form("unlink", words::UNLINK));
    }
    let why = words::WHAT_IT_IS_FOR;
    // A form that made a code left it to be shown on this page.
    let made = context::left_by(TelegramLink::PATH);
    let Some(code) = made.as_ref().and_then(|flash| flash.told("code")) else {
        return Ok(paragraph(why) + &paragraph(assistant::PASSES_TELEGRAM) + &form("link", words::MAKE_A_CODE));
    };
    let how = paragraph(words::SEND_THIS) + &format!("<p><code>/start {}</code></p>", escaped(&code));
    let url = made.and_then(|flash| flash.told("url")).filter(|url| url.starts_with("https://t.me/"));
    let open = url.map(|url| format!("<p><a href=\"{}\">{}</a></p>{}", escaped(&url), words::OPEN_TELEGRAM, qr(&url)));
    Ok(how + &open.unwrap_or_default())
}

#[cfg(feature = "ssr")]
fn form(act: &str, label: &str) -> String {
    format!(
        "<form method=\"post\" action=\"/api/v1/telegram/{act}\"><input type=\"hidden\" name=\"return_to\" \
         value=\"/settings#telegram\"><button class=\"button\">{label}</button></form>"
    )
}

#[cfg(feature = "ssr")]
fn paragraph(text: &str) -> String {
    format!("<p>{}</p>", escaped(text))
}

/// The address as a QR code, to be seen from a telephone.
#[cfg(feature = "ssr")]
fn qr(url: &str) -> String {
    let Ok(code) = qrcode::QrCode::new(url) else { return String::new() };
    let drawn = code.render::<qrcode::render::svg::Color>().min_dimensions(180, 180).build();
    // What stands before the drawing is for a file of its own.
    let drawing = drawn.find("<svg").map_or("", |at| &drawn[at..]);
    drawing.replacen("<svg", &format!("<svg role=\"img\" aria-label=\"{}\"", words::SAME_LINK_AS_QR_CODE), 1)
}
