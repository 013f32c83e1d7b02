//! The main navigation: a rail next to the page, or a bar at the bottom on phones.

use leptos::prelude::*;

use super::{Brand, Each, Icon, Shape};
use crate::api::session::SignOut;
use crate::domain::conversation::Conversation;
use crate::messages::layout as messages;
use crate::ui::address::here;
use crate::ui::any_view::{Erase, held, part};
use crate::ui::browser;
use leptos::server_fn::ServerFn;

struct Place {
    href: &'static str,
    label: &'static str,
    shape: Shape,
    /// The shortcut that opens it.
    keys: Option<&'static str>,
}

/// The closed set of destinations that every user has.
const PLACES: [Place; 5] = [
    Place { href: "/", label: messages::CHAT, shape: Shape::Chat, keys: Some("g c") },
    Place { href: "/tasks", label: messages::TASKS, shape: Shape::List, keys: Some("g t") },
    Place { href: "/approvals", label: messages::APPROVALS, shape: Shape::Shield, keys: Some("g a") },
    Place { href: "/audit", label: messages::AUDIT, shape: Shape::Book, keys: Some("g l") },
    Place { href: "/settings", label: messages::SETTINGS, shape: Shape::Gear, keys: None },
];

/// `waiting` is the number of pending approvals; `open` is the conversation that the chat shows, once it is known.
#[component]
pub fn NavRail(
    #[prop(into)] name: Signal<String>,
    #[prop(into)] waiting: Signal<usize>,
    #[prop(into)] conversations: Signal<Vec<Conversation>>,
    #[prop(into)] open: Signal<Option<String>>,
) -> impl IntoView {
    let address = here();
    let path = move || address.with(|here| here.path.clone());
    let badge = move |place: &Place| {
        let approvals = place.href == "/approvals";
        part(move || {
            (approvals && waiting.get() > 0).then(|| {
                view! {
                    <span class="nav-rail__badge">{waiting.get()} <span class="visually-hidden">{messages::WAITING}</span></span>
                }
            })
        })
    };
    let links = PLACES.iter().map(|place| {
        let here = move || match place.href {
            "/" => matches!(path().as_str(), "/" | "/conversations"),
            // Settings link to the admin pages.
            "/settings" if path().starts_with("/admin") => true,
            href => path().starts_with(href),
        };
        view! {
            <li>
                <a class="nav-rail__link" href=place.href data-keys=place.keys aria-current=held(move || here().then_some("page"))>
                    <Icon shape=place.shape/>
                    <span class="nav-rail__label">{place.label}</span>
                    {badge(place)}
                </a>
            </li>
        }
    });
    let current = move || {
        let asked = address.with(|here| here.field("c"));
        // The chat opens the latest conversation by default.
        let latest = || conversations.with(|all| all.first().map(|it| it.conversation_id.to_string()));
        (path() == "/").then(|| open.get().or(asked).or_else(latest)).flatten()
    };
    view! {
        <header class="nav-rail">
            <div class="nav-rail__brand"><Brand/></div>
            <nav class="nav-rail__places" aria-label=messages::MAIN><ul>{links.collect_view()}</ul></nav>
            <nav class="nav-rail__threads" aria-label=messages::CONVERSATIONS>
                <h2 class="nav-rail__heading">{messages::CONVERSATIONS}</h2>
                <a class="nav-rail__thread" href="/?c=new"><Icon shape=Shape::Plus/> {messages::NEW_CONVERSATION}</a>
                <ul>
                    <Each each=move || conversations.get() key=|thread| (thread.conversation_id, thread.title.clone()) let:thread>
                        {
                            let id = thread.conversation_id.to_string();
                            let href = format!("/?c={id}");
                            view! {
                                <li>
                                    <a class="nav-rail__thread" href=href aria-current=held(move || (current().as_deref() == Some(&id)).then_some("true"))>
                                        <span class="nav-rail__title">{thread.title.clone()}</span>
                                    </a>
                                </li>
                            }
                        }
                    </Each>
                </ul>
                <a class="nav-rail__thread nav-rail__thread--all" href="/conversations"><Icon shape=Shape::Search/> {messages::SEARCH_AND_MANAGE}</a>
            </nav>
            <form class="nav-rail__person" method="post" action=SignOut::url() on:submit=move |_| browser::forget_drafts()>
                <input type="hidden" name="return_to" value="/sign-in"/>
                <span class="nav-rail__name">{name}</span>
                <button class="nav-rail__leave" aria-label=messages::SIGN_OUT title=messages::SIGN_OUT><Icon shape=Shape::Leave/></button>
            </form>
        </header>
    }
    .erase()
}
