//! Conversations and messages.

use super::counts;

pub const THE_REPLY_IS_LONGER: &str = "The reply was shortened. The full text is in the audit log.";
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
pub const WORDS_TO_SEARCH: &str = "Title or message text";
pub const NO_CONVERSATION_HERE: &str = "No conversations";
pub const SAY_SOMETHING_OR_SEARCH: &str = "Send a message in the chat, or try another search.";
pub const HIDDEN: &str = "Hidden";
pub const OLDER_ONES: &str = "Older conversations";
pub const DOCKET: &str = "Docket";
pub const CHOICES: &str = "Choices";
pub const YOU: &str = "You";
pub const WHAT_WAS_DONE: &str = "Actions taken";

/// States of a message that is not a complete answer.
pub const STOPPED: &str = "Stopped";
pub const STEP_LIMIT: &str = "Step limit reached";
pub const FAILED: &str = "Failed";
pub const NOT_DONE: &str = "Not done";

// The conversation and the list next to it.
pub const CHAT: &str = "Chat";
pub const CONVERSATION: &str = "Conversation";
pub const MESSAGES: &str = "Messages";
pub const SEARCH_AND_MANAGE: &str = "Search and manage";
pub const TRY_AGAIN: &str = "Try again";
pub const TAKE_IT_BACK: &str = "Edit message";
pub const QUEUED: &str = "Queued. It will be sent after Docket’s reply.";
/// Button that leads to messages that arrived further down.
pub const NEW_BELOW: &str = "New";
pub const MESSAGES_BELOW: &str = " messages below";
pub const NO_SUCH_CONVERSATION: &str = "Conversation not found";
pub const BACK_TO_THE_LATEST: &str = "Go to the latest conversation";
pub const TASKS: &str = "Tasks";
pub const BOTH: &str = "Both";
pub const WHAT_IS_SHOWN: &str = "Layout";
pub const EARLIER_MESSAGES: &str = "Earlier messages";
pub const THESE_ARE_EARLIER: &str = "You are viewing earlier messages.";
pub const TO_THE_LATEST_MESSAGES: &str = "Jump to latest";
pub const CLOSE: &str = "Close";

/// Link to the list, with the number of open tasks.
pub fn open_tasks(count: i64) -> String {
    format!("{count} open {}", counts::plural(count, "task", "tasks"))
}

/// Link to the list after some tasks have changed.
pub fn changed(count: usize) -> String {
    format!("{count} changed")
}

/// Text before the number of open tasks.
pub const OPEN_TASKS: &str = "Open tasks ";
pub const ALL_VIEWS: &str = "All views";
pub const NOTHING_TO_DO: &str = "Nothing to do";
pub const ADD_OR_ASK: &str = "Add a task above, or ask for one in the chat.";

// Before the first message.
pub const SAY_WHAT_TO_DO: &str = "What would you like to do?";
pub const HOW_DOCKET_WORKS: &str =
    "Docket edits your list as you chat. Deleting and renaming need your approval, and every change can be undone.";

/// Suggested messages. A translation needs words that its engine understands.
pub const ADD_BUY_MILK: &str = "add buy milk tomorrow p1";
pub const WHAT_IS_DUE: &str = "what is due this week?";

/// Suggested message about a task.
pub fn complete(title: &str) -> String {
    format!("complete {title}")
}

/// Suggested message about an overdue task.
pub fn move_to_tomorrow(title: &str) -> String {
    format!("move {title} to tomorrow")
}

/// Suggested message about a project.
pub fn list_project(name: &str) -> String {
    format!("list tasks in the {name} project")
}

/// Suggested message for an empty list.
pub const ADD_CALL_MUM: &str = "add call mum on friday";

// The composer.
pub const MESSAGE: &str = "Message";
pub const ASK_OR_SAY: &str = "Message Docket…";
pub const SEND: &str = "Send";
pub const OFFLINE: &str = "You are offline. Your text is saved.";
/// Toast on other pages than the conversation.
pub const UNSENT: &str = "A chat message could not be sent. Open the chat to send it again.";
pub const ONE_WAITS_ALREADY: &str = "A message is already queued. Send this one after it.";
pub const BASIC_MODE: &str = "Basic mode: built-in rules, no model.";
pub const SETTINGS: &str = "Settings";

pub const TOO_LONG: &str = "This message is too long.";

/// `over` is the number of excess characters.
pub fn too_long(over: u32) -> String {
    format!("{} over the limit", counts::characters(over))
}

/// States of a task that a message mentions.
pub const DONE_NOW: &str = "done";
pub const IN_THE_BIN_NOW: &str = "in the bin";
