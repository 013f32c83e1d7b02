//! What surrounds every page of a signed-in account: the way between pages, messages, the dialog.

use leptos::prelude::*;
use leptos_router::components::Outlet;

use crate::api::approvals;
use crate::api::chat::conversations_list;
use crate::domain::conversation::Conversation;
use crate::ui::acts::Acts;
use crate::ui::components::{ApprovalDialog, ApprovalPrompt, NavRail, ToastRegion};
use crate::ui::live::Live;
use crate::ui::session::Session;
use crate::ui::toaster::Toaster;

/// The account's conversations, the latest first, from context. Read it inside a `Suspense`.
#[derive(Clone, Copy)]
pub struct Threads(pub Signal<Vec<Conversation>>);

#[component]
pub fn Frame() -> impl IntoView {
    let session = Session::current();
    let live = Live::provide(session);
    Acts::provide(live, Toaster::provide());
    provide_context(ApprovalPrompt(RwSignal::new(None)));
    let threads = Resource::new(
        move || live.chat.get(),
        move |_| async move {
            session.ready().await;
            conversations_list().await.unwrap_or_default()
        },
    );
    provide_context(Threads(Signal::derive(move || threads.get().unwrap_or_default())));
    let waiting = Resource::new(
        move || live.approvals.get(),
        move |_| async move {
            session.ready().await;
            approvals::list(Some("pending".to_owned())).await.map_or(0, |list| list.len())
        },
    );
    let name = move || session.me().map(|me| me.user.name.to_string()).unwrap_or_default();
    view! {
        <a class="skip button" href="#main">"Skip to the content"</a>
        <div class="frame">
            <Transition>
                <NavRail
                    name=Signal::derive(name)
                    waiting=Signal::derive(move || waiting.get().unwrap_or_default())
                    conversations=Signal::derive(move || threads.get().unwrap_or_default())
                />
            </Transition>
            <main class="frame__main" id="main" tabindex="-1"><Outlet/></main>
            <Transition>
                <ToastRegion flash=Signal::derive(move || session.flash())/>
            </Transition>
            <ApprovalDialog/>
        </div>
    }
    .into_any()
}
