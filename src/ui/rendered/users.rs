//! Other people's accounts: who they are, what they may, and the forms that change it.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;

use crate::api::ApiError;

/// The admins' page but for its heading; what does not exist for anyone else.
#[server(name = GetUsers, prefix = "/api/v1", endpoint = "rendered/users", input = GetUrl)]
pub async fn users() -> Result<String, ApiError> {
    use crate::api::{admin, context};
    let accounts = admin::users().await.map_err(context::as_absent)?;
    let matrix = admin::list_policy().await.map_err(context::as_absent)?;
    Ok(show::page(accounts, &matrix, &context::take_flash().unwrap_or_default()))
}

#[cfg(feature = "ssr")]
mod show {
    use leptos::prelude::*;
    use leptos::server_fn::ServerFn;

    use crate::api::admin::{AccountView, Disable, Enable, Erase, Invite, Reset, SetPolicy, SetRole};
    use crate::api::flash::Flash;
    use crate::api::settings::PolicyView;
    use crate::ui::components::{Field, Icon, Shape};
    use crate::ui::rendered::policy;
    use crate::words::users as words;

    const HERE: &str = "/admin/users";

    pub fn page(accounts: Vec<AccountView>, matrix: &[PolicyView], flash: &Flash) -> String {
        let changed = [Disable::PATH, Enable::PATH, Erase::PATH, SetRole::PATH, Reset::PATH];
        let failed = changed.iter().find_map(|path| flash.error_of(path));
        view! {
            {invite(flash)}
            <section class="sheet sheet--padded" aria-labelledby="accounts">
                <h2 id="accounts">{words::ACCOUNTS}</h2>
                {failed.map(|error| view! { <p class="error" role="alert">{error}</p> })}
                <ul class="user-list">{accounts.into_iter().map(account).collect_view()}</ul>
            </section>
            <section class="sheet sheet--padded" aria-labelledby="policy">
                <h2 id="policy">{words::TOOL_POLICY_FOR_EVERYONE}</h2>
                <p class="page__lead">{words::WHAT_THE_POLICY_IS}</p>
                {policy::form(matrix, SetPolicy::url(), HERE, flash.error_of(SetPolicy::PATH))}
            </section>
        }
        .to_html()
    }

    fn invite(flash: &Flash) -> impl IntoView + use<> {
        let name = flash.typed(Invite::PATH, "name");
        let admin = flash.typed(Invite::PATH, "role").is_some_and(|role| role == "admin");
        view! {
            <form class="sheet sheet--padded" method="post" action=Invite::url() aria-labelledby="invite">
                <h2 id="invite">{words::INVITE_SOMEBODY}</h2>
                <p class="page__lead">{words::HOW_AN_INVITATION_WORKS}</p>
                {flash.error_of(Invite::PATH).map(|error| view! { <p class="error" role="alert">{error}</p> })}
                <input type="hidden" name="return_to" value=HERE/>
                <div class="user-list__invite">
                    <Field id="name" label=words::NAME>
                        <input id="name" name="name" required maxlength="40" autocomplete="off" autocapitalize="none" spellcheck="false"
                            value=name/>
                    </Field>
                    <Field id="role" label=words::ROLE>
                        <select id="role" name="role">
                            <option value="user">{words::USER}</option>
                            <option value="admin" selected=admin>{words::ADMIN}</option>
                        </select>
                    </Field>
                    <button class="button button--primary">{words::MAKE_THE_LINK}</button>
                </div>
            </form>
        }
    }

    fn account(account: AccountView) -> impl IntoView {
        let AccountView { name, role, state, seen, made, own, .. } = account;
        let badge = match state.as_str() {
            "invited" => Some(words::INVITED),
            "disabled" => Some(words::DISABLED),
            _ => None,
        };
        let acts = (!own).then(|| acts(&name, &role, &state));
        view! {
            <li class="user-list__row" class=("user-list__row--out", state == "disabled")>
                <div class="user-list__who">
                    <strong>{name}</strong>
                    {(role == "admin").then(|| view! { <span class="badge">{words::ADMIN}</span> })}
                    {badge.map(|badge| view! { <span class="badge badge--quiet">{badge}</span> })}
                    {own.then(|| view! { <span class="badge badge--quiet">{words::YOU}</span> })}
                    <p class="page__lead">{seen} " · " {made}</p>
                </div>
                {acts}
            </li>
        }
    }

    /// What an admin can do with somebody else's account. What cannot be taken back in one press is asked about first.
    fn acts(name: &str, role: &str, state: &str) -> impl IntoView + use<> {
        let (disabled, invited, admin) = (state == "disabled", state == "invited", role == "admin");
        let other = if admin { "user" } else { "admin" };
        let link = if invited { words::NEW_INVITATION } else { words::NEW_PASSWORD_LINK };
        let enable = disabled.then(|| act(Enable::url(), name, None, words::ENABLE, "button"));
        let rest = (!disabled).then(|| {
            view! {
                {act(Reset::url(), name, None, link, "button button--quiet")}
                {act(SetRole::url(), name, Some(other), if admin { words::MAKE_A_USER } else { words::MAKE_AN_ADMIN }, "button button--quiet")}
                <details class="user-list__sure">
                    <summary class="button button--quiet-danger" aria-label=words::disable_account(name)>{words::DISABLE} <Icon shape=Shape::Chevron/></summary>
                    <div class="user-list__question">
                        <p>{words::WHAT_DISABLING_MEANS}</p>
                        {act(Disable::url(), name, None, words::DISABLE_THE_ACCOUNT, "button button--danger")}
                    </div>
                </details>
            }
        });
        let erase = (!invited).then(|| erase(name));
        view! { <div class="user-list__acts">{enable} {rest} {erase}</div> }
    }

    /// What cannot be taken back at all asks for the name once more.
    fn erase(name: &str) -> impl IntoView + use<> {
        let (sure, before) = (format!("erase-{name}"), format!("erase-before-{name}"));
        view! {
            <details class="user-list__sure">
                <summary class="button button--quiet-danger" aria-label=words::erase_texts_of(name)>{words::ERASE} <Icon shape=Shape::Chevron/></summary>
                <form class="user-list__question stack" method="post" action=Erase::url()>
                    <p>{words::WHAT_IS_ERASED}</p>
                    <input type="hidden" name="name" value=name.to_owned()/>
                    <input type="hidden" name="return_to" value=HERE/>
                    <div class="field">
                        <label class="field__label" for=before.clone()>{words::ONLY_WHAT_IS_OLDER}</label>
                        <input id=before type="date" name="before"/>
                    </div>
                    <div class="field">
                        <label class="field__label" for=sure.clone()>{words::type_name(name)}</label>
                        <input id=sure name="sure" required autocomplete="off" autocapitalize="none" spellcheck="false"/>
                    </div>
                    <button class="button button--danger">{words::ERASE_FOR_GOOD}</button>
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
