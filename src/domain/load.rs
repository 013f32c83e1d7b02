//! What waits to be done and what was let go, counted over all users and all servers of a database.

/// How much waits at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// Turns that nobody has begun.
    pub queued: i64,
    /// Turns that a worker holds, or whose worker died.
    pub running: i64,
    /// How long ago the oldest turn that is not done was accepted, in milliseconds; 0 where there is none.
    pub oldest_ms: i64,
    /// Requests that wait for a person.
    pub approvals: i64,
    /// Cards that are to be sent to a chat.
    pub outbox: i64,
    /// Updates from Telegram so far of which nothing but their number is kept, in the order of [`Dropped::ALL`].
    pub dropped: [i64; Dropped::ALL.len()],
}

/// Why nothing of an update from Telegram is kept but that there was one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// Nobody who is let in has sent it.
    Stranger,
    /// Its sender was far too fast.
    TooFast,
    /// It cannot be read.
    Malformed,
}

impl Dropped {
    pub const ALL: [Self; 3] = [Self::Stranger, Self::TooFast, Self::Malformed];

    /// As metrics call it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stranger => "stranger",
            Self::TooFast => "too_fast",
            Self::Malformed => "malformed",
        }
    }

    /// The name of its counter in the database.
    pub fn counter(self) -> &'static str {
        match self {
            Self::Stranger => "telegram_strangers",
            Self::TooFast => "telegram_too_fast",
            Self::Malformed => "telegram_malformed",
        }
    }
}
