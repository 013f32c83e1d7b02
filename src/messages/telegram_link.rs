//! The link with a Telegram chat.

pub const NO_BOT: &str = "This server has no Telegram bot. Its operator can set DOCKET_TELEGRAM_TOKEN.";
pub const REMINDERS_WITHOUT_BOT: &str = "This server has no Telegram bot. Reminders are shown in open Docket tabs.";

pub fn linked(name: &str, since: &str) -> String {
    format!("Linked to {name} since {since}. Reminders are sent there and shown in open tabs.")
}

pub const UNLINK: &str = "Unlink";
pub const WHAT_IT_IS_FOR: &str =
    "Chat with Docket on Telegram, decide approvals there, and get reminders even when no tab is open.";
pub const MAKE_A_CODE: &str = "Create a linking code";
pub const SEND_THIS: &str = "Send this to the bot within ten minutes:";
pub const OPEN_TELEGRAM: &str = "Open Telegram";
pub const SAME_LINK_AS_QR_CODE: &str = "QR code with the same link";

/// Notice to the account that the chat was linked with before.
pub fn chat_moved(chat: &str, to: &str) -> String {
    format!(
        "Your Telegram chat {chat} is now linked to the account {to} instead of yours. If this was not you, check the active \
         sessions in Telegram."
    )
}

/// A notice with the time that it was made.
pub fn noticed(at: &str, notice: &str) -> String {
    format!("{at}: {notice}")
}

pub const DISMISS: &str = "Dismiss";
