//! Detection of Docket's own files under any path.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::folder_of;
use super::names::Place;

/// Returns true if writing to `file` would replace or change one of Docket's files at these places.
pub fn is_own(file: &Path, places: &[Place]) -> bool {
    let files = paths_of(file);
    places.iter().any(|place| {
        is_same(file, place.path())
            || paths_of(place.path()).into_iter().map(|path| place.at(path)).any(|place| {
                files.iter().any(|file| {
                    let name = file.file_name().and_then(|name| name.to_str());
                    file.parent() == place.path().parent() && name.is_some_and(|name| place.owns(name))
                })
            })
    })
}

/// Returns the path with its folder resolved, and the resolved path if it exists.
fn paths_of(path: &Path) -> Vec<PathBuf> {
    let folder = folder_of(path);
    let folder = folder.canonicalize().unwrap_or(folder);
    let named = path.file_name().map(|name| folder.join(name));
    named.into_iter().chain(path.canonicalize()).collect()
}

/// Returns true if both names refer to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let (Ok(one), Ok(other)) = (fs::metadata(one), fs::metadata(other)) else { return false };
    #[cfg(unix)]
    return (one.dev(), one.ino()) == (other.dev(), other.ino());
    #[cfg(not(unix))]
    {
        let _ = (one, other);
        false
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn own_files_are_known_by_every_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("data")).unwrap();
        for name in ["docket.db", "checkpoint.key", "checkpoints.log"] {
            fs::write(at("data").join(name), "").unwrap();
        }
        symlink(at("data"), at("link")).unwrap();
        symlink(at("data/docket.db"), at("link.db")).unwrap();
        fs::hard_link(at("data/checkpoint.key"), at("other.key")).unwrap();
        let places = [
            Place::Database(at("data/docket.db")),
            Place::Key(at("link/checkpoint.key")),
            Place::Log(at("data/checkpoints.log")),
        ];
        for own in [
            "data/docket.db",
            "data/docket.db-wal",
            "data/docket.db-shm",
            "data/docket.db.lock",
            "data/docket.db.before-0003",
            "data/../data/docket.db",
            "link/docket.db-wal",
            "link.db",
            "data/checkpoint.key",
            "link/checkpoint.key",
            "other.key",
            "data/checkpoints.log",
        ] {
            assert!(is_own(&at(own), &places), "{own}");
        }
        for other in ["data/copy.db", "docket.db", "data/docket.db.jsonl", "missing/docket.db"] {
            assert!(!is_own(&at(other), &places), "{other}");
        }
        // The database by the name of a symbolic link, with the files next to the link's target.
        let places = [Place::Database(at("link.db"))];
        assert!(is_own(&at("data/docket.db-wal"), &places) && is_own(&at("link.db"), &places));
    }
}
