//! Live updates: one event stream, and counters that make pages fetch again.

use std::time::Duration;

use leptos::prelude::*;

use super::reminders::Reminders;
use super::remote_changes::RemoteChanges;
use super::session::Session;
use super::toaster::{Toast, Toaster};
use super::turns::Turns;
use crate::domain::live::EventKind;

/// Delay before unanswered requests are repeated.
const RETRY: Duration = Duration::from_secs(3);

/// Counters that grow with each change, from context.
#[derive(Clone, Copy)]
pub struct Live {
    pub tasks: RwSignal<u32>,
    pub chat: RwSignal<u32>,
    pub approvals: RwSignal<u32>,
    pub turns: RwSignal<Turns>,
    /// False while the stream is down.
    pub connected: RwSignal<bool>,
    /// True while requests go unanswered.
    pub unanswered: RwSignal<bool>,
    /// True if the conversation shows or mentions tasks, which are fetched with it.
    pub listing: StoredValue<bool>,
    pub elsewhere: RemoteChanges,
    retrying: StoredValue<bool>,
    reminders: Reminders,
    toaster: Toaster,
}

impl Live {
    /// Puts the counters into context. In the browser, opens the stream where the page's own data ends.
    pub fn provide(session: Session, reminders: Reminders) -> Self {
        let live = Self {
            tasks: RwSignal::new(0),
            chat: RwSignal::new(0),
            approvals: RwSignal::new(0),
            turns: RwSignal::new(Turns::default()),
            connected: RwSignal::new(true),
            unanswered: RwSignal::new(false),
            listing: StoredValue::new(false),
            elsewhere: RemoteChanges::empty(),
            retrying: StoredValue::new(false),
            reminders,
            toaster: Toaster::current(),
        };
        provide_context(live);
        #[cfg(feature = "hydrate")]
        Effect::new(move |open: Option<bool>| match (open, session.me()) {
            (Some(true), _) => true,
            (_, Some(me)) => {
                super::browser::stream::open(live, me.head, &me.user.user_id.to_string());
                true
            }
            (_, None) => false,
        });
        #[cfg(not(feature = "hydrate"))]
        let _ = session;
        live
    }

    pub fn current() -> Self {
        expect_context()
    }

    pub fn lost(self) -> bool {
        self.unanswered.get() || !self.connected.get()
    }

    /// Makes all pages fetch again.
    pub fn refresh(self) {
        self.tasks.update(|n| *n += 1);
        self.chat.update(|n| *n += 1);
        self.approvals.update(|n| *n += 1);
    }

    /// Records whether a request was answered. If not, everything is fetched again after `RETRY`.
    pub fn answered(self, answered: bool) {
        if self.unanswered.get_untracked() == answered {
            self.unanswered.set(!answered);
        }
        if !answered && !self.retrying.get_value() {
            self.retrying.set_value(true);
            let again = move || {
                self.retrying.set_value(false);
                self.refresh();
            };
            set_timeout(again, RETRY);
        }
    }

    /// Handles one event of the stream, with its sequence.
    pub fn hear(self, seq: i64, kind: EventKind, data: &serde_json::Value) {
        let text = |field: &str| data.get(field).and_then(|value| value.as_str());
        match kind {
            EventKind::ToolStarted | EventKind::TextDelta | EventKind::TextReset => self.hear_of_turn(seq, kind, data),
            EventKind::TurnStarted | EventKind::TurnFinished => {
                self.hear_of_turn(seq, kind, data);
                self.chat.update(|n| *n += 1);
            }
            EventKind::ToolFinished => {}
            EventKind::ApprovalRequested | EventKind::ApprovalDecided | EventKind::ApprovalExtended => {
                self.approvals.update(|n| *n += 1);
                self.chat.update(|n| *n += 1);
                // Rows show pending approvals.
                self.tasks.update(|n| *n += 1);
            }
            EventKind::TaskChanged => {
                self.elsewhere.hear(data);
                self.reminders.settle(&data["task"]);
                self.tasks.update(|n| *n += 1);
                // A receipt or a list in the conversation shows it.
                if text("undoes").is_some() || self.listing.get_value() {
                    self.chat.update(|n| *n += 1);
                }
            }
            EventKind::ReminderDue => self.reminders.hear(data),
            EventKind::AccountNotice => {
                self.toaster.0.set(text("text").map(|text| Toast::failure(text.to_owned(), None)));
            }
            EventKind::StreamReset => {
                self.hear_of_turn(seq, kind, data);
                self.refresh();
            }
        }
    }

    fn hear_of_turn(self, seq: i64, kind: EventKind, data: &serde_json::Value) {
        self.turns.update(|turns| turns.hear(seq, kind, data));
    }
}
