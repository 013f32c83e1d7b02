//! Files of checkpoints outside the database: the signing key and the log.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use rand::RngCore as _;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::note::{self, Signer};
use super::tree::End;
use crate::store::{Error, private_files};

/// Bytes at the end of the log that are read at first.
const TAIL: u64 = 4 << 20;

/// Paths of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// The signing key, a line of text.
    pub key: PathBuf,
    /// One [`Entry`] per line, oldest first.
    pub log: PathBuf,
}

/// A checkpoint in the log and in bundles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub number: i64,
    /// The signed note.
    pub note: String,
    /// Ends of the chains that grew since the previous checkpoint.
    pub heads: Vec<End>,
}

/// The end of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tail {
    pub entries: Vec<Entry>,
    /// The first line that is not an entry.
    pub unreadable: Option<String>,
}

fn unusable(path: &Path, error: &std::io::Error) -> Error {
    Error::Open(format!("{} cannot be used: {error}.", path.display()))
}

impl Files {
    /// Reads the signing key; `None` if the file does not exist.
    pub fn signer(&self) -> Result<Option<Signer>, Error> {
        match std::fs::read_to_string(&self.key) {
            Ok(text) => Signer::parse(&text)
                .map(Some)
                .ok_or_else(|| Error::Open(format!("{} holds no signing key.", self.key.display()))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unusable(&self.key, &error)),
        }
    }

    /// Creates a key that only its owner can read, unless one exists. Returns true if created.
    pub fn make_key(&self) -> Result<bool, Error> {
        if self.key.exists() {
            return Ok(false);
        }
        let failed = |error| unusable(&self.key, &error);
        let folder = folder_of(&self.key);
        private_files::create_folder(folder).map_err(failed)?;
        let mut seed = [0_u8; 32];
        rand::rng().fill_bytes(&mut seed);
        let name = format!("docket/{}", Uuid::new_v4().simple());
        let text = note::secret(&name, &seed).expect("32 bytes are a seed");
        // Write a temporary file and rename it without replacing, so that the key is never partial. Temporary files are private.
        let mut draft = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        draft.write_all(format!("{text}\n").as_bytes()).map_err(failed)?;
        draft.as_file().sync_all().map_err(failed)?;
        match draft.persist_noclobber(&self.key) {
            Ok(_) => File::open(folder).and_then(|folder| folder.sync_all()).map(|()| true).map_err(failed),
            // Another process may just have created one. A dangling link also has the name, but is no key.
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => match self.signer()? {
                Some(_) => Ok(false),
                None => Err(failed(std::io::Error::other("it is a link to a file that is not there"))),
            },
            Err(error) => Err(failed(error.error)),
        }
    }

    /// Returns the last entries of the log; none if it does not exist.
    pub fn tail(&self) -> Result<Tail, Error> {
        match File::open(&self.log) {
            Ok(mut file) => tail(&mut file).map_err(|error| unusable(&self.log, &error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Tail::default()),
            Err(error) => Err(unusable(&self.log, &error)),
        }
    }

    /// Appends entries that follow the log's last one, given oldest first, and flushes the log to disk.
    pub fn append(&self, entries: &[Entry]) -> Result<(), Error> {
        self.appended(entries).map_err(|error| unusable(&self.log, &error))
    }

    fn appended(&self, entries: &[Entry]) -> std::io::Result<()> {
        private_files::create_folder(folder_of(&self.log))?;
        let mut log = private_files::options().read(true).append(true).open(&self.log)?;
        // Exclusive until the file is closed.
        log.lock()?;
        must_be_log(&mut log)?;
        drop_torn(&mut log)?;
        let last = tail(&mut log)?.entries.last().map_or(0, |entry| entry.number);
        let mut lines = String::new();
        for entry in entries.iter().filter(|entry| entry.number > last) {
            lines += &serde_json::to_string(entry)?;
            lines.push('\n');
        }
        log.write_all(lines.as_bytes())?;
        log.sync_all()
    }

    /// Renames the log, because the database was replaced. Returns the new name if there was a log.
    pub fn put_log_away(&self, end: &str) -> Result<Option<PathBuf>, Error> {
        let mut name = self.log.as_os_str().to_owned();
        name.push(".");
        name.push(end);
        let moved = File::open(&self.log)
            .and_then(|mut log| must_be_log(&mut log))
            .and_then(|()| std::fs::rename(&self.log, &name));
        match moved {
            Ok(()) => Ok(Some(name.into())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unusable(&self.log, &error)),
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Rejects a file that does not begin like a log, so that a wrong path cannot damage another file.
fn must_be_log(file: &mut File) -> std::io::Result<()> {
    const START: &[u8] = b"{\"number\":";
    let mut begun = vec![];
    file.seek(SeekFrom::Start(0))?;
    file.take(START.len() as u64).read_to_end(&mut begun)?;
    // The first entry may be incomplete.
    if START.starts_with(&begun) { Ok(()) } else { Err(std::io::Error::other("it is no log of checkpoints")) }
}

/// Truncates the file after its last complete line.
fn drop_torn(file: &mut File) -> std::io::Result<()> {
    let length = file.metadata()?.len();
    let (mut end, mut chunk) = (length, [0_u8; 4096]);
    while end > 0 {
        let begin = end.saturating_sub(4096);
        let size = usize::try_from(end - begin).expect("it is at most 4096");
        file.seek(SeekFrom::Start(begin))?;
        file.read_exact(&mut chunk[..size])?;
        if let Some(at) = chunk[..size].iter().rposition(|byte| *byte == b'\n') {
            end = begin + u64::try_from(at).expect("it is below 4096") + 1;
            break;
        }
        end = begin;
    }
    // A process died while writing; the table has the whole entry.
    if end < length { file.set_len(end) } else { Ok(()) }
}

fn tail(file: &mut File) -> std::io::Result<Tail> {
    let length = file.metadata()?.len();
    let mut size = TAIL;
    loop {
        let begin = length.saturating_sub(size);
        file.seek(SeekFrom::Start(begin))?;
        let mut bytes = vec![];
        file.take(size).read_to_end(&mut bytes)?;
        // The first line may be incomplete unless the read begins at 0, and so may the last.
        let first = if begin == 0 { Some(0) } else { bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1) };
        let last = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        match first.filter(|first| *first < last || begin == 0) {
            Some(first) => return Ok(entries(&String::from_utf8_lossy(&bytes[first..last.max(first)]))),
            None => size *= 2,
        }
    }
}

fn entries(text: &str) -> Tail {
    let mut tail = Tail::default();
    for line in text.lines() {
        match serde_json::from_str(line) {
            Ok(entry) => tail.entries.push(entry),
            Err(_) => drop(tail.unreadable.get_or_insert_with(|| line.chars().take(40).collect())),
        }
    }
    tail
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use super::*;

    fn entry(number: i64) -> Entry {
        Entry { number, note: "a\nb\n\n— c d\n".into(), heads: vec![] }
    }

    #[test]
    fn signing_key_is_created_once_and_readable_by_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files { key: folder.path().join("new/key"), log: folder.path().join("log") };
        assert!(files.signer().unwrap().is_none());
        assert!(files.make_key().unwrap() && !files.make_key().unwrap());
        let first = files.signer().unwrap().unwrap().verifier().clone();
        assert_eq!(files.signer().unwrap().unwrap().verifier(), &first);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&files.key).unwrap().permissions().mode() & 0o777, 0o600);
        }
        std::fs::write(&files.key, "no key").unwrap();
        assert!(files.signer().is_err());
        #[cfg(unix)]
        {
            std::fs::remove_file(&files.key).unwrap();
            std::os::unix::fs::symlink(folder.path().join("nowhere"), &files.key).unwrap();
            let said = files.make_key().unwrap_err().to_string();
            assert!(said.ends_with("cannot be used: it is a link to a file that is not there."), "{said}");
        }
    }

    #[test]
    fn the_log_goes_on_after_a_line_that_was_torn() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files { key: folder.path().join("key"), log: folder.path().join("new/log") };
        assert_eq!(files.tail().unwrap(), Tail::default());
        files.append(&[entry(1), entry(2)]).unwrap();
        let mut torn = OpenOptions::new().append(true).open(&files.log).unwrap();
        torn.write_all(b"{\"number\":3,\"no").unwrap();
        assert_eq!(files.tail().unwrap().entries, [entry(1), entry(2)]);
        files.append(&[entry(2), entry(3)]).unwrap();
        assert_eq!(files.tail().unwrap(), Tail { entries: vec![entry(1), entry(2), entry(3)], unreadable: None });
    }

    #[test]
    fn a_file_that_is_no_log_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files { key: folder.path().join("key"), log: folder.path().join("log") };
        for other in ["first\nsecond without end", "SQLite format 3", "{\"n\":1}\n"] {
            std::fs::write(&files.log, other).unwrap();
            let said = files.append(&[entry(1)]).unwrap_err().to_string();
            assert!(said.ends_with("cannot be used: it is no log of checkpoints."), "{said}");
            files.put_log_away("replaced").unwrap_err();
            assert_eq!(std::fs::read_to_string(&files.log).unwrap(), other);
        }
        // The first entry is incomplete.
        std::fs::write(&files.log, "{\"num").unwrap();
        files.append(&[entry(1)]).unwrap();
        assert_eq!(files.tail().unwrap().entries, [entry(1)]);
    }

    #[test]
    fn of_a_long_log_the_end_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files { key: folder.path().join("key"), log: folder.path().join("log") };
        let long = Entry { note: "x".repeat(6 << 20), ..entry(2) };
        let before = Entry { number: 1, ..long.clone() };
        files.append(&[before, long.clone()]).unwrap();
        assert_eq!(files.tail().unwrap().entries, [long], "what is longer than the piece that is read is read whole");
        files.append(&[entry(3)]).unwrap();
        assert_eq!(files.tail().unwrap().entries, [entry(3)]);
    }
}
