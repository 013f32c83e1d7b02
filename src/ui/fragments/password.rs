//! Forms with a password: the one that changes it, and the field that asks for it again.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::flash::Flash;
use crate::api::settings::ChangePassword;
use crate::messages::{access, settings as messages};
use crate::ui::components::Field;

/// The form that changes the password of the account `name`.
pub fn change(name: String, flash: &Flash) -> impl IntoView + use<> {
    let failed = flash.error_of(ChangePassword::PATH);
    view! {
        <form class="sheet sheet--padded" method="post" action=ChangePassword::url() aria-labelledby="password">
            <h2 id="password">{messages::PASSWORD}</h2>
            {failed.map(|error| view! { <p class="error" role="alert">{error}</p> })}
            <input type="hidden" name="return_to" value="/settings"/>
            <input type="text" name="username" autocomplete="username" hidden value=name/>
            <Field id="current" label=messages::CURRENT_PASSWORD>
                <input id="current" name="current" type="password" required autocomplete="current-password"/>
            </Field>
            <Field id="new" label=messages::NEW_PASSWORD hint=messages::PASSWORD_HINT>
                <input id="new" name="new" type="password" required minlength="10" maxlength="200" autocomplete="new-password" aria-describedby="new-hint"/>
            </Field>
            {also_end(ChangePassword::PATH, flash, false)}
            <div class="stack__actions"><button class="button">{messages::CHANGE_PASSWORD}</button></div>
        </form>
    }
}

/// Options to also revoke tokens and unlink Telegram, in a form that calls `path`. A refused form keeps them; `usual` is the default.
pub fn also_end(path: &str, flash: &Flash, usual: bool) -> impl IntoView + use<> {
    let refused = flash.error_of(path).is_some();
    let choices = [("revoke_tokens", access::REVOKE_ALL_TOKENS), ("unlink_chats", access::UNLINK_TELEGRAM)].map(
        |(name, label)| {
            let checked = if refused { flash.typed(path, name).is_some() } else { usual };
            view! {
                <label class="settings-page__scope">
                    <input type="checkbox" name=name value="true" checked=checked/>
                    <span>{label}</span>
                </label>
            }
        },
    );
    view! { <fieldset class="settings-page__scopes"><legend>{access::ENDS_WITH_THE_OLD_PASSWORD}</legend>{choices}</fieldset> }
}

/// The field for the reader's own password, if a protected action asks for it again.
pub fn again(asked: bool, id: &str) -> impl IntoView + use<> {
    asked.then(|| {
        let (id, hint) = (id.to_owned(), format!("{id}-hint"));
        view! {
            <div class="field">
                <label class="field__label" for=id.clone()>{access::YOUR_PASSWORD}</label>
                <input id=id type="password" name="password" required autocomplete="current-password" aria-describedby=hint.clone()/>
                <p class="field__hint" id=hint>{access::WHY_THE_PASSWORD_AGAIN}</p>
            </div>
        }
    })
}
