//! Wakes listeners. It carries who and how far, never what: the events themselves are in the database.

use tokio::sync::broadcast;

use crate::domain::id::UserId;

/// How many signals a slow listener may fall behind; falling behind costs it a look at the database, nothing else.
const BACKLOG: usize = 1024;

/// A signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// The user's events have reached this number.
    Events { user: UserId, seq: i64 },
    /// A turn may be waiting for a worker.
    Turns,
}

/// The process's signal board.
#[derive(Debug, Clone)]
pub struct Live {
    board: broadcast::Sender<Wake>,
}

impl Default for Live {
    fn default() -> Self {
        Self { board: broadcast::Sender::new(BACKLOG) }
    }
}

impl Live {
    /// Wakes everyone who listens; nobody listening is fine.
    pub fn wake(&self, wake: Wake) {
        // The only error is that nobody listens.
        self.board.send(wake).ok();
    }

    /// Hears every signal from now on.
    pub fn listen(&self) -> Listener {
        Listener { board: self.board.subscribe() }
    }
}

/// One ear on the board.
#[derive(Debug)]
pub struct Listener {
    board: broadcast::Receiver<Wake>,
}

impl Listener {
    /// Waits until `user` may have events that were not there before; `false` when the board is gone.
    pub async fn events_of(&mut self, user: UserId) -> bool {
        self.until(|wake| matches!(wake, Wake::Events { user: woken, .. } if woken == user)).await
    }

    /// Waits until a turn may be waiting; `false` when the board is gone.
    pub async fn turns(&mut self) -> bool {
        self.until(|wake| wake == Wake::Turns).await
    }

    async fn until(&mut self, wanted: impl Fn(Wake) -> bool) -> bool {
        loop {
            match self.board.recv().await {
                Ok(wake) if wanted(wake) => return true,
                Ok(_) => {}
                // What was missed may have been for this listener.
                Err(broadcast::error::RecvError::Lagged(_)) => return true,
                Err(broadcast::error::RecvError::Closed) => return false,
            }
        }
    }
}
