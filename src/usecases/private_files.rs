//! Files that only their owner can use: the ones that Docket creates, and those of earlier versions at a start.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

use super::checkpoints::Seal;
use crate::store::private_files::{self, Place};

/// What [`tighten`] changed, and what it could not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tightened {
    pub changed: Vec<PathBuf>,
    /// Paths that are still open to others, each with the reason.
    pub failed: Vec<(PathBuf, String)>,
}

/// Takes from others what they could read of the database, the key, the log and their folders. Call it before the database is open.
pub fn tighten(database: Option<PathBuf>, seal: &Seal) -> Tightened {
    let private_files::Tightened { changed, failed } = private_files::tighten(&places(database, seal));
    Tightened { changed, failed }
}

/// Returns true if writing to `file` would replace or change a file that the database or its record lives in, or one that Docket keeps
/// beside them.
pub fn is_own(file: &Path, database: Option<PathBuf>, seal: &Seal) -> bool {
    private_files::is_own(file, &places(database, seal))
}

fn places(database: Option<PathBuf>, Seal(files): &Seal) -> Vec<Place> {
    let places = [Place::Key(files.key.clone()), Place::Log(files.log.clone())];
    database.map(Place::Database).into_iter().chain(places).collect()
}

/// Creates a folder and its missing parents for their owner alone.
///
/// # Errors
/// Those of the file system.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    private_files::create_folder(folder)
}

/// Options that create a missing file for its owner alone.
pub fn options() -> OpenOptions {
    private_files::options()
}
