//! The html shell and the table of pages.

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::{ParentRoute, Route, Router, Routes};
use leptos_router::{OptionalParamSegment, ParamSegment, SsrMode, StaticSegment, WildcardSegment};

use crate::ui::erase::Erase;
use crate::ui::pages;
use crate::ui::session::Session;

/// The document around every page. Only the server renders it.
#[cfg(feature = "ssr")]
pub fn shell(options: LeptosOptions) -> impl IntoView {
    let look = crate::ui::session::look();
    // A page that answers a failed plain form stands at the form's address, where the router would find another page.
    let scripts = (!look.without_script).then(|| view! { <HydrationScripts options/> });
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=look.theme>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content"/>
                <meta name="description" content="Docket keeps your tasks, and an assistant that asks before it does anything risky."/>
                <meta name="theme-color" media="(prefers-color-scheme: light)" content="#f6f7f5"/>
                <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#101214"/>
                <link rel="icon" href="/favicon.svg" type="image/svg+xml"/>
                <link rel="stylesheet" href="/pkg/docket.css"/>
                {scripts}
                <leptos_meta::MetaTags/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}

/// Every page of the site.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    Session::provide();
    Effect::new(crate::ui::browser::mark_live);
    view! {
        <Title formatter=|title: String| if title.is_empty() { "Docket".to_owned() } else { format!("{title} · Docket") }/>
        <Router>
            <Routes fallback=pages::NotFoundPage>
                <ParentRoute path=StaticSegment("") view=pages::Frame ssr=SsrMode::Async>
                    <Route path=StaticSegment("") view=pages::ChatPage/>
                    <Route path=(StaticSegment("tasks"), StaticSegment("as-of")) view=pages::AsOfPage/>
                    <Route path=(StaticSegment("tasks"), StaticSegment("import")) view=pages::ImportPage/>
                    <Route path=(StaticSegment("tasks"), OptionalParamSegment("number")) view=pages::TasksPage/>
                    <Route path=StaticSegment("conversations") view=pages::ConversationsPage/>
                    <Route path=StaticSegment("approvals") view=pages::ApprovalsPage/>
                    <Route path=(StaticSegment("approvals"), ParamSegment("id")) view=pages::ApprovalPage/>
                    <Route path=StaticSegment("audit") view=pages::AuditPage/>
                    <Route path=(StaticSegment("audit"), ParamSegment("id")) view=pages::StoryPage/>
                    <Route path=StaticSegment("settings") view=pages::SettingsPage/>
                    <Route path=(StaticSegment("admin"), StaticSegment("users")) view=pages::UsersPage/>
                    <Route path=(StaticSegment("settings"), StaticSegment("memory")) view=pages::MemoryPage/>
                </ParentRoute>
                <Route path=StaticSegment("sign-in") view=pages::SignInPage ssr=SsrMode::Async/>
                <Route path=StaticSegment("join") view=pages::JoinPage ssr=SsrMode::Async/>
                <Route path=StaticSegment("setup") view=pages::SetUpPage ssr=SsrMode::Async/>
                <Route path=WildcardSegment("any") view=pages::NotFoundPage ssr=SsrMode::Async/>
            </Routes>
        </Router>
    }
    .erase()
}
