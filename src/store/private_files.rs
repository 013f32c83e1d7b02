//! Files and folders that only their owner can access, regardless of the umask.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, ErrorKind};
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

mod names;
mod own;
mod tightening;

pub use names::Place;
pub use own::is_own;
pub use tightening::{Tightened, tighten};

/// Creates a folder and its missing parents with mode 0700. An existing folder keeps its mode.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(folder)
}

/// Returns options that create a file with mode 0600, which the umask cannot widen. An existing file keeps its mode.
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    options.mode(0o600);
    options
}

/// Creates an empty file with mode 0600 if none exists. SQLite gives its log the mode of the database, so both are private.
pub fn create(file: &Path) -> io::Result<()> {
    match options().create_new(true).write(true).open(file) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Returns the folder of a file; `.` for a bare name.
fn folder_of(file: &Path) -> PathBuf {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).to_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn new_files_and_folders_are_private() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        create_folder(&folder).unwrap();
        create_folder(&folder).unwrap();
        assert_eq!((mode(&folder), mode(&parent.path().join("a"))), (0o700, 0o700));
        let file = folder.join("docket.db");
        create(&file).unwrap();
        assert_eq!(mode(&file), 0o600);
        std::fs::write(&file, "kept").unwrap();
        create(&file).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
        options().append(true).open(folder.join("log")).unwrap();
        assert_eq!(mode(&folder.join("log")), 0o600);
    }
}
