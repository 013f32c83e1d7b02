//! The form of an invitation or a password-reset link.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;

use crate::api::ApiError;

/// Renders the form, or a message if the link is no longer valid.
#[server(name = GetJoin, prefix = "/api/v1", endpoint = "rendered/join", input = GetUrl)]
pub async fn join(token: String) -> Result<String, ApiError> {
    use crate::api::{context, session};
    let link = session::look_at_link(token.clone()).await?;
    Ok(show::door(link, token, &context::take_flash().unwrap_or_default()))
}

#[cfg(feature = "ssr")]
mod show {
    use leptos::prelude::*;
    use leptos::server_fn::ServerFn;

    use crate::api::flash::Flash;
    use crate::api::session::{Join, LinkView};
    use crate::messages::sign_in as messages;
    use crate::ui::components::Field;
    use crate::ui::fragments::password;

    pub fn door(link: Option<LinkView>, token: String, flash: &Flash) -> String {
        let Some(LinkView { name, invites }) = link else {
            return view! {
                <section class="sheet sheet--padded">
                    <h1>{messages::LINK_IS_VOID}</h1>
                    <p class="page__lead">{messages::ASK_FOR_ANOTHER_LINK}</p>
                    <a class="button button--primary" href="/sign-in">{messages::SIGN_IN}</a>
                </section>
            }
            .to_html();
        };
        let here = format!("/join?token={token}");
        let zone = flash.typed(Join::PATH, "zone").unwrap_or_else(|| "UTC".to_owned());
        view! {
            <form class="sheet sheet--padded" method="post" action=Join::url()>
                <h1>{if invites { messages::WELCOME_TO_DOCKET } else { messages::A_NEW_PASSWORD }}</h1>
                <p class="page__lead">{messages::CHOOSE_A_PASSWORD_FOR} <strong>{name.clone()}</strong> {messages::YOU_SIGN_IN_WITH_IT}</p>
                {flash.error_of(Join::PATH).map(|error| view! { <p class="error" role="alert">{error}</p> })}
                <input type="hidden" name="token" value=token/>
                <input type="hidden" name="page" value=here/>
                <input type="hidden" name="return_to" value="/"/>
                <input type="text" name="username" autocomplete="username" hidden value=name/>
                <Field id="password" label=messages::PASSWORD hint=messages::PASSWORD_HINT>
                    <input id="password" name="password" type="password" required minlength="10" maxlength="200"
                        autocomplete="new-password" aria-describedby="password-hint"/>
                </Field>
                {invites.then(|| view! {
                    <Field id="zone" label=messages::TIME_ZONE hint=messages::ZONE_HINT>
                        <input id="zone" name="zone" required autocomplete="off" spellcheck="false" aria-describedby="zone-hint" value=zone/>
                    </Field>
                })}
                {(!invites).then(|| password::also_end(Join::PATH, flash, true))}
                <button class="button button--primary">{if invites { messages::JOIN } else { messages::SAVE_AND_SIGN_IN }}</button>
            </form>
        }
        .to_html()
    }
}
