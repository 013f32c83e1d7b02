//! Sign-in. A plain form: the next page is loaded with the new session.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::session::SignIn;
use crate::messages::sign_in as messages;
use crate::ui::address::{here, title};
use crate::ui::any_view::{Erase, whole};
use crate::ui::components::{Brand, Field, ReturnTo, Wait};
use crate::ui::session::Session;

#[component]
pub fn SignInPage() -> impl IntoView {
    let session = Session::current();
    let address = here();
    let onward = move || address.with(|here| here.field("return_to")).unwrap_or_else(|| "/".to_owned());
    title(messages::SIGN_IN);
    view! {
        <main class="door">
            <div class="door__brand"><Brand/></div>
            <Wait>{whole(move || { let flash = session.flash(); let name = flash.typed(SignIn::PATH, "name"); view! {
                <form class="sheet sheet--padded" method="post" action=SignIn::url()>
                    <h1>{messages::SIGN_IN}</h1>
                    {flash.error.map(|text| view! { <p class="error" role="alert">{text}</p> })}
                    <ReturnTo name="page"/>
                    <input type="hidden" name="return_to" value=onward()/>
                    <Field id="name" label=messages::NAME>
                        <input id="name" name="name" required autocomplete="username" autocapitalize="none" spellcheck="false"
                            value=name/>
                    </Field>
                    <Field id="password" label=messages::PASSWORD>
                        <input id="password" name="password" type="password" required autocomplete="current-password"/>
                    </Field>
                    <button class="button button--primary">{messages::SIGN_IN}</button>
                </form>
            }})}</Wait>
            <p class="door__note">{messages::FIRST_START}</p>
        </main>
    }
    .erase()
}
