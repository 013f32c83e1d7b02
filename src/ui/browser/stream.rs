//! The event stream: one connection for all tabs of the browser, since HTTP/1.1 allows six connections to a host.
//!
//! The tab that holds the lock reads the stream and forwards the events. When it closes, the next tab resumes after the
//! last event that it received. Without locks (plain HTTP to another machine) every tab opens a stream. Lock and
//! channel are named after the account, so that tabs of two accounts exchange no events.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::closure::Closure;
use leptos::wasm_bindgen::{JsCast, JsValue};
use serde_json::Value;
use web_sys::{BroadcastChannel, EventSource, MessageEvent};

use super::super::http;
use super::super::live::Live;
use crate::domain::live::EventKind;

/// Prefix of the names of lock and channel.
const NAME: &str = "docket-live ";
/// State of the stream, as the leading tab reports it.
const UP: &str = "up";
const DOWN: &str = "down";
/// Request of a new tab for the state of the stream.
const WELL: &str = "well?";
/// Grace period after an error in seconds, before the stream is reported as down or reopened. Doubles with each refusal in a row.
const PATIENCE_S: u64 = 3;
/// Number of refusals in a row up to which the period doubles (to 48 seconds).
const MOST_DOUBLINGS: u32 = 4;

#[derive(Clone)]
struct Tab {
    live: Live,
    /// Sequence of the last event received.
    heard: Rc<Cell<i64>>,
    others: Option<BroadcastChannel>,
    /// The open stream, in the leading tab.
    source: Rc<RefCell<Option<EventSource>>>,
    /// Id of the page's account.
    user: Rc<str>,
    /// True once the stream has been open.
    was_open: Rc<Cell<bool>>,
    /// Number of refusals since the stream was last open.
    refusals: Rc<Cell<u32>>,
}

/// Receives all events after `head` for the account with the id `user`.
pub fn open(live: Live, head: i64, user: &str) {
    let name = NAME.to_owned() + user;
    let others = BroadcastChannel::new(&name).ok();
    let tab = Tab {
        live,
        heard: Rc::new(Cell::new(head)),
        others,
        source: Rc::default(),
        user: user.into(),
        was_open: Rc::default(),
        refusals: Rc::default(),
    };
    if let Some(others) = &tab.others {
        let listener = tab.clone();
        let told = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let text = event.data().as_string().unwrap_or_default();
            match text.as_str() {
                UP | DOWN => return listener.live.connected.set(text == UP),
                WELL => return listener.tell_state(),
                _ => {}
            }
            // `SEQUENCE KIND DATA`
            let mut parts = text.splitn(3, ' ');
            let (seq, kind) = (parts.next().and_then(|seq| seq.parse().ok()), parts.next().and_then(EventKind::parse));
            if let (Some(seq), Some(kind), Some(data)) = (seq, kind, parts.next()) {
                listener.hear(seq, kind, data);
            }
        });
        others.set_onmessage(Some(told.as_ref().unchecked_ref()));
        // The closure lives as long as the page.
        told.forget();
    }
    tab.tell(WELL);
    if lead(tab.clone(), &name).is_none() {
        tab.listen();
    }
    // Events between rendering and now may have been forwarded before this tab subscribed.
    spawn_local(async move {
        let me = http::get("/api/v1/session/me", "").await.ok();
        let me = me.and_then(|me| serde_json::from_str::<Value>(&me).ok()).unwrap_or_default();
        if me["head"].as_i64().is_some_and(|now| now > head) {
            live.refresh();
        }
    });
}

/// Opens the stream once this tab gets the lock, which it keeps until it closes; `None` without locks.
fn lead(tab: Tab, name: &str) -> Option<()> {
    let locks = Reflect::get(&window().navigator(), &"locks".into()).ok().filter(JsValue::is_object)?;
    let request = Reflect::get(&locks, &"request".into()).ok()?.dyn_into::<Function>().ok()?;
    let hold = Closure::<dyn Fn() -> Promise>::new(move || {
        tab.listen();
        Promise::new(&mut |_, _| {})
    });
    request.call2(&locks, &name.into(), hold.as_ref()).ok()?;
    hold.forget();
    Some(())
}

impl Tab {
    fn listen(&self) {
        let Ok(source) = EventSource::new(&format!("/api/v1/events?after={}&account={}", self.heard.get(), self.user))
        else {
            return;
        };
        for kind in EventKind::ALL {
            let tab = self.clone();
            let hear = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| tab.pass_on(kind, &event));
            source.add_event_listener_with_callback(kind.as_str(), hear.as_ref().unchecked_ref()).ok();
            hear.forget();
        }
        let tab = self.clone();
        let opened = Closure::<dyn Fn()>::new(move || {
            tab.stands(true);
            tab.refusals.set(0);
            if tab.was_open.replace(true) {
                tab.be_the_same();
            }
        });
        source.set_onopen(Some(opened.as_ref().unchecked_ref()));
        opened.forget();
        let tab = self.clone();
        let broke = Closure::<dyn Fn()>::new(move || {
            let tab = tab.clone();
            let wait = PATIENCE_S << tab.refusals.get().min(MOST_DOUBLINGS);
            set_timeout(move || tab.mend(), Duration::from_secs(wait));
        });
        source.set_onerror(Some(broke.as_ref().unchecked_ref()));
        broke.forget();
        *self.source.borrow_mut() = Some(source);
    }

    /// Reports the stream as down if it still is. The browser reconnects by itself, except after a refusal.
    fn mend(&self) {
        let state = self.source.borrow().as_ref().map(EventSource::ready_state);
        if state != Some(EventSource::OPEN) {
            self.stands(false);
        }
        if state == Some(EventSource::CLOSED) {
            self.refusals.set(self.refusals.get() + 1);
            self.listen();
        }
    }

    /// Records whether the stream is open, and informs the other tabs.
    fn stands(&self, stands: bool) {
        self.live.connected.set(stands);
        self.tell(if stands { UP } else { DOWN });
    }

    /// Reloads the page if another account has signed in before the stream came back.
    fn be_the_same(&self) {
        // The request names the page's account; a mismatch reloads the page.
        spawn_local(async { drop(http::get("/api/v1/session/me", "").await) });
    }

    /// Answers a new tab, if this tab leads and the stream is down: new tabs assume that it is up.
    fn tell_state(&self) {
        if self.source.borrow().is_some() && !self.live.connected.get_untracked() {
            self.tell(DOWN);
        }
    }

    fn tell(&self, text: &str) {
        if let Some(others) = &self.others {
            others.post_message(&text.into()).ok();
        }
    }

    /// Handles an event from the server and forwards it to the other tabs.
    fn pass_on(&self, kind: EventKind, event: &MessageEvent) {
        let data = event.data().as_string().unwrap_or_default();
        let seq = event.last_event_id().parse().unwrap_or_default();
        self.tell(&format!("{seq} {} {data}", kind.as_str()));
        // Only the leading tab shows notifications.
        if kind == EventKind::ReminderDue && seq > self.heard.get() {
            let due: Value = serde_json::from_str(&data).unwrap_or_default();
            super::notify(&crate::messages::layout::due_now(due["title"].as_str().unwrap_or_default()));
        }
        self.hear(seq, kind, &data);
    }

    /// Handles an event once, from the server or from another tab.
    fn hear(&self, seq: i64, kind: EventKind, data: &str) {
        if kind == EventKind::StreamReset || seq > self.heard.get() {
            self.heard.set(seq);
            self.live.hear(seq, kind, &serde_json::from_str(data).unwrap_or_default());
        }
    }
}
