//! The write-ahead log, written a commit at a time.
//!
//! SQLite appends each page of a commit with two writes, one of the page's header and one of the page: some sixty system calls
//! where many commit together, and each costs more than what it writes. Within [`at_once`] the file system of this module, which
//! is SQLite's own one but for logs, gathers them into one write. That is made before SQLite makes the commit visible, and says
//! no where the disk does. Nothing that was gathered outlives the commit: what was not written by then belongs to no commit.
//!
//! The layout of a log is SQLite's file format, section 4.1 (<https://sqlite.org/fileformat2.html#walformat>); how a file system is
//! put before another one, <https://sqlite.org/vfs.html>, section 2.2.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::{ptr, slice};

use rusqlite::ffi::{self, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};

/// Bytes of the log's own header and of each page's.
const LOG_HEADER: usize = 32;
const PAGE_HEADER: usize = 24;
/// The most bytes that are written at once: of more, SQLite's file systems for Unix take the remainder of 128 KiB alone.
const MOST: usize = (128 << 10) - 1;

thread_local! {
    static GATHERED: RefCell<Gathered> = RefCell::default();
}

/// What the commit under way on this thread has appended, as far as it is in no file yet.
#[derive(Debug, Default)]
struct Gathered {
    /// Whether there is such a commit.
    open: bool,
    /// The log that it appends to, by the address of its file: the first one that is written to. Others are no business of it.
    log: Option<usize>,
    /// The error of a write that SQLite takes for done: from then on nothing of the commit succeeds.
    failed: Option<c_int>,
    /// Where the first byte belongs.
    at: usize,
    bytes: Vec<u8>,
    /// Whether the header that came last is the one of the commit's last page.
    last: bool,
    /// Where what the commit has written so far ends. Before that, pages and headers are only corrected.
    end: usize,
}

impl Gathered {
    /// Takes what belongs at `at` in a log of pages of `page` bytes. `write` puts bytes into the file and says how that went.
    fn take(
        &mut self,
        (log, page): (usize, usize),
        bytes: &[u8],
        at: usize,
        mut write: impl FnMut(&[u8], usize) -> c_int,
    ) -> c_int {
        if !self.open || *self.log.get_or_insert(log) != log {
            return write(bytes, at);
        }
        if let Some(code) = self.failed {
            return code;
        }
        let place = at.checked_sub(LOG_HEADER).map(|at| at % (PAGE_HEADER + page));
        let header = place == Some(0) && bytes.len() == PAGE_HEADER && at >= self.end;
        let follows = !self.bytes.is_empty() && at == self.at + self.bytes.len();
        let whole = place == Some(PAGE_HEADER) && bytes.len() == page && follows;
        self.end = self.end.max(at + bytes.len());
        if page == 0 || !(header || whole) {
            let code = self.write_out(log, &mut write);
            return if code == ffi::SQLITE_OK { write(bytes, at) } else { code };
        }
        if !follows || header && self.bytes.len() + PAGE_HEADER + page > MOST {
            let code = self.write_out(log, &mut write);
            if code != ffi::SQLITE_OK {
                return code;
            }
            self.at = at;
        }
        self.bytes.extend_from_slice(bytes);
        if header {
            // The size of the database after the commit, or 0 where more pages follow.
            self.last = bytes[4..8] != [0; 4];
        }
        if whole && self.last { self.write_out(log, &mut write) } else { ffi::SQLITE_OK }
    }

    /// Writes what was gathered for that log; where that fails, SQLite gives the commit up.
    fn write_out(&mut self, log: usize, write: &mut impl FnMut(&[u8], usize) -> c_int) -> c_int {
        if self.log != Some(log) {
            return ffi::SQLITE_OK;
        }
        if self.failed.is_none() && !self.bytes.is_empty() {
            let code = write(&self.bytes, self.at);
            self.failed = (code != ffi::SQLITE_OK).then_some(code);
        }
        self.bytes.clear();
        self.failed.unwrap_or(ffi::SQLITE_OK)
    }

    /// Begins a commit or ends it; the memory is kept for the next one.
    fn turn(&mut self, open: bool) {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        *self = Self { open, bytes, ..Self::default() };
    }
}

/// Runs `commit`, which ends a transaction of one connection on this thread, and lets it write the log at once.
pub fn at_once<T>(commit: impl FnOnce() -> T) -> T {
    struct Ends;
    impl Drop for Ends {
        fn drop(&mut self) {
            GATHERED.with_borrow_mut(|gathered| gathered.turn(false));
        }
    }
    GATHERED.with_borrow_mut(|gathered| gathered.turn(true));
    let _ends = Ends;
    commit()
}

/// SQLite's own file system, once [`file_system`] has found it.
static OWN: AtomicPtr<sqlite3_vfs> = AtomicPtr::new(ptr::null_mut());

/// The name under which connections open their files so that [`at_once`] works; `None` where SQLite takes none.
pub fn file_system() -> Option<&'static CStr> {
    const NAME: &CStr = c"docket";
    static TAKEN: OnceLock<bool> = OnceLock::new();
    let taken = TAKEN.get_or_init(|| {
        // SAFETY: SQLite gives its default file system, which stays where it is, or null. Ours is a copy that is never freed; the
        // functions that it keeps are given ours instead of the original, of which they read nothing but what was copied.
        unsafe {
            let own = ffi::sqlite3_vfs_find(ptr::null());
            if own.is_null() {
                return false;
            }
            OWN.store(own, Ordering::Release);
            let before = c_int::try_from(size_of::<Log>()).expect("a few bytes");
            let ours = sqlite3_vfs {
                // A newer SQLite may have functions that are not copied.
                iVersion: (*own).iVersion.min(3),
                szOsFile: (*own).szOsFile + before,
                pNext: ptr::null_mut(),
                zName: NAME.as_ptr(),
                xOpen: Some(open),
                ..*own
            };
            ffi::sqlite3_vfs_register(Box::into_raw(Box::new(ours)), 0) == ffi::SQLITE_OK
        }
    });
    taken.then_some(NAME)
}

/// A log as SQLite sees it. The real file follows in the same memory.
#[repr(C)]
struct Log {
    methods: *const sqlite3_io_methods,
    /// Bytes of a page, 0 as long as nothing was written.
    page: usize,
}

/// The real file behind a log.
///
/// # Safety
/// `log` was filled by [`open`].
unsafe fn real(log: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: SQLite gave memory for `szOsFile` bytes, which counts both.
    unsafe { log.cast::<Log>().add(1).cast() }
}

/// Calls a method of the real file. `after` what is gathered for it was written: those tell SQLite of it if that fails.
macro_rules! forward {
    ($(fn $name:ident as $method:ident($($given:ident: $type:ty),*) $(after $write_out:ident)?;)*) => {$(
        unsafe extern "C" fn $name(log: *mut sqlite3_file, $($given: $type),*) -> c_int {
            // SAFETY: SQLite calls methods only of files that `open` has opened, on the thread that uses the connection.
            unsafe {
                let real = real(log);
                $(match $write_out(real) {
                    ffi::SQLITE_OK => {}
                    failed => return failed,
                })?
                (*(*real).pMethods).$method.map_or(ffi::SQLITE_NOTFOUND, |method| method(real, $($given),*))
            }
        }
    )*};
}

forward! {
    fn close as xClose();
    fn read as xRead(into: *mut c_void, size: c_int, at: i64) after write_out;
    fn truncate as xTruncate(size: i64) after write_out;
    fn sync as xSync(flags: c_int) after write_out;
    fn file_size as xFileSize(into: *mut i64) after write_out;
    fn lock as xLock(level: c_int);
    fn unlock as xUnlock(level: c_int);
    fn check_reserved_lock as xCheckReservedLock(into: *mut c_int);
    fn file_control as xFileControl(what: c_int, with: *mut c_void);
    fn sector_size as xSectorSize();
    fn device_characteristics as xDeviceCharacteristics();
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    // A log is neither shared memory nor mapped into it.
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

/// Opens a log as ours, and any other file as SQLite does.
unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    told: *mut c_int,
) -> c_int {
    let own = OWN.load(Ordering::Acquire);
    // SAFETY: `own` was found before this could be called. SQLite gives memory for `szOsFile` bytes at `file`, aligned for a pointer.
    unsafe {
        let Some(of_own) = (*own).xOpen else { return ffi::SQLITE_CANTOPEN };
        if flags & ffi::SQLITE_OPEN_WAL == 0 {
            return of_own(own, name, file, flags, told);
        }
        let real = real(file);
        (*real).pMethods = ptr::null();
        let code = of_own(own, name, real, flags, told);
        // A file that has methods is closed by SQLite, also where it could not be opened.
        let methods = if (*real).pMethods.is_null() { ptr::null() } else { &raw const METHODS };
        file.cast::<Log>().write(Log { methods, page: 0 });
        code
    }
}

/// Takes what SQLite writes to a log.
unsafe extern "C" fn write(log: *mut sqlite3_file, from: *const c_void, size: c_int, at: i64) -> c_int {
    let (Ok(size), Ok(at)) = (usize::try_from(size), usize::try_from(at)) else { return ffi::SQLITE_IOERR_WRITE };
    // SAFETY: `open` filled the log; SQLite gives `size` bytes to read, and calls on the thread that uses the connection.
    unsafe {
        let (bytes, real, page) =
            (slice::from_raw_parts(from.cast(), size), real(log), &raw mut (*log.cast::<Log>()).page);
        if at == 0 {
            *page = page_of(bytes);
        } else if *page == 0 {
            *page = page_in(real);
        }
        let of = (real.addr(), *page);
        GATHERED.with_borrow_mut(|gathered| gathered.take(of, bytes, at, |bytes, at| put(real, bytes, at)))
    }
}

/// Writes what is gathered for the real file into it.
///
/// # Safety
/// `real` is open.
unsafe fn write_out(real: *mut sqlite3_file) -> c_int {
    // SAFETY: the caller's promise.
    let write = &mut |bytes: &[u8], at| unsafe { put(real, bytes, at) };
    GATHERED.with_borrow_mut(|gathered| gathered.write_out(real.addr(), write))
}

/// Puts bytes into the real file.
///
/// # Safety
/// `real` is open.
unsafe fn put(real: *mut sqlite3_file, bytes: &[u8], at: usize) -> c_int {
    #[cfg(test)]
    if tests::disk_is_full() {
        return ffi::SQLITE_FULL;
    }
    // What is gathered is small, and SQLite itself gave both numbers as these types.
    let (Ok(size), Ok(at)) = (c_int::try_from(bytes.len()), i64::try_from(at)) else { return ffi::SQLITE_IOERR_WRITE };
    // SAFETY: the caller's promise; the bytes are read before this returns.
    unsafe {
        match (*(*real).pMethods).xWrite {
            Some(write) => write(real, bytes.as_ptr().cast(), size, at),
            None => ffi::SQLITE_IOERR_WRITE,
        }
    }
}

/// Bytes of a page by the header of a log, where numbers stand most significant byte first.
fn page_of(header: &[u8]) -> usize {
    header.get(8..12).map_or(0, |size| size.iter().fold(0, |size, byte| size << 8 | usize::from(*byte)))
}

/// The same of a log that another connection began, or 0 where that cannot be read.
///
/// # Safety
/// `real` is open.
unsafe fn page_in(real: *mut sqlite3_file) -> usize {
    let mut header = [0_u8; LOG_HEADER];
    // SAFETY: the caller's promise; there is room for as many bytes as are asked for.
    let code =
        unsafe { (*(*real).pMethods).xRead.map(|read| read(real, header.as_mut_ptr().cast(), LOG_HEADER as c_int, 0)) };
    if code == Some(ffi::SQLITE_OK) { page_of(&header) } else { 0 }
}

#[cfg(test)]
mod tests;
