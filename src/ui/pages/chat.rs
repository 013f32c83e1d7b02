//! The conversation beside the list.

use leptos::html::{Details, Textarea};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos::task::spawn_local;
use serde_json::Value;

use crate::api::chat::{Chat, ConversationsMessages, MessageView, ReceiptState, Thread};
use crate::api::error::Code;
use crate::api::tasks::{List, Search, View};
use crate::api::{ApiError, approvals};
use crate::ui::address::{here, title};
use crate::ui::call;
use crate::ui::components::{
    ApprovalPrompt, Composer, Each, EmptyState, Failure, Icon, MessageItem, QuickAdd, Shape, TaskList, Wait, Working,
};
use crate::ui::erase::{Erase, held, part};
use crate::ui::fetch::Fetch;
use crate::ui::kept::kept;
use crate::ui::live::Live;
use crate::ui::pages::frame::Threads;
use crate::ui::session::Session;

/// Says what the conversation asks for, in the order in which it is needed.
#[component]
pub fn ChatPage() -> impl IntoView {
    title("Chat");
    view! {
        <h1 class="visually-hidden">"Chat"</h1>
        <div class="chat-page">
            <Conversation/>
            <ListBeside/>
        </div>
    }
    .erase()
}

#[component]
fn Conversation() -> impl IntoView {
    let (session, live) = (Session::current(), Live::current());
    let address = here();
    let chosen = kept(move || address.with(|here| here.field("c")));
    // The conversation that a message from this page has opened.
    let opened = RwSignal::new(None::<String>);
    let thread = Fetch::new(
        move || ConversationsMessages { conversation_id: opened.get().or_else(|| chosen.get()), before: None },
        Some(live.chat),
    );
    let current = move || thread.ok().unwrap_or_else(Thread::empty);
    let id = move || current().conversation.map(|it| it.conversation_id.to_string()).unwrap_or_default();
    // Another conversation was chosen: what this page opened before is not meant any more.
    Effect::new(move |before: Option<Option<String>>| {
        let chosen = chosen.get();
        if before.is_some_and(|before| before != chosen) {
            opened.set(None);
        }
        chosen
    });
    Effect::new(move || {
        live.listing.set_value(thread.ok().is_some_and(|it| it.items.iter().any(|it| !it.listed.is_empty())))
    });
    on_cleanup(move || {
        live.listing.try_set_value(false);
    });
    let input = NodeRef::<Textarea>::new();
    let prompt = expect_context::<ApprovalPrompt>().0;
    let ask = move |turn: &Value| {
        let approval = turn["approval"]["approval_id"].as_str().filter(|_| turn["approval"]["status"] == "pending");
        let typing = input.get_untracked().is_some_and(|input| !input.value().trim().is_empty());
        if let (Some(approval), false) = (approval, typing) {
            let query = call::form(&[("approval_id", approval)]);
            spawn_local(async move {
                let answer = call::get(approvals::Get::PATH, &query).await.ok();
                prompt.set(answer.and_then(|answer| call::read(&answer).ok()));
            });
        }
    };
    // What a screen reader is told: the reply, once a turn.
    let announced = RwSignal::new(String::new());
    let (sending, failed) = (RwSignal::new(false), RwSignal::new(None::<ApiError>));
    // What a click needs to know, kept aside: resources are read where views are made, not in handlers.
    let known = StoredValue::new((String::new(), String::new()));
    let threads = expect_context::<Threads>();
    Effect::new(move || {
        let id = id();
        threads.open.set(thread.get().is_some().then(|| id.clone()));
        known.set_value((id, session.visit().form_key));
    });
    let keys = StoredValue::new(0_u32);
    let sent = RwSignal::new(String::new());
    let send = move |message: String| {
        keys.update_value(|n| *n += 1);
        let (id, key) = known.get_value();
        let key = format!("{key}.{}", keys.get_value());
        let form = call::form(&[("message", &message), ("conversation_id", &id), ("client_key", &key)]);
        sent.set(message);
        failed.set(None);
        sending.set(true);
        spawn_local(async move {
            match call::post(Chat::PATH, form).await {
                Ok(turn) => {
                    opened.try_set(turn["conversation_id"].as_str().map(str::to_owned));
                    announced.try_set(turn["reply"].as_str().unwrap_or_default().to_owned());
                    ask(&turn);
                }
                Err(error) => drop(failed.try_set(Some(error))),
            }
            sending.try_set(false);
            live.refresh();
        });
    };
    view! {
        <section class="chat-page__talk" aria-label="Conversation">
            <Wait><ThreadBar id=Signal::derive(id)/></Wait>
            <div class="chat-page__scroll">
                <div class="chat-page__log" role="log" aria-live="off" aria-label="Messages" tabindex="0">
                    <Wait>
                        {held(move || match thread.error() {
                            Some(error) => view! { <Missing error/> }.erase(),
                            None if current().items.is_empty() && !sending.get() => view! { <Welcome on_choice=send/> }.erase_lasting(),
                            None => ().erase(),
                        })}
                        <Messages items=Signal::derive(move || current().items) id=Signal::derive(id) on_choice=send/>
                    </Wait>
                    <Sending sending sent failed retry=send/>
                </div>
            </div>
            <p class="visually-hidden" aria-live="polite">{held(move || announced.get())}</p>
            <Wait>
                {held(move || {
                    let visit = session.visit();
                    view! {
                        <Composer input conversation=Signal::derive(id) form_key=visit.form_key
                            flash=visit.flash.unwrap_or_default() on_send=send/>
                    }
                    .erase_lasting()
                })}
            </Wait>
        </section>
    }
    .erase()
}

/// The conversations where there is no rail to show them: on a phone.
#[component]
fn ThreadBar(id: Signal<String>) -> impl IntoView {
    let threads = expect_context::<Threads>().all;
    let details = NodeRef::<Details>::new();
    let close = move |_| {
        if let Some(details) = details.get_untracked() {
            details.set_open(false);
        }
    };
    let title = move || {
        let id = id.get();
        threads.with(|all| all.iter().find(|it| it.conversation_id.to_string() == id).map(|it| it.title.clone()))
    };
    view! {
        <header class="chat-page__bar">
            <details class="chat-page__threads" node_ref=details>
                <summary class="chat-page__thread">
                    <span>{held(move || title().unwrap_or_else(|| "New conversation".to_owned()))}</span> <Icon shape=Shape::Chevron/>
                </summary>
                <ul>
                    <Each each=move || threads.get() key=|thread| thread.conversation_id let:thread>
                        <li><a class="chat-page__other" href=format!("/?c={}", thread.conversation_id) on:click=close>{thread.title.clone()}</a></li>
                    </Each>
                    <li><a class="chat-page__other" href="/conversations">"Search and manage"</a></li>
                </ul>
            </details>
            <a class="chat-page__new" href="/?c=new" aria-label="New conversation" title="New conversation"><Icon shape=Shape::Plus/></a>
        </header>
    }
    .erase()
}

#[component]
fn Messages(
    items: Signal<Vec<MessageView>>,
    id: Signal<String>,
    #[prop(into)] on_choice: Callback<String>,
) -> impl IntoView {
    let last = kept(move || items.with(|items| items.last().map(|item| item.message.message_id)));
    // A card changes with its request, and receipts when they are undone: their states are part of the key.
    let key = |item: &MessageView| {
        let undone = item.receipts.iter().filter(|receipt| receipt.state == ReceiptState::Undone).count();
        (item.message.message_id, item.card.as_ref().map(|card| card.approval.status.as_str()), undone)
    };
    view! {
        <Each each=move || items.get() key=key let:item>
            {
                let mine = item.message.message_id;
                let latest = Signal::derive(move || last.get() == Some(mine));
                // The tasks of an answer stay true while the message stays as it is.
                let listed = move || items.with(|items| items.iter().find(|item| item.message.message_id == mine).map(|item| item.listed.clone()));
                let listed = crate::ui::kept::latest(item.listed.clone(), listed);
                view! { <MessageItem item listed latest conversation=id.get_untracked() on_choice/> }
            }
        </Each>
    }
    .erase()
}

/// The message that is on its way, then what the agent is doing, or why it did not arrive.
#[component]
fn Sending(
    #[prop(into)] sending: Signal<bool>,
    #[prop(into)] sent: Signal<String>,
    #[prop(into)] failed: Signal<Option<ApiError>>,
    #[prop(into)] retry: Callback<String>,
) -> impl IntoView {
    let live = Live::current();
    // Not made anew with each word that the agent says.
    let busy = kept(move || live.progress.with(Option::is_some));
    held(move || {
        if sending.get() {
            view! {
                <article class="message-item message-item--mine message-item--sending">
                    <p class="message-item__text">{held(move || sent.get())}</p>
                </article>
                <Working/>
            }
            .erase()
        } else if let Some(error) = failed.get() {
            let again = move |_| retry.run(sent.get_untracked());
            view! {
                <article class="message-item message-item--mine message-item--sending">
                    <p class="message-item__text">{held(move || sent.get())}</p>
                </article>
                <div class="error" role="alert">
                    <Icon shape=Shape::Alert/>
                    <p>{error.message}</p>
                    <button type="button" class="button" on:click=again>"Try again"</button>
                </div>
            }
            .erase()
        } else if busy.get() {
            view! { <Working/> }.erase()
        } else {
            ().erase()
        }
    })
}

/// Before the first message: what can be said here.
#[component]
fn Welcome(#[prop(into)] on_choice: Callback<String>) -> impl IntoView {
    use crate::ui::components::ReturnTo;
    let examples = ["add buy milk tomorrow p1", "what is due this week?", "complete buy milk"];
    let buttons = examples.map(|text| {
        view! {
            <form method="post" action=Chat::url() on:submit=move |event| {
                event.prevent_default();
                on_choice.run(text.to_owned());
            }>
                <input type="hidden" name="message" value=text/>
                <ReturnTo/>
                <button class="button">{text}</button>
            </form>
        }
    });
    view! {
        <div class="chat-page__welcome">
            <EmptyState shape=Shape::Agent title="Say what to do">
                "Docket works on your list while you talk. It asks before it deletes or renames anything, and every change can be undone."
            </EmptyState>
            <div class="chat-page__examples">{buttons}</div>
        </div>
    }
    .erase_lasting()
}

/// In the place of a conversation that could not be read.
#[component]
fn Missing(error: ApiError) -> impl IntoView {
    if !matches!(error.code, Code::NotFound | Code::Malformed) {
        return view! { <p class="error" role="alert">{error.message}</p> }.erase();
    }
    view! {
        <div class="chat-page__welcome">
            <EmptyState shape=Shape::Search title="This conversation is not here any more">
                <a href="/">"Back to the latest one"</a>
            </EmptyState>
        </div>
    }
    .erase()
}

/// The live list beside the conversation.
#[component]
fn ListBeside() -> impl IntoView {
    let (session, live) = (Session::current(), Live::current());
    let open = Fetch::new(|| List { search: Search::of(View::All) }, Some(live.tasks));
    let rows = move || open.ok().map(|rows| rows.tasks).unwrap_or_default();
    let total = move || open.ok().map_or(0, |rows| rows.total);
    view! {
        <section class="chat-page__list" aria-label="Tasks">
            <Wait>
                <header class="chat-page__list-head">
                    <h2>"Open tasks " <span class="chat-page__count">{held(move || total().to_string())}</span></h2>
                    <a class="chat-page__all" href="/tasks">"All views"</a>
                </header>
                <QuickAdd flash=Signal::derive(move || session.flash())/>
                <Failure error=move || open.error()/>
                {part(move || (open.ok().is_some() && rows().is_empty()).then(|| view! {
                    <EmptyState shape=Shape::List title="Nothing to do">"Add a task above, or ask for one in the chat."</EmptyState>
                }))}
                <TaskList rows=Signal::derive(rows) headed=true/>
            </Wait>
        </section>
    }
    .erase()
}
