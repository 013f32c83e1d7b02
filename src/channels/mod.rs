//! Doors other than the browser, which has the stored events and needs nothing sent. Telegram is the only one so far, so there is no
//! trait over them.

/// Telegram's Bot API.
pub mod telegram;
