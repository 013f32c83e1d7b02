//! The caller and the cookies of a request. The only file of this layer that knows HTTP.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{COOKIE, HeaderValue, LOCATION, RETRY_AFTER, SET_COOKIE};
use http::request::Parts;
use http::{Method, StatusCode};
use leptos::prelude::use_context;
use leptos_axum::ResponseOptions;
use tokio_util::sync::CancellationToken;

use super::admin::AccountView;
use super::error::Code;
use super::flash::Flash;
use super::repeated_field::RepeatedField;
use super::settings::{Layout, PolicyView, Theme};
use super::{ApiError, views};
use crate::domain::Invalid;
use crate::domain::id::UserId;
use crate::domain::policy::Entry;
use crate::domain::user::{Admin, Caller, Door, Scope, Visitor};
use crate::messages::import::file_too_large;
use crate::messages::{assistant, errors as messages};
use crate::state::AppState;
use crate::usecases::Bulk;
use crate::usecases::import::{self, Format, Reading};
use crate::usecases::policy::{self, Whose};
use crate::usecases::{accounts, memories, spending, telegram};

/// A cookie's name over HTTPS. Browsers accept the `__Host-` prefix only from this host and with `Secure` (RFC 6265bis, 4.1.3.2).
/// Over plain HTTP the prefix is dropped.
struct Cookie(&'static str);

impl Cookie {
    fn name(&self, secure: bool) -> &'static str {
        if secure { self.0 } else { self.0.trim_start_matches("__Host-") }
    }

    /// Returns the cookie's value in this request.
    fn value(&self) -> Option<String> {
        cookie(&parts()?, self.name(state().ok()?.config.secure()))
    }
}

const SESSION_COOKIE: Cookie = Cookie("__Host-docket_session");
/// Carries the message of a plain form to the next page.
const FLASH_COOKIE: Cookie = Cookie("__Host-docket_flash");
const THEME_COOKIE: Cookie = Cookie("__Host-docket_theme");
const SHORTCUTS_COOKIE: Cookie = Cookie("__Host-docket_shortcuts");
const LAYOUT_COOKIE: Cookie = Cookie("__Host-docket_layout");

pub fn session_cookie(secure: bool) -> &'static str {
    SESSION_COOKIE.name(secure)
}

/// Lifetime of the appearance cookies, in seconds: a year.
const THEME_S: i64 = 365 * 86_400;
/// Lifetime of the flash cookie, in seconds.
const FLASH_S: i64 = 60;
/// The path of a flash that no form created.
const NOTICE: &str = "notice";
/// Pages that need an account, as does everything below them.
const PAGES: [&str; 6] = ["/tasks", "/conversations", "/approvals", "/audit", "/settings", "/admin"];

/// Returns the application state behind this request.
pub fn state() -> Result<AppState, ApiError> {
    use_context().ok_or_else(|| ApiError::new(Code::Unavailable, messages::NOT_READY_YET))
}

/// Returns the application state and the signed-in caller.
pub fn anyone() -> Result<(AppState, Caller), ApiError> {
    let state = state()?;
    match parts().and_then(|parts| parts.extensions.get::<Option<Caller>>().cloned()).flatten() {
        Some(caller) => Ok((state, caller)),
        None => Err(ApiError::new(Code::Unauthenticated, messages::SIGN_IN_FIRST)),
    }
}

/// Returns the application state and a caller with `scope`.
pub fn caller(scope: Scope) -> Result<(AppState, Caller), ApiError> {
    let (state, caller) = anyone()?;
    if caller.may(scope) {
        return Ok((state, caller));
    }
    Err(ApiError::new(Code::Forbidden, messages::token_lacks_scope(scope.as_str())))
}

/// Returns the application state and a caller with a session: a token cannot change the account that owns it.
pub fn session_only() -> Result<(AppState, Caller), ApiError> {
    let (state, caller) = anyone()?;
    if caller.door == Door::Web {
        return Ok((state, caller));
    }
    Err(ApiError::new(Code::Forbidden, messages::ONLY_THE_BROWSER))
}

/// Returns the application state and a caller who is an admin.
pub fn admin() -> Result<(AppState, Admin), ApiError> {
    let (state, caller) = anyone()?;
    let admin = caller.admin().ok_or_else(|| ApiError::new(Code::Forbidden, messages::ONLY_AN_ADMIN))?;
    Ok((state, admin))
}

/// Turns `forbidden` into `not_found`: admin pages do not exist for other users.
pub fn as_absent(error: ApiError) -> ApiError {
    if error.code != Code::Forbidden {
        return error;
    }
    not_found();
    ApiError::new(Code::NotFound, messages::NOTHING_HERE)
}

/// Extension of a request for a page; cancelled when its client disconnects.
#[derive(Debug, Clone)]
pub struct PageClient(pub CancellationToken);

/// Runs long work that only reads. A page takes a place that others wait for: it is refused while the account's lane is taken, and
/// its work ends when its client disconnects.
pub async fn long_read<T, F>(
    bulk: &Bulk,
    account: UserId,
    work: impl FnOnce() -> F + Send + 'static,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, ApiError>>,
{
    let client = parts().and_then(|parts| parts.extensions.get::<PageClient>().cloned());
    let Some(PageClient(gone)) = client else { return bulk.run(account, work).await };
    let done = gone.run_until_cancelled(bulk.try_run(account, work)).await.flatten();
    done.unwrap_or_else(|| Err(ApiError::new(Code::Conflict, messages::LONG_WORK_RUNS)))
}

/// Returns the client that sent the request; the default if unknown.
pub fn visitor() -> Visitor {
    parts().and_then(|parts| parts.extensions.get::<Visitor>().cloned()).unwrap_or_default()
}

pub async fn account(state: &AppState, admin: &Admin, name: &str) -> Result<AccountView, ApiError> {
    let all = accounts::list_users(&state.ctx).await?;
    let name = name.trim().to_lowercase();
    let found = all.into_iter().find(|account| account.user.name.as_str() == name);
    let found = found.ok_or_else(|| ApiError::new(Code::NotFound, messages::NO_SUCH_USER))?;
    Ok(views::account(found, &admin.caller().user, &state.ctx.now()))
}

/// Changes fields of a policy, given like `mcp.delete_task.deny`, and returns the whole policy.
pub async fn set_policy(state: &AppState, whose: Whose<'_>, rules: RepeatedField) -> Result<Vec<PolicyView>, ApiError> {
    let entries = rules.0.iter().map(|rule| Entry::parse(rule)).collect::<Result<Vec<_>, _>>();
    policy::set(&state.ctx, whose, &entries.map_err(ApiError::malformed)?).await?;
    let matrix = policy::matrix(&state.ctx, whose).await?;
    Ok(matrix.into_iter().map(PolicyView::from).collect())
}

/// Parses an optional id or key; forms send a missing one empty.
pub fn id<T>(text: Option<String>, parse: impl Fn(&str) -> Result<T, Invalid>) -> Result<Option<T>, ApiError> {
    text.filter(|text| !text.is_empty()).map(|text| parse(&text)).transpose().map_err(ApiError::malformed)
}

/// Answers 429 with Retry-After if the sender exceeded the rate limit; the body is the refusing turn.
pub fn too_fast(retry_after_s: Option<i64>) {
    if let (Some(seconds), Some(response)) = (retry_after_s, use_context::<ResponseOptions>()) {
        response.set_status(StatusCode::TOO_MANY_REQUESTS);
        response.insert_header(RETRY_AFTER, HeaderValue::from(seconds));
    }
}

/// Describes in words the engine, the data sent to its host, and today's usage.
pub async fn engine(state: &AppState, caller: &Caller) -> Result<String, ApiError> {
    let linked = state.telegram.is_some() && telegram::linked(&state.ctx, caller).await?.is_some();
    let Some(endpoint) = state.config.endpoint().filter(|_| caller.user.uses_model) else {
        let leaves = if linked { assistant::PASSES_TELEGRAM } else { assistant::NOTHING_LEAVES };
        return Ok(assistant::rules_answer(leaves));
    };
    let model = endpoint.model.as_deref().unwrap_or_default();
    let address = endpoint.base_url.as_deref().unwrap_or_default();
    let address: http::Uri = address.parse().unwrap_or_default();
    // Without the user information before an `@`.
    let port = address.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = format!("{}{port}", address.host().unwrap_or_default());
    // A caller who may not read the setting is shown the most that may be sent.
    let remembers = state.config.memory && (!caller.may(Scope::Chat) || memories::is_on(&state.ctx, caller).await?);
    let (tokens_in, tokens_out) = spending::of_today(&state.ctx, &caller.user).await?;
    let tokens = views::grouped((tokens_in + tokens_out).unsigned_abs());
    // Without a price, zero tokens do not cost “nothing”: the cost is unknown.
    let cost = spending::cost_of_today(&state.ctx, &caller.user).await?;
    let cost = cost.filter(|_| tokens_in + tokens_out > 0 || state.config.price.is_some());
    let cost = cost.map(|cost| views::cost(Some(cost)));
    let share = Some(state.config.turn.daily_tokens).filter(|share| *share != 0).map(views::grouped);
    let share = share.as_deref();
    let (host, tokens, cost) = (host.as_str(), tokens.as_str(), cost.as_deref());
    Ok(assistant::model_answers(&assistant::Engine { model, host, remembers, linked, tokens, share, cost }))
}

/// Describes in words what the embedding provider receives; empty if this machine makes the embeddings.
pub async fn embedding(state: &AppState, caller: &Caller) -> Result<String, ApiError> {
    let model = state.config.embedder().filter(|_| state.config.memory && caller.user.uses_model);
    let Some(model) = model else { return Ok(String::new()) };
    // A caller who may not read the setting is shown the most that may be sent.
    if caller.may(Scope::Chat) && !memories::is_on(&state.ctx, caller).await? {
        return Ok(String::new());
    }
    Ok(assistant::notes_are_found_by(model))
}

/// Returns true if the request is for a page rather than the API.
pub fn renders_page() -> bool {
    parts().is_some_and(|parts| !parts.uri.path().starts_with("/api/"))
}

pub fn not_found() {
    status(404);
}

/// Sets the status of the page being rendered; ignores an invalid one.
pub fn status(status: u16) {
    if let (Some(response), Ok(status)) = (use_context::<ResponseOptions>(), StatusCode::from_u16(status)) {
        response.set_status(status);
    }
}

/// Parses the text of a file for this caller, as `format` or as the detected format.
pub fn reading(
    state: &AppState,
    caller: &Caller,
    text: &str,
    format: Option<&str>,
) -> Result<(Format, Reading), ApiError> {
    if text.len() > import::LARGEST {
        return Err(ApiError::new(Code::TooLarge, file_too_large(import::LARGEST)));
    }
    let named = format.map(str::trim).filter(|format| !format.is_empty());
    let format = named.map_or_else(|| Ok(Format::of(text)), Format::parse)?;
    Ok((format, import::read(format, text.as_bytes(), &state.ctx.now(), &caller.user.zone)?))
}

/// Redirects signed-out visitors of guarded pages to `/sign-in`, and signed-in ones from there to `/`.
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

/// Returns the token of the set-up link that opened this page: empty if the link has none, `None` on other pages.
pub fn set_up_token() -> Option<String> {
    let parts = parts().filter(|parts| parts.uri.path() == "/setup")?;
    let mut fields = parts.uri.query().unwrap_or_default().split('&');
    Some(fields.find_map(|field| field.strip_prefix("token=")).unwrap_or_default().to_owned())
}

/// Redirects the page, whatever the request's `Accept` header is.
fn go(path: &str) {
    if let (Some(response), Ok(path)) = (use_context::<ResponseOptions>(), HeaderValue::from_str(path)) {
        response.set_status(StatusCode::SEE_OTHER);
        response.insert_header(LOCATION, path);
    }
}

/// Percent-encodes text as one value of a query string.
pub fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// Returns a unique key for a form.
pub fn form_key() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// Returns the flash of the page being rendered, and deletes its cookie.
pub fn take_flash() -> Option<Flash> {
    let (flash, from_cookie) = flash()?;
    if let (true, Ok(state)) = (from_cookie, state()) {
        set_cookie(&state, &FLASH_COOKIE, "", 0);
    }
    flash
}

/// Returns the newest notice that the account's owner has not dismissed in the settings.
pub async fn notice() -> Result<Option<Flash>, ApiError> {
    let Ok((state, caller)) = session_only() else { return Ok(None) };
    let newest = accounts::list_notices(&state.ctx, &caller).await?.into_iter().next();
    let error = newest.map(|notice| messages::see_the_settings(&notice.body.sentence()));
    Ok(error.map(|error| Flash { path: NOTICE.into(), error: Some(error), ..Flash::default() }))
}

/// Returns the flash without deleting its cookie, if the form that left it called `path`.
pub fn left_by(path: &str) -> Option<Flash> {
    flash()?.0.filter(|flash| flash.path == path)
}

/// Returns the flash, if it can be decoded, and true if a cookie carried it.
fn flash() -> Option<(Option<Flash>, bool)> {
    let parts = parts()?;
    if let Some(flash) = parts.extensions.get::<Flash>() {
        return Some((Some(flash.clone()), false));
    }
    let json = URL_SAFE_NO_PAD.decode(FLASH_COOKIE.value()?).ok()?;
    Some((serde_json::from_slice(&json).ok(), true))
}

/// Returns the Set-Cookie value that carries a flash to the next page.
pub fn flash_cookie(flash: &Flash, secure: bool) -> String {
    let json = serde_json::to_vec(flash).unwrap_or_default();
    written(&FLASH_COOKIE, &URL_SAFE_NO_PAD.encode(json), FLASH_S, secure)
}

/// Returns true if the page being rendered answers a plain form that failed.
pub fn answers_a_failed_form() -> bool {
    parts().is_some_and(|parts| parts.extensions.get::<Flash>().is_some())
}

pub fn theme() -> Theme {
    THEME_COOKIE.value().map(|name| Theme::parse(&name)).unwrap_or_default()
}

/// Returns true unless this browser switched single-key shortcuts off.
pub fn shortcuts() -> bool {
    SHORTCUTS_COOKIE.value().is_none_or(|value| value != "off")
}

pub fn layout() -> Layout {
    LAYOUT_COOKIE.value().map(|name| Layout::parse(&name)).unwrap_or_default()
}

/// Stores the given appearance settings in cookies.
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

fn cookie(parts: &Parts, name: &str) -> Option<String> {
    let headers = parts.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = headers.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value.to_owned())
}

fn parts() -> Option<Parts> {
    use_context()
}
