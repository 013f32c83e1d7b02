//! The event stream: one for all tabs of the browser, since HTTP/1.1 allows six connections to a host.
//!
//! The tab that holds the lock listens to the server and tells the others. When it closes, the next one goes on from the
//! last event that it heard. Where there are no locks (plain http to another machine) every tab listens for itself. The lock and
//! the channel are an account's own: tabs of whoever was signed in before hear and tell nothing of whoever is now.

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

use super::super::call;
use super::super::live::Live;
use crate::domain::live::EventKind;

/// How the name of the lock and of the channel begins.
const NAME: &str = "docket-live ";
/// What the tab that listens tells of the stream.
const UP: &str = "up";
const DOWN: &str = "down";
/// What a tab asks it that has just been opened.
const WELL: &str = "well?";
/// How long a broken stream may take to come back before it is said, and before it is opened anew.
const PATIENCE: Duration = Duration::from_secs(3);

/// What a tab knows of the stream.
#[derive(Clone)]
struct Tab {
    live: Live,
    /// The number of the last event heard.
    heard: Rc<Cell<i64>>,
    others: Option<BroadcastChannel>,
    /// The open stream, in the tab that listens.
    source: Rc<RefCell<Option<EventSource>>>,
    /// The id of the account that the page is of.
    user: Rc<str>,
    /// Whether the stream has been open before.
    was_open: Rc<Cell<bool>>,
}

/// Listens to everything after `head` of the account with the id `user`.
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
        // It lives as long as the page.
        told.forget();
    }
    tab.tell(WELL);
    if lead(tab.clone(), &name).is_none() {
        tab.listen();
    }
    // What happened between the server's rendering and now may have been told already.
    spawn_local(async move {
        let me = call::get("/api/v1/session/me", "").await.ok();
        let me = me.and_then(|me| serde_json::from_str::<Value>(&me).ok()).unwrap_or_default();
        if me["head"].as_i64().is_some_and(|now| now > head) {
            live.refresh();
        }
    });
}

/// Listens once this tab gets the lock, and keeps it until the tab closes; `None` where there are no locks.
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
    /// Opens the stream behind the last event heard.
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
            if tab.was_open.replace(true) {
                tab.be_the_same();
            }
        });
        source.set_onopen(Some(opened.as_ref().unchecked_ref()));
        opened.forget();
        let tab = self.clone();
        let broke = Closure::<dyn Fn()>::new(move || {
            let tab = tab.clone();
            set_timeout(move || tab.mend(), PATIENCE);
        });
        source.set_onerror(Some(broke.as_ref().unchecked_ref()));
        broke.forget();
        *self.source.borrow_mut() = Some(source);
    }

    /// Says that the stream is down if it still is. The browser reconnects by itself, except after a refusal.
    fn mend(&self) {
        let state = self.source.borrow().as_ref().map(EventSource::ready_state);
        if state != Some(EventSource::OPEN) {
            self.stands(false);
        }
        if state == Some(EventSource::CLOSED) {
            self.listen();
        }
    }

    /// Takes in whether the stream stands, and tells the other tabs.
    fn stands(&self, stands: bool) {
        self.live.connected.set(stands);
        self.tell(if stands { UP } else { DOWN });
    }

    /// Loads the page afresh where the stream that came back is somebody else's, who has signed in here meanwhile.
    fn be_the_same(&self) {
        // A request that says whose page this is does it.
        spawn_local(async { drop(call::get("/api/v1/session/me", "").await) });
    }

    /// Answers a tab that has just been opened, where this one listens. It takes the stream to stand by itself.
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

    /// Takes in an event from the server and tells the other tabs.
    fn pass_on(&self, kind: EventKind, event: &MessageEvent) {
        let data = event.data().as_string().unwrap_or_default();
        let seq = event.last_event_id().parse().unwrap_or_default();
        self.tell(&format!("{seq} {} {data}", kind.as_str()));
        // By the tab that listens, for all.
        if kind == EventKind::ReminderDue && seq > self.heard.get() {
            let due: Value = serde_json::from_str(&data).unwrap_or_default();
            super::notify(&crate::words::frame::due_now(due["title"].as_str().unwrap_or_default()));
        }
        self.hear(seq, kind, &data);
    }

    /// Takes in an event once, whoever told it.
    fn hear(&self, seq: i64, kind: EventKind, data: &str) {
        if kind == EventKind::StreamReset || seq > self.heard.get() {
            self.heard.set(seq);
            self.live.hear(seq, kind, &serde_json::from_str(data).unwrap_or_default());
        }
    }
}
