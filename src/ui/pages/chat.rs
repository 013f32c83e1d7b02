//! The chat: the conversation next to the list.

use leptos::html::Details;
use leptos::prelude::*;

use crate::api::ApiError;
use crate::api::chat::{ConversationsMessages, MessageView, Thread};
use crate::api::error::Code;
use crate::api::tasks::{List, Search, TaskRows, View};
use crate::domain::turn::Running;
use crate::messages::chat as messages;
use crate::ui::address::{here, title};
use crate::ui::any_view::{Erase, held, part};
use crate::ui::components::message_item::Choice;
use crate::ui::components::{
    Composer, Each, EmptyState, Failure, Icon, LayoutSwitch, MessageItem, QuickAdd, Samples, Scroller, Shape, Starters,
    TaskList, TaskPeek, Wait, Working,
};
use crate::ui::derived::{Kept, kept};
use crate::ui::fetch::Fetch;
use crate::ui::http;
use crate::ui::live::Live;
use crate::ui::pages::frame::Threads;
use crate::ui::pending_message::{NEW, PendingMessage, State};
use crate::ui::send_queue::SendQueue;
use crate::ui::session::Session;

/// Id of the list; as the address's hash it shows the list on narrow screens.
const LIST: &str = "list";

/// Fetches the open tasks once, for the conversation and for the list.
#[component]
pub fn ChatPage() -> impl IntoView {
    title(messages::CHAT);
    let open = Fetch::new(|| List { search: Search::of(View::All) }, Some(Live::current().tasks));
    view! {
        <div class="chat-page">
            <header class="chat-page__head"><h1>{messages::CHAT}</h1> <LayoutSwitch/></header>
            <Conversation open/>
            <ListBeside open/>
        </div>
    }
    .erase()
}

#[component]
fn Conversation(open: Fetch<TaskRows>) -> impl IntoView {
    let (session, live) = (Session::current(), Live::current());
    let address = here();
    let chosen = kept(move || address.with(|here| here.field("c")));
    let outbox = SendQueue::enter();
    // Cursor of a page of earlier messages; `None` for the latest ones, where the composer is.
    let before = kept(move || address.with(|here| here.field("before")).filter(|cursor| !cursor.is_empty()));
    let asked = move || {
        let chosen = chosen.get();
        ConversationsMessages { conversation_id: outbox.opened(&chosen).or(chosen), before: before.get() }
    };
    let thread = Fetch::new(asked, Some(live.chat)).answering(of_the_same);
    let current = move || thread.ok().unwrap_or_else(Thread::empty);
    let id = move || current().conversation.map(|it| it.conversation_id.to_string()).unwrap_or_default();
    Effect::new(move || {
        live.listing.set_value(thread.ok().is_some_and(|it| it.items.iter().any(|it| it.follows_tasks)));
    });
    on_cleanup(move || {
        live.listing.try_set_value(false);
    });
    let threads = expect_context::<Threads>();
    Effect::new(move || threads.open.set(thread.get().is_some().then(id)));
    outbox.follow(session, move || chosen.get(), move || meant(outbox, chosen.get(), threads, thread));
    let send = Callback::new(move |(text, option, key)| {
        outbox.send(text, option, key);
    });
    let last = move || current().items.last().map(|item| item.message.message_id);
    // Each page of the log starts at its end.
    let page = Signal::derive(move || id() + &before.get().unwrap_or_default());
    let past = kept(move || before.get().is_some());
    let shown = Signal::derive(move || (id(), current().head));
    // Only a plain form needs it: the composer does not wait for the messages.
    let known = move || (threads.open.get().unwrap_or_default(), outbox.shown.get().1);
    let form = Signal::derive(move || if cfg!(feature = "ssr") { shown.get() } else { known() });
    let empty = move || current().items.is_empty() && outbox.front().is_none();
    // A page that is opened while a turn runs shows the turn and continues from there.
    Effect::new(move || {
        let Some(thread) = thread.ok() else { return };
        outbox.shown.set((id(), thread.head));
        if let Some(running) = thread.running {
            live.turns.update(|turns| turns.see(&running));
        }
    });
    view! {
        <section class="chat-page__talk" aria-label=messages::CONVERSATION>
            <Wait><ThreadBar id=Signal::derive(id)/></Wait>
            <Scroller of=page last=Signal::derive(last) sent=Signal::derive(move || outbox.sent())>
                <div class="chat-page__log" role="log" aria-live="off" aria-busy=held(move || thread.busy())
                    aria-label=messages::MESSAGES tabindex="0">
                    <Wait>
                        {held(move || match thread.error() {
                            Some(error) => view! { <Missing error/> }.erase(),
                            None if empty() => view! { <Welcome on_choice=send open/> }.erase_lasting(),
                            None => ().erase(),
                        })}
                        <Earlier thread/>
                        <Messages items=Signal::derive(move || current().items) shown past on_choice=send/>
                    </Wait>
                    <div class="chat-page__now" hidden=held(move || past.get())>
                        <Sending outbox running=Signal::derive(move || current().running)/>
                    </div>
                </div>
            </Scroller>
            <Wait>
                <TaskPeek open to=LIST/>
                <Latest id=Signal::derive(id) past/>
            </Wait>
            // A separate boundary: the composer works while list and messages load.
            <Wait>
                {held(move || {
                    let visit = session.visit();
                    view! {
                        <Composer outbox shown=form form_key=visit.form_key
                            flash=visit.flash.unwrap_or_default() basic=visit.me.is_some_and(|me| !me.asks_model())/>
                    }
                    .erase_lasting()
                })}
            </Wait>
        </section>
    }
    .erase()
}

/// Returns true if `asked` is about the conversation that is `shown`. A new one is fetched by its id once its first message has arrived.
fn of_the_same(asked: &str, shown: &(String, String)) -> bool {
    // The query has to consist of an id.
    let id = asked.strip_prefix("conversation_id=").filter(|_| !shown.0.contains("before="));
    let thread = id.and_then(|_| http::read::<Thread>(&shown.1).ok());
    thread.and_then(|it| it.conversation).is_some_and(|it| id == Some(&it.conversation_id.to_string()))
}

#[component]
fn Earlier(thread: Fetch<Thread>) -> impl IntoView {
    let href = kept(move || {
        let thread = thread.ok()?;
        let (id, before) = (thread.conversation?.conversation_id.to_string(), thread.before?);
        Some(format!("/?{}", http::form(&[("c", &id), ("before", &before)])))
    });
    let link = |href: String| view! { <a class="button button--quiet chat-page__earlier" href=href>{messages::EARLIER_MESSAGES}</a> };
    part(move || href.get().map(link))
}

/// The link back to the latest messages, in place of the composer: new messages follow those.
#[component]
fn Latest(id: Signal<String>, past: Kept<bool>) -> impl IntoView {
    view! {
        <p class="chat-page__past" hidden=held(move || !past.get())>
            {messages::THESE_ARE_EARLIER} " " <a href=held(move || format!("/?c={}", id.get()))>{messages::TO_THE_LATEST_MESSAGES}</a>
        </p>
    }
    .erase()
}

/// Returns the conversation that the reader means: by its address, or the latest one. The one that is shown may still
/// be another, while the chosen one loads.
fn meant(outbox: SendQueue, chosen: Option<String>, threads: Threads, thread: Fetch<Thread>) -> Option<String> {
    let shown = thread.get()?;
    // A conversation that cannot be opened cannot be written to: a message begins a new one.
    if shown.as_ref().is_err_and(|error| matches!(error.code, Code::NotFound | Code::Malformed)) {
        return Some(NEW.to_owned());
    }
    let latest = || threads.all.with(|all| all.first().map(|it| it.conversation_id.to_string()));
    let first = || shown.ok()?.conversation.map(|it| it.conversation_id.to_string());
    outbox.opened(&chosen).or(chosen).or_else(latest).or_else(first).or_else(|| Some(NEW.to_owned()))
}

/// The conversations on phones, which have no rail.
#[component]
fn ThreadBar(id: Signal<String>) -> impl IntoView {
    let threads = expect_context::<Threads>().all;
    let details = NodeRef::<Details>::new();
    let close = move |_| {
        if let Some(details) = details.get_untracked() {
            details.set_open(false);
        }
    };
    let open_title = move || {
        let id = id.get();
        threads.with(|all| all.iter().find(|it| it.conversation_id.to_string() == id).map(|it| it.title.clone()))
    };
    view! {
        <header class="chat-page__bar">
            <details class="chat-page__threads" node_ref=details>
                <summary class="chat-page__thread">
                    <span>{held(move || open_title().unwrap_or_else(|| messages::NEW_CONVERSATION.to_owned()))}</span> <Icon shape=Shape::Chevron/>
                </summary>
                <ul>
                    <Each each=move || threads.get() key=|thread| (thread.conversation_id, thread.title.clone()) let:thread>
                        <li><a class="chat-page__other" href=format!("/?c={}", thread.conversation_id) on:click=close>{thread.title.clone()}</a></li>
                    </Each>
                    <li><a class="chat-page__other" href="/conversations">{messages::SEARCH_AND_MANAGE}</a></li>
                </ul>
            </details>
            <a class="chat-page__new" href="/?c=new" aria-label=messages::NEW_CONVERSATION title=messages::NEW_CONVERSATION>
                <Icon shape=Shape::Plus/>
            </a>
        </header>
    }
    .erase()
}

#[component]
fn Messages(
    items: Signal<Vec<MessageView>>,
    shown: Signal<(String, i64)>,
    past: Kept<bool>,
    on_choice: Callback<Choice>,
) -> impl IntoView {
    let last = kept(move || items.with(|items| items.last().map(|item| item.message.message_id)));
    // A card is rebuilt after its verdict, and receipts after an undo: their states are part of the key.
    let key = |item: &MessageView| {
        let states: Vec<_> = item.receipts.iter().map(|receipt| receipt.state as u8).collect();
        (item.message.message_id, item.card.as_ref().map(|card| card.approval.status.as_str()), states)
    };
    view! {
        <Each each=move || items.get() key=key let:item>
            {
                let mine = item.message.message_id;
                let latest = Signal::derive(move || !past.get() && last.get() == Some(mine));
                // Listed tasks, mentions and remaining times are kept fresh while the message itself stays the same.
                let found = move || items.with(|items| items.iter().find(|item| item.message.message_id == mine).cloned());
                let item = crate::ui::derived::latest(item, found);
                view! { <MessageItem item latest shown on_choice/> }
            }
        </Each>
    }
    .erase()
}

/// The message being sent, with the turn's progress or an error, and the queued one. Rendered before the conversation
/// has loaded, except for `running`.
#[component]
fn Sending(outbox: SendQueue, running: Signal<Option<Running>>) -> impl IntoView {
    let progress = kept(move || outbox.progress(None));
    let (front, queued) = (kept(move || outbox.front()), kept(move || outbox.queued()));
    let first = held(move || match front.get() {
        Some(letter) => match letter.state.clone() {
            State::Failed(error) => {
                let (again, back) = (letter.clone(), letter.clone());
                view! {
                    {bubble(letter, "message-item--sending")}
                    <div class="error" role="alert">
                        <Icon shape=Shape::Alert/>
                        <p>{error.message}</p>
                        <button type="button" class="button" on:click=move |_| outbox.retry(again.clone())>{messages::TRY_AGAIN}</button>
                        <button type="button" class="button button--quiet" on:click=move |_| outbox.take_back(&back)>
                            {messages::TAKE_IT_BACK}
                        </button>
                    </div>
                }
                .erase()
            }
            State::Sending | State::Queued => {
                view! { {bubble(letter, "message-item--sending")} <Working progress/> }.erase()
            }
        },
        None => ().erase(),
    });
    let waiting = held(move || match queued.get() {
        Some(letter) => {
            let back = letter.clone();
            view! {
                {bubble(letter, "message-item--queued")}
                <p class="chat-page__queued">
                    <Icon shape=Shape::Clock/>
                    <span>{messages::QUEUED}</span>
                    <button type="button" class="button button--quiet" on:click=move |_| outbox.take_back(&back)>
                        {messages::TAKE_IT_BACK}
                    </button>
                </p>
            }
            .erase()
        }
        None => ().erase(),
    });
    view! { {first} <Wait><Underway outbox running/></Wait> {waiting} }.erase()
}

/// The progress of a turn that this page did not start: it was opened later, or the message came from elsewhere.
#[component]
fn Underway(outbox: SendQueue, running: Signal<Option<Running>>) -> impl IntoView {
    let progress = kept(move || outbox.progress(running.get()));
    // Not rebuilt with each delta.
    let busy = kept(move || outbox.front().is_none() && progress.with(Option::is_some));
    part(move || busy.get().then(|| view! { <Working progress/> }))
}

/// A message as it will look in the conversation.
fn bubble(letter: PendingMessage, class: &'static str) -> impl IntoView {
    view! {
        <article class=format!("message-item message-item--mine {class}")>
            <p class="message-item__text">{letter.text}</p>
        </article>
    }
    .erase()
}

/// The start of an empty conversation, with suggested messages.
#[component]
fn Welcome(on_choice: Callback<Choice>, open: Fetch<TaskRows>) -> impl IntoView {
    view! {
        <div class="chat-page__welcome">
            <EmptyState shape=Shape::Agent title=messages::SAY_WHAT_TO_DO>
                {messages::HOW_DOCKET_WORKS}
            </EmptyState>
            <Starters open on_choice/>
            <Samples there=Signal::derive(move || open.ok()?.samples.filter(|there| *there == 0))/>
        </div>
    }
    .erase_lasting()
}

/// The error in place of a conversation that could not be read.
#[component]
fn Missing(error: ApiError) -> impl IntoView {
    if !matches!(error.code, Code::NotFound | Code::Malformed) {
        return view! { <p class="error" role="alert">{error.message}</p> }.erase();
    }
    view! {
        <div class="chat-page__welcome">
            <EmptyState shape=Shape::Search title=messages::NO_SUCH_CONVERSATION>
                <a href="/">{messages::BACK_TO_THE_LATEST}</a>
            </EmptyState>
        </div>
    }
    .erase()
}

#[component]
fn ListBeside(open: Fetch<TaskRows>) -> impl IntoView {
    let session = Session::current();
    let rows = move || open.ok().map(|rows| rows.tasks).unwrap_or_default();
    let total = move || open.ok().map_or(0, |rows| rows.total);
    view! {
        <section class="chat-page__list" id=LIST tabindex="-1" aria-label=messages::TASKS aria-busy=held(move || open.busy())>
            <Wait>
                <header class="chat-page__list-head">
                    <h2>{messages::OPEN_TASKS} <span class="chat-page__count">{held(move || total().to_string())}</span></h2>
                    <a class="chat-page__all" href="/tasks">{messages::ALL_VIEWS}</a>
                    <a class="chat-page__close button button--quiet" href="#peek" data-keys="Escape"><Icon shape=Shape::Cross/> {messages::CLOSE}</a>
                </header>
                <QuickAdd flash=Signal::derive(move || session.flash())/>
                <Failure error=move || open.error()/>
                {part(move || (open.ok().is_some() && rows().is_empty()).then(|| view! {
                    <EmptyState shape=Shape::List title=messages::NOTHING_TO_DO>{messages::ADD_OR_ASK}</EmptyState>
                }))}
                <TaskList rows=Signal::derive(rows) headed=true/>
                <Samples there=Signal::derive(move || open.ok()?.samples.filter(|there| *there > 0))/>
            </Wait>
        </section>
    }
    .erase()
}
