//! The audit log: decisions and tool calls. The address contains every filter, and the turn whose detail is open next to the list.

use std::time::Duration;

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos::task::spawn_local;

use crate::api::audit::{AuditSearch, Overview, Row, Rows, TurnStory};
use crate::domain::id::TurnId;
use crate::domain::time::Timestamp;
use crate::messages::audit as messages;
use crate::ui::address::{Address, here, steps, title};
use crate::ui::any_view::{Erase, held, part};
use crate::ui::browser;
use crate::ui::components::{Each, EmptyState, Failure, Icon, Shape, Wait};
use crate::ui::derived::{Kept, kept};
use crate::ui::fetch::Fetch;
use crate::ui::form_actions::FormActions;
use crate::ui::fragments::html;
use crate::ui::fragments::record::{GetFilters, GetRecord};
use crate::ui::http;
use crate::ui::live::Live;
use crate::ui::session::Session;

/// Interval at which an admin's page polls for turns of others: its event stream has only the admin's own.
const ASK: Duration = Duration::from_secs(3);

#[component]
pub fn AuditPage() -> impl IntoView {
    let (session, live) = (Session::current(), Live::current());
    let address = here();
    let search = kept(move || address.with(search_of));
    let found = Fetch::new(move || GetRecord { search: search.get() }, Some(live.chat));
    let filters = Fetch::new(move || GetFilters { search: search.get() }, None);
    let field = move |name: &'static str| kept(move || address.with(|here| here.field(name)));
    let verify = field("verify");
    let figures = Fetch::new(
        move || Overview { search: AuditSearch { cursor: None, ..search.get() }, verify: verify.get() },
        None,
    );
    // The turn that is open next to the list, or in its place on phones.
    let turn = kept(move || address.with(|here| here.part(1)));
    let (replay, list) = (field("replay"), kept(move || address.with(|here| here.search.clone())));
    let asked = move || Some(TurnStory { turn_id: turn.get()?, replay: replay.get(), list: Some(list.get()) });
    // Fetched again only after an undo: past turns do not change otherwise, and each view by an admin is recorded.
    let undone = RwSignal::new(0);
    let story = Fetch::maybe(asked, Some(undone));
    let open =
        move || turn.get().and_then(|turn| found.ok()?.rows.into_iter().find(|row| row.turn_id.to_string() == turn));
    Effect::new(move |last: Option<Option<(TurnId, usize)>>| {
        let now = open().map(|row| (row.turn_id, row.undone));
        if let (Some(Some(last)), Some(now)) = (last, now)
            && last.0 == now.0
            && last.1 != now.1
        {
            undone.update(|n| *n += 1);
        }
        now
    });
    // Newer entries are announced, and do not push the others down.
    let seen = RwSignal::new(None::<Timestamp>);
    Effect::new(move || {
        search.track();
        seen.set(None);
    });
    // The first event on this page separates old entries from new ones.
    Effect::new(move |ran: Option<()>| {
        live.chat.track();
        if ran.is_some() && seen.with_untracked(Option::is_none) {
            let page = untrack(|| found.ok());
            seen.set(page.and_then(|page| page.rows.first().map(|row| row.at.clone())));
        }
    });
    let is_new = move |row: &Row| seen.with(|seen| seen.as_ref().is_some_and(|seen| row.at > *seen));
    let rows = move |new: bool| {
        let rows = found.ok().map(|page| page.rows).unwrap_or_default();
        rows.into_iter().filter(|row| is_new(row) == new).collect::<Vec<_>>()
    };
    let live_on = kept(move || address.with(|here| here.field("live")).as_deref() != Some("off"));
    // Only admins poll, while the newest turns are shown.
    let asks = move || session.is_admin() && live_on.get() && search.with(|search| search.cursor.is_none());
    // A closure, since fetched data has to be read inside the `Transition`.
    let waiting = move || if live_on.get() { rows(true).len() } else { 0 };
    let show = move |_| seen.set(None);
    let older = move || {
        let next = found.ok().and_then(|page| page.next)?;
        Some(address.with(|here| here.with("cursor", Some(&next))))
    };
    // Time that an incomplete text search has reached, and true if it found anything.
    let searched = move || {
        let page = found.ok()?;
        Some((page.searched?.to_label, !page.rows.is_empty()))
    };
    title(messages::AUDIT);
    view! {
        <div class="page page--wide audit-page" class=("audit-page--open", held(move || turn.get().is_some()))>
            <div class="audit-page__list">
                <header class="page__head"><h1>{messages::AUDIT}</h1></header>
                <p class="page__lead">{messages::WHAT_IS_RECORDED}</p>
                <Wait>
                    {held(move || session.is_admin().then(|| view! { <p class="page__lead">{messages::READING_IS_RECORDED}</p> }))}
                    {held(move || asks().then(|| ask_for_others(found, search, live.chat)))}
                    {html("audit-page__filter", move || filters.get())}
                    // Next to the last good answer.
                    <Failure error=move || found.error().filter(|_| found.ok().is_some())/>
                    {held(move || figures.ok().map(|html| view! { <section class="figures" aria-label=messages::FIGURES inner_html=html></section> }))}
                    <div class="audit-page__live">
                        <h2>{messages::TURNS}</h2>
                        <span role="status">
                            {held(move || (waiting() > 0).then(|| view! {
                                <button class="button" on:click=show>{held(waiting)} {messages::NEW}</button>
                            }))}
                        </span>
                        <a class="button button--quiet" href=held(move || address.with(|here| here.with("live", live_on.get().then_some("off"))))>
                            {held(move || if live_on.get() { messages::LIVE_ON } else { messages::LIVE_OFF })}
                        </a>
                    </div>
                    {part(move || found.get().map(|found| match found {
                        Err(error) => view! { <p class="error" role="alert">{error.message}</p> }.erase(),
                        Ok(page) if page.searched.is_some() => ().erase(),
                        Ok(page) if page.rows.is_empty() && search.get() != AuditSearch::default() => view! {
                            <EmptyState shape=Shape::Search title=messages::NO_ENTRY_MATCHES>
                                {messages::TAKE_A_FILTER_AWAY_OR} <a href="/audit">{messages::SEE_EVERY_ENTRY}</a> "."</EmptyState>
                        }.erase(),
                        Ok(page) if page.rows.is_empty() => view! {
                            <EmptyState shape=Shape::Book title=messages::NOTHING_RECORDED_YET>{messages::HOW_TO_BE_RECORDED}</EmptyState>
                        }.erase(),
                        Ok(_) => ().erase(),
                    }))}
                    <ol class="sheet audit-page__entries" hidden=held(move || found.get().is_none_or(|found| found.is_ok_and(|page| page.rows.is_empty())))>
                        <Each each=move || rows(false) key=|row| (row.turn_id, row.html.clone()) let:row>
                            <Entry row turn address/>
                        </Each>
                    </ol>
                    {held(move || searched().map(|(to, some)| view! { <p class="audit-page__searched">{messages::searched_back_to(&to, some)}</p> }))}
                    {held(move || older().map(|href| view! {
                        <a class="button audit-page__older" href=href>
                            {if searched().is_some() { messages::LOOK_FURTHER_BACK } else { messages::OLDER }}
                        </a>
                    }))}
                </Wait>
            </div>
            <Wait>
                {part(move || turn.get().map(|turn| view! { <Drawer turn story undone address/> }))}
            </Wait>
        </div>
    }
    .erase()
}

/// A row that links to its turn's detail.
#[component]
fn Entry(row: Row, turn: Kept<Option<String>>, address: Kept<Address>) -> impl IntoView {
    let id = row.turn_id.to_string();
    let this = id.clone();
    let is_open = kept(move || turn.with(|turn| turn.as_ref() == Some(&this)));
    view! {
        <li>
            <a class="audit-row" href=held(move || address.with(|here| here.turn(&id)))
                aria-current=held(move || is_open.get().then_some("true")) inner_html=row.html></a>
        </li>
    }
    .erase()
}

/// The detail of one turn. An undo here increments `undone`.
#[component]
fn Drawer(turn: String, story: Fetch<String>, undone: RwSignal<u32>, address: Kept<Address>) -> impl IntoView {
    let acts = FormActions::current();
    let undo = move |event| {
        acts.submit_then(event, move |_| {
            undone.try_update(|n| *n += 1);
        });
    };
    // A link moves the focus to the detail, and closing moves it back. A refetch moves it only if nothing has it.
    if steps().get_untracked() > 0 {
        Effect::new(move |led: Option<bool>| {
            let led = led == Some(true);
            let there = story.ok().is_some();
            if there {
                request_animation_frame(move || {
                    if !led || browser::nothing_focused() {
                        browser::focus(".story__headline");
                        // The open detail makes the list narrower and longer.
                        browser::show(".audit-row[aria-current]");
                    }
                });
            }
            led || there
        });
    }
    on_cleanup(move || {
        #[cfg(feature = "hydrate")]
        request_animation_frame(move || browser::focus(&format!(".audit-row[href*='/{turn}']")));
        #[cfg(not(feature = "hydrate"))]
        drop(turn);
    });
    view! {
        <aside class="story sheet" aria-label=messages::TURN aria-busy=held(move || story.busy()) on:submit=undo>
            <a class="story__close button button--quiet" data-keys="Escape" href=held(move || address.with(Address::record))>
                <Icon shape=Shape::Cross/> {messages::CLOSE}
            </a>
            {html("story__whole", move || story.get())}
        </aside>
    }
    .erase()
}

/// Polls for newer turns while the page is visible, and refreshes the list if there are any. The query includes the
/// newest known turn, so that none of the same instant is missed.
fn ask_for_others(found: Fetch<Rows>, search: Kept<AuditSearch>, again: RwSignal<u32>) {
    let asking = StoredValue::new(false);
    let first = |page: &Rows| page.rows.first().map(|row| (row.turn_id, row.at.to_string()));
    // Read in an effect, which may wait for a fetch, and not by the timer.
    let shown = StoredValue::new(None);
    Effect::new(move || shown.set_value(found.ok().as_ref().map(first)));
    let ask = move || {
        let Some(newest) = shown.get_value().filter(|_| !asking.get_value() && browser::is_looked_at()) else {
            return;
        };
        asking.set_value(true);
        let known = newest.as_ref().map(|(turn, _)| *turn);
        let search = search.get_untracked();
        let since = newest.map(|(_, at)| at).or(search.since.clone());
        let query = serde_qs::to_string(&GetRecord { search: AuditSearch { since, ..search } }).unwrap_or_default();
        spawn_local(async move {
            let answer = http::get(GetRecord::url(), &query).await.and_then(|text| http::read::<Rows>(&text));
            let now = answer.map(|page| page.rows.first().map(|row| row.turn_id));
            if now.is_ok_and(|now| now.is_some() && now != known) {
                again.try_update(|n| *n += 1);
            }
            asking.try_set_value(false);
        });
    };
    // Effects do not run on the server, which needs no timer.
    Effect::new(move || {
        if let Ok(timer) = set_interval_with_handle(ask, ASK) {
            on_cleanup(move || timer.clear());
        }
    });
}

fn search_of(here: &Address) -> AuditSearch {
    let field = |name: &str| here.field(name).filter(|value| !value.is_empty());
    AuditSearch {
        since: field("since"),
        until: field("until"),
        tool: field("tool"),
        outcome: field("outcome"),
        kind: field("kind"),
        engine: field("engine"),
        risk: field("risk"),
        conversation: field("conversation"),
        actor: field("actor"),
        user: field("user"),
        text: field("text"),
        cursor: field("cursor"),
    }
}
