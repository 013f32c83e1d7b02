//! Conversations and messages.

use super::counts;

pub const THE_REPLY_IS_LONGER: &str = "The reply is longer; all of it is in the record.";
pub const SHOW_AGAIN: &str = "Show again";
pub const HIDE: &str = "Hide";

pub fn change_title(title: &str) -> String {
    format!("Change {title}")
}

pub const CHANGE: &str = "Change";
pub const TITLE: &str = "Title";
pub const RENAME: &str = "Rename";
pub const CONVERSATIONS: &str = "Conversations";
pub const NEW_CONVERSATION: &str = "New conversation";
pub const SEARCH_CONVERSATIONS: &str = "Search conversations";
pub const WORDS_TO_SEARCH: &str = "Words of a title or a message";
pub const NO_CONVERSATION_HERE: &str = "No conversation here";
pub const SAY_SOMETHING_OR_SEARCH: &str = "Say something in the chat, or search for other words.";
pub const HIDDEN: &str = "Hidden";
pub const OLDER_ONES: &str = "Older ones";
pub const DOCKET: &str = "Docket";
pub const CHOICES: &str = "Choices";
pub const YOU: &str = "You";
pub const WHAT_WAS_DONE: &str = "What was done";

/// What there is of an answer that is none.
pub const STOPPED: &str = "Stopped";
pub const STEP_LIMIT: &str = "Step limit reached";
pub const FAILED: &str = "Failed";
pub const NOT_DONE: &str = "Not done";

// The conversation and the list beside it.
pub const CHAT: &str = "Chat";
pub const CONVERSATION: &str = "Conversation";
pub const MESSAGES: &str = "Messages";
pub const SEARCH_AND_MANAGE: &str = "Search and manage";
pub const TRY_AGAIN: &str = "Try again";
pub const TAKE_IT_BACK: &str = "Take it back";
pub const QUEUED: &str = "Queued: it is sent when Docket has answered.";
/// What leads down to messages that came while the reader was further up.
pub const NEW_BELOW: &str = "New";
pub const MESSAGES_BELOW: &str = " messages below";
pub const NO_SUCH_CONVERSATION: &str = "This conversation is not here any more";
pub const BACK_TO_THE_LATEST: &str = "Back to the latest one";
pub const TASKS: &str = "Tasks";
pub const BOTH: &str = "Both";
pub const WHAT_IS_SHOWN: &str = "What is shown";
pub const EARLIER_MESSAGES: &str = "Earlier messages";
pub const THESE_ARE_EARLIER: &str = "These are earlier messages.";
pub const TO_THE_LATEST_MESSAGES: &str = "To the latest messages";
pub const CLOSE: &str = "Close";

/// What leads to the list: how many tasks are open.
pub fn open_tasks(count: i64) -> String {
    format!("{count} open {}", counts::plural(count, "task", "tasks"))
}

/// The same, once some of them have changed.
pub fn changed(count: usize) -> String {
    format!("{count} changed")
}

/// What stands before the number of them.
pub const OPEN_TASKS: &str = "Open tasks ";
pub const ALL_VIEWS: &str = "All views";
pub const NOTHING_TO_DO: &str = "Nothing to do";
pub const ADD_OR_ASK: &str = "Add a task above, or ask for one in the chat.";

// Before the first message.
pub const SAY_WHAT_TO_DO: &str = "Say what to do";
pub const HOW_DOCKET_WORKS: &str = "Docket works on your list while you talk. It asks before it deletes or renames anything, and every change can be undone.";

/// What can be said with one press. A translation says it in the words that its engine understands.
pub const ADD_BUY_MILK: &str = "add buy milk tomorrow p1";
pub const WHAT_IS_DUE: &str = "what is due this week?";

/// The same of a task of the list.
pub fn complete(title: &str) -> String {
    format!("complete {title}")
}

/// The same of one that is late.
pub fn move_to_tomorrow(title: &str) -> String {
    format!("move {title} to tomorrow")
}

/// The same of a project.
pub fn list_project(name: &str) -> String {
    format!("list tasks in the {name} project")
}

/// The same where the list is empty.
pub const ADD_CALL_MUM: &str = "add call mum on friday";

// Where a message is written.
pub const MESSAGE: &str = "Message";
pub const ASK_OR_SAY: &str = "Ask, or say what to do…";
pub const SEND: &str = "Send";
pub const OFFLINE: &str = "You are offline. What you write is kept here.";
/// Said away from the conversation that it stands in.
pub const UNSENT: &str = "A message in the chat could not be sent. It is kept there.";
pub const ONE_WAITS_ALREADY: &str = "One message waits already. This one can be sent after it.";
pub const BASIC_MODE: &str = "Basic mode: the built-in rules answer, not a model.";
pub const SETTINGS: &str = "Settings";

pub const TOO_LONG: &str = "This message is too long.";

/// Of a text that is too long: by how much.
pub fn too_long(over: u32) -> String {
    format!("{} too long", counts::characters(over))
}

/// What became of a task that a message speaks of.
pub const DONE_NOW: &str = "done";
pub const IN_THE_BIN_NOW: &str = "in the bin";
