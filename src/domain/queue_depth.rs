//! Queue depths and dropped updates, counted over all users and servers of a database.

/// Queue depths at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// Turns that no worker has begun.
    pub queued: i64,
    /// Turns that a worker has claimed, including those whose worker died.
    pub running: i64,
    /// Age in milliseconds of the oldest unfinished turn; 0 if there is none.
    pub oldest_ms: i64,
    /// Approvals that wait for a person.
    pub approvals: i64,
    /// Outbox entries to be sent.
    pub outbox: i64,
    /// Total of dropped Telegram updates, in the order of [`Dropped::ALL`].
    pub dropped: [i64; Dropped::ALL.len()],
}

/// Reason for dropping a Telegram update, of which only the count is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// The sender is not linked to an enabled account.
    Stranger,
    /// The sender exceeded the rate limit by far.
    TooFast,
    /// The update cannot be parsed.
    Malformed,
}

impl Dropped {
    pub const ALL: [Self; 3] = [Self::Stranger, Self::TooFast, Self::Malformed];

    /// Returns the name in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stranger => "stranger",
            Self::TooFast => "too_fast",
            Self::Malformed => "malformed",
        }
    }

    /// Returns the name of its counter in the database.
    pub fn counter(self) -> &'static str {
        match self {
            Self::Stranger => "telegram_strangers",
            Self::TooFast => "telegram_too_fast",
            Self::Malformed => "telegram_malformed",
        }
    }
}
