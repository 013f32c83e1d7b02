//! SQLite's single write connection. Writers queue, and the last one commits for all that finished before it (group commit). No
//! writer returns from a commit before it is on disk.

use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};
use tokio::time::sleep;

use super::sqlite::Connection;

/// Maximum number of writers that share a commit.
const MOST: usize = 64;
/// Time after which a writer that left its commit to others checks whether any came.
const NOBODY_CAME: Duration = Duration::from_millis(20);

/// The write connection and its queue.
#[derive(Clone)]
pub(super) struct Writer {
    shared: Arc<Mutex<Shared>>,
    /// Number of writers in the queue.
    waiting: Arc<AtomicUsize>,
    /// Timeout for the queue.
    patience: Duration,
}

struct Shared {
    /// `None` once closed.
    conn: Option<Connection>,
    /// True if a transaction is open.
    open: bool,
    /// Writers in the open transaction that wait for its commit. Each but the first has a savepoint.
    written: Vec<oneshot::Sender<Result<(), Lost>>>,
}

/// The shared commit failed; the error was logged.
struct Lost;

/// Exclusive use of the connection. Writes are rolled back when it is dropped without [`Writing::commit`].
pub(super) struct Writing {
    writer: Writer,
    /// `None` once released.
    shared: Option<OwnedMutexGuard<Shared>>,
    /// True from the start of the commit: a cancelled commit may still take effect.
    releasing: bool,
    /// True if the commit is shared with no other writer.
    alone: bool,
}

/// Decrements the queue length when dropped, also on timeout and cancellation.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A commit left to another writer. Dropping it makes the commit, since the other writer may be cancelled too and an open
/// transaction blocks other processes.
struct Left(Option<Writer>);

impl Drop for Left {
    fn drop(&mut self) {
        if let (Some(writer), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(async move { writer.settle().await });
        }
    }
}

impl Writer {
    pub fn new(conn: Connection, patience: Duration) -> Self {
        let shared = Shared { conn: Some(conn), open: false, written: vec![] };
        Self { shared: Arc::new(Mutex::new(shared)), waiting: Arc::default(), patience }
    }

    /// Waits for the connection and begins to write.
    pub async fn begin(&self) -> Result<Writing, sqlx::Error> {
        self.open(self.turn().await?, false)
    }

    /// Like [`begin`](Self::begin), for long work: commits what earlier writers left, and shares no commit. They do not wait for the work,
    /// and SQLite keeps no savepoint of its pages in memory.
    pub async fn begin_alone(&self) -> Result<Writing, sqlx::Error> {
        let mut shared = self.turn().await?;
        shared.settle()?;
        self.open(shared, true)
    }

    fn open(&self, shared: OwnedMutexGuard<Shared>, alone: bool) -> Result<Writing, sqlx::Error> {
        let mut writing = Writing { writer: self.clone(), shared: Some(shared), releasing: false, alone };
        let shared = writing.shared.as_mut().expect("it was just put there");
        if !shared.open {
            // A deferred transaction fails on upgrade if another process has written meanwhile.
            shared.run("BEGIN IMMEDIATE")?;
            shared.open = true;
        }
        if !shared.written.is_empty() {
            shared.run("SAVEPOINT writer")?;
        }
        Ok(writing)
    }

    /// Rewrites the file and empties the log. Blocks other writers.
    pub async fn vacuum(&self) -> Result<(), sqlx::Error> {
        let mut shared = self.turn().await?;
        // This can take long, so it must not block an async thread.
        let done = tokio::task::spawn_blocking(move || {
            shared.settle()?;
            shared.conn.as_mut().ok_or(sqlx::Error::PoolClosed)?.vacuum()
        });
        done.await.map_err(|error| sqlx::Error::Io(error.into()))?
    }

    /// Waits for the current writer, then closes the connection.
    pub async fn close(&self) {
        let mut shared = self.shared.lock().await;
        shared.settle().ok();
        shared.conn = None;
    }

    async fn turn(&self) -> Result<OwnedMutexGuard<Shared>, sqlx::Error> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let waiting = Waiting(&self.waiting);
        let shared = tokio::time::timeout(self.patience, self.shared.clone().lock_owned()).await;
        drop(waiting);
        let shared = shared.map_err(|_| sqlx::Error::PoolTimedOut)?;
        if shared.conn.is_none() { Err(sqlx::Error::PoolClosed) } else { Ok(shared) }
    }

    /// Commits for waiting writers if no other writer came.
    async fn settle(&self) {
        self.shared.lock().await.settle().ok();
    }
}

impl Shared {
    fn run(&mut self, sql: &str) -> Result<(), sqlx::Error> {
        self.conn.as_mut().ok_or(sqlx::Error::PoolClosed)?.command(sql)
    }

    /// Ends the open transaction and notifies all writers in it.
    fn settle(&mut self) -> Result<(), sqlx::Error> {
        if !mem::take(&mut self.open) {
            return Ok(());
        }
        let done = match &mut self.conn {
            Some(conn) if self.written.is_empty() => conn.command("ROLLBACK"),
            Some(conn) => conn.commit(),
            None => Err(sqlx::Error::PoolClosed),
        };
        if let Err(error) = &done {
            self.lose(error);
        }
        for writer in self.written.drain(..) {
            writer.send(Ok(())).ok();
        }
        done
    }

    /// Returns an error if SQLite has rolled back the transaction by itself, e.g. on a full disk.
    fn still_open(&self) -> Result<(), sqlx::Error> {
        let open = self.conn.as_ref().is_some_and(Connection::in_transaction);
        if open { Ok(()) } else { Err(sqlx::Error::Protocol("the transaction is gone".into())) }
    }

    /// Rolls back a transaction that cannot be committed and notifies all writers in it.
    fn lose(&mut self, error: &sqlx::Error) {
        tracing::error!(%error, writers = self.written.len(), "a commit failed");
        self.open = false;
        self.run("ROLLBACK").ok();
        for writer in self.written.drain(..) {
            writer.send(Err(Lost)).ok();
        }
    }

    /// Rolls back the changes of one writer.
    fn undo(&mut self) {
        if !self.open {
            return;
        }
        if self.written.is_empty() {
            self.settle().ok();
            return;
        }
        let undone = match self.run("ROLLBACK TO SAVEPOINT writer") {
            Ok(()) => self.run("RELEASE SAVEPOINT writer"),
            failed => failed,
        };
        // SQLite has rolled back the whole transaction, e.g. on a full disk.
        if let Err(error) = undone {
            self.lose(&error);
        }
    }
}

impl Writing {
    /// Waits until the writes are on disk.
    pub async fn commit(mut self) -> Result<(), sqlx::Error> {
        self.releasing = true;
        let shared = self.shared.as_mut().expect("a turn is passed on once");
        // Without a savepoint, check that SQLite has not rolled back the transaction.
        let kept = if shared.written.is_empty() { shared.still_open() } else { shared.run("RELEASE SAVEPOINT writer") };
        if let Err(error) = kept {
            shared.lose(&error);
            self.shared = None;
            return Err(error);
        }
        let (done, mut committed) = oneshot::channel();
        shared.written.push(done);
        if self.writer.waiting.load(Ordering::SeqCst) == 0 && (2..MOST).contains(&shared.written.len()) {
            // Under load more writers are likely to follow: yield once. A lone writer would block other processes.
            tokio::task::yield_now().await;
        }
        let shared = self.shared.as_mut().expect("a turn is passed on once");
        if self.alone || self.writer.waiting.load(Ordering::SeqCst) == 0 || shared.written.len() >= MOST {
            shared.settle()?;
        }
        self.shared = None;
        let mut left = Left(Some(self.writer.clone()));
        loop {
            tokio::select! {
                biased;
                done = &mut committed => {
                    left.0 = None;
                    return match done {
                        Ok(Ok(())) => Ok(()),
                        Ok(Err(Lost)) | Err(_) => Err(sqlx::Error::WorkerCrashed),
                    };
                }
                () = async { sleep(NOBODY_CAME).await; self.writer.settle().await } => {}
            }
        }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        let Some(mut shared) = self.shared.take() else { return };
        if !self.releasing {
            shared.undo();
        }
        if self.writer.waiting.load(Ordering::SeqCst) == 0 {
            shared.settle().ok();
        }
    }
}

impl Deref for Writing {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.shared.as_ref().and_then(|shared| shared.conn.as_ref()).expect("a turn has the open connection")
    }
}

impl DerefMut for Writing {
    fn deref_mut(&mut self) -> &mut Connection {
        self.shared.as_mut().and_then(|shared| shared.conn.as_mut()).expect("a turn has the open connection")
    }
}
