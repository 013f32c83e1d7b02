//! The HTML shell and the table of pages.

use leptos::prelude::*;

#[cfg(feature = "ssr")]
use crate::messages::layout as messages;
#[cfg(feature = "ssr")]
use crate::raw_text;
use crate::ui::address::{self, Address};
use crate::ui::any_view::{Erase, Piece, whole};
use crate::ui::derived::{Kept, kept};
use crate::ui::pages;
use crate::ui::session::Session;

/// Guards the approve and delete buttons as soon as the browser parses them.
#[cfg(feature = "ssr")]
const GUARD: raw_text::Source = raw_text::Source::new(include_str!("ui/press.js"));

/// Loads and starts the wasm bundle.
#[cfg(feature = "ssr")]
const START: raw_text::Source = raw_text::Source::new(include_str!("ui/start.js"));

/// Renders the document around every page; server only.
#[cfg(feature = "ssr")]
pub fn shell() -> impl IntoView {
    let look = crate::ui::session::look();
    let account = Some(crate::ui::http::account()).filter(|account| !account.is_empty());
    // No script on a page that answers a failed plain form: at the form's address, the router would find another page. Replaces
    // Leptos's script, which would be loaded before the first paint.
    let script = (!look.without_script).then(|| (raw_text::script(GUARD), raw_text::module_script(START)));
    // Rendered outside the hydrated part, so that the script need not contain them.
    let dialogs = (!look.without_script).then(crate::ui::fragments::keys::dialogs);
    view! {
        <!DOCTYPE html>
        <html lang="en" data-account=account data-theme=look.theme data-layout=look.layout data-shortcuts=look.without_shortcuts.then_some("off")>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content"/>
                <meta name="description" content=messages::WHAT_DOCKET_IS/>
                <meta name="theme-color" media="(prefers-color-scheme: light)" content="#f6f7f5"/>
                <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#101214"/>
                <link rel="icon" href="/favicon.svg" type="image/svg+xml"/>
                <link rel="stylesheet" href="/pkg/docket.css"/>
                {script}
                <leptos_meta::MetaTags/>
            </head>
            <body>
                <App/>
                {dialogs}
                {crate::ui::components::act_form()}
                {crate::ui::components::sprite()}
            </body>
        </html>
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Chat,
    AsOf,
    Import,
    Tasks,
    Conversations,
    Approvals,
    Approval,
    Audit,
    Settings,
    Memory,
    Users,
    SignIn,
    Join,
    SetUp,
    NotFound,
}

impl Page {
    /// Returns the page at an address.
    fn at(address: &Address) -> Self {
        let parts: Vec<&str> = address.path.split('/').filter(|part| !part.is_empty()).collect();
        match parts[..] {
            [] => Self::Chat,
            ["tasks", "as-of"] => Self::AsOf,
            ["tasks", "import"] => Self::Import,
            ["tasks"] | ["tasks", _] => Self::Tasks,
            ["conversations"] => Self::Conversations,
            ["approvals"] => Self::Approvals,
            ["approvals", _] => Self::Approval,
            ["audit"] | ["audit", _] => Self::Audit,
            ["settings"] => Self::Settings,
            ["settings", "memory"] => Self::Memory,
            ["admin", "users"] => Self::Users,
            ["sign-in"] => Self::SignIn,
            ["join"] => Self::Join,
            ["setup"] => Self::SetUp,
            _ => Self::NotFound,
        }
    }

    /// Returns true if the page has the frame of a signed-in account.
    fn is_framed(self) -> bool {
        !matches!(self, Self::SignIn | Self::Join | Self::SetUp | Self::NotFound)
    }

    fn view(self) -> Piece {
        match self {
            Self::Chat => view! { <pages::ChatPage/> }.erase(),
            Self::AsOf => view! { <pages::AsOfPage/> }.erase(),
            Self::Import => view! { <pages::ImportPage/> }.erase(),
            Self::Tasks => view! { <pages::TasksPage/> }.erase(),
            Self::Conversations => view! { <pages::ConversationsPage/> }.erase(),
            Self::Approvals => view! { <pages::ApprovalsPage/> }.erase(),
            Self::Approval => view! { <pages::ApprovalPage/> }.erase(),
            Self::Audit => view! { <pages::AuditPage/> }.erase(),
            Self::Settings => view! { <pages::SettingsPage/> }.erase(),
            Self::Memory => view! { <pages::MemoryPage/> }.erase(),
            Self::Users => view! { <pages::UsersPage/> }.erase(),
            Self::SignIn => view! { <pages::SignInPage/> }.erase(),
            Self::Join => view! { <pages::JoinPage/> }.erase(),
            Self::SetUp => view! { <pages::SetUpPage/> }.erase(),
            Self::NotFound => view! { <pages::NotFoundPage/> }.erase(),
        }
    }
}

/// The application. The server's router decides which addresses exist; on both sides, [`Page::at`] selects the page of an
/// address.
#[component]
pub fn App() -> impl IntoView {
    Session::provide();
    Effect::new(crate::ui::browser::mark_live);
    #[cfg(feature = "hydrate")]
    address::provide();
    root()
}

#[cfg(not(feature = "ssr"))]
fn root() -> Piece {
    view! { <Pages/> }.erase()
}

#[cfg(feature = "ssr")]
fn root() -> Piece {
    use leptos_router::components::{Route, Router, Routes};
    use leptos_router::{OptionalParamSegment, ParamSegment, SsrMode, StaticSegment, WildcardSegment};
    leptos_meta::provide_meta_context();
    view! {
        <Router>
            <Routes fallback=Pages>
                <Route path=StaticSegment("") view=Pages ssr=SsrMode::Async/>
                <Route path=(StaticSegment("tasks"), StaticSegment("as-of")) view=Pages ssr=SsrMode::Async/>
                <Route path=(StaticSegment("tasks"), StaticSegment("import")) view=Pages ssr=SsrMode::Async/>
                <Route path=(StaticSegment("tasks"), OptionalParamSegment("number")) view=Pages ssr=SsrMode::Async/>
                <Route path=StaticSegment("conversations") view=Pages ssr=SsrMode::Async/>
                <Route path=StaticSegment("approvals") view=Pages ssr=SsrMode::Async/>
                <Route path=(StaticSegment("approvals"), ParamSegment("id")) view=Pages ssr=SsrMode::Async/>
                <Route path=(StaticSegment("audit"), OptionalParamSegment("id")) view=Pages ssr=SsrMode::Async/>
                <Route path=StaticSegment("settings") view=Pages ssr=SsrMode::Async/>
                <Route path=(StaticSegment("admin"), StaticSegment("users")) view=Pages ssr=SsrMode::Async/>
                <Route path=(StaticSegment("settings"), StaticSegment("memory")) view=Pages ssr=SsrMode::Async/>
                <Route path=StaticSegment("sign-in") view=Pages ssr=SsrMode::Async/>
                <Route path=StaticSegment("join") view=Pages ssr=SsrMode::Async/>
                <Route path=StaticSegment("setup") view=Pages ssr=SsrMode::Async/>
                <Route path=WildcardSegment("any") view=Pages ssr=SsrMode::Async/>
            </Routes>
        </Router>
    }
    .erase()
}

#[component]
fn Pages() -> impl IntoView {
    let here = address::here();
    let page = kept(move || here.with(Page::at));
    let framed = kept(move || page.get().is_framed());
    whole(move || {
        if framed.get() { view! { <pages::Frame page=move || shown(here, page)/> }.erase() } else { shown(here, page) }
    })
}

/// Renders the page, and subscribes to `page`: a change replaces the whole view.
fn shown(here: Kept<Address>, page: Kept<Page>) -> Piece {
    let now = page.get();
    #[cfg(not(feature = "ssr"))]
    address::settle(here, move |address| Page::at(address) == now);
    #[cfg(feature = "ssr")]
    let _ = here;
    now.view()
}

#[cfg(test)]
mod tests {
    use super::Page;
    use crate::ui::address::Address;

    #[test]
    fn an_address_leads_to_its_page() {
        let cases = [
            ("/", Page::Chat),
            ("/tasks", Page::Tasks),
            ("/tasks/", Page::Tasks),
            ("/tasks/42", Page::Tasks),
            ("/tasks/as-of", Page::AsOf),
            ("/tasks/import", Page::Import),
            ("/tasks/42/more", Page::NotFound),
            ("/conversations", Page::Conversations),
            ("/approvals", Page::Approvals),
            ("/approvals/7", Page::Approval),
            ("/audit", Page::Audit),
            ("/audit/7", Page::Audit),
            ("/settings", Page::Settings),
            ("/settings/memory", Page::Memory),
            ("/settings/other", Page::NotFound),
            ("/admin/users", Page::Users),
            ("/sign-in", Page::SignIn),
            ("/join", Page::Join),
            ("/setup", Page::SetUp),
            ("/nowhere", Page::NotFound),
        ];
        for (path, page) in cases {
            assert_eq!(Page::at(&Address { path: path.to_owned(), search: String::new() }), page, "{path}");
        }
    }
}
