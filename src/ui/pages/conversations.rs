//! All conversations: search, rename, hide and show again.

use leptos::prelude::*;

use crate::api::chat::ConversationsList;
use crate::domain::conversation::{Conversation, LISTED};
use crate::messages::chat as messages;
use crate::ui::address::{here, title};
use crate::ui::any_view::{Erase, held, part};
use crate::ui::components::{ConversationItem, Each, EmptyState, Failure, Icon, Shape, Wait};
use crate::ui::derived::kept;
use crate::ui::fetch::Fetch;
use crate::ui::live::Live;

#[component]
pub fn ConversationsPage() -> impl IntoView {
    let live = Live::current();
    let address = here();
    let words = kept(move || address.with(|here| here.field("q")).filter(|words| !words.is_empty()));
    // Each of the two lists has a separate cursor.
    let of = move |hidden: bool| {
        let before = move || address.with(|here| here.field(cursor(hidden)));
        let asked = move || ConversationsList { query: words.get(), hidden: Some(hidden), before: before() };
        Fetch::new(asked, Some(live.chat))
    };
    let (shown, hidden) = (of(false), of(true));
    let all = move |found: Fetch<Vec<Conversation>>| found.ok().unwrap_or_default();
    let more = move |found: Fetch<Vec<Conversation>>, hidden: bool| {
        let last = kept(move || {
            let found = all(found);
            found.last().filter(|_| found.len() >= LISTED).map(|last| last.conversation_id.to_string())
        });
        part(move || {
            let href = last.get().map(|last| address.with(|here| here.with(cursor(hidden), Some(&last))));
            href.map(|href| view! { <a class="button tasks-page__next" href=href>{messages::OLDER_ONES}</a> })
        })
    };
    let key = |it: &Conversation| (it.conversation_id, it.title.clone());
    title(messages::CONVERSATIONS);
    view! {
        <div class="page page--narrow">
            <header class="page__head">
                <h1>{messages::CONVERSATIONS}</h1>
                <a class="button page__act" href="/?c=new"><Icon shape=Shape::Plus/> <span class="page__act-words">{messages::NEW_CONVERSATION}</span></a>
            </header>
            <form class="tasks-page__search" method="get" action="/conversations" role="search">
                <label class="tasks-page__words">
                    <Icon shape=Shape::Search/>
                    <span class="visually-hidden">{messages::SEARCH_CONVERSATIONS}</span>
                    <input type="search" name="q" data-keys="/" value=held(move || words.get()) placeholder=messages::WORDS_TO_SEARCH autocomplete="off"/>
                </label>
            </form>
            <Wait>
                <Failure error=move || shown.error()/>
                {part(move || shown.ok().is_some_and(|found| found.is_empty()).then(|| view! {
                    <EmptyState shape=Shape::Chat title=messages::NO_CONVERSATION_HERE>{messages::SAY_SOMETHING_OR_SEARCH}</EmptyState>
                }))}
                <ul class="sheet" hidden=held(move || all(shown).is_empty())>
                    <Each each=move || all(shown) key=key let:it><ConversationItem conversation=it/></Each>
                </ul>
                {more(shown, false)}
                {part(move || (!all(hidden).is_empty()).then(|| view! { <h2>{messages::HIDDEN}</h2> }))}
                <ul class="sheet" hidden=held(move || all(hidden).is_empty())>
                    <Each each=move || all(hidden) key=key let:it><ConversationItem conversation=it/></Each>
                </ul>
                {more(hidden, true)}
            </Wait>
        </div>
    }
    .erase()
}

/// Returns the name of a list's cursor in the address.
fn cursor(hidden: bool) -> &'static str {
    if hidden { "hidden_before" } else { "before" }
}
