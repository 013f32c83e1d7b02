//! Who is calling, and the cookies of a request. The only file here that knows that there is HTTP.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{COOKIE, HeaderValue, LOCATION, RETRY_AFTER, SET_COOKIE};
use http::request::Parts;
use http::{Method, StatusCode};
use leptos::prelude::use_context;
use leptos_axum::ResponseOptions;

use super::admin::AccountView;
use super::approvals::ApprovalView;
use super::chat::Thread;
use super::error::Code;
use super::flash::Flash;
use super::listed::Listed;
use super::settings::{Layout, PolicyView, Theme};
use super::{ApiError, wording};
use crate::domain::Invalid;
use crate::domain::approval::{Approval, ApprovalStatus};
use crate::domain::id::TurnId;
use crate::domain::policy::Entry;
use crate::domain::turn::Turn;
use crate::domain::user::{Admin, Caller, Door, Scope, Visitor};
use crate::state::AppState;
use crate::usecases::import::{self, Format, Reading};
use crate::usecases::policy::{self, Whose};
use crate::usecases::{accounts, approvals, conversations, memories, spending, telegram};
use crate::words::{assistant, errors as words};
use crate::workflow::inbox;

/// A cookie's name under https, which browsers take only from this very host, and only when it is `Secure` (RFC 6265bis, 4.1.3.2);
/// over plain HTTP the same without the prefix.
struct Cookie(&'static str);

impl Cookie {
    fn name(&self, secure: bool) -> &'static str {
        if secure { self.0 } else { self.0.trim_start_matches("__Host-") }
    }

    /// Its value in the request that is being answered.
    fn value(&self) -> Option<String> {
        cookie(&parts()?, self.name(state().ok()?.config.secure()))
    }
}

const SESSION_COOKIE: Cookie = Cookie("__Host-docket_session");
/// What a plain form left to be said on the next page.
const FLASH_COOKIE: Cookie = Cookie("__Host-docket_flash");
const THEME_COOKIE: Cookie = Cookie("__Host-docket_theme");
const SHORTCUTS_COOKIE: Cookie = Cookie("__Host-docket_shortcuts");
const LAYOUT_COOKIE: Cookie = Cookie("__Host-docket_layout");

/// The name of the session's cookie.
pub fn session_cookie(secure: bool) -> &'static str {
    SESSION_COOKIE.name(secure)
}

/// How long a look is remembered, in seconds: a year.
const THEME_S: i64 = 365 * 86_400;
/// How long what a form left may wait for its page, in seconds.
const FLASH_S: i64 = 60;
/// The path of a flash that no form left.
const NOTICE: &str = "notice";
/// Pages that need an account; whatever is below them does too.
const PAGES: [&str; 6] = ["/tasks", "/conversations", "/approvals", "/audit", "/settings", "/admin"];

/// The application behind this request.
pub fn state() -> Result<AppState, ApiError> {
    use_context().ok_or_else(|| ApiError::new(Code::Unavailable, words::NOT_READY_YET))
}

/// The application and whoever is calling.
pub fn anyone() -> Result<(AppState, Caller), ApiError> {
    let state = state()?;
    match parts().and_then(|parts| parts.extensions.get::<Option<Caller>>().cloned()).flatten() {
        Some(caller) => Ok((state, caller)),
        None => Err(ApiError::new(Code::Unauthenticated, words::SIGN_IN_FIRST)),
    }
}

/// The application and a caller who may do what `scope` guards.
pub fn caller(scope: Scope) -> Result<(AppState, Caller), ApiError> {
    let (state, caller) = anyone()?;
    if caller.may(scope) {
        return Ok((state, caller));
    }
    Err(ApiError::new(Code::Forbidden, words::token_lacks_scope(scope.as_str())))
}

/// The application and a caller with a session; a token cannot change the account that it belongs to.
pub fn session_only() -> Result<(AppState, Caller), ApiError> {
    let (state, caller) = anyone()?;
    if caller.door == Door::Web {
        return Ok((state, caller));
    }
    Err(ApiError::new(Code::Forbidden, words::ONLY_THE_BROWSER))
}

/// The application and a caller who is an admin.
pub fn admin() -> Result<(AppState, Admin), ApiError> {
    let (state, caller) = anyone()?;
    let admin = caller.admin().ok_or_else(|| ApiError::new(Code::Forbidden, words::ONLY_AN_ADMIN))?;
    Ok((state, admin))
}

/// For a page of admins, which for everyone else does not exist.
pub fn as_absent(error: ApiError) -> ApiError {
    if error.code != Code::Forbidden {
        return error;
    }
    not_found();
    ApiError::new(Code::NotFound, words::NOTHING_HERE)
}

/// Where the request comes from.
pub fn visitor() -> Visitor {
    parts().and_then(|parts| parts.extensions.get::<Visitor>().cloned()).unwrap_or_default()
}

/// Somebody's account as it is now.
pub async fn account(state: &AppState, admin: &Admin, name: &str) -> Result<AccountView, ApiError> {
    let all = accounts::list_users(&state.ctx).await?;
    let name = name.trim().to_lowercase();
    let found = all.into_iter().find(|account| account.user.name.as_str() == name);
    let found = found.ok_or_else(|| ApiError::new(Code::NotFound, words::NO_SUCH_USER))?;
    Ok(wording::account(found, &admin.caller().user, &state.ctx.now()))
}

/// Changes fields of a policy, written like `mcp.delete_task.deny`; returns the whole as it is then.
pub async fn set_policy(state: &AppState, whose: Whose<'_>, rules: Listed) -> Result<Vec<PolicyView>, ApiError> {
    let entries = rules.0.iter().map(|rule| Entry::parse(rule)).collect::<Result<Vec<_>, _>>();
    policy::set(&state.ctx, whose, &entries.map_err(ApiError::malformed)?).await?;
    let matrix = policy::matrix(&state.ctx, whose).await?;
    Ok(matrix.into_iter().map(PolicyView::from).collect())
}

/// Reads an id or a key that a form may leave empty.
pub fn id<T>(text: Option<String>, parse: impl Fn(&str) -> Result<T, Invalid>) -> Result<Option<T>, ApiError> {
    text.filter(|text| !text.is_empty()).map(|text| parse(&text)).transpose().map_err(ApiError::malformed)
}

/// A turn: when it is done, or as it stands.
pub async fn turn(state: &AppState, caller: &Caller, id: TurnId, wait: bool) -> Result<Turn, ApiError> {
    let turn =
        if wait { inbox::wait(state, caller, id).await } else { conversations::turn(&state.ctx, caller, id).await };
    Ok(turn?)
}

/// A request in words, with what the person said that led to it while it waits.
pub async fn approval(state: &AppState, caller: &Caller, approval: Approval) -> Result<ApprovalView, ApiError> {
    with_words(state, caller, wording::approval(approval, &state.ctx.now(), &caller.user.zone)).await
}

/// The same with everything that it would change.
pub async fn whole_approval(state: &AppState, caller: &Caller, approval: Approval) -> Result<ApprovalView, ApiError> {
    with_words(state, caller, wording::whole_approval(approval, &state.ctx.now(), &caller.user.zone)).await
}

async fn with_words(state: &AppState, caller: &Caller, mut view: ApprovalView) -> Result<ApprovalView, ApiError> {
    if view.approval.status == ApprovalStatus::Pending {
        view.said = approvals::said(&state.ctx, caller, view.approval.approval_id).await?.map(|said| said.text);
    }
    Ok(view)
}

/// Adds to the cards of a conversation that wait what the person said, where that stands elsewhere than above the card.
pub async fn with_earlier_words(state: &AppState, caller: &Caller, mut thread: Thread) -> Result<Thread, ApiError> {
    for card in thread.items.iter_mut().filter_map(|item| item.card.as_mut()) {
        if card.approval.status == ApprovalStatus::Pending {
            let said = approvals::said(&state.ctx, caller, card.approval.approval_id).await?;
            card.said = said.filter(|said| said.turn != card.approval.turn_id).map(|said| said.text);
        }
    }
    Ok(thread)
}

/// Answers 429 where the sender was too fast; the body is the refusing turn.
pub fn too_fast(retry_after_s: Option<i64>) {
    if let (Some(seconds), Some(response)) = (retry_after_s, use_context::<ResponseOptions>()) {
        response.set_status(StatusCode::TOO_MANY_REQUESTS);
        response.insert_header(RETRY_AFTER, HeaderValue::from(seconds));
    }
}

/// What answers, what is sent where, and what that took today, in words.
pub async fn engine(state: &AppState, caller: &Caller) -> Result<String, ApiError> {
    let linked = state.telegram.is_some() && telegram::linked(&state.ctx, caller).await?.is_some();
    let Some(endpoint) = state.config.endpoint().filter(|_| caller.user.uses_model) else {
        let leaves = if linked { assistant::PASSES_TELEGRAM } else { assistant::NOTHING_LEAVES };
        return Ok(assistant::rules_answer(leaves));
    };
    let model = endpoint.model.as_deref().unwrap_or_default();
    let address = endpoint.base_url.as_deref().unwrap_or_default();
    let address: http::Uri = address.parse().unwrap_or_default();
    // Never what stands before an @.
    let port = address.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = format!("{}{port}", address.host().unwrap_or_default());
    // Whoever may not look is told of what may be.
    let remembers = state.config.memory && (!caller.may(Scope::Chat) || memories::is_on(&state.ctx, caller).await?);
    let (tokens_in, tokens_out) = spending::of_today(&state.ctx, &caller.user).await?;
    let tokens = wording::grouped((tokens_in + tokens_out).unsigned_abs());
    // Nothing at a price that nobody knows is not nothing.
    let cost = spending::cost_of_today(&state.ctx, &caller.user).await?;
    let cost = cost.filter(|_| tokens_in + tokens_out > 0 || state.config.price.is_some());
    let cost = cost.map(|cost| wording::cost(Some(cost)));
    let share = Some(state.config.turn.daily_tokens).filter(|share| *share != 0).map(wording::grouped);
    let share = share.as_deref();
    let (host, tokens, cost) = (host.as_str(), tokens.as_str(), cost.as_deref());
    Ok(assistant::model_answers(&assistant::Engine { model, host, remembers, linked, tokens, share, cost }))
}

/// What is sent to the provider so that notes are found again, in words; nothing where this machine finds them.
pub async fn embedding(state: &AppState, caller: &Caller) -> Result<String, ApiError> {
    let model = state.config.embedder().filter(|_| state.config.memory && caller.user.uses_model);
    let Some(model) = model else { return Ok(String::new()) };
    // Whoever may not look is told of what may be.
    if caller.may(Scope::Chat) && !memories::is_on(&state.ctx, caller).await? {
        return Ok(String::new());
    }
    Ok(assistant::notes_are_found_by(model))
}

/// Returns true if the request asks for a page and not for an answer of the API.
pub fn renders_page() -> bool {
    parts().is_some_and(|parts| !parts.uri.path().starts_with("/api/"))
}

/// Says that nothing is at the page's address.
pub fn not_found() {
    status(404);
}

/// Gives the page being rendered another status than 200.
pub fn status(status: u16) {
    if let (Some(response), Ok(status)) = (use_context::<ResponseOptions>(), StatusCode::from_u16(status)) {
        response.set_status(status);
    }
}

/// What the text of a file comes to for this caller, read as `format` or as what it looks like.
pub fn reading(
    state: &AppState,
    caller: &Caller,
    text: &str,
    format: Option<&str>,
) -> Result<(Format, Reading), ApiError> {
    let format = match format.map(str::trim).filter(|format| !format.is_empty()) {
        Some(format) => Format::parse(format)?,
        None => Format::of(text),
    };
    Ok((format, import::read(format, text.as_bytes(), &state.ctx.now(), &caller.user.zone)?))
}

/// Sends a page that is only for the signed-in to the way in, and the signed-in away from there.
pub fn direct(signed_in: bool) {
    let Some(parts) = parts().filter(|parts| parts.method == Method::GET) else { return };
    let path = parts.uri.path();
    let guarded = path == "/" || PAGES.iter().any(|page| path == *page || path.starts_with(&format!("{page}/")));
    if guarded && !signed_in {
        let here = parts.uri.path_and_query().map_or("/", |here| here.as_str());
        go(&format!("/sign-in?return_to={}", encoded(here)));
    } else if signed_in && path == "/sign-in" {
        go("/");
    }
}

/// The token of the set-up link that the page being rendered was opened with; empty where the link has none.
pub fn set_up_token() -> Option<String> {
    let parts = parts().filter(|parts| parts.uri.path() == "/setup")?;
    let mut fields = parts.uri.query().unwrap_or_default().split('&');
    Some(fields.find_map(|field| field.strip_prefix("token=")).unwrap_or_default().to_owned())
}

/// Answers the page with a redirect, whatever the browser says that it accepts.
fn go(path: &str) {
    if let (Some(response), Ok(path)) = (use_context::<ResponseOptions>(), HeaderValue::from_str(path)) {
        response.set_status(StatusCode::SEE_OTHER);
        response.insert_header(LOCATION, path);
    }
}

/// Text as one value of a query string.
pub fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// A key that no other form has.
pub fn form_key() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// What is to be said once on the page being rendered. Reading it uses it up.
pub fn take_flash() -> Option<Flash> {
    let (flash, from_cookie) = flash()?;
    if let (true, Ok(state)) = (from_cookie, state()) {
        set_cookie(&state, &FLASH_COOKIE, "", 0);
    }
    flash
}

/// What the account's owner is to know of on the page being rendered, until they dismiss it in the settings.
pub async fn notice() -> Result<Option<Flash>, ApiError> {
    let Ok((state, caller)) = session_only() else { return Ok(None) };
    let newest = accounts::list_notices(&state.ctx, &caller).await?.into_iter().next();
    let error = newest.map(|notice| words::see_the_settings(&notice.body.sentence()));
    Ok(error.map(|error| Flash { path: NOTICE.into(), error: Some(error), ..Flash::default() }))
}

/// The same without using it up, if the form that left it called `path`.
pub fn left_by(path: &str) -> Option<Flash> {
    flash()?.0.filter(|flash| flash.path == path)
}

/// The flash, if it can be read, and whether a cookie brought it.
fn flash() -> Option<(Option<Flash>, bool)> {
    let parts = parts()?;
    if let Some(flash) = parts.extensions.get::<Flash>() {
        return Some((Some(flash.clone()), false));
    }
    let json = URL_SAFE_NO_PAD.decode(FLASH_COOKIE.value()?).ok()?;
    Some((serde_json::from_slice(&json).ok(), true))
}

/// The cookie that carries a flash to the next page.
pub fn flash_cookie(flash: &Flash, secure: bool) -> String {
    let json = serde_json::to_vec(flash).unwrap_or_default();
    written(&FLASH_COOKIE, &URL_SAFE_NO_PAD.encode(json), FLASH_S, secure)
}

/// Whether the page being rendered answers a plain form that failed.
pub fn answers_a_failed_form() -> bool {
    parts().is_some_and(|parts| parts.extensions.get::<Flash>().is_some())
}

/// The look that this browser chose.
pub fn theme() -> Theme {
    THEME_COOKIE.value().map(|name| Theme::parse(&name)).unwrap_or_default()
}

/// Whether single keys act on the page: yes, unless this browser was told not to.
pub fn shortcuts() -> bool {
    SHORTCUTS_COOKIE.value().is_none_or(|value| value != "off")
}

/// What the chat shows in this browser.
pub fn layout() -> Layout {
    LAYOUT_COOKIE.value().map(|name| Layout::parse(&name)).unwrap_or_default()
}

/// Keeps what is given of the look of this browser.
pub fn set_look(state: &AppState, theme: Option<Theme>, shortcuts: Option<bool>, layout: Option<Layout>) {
    let chosen = [
        (&THEME_COOKIE, theme.map(Theme::as_str)),
        (&SHORTCUTS_COOKIE, shortcuts.map(|on| if on { "on" } else { "off" })),
        (&LAYOUT_COOKIE, layout.map(Layout::as_str)),
    ];
    for (cookie, value) in chosen.into_iter().filter_map(|(cookie, value)| Some((cookie, value?))) {
        set_cookie(state, cookie, value, THEME_S);
    }
}

/// The session's token in this request, if there is one.
pub fn session_token(state: &AppState) -> Option<String> {
    cookie(&parts()?, session_cookie(state.config.secure()))
}

pub fn set_session(state: &AppState, token: &str) {
    set_cookie(state, &SESSION_COOKIE, token, accounts::SESSION_S);
}

pub fn clear_session(state: &AppState) {
    set_cookie(state, &SESSION_COOKIE, "", 0);
}

fn written(cookie: &Cookie, value: &str, max_age_s: i64, secure: bool) -> String {
    let (name, mark) = (cookie.name(secure), if secure { "; Secure" } else { "" });
    format!("{name}={value}; Path=/; Max-Age={max_age_s}; HttpOnly; SameSite=Lax{mark}")
}

fn set_cookie(state: &AppState, cookie: &Cookie, value: &str, max_age_s: i64) {
    let cookie = written(cookie, value, max_age_s, state.config.secure());
    if let (Some(response), Ok(value)) = (use_context::<ResponseOptions>(), HeaderValue::from_str(&cookie)) {
        response.append_header(SET_COOKIE, value);
    }
}

/// The value of a cookie of the request.
fn cookie(parts: &Parts, name: &str) -> Option<String> {
    let headers = parts.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = headers.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value.to_owned())
}

fn parts() -> Option<Parts> {
    use_context()
}
