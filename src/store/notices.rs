//! What other processes on the same PostgreSQL announce. SQLite serves one process, so there is nothing to hear.

use sqlx::postgres::PgListener;

use super::{Db, Error, Store};
use crate::domain::id::UserId;

/// A hint that something was committed elsewhere. Hints may be lost: whoever waits looks at the database from time to time as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// The user has new events.
    Events { user: UserId },
    /// A turn may be waiting.
    Turns,
}

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
                listener.listen_all(["docket_events", "docket_turns"]).await?;
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
            if heard.channel() == "docket_turns" {
                return Ok(Notice::Turns);
            }
            // Anything else on this channel is not ours.
            if let Ok(user) = UserId::parse(heard.payload()) {
                return Ok(Notice::Events { user });
            }
        }
    }
}
