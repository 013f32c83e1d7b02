//! The page of memories as the server makes it whole: forms and links that need no script, so that the download need not know it.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::memories::{Forget, ForgetAll, Switch};
use crate::domain::conversation::Speaker;
use crate::domain::memory::{Memory, Source};
use crate::domain::time::Timestamp;
use crate::domain::when;

/// Where the page is.
const HERE: &str = "/settings/memory";

/// The page's html. `(offered, on)`: whether this server remembers at all, and whether the person wants it.
pub fn page(
    shown: &[(Memory, Vec<Source>)],
    query: Option<&str>,
    next: Option<&str>,
    (offered, on): (bool, bool),
    now: &Timestamp,
    zone: &str,
) -> String {
    let none = match (query, shown.is_empty()) {
        (_, false) => None,
        (Some(_), true) => Some("Nothing that is remembered fits these words."),
        (None, true) => {
            Some("Nothing is remembered yet. Long conversations are summed up once they have about 60 messages.")
        }
    };
    let older = next.map(|next| view! { <a class="button" href=format!("{HERE}?before={next}")>"Older"</a> });
    let any = !shown.is_empty();
    view! {
        {choice(offered, on)}
        <form class="sheet sheet--padded" method="get" action=HERE role="search" aria-label="Search what is remembered">
            <div class="field">
                <label class="field__label" for="memory-query">"Words"</label>
                <input id="memory-query" type="search" name="query" maxlength="500" autocomplete="off" value=query.unwrap_or_default().to_owned()/>
            </div>
            <div class="stack__actions">
                <button class="button">"Search"</button>
                {query.map(|_| view! { <a class="button button--quiet" href=HERE>"See everything"</a> })}
            </div>
        </form>
        <section class="sheet sheet--padded" aria-labelledby="remembered">
            <h2 id="remembered">{if query.is_some() { "What fits best" } else { "What is remembered" }}</h2>
            {none.map(|none| view! { <p>{none}</p> })}
            <ul class="settings-page__tokens">{shown.iter().map(|(memory, sources)| item(memory, sources, now, zone)).collect_view()}</ul>
            {older}
            {any.then(forget_all)}
        </section>
    }
    .to_html()
}

/// On or off, and what that means.
fn choice(offered: bool, on: bool) -> impl IntoView {
    let says = match (offered, on) {
        (false, _) => "This server remembers nothing: whoever runs it has set DOCKET_MEMORY to off.",
        (true, true) => {
            "Docket keeps short notes of what older messages said, so that a model can recall them: those that fit a message \
             are sent to it. The messages themselves stay as they are."
        }
        (true, false) => "Nothing new is remembered, and nothing is recalled. What is below stays until you forget it.",
    };
    view! {
        <section class="sheet sheet--padded" aria-labelledby="remembering">
            <h2 id="remembering">"Remembering"</h2>
            <p>{says}</p>
            {offered.then(|| view! {
                <form method="post" action=Switch::url()>
                    <input type="hidden" name="return_to" value=HERE/>
                    <input type="hidden" name="on" value=(!on).to_string()/>
                    <button class="button">{if on { "Switch memory off" } else { "Switch memory on" }}</button>
                </form>
            })}
        </section>
    }
}

fn item(memory: &Memory, sources: &[Source], now: &Timestamp, zone: &str) -> impl IntoView + use<> {
    let talk = format!("/?c={}", memory.conversation_id);
    let same = sources.is_empty().then(|| view! { <p>"From the same messages as a note above."</p> });
    let said = sources.iter().map(|said| {
        let who = if said.speaker == Speaker::User { "You" } else { "Docket" };
        let text = said.text.clone().unwrap_or_else(|| "(erased)".to_owned());
        view! { <li><strong>{who}</strong> " " {text}</li> }
    });
    view! {
        <li class="settings-page__token">
            <div>
                <p>{memory.text.clone()}</p>
                <details>
                    <summary class="page__lead">{format!("Noted {}", when::instant(&memory.created_at, now, zone))}</summary>
                    {same}
                    <ul>{said.collect_view()}</ul>
                    <a href=talk>"Open the conversation"</a>
                </details>
            </div>
            <form method="post" action=Forget::url()>
                <input type="hidden" name="return_to" value=HERE/>
                <input type="hidden" name="memory_id" value=memory.memory_id.to_string()/>
                <button class="button button--quiet-danger" aria-label=format!("Forget: {}", memory.text)>"Forget"</button>
            </form>
        </li>
    }
}

/// Behind a fold, since nothing brings it back.
fn forget_all() -> impl IntoView {
    view! {
        <details>
            <summary class="button button--quiet-danger">"Forget everything"</summary>
            <form method="post" action=ForgetAll::url()>
                <p>"All notes go for good. Your messages stay."</p>
                <input type="hidden" name="return_to" value=HERE/>
                <button class="button button--danger">"Yes, forget everything"</button>
            </form>
        </details>
    }
}
