//! Memories.

pub const NOTHING_FITS: &str = "No memories match.";
pub const NOTHING_YET: &str = "No memories yet. Conversations are summarised after about 60 messages.";
pub const OLDER: &str = "Older";
pub const SEARCH_WHAT_IS_REMEMBERED: &str = "Search memories";
pub const WORDS: &str = "Search text";
pub const SEARCH: &str = "Search";
pub const SEE_EVERYTHING: &str = "Show all";
pub const WHAT_FITS_BEST: &str = "Best matches";
pub const WHAT_IS_REMEMBERED: &str = "Memories";
pub const NOT_OFFERED: &str = "Memory is disabled on this server (DOCKET_MEMORY=off).";
pub const IS_ON: &str = "Docket summarises older messages into memories, and sends the relevant ones to the model. The messages \
     themselves do not change.";
pub const IS_OFF: &str = "No memories are created or recalled. The ones below stay until you forget them.";
pub const REMEMBERING: &str = "Memory setting";
pub const SWITCH_MEMORY_OFF: &str = "Turn memory off";
pub const SWITCH_MEMORY_ON: &str = "Turn memory on";
pub const FROM_THE_SAME_MESSAGES: &str = "From the same messages as a memory above.";
pub const YOU: &str = "You";
pub const DOCKET: &str = "Docket";

pub fn noted(instant: &str) -> String {
    format!("Created {instant}")
}

pub const OPEN_THE_CONVERSATION: &str = "Open the conversation";

pub fn forget_note(text: &str) -> String {
    format!("Forget: {text}")
}

pub const FORGET: &str = "Forget";
pub const FORGET_EVERYTHING: &str = "Forget everything";
pub const ALL_NOTES_GO: &str = "All memories are deleted permanently. Your messages are kept.";
pub const YES_FORGET_EVERYTHING: &str = "Yes, forget everything";
pub const MEMORY: &str = "Memory";
pub const ERASED: &str = "(erased)";
