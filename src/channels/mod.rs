//! Channels besides the browser, which reads the stored events. Telegram is the only one, so there is no trait.

pub mod telegram;
