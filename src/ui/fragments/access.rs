//! Access to the account: sessions and tokens, and the form that erases conversations.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;

use crate::api::ApiError;

/// Renders the reader's password form, sessions and tokens, and the form that erases.
#[server(name = GetAccess, prefix = "/api/v1", endpoint = "rendered/access", input = GetUrl)]
pub async fn access() -> Result<String, ApiError> {
    use crate::api::{context, reauthentication, settings};
    let (sessions, tokens) = (settings::sessions().await?, settings::tokens().await?);
    let (state, caller) = context::anyone()?;
    let reader = show::Reader {
        name: caller.user.name.to_string(),
        admin: caller.admin().is_some(),
        asked: reauthentication::asks_password(&state, &caller).await?,
    };
    Ok(show::sections(sessions, tokens, reader, &context::take_flash().unwrap_or_default()))
}

#[cfg(feature = "ssr")]
mod show {
    use leptos::prelude::*;
    use leptos::server_fn::ServerFn;

    use crate::api::flash::Flash;
    use crate::api::settings::{CreateToken, EndOthers, EndSession, EraseOwn, RevokeToken, SessionView, TokenView};
    use crate::domain::user::{Scope, TokenInfo, TokenKind};
    use crate::messages::access as messages;
    use crate::ui::components::{Field, Icon, Shape};
    use crate::ui::fragments::password;

    const SESSIONS: &str = "/settings#sessions";
    const TOKENS: &str = "/settings#tokens";
    const ERASE: &str = "/settings#erase";

    /// The user who reads the page.
    pub struct Reader {
        pub name: String,
        pub admin: bool,
        /// True if protected actions ask for the password.
        pub asked: bool,
    }

    pub fn sections(sessions: Vec<SessionView>, tokens: Vec<TokenView>, reader: Reader, flash: &Flash) -> String {
        let Reader { name, admin, asked } = reader;
        let others = sessions.len() > 1;
        let failed = |paths: &[&str]| {
            let error = paths.iter().find_map(|path| flash.error_of(path));
            error.map(|error| view! { <p class="error" role="alert">{error}</p> })
        };
        let none = tokens.is_empty();
        view! {
            {password::change(name, flash)}
            <section class="sheet sheet--padded" aria-labelledby="sessions">
                <h2 id="sessions">{messages::SIGNED_IN}</h2>
                {failed(&[EndSession::PATH, EndOthers::PATH])}
                <ul class="settings-page__tokens">{sessions.into_iter().map(session).collect_view()}</ul>
                {others.then(|| view! {
                    <form method="post" action=EndOthers::url()>
                        <input type="hidden" name="return_to" value=SESSIONS/>
                        <button class="button">{messages::SIGN_OUT_EVERYWHERE_ELSE}</button>
                    </form>
                })}
            </section>
            <section class="sheet sheet--padded" aria-labelledby="tokens">
                <h2 id="tokens">{messages::PERSONAL_TOKENS}</h2>
                <p class="page__lead">{messages::WHAT_TOKENS_ARE_FOR}</p>
                {failed(&[RevokeToken::PATH, CreateToken::PATH])}
                {none.then(|| view! { <p>{messages::NO_TOKENS_YET}</p> })}
                <ul class="settings-page__tokens" hidden=none>{tokens.into_iter().map(token).collect_view()}</ul>
                {create(admin, asked, flash)}
            </section>
            {erase(flash)}
        }
        .to_html()
    }

    /// Erasure cannot be undone, so it asks for the password each time.
    fn erase(flash: &Flash) -> impl IntoView + use<> {
        let failed = flash.error_of(EraseOwn::PATH);
        let (before, open) = (flash.typed(EraseOwn::PATH, "before"), failed.is_some());
        view! {
            <section class="sheet sheet--padded" aria-labelledby="erase">
                <h2 id="erase">{messages::ERASE_WHAT_WAS_SAID}</h2>
                <p class="page__lead">{messages::WHAT_IS_ERASED}</p>
                <details class="settings-page__new" open=open>
                    <summary class="button button--quiet-danger">{messages::ERASE} <Icon shape=Shape::Chevron/></summary>
                    <form class="stack" method="post" action=EraseOwn::url()>
                        <p>{messages::ERASING_IS_FOR_GOOD}</p>
                        {failed.map(|error| view! { <p class="error" role="alert">{error}</p> })}
                        <input type="hidden" name="return_to" value=ERASE/>
                        <Field id="erase-before" label=messages::ONLY_WHAT_IS_OLDER_THAN hint=messages::EMPTY_ERASES_EVERYTHING>
                            <input id="erase-before" type="date" name="before" aria-describedby="erase-before-hint" value=before/>
                        </Field>
                        <Field id="erase-password" label=messages::YOUR_PASSWORD>
                            <input id="erase-password" type="password" name="password" required autocomplete="current-password"/>
                        </Field>
                        <div class="stack__actions"><button class="button button--danger">{messages::ERASE_FOR_GOOD}</button></div>
                    </form>
                </details>
            </section>
        }
    }

    fn session(session: SessionView) -> impl IntoView {
        let SessionView { session_id, device, seen, current } = session;
        let spoken = messages::sign_out(&device);
        let end = (!current).then(|| {
            view! {
                <form method="post" action=EndSession::url()>
                    <input type="hidden" name="session_id" value=session_id/>
                    <input type="hidden" name="return_to" value=SESSIONS/>
                    <button class="button button--quiet-danger" aria-label=spoken>{messages::SIGN_OUT}</button>
                </form>
            }
        });
        view! {
            <li class="settings-page__token">
                <span>
                    <strong>{device}</strong> " " {current.then(|| view! { <span class="badge badge--quiet">{messages::THIS_BROWSER}</span> })}
                    <br/> <span class="page__lead">{seen}</span>
                </span>
                {end}
            </li>
        }
    }

    fn token(token: TokenView) -> impl IntoView {
        let TokenView { token_id, name, kind, scopes, budget, made, revoked, notice } = token;
        let told = format!("{} · {budget} · {made}", kind_of(kind));
        let spoken = messages::revoke(&name);
        let end = (!revoked).then(|| {
            view! {
                <form method="post" action=RevokeToken::url()>
                    <input type="hidden" name="token_id" value=token_id/>
                    <input type="hidden" name="return_to" value=TOKENS/>
                    <button class="button button--quiet-danger" aria-label=spoken>{messages::REVOKE}</button>
                </form>
            }
        });
        view! {
            <li class="settings-page__token">
                <span>
                    <strong>{name}</strong> " " <code>{scopes}</code> <br/> <span class="page__lead">{told}</span>
                    {notice.map(|notice| view! { <span class="settings-page__token-notice">{notice}</span> })}
                </span>
                {revoked.then(|| view! { <span class="page__lead">{messages::REVOKED}</span> })}
                {end}
            </li>
        }
    }

    fn create(admin: bool, asked: bool, flash: &Flash) -> impl IntoView + use<> {
        let failed = flash.error_of(CreateToken::PATH).is_some();
        let name = flash.typed(CreateToken::PATH, "name");
        let ticked = flash.typed_all(CreateToken::PATH, "scopes");
        let scopes = Scope::ALL.into_iter().filter(|scope| admin || *scope != Scope::Admin).map(|scope| {
            // Not `chat`, which lets a token approve its own requests.
            let usual = [Scope::TasksRead, Scope::TasksWrite].contains(&scope);
            let ticked = if failed { ticked.iter().any(|it| it == scope.as_str()) } else { usual };
            view! {
                <label class="settings-page__scope">
                    <input type="checkbox" name="scopes" value=scope.as_str() checked=ticked/>
                    <span>{meaning(scope)} " " <code>{scope.as_str()}</code></span>
                </label>
            }
        });
        let typed = |field| flash.typed(CreateToken::PATH, field).filter(|text| !text.is_empty());
        let budget = typed("budget").unwrap_or_else(|| TokenInfo::BUDGET.to_string());
        let personal = typed("kind").as_deref() == Some(TokenKind::Personal.as_str());
        let kinds = [(TokenKind::Agent, messages::FOR_AN_AGENT), (TokenKind::Personal, messages::FOR_YOUR_OWN_PROGRAM)];
        let kinds = kinds.map(|(kind, what)| {
            view! {
                <label class="settings-page__scope">
                    <input type="radio" name="kind" value=kind.as_str() checked=personal == (kind == TokenKind::Personal)/>
                    <span>{what}</span>
                </label>
            }
        });
        view! {
            <details class="settings-page__new" open=failed>
                <summary class="button">{messages::NEW_TOKEN} <Icon shape=Shape::Chevron/></summary>
                <form class="stack" method="post" action=CreateToken::url()>
                    <input type="hidden" name="return_to" value=TOKENS/>
                    <Field id="token-name" label=messages::NAME hint=messages::TOKEN_NAME_HINT>
                        <input id="token-name" name="name" required maxlength="60" autocomplete="off" aria-describedby="token-name-hint"
                            value=name/>
                    </Field>
                    <fieldset class="settings-page__scopes"><legend>{messages::IT_IS_FOR}</legend>{kinds}</fieldset>
                    <fieldset class="settings-page__scopes"><legend>{messages::IT_MAY}</legend>{scopes.collect_view()}</fieldset>
                    <Field id="token-budget" label=messages::BUDGET hint=messages::BUDGET_HINT>
                        <input id="token-budget" name="budget" type="number" required min="0" max=TokenInfo::MOST_BUDGET.to_string()
                            autocomplete="off" aria-describedby="token-budget-hint" value=budget/>
                    </Field>
                    {password::again(asked, "token-password")}
                    <div class="stack__actions"><button class="button button--primary">{messages::MAKE_THE_TOKEN}</button></div>
                </form>
            </details>
        }
    }

    fn kind_of(kind: TokenKind) -> &'static str {
        match kind {
            TokenKind::Personal => messages::PERSONAL,
            TokenKind::Agent => messages::AGENTS,
        }
    }

    fn meaning(scope: Scope) -> &'static str {
        match scope {
            Scope::Chat => messages::MAY_CHAT,
            Scope::TasksRead => messages::MAY_READ_TASKS,
            Scope::TasksWrite => messages::MAY_WRITE_TASKS,
            Scope::TasksDelete => messages::MAY_DELETE_TASKS,
            Scope::Audit => messages::MAY_READ_THE_RECORD,
            Scope::Admin => messages::MAY_MANAGE_ACCOUNTS,
        }
    }
}
