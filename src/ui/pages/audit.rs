//! The record: what was asked, what was decided, what was called. Every filter is in the address.

use std::collections::HashSet;
use std::time::Duration;

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos::task::spawn_local;

use crate::api::audit::{AuditPage as Found, AuditRow, AuditSearch, List, Overview};
use crate::domain::decision::{DecisionKind, Engine};
use crate::domain::time::Timestamp;
use crate::domain::tool::ToolName;
use crate::domain::turn::Effect as Change;
use crate::ui::address::{Address, here, title};
use crate::ui::browser;
use crate::ui::call;
use crate::ui::components::{AuditEntryItem, Each, EmptyState, Failure, Field, Icon, Shape, Wait};
use crate::ui::erase::{Erase, held, part};
use crate::ui::fetch::Fetch;
use crate::ui::kept::{Kept, kept};
use crate::ui::live::Live;
use crate::ui::session::Session;
use crate::words::audit as words;

/// How often an admin's page asks whether something of others' is new: the events that it hears are of their own turns.
const ASK: Duration = Duration::from_secs(3);

#[component]
pub fn AuditPage() -> impl IntoView {
    let (session, live) = (Session::current(), Live::current());
    let address = here();
    let search = kept(move || address.with(search_of));
    let found = Fetch::new(move || List { search: search.get() }, Some(live.chat));
    let verify = kept(move || address.with(|here| here.field("verify")));
    let figures = Fetch::new(
        move || Overview { search: AuditSearch { cursor: None, ..search.get() }, verify: verify.get() },
        None,
    );
    // What is newer than what was there first is announced and does not push the rest away.
    let seen = RwSignal::new(None::<Timestamp>);
    Effect::new(move || {
        search.track();
        seen.set(None);
    });
    // The first thing that happens here parts what was there from what is new.
    Effect::new(move |ran: Option<()>| {
        live.chat.track();
        if ran.is_some() && seen.with_untracked(Option::is_none) {
            let page = untrack(|| found.ok());
            seen.set(page.and_then(|page| page.items.first().map(|row| row.entry.at.clone())));
        }
    });
    let is_new = move |row: &AuditRow| seen.with(|seen| seen.as_ref().is_some_and(|seen| row.entry.at > *seen));
    let rows = move |new: bool| {
        let items = found.ok().map(|page| page.items).unwrap_or_default();
        items.into_iter().filter(|row| is_new(row) == new).collect::<Vec<_>>()
    };
    let live_on = kept(move || address.with(|here| here.field("live")).as_deref() != Some("off"));
    // Of those who may see others' turns, while the newest ones are shown.
    let asks = move || session.is_admin() && live_on.get() && search.with(|search| search.cursor.is_none());
    // Read where it is shown: what was fetched is read inside the `Transition`.
    let waiting = move || if live_on.get() { rows(true).len() } else { 0 };
    let show = move |_| seen.set(None);
    // An entry is made anew when something of it was taken back, and stays open.
    let opened = StoredValue::new(HashSet::new());
    let older = move || {
        let next = found.ok().and_then(|page| page.next)?;
        Some(address.with(|here| here.with("cursor", Some(&next))))
    };
    // How far back a look for words came that ended before the record does, and whether it found any.
    let searched = move || {
        let page = found.ok()?;
        Some((page.searched?.to_label, !page.items.is_empty()))
    };
    title(words::AUDIT);
    view! {
        <div class="page page--wide audit-page">
            <header class="page__head"><h1>{words::AUDIT}</h1></header>
            <p class="page__lead">{words::WHAT_IS_RECORDED}</p>
            <Wait>
                {held(move || session.is_admin().then(|| view! { <p class="page__lead">{words::READING_IS_RECORDED}</p> }))}
                {held(move || asks().then(|| ask_for_others(found, search, live.chat)))}
                {held(move || view! { <Filters search=search.get() admin=session.is_admin()/> }.erase_lasting())}
                // Beside the last good answer.
                <Failure error=move || found.error().filter(|_| found.ok().is_some())/>
                {held(move || figures.ok().map(|html| view! { <section class="figures" aria-label=words::FIGURES inner_html=html></section> }))}
                <div class="audit-page__live">
                    <h2>{words::TURNS}</h2>
                    <span role="status">
                        {held(move || (waiting() > 0).then(|| view! {
                            <button class="button" on:click=show>{held(waiting)} {words::NEW}</button>
                        }))}
                    </span>
                    <a class="button button--quiet" href=held(move || address.with(|here| here.with("live", live_on.get().then_some("off"))))>
                        {held(move || if live_on.get() { words::LIVE_ON } else { words::LIVE_OFF })}
                    </a>
                </div>
                {part(move || found.get().map(|found| match found {
                    Err(error) => view! { <p class="error" role="alert">{error.message}</p> }.erase(),
                    Ok(page) if page.searched.is_some() => ().erase(),
                    Ok(page) if page.items.is_empty() && search.get() != AuditSearch::default() => view! {
                        <EmptyState shape=Shape::Search title=words::NO_ENTRY_MATCHES>
                            {words::TAKE_A_FILTER_AWAY_OR} <a href="/audit">{words::SEE_EVERY_ENTRY}</a> "."</EmptyState>
                    }.erase(),
                    Ok(page) if page.items.is_empty() => view! {
                        <EmptyState shape=Shape::Book title=words::NOTHING_RECORDED_YET>{words::HOW_TO_BE_RECORDED}</EmptyState>
                    }.erase(),
                    Ok(_) => ().erase(),
                }))}
                <ol class="sheet audit-page__entries" hidden=held(move || found.get().is_none_or(|found| found.is_ok_and(|page| page.items.is_empty())))>
                    <Each each=move || rows(false)
                        key=|row| (row.entry.turn_id, row.at_label.clone(), undone(row)) let:row>
                        <AuditEntryItem row with_user=session.is_admin() opened/>
                    </Each>
                </ol>
                {held(move || searched().map(|(to, some)| view! { <p class="audit-page__searched">{words::searched_back_to(&to, some)}</p> }))}
                {held(move || older().map(|href| view! {
                    <a class="button audit-page__older" href=href>
                        {if searched().is_some() { words::LOOK_FURTHER_BACK } else { words::OLDER }}
                    </a>
                }))}
            </Wait>
        </div>
    }
    .erase()
}

/// Asks for what is newer than what is known while the page is looked at, and has the list read again where something is. The newest
/// one itself comes back, so that nothing of the same instant is missed.
fn ask_for_others(found: Fetch<Found>, search: Kept<AuditSearch>, again: RwSignal<u32>) {
    let asking = StoredValue::new(false);
    let first = |page: &Found| page.items.first().map(|row| (row.entry.turn_id, row.entry.at.to_string()));
    // Read here, where a reading is waited for, and not by the clock.
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
        let query = serde_qs::to_string(&List { search: AuditSearch { since, ..search } }).unwrap_or_default();
        spawn_local(async move {
            let answer = call::get(List::url(), &query).await.and_then(|text| call::read::<Found>(&text));
            let now = answer.map(|page| page.items.first().map(|row| row.entry.turn_id));
            if now.is_ok_and(|now| now.is_some() && now != known) {
                again.try_update(|n| *n += 1);
            }
            asking.try_set_value(false);
        });
    };
    // Not on the server, which has no clock for a page.
    Effect::new(move || {
        if let Ok(timer) = set_interval_with_handle(ask, ASK) {
            on_cleanup(move || timer.clear());
        }
    });
}

/// How many of the turn's calls were taken back since: they read otherwise then.
fn undone(row: &AuditRow) -> usize {
    row.entry.tool_calls.iter().filter(|call| call.effect == Change::Undone).count()
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

#[component]
fn Filters(search: AuditSearch, admin: bool) -> impl IntoView {
    let kept = AuditSearch { text: None, outcome: None, cursor: None, ..search.clone() };
    let more = kept != AuditSearch::default();
    let AuditSearch { since, until, tool, outcome, kind, engine, risk, conversation, actor, user, text, .. } = search;
    let kinds = DecisionKind::ALL.map(|kind| (kind.as_str(), kind.in_words())).to_vec();
    let actors = vec![("message", words::A_MESSAGE), ("approval", words::A_VERDICT), ("mcp", words::AN_OUTSIDE_AGENT)];
    let outcomes = vec![
        ("SUCCESS", words::SUCCESS),
        ("AMBIGUITY", words::QUESTION_ASKED),
        ("REFUSAL", words::REFUSED),
        ("ERROR", words::ERROR),
    ];
    let risks = vec![("low", words::LOW), ("medium", words::MEDIUM), ("high", words::HIGH)];
    let tools = ToolName::ALL.map(|tool| (tool.as_str(), tool.as_str())).to_vec();
    let engines = Engine::ALL.map(|engine| (engine.as_str(), engine.as_str())).to_vec();
    view! {
        <form class="audit-page__filters sheet" method="get" action="/audit" role="search" aria-label=words::FILTER_THE_RECORD>
            <div class="audit-page__first">
                <Field id="audit-text" label=words::WORDS>
                    <input id="audit-text" type="search" name="text" data-keys="/" value=text autocomplete="off"/>
                </Field>
                <Field id="audit-outcome" label=words::OUTCOME>
                    {choose("audit-outcome", "outcome", outcomes, outcome)}
                </Field>
                <div class="audit-page__buttons">
                    <button class="button button--primary">{words::FILTER}</button>
                    <a class="button button--quiet" href="/audit">{words::CLEAR}</a>
                </div>
            </div>
            <details class="audit-page__more" open=more>
                <summary class="button button--quiet">{words::MORE_FILTERS} <Icon shape=Shape::Chevron/></summary>
                <div class="audit-page__fields">
                    <Field id="audit-tool" label=words::TOOL>{choose("audit-tool", "tool", tools, tool)}</Field>
                    <Field id="audit-risk" label=words::RISK>{choose("audit-risk", "risk", risks, risk)}</Field>
                    <Field id="audit-engine" label=words::ENGINE>
                        {choose("audit-engine", "engine", engines, engine)}
                    </Field>
                    <Field id="audit-kind" label=words::DECISION>{choose("audit-kind", "kind", kinds, kind)}</Field>
                    <Field id="audit-actor" label=words::SET_OFF_BY>{choose("audit-actor", "actor", actors, actor)}</Field>
                    <Field id="audit-conversation" label=words::CONVERSATION>
                        <input id="audit-conversation" name="conversation" value=conversation autocomplete="off"/>
                    </Field>
                    <Field id="audit-since" label=words::FROM>
                        <input id="audit-since" type=date(since.as_ref()) name="since" value=since/>
                    </Field>
                    <Field id="audit-until" label=words::TO>
                        <input id="audit-until" type=date(until.as_ref()) name="until" value=until/>
                    </Field>
                    {admin.then(|| view! {
                        <Field id="audit-user" label=words::USER>
                            <input id="audit-user" name="user" value=user autocomplete="off"/>
                        </Field>
                    })}
                </div>
            </details>
        </form>
    }
    .erase_lasting()
}

/// A day has an input of its own; an instant, which a bar of a chart leads to, is kept as it stands.
fn date(value: Option<&String>) -> &'static str {
    if value.is_some_and(|value| value.len() > 10) { "text" } else { "date" }
}

fn choose(
    id: &'static str,
    name: &'static str,
    options: Vec<(&'static str, &'static str)>,
    chosen: Option<String>,
) -> impl IntoView {
    let options = options.into_iter().map(|(value, label)| {
        view! { <option value=value selected=chosen.as_deref() == Some(value)>{label}</option> }
    });
    view! {
        <select id=id name=name>
            <option value="">{words::ANY}</option>
            {options.collect_view()}
        </select>
    }
    .erase()
}
