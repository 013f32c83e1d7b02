//! File permissions: files are private regardless of umask, and files that an earlier version left open are restricted.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::app::{Client, PASSWORD, PATIENCE, Server, complaint, docket, finish};

/// Returns the permissions of a file or folder.
fn mode(path: &Path) -> u32 {
    let about = std::fs::symlink_metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    about.permissions().mode() & 0o777
}

fn set(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is the test's own");
}

fn url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

/// Returns the command with umask 0, so that new files are open to everyone by default.
fn open_to_all(command: Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 0; exec \"$0\" \"$@\""]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

/// Runs a command with umask 0 to its end.
#[track_caller]
fn done(url: &str, arguments: &[&str], input: &str) {
    let output = finish(open_to_all(docket(url, arguments)), input);
    assert!(output.status.success(), "docket {arguments:?}: {}", complaint(&output));
}

/// Returns everything in and including a folder on which others have permissions.
fn open(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    if mode(folder) & 0o077 != 0 {
        found.push(folder.to_owned());
    }
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(open(&path)),
            false if mode(&path) & 0o077 != 0 => found.push(path),
            false => {}
        }
    }
    found
}

/// Starts a server with umask 0.
fn serve(url: &str) -> Server {
    Server::of(open_to_all(docket(url, &["serve"]))).unwrap_or_else(|output| panic!("{}", complaint(&output)))
}

fn until(what: &str, look: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !look() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[tokio::test]
async fn created_files_are_private_under_any_umask() {
    let outer = tempfile::tempdir().unwrap();
    let data = outer.path().join("new/data");
    let (database, outside) = (data.join("docket.db"), outer.path().join("outside"));
    std::fs::create_dir(&outside).unwrap();
    set(&outside, 0o755);
    let mut server = serve(&url(&database));
    done(&url(&database), &["user", "add", "ada", "--password-stdin"], PASSWORD);
    let browser = Client::browser(&server.base);
    browser.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", PASSWORD)]).await.ok();
    browser.say("add milk").await;
    until("the log of checkpoints", || data.join("checkpoints.log").exists());
    let names = ["docket.db", "docket.db-wal", "docket.db-shm", "docket.db.lock", "checkpoint.key", "checkpoints.log"];
    for name in names {
        assert_eq!(mode(&data.join(name)), 0o600, "{name}");
    }
    assert_eq!(open(&outer.path().join("new")), Vec::<PathBuf>::new());
    let backup = outside.join("backup.db");
    done(&url(&database), &["backup", backup.to_str().unwrap()], "");
    done(&url(&database), &["audit", "export-bundle", outside.join("bundle").to_str().unwrap()], "");
    assert!(server.terminate().success());
    done(&url(&database), &["restore", backup.to_str().unwrap()], "");
    assert_eq!(open(&data), Vec::<PathBuf>::new(), "also what was replaced");
    done(&url(&outside.join("other.db")), &["user", "add", "bob", "--password-stdin"], PASSWORD);
    assert_eq!(open(&outside), std::slice::from_ref(&outside), "a folder that was there is not changed by commands");
}

/// Returns the stderr of a server until it serves, at the default log level.
fn said_by_server(url: &str) -> String {
    let server =
        Server::start(url, &[("DOCKET_LOG", "info")]).unwrap_or_else(|output| panic!("{}", complaint(&output)));
    until("the end of its start", || server.said().contains("serving"));
    server.said()
}

#[tokio::test]
async fn what_an_earlier_version_left_open_is_tightened_and_named() {
    let outer = tempfile::tempdir().unwrap();
    let data = outer.path().canonicalize().unwrap().join("data");
    let database = data.join("docket.db");
    drop(serve(&url(&database)));
    let old = ["docket.db", "docket.db.lock", "checkpoint.key"];
    old.iter().for_each(|name| set(&data.join(name), 0o644));
    std::fs::write(data.join("docket.db.before-0001"), "a copy").unwrap();
    set(&data.join("docket.db.before-0001"), 0o666);
    set(&data, 0o755);
    let said = said_by_server(&url(&database));
    let named: Vec<&str> = said.lines().filter(|line| line.contains("had access to these files")).collect();
    assert_eq!(named.len(), 1, "one line: {said}");
    for name in old.iter().chain(&["docket.db.before-0001"]) {
        assert!(named[0].contains(data.join(name).to_str().unwrap()), "{name}: {}", named[0]);
    }
    assert_eq!(open(&data), Vec::<PathBuf>::new());
    let said = said_by_server(&url(&database));
    assert!(!said.contains("access to these files"), "once: {said}");
}

#[tokio::test]
async fn shared_folder_and_symlink_targets_keep_their_permissions() {
    let outer = tempfile::tempdir().unwrap();
    let shared = outer.path().join("shared");
    std::fs::create_dir(&shared).unwrap();
    let database = shared.join("docket.db");
    drop(serve(&url(&database)));
    let (notes, far) = (shared.join("notes.txt"), outer.path().join("far.txt"));
    for file in [&notes, &far] {
        std::fs::write(file, "mine").unwrap();
        set(file, 0o644);
    }
    symlink(&far, shared.join("docket.db.replaced-1")).unwrap();
    set(&database, 0o644);
    set(&shared, 0o755);
    let said = said_by_server(&url(&database));
    assert!(said.contains("docket.db") && !said.contains("notes.txt") && !said.contains("far.txt"), "{said}");
    assert_eq!((mode(&database), mode(&shared), mode(&notes), mode(&far)), (0o600, 0o755, 0o644, 0o644));

    // Without a folder in its name, the database is in the server's working directory, whose permissions stay unchanged.
    let here = outer.path().join("here");
    std::fs::create_dir(&here).unwrap();
    set(&here, 0o755);
    let mut command = docket("sqlite://docket.db", &["serve"]);
    command.current_dir(&here).stdin(Stdio::null());
    drop(Server::of(command).unwrap_or_else(|output| panic!("{}", complaint(&output))));
    assert_eq!((mode(&here), mode(&here.join("docket.db"))), (0o755, 0o600));
}
