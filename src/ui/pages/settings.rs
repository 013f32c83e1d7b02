//! Preferences, password and tokens. Plain forms: nothing here is in a hurry.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_meta::Title;

use crate::api::session::SignOut;
use crate::api::settings::{
    ChangePassword, RevokeToken, SetAppearance, SetModel, SetZone, TestModel, Theme, TokenView, Tokens,
};
use crate::ui::browser;
use crate::ui::components::{Field, Icon, ReturnTo, Shape};
use crate::ui::erase::Erase;
use crate::ui::fetch::Fetch;
use crate::ui::session::Session;

#[component]
pub fn SettingsPage() -> impl IntoView {
    let session = Session::current();
    let owned = Fetch::new(|| Tokens {}, None);
    view! {
        <Title text="Settings"/>
        <div class="page page--narrow settings-page">
            <header class="page__head"><h1>"Settings"</h1></header>
            <Transition>{move || { let visit = session.visit(); let flash = visit.flash.unwrap_or_default();
                let model = visit.me.as_ref().filter(|me| me.has_model).map(|me| me.user.uses_model);
                let (name, stored, engine) = visit.me.map(|me| (me.user.name.to_string(), me.user.zone, me.engine)).unwrap_or_default();
                let zone = flash.typed(SetZone::PATH, "zone").unwrap_or(stored);
                let failed = |path: &'static str| flash.error_of(path).map(|text| view! { <p class="error" role="alert">{text}</p> });
                let (zone_failed, password_failed) = (failed(SetZone::PATH), failed(ChangePassword::PATH));
                let revoke_failed = failed(RevokeToken::PATH);
                let tokens = owned.ok();
                let none = tokens.as_ref().is_some_and(Vec::is_empty);
                view! {
                <form class="sheet sheet--padded settings-page__account" method="post" action=SignOut::url()>
                    <p>"Signed in as " <strong>{name.clone()}</strong></p>
                    <input type="hidden" name="return_to" value="/sign-in"/>
                    <button class="button"><Icon shape=Shape::Leave/> "Sign out"</button>
                </form>
                <section class="sheet sheet--padded" aria-labelledby="engine">
                    <h2 id="engine">"Assistant"</h2>
                    <p>{engine}</p>
                    {model.map(|uses| view! {
                        <div class="stack__actions">
                            <form method="post" action=TestModel::url()>
                                <ReturnTo/>
                                <button class="button">"Test the model"</button>
                            </form>
                            <form method="post" action=SetModel::url()>
                                <ReturnTo/>
                                <input type="hidden" name="uses" value=(!uses).to_string()/>
                                <button class="button">{if uses { "Answer me without it" } else { "Answer me with the model" }}</button>
                            </form>
                        </div>
                    })}
                </section>
                <form class="sheet sheet--padded" method="post" action=SetAppearance::url() aria-labelledby="look">
                    <h2 id="look">"Appearance"</h2>
                    <ReturnTo/>
                    <fieldset class="settings-page__themes">
                        <legend class="visually-hidden">"Appearance"</legend>
                        {Theme::ALL.map(|theme| view! {
                            <label class="settings-page__theme">
                                <input type="radio" name="theme" value=theme.as_str() checked=visit.theme == theme/>
                                <span>{match theme { Theme::System => "As the device", Theme::Light => "Light", Theme::Dark => "Dark" }}</span>
                            </label>
                        })}
                    </fieldset>
                    <div class="stack__actions"><button class="button">"Save appearance"</button></div>
                </form>
                <form class="sheet sheet--padded" method="post" action=SetZone::url() aria-labelledby="zone-title">
                    <h2 id="zone-title">"Time zone"</h2>
                    {zone_failed}
                    <ReturnTo/>
                    <Field id="zone" label="Zone" hint="A name such as Europe/London. It decides what “today” means.">
                        <input id="zone" name="zone" required autocomplete="off" spellcheck="false" aria-describedby="zone-hint" list="zones" value=zone on:focus=move |_| browser::list_zones("zones")/>
                        <datalist id="zones"></datalist>
                    </Field>
                    <div class="stack__actions"><button class="button">"Save time zone"</button></div>
                </form>
                <form class="sheet sheet--padded" method="post" action=ChangePassword::url() aria-labelledby="password">
                    <h2 id="password">"Password"</h2>
                    {password_failed}
                    <ReturnTo/>
                    <input type="text" name="username" autocomplete="username" hidden value=name/>
                    <Field id="current" label="Current password">
                        <input id="current" name="current" type="password" required autocomplete="current-password"/>
                    </Field>
                    <Field id="new" label="New password" hint="At least 10 characters.">
                        <input id="new" name="new" type="password" required minlength="10" maxlength="200" autocomplete="new-password" aria-describedby="new-hint"/>
                    </Field>
                    <div class="stack__actions"><button class="button">"Change password"</button></div>
                </form>
                <section class="sheet sheet--padded" aria-labelledby="tokens">
                    <h2 id="tokens">"Personal tokens"</h2>
                    <p class="page__lead">"For programs that use your list. Make one on the server with " <code>"docket token create"</code> "."</p>
                    {revoke_failed}
                    {none.then(|| view! { <p>"No tokens yet."</p> })}
                    <ul class="settings-page__tokens" hidden=none>{tokens.unwrap_or_default().into_iter().map(token).collect_view()}</ul>
                </section>
            }}}</Transition>
        </div>
    }
    .erase()
}

fn token(token: TokenView) -> impl IntoView {
    let revoke = (!token.revoked).then(|| {
        view! {
            <form method="post" action=RevokeToken::url()>
                <input type="hidden" name="token_id" value=token.token_id.clone()/>
                <ReturnTo/>
                <button class="button button--quiet-danger" aria-label=format!("Revoke {}", token.name)>"Revoke"</button>
            </form>
        }
    });
    view! {
        <li class="settings-page__token">
            <span><strong>{token.name}</strong> " " <code>{token.scopes}</code> <br/> <span class="page__lead">{token.made}</span></span>
            {if token.revoked { view! { <span class="page__lead">"Revoked"</span> }.erase() } else { revoke.erase() }}
        </li>
    }
    .erase()
}
