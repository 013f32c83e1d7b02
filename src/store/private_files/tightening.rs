//! Removes other users' access to existing files at server start.

use std::path::PathBuf;

use super::names::Place;

/// Result of [`tighten`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tightened {
    pub changed: Vec<PathBuf>,
    /// Paths still accessible to others, each with the reason.
    pub failed: Vec<(PathBuf, String)>,
}

/// Removes the permissions of group and others from Docket's files at these places, and from folders that contain nothing else.
///
/// Leaves a folder that contains other files, belongs to another user or has the sticky bit (`/tmp`), and the working directory
/// named as `.`. With an access control list, only the permissions of others are removed. A symbolic link at a configured path is
/// followed; others are ignored.
///
/// Call it before opening SQLite: closing a second descriptor of a file releases the process's locks on it.
pub fn tighten(places: &[Place]) -> Tightened {
    #[cfg(unix)]
    return unix::tighten(places);
    #[cfg(not(unix))]
    {
        let _ = places;
        Tightened::default()
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::{File, OpenOptions, Permissions};
    use std::io::{self, Read as _};
    use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
    use std::path::{Component, Path, PathBuf};

    use rustix::fs::OFlags;

    use super::Tightened;
    use crate::store::private_files::folder_of;
    use crate::store::private_files::names::Place;

    const GROUP_AND_OTHERS: u32 = 0o077;
    const OTHERS: u32 = 0o007;
    const STICKY: u32 = 0o1000;
    /// Header of a non-empty SQLite database.
    const MAGIC: &[u8] = b"SQLite format 3\0";

    pub fn tighten(places: &[Place]) -> Tightened {
        let places: Vec<Place> = places.iter().map(resolved).filter(is_plausible).collect();
        let mut folders: Vec<PathBuf> = places.iter().map(|place| folder_of(place.path())).collect();
        folders.sort();
        folders.dedup();
        let mut done = Tightened::default();
        for folder in folders {
            let here: Vec<&Place> = places.iter().filter(|place| folder_of(place.path()) == folder).collect();
            tighten_in(&folder, &here, &mut done);
        }
        done
    }

    /// Resolves links in the path, since SQLite creates files next to a link's target.
    fn resolved(place: &Place) -> Place {
        let path = place.path();
        let real = match path.canonicalize() {
            // A bare name specifies no folder, so the folder is left alone.
            _ if !names_a_folder(path) && !path.is_symlink() => path.to_owned(),
            Ok(real) => real,
            Err(_) => match (folder_of(path).canonicalize(), path.file_name()) {
                (Ok(folder), Some(name)) => folder.join(name),
                _ => path.to_owned(),
            },
        };
        match place {
            Place::Database(_) => Place::Database(real),
            Place::Key(_) => Place::Key(real),
            Place::Log(_) => Place::Log(real),
        }
    }

    /// Returns false for an existing file that is not a database, which a mistyped path may name.
    fn is_plausible(place: &Place) -> bool {
        let Place::Database(path) = place else { return true };
        let Ok(about) = path.metadata() else { return true };
        let mut head = vec![];
        about.is_file()
            && File::open(path)
                .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut head))
                .is_ok_and(|_| head.is_empty() || head == MAGIC)
    }

    /// Returns true if the path has a folder other than `.`.
    fn names_a_folder(path: &Path) -> bool {
        folder_of(path).components().any(|part| part != Component::CurDir)
    }

    fn tighten_in(folder: &Path, places: &[&Place], done: &mut Tightened) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut alone = true;
        for entry in entries.flatten() {
            let owned = entry.file_name().to_str().is_some_and(|name| places.iter().any(|place| place.owns(name)));
            if !owned {
                alone = false;
                continue;
            }
            note(entry.path(), private(&entry.path(), false), done);
        }
        if alone && names_a_folder(&folder.join("file")) {
            note(folder.to_owned(), private(folder, true), done);
        }
    }

    fn note(path: PathBuf, changed: io::Result<bool>, done: &mut Tightened) {
        match changed {
            Ok(true) => done.changed.push(path),
            Ok(false) => {}
            Err(error) => done.failed.push((path, error.to_string())),
        }
    }

    /// Removes other users' permissions. Returns true if that changed something.
    fn private(path: &Path, folder: bool) -> io::Result<bool> {
        let before = std::fs::symlink_metadata(path)?;
        if before.is_symlink() || before.is_dir() != folder || !(folder || before.is_file()) {
            return Ok(false);
        }
        if before.mode() & GROUP_AND_OTHERS == 0 || folder && !is_own_folder(&before) {
            return Ok(false);
        }
        // The descriptor ensures that the inspected file is changed, not a link.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        let now = file.metadata()?;
        if (now.dev(), now.ino()) != (before.dev(), before.ino()) {
            return Ok(false);
        }
        let others = if has_access_list(&file) { OTHERS } else { GROUP_AND_OTHERS };
        let wanted = now.mode() & !others;
        if wanted == now.mode() {
            return Ok(false);
        }
        file.set_permissions(Permissions::from_mode(wanted & 0o7777))?;
        Ok(true)
    }

    /// Returns true if the folder belongs to the process's user and has no sticky bit.
    fn is_own_folder(folder: &std::fs::Metadata) -> bool {
        folder.uid() == rustix::process::geteuid().as_raw() && folder.mode() & STICKY == 0
    }

    /// Returns true if the file has an access control list (`setfacl`). The group bits are then the list's mask.
    #[cfg(target_os = "linux")]
    fn has_access_list(file: &File) -> bool {
        rustix::fs::fgetxattr_query(file, c"system.posix_acl_access").is_ok_and(|bytes| bytes > 0)
    }

    #[cfg(not(target_os = "linux"))]
    fn has_access_list(_file: &File) -> bool {
        false
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn set(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Creates a file with this mode and the header of an SQLite database.
    fn file(path: PathBuf, mode: u32) -> PathBuf {
        std::fs::write(&path, "SQLite format 3\0").unwrap();
        set(&path, mode);
        path
    }

    /// Creates a folder with mode 0755 in a temporary one.
    fn open_folder() -> (tempfile::TempDir, PathBuf) {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().canonicalize().unwrap().join("data");
        std::fs::create_dir(&folder).unwrap();
        set(&folder, 0o755);
        (outer, folder)
    }

    fn places(folder: &Path) -> [Place; 3] {
        [
            Place::Database(folder.join("docket.db")),
            Place::Key(folder.join("checkpoint.key")),
            Place::Log(folder.join("checkpoints.log")),
        ]
    }

    #[test]
    fn files_that_others_could_read_are_tightened_with_their_folder() {
        let (_outer, folder) = open_folder();
        let names = ["docket.db", "docket.db-wal", "docket.db.lock", "docket.db.before-0043", "checkpoints.log"];
        let mut expected: Vec<_> = names.iter().map(|name| file(folder.join(name), 0o666)).collect();
        file(folder.join("checkpoint.key"), 0o600);
        let mut done = tighten(&places(&folder));
        expected.push(folder.clone());
        expected.sort();
        done.changed.sort();
        assert_eq!(done, Tightened { changed: expected.clone(), failed: vec![] });
        assert_eq!(mode(&folder), 0o700);
        assert!(names.iter().all(|name| mode(&folder.join(name)) == 0o600));
        assert_eq!(tighten(&places(&folder)), Tightened::default(), "nothing is left to be said");
    }

    #[test]
    fn tightening_leaves_shared_folders_and_unrelated_files_unchanged() {
        let (_outer, folder) = open_folder();
        let database = file(folder.join("docket.db"), 0o644);
        let other = file(folder.join("notes.txt"), 0o644);
        assert_eq!(tighten(&places(&folder)).changed, [database]);
        assert_eq!((mode(&folder), mode(&other)), (0o755, 0o644));
    }

    #[test]
    fn a_path_that_is_no_database_stays_as_it_is() {
        let (_outer, folder) = open_folder();
        let letter = file(folder.join("docket.db"), 0o644);
        std::fs::write(&letter, "Dear Ann,").unwrap();
        assert_eq!(tighten(&places(&folder)), Tightened::default());
        assert_eq!((mode(&folder), mode(&letter)), (0o755, 0o644));
        set(&folder, 0o500);
        tighten(&[Place::Database(folder.clone())]);
        assert_eq!(mode(&folder), 0o500);
    }

    #[test]
    fn a_folder_for_everybodys_files_stays_as_it_is() {
        let (_outer, folder) = open_folder();
        file(folder.join("docket.db"), 0o644);
        set(&folder, 0o1777);
        tighten(&places(&folder));
        assert_eq!((mode(&folder), mode(&folder.join("docket.db"))), (0o1777, 0o600));
    }

    #[test]
    fn a_configured_link_is_followed_and_no_other_is() {
        let (_outer, folder) = open_folder();
        let (_elsewhere, far) = open_folder();
        let real = file(far.join("real.db"), 0o644);
        let wal = file(far.join("real.db-wal"), 0o644);
        let foreign = file(far.join("foreign"), 0o644);
        symlink(&real, folder.join("docket.db")).unwrap();
        symlink(&foreign, far.join("real.db.before-0001")).unwrap();
        let mut done = tighten(&places(&folder));
        done.changed.sort();
        assert_eq!(done.changed, [real, wal]);
        assert_eq!(mode(&foreign), 0o644);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_access_list_keeps_what_it_grants() {
        let (_outer, folder) = open_folder();
        let database = file(folder.join("docket.db"), 0o644);
        // Version 2; owner rw-, user 4242 r--, group ---, mask r--, others r--: the result of `setfacl -m u:4242:r`.
        let entry = |tag: u16, rights: u16, id: u32| {
            [&tag.to_le_bytes()[..], &rights.to_le_bytes(), &id.to_le_bytes()].concat()
        };
        let nobody = u32::MAX;
        let list = [
            2_u32.to_le_bytes().to_vec(),
            entry(0x01, 6, nobody),
            entry(0x02, 4, 4242),
            entry(0x04, 0, nobody),
            entry(0x10, 4, nobody),
            entry(0x20, 4, nobody),
        ]
        .concat();
        let set = rustix::fs::setxattr(&database, c"system.posix_acl_access", &list, rustix::fs::XattrFlags::empty());
        if set.is_err() {
            // The file system does not support access control lists.
            return;
        }
        assert_eq!(mode(&database), 0o644);
        assert!(tighten(&places(&folder)).changed.contains(&database));
        assert_eq!(mode(&database), 0o640, "the mask of the list stays");
    }
}
