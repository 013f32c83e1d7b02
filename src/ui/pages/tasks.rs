//! The list: views as links, quick add, rows, search.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::api::tasks::{GetCounts, List, Search, View};
use crate::ui::components::{EmptyState, Icon, QuickAdd, Shape, TaskList};
use crate::ui::erase::{Erase, Piece};
use crate::ui::fetch::Fetch;
use crate::ui::kept::kept;
use crate::ui::live::Live;
use crate::ui::session::Session;

/// What the bin says of itself, with something in it or not.
const RESTS: &str = "A deleted task rests here for 30 days, then it is gone for good.";

#[component]
pub fn TasksPage() -> impl IntoView {
    let (session, live) = (Session::current(), Live::current());
    let query = use_query_map();
    let view_name =
        kept(move || query.with(|query| query.get("view").as_deref().and_then(View::parse)).unwrap_or_default());
    let words = kept(move || query.with(|query| query.get("q")).filter(|words| !words.is_empty()));
    let cursor = kept(move || query.with(|query| query.get("cursor")));
    let search = move || Search { query: words.get(), cursor: cursor.get(), ..Search::of(view_name.get()) };
    let found = Fetch::new(move || List { search: search() }, Some(live.tasks));
    let counts = Fetch::new(|| GetCounts {}, Some(live.tasks));
    let rows = move || found.ok().map(|rows| rows.tasks).unwrap_or_default();
    let next = move || found.ok().and_then(|rows| rows.next);
    let headed = kept(move || matches!(view_name.get(), View::Today | View::Upcoming | View::All));
    let adds = kept(move || !matches!(view_name.get(), View::Done | View::Bin));
    let tabs = View::ALL.map(|view| {
        view! {
            <li>
                <a class="tasks-page__tab" href=format!("/tasks?view={}", view.as_str())
                    aria-current=move || (view_name.get() == view).then_some("page")>
                    {view.label()} " "
                    <span class="tasks-page__count">{move || counts.ok().unwrap_or_default().of(view).to_string()}</span>
                </a>
            </li>
        }
    });
    view! {
        <Title text="Tasks"/>
        <div class="page tasks-page">
            <header class="page__head">
                <h1>"Tasks"</h1>
                <form class="tasks-page__search" method="get" action="/tasks" role="search">
                    <input type="hidden" name="view" value=move || view_name.get().as_str()/>
                    <label class="tasks-page__words">
                        <Icon shape=Shape::Search/>
                        <span class="visually-hidden">"Search tasks"</span>
                        <input type="search" name="q" value=move || words.get() placeholder="Search" autocomplete="off"/>
                    </label>
                </form>
            </header>
            <Transition>
                <nav class="tasks-page__views" aria-label="Views"><ul>{tabs}</ul></nav>
                {move || adds.get().then(|| view! { <QuickAdd flash=Signal::derive(move || session.flash())/> })}
                {move || found.error().map(|error| view! { <p class="error" role="alert">{error.message}</p> })}
                <h2 class="visually-hidden">{move || view_name.get().label()}</h2>
                {move || (view_name.get() == View::Bin && !rows().is_empty())
                    .then(|| view! { <p class="tasks-page__note">{RESTS}</p> })}
                <div class="sheet" hidden=move || rows().is_empty()>
                    {move || view! { <TaskList rows=Signal::derive(rows) headed=headed.get()/> }}
                </div>
                {move || found.ok().is_some_and(|rows| rows.tasks.is_empty())
                    .then(|| empty(view_name.get(), words.get()))}
                {move || next().map(|next| view! {
                    <a class="button tasks-page__next" href=format!("/tasks?view={}&cursor={next}", view_name.get().as_str())>"More"</a>
                })}
            </Transition>
        </div>
    }
    .erase()
}

fn empty(view: View, words: Option<String>) -> Piece {
    if let Some(words) = words {
        return view! {
            <EmptyState shape=Shape::Search title="Nothing found">{format!("No task here has “{words}” in it.")}</EmptyState>
        }
        .erase();
    }
    match view {
        View::Today => view! { <EmptyState shape=Shape::Check title="Nothing due today">"Give a task a date by writing “today” in its line."</EmptyState> }.erase(),
        View::Upcoming => view! { <EmptyState shape=Shape::Calendar title="Nothing ahead">"Write “friday” or “in 3 days” when you add a task."</EmptyState> }.erase(),
        View::All => view! { <EmptyState shape=Shape::List title="Your list is empty">"Type a task above and press Enter."</EmptyState> }.erase(),
        View::Done => view! { <EmptyState shape=Shape::Check title="Nothing done yet">"Check a task off and it rests here."</EmptyState> }.erase(),
        View::Bin => view! { <EmptyState shape=Shape::Bin title="The bin is empty">{RESTS}</EmptyState> }.erase(),
    }
}
