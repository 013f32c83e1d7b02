//! Names of files that Docket creates next to its database, key and log.

use std::path::{Path, PathBuf};

/// Suffixes of files that belong to a database or to a kept copy.
const BESIDE_A_DATABASE: &[&str] = &["", "-wal", "-shm", "-journal", ".lock"];
/// Infixes of names under which Docket keeps replaced files.
const KEPT: &[&str] = &[".before-", ".replaced-"];
/// Prefix of a temporary copy.
pub const DRAFT: &str = ".docket-copy-";

/// A configured path of a file that Docket creates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Database(PathBuf),
    /// The key that signs checkpoints.
    Key(PathBuf),
    /// The log of checkpoints.
    Log(PathBuf),
}

impl Place {
    pub fn path(&self) -> &Path {
        match self {
            Self::Database(path) | Self::Key(path) | Self::Log(path) => path,
        }
    }

    /// Returns the same kind of place at another path.
    pub(super) fn at(&self, path: PathBuf) -> Self {
        match self {
            Self::Database(_) => Self::Database(path),
            Self::Key(_) => Self::Key(path),
            Self::Log(_) => Self::Log(path),
        }
    }

    /// Returns true if Docket created the file `name` in this place's folder for it.
    pub(super) fn owns(&self, name: &str) -> bool {
        let Some(own) = self.path().file_name().and_then(|own| own.to_str()) else { return false };
        let Some(end) = name.strip_prefix(own) else {
            return matches!(self, Self::Database(_)) && name.starts_with(DRAFT);
        };
        let kept = KEPT.iter().any(|start| end.starts_with(start));
        match self {
            Self::Database(_) => BESIDE_A_DATABASE.contains(&end) || kept,
            Self::Key(_) => end.is_empty(),
            Self::Log(_) => end.is_empty() || kept,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_owns_what_docket_writes_beside_it() {
        let database = Place::Database("data/docket.db".into());
        for own in [
            "docket.db",
            "docket.db-wal",
            "docket.db-shm",
            "docket.db-journal",
            "docket.db.lock",
            "docket.db.before-0043",
            "docket.db.before-0043-2",
            "docket.db.replaced-2026-11-27T10-00-00.000Z-wal",
            ".docket-copy-a1b2c3",
        ] {
            assert!(database.owns(own), "{own}");
        }
        for other in ["docket.db.txt", "docket.dbx", "other.db", "docket", "checkpoints.log", "backup.db", ""] {
            assert!(!database.owns(other), "{other}");
        }
        let (key, log) = (Place::Key("data/checkpoint.key".into()), Place::Log("data/checkpoints.log".into()));
        assert!(key.owns("checkpoint.key") && !key.owns("checkpoint.key.replaced-1") && !key.owns(".docket-copy-a"));
        assert!(
            log.owns("checkpoints.log") && log.owns("checkpoints.log.replaced-1") && !log.owns("checkpoints.log-wal")
        );
    }
}
