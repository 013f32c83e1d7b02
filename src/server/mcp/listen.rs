//! Telling an agent's client which resources have changed: on a stream that it keeps open (MCP 2026-07-28, subscriptions/listen), and
//! over standard output what it has subscribed to one by one (2025-11-25 and before). What is told comes from the stored events.
//!
//! Lists of tools, prompts and resources are the same for as long as a process runs, so that nothing is ever told of them.

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

/// Events read at once.
const BATCH: i64 = 200;
/// How long one waits for a signal until one looks: those between processes are hints, and SQLite has none.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Most resources that one agent listens for at a time.
pub const MOST: usize = 200;

/// The number of the newest event when a stream was asked for: read before that is acknowledged, so that nothing falls between.
#[derive(Debug, Clone, Copy)]
pub struct Since(pub i64);

/// What has happened to a person's tasks from some moment on.
pub struct Changes {
    state: AppState,
    caller: Caller,
    listener: Listener,
    seq: i64,
    today: Option<Due>,
}

impl Changes {
    /// From the event after `since` on, or from now.
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

    /// Waits for the next ones: the task of each, or none where a new day has begun. May be given up at any time.
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

/// The task that an event is about: it has changed, or is overdue from now on.
fn touched(event: &Event) -> Option<TaskNumber> {
    let number = match event.kind {
        EventKind::TaskChanged => &event.data["task"]["task_id"],
        EventKind::ReminderDue => &event.data["task_id"],
        _ => return None,
    };
    serde_json::from_value(number.clone()).ok()
}

/// What of a filter can be told: the resources that there are, at most [`MOST`].
pub fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let wanted = requested.resource_subscriptions.iter().flatten();
    let offered: Vec<_> = wanted.filter(|uri| offers::call_for(uri).is_ok()).take(MOST).cloned().collect();
    if offered.is_empty() {
        return SubscriptionFilter::new();
    }
    SubscriptionFilter::builder().resource_subscriptions(offered).build()
}

/// Tells the client that a resource has changed. Returns false once it has gone away or may no longer read.
pub type Tell = Box<dyn Fn(String) -> BoxFuture<'static, bool> + Send + Sync>;

/// What one process's only client has subscribed to.
#[derive(Clone, Default)]
pub struct Subscribed(Arc<Mutex<BTreeMap<String, CancellationToken>>>);

impl Subscribed {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the client of each change of the resource from now on; `false` where it listens for too many. Twice is once.
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

    /// No more of that resource.
    pub fn end(&self, uri: &str) {
        if let Some(subscription) = self.all().remove(uri) {
            subscription.cancel();
        }
    }
}

/// Tells of each change of the resource until nobody may hear of it.
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
