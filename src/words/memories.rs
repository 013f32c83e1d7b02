//! What is remembered.

pub const NOTHING_FITS: &str = "Nothing that is remembered fits these words.";
pub const NOTHING_YET: &str =
    "Nothing is remembered yet. Long conversations are summed up once they have about 60 messages.";
pub const OLDER: &str = "Older";
pub const SEARCH_WHAT_IS_REMEMBERED: &str = "Search what is remembered";
pub const WORDS: &str = "Words";
pub const SEARCH: &str = "Search";
pub const SEE_EVERYTHING: &str = "See everything";
pub const WHAT_FITS_BEST: &str = "What fits best";
pub const WHAT_IS_REMEMBERED: &str = "What is remembered";
pub const NOT_OFFERED: &str = "This server remembers nothing: whoever runs it has set DOCKET_MEMORY to off.";
pub const IS_ON: &str = "Docket keeps short notes of what older messages said, so that a model can recall them: those that fit a message \
     are sent to it. The messages themselves stay as they are.";
pub const IS_OFF: &str = "Nothing new is remembered, and nothing is recalled. What is below stays until you forget it.";
pub const REMEMBERING: &str = "Remembering";
pub const SWITCH_MEMORY_OFF: &str = "Switch memory off";
pub const SWITCH_MEMORY_ON: &str = "Switch memory on";
pub const FROM_THE_SAME_MESSAGES: &str = "From the same messages as a note above.";
pub const YOU: &str = "You";
pub const DOCKET: &str = "Docket";

pub fn noted(instant: &str) -> String {
    format!("Noted {instant}")
}

pub const OPEN_THE_CONVERSATION: &str = "Open the conversation";

pub fn forget_note(text: &str) -> String {
    format!("Forget: {text}")
}

pub const FORGET: &str = "Forget";
pub const FORGET_EVERYTHING: &str = "Forget everything";
pub const ALL_NOTES_GO: &str = "All notes go for good. Your messages stay.";
pub const YES_FORGET_EVERYTHING: &str = "Yes, forget everything";
pub const MEMORY: &str = "Memory";
pub const ERASED: &str = "(erased)";
