//! Messages that are not answered yet.

use serde_json::Value;

use crate::api::ApiError;
use crate::api::error::Code;

/// Placeholder id of the new conversation that the reader is in. A new conversation that they left for another one has a suffix.
pub const NEW: &str = "new";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Sending,
    Failed(ApiError),
    /// Waits for the previous turn, or until its conversation is known.
    Queued,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingMessage {
    /// Serial number since the page was loaded.
    pub number: u32,
    /// Idempotency key, which retries repeat; empty before the first attempt.
    pub key: String,
    /// Id or placeholder id of the conversation.
    pub talk: String,
    pub text: String,
    /// The form fields `seen` and `option` from when the user sent it, each after an `&`.
    pub view: String,
    pub state: State,
}

/// Returns an error for a message over the rate limit, which was not accepted although it has a turn.
pub fn in_time(turn: Value) -> Result<Value, ApiError> {
    if turn["decision"]["outcome"] == "REFUSAL:RATE_LIMITED" {
        return Err(ApiError::new(Code::RateLimited, turn["reply"].as_str().unwrap_or_default()));
    }
    Ok(turn)
}

/// Returns the placeholder id until the address is resolved.
pub fn unresolved_id(chosen: Option<&str>) -> String {
    format!("?{}", chosen.unwrap_or_default())
}

/// Returns true if the conversation is not resolved yet.
pub fn is_unresolved(talk: &str) -> bool {
    talk.starts_with('?')
}

/// Returns the id under which a conversation's drafts are stored: all new ones share one.
pub fn conversation_slot(talk: &str) -> &str {
    if talk.strip_prefix(NEW).is_some_and(|rest| rest.starts_with('.')) { NEW } else { talk }
}

/// Returns the placeholder id of a new conversation that was left.
pub fn draft_id(number: u32) -> String {
    format!("{NEW}.{number}")
}

/// Moves the messages of one conversation to another.
pub fn rename(letters: &mut [PendingMessage], from: &str, to: &str) {
    letters.iter_mut().filter(|it| it.talk == from).for_each(|it| to.clone_into(&mut it.talk));
}

/// Moves messages that are queued in the new conversation to the one that it became.
pub fn wait_in(letters: &mut [PendingMessage], begun: &str) {
    letters
        .iter_mut()
        .filter(|it| it.talk == NEW && it.state == State::Queued)
        .for_each(|it| begun.clone_into(&mut it.talk));
}

/// Leaves the new conversation that is being sent, so that the next message begins another one.
pub fn leave(letters: &mut [PendingMessage]) {
    let begins = letters.iter().find(|it| it.talk == NEW && it.state == State::Sending).map(|it| it.number);
    if let Some(number) = begins {
        rename(letters, NEW, &draft_id(number));
    }
}

/// Returns a new conversation that was left and failed to begin, once the reader's new one is free.
pub fn unsendable(letters: &[PendingMessage]) -> Option<String> {
    let failed = |it: &&PendingMessage| it.talk != conversation_slot(&it.talk) && matches!(it.state, State::Failed(_));
    let found = letters.iter().find(failed).map(|it| it.talk.clone());
    found.filter(|_| letters.iter().all(|it| it.talk != NEW))
}

/// Returns the next queued message to send; `running` are the conversations with a running turn.
pub fn next(letters: &[PendingMessage], running: &[String]) -> Option<PendingMessage> {
    let before =
        |it: &PendingMessage| letters.iter().any(|other| other.talk == it.talk && other.state != State::Queued);
    let free = |it: &&PendingMessage| {
        it.state == State::Queued && !is_unresolved(&it.talk) && !running.contains(&it.talk) && !before(it)
    };
    letters.iter().find(free).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(number: u32, talk: &str, state: State) -> PendingMessage {
        let talk = talk.to_owned();
        PendingMessage { number, key: String::new(), talk, text: String::new(), view: String::new(), state }
    }

    fn failed() -> State {
        State::Failed(ApiError::new(Code::Unavailable, "gone"))
    }

    fn talks(letters: &[PendingMessage]) -> Vec<&str> {
        letters.iter().map(|it| it.talk.as_str()).collect()
    }

    #[test]
    fn abandoned_new_conversations_get_unique_ids() {
        let mut letters =
            vec![letter(1, NEW, State::Sending), letter(2, NEW, State::Queued), letter(3, "a", State::Sending)];
        leave(&mut letters);
        assert_eq!(talks(&letters), ["new.1", "new.1", "a"]);
        letters.push(letter(4, NEW, State::Sending));
        leave(&mut letters);
        assert_eq!(talks(&letters), ["new.1", "new.1", "a", "new.4"]);
        assert!(letters.iter().all(|it| it.talk == "a" || conversation_slot(&it.talk) == NEW));
        assert_eq!(conversation_slot("newer"), "newer");
    }

    #[test]
    fn pending_message_moves_to_its_new_conversation_once_known() {
        let mut letters = vec![letter(1, NEW, State::Sending), letter(2, NEW, State::Queued)];
        wait_in(&mut letters, "a");
        assert_eq!(talks(&letters), [NEW, "a"]);
        assert_eq!(next(&letters, &["a".to_owned()]), None);
        assert_eq!(next(&letters, &[]).map(|it| it.number), Some(2));
    }

    #[test]
    fn what_could_not_be_sent_is_not_left() {
        let mut letters = vec![letter(1, NEW, failed())];
        leave(&mut letters);
        assert_eq!(talks(&letters), [NEW]);
    }

    #[test]
    fn unsendable_conversation_returns_when_the_slot_is_free() {
        let mut letters =
            vec![letter(1, "new.1", failed()), letter(2, "new.1", State::Queued), letter(3, NEW, State::Sending)];
        assert_eq!(unsendable(&letters), None);
        rename(&mut letters, NEW, "a");
        assert_eq!(unsendable(&letters).as_deref(), Some("new.1"));
        rename(&mut letters, "new.1", NEW);
        assert_eq!(unsendable(&letters), None);
    }

    #[test]
    fn pending_message_is_sent_once_known_and_first_in_line() {
        let found = |letters: &[PendingMessage], running: &[&str]| {
            let running: Vec<_> = running.iter().map(|talk| (*talk).to_owned()).collect();
            next(letters, &running).map(|it| it.number)
        };
        let mut letters = vec![letter(1, &unresolved_id(Some("a")), State::Queued)];
        assert_eq!(found(&letters, &[]), None);
        rename(&mut letters, "?a", "a");
        assert_eq!(found(&letters, &["b"]), Some(1));
        assert_eq!(found(&letters, &["b", "a"]), None);
        letters.push(letter(2, "a", failed()));
        assert_eq!(found(&letters, &[]), None);
    }
}
