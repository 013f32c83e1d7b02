//! Running turns, as far as this page knows: the current step and the reply so far.

use serde_json::Value;

use crate::domain::live::EventKind;
use crate::domain::turn::Running;
use crate::messages::layout as messages;

/// Number of ended turns to remember: an older answer of the server may still show them as running.
const KNOWN: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    pub turn_id: String,
    pub conversation_id: String,
    /// Idempotency key of its message; empty if unknown.
    pub key: String,
    /// Description of the current step.
    pub step: String,
    /// The reply so far.
    pub said: String,
}

impl Progress {
    /// Returns the progress that a fetched conversation reports.
    pub fn of(running: &Running) -> Self {
        let step = running.tool.as_deref().map(|tool| step_of(tool, running.step, running.steps));
        Self {
            turn_id: running.turn_id.to_string(),
            conversation_id: running.conversation_id.to_string(),
            key: String::new(),
            step: step.unwrap_or_else(|| messages::THINKING.to_owned()),
            said: running.said.clone(),
        }
    }
}

/// A turn known from events or a fetched conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Turn {
    /// Everything but the reply.
    progress: Progress,
    /// Deltas of the reply with the sequences of their events.
    said: Vec<(i64, String)>,
    /// Sequence up to which a fetched conversation included everything.
    known: i64,
    /// True if no part of the reply is missing: known from its beginning or from a fetched conversation.
    whole: bool,
}

impl Turn {
    fn new(progress: Progress, whole: bool) -> Self {
        Self { progress, said: vec![], known: 0, whole }
    }
}

/// The running turns, in the order in which they began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turns {
    running: Vec<Turn>,
    ended: Vec<String>,
}

impl Turns {
    /// Handles one event, with its sequence.
    pub fn hear(&mut self, seq: i64, kind: EventKind, data: &Value) {
        let text = |field: &str| data.get(field).and_then(Value::as_str).unwrap_or_default();
        let number = |field: &str| data.get(field).and_then(Value::as_i64).unwrap_or_default();
        let id = text("turn_id");
        match kind {
            EventKind::TurnStarted => {
                if let Some(turn) = self.begin(data) {
                    turn.whole = true;
                }
            }
            EventKind::ToolStarted => {
                if let Some(turn) = self.find(id).filter(|turn| turn.known < seq) {
                    turn.progress.step = step_of(text("tool"), number("step"), number("steps"));
                    turn.said.clear();
                }
            }
            EventKind::TextDelta => {
                if self.find(id).is_none() {
                    self.begin(data);
                }
                if let Some(turn) = self.find(id).filter(|turn| turn.known < seq) {
                    turn.said.push((seq, text("text").to_owned()));
                }
            }
            EventKind::TextReset => {
                if let Some(turn) = self.find(id).filter(|turn| turn.known < seq) {
                    turn.said.clear();
                    turn.whole = true;
                }
            }
            EventKind::TurnFinished => self.end(id),
            // The event does not say which turns still run.
            EventKind::StreamReset => self.running.clear(),
            EventKind::ToolFinished
            | EventKind::ApprovalRequested
            | EventKind::ApprovalDecided
            | EventKind::ApprovalExtended
            | EventKind::TaskChanged
            | EventKind::ReminderDue
            | EventKind::AccountNotice => {}
        }
    }

    /// Merges a running turn of a fetched conversation.
    pub fn see(&mut self, running: &Running) {
        let progress = Progress::of(running);
        if self.has_ended(&progress.turn_id) {
            return;
        }
        let seen = (running.seq, running.said.clone());
        let Some(turn) = self.find(&progress.turn_id) else {
            let turn = Turn { progress, said: vec![seen], known: running.seq, whole: true };
            self.running.push(turn);
            return;
        };
        if !turn.whole {
            turn.said.retain(|(seq, _)| *seq > running.seq);
            turn.said.insert(0, seen);
            turn.progress.step = progress.step;
            (turn.known, turn.whole) = (running.seq, true);
        }
    }

    /// Ends a turn and remembers that it has ended.
    pub fn end(&mut self, id: &str) {
        self.running.retain(|turn| turn.progress.turn_id != id);
        if !id.is_empty() && !self.has_ended(id) {
            self.ended.push(id.to_owned());
            let over = self.ended.len().saturating_sub(KNOWN);
            self.ended.drain(..over);
        }
    }

    /// Returns true if the turn is known to have ended.
    pub fn has_ended(&self, id: &str) -> bool {
        self.ended.iter().any(|ended| ended == id)
    }

    /// Returns the progress of the first turn that matches.
    pub fn first(&self, these: impl Fn(&Progress) -> bool) -> Option<Progress> {
        let turn = self.running.iter().find(|turn| these(&turn.progress))?;
        let said = turn.said.iter().map(|(_, more)| more.as_str()).collect();
        Some(Progress { said, ..turn.progress.clone() })
    }

    /// Returns the conversations with a running turn.
    pub fn conversations(&self) -> Vec<String> {
        self.running.iter().map(|turn| turn.progress.conversation_id.clone()).collect()
    }

    fn find(&mut self, id: &str) -> Option<&mut Turn> {
        self.running.iter_mut().find(|turn| turn.progress.turn_id == id)
    }

    /// Adds the turn of an event; `None` if the event names no turn, or the turn is known or has ended.
    fn begin(&mut self, data: &Value) -> Option<&mut Turn> {
        let text = |field: &str| data.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (turn_id, conversation_id, key) = (text("turn_id"), text("conversation_id"), text("client_key"));
        if turn_id.is_empty() || self.has_ended(&turn_id) || self.find(&turn_id).is_some() {
            return None;
        }
        let progress =
            Progress { turn_id, conversation_id, key, step: messages::THINKING.to_owned(), said: String::new() };
        self.running.push(Turn::new(progress, false));
        self.running.last_mut()
    }
}

fn step_of(tool: &str, at: i64, steps: i64) -> String {
    let doing = match tool {
        "add_task" => messages::ADDING_TO_YOUR_LIST,
        "list_tasks" => messages::READING_YOUR_LIST,
        "get_task" => messages::LOOKING_AT_A_TASK,
        "complete_task" => messages::COMPLETING,
        "update_task" => messages::CHANGING_A_TASK,
        "delete_task" => messages::PREPARING_A_REMOVAL,
        _ => messages::WORKING,
    };
    // Most turns have only one step.
    if at < 2 { doing.to_owned() } else { messages::step_of(doing, at, steps) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::id::{ConversationId, TurnId};

    const ONE: &str = "0194f3a0-0000-7000-8000-000000000001";
    const TWO: &str = "0194f3a0-0000-7000-8000-000000000002";
    const TALK: &str = "0194f3a0-0000-7000-8000-00000000000a";

    fn started(turn: &str, talk: &str) -> Value {
        json!({ "turn_id": turn, "conversation_id": talk, "client_key": "form.1" })
    }

    fn said(turn: &str, text: &str) -> Value {
        json!({ "turn_id": turn, "conversation_id": TALK, "text": text })
    }

    fn seen(seq: i64, said: &str) -> Running {
        Running {
            turn_id: TurnId::parse(ONE).unwrap(),
            conversation_id: ConversationId::parse(TALK).unwrap(),
            tool: None,
            step: 0,
            steps: 0,
            said: said.to_owned(),
            seq,
        }
    }

    fn heard(turns: &Turns) -> Option<String> {
        turns.first(|_| true).map(|progress| progress.said)
    }

    #[test]
    fn a_turn_that_ends_takes_nothing_from_another() {
        let mut turns = Turns::default();
        turns.hear(1, EventKind::TurnStarted, &started(ONE, TALK));
        turns.hear(2, EventKind::TurnStarted, &started(TWO, "elsewhere"));
        turns.hear(3, EventKind::TextDelta, &said(ONE, "Hello"));
        turns.hear(4, EventKind::TurnFinished, &json!({ "turn_id": TWO }));
        turns.hear(5, EventKind::TurnFinished, &json!({ "turn_id": "an outside call" }));
        turns.hear(6, EventKind::TextDelta, &said(ONE, " there"));
        assert_eq!(heard(&turns).as_deref(), Some("Hello there"));
        assert_eq!(turns.conversations(), [TALK]);
        turns.hear(7, EventKind::TurnFinished, &json!({ "turn_id": ONE }));
        assert_eq!(turns.first(|_| true), None);
    }

    #[test]
    fn tool_step_is_labelled_and_replaces_earlier_text() {
        let mut turns = Turns::default();
        turns.hear(1, EventKind::TurnStarted, &started(ONE, TALK));
        turns.hear(2, EventKind::TextDelta, &said(ONE, "Let me see"));
        turns.hear(3, EventKind::ToolStarted, &json!({ "turn_id": ONE, "tool": "list_tasks", "step": 2, "steps": 10 }));
        let progress = turns.first(|it| it.key == "form.1").unwrap();
        assert_eq!((progress.step.as_str(), progress.said.as_str()), ("Reading your list, step 2 of 10", ""));
    }

    #[test]
    fn page_and_event_stream_merge_without_duplicate_text() {
        // Fetched in the middle of the turn: the stream repeats what the page included.
        let mut turns = Turns::default();
        turns.see(&seen(5, "One two"));
        for (seq, text) in [(4, "One "), (5, "two"), (6, " three")] {
            turns.hear(seq, EventKind::TextDelta, &said(ONE, text));
        }
        assert_eq!(heard(&turns).as_deref(), Some("One two three"));

        // Events from the middle of the turn, before the fetch.
        let mut turns = Turns::default();
        for (seq, text) in [(5, "two"), (6, " three")] {
            turns.hear(seq, EventKind::TextDelta, &said(ONE, text));
        }
        turns.see(&seen(5, "One two"));
        assert_eq!(heard(&turns).as_deref(), Some("One two three"));

        // Events from the beginning: an older fetch knows less.
        let mut turns = Turns::default();
        turns.hear(1, EventKind::TurnStarted, &started(ONE, TALK));
        turns.hear(2, EventKind::TextDelta, &said(ONE, "One two"));
        turns.see(&seen(1, ""));
        assert_eq!(heard(&turns).as_deref(), Some("One two"));

        // The turn ended while the answer was in flight.
        turns.hear(3, EventKind::TurnFinished, &json!({ "turn_id": ONE }));
        turns.see(&seen(2, "One two"));
        turns.hear(2, EventKind::TextDelta, &said(ONE, "late"));
        assert_eq!(heard(&turns), None);
    }

    #[test]
    fn what_was_taken_back_is_not_shown() {
        let mut turns = Turns::default();
        turns.see(&seen(5, "One two"));
        turns.hear(5, EventKind::TextReset, &json!({ "turn_id": ONE }));
        assert_eq!(heard(&turns).as_deref(), Some("One two"), "the page has told that already");
        turns.hear(6, EventKind::TextReset, &json!({ "turn_id": ONE }));
        turns.hear(7, EventKind::TextDelta, &said(ONE, "Again"));
        assert_eq!(heard(&turns).as_deref(), Some("Again"));
    }
}
