//! User administration: accounts, roles, and the forms that change them.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;

use crate::api::ApiError;

/// Renders the admins' page below its heading; fails with `NotFound` for everyone else.
#[server(name = GetUsers, prefix = "/api/v1", endpoint = "rendered/users", input = GetUrl)]
pub async fn users() -> Result<String, ApiError> {
    use crate::api::{admin, context, reauthentication};
    let accounts = admin::users().await.map_err(context::as_absent)?;
    let matrix = admin::list_policy().await.map_err(context::as_absent)?;
    let (state, caller) = context::anyone()?;
    let asked = reauthentication::asks_password(&state, &caller).await?;
    Ok(show::page(accounts, &matrix, asked, &context::take_flash().unwrap_or_default()))
}

#[cfg(feature = "ssr")]
mod show {
    use leptos::prelude::*;
    use leptos::server_fn::ServerFn;

    use crate::api::admin::{AccountView, Disable, Enable, Erase, Invite, Reset, SetPolicy, SetRole};
    use crate::api::flash::Flash;
    use crate::api::settings::PolicyView;
    use crate::messages::users as messages;
    use crate::ui::components::{Field, Icon, Shape};
    use crate::ui::fragments::{password, policy};

    const HERE: &str = "/admin/users";

    /// `asked` is true if protected actions ask for the reader's password.
    pub fn page(accounts: Vec<AccountView>, matrix: &[PolicyView], asked: bool, flash: &Flash) -> String {
        let changed = [Disable::PATH, Enable::PATH, Erase::PATH, SetRole::PATH, Reset::PATH];
        let failed = changed.iter().find_map(|path| flash.error_of(path));
        view! {
            {invite(asked, flash)}
            <section class="sheet sheet--padded" aria-labelledby="accounts">
                <h2 id="accounts">{messages::ACCOUNTS}</h2>
                {failed.map(|error| view! { <p class="error" role="alert">{error}</p> })}
                <ul class="user-list">{accounts.into_iter().map(|it| account(it, asked, flash)).collect_view()}</ul>
            </section>
            <section class="sheet sheet--padded" aria-labelledby="policy">
                <h2 id="policy">{messages::TOOL_POLICY_FOR_EVERYONE}</h2>
                <p class="page__lead">{messages::WHAT_THE_POLICY_IS}</p>
                {policy::form(matrix, SetPolicy::url(), HERE, flash.error_of(SetPolicy::PATH))}
            </section>
        }
        .to_html()
    }

    fn invite(asked: bool, flash: &Flash) -> impl IntoView + use<> {
        let name = flash.typed(Invite::PATH, "name");
        let admin = flash.typed(Invite::PATH, "role").is_some_and(|role| role == "admin");
        view! {
            <form class="sheet sheet--padded" method="post" action=Invite::url() aria-labelledby="invite">
                <h2 id="invite">{messages::INVITE_SOMEBODY}</h2>
                <p class="page__lead">{messages::HOW_AN_INVITATION_WORKS}</p>
                {flash.error_of(Invite::PATH).map(|error| view! { <p class="error" role="alert">{error}</p> })}
                <input type="hidden" name="return_to" value=HERE/>
                <div class="user-list__invite">
                    <Field id="name" label=messages::NAME>
                        <input id="name" name="name" required maxlength="40" autocomplete="off" autocapitalize="none" spellcheck="false"
                            value=name/>
                    </Field>
                    <Field id="role" label=messages::ROLE>
                        <select id="role" name="role">
                            <option value="user">{messages::USER}</option>
                            <option value="admin" selected=admin>{messages::ADMIN}</option>
                        </select>
                    </Field>
                    {password::again(asked, "invite-password")}
                    <button class="button button--primary">{messages::MAKE_THE_LINK}</button>
                </div>
            </form>
        }
    }

    fn account(account: AccountView, asked: bool, flash: &Flash) -> impl IntoView + use<> {
        let AccountView { name, role, state, seen, made, own, .. } = account;
        let badge = match state.as_str() {
            "invited" => Some(messages::INVITED),
            "disabled" => Some(messages::DISABLED),
            _ => None,
        };
        let acts = (!own).then(|| acts(&name, &role, &state, asked, flash));
        view! {
            <li class="user-list__row" class=("user-list__row--out", state == "disabled")>
                <div class="user-list__who">
                    <strong>{name}</strong>
                    {(role == "admin").then(|| view! { <span class="badge">{messages::ADMIN}</span> })}
                    {badge.map(|badge| view! { <span class="badge badge--quiet">{badge}</span> })}
                    {own.then(|| view! { <span class="badge badge--quiet">{messages::YOU}</span> })}
                    <p class="page__lead">{seen} " · " {made}</p>
                </div>
                {acts}
            </li>
        }
    }

    /// Actions of an admin on another account. Those that one press cannot revert ask for confirmation.
    fn acts(name: &str, role: &str, state: &str, asked: bool, flash: &Flash) -> impl IntoView + use<> {
        let (disabled, invited, admin) = (state == "disabled", state == "invited", role == "admin");
        let other = if admin { "user" } else { "admin" };
        let link = if invited { messages::NEW_INVITATION } else { messages::NEW_PASSWORD_LINK };
        let role = if admin { messages::MAKE_A_USER } else { messages::MAKE_AN_ADMIN };
        let enable = disabled.then(|| act(Enable::url(), name, None, messages::ENABLE, "button"));
        let rest = (!disabled).then(|| {
            view! {
                {protected(Reset::url(), name, None, link, asked)}
                {protected(SetRole::url(), name, Some(other), role, asked)}
                <details class="user-list__sure">
                    <summary class="button button--quiet-danger" aria-label=messages::disable_account(name)>{messages::DISABLE} <Icon shape=Shape::Chevron/></summary>
                    <div class="user-list__question">
                        <p>{messages::WHAT_DISABLING_MEANS}</p>
                        {act(Disable::url(), name, None, messages::DISABLE_THE_ACCOUNT, "button button--danger")}
                    </div>
                </details>
            }
        });
        let erase = (!invited).then(|| erase(name, asked, flash));
        view! { <div class="user-list__acts">{enable} {rest} {erase}</div> }
    }

    /// A button, or a form behind it that asks for the password first.
    fn protected(
        url: &'static str,
        name: &str,
        role: Option<&'static str>,
        label: &'static str,
        asked: bool,
    ) -> impl IntoView + use<> {
        if !asked {
            return act(url, name, role, label, "button button--quiet").into_any();
        }
        let (id, spoken) =
            (format!("{}-{name}", url.rsplit('/').next().unwrap_or_default()), format!("{label}: {name}"));
        view! {
            <details class="user-list__sure">
                <summary class="button button--quiet" aria-label=spoken.clone()>{label} <Icon shape=Shape::Chevron/></summary>
                <form class="user-list__question stack" method="post" action=url>
                    <input type="hidden" name="name" value=name.to_owned()/>
                    {role.map(|role| view! { <input type="hidden" name="role" value=role/> })}
                    <input type="hidden" name="return_to" value=HERE/>
                    {password::again(true, &id)}
                    <button class="button" aria-label=spoken>{label}</button>
                </form>
            </details>
        }
        .into_any()
    }

    /// Erasure cannot be undone, so the name is typed as a confirmation. A refused form keeps its values.
    fn erase(name: &str, asked: bool, flash: &Flash) -> impl IntoView + use<> {
        let (sure, before) = (format!("erase-{name}"), format!("erase-before-{name}"));
        let refused = flash.typed(Erase::PATH, "name").is_some_and(|of| of == name);
        let typed = |field| flash.typed(Erase::PATH, field).filter(|_| refused).unwrap_or_default();
        let (typed_sure, typed_before) = (typed("sure"), typed("before"));
        view! {
            <details class="user-list__sure" open=refused>
                <summary class="button button--quiet-danger" aria-label=messages::erase_texts_of(name)>{messages::ERASE} <Icon shape=Shape::Chevron/></summary>
                <form class="user-list__question stack" method="post" action=Erase::url()>
                    <p>{messages::WHAT_IS_ERASED}</p>
                    <input type="hidden" name="name" value=name.to_owned()/>
                    <input type="hidden" name="return_to" value=HERE/>
                    <div class="field">
                        <label class="field__label" for=before.clone()>{messages::ONLY_WHAT_IS_OLDER}</label>
                        <input id=before type="date" name="before" value=typed_before/>
                    </div>
                    <div class="field">
                        <label class="field__label" for=sure.clone()>{messages::type_name(name)}</label>
                        <input id=sure name="sure" required autocomplete="off" autocapitalize="none" spellcheck="false" value=typed_sure/>
                    </div>
                    {password::again(asked, &format!("erase-password-{name}"))}
                    <button class="button button--danger">{messages::ERASE_FOR_GOOD}</button>
                </form>
            </details>
        }
    }

    fn act(
        url: &'static str,
        name: &str,
        role: Option<&'static str>,
        label: &'static str,
        class: &'static str,
    ) -> impl IntoView + use<> {
        let spoken = format!("{label}: {name}");
        view! {
            <form method="post" action=url>
                <input type="hidden" name="name" value=name.to_owned()/>
                {role.map(|role| view! { <input type="hidden" name="role" value=role/> })}
                <input type="hidden" name="return_to" value=HERE/>
                <button class=class aria-label=spoken>{label}</button>
            </form>
        }
    }
}
