//! Backup and restore of SQLite databases (R-1006).
//!
//! A backup uses `VACUUM INTO`: a consistent snapshot in a single file without a log, which blocks no writer. SQLite's online
//! backup API restarts whenever another process writes, so it may never finish under load.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};

use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use tempfile::NamedTempFile;

use super::{Error, Store};

/// Suffixes of the files that SQLite keeps next to an open database.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// A temporary copy of a database, readable by its owner only. Dropping it deletes the file.
pub struct Draft {
    file: NamedTempFile,
    _beside: Beside,
}

/// The files next to a temporary database. SQLite keeps them if it cannot close the database in order.
struct Beside(PathBuf);

impl Drop for Beside {
    fn drop(&mut self) {
        for end in BESIDE {
            fs::remove_file(with(&self.0, end)).ok();
        }
    }
}

impl Draft {
    /// Copies the database at `from`, which may be in use, to a temporary file in the folder of `to`, and flushes it to disk.
    pub fn copy(from: &Path, to: &Path) -> Result<Self, Error> {
        let unwritable = |error: &dyn std::fmt::Display| {
            Error::Open(format!("A copy cannot be written to {}: {error}.", folder(to).display()))
        };
        let named = tempfile::Builder::new().prefix(".docket-copy-").tempfile_in(folder(to));
        let file = named.map_err(|error| unwritable(&error))?;
        let path = file.path().to_str().ok_or_else(|| unwritable(&"its name is not UTF-8"))?;
        let source = open(from)?;
        source.execute("VACUUM INTO ?1", [path]).map_err(|error| unreadable(from, &error))?;
        file.as_file().sync_all().map_err(|error| unwritable(&error))?;
        let beside = Beside(file.path().to_owned());
        Ok(Self { file, _beside: beside })
    }

    /// Returns the path of the temporary file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Opens the copy as a store and migrates it without a backup. Writes are in the file once the store is closed.
    pub async fn store(&self) -> Result<Store, Error> {
        Store::open_draft(&self.url()).await
    }

    /// Opens the copy as a store; `None` if it has the schema of another version.
    pub async fn current_store(&self) -> Result<Option<Store>, Error> {
        Store::open_current(&self.url()).await
    }

    fn url(&self) -> String {
        format!("sqlite://{}", self.path().display())
    }

    /// Renames the copy to `to`. Fails if `to` is a database in use, or if it exists and `replace` is false.
    pub fn keep_as(self, to: &Path, replace: bool) -> Result<(), Error> {
        for path in BESIDE.map(|end| with(to, end)) {
            if path.exists() {
                let why = format!("{} shows that {} is a database in use", path.display(), to.display());
                return Err(Error::Open(format!("{why}: choose another name for the copy.")));
            }
        }
        let kept = if replace { self.file.persist(to) } else { self.file.persist_noclobber(to) };
        kept.map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => {
                Error::Open(format!("{} already exists; choose another name, or add --force.", to.display()))
            }
            _ => Error::Open(format!("{} cannot be written: {}.", to.display(), error.error)),
        })?;
        settle(&folder(to))
    }

    /// Replaces the database at `place` with the copy, which takes its owner and mode. Keeps the previous file as `old`. The
    /// replacement is atomic.
    pub fn replace(self, place: &Path, old: Option<&Path>) -> Result<(), Error> {
        let failed = |error: io::Error| {
            Error::Open(format!("{} cannot be replaced: {error}. Nothing is lost.", place.display()))
        };
        let path = self.file.path();
        if place.exists() {
            take_over(path, place).map_err(failed)?;
        }
        File::open(path).and_then(|file| file.sync_all()).map_err(failed)?;
        if let Some(old) = old {
            let ends: Vec<&str> = BESIDE.into_iter().filter(|end| with(place, end).exists()).collect();
            for end in [""].iter().chain(&ends) {
                link(&with(place, end), &with(old, end)).map_err(failed)?;
            }
            settle(&folder(place))?;
            // These files are hard-linked to the old database's new name; SQLite would apply them to the copy.
            for end in ends {
                fs::remove_file(with(place, end)).map_err(failed)?;
            }
        }
        self.file.persist(place).map_err(|error| failed(error.error))?;
        settle(&folder(place))
    }
}

/// Returns the first problem that SQLite finds in the file; `None` if it is sound.
pub fn damage(file: &Path) -> Result<Option<String>, Error> {
    let conn = open(file)?;
    let ask = |sql: &str| -> Result<Option<String>, rusqlite::Error> {
        conn.prepare(sql)?.query([])?.next()?.map(|row| row.get(0)).transpose()
    };
    let found = ask("PRAGMA integrity_check(1)").map_err(|error| unreadable(file, &error))?;
    if let Some(found) = found.filter(|found| found != "ok") {
        return Ok(Some(found));
    }
    let dangling = ask("PRAGMA foreign_key_check").map_err(|error| unreadable(file, &error))?;
    Ok(dangling.map(|table| format!("a row of {table} refers to one that is not there")))
}

/// Returns the versions of the applied migrations, in order; empty if the file is not a Docket database.
pub fn versions(file: &Path) -> Result<Vec<i64>, Error> {
    let conn = open(file)?;
    let read = || {
        if !conn.table_exists(None, "_sqlx_migrations")? {
            return Ok(vec![]);
        }
        let mut seen = conn.prepare("SELECT version FROM _sqlx_migrations WHERE success ORDER BY version")?;
        seen.query_map([], |row| row.get(0))?.collect()
    };
    read().map_err(|error| unreadable(file, &error))
}

/// Copies the database next to itself before migration `next` and returns the path. Reuses an identical copy and never overwrites
/// one, so repeated failures leave a single copy.
pub fn before_migration(file: &Path, next: i64) -> Result<PathBuf, Error> {
    let draft = Draft::copy(file, file)?;
    let mut to = with(file, &format!(".before-{next:04}"));
    for more in 2.. {
        if !to.exists() {
            break;
        }
        if alike(draft.path(), &to)
            .map_err(|error| Error::Open(format!("{} cannot be read: {error}.", to.display())))?
        {
            return Ok(to);
        }
        to = with(file, &format!(".before-{next:04}-{more}"));
    }
    draft.keep_as(&to, false)?;
    Ok(to)
}

/// Moves the log of an unused database into its file. Leaves a damaged database unchanged.
///
/// # Errors
/// If the database is in use.
pub fn settle_log(file: &Path) -> Result<(), Error> {
    let settled = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .and_then(|conn| conn.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(())));
    match settled.map_err(|error| error.sqlite_error_code()) {
        Err(Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)) => {
            Err(Error::Open(format!("Another program uses {}: end it first.", file.display())))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Returns true if both paths refer to one file.
pub fn same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Longest value of a copy, in bytes: a column that computes a longer one is refused and not computed.
const LONGEST_VALUE: i32 = 64 << 20;

/// Opens an existing database read-only.
fn open(file: &Path) -> Result<Connection, Error> {
    if !file.is_file() {
        return Err(Error::Open(format!("There is no file {}.", file.display())));
    }
    Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .and_then(|conn| conn.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE).map(|_| conn))
        .map_err(|error| unreadable(file, &error))
}

fn unreadable(file: &Path, error: &rusqlite::Error) -> Error {
    let why = match error {
        rusqlite::Error::SqliteFailure(code, message) => message.clone().unwrap_or_else(|| code.to_string()),
        other => other.to_string(),
    };
    Error::Open(format!("The database file {} cannot be copied: {why}.", file.display()))
}

/// Returns true if both files have the same content.
fn alike(one: &Path, other: &Path) -> io::Result<bool> {
    if fs::metadata(one)?.len() != fs::metadata(other)?.len() {
        return Ok(false);
    }
    let (mut one, mut other) = (BufReader::new(File::open(one)?), BufReader::new(File::open(other)?));
    loop {
        let (here, there) = (one.fill_buf()?, other.fill_buf()?);
        let both = here.len().min(there.len());
        if here[..both] != there[..both] {
            return Ok(false);
        }
        if both == 0 {
            return Ok(true);
        }
        one.consume(both);
        other.consume(both);
    }
}

/// Gives a file the owner and mode of another.
fn take_over(file: &Path, from: &Path) -> io::Result<()> {
    let (own, theirs) = (fs::metadata(file)?, fs::metadata(from)?);
    #[cfg(unix)]
    if (own.uid(), own.gid()) != (theirs.uid(), theirs.gid()) {
        chown(file, Some(theirs.uid()), Some(theirs.gid())).map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => {
                io::Error::new(error.kind(), "it belongs to somebody else, as whom this is to be run")
            }
            _ => error,
        })?;
    }
    if own.permissions() != theirs.permissions() {
        fs::set_permissions(file, theirs.permissions())?;
    }
    Ok(())
}

/// Creates a hard link, or a copy on file systems without hard links.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to).or_else(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Err(error),
        _ => fs::copy(from, to).and_then(|_| File::open(to)?.sync_all()),
    })
}

/// Flushes a folder's entries to disk.
fn settle(folder: &Path) -> Result<(), Error> {
    let settled = File::open(folder).and_then(|folder| folder.sync_all());
    settled.map_err(|error| Error::Open(format!("The folder {} cannot be written: {error}.", folder.display())))
}

fn folder(file: &Path) -> PathBuf {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).to_owned()
}

fn with(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    name.into()
}
