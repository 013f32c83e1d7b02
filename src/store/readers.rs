//! SQLite's read connections, opened on demand.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::sqlite::{Connection, Location};

/// Maximum number of concurrent readers.
const MOST: u32 = 8;

/// A pool of read connections.
#[derive(Clone)]
pub(super) struct Readers {
    at: Location,
    idle: Arc<Mutex<Vec<Connection>>>,
    free: Arc<Semaphore>,
    /// Timeout for acquiring a connection.
    patience: Duration,
}

/// A read connection that returns to the pool when dropped.
pub(super) struct Reading {
    readers: Readers,
    /// `None` while being dropped.
    conn: Option<Connection>,
    /// True if a transaction is open.
    within: bool,
    _permit: OwnedSemaphorePermit,
}

impl Readers {
    pub fn new(at: Location, patience: Duration) -> Self {
        Self { at, idle: Arc::default(), free: Arc::new(Semaphore::new(MOST as usize)), patience }
    }

    /// Returns a connection for a single statement.
    pub async fn peek(&self) -> Result<Reading, sqlx::Error> {
        let permit = tokio::time::timeout(self.patience, self.free.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| sqlx::Error::PoolTimedOut)?.map_err(|_| sqlx::Error::PoolClosed)?;
        let idle = self.idle().pop();
        let conn = match idle {
            Some(conn) => conn,
            None => Connection::open(&self.at, true, false, self.patience)?,
        };
        Ok(Reading { readers: self.clone(), conn: Some(conn), within: false, _permit: permit })
    }

    /// Returns a connection with an open transaction, for several statements on one snapshot.
    pub async fn begin(&self) -> Result<Reading, sqlx::Error> {
        let mut reading = self.peek().await?;
        reading.command("BEGIN")?;
        reading.within = true;
        Ok(reading)
    }

    /// Waits for running reads, then closes the connections.
    pub async fn close(&self) {
        drop(self.free.acquire_many(MOST).await);
        self.free.close();
        self.idle().clear();
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let Some(mut conn) = self.conn.take() else { return };
        // Close the connection if its transaction cannot be ended.
        if !self.within || conn.command("ROLLBACK").is_ok() {
            self.readers.idle().push(conn);
        }
    }
}

impl Deref for Reading {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.conn.as_ref().expect("it is given back only when dropped")
    }
}

impl DerefMut for Reading {
    fn deref_mut(&mut self) -> &mut Connection {
        self.conn.as_mut().expect("it is given back only when dropped")
    }
}
