//! Permissions of the server's own files, which earlier versions left readable by other users of the machine.

use crate::config::Config;
use crate::usecases::CheckpointSigner;
use crate::usecases::private_files::{self, Tightened};

/// Makes the files private. Must run before the database is opened.
pub fn tighten(config: &Config) -> Tightened {
    let seal = CheckpointSigner::new(config.checkpoint_key.clone(), config.checkpoint_log.clone());
    private_files::tighten(config.sqlite_file(), &seal)
}

/// Logs the files that were not private, in one line. A file of another user causes a warning only.
pub fn log(done: &Tightened) {
    if !done.changed.is_empty() {
        let files = list(done.changed.iter().map(|path| path.display().to_string()));
        tracing::warn!(
            files,
            "other users of this machine had access to these files; access is now restricted to the owner"
        );
    }
    if !done.failed.is_empty() {
        let files = list(done.failed.iter().map(|(path, why)| format!("{} ({why})", path.display())));
        tracing::warn!(files, "other users of this machine have access to these files, which could not be restricted");
    }
}

fn list(files: impl Iterator<Item = String>) -> String {
    files.collect::<Vec<_>>().join(", ")
}
