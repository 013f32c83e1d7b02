//! Notices between processes by PostgreSQL's `LISTEN` and `NOTIFY`. SQLite serves a single process and has none.

use sqlx::postgres::PgListener;

use super::{Db, Error, Store};
use crate::domain::id::UserId;

/// A hint that another process committed something. Notices can be lost, so receivers also poll the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// The user has new events; `ended` is true if one of them ended a turn.
    Events { user: UserId, ended: bool },
    /// A turn may be queued.
    Turns,
}

/// Notification channels. `ENDS` is separate from `EVENTS` because its receivers reload the whole turn, which would be wasteful
/// at each step.
const EVENTS: &str = "docket_events";
const ENDS: &str = "docket_ends";
const TURNS: &str = "docket_turns";

/// A subscription to notices.
pub struct Listener {
    listener: Option<PgListener>,
}

impl Store {
    /// Subscribes to notices sent from now on.
    pub async fn notices(&self) -> Result<Listener, Error> {
        let listener = match &self.db {
            Db::Sqlite { .. } => None,
            Db::Pg(pool) => {
                let mut listener = PgListener::connect_with(pool).await?;
                listener.listen_all([EVENTS, ENDS, TURNS]).await?;
                Some(listener)
            }
        };
        Ok(Listener { listener })
    }
}

impl Listener {
    /// Returns the next notice. Never resolves on SQLite.
    pub async fn next(&mut self) -> Result<Notice, Error> {
        let Some(listener) = &mut self.listener else { return std::future::pending().await };
        loop {
            let heard = listener.recv().await?;
            if heard.channel() == TURNS {
                return Ok(Notice::Turns);
            }
            // Ignore unknown payloads.
            if let Ok(user) = UserId::parse(heard.payload()) {
                return Ok(Notice::Events { user, ended: heard.channel() == ENDS });
            }
        }
    }
}
