//! What surrounds every page of a signed-in account: the way between pages, messages, the dialog.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::approvals;
use crate::api::chat::ConversationsList;
use crate::api::tasks::UndoLast;
use crate::domain::conversation::Conversation;
use crate::ui::acts::Acts;
use crate::ui::adding::Adding;
use crate::ui::components::{ApprovalDialog, ApprovalPrompt, NavRail, ReturnTo, ToastRegion, Wait};
use crate::ui::erase::{Erase, Piece, held};
use crate::ui::fetch::Fetch;
use crate::ui::live::Live;
use crate::ui::session::Session;
use crate::ui::toaster::Toaster;
use crate::words::frame as words;

/// The account's conversations, from context.
#[derive(Clone, Copy)]
pub struct Threads {
    /// The latest first. Read it inside a `Suspense`.
    pub all: Signal<Vec<Conversation>>,
    /// The one that the chat shows; `None` until the chat has said so.
    pub open: RwSignal<Option<String>>,
}

/// `page` is what stands in it.
#[component]
pub fn Frame(page: impl FnMut() -> Piece + Send + 'static) -> impl IntoView {
    let session = Session::current();
    let toaster = Toaster::provide();
    let live = Live::provide(session, toaster);
    let acts = Acts::provide(live, toaster);
    Adding::provide();
    provide_context(ApprovalPrompt(RwSignal::new(None)));
    let threads = Fetch::new(|| ConversationsList { query: None, hidden: None }, Some(live.chat));
    let threads = Signal::derive(move || threads.ok().unwrap_or_default());
    #[cfg(feature = "hydrate")]
    crate::ui::browser::keys::listen();
    let open = RwSignal::new(None);
    provide_context(Threads { all: threads, open });
    let waiting = Fetch::new(|| approvals::List { status: Some("pending".to_owned()) }, Some(live.approvals));
    let requests = Signal::derive(move || waiting.ok().unwrap_or_default());
    let name = move || session.me().map(|me| me.user.name.to_string()).unwrap_or_default();
    view! {
        <a class="skip button" href="#main">{words::SKIP_TO_THE_CONTENT}</a>
        <div class="frame">
            <Wait>
                <NavRail
                    name=Signal::derive(name)
                    waiting=Signal::derive(move || requests.with(Vec::len))
                    conversations=threads
                    open
                />
            </Wait>
            <main class="frame__main" id="main" tabindex="-1">{held(page)}</main>
            <Wait>
                <ToastRegion flash=Signal::derive(move || session.flash())/>
            </Wait>
            <ApprovalDialog waiting=requests/>
            <form method="post" action=UndoLast::url() hidden on:submit=move |event| acts.send(event)>
                <ReturnTo/>
                <button data-keys="mod+z"></button>
            </form>
        </div>
    }
    .erase()
}
