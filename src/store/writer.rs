//! SQLite's one writing connection. Whoever is through while others wait leaves the commit to them: one wait for the disk then
//! serves all (group commit). Nobody is told of a commit before it is on the disk.

use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};
use tokio::time::sleep;

use super::sqlite::Connection;

/// Most writers that share one commit; the first of them waits for all.
const MOST: usize = 64;
/// After how long a writer that left its commit to others looks whether they came.
const NOBODY_CAME: Duration = Duration::from_millis(20);

/// The writing connection and its queue.
#[derive(Clone)]
pub(super) struct Writer {
    shared: Arc<Mutex<Shared>>,
    /// How many wait for their turn.
    waiting: Arc<AtomicUsize>,
    /// How long one waits for it.
    patience: Duration,
}

struct Shared {
    /// `None` once it was closed.
    conn: Option<Connection>,
    /// Whether a transaction is open.
    open: bool,
    /// Those who wrote in it and wait for its commit. After the first of them each has a savepoint.
    written: Vec<oneshot::Sender<Result<(), Lost>>>,
}

/// The commit that one's writes were part of failed; it was logged when it did.
struct Lost;

/// One's turn at the connection: what it writes is rolled back when it is dropped without [`Writing::commit`].
pub(super) struct Writing {
    writer: Writer,
    /// `None` once the turn was passed on.
    shared: Option<OwnedMutexGuard<Shared>>,
    /// Whether the turn was over: what was cut off then may have been committed.
    releasing: bool,
}

/// Counts who waits, also when they give up.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A commit that its writer left to others. One who stops waiting for it sees to it that it is made all the same: those others may have
/// gone as well, and an open transaction keeps other processes out.
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

    /// Waits for one's turn to write.
    pub async fn begin(&self) -> Result<Writing, sqlx::Error> {
        let shared = self.turn().await?;
        let mut writing = Writing { writer: self.clone(), shared: Some(shared), releasing: false };
        let shared = writing.shared.as_mut().expect("it was just put there");
        if !shared.open {
            // A deferred transaction that upgrades would fail at once when another process wrote meanwhile.
            shared.run("BEGIN IMMEDIATE")?;
            shared.open = true;
        }
        if !shared.written.is_empty() {
            shared.run("SAVEPOINT writer")?;
        }
        Ok(writing)
    }

    /// Writes the file anew and empties the log, while nobody else writes.
    pub async fn vacuum(&self) -> Result<(), sqlx::Error> {
        let mut shared = self.turn().await?;
        // It takes long where there is much: not on a thread that others wait for.
        let done = tokio::task::spawn_blocking(move || {
            shared.settle()?;
            shared.conn.as_mut().ok_or(sqlx::Error::PoolClosed)?.vacuum()
        });
        done.await.map_err(|error| sqlx::Error::Io(error.into()))?
    }

    /// Closes the connection after what is being written.
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

    /// Commits for those who left it to others, where no others came.
    async fn settle(&self) {
        self.shared.lock().await.settle().ok();
    }
}

impl Shared {
    fn run(&mut self, sql: &str) -> Result<(), sqlx::Error> {
        self.conn.as_mut().ok_or(sqlx::Error::PoolClosed)?.command(sql)
    }

    /// Ends the open transaction, and tells all who wrote in it.
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

    /// An error where SQLite has rolled the transaction back by itself, e.g. because the disk is full.
    fn still_open(&self) -> Result<(), sqlx::Error> {
        let open = self.conn.as_ref().is_some_and(Connection::in_transaction);
        if open { Ok(()) } else { Err(sqlx::Error::Protocol("the transaction is gone".into())) }
    }

    /// The transaction cannot be committed: nothing of it is kept, and all who wrote in it hear so.
    fn lose(&mut self, error: &sqlx::Error) {
        tracing::error!(%error, writers = self.written.len(), "a commit failed");
        self.open = false;
        self.run("ROLLBACK").ok();
        for writer in self.written.drain(..) {
            writer.send(Err(Lost)).ok();
        }
    }

    /// Takes back what one writer did.
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
        // SQLite has given up the whole transaction, e.g. because the disk is full.
        if let Err(error) = undone {
            self.lose(&error);
        }
    }
}

impl Writing {
    /// Waits until what was written is on the disk.
    pub async fn commit(mut self) -> Result<(), sqlx::Error> {
        self.releasing = true;
        let shared = self.shared.as_mut().expect("a turn is passed on once");
        // Without a savepoint this finds out as well whether SQLite has given the transaction up.
        let kept = if shared.written.is_empty() { shared.still_open() } else { shared.run("RELEASE SAVEPOINT writer") };
        if let Err(error) = kept {
            shared.lose(&error);
            self.shared = None;
            return Err(error);
        }
        let (done, mut committed) = oneshot::channel();
        shared.written.push(done);
        if self.writer.waiting.load(Ordering::SeqCst) == 0 && (2..MOST).contains(&shared.written.len()) {
            // Where many write, more are about to: they may come first. Not so where one does, who would keep other processes waiting.
            tokio::task::yield_now().await;
        }
        let shared = self.shared.as_mut().expect("a turn is passed on once");
        if self.writer.waiting.load(Ordering::SeqCst) == 0 || shared.written.len() >= MOST {
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
