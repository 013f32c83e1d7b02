//! The form behind an invitation or a link to a new password.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;

use crate::api::ApiError;

/// The form, or that the link is good no more.
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
    use crate::ui::components::Field;

    pub fn door(link: Option<LinkView>, token: String, flash: &Flash) -> String {
        let Some(LinkView { name, invites }) = link else {
            return view! {
                <section class="sheet sheet--padded">
                    <h1>"This link was used or has ended"</h1>
                    <p class="page__lead">"Ask an admin of this Docket for a new one."</p>
                    <a class="button button--primary" href="/sign-in">"Sign in"</a>
                </section>
            }
            .to_html();
        };
        let here = format!("/join?token={token}");
        let zone = flash.typed(Join::PATH, "zone").unwrap_or_else(|| "UTC".to_owned());
        view! {
            <form class="sheet sheet--padded" method="post" action=Join::url()>
                <h1>{if invites { "Welcome to Docket" } else { "A new password" }}</h1>
                <p class="page__lead">"Choose a password for " <strong>{name.clone()}</strong> ". You sign in with that name."</p>
                {flash.error_of(Join::PATH).map(|error| view! { <p class="error" role="alert">{error}</p> })}
                <input type="hidden" name="token" value=token/>
                <input type="hidden" name="page" value=here/>
                <input type="hidden" name="return_to" value="/"/>
                <input type="text" name="username" autocomplete="username" hidden value=name/>
                <Field id="password" label="Password" hint="At least 10 characters. Long beats complicated.">
                    <input id="password" name="password" type="password" required minlength="10" maxlength="200"
                        autocomplete="new-password" aria-describedby="password-hint"/>
                </Field>
                {invites.then(|| view! {
                    <Field id="zone" label="Time zone" hint="A name such as Europe/London. It decides what “today” means.">
                        <input id="zone" name="zone" required autocomplete="off" spellcheck="false" aria-describedby="zone-hint" value=zone/>
                    </Field>
                })}
                <button class="button button--primary">{if invites { "Join" } else { "Save and sign in" }}</button>
            </form>
        }
        .to_html()
    }
}
