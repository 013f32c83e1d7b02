//! The memories page, rendered whole by the server with plain forms and links, so that the browser needs no code for it.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::memories::{Forget, ForgetAll, Switch};
use crate::domain::conversation::Speaker;
use crate::domain::memory::{Memory, Source};
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::messages::memories as messages;

const HERE: &str = "/settings/memory";

/// Renders the page. `(offered, on)`: true if this server offers memory, and if the user has it on.
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
        (Some(_), true) => Some(messages::NOTHING_FITS),
        (None, true) => Some(messages::NOTHING_YET),
    };
    let older = next.map(|next| view! { <a class="button" href=format!("{HERE}?before={next}")>{messages::OLDER}</a> });
    let any = !shown.is_empty();
    view! {
        {choice(offered, on)}
        <form class="sheet sheet--padded" method="get" action=HERE role="search" aria-label=messages::SEARCH_WHAT_IS_REMEMBERED>
            <div class="field">
                <label class="field__label" for="memory-query">{messages::WORDS}</label>
                <input id="memory-query" type="search" name="query" maxlength="500" autocomplete="off" value=query.unwrap_or_default().to_owned()/>
            </div>
            <div class="stack__actions">
                <button class="button">{messages::SEARCH}</button>
                {query.map(|_| view! { <a class="button button--quiet" href=HERE>{messages::SEE_EVERYTHING}</a> })}
            </div>
        </form>
        <section class="sheet sheet--padded" aria-labelledby="remembered">
            <h2 id="remembered">{if query.is_some() { messages::WHAT_FITS_BEST } else { messages::WHAT_IS_REMEMBERED }}</h2>
            {none.map(|none| view! { <p>{none}</p> })}
            <ul class="settings-page__tokens">{shown.iter().map(|(memory, sources)| item(memory, sources, now, zone)).collect_view()}</ul>
            {older}
            {any.then(forget_all)}
        </section>
    }
    .to_html()
}

/// The memory switch, and an explanation of its state.
fn choice(offered: bool, on: bool) -> impl IntoView {
    let says = match (offered, on) {
        (false, _) => messages::NOT_OFFERED,
        (true, true) => messages::IS_ON,
        (true, false) => messages::IS_OFF,
    };
    view! {
        <section class="sheet sheet--padded" aria-labelledby="remembering">
            <h2 id="remembering">{messages::REMEMBERING}</h2>
            <p>{says}</p>
            {offered.then(|| view! {
                <form method="post" action=Switch::url()>
                    <input type="hidden" name="return_to" value=HERE/>
                    <input type="hidden" name="on" value=(!on).to_string()/>
                    <button class="button">{if on { messages::SWITCH_MEMORY_OFF } else { messages::SWITCH_MEMORY_ON }}</button>
                </form>
            })}
        </section>
    }
}

fn item(memory: &Memory, sources: &[Source], now: &Timestamp, zone: &str) -> impl IntoView + use<> {
    let talk = format!("/?c={}", memory.conversation_id);
    let same = sources.is_empty().then(|| view! { <p>{messages::FROM_THE_SAME_MESSAGES}</p> });
    let said = sources.iter().map(|said| {
        let who = if said.speaker == Speaker::User { messages::YOU } else { messages::DOCKET };
        let text = said.text.clone().unwrap_or_else(|| messages::ERASED.to_owned());
        view! { <li><strong>{who}</strong> " " {text}</li> }
    });
    view! {
        <li class="settings-page__token">
            <div>
                <p>{memory.text.clone()}</p>
                <details>
                    <summary class="page__lead">{messages::noted(&when::instant(&memory.created_at, now, zone))}</summary>
                    {same}
                    <ul>{said.collect_view()}</ul>
                    <a href=talk>{messages::OPEN_THE_CONVERSATION}</a>
                </details>
            </div>
            <form method="post" action=Forget::url()>
                <input type="hidden" name="return_to" value=HERE/>
                <input type="hidden" name="memory_id" value=memory.memory_id.to_string()/>
                <button class="button button--quiet-danger" aria-label=messages::forget_note(&memory.text)>{messages::FORGET}</button>
            </form>
        </li>
    }
}

/// Folded, since it cannot be undone.
fn forget_all() -> impl IntoView {
    view! {
        <details>
            <summary class="button button--quiet-danger">{messages::FORGET_EVERYTHING}</summary>
            <form method="post" action=ForgetAll::url()>
                <p>{messages::ALL_NOTES_GO}</p>
                <input type="hidden" name="return_to" value=HERE/>
                <button class="button button--danger">{messages::YES_FORGET_EVERYTHING}</button>
            </form>
        </details>
    }
}
