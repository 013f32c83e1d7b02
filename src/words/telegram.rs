//! Linking with a chat on Telegram.

pub const NO_BOT: &str = "This server has no Telegram bot; its operator sets DOCKET_TELEGRAM_TOKEN.";
pub const REMINDERS_WITHOUT_BOT: &str =
    "This server has no Telegram bot. Tasks with a time remind you in open tabs of Docket.";

pub fn linked(name: &str, since: &str) -> String {
    format!("Linked with {name} since {since}. Tasks with a time remind you there and in open tabs.")
}

pub const UNLINK: &str = "Unlink";
pub const WHAT_IT_IS_FOR: &str = "Write to Docket on Telegram, answer its questions there, and be reminded of tasks with a time, \
     also while no tab is open.";
pub const MAKE_A_CODE: &str = "Make a code";
pub const SEND_THIS: &str = "Send this to the bot within ten minutes:";
pub const OPEN_TELEGRAM: &str = "Open Telegram";
pub const SAME_LINK_AS_QR_CODE: &str = "The same link as a QR code";

/// A notice to the account that a chat was linked with before.
pub fn chat_moved(chat: &str, to: &str) -> String {
    format!(
        "Your Telegram chat {chat} is now linked with the account {to} and no longer with yours. If that was not you, somebody used \
         your Telegram: check its active sessions."
    )
}

/// When a notice was made, in front of it.
pub fn noticed(at: &str, notice: &str) -> String {
    format!("{at}: {notice}")
}

pub const DISMISS: &str = "Dismiss";
