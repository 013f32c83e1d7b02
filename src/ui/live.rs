//! Hearing what happens elsewhere: one event stream, and counters that make pages read their data again.

use std::time::Duration;

use leptos::prelude::*;

use super::elsewhere::Elsewhere;
use super::session::Session;
use super::toaster::{Toast, Toaster};
use crate::domain::live::EventKind;
use crate::words::frame as words;

/// How long it takes until what went unanswered is asked again.
const RETRY: Duration = Duration::from_secs(3);

/// How far a running turn is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    pub turn_id: String,
    /// The conversation that it belongs to; empty where that was not heard.
    pub conversation_id: String,
    /// What it is doing, in words.
    pub step: String,
    /// What it has said so far of a reply that is still being written.
    pub said: String,
}

/// Counters that grow when something changed, from context.
#[derive(Clone, Copy)]
pub struct Live {
    pub tasks: RwSignal<u32>,
    pub chat: RwSignal<u32>,
    pub approvals: RwSignal<u32>,
    /// The turn that runs now, if one does.
    pub progress: RwSignal<Option<Progress>>,
    /// False while the stream is down.
    pub connected: RwSignal<bool>,
    /// True while questions go unanswered.
    pub unanswered: RwSignal<bool>,
    /// Whether the conversation shows tasks or speaks of some, which are read with it.
    pub listing: StoredValue<bool>,
    /// Changes that were made elsewhere.
    pub elsewhere: Elsewhere,
    retrying: StoredValue<bool>,
    toaster: Toaster,
}

impl Live {
    /// Puts the counters into context and, in the browser, opens the stream where the page's own data ends.
    pub fn provide(session: Session, toaster: Toaster) -> Self {
        let live = Self {
            tasks: RwSignal::new(0),
            chat: RwSignal::new(0),
            approvals: RwSignal::new(0),
            progress: RwSignal::new(None),
            connected: RwSignal::new(true),
            unanswered: RwSignal::new(false),
            listing: StoredValue::new(false),
            elsewhere: Elsewhere::empty(),
            retrying: StoredValue::new(false),
            toaster,
        };
        provide_context(live);
        #[cfg(feature = "hydrate")]
        Effect::new(move |open: Option<bool>| match (open, session.me()) {
            (Some(true), _) => true,
            (_, Some(me)) => {
                super::browser::stream::open(live, me.head);
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

    /// Whether the connection is lost.
    pub fn lost(self) -> bool {
        self.unanswered.get() || !self.connected.get()
    }

    /// Has everything read again.
    pub fn refresh(self) {
        self.tasks.update(|n| *n += 1);
        self.chat.update(|n| *n += 1);
        self.approvals.update(|n| *n += 1);
    }

    /// Takes in whether a question was answered. Where it was not, everything is asked again after a while.
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

    /// Takes in one event of the stream.
    pub fn hear(self, kind: EventKind, data: &serde_json::Value) {
        let text = |field: &str| data.get(field).and_then(|value| value.as_str());
        let step = |step: String| {
            if let Some(turn_id) = text("turn_id") {
                let before = self.progress.get_untracked().filter(|before| before.turn_id == turn_id);
                let told = text("conversation_id").map(str::to_owned);
                let conversation_id = told.or(before.map(|before| before.conversation_id)).unwrap_or_default();
                let turn_id = turn_id.to_owned();
                self.progress.set(Some(Progress { turn_id, conversation_id, step, said: String::new() }));
            }
        };
        // More of the reply of the turn that is shown, or none of it.
        let speak = |more: Option<&str>| {
            self.progress.update(|progress| {
                if let Some(progress) = progress.as_mut().filter(|progress| text("turn_id") == Some(&progress.turn_id))
                {
                    match more {
                        Some(more) => progress.said.push_str(more),
                        None => progress.said.clear(),
                    }
                }
            });
        };
        match kind {
            EventKind::TurnStarted => {
                step(words::THINKING.to_owned());
                self.chat.update(|n| *n += 1);
            }
            EventKind::ToolStarted => {
                let number = |field: &str| data.get(field).and_then(serde_json::Value::as_i64).unwrap_or_default();
                let doing = step_of(text("tool").unwrap_or_default());
                // The first step of most turns is their only one.
                step(match number("step") {
                    at @ 2.. => words::step_of(doing, at, number("steps")),
                    _ => doing.to_owned(),
                });
            }
            EventKind::TextDelta => speak(text("text")),
            EventKind::TextReset => speak(None),
            EventKind::ToolFinished => {}
            EventKind::TurnFinished => {
                self.progress.set(None);
                self.chat.update(|n| *n += 1);
            }
            EventKind::ApprovalRequested | EventKind::ApprovalDecided | EventKind::ApprovalExtended => {
                self.approvals.update(|n| *n += 1);
                self.chat.update(|n| *n += 1);
                // Rows say that something waits.
                self.tasks.update(|n| *n += 1);
            }
            EventKind::TaskChanged => {
                self.elsewhere.hear(data);
                self.tasks.update(|n| *n += 1);
                // A receipt of the conversation says so, or a list in it.
                if text("undoes").is_some() || self.listing.get_value() {
                    self.chat.update(|n| *n += 1);
                }
            }
            EventKind::ReminderDue => {
                if let Some(task) = data.get("task_id").and_then(serde_json::Value::as_i64) {
                    self.toaster.0.set(Some(Toast::reminder(text("title").unwrap_or_default(), task)));
                }
            }
            EventKind::StreamReset => {
                // Whether it still runs is not known.
                self.progress.set(None);
                self.refresh();
            }
        }
    }
}

/// What a running tool is doing, in words.
fn step_of(tool: &str) -> &'static str {
    match tool {
        "add_task" => words::ADDING_TO_YOUR_LIST,
        "list_tasks" => words::READING_YOUR_LIST,
        "get_task" => words::LOOKING_AT_A_TASK,
        "complete_task" => words::COMPLETING,
        "update_task" => words::CHANGING_A_TASK,
        "delete_task" => words::PREPARING_A_REMOVAL,
        _ => words::WORKING,
    }
}
