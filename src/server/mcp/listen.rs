//! Notifies agent clients of changed resources: on a stream that the client keeps open (MCP 2026-07-28, subscriptions/listen), or
//! over standard output for single subscriptions (2025-11-25 and before). Notifications come from the stored events.
//!
//! The lists of tools, prompts and resources never change within a process, so there are no notifications for them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use rmcp::model::SubscriptionFilter;
use tokio_util::sync::CancellationToken;

use super::offers;
use crate::domain::id::TaskNumber;
use crate::domain::live::{Event, EventKind};
use crate::domain::task::Due;
use crate::domain::user::Caller;
use crate::domain::when;
use crate::live::Listener;
use crate::state::AppState;
use crate::usecases::{Error, events};

/// Number of events per read.
const BATCH: i64 = 200;
/// Poll interval: signals between processes may get lost, and SQLite has none.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Maximum number of resources that one agent client may subscribe to.
pub const MOST: usize = 200;

/// Sequence of the newest event when a stream was requested. Read before the acknowledgement, so that no event is missed.
#[derive(Debug, Clone, Copy)]
pub struct Since(pub i64);

/// Changes of a user's tasks from a given event on.
pub struct Changes {
    state: AppState,
    caller: Caller,
    listener: Listener,
    seq: i64,
    today: Option<Due>,
}

impl Changes {
    /// Starts after the event `since`, or now without one.
    pub async fn after(state: &AppState, caller: &Caller, since: Option<Since>) -> Result<Self, Error> {
        let listener = state.ctx.live.listen(caller.id());
        let seq = match since {
            Some(Since(seq)) => seq,
            None => events::head(&state.ctx, caller).await?,
        };
        let mut changes = Self { state: state.clone(), caller: caller.clone(), listener, seq, today: None };
        changes.today = changes.day();
        Ok(changes)
    }

    /// Waits for the next changes: the task of each, or `None` for a new day. Cancel safe.
    pub async fn next(&mut self) -> Result<Vec<Option<TaskNumber>>, Error> {
        loop {
            let batch = events::after(&self.state.ctx, &self.caller, self.seq, BATCH).await?;
            if let Some(last) = batch.last() {
                self.seq = last.seq;
                let touched: Vec<_> = batch.iter().filter_map(touched).map(Some).collect();
                if !touched.is_empty() {
                    return Ok(touched);
                }
                continue;
            }
            let today = self.day();
            if today != self.today {
                self.today = today;
                return Ok(vec![None]);
            }
            tokio::time::timeout(LOOK_AGAIN, self.listener.woken()).await.ok();
        }
    }

    fn day(&self) -> Option<Due> {
        when::resolve("today", &self.state.ctx.now(), &self.caller.user.zone).ok()
    }
}

/// Returns the task of an event, if it has changed or has become overdue.
fn touched(event: &Event) -> Option<TaskNumber> {
    let number = match event.kind {
        EventKind::TaskChanged => &event.data["task"]["task_id"],
        EventKind::ReminderDue => &event.data["task_id"],
        _ => return None,
    };
    serde_json::from_value(number.clone()).ok()
}

/// Returns the supported part of a filter: existing resources, at most [`MOST`].
pub fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let wanted = requested.resource_subscriptions.iter().flatten();
    let offered: Vec<_> = wanted.filter(|uri| offers::call_for(uri).is_ok()).take(MOST).cloned().collect();
    if offered.is_empty() {
        return SubscriptionFilter::new();
    }
    SubscriptionFilter::builder().resource_subscriptions(offered).build()
}

/// Notifies the client of a changed resource. Returns false once the client has gone or may no longer read.
pub type Tell = Box<dyn Fn(String) -> BoxFuture<'static, bool> + Send + Sync>;

/// Subscriptions of a process's only client.
#[derive(Clone, Default)]
pub struct Subscribed(Arc<Mutex<BTreeMap<String, CancellationToken>>>);

impl Subscribed {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subscribes the client to a resource. Returns false if it has too many subscriptions; a repeated one has no effect.
    pub fn begin(&self, uri: String, changes: Changes, tell: Tell) -> bool {
        let mut all = self.all();
        if all.contains_key(&uri) {
            return true;
        }
        if all.len() >= MOST {
            return false;
        }
        let ended = CancellationToken::new();
        all.insert(uri.clone(), ended.clone());
        tokio::spawn(async move { ended.run_until_cancelled(follow(uri, changes, tell)).await });
        true
    }

    pub fn end(&self, uri: &str) {
        if let Some(subscription) = self.all().remove(uri) {
            subscription.cancel();
        }
    }
}

/// Notifies of each change of the resource until `tell` returns false.
async fn follow(uri: String, mut changes: Changes, tell: Tell) {
    loop {
        let touched = match changes.next().await {
            Ok(touched) => touched,
            Err(error) => {
                tracing::error!(error = ?error, "the events could not be read");
                tokio::time::sleep(LOOK_AGAIN).await;
                continue;
            }
        };
        if touched.iter().any(|task| offers::shows(&uri, *task)) && !tell(uri.clone()).await {
            return;
        }
    }
}
