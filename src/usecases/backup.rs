//! Copies of a SQLite database that a person at its machine makes and puts back (R-1006).

use std::path::{Path, PathBuf};

use super::audit::Outside;
use super::{Ctx, Error, Limits, Seal, audit};
use crate::clock::Clock;
use crate::domain::audit::Unsigned;
use crate::live::Live;
use crate::store;
use crate::store::backup::{self, Draft};

/// What came of putting a copy back.
#[derive(Debug)]
pub struct Restored {
    /// Where the database is that was there before; `None` if there was none.
    pub kept: Option<PathBuf>,
    /// Reason why the signatures of the copy's checkpoints were not checked; `None` if they were.
    pub unsigned: Option<Unsigned>,
}

/// Copies the database at `file`, in use or not, to `to`: everything committed before this was called is in it. The copy appears
/// whole or not at all. Unless `replace`, nothing of that name may be there.
pub fn make(file: &Path, to: &Path, replace: bool) -> Result<(), Error> {
    if backup::same(file, to) {
        return Err(Error::Conflict(format!("{} is the database itself: choose another name.", to.display())));
    }
    if !replace && to.exists() {
        return Err(Error::Conflict(format!("{} exists already: choose another name, or add --force.", to.display())));
    }
    Draft::copy(file, to).and_then(|draft| draft.keep_as(to, replace)).map_err(said)
}

/// Puts the copy `from` in the place of the database at `file`, once it was found sound and up to date: a copy of it, so that it
/// stays as it is. What was there is kept beside it under a name with the time. The copy's checkpoints are checked with the key at
/// its place if it is there. The log is not read, since it tells of the database that is replaced.
///
/// Nobody may use the database; the caller holds its lock.
pub async fn restore(from: &Path, file: &Path, seal: &Seal, clock: &Clock) -> Result<Restored, Error> {
    if backup::same(from, file) {
        return Err(Error::Conflict(format!("{} is the database itself.", from.display())));
    }
    // A path that is a link leads to the file that is replaced.
    let file = &file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let unsound = |why: &str| Error::Conflict(format!("{} was not restored: {why}.", from.display()));
    if let Some(damage) = backup::damage(from).map_err(said)? {
        return Err(unsound(&format!("the file is damaged ({damage})")));
    }
    if backup::versions(from).map_err(said)?.is_empty() {
        return Err(unsound("it is no database of Docket's"));
    }
    let draft = Draft::copy(from, file).map_err(said)?;
    let store = draft.store().await.map_err(said)?;
    if let Some(object) = store.foreign_object().await? {
        store.close().await;
        return Err(unsound(&format!("its schema is not the one that Docket makes ({object})")));
    }
    let broken = store::soundness::broken(&mut store.read().await?).await?;
    let copy = Ctx::new(store, Live::default(), clock.clone(), Limits::default());
    let outside = Outside::key_at(seal)?;
    let verified = audit::verify_within(&copy, &mut copy.read().await?, &outside, None).await?;
    copy.store.close().await;
    // What was written there is then in one file, and nothing is left beside it.
    backup::settle_log(draft.path()).map_err(said)?;
    if let Some(sentence) = broken.first() {
        return Err(unsound(&format!("this does not hold in it: “{sentence}”")));
    }
    if let Some(broken) = verified.broken.first() {
        return Err(unsound(&format!("its record does not verify ({})", broken.to_string().trim_end_matches('.'))));
    }
    let now = clock.now();
    let kept = file.exists().then(|| beside(file, &format!("replaced-{}", now.as_str().replace(':', "-"))));
    if file.exists() {
        backup::settle_log(file).map_err(said)?;
    }
    draft.replace(file, kept.as_deref()).map_err(said)?;
    Ok(Restored { kept, unsigned: verified.unsigned.filter(|why| *why != Unsigned::NoLog) })
}

/// `docket.db` with a dot and an ending.
fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(end);
    name.into()
}

/// What the store says of files and whole databases is for the person at its machine, word for word.
pub(super) fn said(error: store::Error) -> Error {
    match error {
        store::Error::Open(text) => Error::Conflict(text),
        other => Error::Store(other),
    }
}
