//! The task list: views, projects and tags as links, quick add, rows, search; and one task next to it.

use leptos::prelude::*;

use crate::api::tasks::{GetCounts, GetFacets, GetTask, List, Search, View};
use crate::domain::task::Facets;
use crate::messages::tasks as messages;
use crate::ui::address::{here, title};
use crate::ui::any_view::{Erase, Piece, held, part, whole};
use crate::ui::components::{
    BulkBar, Each, EmptyState, Failure, Icon, QuickAdd, Samples, Shape, TaskDetail, TaskList, Wait,
};
use crate::ui::derived::{Kept, kept};
use crate::ui::fetch::Fetch;
use crate::ui::http;
use crate::ui::live::Live;
use crate::ui::session::Session;

/// The explanation of the bin, empty or not.
const RESTS: &str = messages::RESTS_IN_THE_BIN;

#[component]
pub fn TasksPage() -> impl IntoView {
    let (session, live) = (Session::current(), Live::current());
    let address = here();
    let given =
        move |name: &'static str| kept(move || address.with(|here| here.field(name)).filter(|text| !text.is_empty()));
    let view_name =
        kept(move || address.with(|here| here.field("view").as_deref().and_then(View::parse)).unwrap_or_default());
    let (words, project, tag, cursor) = (given("q"), given("project"), given("tag"), given("cursor"));
    // The task that is open next to the list, or in its place on phones.
    let number = kept(move || address.with(|here| here.part(1)));
    let place = move || Place { view: view_name.get(), words: words.get(), project: project.get(), tag: tag.get() };
    let search = move || Search {
        query: words.get(),
        project: project.get(),
        tag: tag.get(),
        cursor: cursor.get(),
        ..Search::of(view_name.get())
    };
    let found = Fetch::new(move || List { search: search() }, Some(live.tasks));
    let one = Fetch::maybe(move || number.get().map(|task_id| GetTask { task_id }), Some(live.tasks));
    let counts = Fetch::new(|| GetCounts {}, Some(live.tasks));
    let facets = Fetch::new(|| GetFacets {}, Some(live.tasks));
    let rows = move || found.ok().map(|rows| rows.tasks).unwrap_or_default();
    // Samples are offered and counted on the whole list only, not on a filtered one.
    let samples = move || {
        let filtered = [words, project, tag, cursor].into_iter().any(|field| field.get().is_some());
        let plain = view_name.get() == View::All && !filtered;
        found.ok().filter(|_| plain)?.samples
    };
    let listed = move || {
        let number = number.get()?;
        rows().into_iter().find(|row| row.task.task_id.to_string() == number)
    };
    let next = move || found.ok().and_then(|rows| rows.next);
    let headed = kept(move || matches!(view_name.get(), View::Today | View::Upcoming | View::All));
    let adds = kept(move || !matches!(view_name.get(), View::Done | View::Bin));
    let tabs = View::ALL.map(|view| {
        view! {
            <li>
                <a class="tasks-page__tab" href=format!("/tasks?view={}", view.as_str())
                    aria-current=held(move || (view_name.get() == view).then_some("page"))>
                    {view.label()} " "
                    <span class="tasks-page__count">{held(move || counts.ok().unwrap_or_default().of(view).to_string())}</span>
                </a>
            </li>
        }
    });
    title(messages::TASKS);
    view! {
        <div class="page tasks-page" class=("tasks-page--open", held(move || number.get().is_some()))>
            <div class="tasks-page__list">
                <header class="page__head">
                    <h1>{messages::TASKS}</h1>
                    <form class="tasks-page__search" method="get" action="/tasks" role="search">
                        <input type="hidden" name="view" value=held(move || view_name.get().as_str())/>
                        <label class="tasks-page__words">
                            <Icon shape=Shape::Search/>
                            <span class="visually-hidden">{messages::SEARCH_TASKS}</span>
                            <input type="search" name="q" data-keys="/" value=held(move || words.get()) placeholder=messages::SEARCH autocomplete="off"/>
                        </label>
                    </form>
                </header>
                <Wait>
                    <nav class="tasks-page__views" aria-label=messages::VIEWS><ul>{tabs}</ul></nav>
                    {part(move || adds.get().then(|| view! { <QuickAdd flash=Signal::derive(move || session.flash())/> }))}
                    <Filed facets project tag/>
                    <Failure error=move || found.error()/>
                    <h2 class="visually-hidden">{held(move || view_name.get().label())}</h2>
                    {part(move || (view_name.get() == View::Bin && !rows().is_empty())
                        .then(|| view! { <p class="tasks-page__note">{RESTS}</p> }))}
                    <div class="sheet" hidden=held(move || rows().is_empty()) aria-busy=held(move || found.busy())>
                        {whole(move || view! { <TaskList rows=Signal::derive(rows) headed=headed.get()/> })}
                    </div>
                    <Each each=move || if rows().is_empty() { vec![] } else { vec![view_name.get()] } key=|view| view.as_str() let:view><BulkBar view/></Each>
                    {part(move || found.ok().is_some_and(|rows| rows.tasks.is_empty())
                        .then(|| empty(view_name.get(), words.get())))}
                    <Samples there=Signal::derive(samples)/>
                    {held(move || next().map(|next| view! {
                        <a class="button tasks-page__next" href=place().href("/tasks", Some(&next))>{messages::MORE}</a>
                    }))}
                    <a class="tasks-page__as-of" href="/tasks/as-of">{messages::THE_LIST_AS_OF}</a>
                    <a class="tasks-page__as-of" href="/tasks/import">{messages::IMPORT}</a>
                </Wait>
            </div>
            <Wait>
                {part(move || number.get().map(|_| view! {
                    <TaskDetail found=one listed=Signal::derive(listed) back=Signal::derive(move || place().href("/tasks", cursor.get().as_deref()))/>
                }))}
            </Wait>
        </div>
    }
    .erase()
}

/// View and filters of the list that the page shows.
struct Place {
    view: View,
    words: Option<String>,
    project: Option<String>,
    tag: Option<String>,
}

impl Place {
    /// Returns the address, from the page after `cursor` on.
    fn href(&self, path: &str, cursor: Option<&str>) -> String {
        let fields = [
            ("view", Some(self.view.as_str())),
            ("q", self.words.as_deref()),
            ("project", self.project.as_deref()),
            ("tag", self.tag.as_deref()),
            ("cursor", cursor),
        ];
        let given: Vec<_> = fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        format!("{path}?{}", http::form(&given))
    }
}

/// Projects and tags as links; the active one leads back to the whole list.
#[component]
fn Filed(facets: Fetch<Facets>, project: Kept<Option<String>>, tag: Kept<Option<String>>) -> impl IntoView {
    let links = move || {
        let Facets { projects, tags } = facets.ok().unwrap_or_default();
        let projects = projects.into_iter().map(|facet| ("project", "#", facet));
        projects.chain(tags.into_iter().map(|facet| ("tag", "@", facet))).collect::<Vec<_>>()
    };
    view! {
        <nav class="tasks-page__filed" aria-label=messages::PROJECTS_AND_TAGS hidden=held(move || links().is_empty())>
            <Each each=links key=|(kind, _, facet)| (*kind, facet.name.clone(), facet.count) let((kind, mark, facet))>
                {
                    let name = facet.name.clone();
                    let chosen = if kind == "project" { project } else { tag };
                    let here = kept(move || chosen.get().is_some_and(|it| it.eq_ignore_ascii_case(&name)));
                    let href = format!("/tasks?{}", http::form(&[(kind, &facet.name)]));
                    view! {
                        <a class="tasks-page__facet" href=held(move || if here.get() { "/tasks".to_owned() } else { href.clone() })
                            aria-current=held(move || here.get().then_some("true"))>
                            {mark} {facet.name.clone()} " " <span class="tasks-page__count">{facet.count.to_string()}</span>
                        </a>
                    }
                }
            </Each>
        </nav>
    }
    .erase()
}

fn empty(view: View, words: Option<String>) -> Piece {
    if let Some(words) = words {
        return view! {
            <EmptyState shape=Shape::Search title=messages::NOTHING_FOUND>{messages::no_task_here_has(&words)}</EmptyState>
        }
        .erase();
    }
    match view {
        View::Today => view! { <EmptyState shape=Shape::Check title=messages::NOTHING_DUE_TODAY>{messages::GIVE_A_TASK_A_DATE}</EmptyState> }.erase(),
        View::Upcoming => view! { <EmptyState shape=Shape::Calendar title=messages::NOTHING_AHEAD>{messages::WRITE_A_DAY}</EmptyState> }.erase(),
        View::All => view! { <EmptyState shape=Shape::List title=messages::YOUR_LIST_IS_EMPTY>{messages::TYPE_A_TASK}</EmptyState> }.erase(),
        View::Done => view! { <EmptyState shape=Shape::Check title=messages::NOTHING_DONE_YET>{messages::CHECK_A_TASK_OFF}</EmptyState> }.erase(),
        View::Bin => view! { <EmptyState shape=Shape::Bin title=messages::THE_BIN_IS_EMPTY>{RESTS}</EmptyState> }.erase(),
    }
}
