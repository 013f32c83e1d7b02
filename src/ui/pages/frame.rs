//! The layout around every page of a signed-in account: navigation, toasts and the approval dialog.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::approvals::{self, ApprovalView};
use crate::api::chat::ConversationsList;
use crate::api::tasks::UndoLast;
use crate::domain::conversation::Conversation;
use crate::domain::id::ApprovalId;
use crate::messages::approvals::asks;
use crate::messages::layout as messages;
use crate::ui::any_view::{Erase, Piece, held};
use crate::ui::components::{ApprovalDialog, ApprovalPrompt, NavRail, ReturnTo, ToastRegion, Wait};
use crate::ui::fetch::Fetch;
use crate::ui::form_actions::FormActions;
use crate::ui::live::Live;
use crate::ui::live_region::LiveRegion;
use crate::ui::optimistic_add::OptimisticAdd;
use crate::ui::reminders::Reminders;
use crate::ui::reorder_queue::ReorderQueue;
use crate::ui::send_queue::SendQueue;
use crate::ui::session::Session;
use crate::ui::toaster::Toaster;

/// The account's conversations, from context.
#[derive(Clone, Copy)]
pub struct Threads {
    /// The latest first. Read it inside a `Suspense`.
    pub all: Signal<Vec<Conversation>>,
    /// The conversation that the chat shows; `None` until it is known.
    pub open: RwSignal<Option<String>>,
}

#[component]
pub fn Frame(page: impl FnMut() -> Piece + Send + 'static) -> impl IntoView {
    let session = Session::current();
    let toaster = Toaster::provide();
    let live = Live::provide(session, Reminders::provide(session));
    let acts = FormActions::provide(live, toaster);
    OptimisticAdd::provide();
    ReorderQueue::provide(acts);
    ApprovalPrompt::provide();
    let told = LiveRegion::provide();
    let outbox = SendQueue::provide();
    let threads = Fetch::new(|| ConversationsList { query: None, hidden: None, before: None }, Some(live.chat));
    let threads = Signal::derive(move || threads.ok().unwrap_or_default());
    #[cfg(feature = "hydrate")]
    crate::ui::browser::keys::listen();
    let open = RwSignal::new(None);
    provide_context(Threads { all: threads, open });
    let waiting =
        Fetch::new(|| approvals::List { status: Some("pending".to_owned()), brief: Some(true) }, Some(live.approvals));
    let requests = RwSignal::new(vec![]);
    tell_of(waiting, requests, outbox, told);
    let name = move || session.me().map(|me| me.user.name.to_string()).unwrap_or_default();
    view! {
        <a class="skip button" href="#main">{messages::SKIP_TO_THE_CONTENT}</a>
        <div class="frame">
            <Wait>
                <NavRail
                    name=Signal::derive(name)
                    waiting=Signal::derive(move || waiting.ok().map_or(0, |list| list.len()))
                    conversations=threads
                    open
                />
            </Wait>
            <main class="frame__main" id="main" tabindex="-1">{held(page)}</main>
            <Wait>
                <ToastRegion flash=Signal::derive(move || session.flash())/>
            </Wait>
            <p class="visually-hidden" aria-live="polite">{held(move || told.text())}</p>
            <ApprovalDialog waiting=requests/>
            <form method="post" action=UndoLast::url() hidden on:submit=move |event| acts.submit(event)>
                <ReturnTo/>
                <button data-keys="mod+z"></button>
            </form>
        </div>
    }
    .erase()
}

/// Announces approvals that arrive from elsewhere, since badge and card are silent. Sets `requests` to the pending ones.
fn tell_of(
    waiting: Fetch<Vec<ApprovalView>>,
    requests: RwSignal<Vec<ApprovalView>>,
    outbox: SendQueue,
    told: LiveRegion,
) {
    Effect::new(move |before: Option<Option<Vec<ApprovalId>>>| {
        let before = before.flatten();
        let Some(now) = waiting.ok() else { return before };
        if let Some(before) = before {
            let new = now.iter().filter(|it| !before.contains(&it.approval.approval_id) && !outbox.asks(&it.approval));
            let new: Vec<_> = new.map(|it| asks(&it.heading)).collect();
            if !new.is_empty() {
                told.announce(&new.join(" "));
            }
        }
        let ids = now.iter().map(|it| it.approval.approval_id).collect();
        requests.set(now);
        Some(ids)
    });
}
