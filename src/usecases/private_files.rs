//! File permissions: files that Docket creates are private, and files of earlier versions become private at startup.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

use super::checkpoints::CheckpointSigner;
use crate::store::private_files::{self, Place};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tightened {
    pub changed: Vec<PathBuf>,
    /// Paths that others can still access, with the reason.
    pub failed: Vec<(PathBuf, String)>,
}

/// Makes the database, the key, the log and their folders private. Must run before the database is opened.
pub fn tighten(database: Option<PathBuf>, seal: &CheckpointSigner) -> Tightened {
    let private_files::Tightened { changed, failed } = private_files::tighten(&places(database, seal));
    Tightened { changed, failed }
}

/// Returns true if writing to `file` would change a file of the database or the audit log, or one next to them.
pub fn is_own(file: &Path, database: Option<PathBuf>, seal: &CheckpointSigner) -> bool {
    private_files::is_own(file, &places(database, seal))
}

fn places(database: Option<PathBuf>, CheckpointSigner(files, _): &CheckpointSigner) -> Vec<Place> {
    let places = [Place::Key(files.key.clone()), Place::Log(files.log.clone())];
    database.map(Place::Database).into_iter().chain(places).collect()
}

/// Creates a folder and its missing parents, accessible only to their owner.
///
/// # Errors
/// Errors of the file system.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    private_files::create_folder(folder)
}

/// Returns options that create a missing file for its owner only.
pub fn options() -> OpenOptions {
    private_files::options()
}
