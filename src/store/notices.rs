//! What other processes on the same PostgreSQL announce. SQLite serves one process, so there is nothing to hear.

use sqlx::postgres::PgListener;

use super::{Db, Error, Store};
use crate::domain::id::UserId;

/// A hint that something was committed elsewhere. Hints may be lost: whoever waits looks at the database from time to time as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// The user has new events; whether one of them ended a turn.
    Events { user: UserId, ended: bool },
    /// A turn may be waiting.
    Turns,
}

/// The channels: a user has new events; one of them ended a turn (who waits for an answer reads the turn whole, which is not for
/// each of its steps); a turn may be waiting.
const EVENTS: &str = "docket_events";
const ENDS: &str = "docket_ends";
const TURNS: &str = "docket_turns";

/// An open ear.
pub struct Notices {
    listener: Option<PgListener>,
}

impl Store {
    /// Begins to hear what is announced from now on.
    pub async fn notices(&self) -> Result<Notices, Error> {
        let listener = match &self.db {
            Db::Sqlite { .. } => None,
            Db::Pg(pool) => {
                let mut listener = PgListener::connect_with(pool).await?;
                listener.listen_all([EVENTS, ENDS, TURNS]).await?;
                Some(listener)
            }
        };
        Ok(Notices { listener })
    }
}

impl Notices {
    /// Waits for the next notice; for ever on SQLite.
    pub async fn next(&mut self) -> Result<Notice, Error> {
        let Some(listener) = &mut self.listener else { return std::future::pending().await };
        loop {
            let heard = listener.recv().await?;
            if heard.channel() == TURNS {
                return Ok(Notice::Turns);
            }
            // Anything else on this channel is not ours.
            if let Ok(user) = UserId::parse(heard.payload()) {
                return Ok(Notice::Events { user, ended: heard.channel() == ENDS });
            }
        }
    }
}
