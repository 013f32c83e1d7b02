//! A message that is not answered yet.

use serde_json::Value;

use crate::api::ApiError;
use crate::api::error::Code;

/// In the place of the id that a new conversation does not have yet, where the reader is in it. One that they have left for
/// another new one has a name of its own behind that.
pub const NEW: &str = "new";

/// How far a letter is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Sending,
    Failed(ApiError),
    /// It waits for the turn before it, or until its conversation is known.
    Queued,
}

/// A message that is not answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// Counts the letters since the page was loaded.
    pub number: u32,
    /// A letter that is sent again is the same one for the server; empty until it goes out.
    pub key: String,
    /// The conversation that it is for: an id, or what stands in its place.
    pub talk: String,
    pub text: String,
    /// The fields `seen` and `option` as they were when the person sent it, each after an `&`.
    pub view: String,
    pub state: State,
}

/// A message that came too fast was not taken, although a turn says so.
pub fn in_time(turn: Value) -> Result<Value, ApiError> {
    if turn["decision"]["outcome"] == "REFUSAL:RATE_LIMITED" {
        return Err(ApiError::new(Code::RateLimited, turn["reply"].as_str().unwrap_or_default()));
    }
    Ok(turn)
}

/// In the place of the id that an address will turn out to choose.
pub fn sought(chosen: Option<&str>) -> String {
    format!("?{}", chosen.unwrap_or_default())
}

/// Whether it is not known yet which conversation that is.
pub fn is_sought(talk: &str) -> bool {
    talk.starts_with('?')
}

/// Where the reader finds what was written in a conversation: all new ones have one place.
pub fn home(talk: &str) -> &str {
    if talk.strip_prefix(NEW).is_some_and(|rest| rest.starts_with('.')) { NEW } else { talk }
}

/// The name of a new conversation that is left.
pub fn left(number: u32) -> String {
    format!("{NEW}.{number}")
}

/// The letters of one conversation are of another one from now on.
pub fn rename(letters: &mut [Letter], from: &str, to: &str) {
    letters.iter_mut().filter(|it| it.talk == from).for_each(|it| to.clone_into(&mut it.talk));
}

/// What waits for the message that begins a conversation waits in that one from now on.
pub fn wait_in(letters: &mut [Letter], begun: &str) {
    letters
        .iter_mut()
        .filter(|it| it.talk == NEW && it.state == State::Queued)
        .for_each(|it| begun.clone_into(&mut it.talk));
}

/// Leaves the new conversation that is on its way: the next letter begins another one.
pub fn leave(letters: &mut [Letter]) {
    let begins = letters.iter().find(|it| it.talk == NEW && it.state == State::Sending).map(|it| it.number);
    if let Some(number) = begins {
        rename(letters, NEW, &left(number));
    }
}

/// A new conversation that was left and could not begin, once there is room for it where the reader finds it.
pub fn stranded(letters: &[Letter]) -> Option<String> {
    let failed = |it: &&Letter| it.talk != home(&it.talk) && matches!(it.state, State::Failed(_));
    let found = letters.iter().find(failed).map(|it| it.talk.clone());
    found.filter(|_| letters.iter().all(|it| it.talk != NEW))
}

/// The letter that waits for nothing any more, while turns of the conversations `running` run.
pub fn next(letters: &[Letter], running: &[String]) -> Option<Letter> {
    let before = |it: &Letter| letters.iter().any(|other| other.talk == it.talk && other.state != State::Queued);
    let free =
        |it: &&Letter| it.state == State::Queued && !is_sought(&it.talk) && !running.contains(&it.talk) && !before(it);
    letters.iter().find(free).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(number: u32, talk: &str, state: State) -> Letter {
        let talk = talk.to_owned();
        Letter { number, key: String::new(), talk, text: String::new(), view: String::new(), state }
    }

    fn failed() -> State {
        State::Failed(ApiError::new(Code::Unavailable, "gone"))
    }

    fn talks(letters: &[Letter]) -> Vec<&str> {
        letters.iter().map(|it| it.talk.as_str()).collect()
    }

    #[test]
    fn each_new_conversation_that_is_left_has_a_name_of_its_own() {
        let mut letters =
            vec![letter(1, NEW, State::Sending), letter(2, NEW, State::Queued), letter(3, "a", State::Sending)];
        leave(&mut letters);
        assert_eq!(talks(&letters), ["new.1", "new.1", "a"]);
        letters.push(letter(4, NEW, State::Sending));
        leave(&mut letters);
        assert_eq!(talks(&letters), ["new.1", "new.1", "a", "new.4"]);
        assert!(letters.iter().all(|it| it.talk == "a" || home(&it.talk) == NEW));
        assert_eq!(home("newer"), "newer");
    }

    #[test]
    fn what_waits_for_a_new_conversation_is_shown_in_it_once_it_is_known() {
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
    fn a_new_conversation_that_could_not_begin_comes_back_when_there_is_room() {
        let mut letters =
            vec![letter(1, "new.1", failed()), letter(2, "new.1", State::Queued), letter(3, NEW, State::Sending)];
        assert_eq!(stranded(&letters), None);
        rename(&mut letters, NEW, "a");
        assert_eq!(stranded(&letters).as_deref(), Some("new.1"));
        rename(&mut letters, "new.1", NEW);
        assert_eq!(stranded(&letters), None);
    }

    #[test]
    fn a_letter_goes_out_when_its_conversation_is_known_and_nothing_comes_before_it() {
        let found = |letters: &[Letter], running: &[&str]| {
            let running: Vec<_> = running.iter().map(|talk| (*talk).to_owned()).collect();
            next(letters, &running).map(|it| it.number)
        };
        let mut letters = vec![letter(1, &sought(Some("a")), State::Queued)];
        assert_eq!(found(&letters, &[]), None);
        rename(&mut letters, "?a", "a");
        assert_eq!(found(&letters, &["b"]), Some(1));
        assert_eq!(found(&letters, &["b", "a"]), None);
        letters.push(letter(2, "a", failed()));
        assert_eq!(found(&letters, &[]), None);
    }
}
