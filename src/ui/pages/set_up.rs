//! The first account, created with the one-time link that the server prints.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::session::SetUp;
use crate::messages::sign_in as messages;
use crate::ui::address::{here, title};
use crate::ui::any_view::{Erase, whole};
use crate::ui::browser;
use crate::ui::components::{Brand, Field, ReturnTo, Wait};
use crate::ui::session::Session;

#[component]
pub fn SetUpPage() -> impl IntoView {
    let session = Session::current();
    let address = here();
    let token = move || address.with(|here| here.field("token")).unwrap_or_default();
    // Proposes the browser's time zone, unless another one was typed.
    Effect::new(move || browser::propose_zone("zone"));
    title(messages::SET_UP);
    view! {
        <main class="door">
            <div class="door__brand"><Brand/></div>
            <Wait>{whole(move || { if session.visit().void_link { return void_link().erase(); }
                let flash = session.flash(); let name = flash.typed(SetUp::PATH, "name"); let zone = flash.typed(SetUp::PATH, "zone").unwrap_or_else(|| "UTC".to_owned()); view! {
                <form class="sheet sheet--padded" method="post" action=SetUp::url()>
                    <h1>{messages::WELCOME_TO_DOCKET}</h1>
                    <p class="page__lead">{messages::MAKE_THE_FIRST_ACCOUNT}</p>
                    {flash.error.map(|text| view! { <p class="error" role="alert">{text}</p> })}
                    <input type="hidden" name="token" value=token()/>
                    <ReturnTo name="page"/>
                    <input type="hidden" name="return_to" value="/"/>
                    <Field id="name" label=messages::NAME hint=messages::NAME_HINT>
                        <input id="name" name="name" required maxlength="40" autocomplete="username" autocapitalize="none" spellcheck="false"
                            aria-describedby="name-hint" value=name/>
                    </Field>
                    <Field id="password" label=messages::PASSWORD hint=messages::PASSWORD_HINT>
                        <input id="password" name="password" type="password" required minlength="10" maxlength="200"
                            autocomplete="new-password" aria-describedby="password-hint"/>
                    </Field>
                    <Field id="zone" label=messages::TIME_ZONE hint=messages::ZONE_HINT>
                        <input id="zone" name="zone" required autocomplete="off" spellcheck="false" aria-describedby="zone-hint"
                            list="zones" value=zone on:focus=move |_| browser::list_zones("zones")/>
                        <datalist id="zones"></datalist>
                    </Field>
                    <button class="button button--primary">{messages::CREATE_ACCOUNT}</button>
                </form>
            }.erase() })}</Wait>
        </main>
    }
    .erase()
}

/// Replaces the form if the link cannot create an account.
fn void_link() -> impl IntoView {
    view! {
        <section class="sheet sheet--padded">
            <h1>{messages::LINK_IS_VOID}</h1>
            <p class="page__lead">{messages::A_NEW_LINK_IS_PRINTED}</p>
            <a class="button button--primary" href="/sign-in">{messages::SIGN_IN}</a>
        </section>
    }
}
