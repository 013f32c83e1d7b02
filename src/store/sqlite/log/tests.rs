//! The gathering alone, and logs written with it: whole, torn, without room, beside those of other programs.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use rusqlite::ffi;

use super::super::{Connection, Location};
use super::{Gathered, LOG_HEADER, MOST, PAGE_HEADER};

const PAGE: usize = 512;
/// A log of such pages, and another one.
const LOG: (usize, usize) = (1, PAGE);
const OTHER: (usize, usize) = (2, PAGE);

thread_local! {
    /// Writes of this thread to logs.
    static WRITES: Cell<usize> = const { Cell::new(0) };
    /// How many more succeed.
    static ROOM: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Counts a write; whether it fails.
pub(super) fn disk_is_full() -> bool {
    WRITES.set(WRITES.get() + 1);
    let room = ROOM.get();
    ROOM.set(room.saturating_sub(usize::from(room < usize::MAX)));
    room == 0
}

fn open(file: &Path) -> Connection {
    open_with(file, None, false)
}

fn open_with(file: &Path, parameters: Option<&str>, full_sync: bool) -> Connection {
    let location = Location::File { path: file.to_owned(), parameters: parameters.map(str::to_owned) };
    Connection::open(&location, false, full_sync, Duration::ZERO).unwrap()
}

/// What a log is told, as (where, how many bytes, whether its database is whole then), and what came to its file.
fn written(told: &[(usize, usize, bool)]) -> Vec<(usize, usize)> {
    let (mut gathered, mut file) = (Gathered::default(), vec![]);
    gathered.turn(true);
    for &(at, size, last) in told {
        let mut bytes = vec![0; size];
        if last {
            bytes[7] = 1;
        }
        let code = gathered.take(LOG, &bytes, at, |bytes, at| {
            file.push((at, bytes.len()));
            ffi::SQLITE_OK
        });
        assert_eq!(code, ffi::SQLITE_OK);
    }
    file
}

/// Where a page's header stands in the log, and where the page.
fn places(page: usize) -> (usize, usize) {
    let at = LOG_HEADER + page * (PAGE_HEADER + PAGE);
    (at, at + PAGE_HEADER)
}

#[test]
fn pages_wait_for_the_last_one_and_corrections_do_not() {
    let page = |at: usize, last: bool| [(places(at).0, PAGE_HEADER, last), (places(at).1, PAGE, false)];
    let frame = PAGE_HEADER + PAGE;
    let (first, second, third) = (page(0, false), page(1, false), page(2, true));
    let all = [&first[..], &second, &third].concat();
    assert_eq!(written(&all), [(places(0).0, 3 * frame)], "a commit is one write");
    assert_eq!(written(&all[..4]), [], "what is not the end of a commit waits");
    let begun = [&[(0, LOG_HEADER, false)], &all[..]].concat();
    assert_eq!(written(&begun), [(0, LOG_HEADER), (places(0).0, 3 * frame)], "the log's own header does not wait");
    let corrected = [&all[..], &[(places(2).0, PAGE_HEADER, true)]].concat();
    assert_eq!(written(&corrected)[1..], [(places(2).0, PAGE_HEADER)], "nor does a header that is written again");
    let rewritten = [&second[..], &[(places(0).1, PAGE, false)], &third].concat();
    assert_eq!(
        written(&rewritten),
        [(places(1).0, frame), (places(0).1, PAGE), (places(2).0, frame)],
        "nor a page, before which everything is written that came before it"
    );
    let many: Vec<_> = (0..3 * MOST / frame).flat_map(|at| page(at, false)).collect();
    let written = written(&many);
    assert!(
        written.len() == 3 && written.iter().all(|(_, size)| (MOST - frame..=MOST).contains(size)),
        "no more waits"
    );
}

#[test]
fn what_was_gathered_for_a_commit_is_gone_with_it() {
    let mut gathered = Gathered::default();
    let mut nothing = |_: &[u8], _: usize| -> i32 { panic!("nothing of a commit that failed is written") };
    gathered.turn(true);
    assert_eq!(gathered.take(LOG, &[0; PAGE_HEADER], places(0).0, &mut nothing), ffi::SQLITE_OK);
    assert_eq!(gathered.write_out(OTHER.0, &mut nothing), ffi::SQLITE_OK, "it is none of another log's business");
    gathered.turn(false);
    assert_eq!(gathered.write_out(LOG.0, &mut nothing), ffi::SQLITE_OK);
    let mut file = vec![];
    let code = gathered.take(LOG, &[0; PAGE_HEADER], places(1).0, |_, at| {
        file.push(at);
        ffi::SQLITE_OK
    });
    assert_eq!((code, file), (ffi::SQLITE_OK, vec![places(1).0]), "outside of a commit nothing waits");
}

#[test]
fn nothing_of_a_commit_succeeds_after_a_write_that_failed() {
    let mut gathered = Gathered::default();
    let full = |_: &[u8], _: usize| ffi::SQLITE_FULL;
    let good = |_: &[u8], _: usize| ffi::SQLITE_OK;
    gathered.turn(true);
    assert_eq!(gathered.take(LOG, &[0; PAGE_HEADER], places(0).0, full), ffi::SQLITE_OK, "it waits");
    assert_eq!(gathered.write_out(LOG.0, &mut { full }), ffi::SQLITE_FULL);
    assert_eq!(gathered.write_out(LOG.0, &mut { good }), ffi::SQLITE_FULL, "whoever asks next is told as well");
    assert_eq!(gathered.take(LOG, &[0; PAGE], places(0).1, good), ffi::SQLITE_FULL);
    assert_eq!(gathered.take(OTHER, &[0; PAGE], places(0).1, good), ffi::SQLITE_OK, "another log is another's");
    gathered.turn(true);
    assert_eq!(gathered.write_out(LOG.0, &mut { good }), ffi::SQLITE_OK, "the next commit begins anew");
}

/// A database beside which another program writes.
struct World {
    ours: Connection,
    others: rusqlite::Connection,
    folder: tempfile::TempDir,
    /// What is in it.
    rows: Vec<Vec<u8>>,
    chance: StdRng,
}

impl World {
    /// A cache of so few pages that most of a transaction is written before its end.
    fn new(seed: u64) -> Self {
        Self::opened(seed, open)
    }

    fn opened(seed: u64, open: impl FnOnce(&Path) -> Connection) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("docket.db");
        let ours = open(&file);
        let little = "PRAGMA cache_size = 8; PRAGMA wal_autocheckpoint = 60; CREATE TABLE rows (words BLOB NOT NULL);";
        ours.raw().execute_batch(little).unwrap();
        let others = rusqlite::Connection::open(file).unwrap();
        others.execute_batch("PRAGMA synchronous = NORMAL").unwrap();
        Self { ours, others, folder, rows: vec![], chance: StdRng::seed_from_u64(seed) }
    }

    /// Adds, changes and takes away some rows in a transaction that is left open.
    fn change(&mut self, ours: bool) -> Vec<Vec<u8>> {
        let conn = if ours { self.ours.raw() } else { &self.others };
        conn.execute_batch("BEGIN IMMEDIATE").unwrap();
        let mut rows = self.rows.clone();
        for _ in 0..self.chance.random_range(1..30) {
            let words = vec![self.chance.random(); self.chance.random_range(0..6_000)];
            let at = self.chance.random_range(0..=rows.len());
            if at < rows.len() && self.chance.random() {
                conn.execute("UPDATE rows SET words = ?1 WHERE rowid = ?2", (&words, i64::try_from(at + 1).unwrap()))
                    .unwrap();
                rows[at] = words;
            } else {
                conn.execute("INSERT INTO rows VALUES (?1)", [&words]).unwrap();
                rows.push(words);
            }
        }
        rows
    }

    /// Whether another connection finds what was committed, and whether a copy of the files as they are now is sound and does.
    fn check(&self) {
        let found = |conn: &rusqlite::Connection| -> Vec<Vec<u8>> {
            let mut all = conn.prepare("SELECT words FROM rows ORDER BY rowid").unwrap();
            all.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        assert!(found(&self.others) == self.rows, "another program finds what was committed");
        let copy = tempfile::tempdir().unwrap();
        for name in ["docket.db", "docket.db-wal"] {
            std::fs::copy(self.folder.path().join(name), copy.path().join(name)).unwrap();
        }
        let conn = rusqlite::Connection::open(copy.path().join("docket.db")).unwrap();
        let sound: String = conn.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(sound, "ok");
        assert!(found(&conn) == self.rows, "the files hold what was committed");
    }
}

#[test]
fn whoever_writes_beside_and_whatever_is_taken_back_the_files_hold_what_was_committed() {
    for seed in 0..6 {
        write_beside(World::new(seed));
    }
}

#[test]
fn so_they_do_where_a_commit_is_filled_up_to_a_sector_and_forced_to_the_disk() {
    for seed in 0..3 {
        write_beside(World::opened(seed, |file| open_with(file, Some("psow=0"), true)));
    }
}

#[test]
fn so_they_do_where_a_commit_itself_moves_pages_about() {
    for seed in 0..3 {
        // Which fills the little cache within the commit.
        let world = World::opened(seed, |file| {
            let conn = open(file);
            conn.raw().execute_batch("PRAGMA auto_vacuum = FULL; VACUUM").unwrap();
            conn
        });
        let moves: i64 = world.ours.raw().query_row("PRAGMA auto_vacuum", [], |row| row.get(0)).unwrap();
        assert_eq!(moves, 1);
        write_beside(world);
    }
}

/// Fifty transactions, of which some are taken back and some are another program's.
fn write_beside(mut world: World) {
    for _ in 0..50 {
        let ours = world.chance.random_bool(0.7);
        let rows = world.change(ours);
        let kept = world.chance.random_bool(0.7);
        match (ours, kept) {
            (true, true) => world.ours.commit().unwrap(),
            (true, false) => world.ours.command("ROLLBACK").unwrap(),
            (false, kept) => world.others.execute_batch(if kept { "COMMIT" } else { "ROLLBACK" }).unwrap(),
        }
        if kept {
            world.rows = rows;
        }
        world.check();
    }
}

#[test]
fn a_commit_for_which_there_is_no_room_is_none() {
    let mut failed = 0;
    for seed in 0..40 {
        let mut world = World::new(seed);
        world.ours.raw().execute_batch("PRAGMA cache_size = -8192").unwrap();
        world.rows = world.change(true);
        world.ours.commit().unwrap();
        let rows = world.change(true);
        ROOM.set(world.chance.random_range(0..3));
        let kept = world.ours.commit();
        ROOM.set(usize::MAX);
        match kept {
            Ok(()) => world.rows = rows,
            Err(_) => {
                failed += 1;
                if world.ours.in_transaction() {
                    world.ours.command("ROLLBACK").unwrap();
                }
            }
        }
        world.check();
        world.rows = world.change(true);
        world.ours.commit().unwrap();
        world.check();
    }
    assert!((5..40).contains(&failed), "{failed} of 40 failed");
}

#[test]
fn a_commit_of_many_pages_is_one_write() {
    let mut world = World::new(1);
    world.ours.raw().execute_batch("PRAGMA cache_size = -8192").unwrap();
    world.rows = world.change(true);
    let before = WRITES.get();
    world.ours.commit().unwrap();
    assert_eq!(WRITES.get() - before, 1);
    world.check();
    world.rows = world.change(false);
    world.others.execute_batch("COMMIT").unwrap();
    // The log goes on after what another program wrote, also for who has not seen how it begins.
    let mut third = open(&world.folder.path().join("docket.db"));
    third.command("BEGIN IMMEDIATE").unwrap();
    third.raw().execute("INSERT INTO rows VALUES (?1)", [vec![7; 50_000]]).unwrap();
    world.rows.push(vec![7; 50_000]);
    let before = WRITES.get();
    third.commit().unwrap();
    assert_eq!(WRITES.get() - before, 1);
    world.check();
}

#[test]
fn a_commit_of_more_than_is_written_at_once_is_whole() {
    let mut world = World::new(2);
    world.ours.raw().execute_batch("PRAGMA cache_size = -8192").unwrap();
    for size in (MOST - 20_000..MOST + 20_000).step_by(997).chain([1 << 20]) {
        world.ours.command("BEGIN IMMEDIATE").unwrap();
        world.ours.raw().execute("INSERT INTO rows VALUES (?1)", [vec![7; size]]).unwrap();
        world.rows.push(vec![7; size]);
        let before = WRITES.get();
        world.ours.commit().unwrap();
        assert!(WRITES.get() - before <= 3 + size / MOST);
    }
    world.check();
}
