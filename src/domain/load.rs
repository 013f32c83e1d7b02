//! What waits to be done, counted over all users and all servers of a database.

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
}
