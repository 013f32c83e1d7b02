//! Permissions of the server's own files, which earlier versions left open to other users of the machine.

use crate::config::Config;
use crate::usecases::Seal;
use crate::usecases::private_files::{self, Tightened};

/// Makes the files private. Call it before the database is open.
pub fn tighten(config: &Config) -> Tightened {
    let seal = Seal::new(config.checkpoint_key.clone(), config.checkpoint_log.clone());
    private_files::tighten(config.sqlite_file(), &seal)
}

/// Logs which files were not private, in one line. A file of another user is a warning and no reason not to start.
pub fn log(done: &Tightened) {
    if !done.changed.is_empty() {
        let files = list(done.changed.iter().map(|path| path.display().to_string()));
        tracing::warn!(files, "other users of this machine had rights on these; only their owner has any now");
    }
    if !done.failed.is_empty() {
        let files = list(done.failed.iter().map(|(path, why)| format!("{} ({why})", path.display())));
        tracing::warn!(files, "other users of this machine have rights on these, which could not be taken from them");
    }
}

fn list(files: impl Iterator<Item = String>) -> String {
    files.collect::<Vec<_>>().join(", ")
}
