//! One server per SQLite file: a lock file next to it, released by the operating system when the process ends.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use super::Error;
use crate::config::Config;
use crate::usecases::private_files;

/// Locks the configured SQLite file; PostgreSQL needs no lock, since it serves several processes. Of the other commands, only
/// `restore` and `copy` take the lock, as they need exclusive access.
pub fn take(config: &Config) -> Result<Option<File>, Error> {
    config.sqlite_file().map(|file| take_beside(&file)).transpose()
}

fn take_beside(database: &Path) -> Result<File, Error> {
    let unusable = |error: std::io::Error| {
        Error::Locked(format!("The database file {} cannot be used: {error}.", database.display()))
    };
    if let Some(folder) = database.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        private_files::create_folder(folder).map_err(unusable)?;
    }
    // Several paths may lead to the same file.
    let real = database.canonicalize().unwrap_or_else(|_| database.to_owned());
    let lock = private_files::options().truncate(false).write(true).open(beside(&real)).map_err(unusable)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(Error::Locked(format!(
            "Another Docket server already uses {}; stop it first, or use PostgreSQL, which supports several servers.",
            database.display()
        ))),
        Err(TryLockError::Error(error)) => Err(unusable(error)),
    }
}

fn beside(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}
