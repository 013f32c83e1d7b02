//! Backup and restore of a SQLite database, for the command line (R-1006).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::audit::Outside;
use super::checkpoints::{self, When};
use super::{CheckpointSigner, Ctx, Error, Limits, audit};
use crate::clock::Clock;
use crate::domain::audit::Unsigned;
use crate::live::Live;
use crate::store;
use crate::store::backup::{self, Draft};

#[derive(Debug)]
pub struct Restored {
    /// Path of the previous database; `None` if there was none.
    pub kept: Option<PathBuf>,
    /// Reason why the signatures of the copy's checkpoints were not checked; `None` if they were.
    pub unsigned: Option<Unsigned>,
}

/// Backs up the database `file`, in use or not, to `to`, with everything committed before the call. `to` appears atomically.
/// Returns `Conflict` if `to` exists and `replace` is false. Adds a checkpoint to the copy if the key signed the newest one, so that
/// [`restore`] detects changes of all records.
pub async fn make(
    file: &Path,
    to: &Path,
    replace: bool,
    seal: &Arc<CheckpointSigner>,
    clock: &Clock,
) -> Result<(), Error> {
    if backup::same(file, to) {
        return Err(Error::Conflict(format!("{} is the database itself; choose another name.", to.display())));
    }
    if !replace && to.exists() {
        return Err(Error::Conflict(format!("{} already exists; choose another name, or add --force.", to.display())));
    }
    let draft = Draft::copy(file, to).map_err(Error::verbatim)?;
    if let Some(store) = draft.current_store().await.map_err(Error::verbatim)? {
        let copy =
            Ctx { seal: Some(seal.clone()), ..Ctx::new(store, Live::default(), clock.clone(), Limits::default()) };
        checkpoints::make(&copy, When::Now).await?;
        copy.store.close().await;
        backup::settle_log(draft.path()).map_err(Error::verbatim)?;
    }
    draft.keep_as(to, replace).map_err(Error::verbatim)
}

/// Replaces the database `file` with a copy of the backup `from`, once it is verified and migrated. Keeps the previous database next to it
/// under a name with the time. Checks the copy's checkpoints if the key exists; the log belongs to the previous database and is not read.
/// Refuses records that are newer than a checkpoint of the key, unless `allow_unsigned` is true: anyone could have written them.
///
/// The caller holds the database's lock, because no process may use the database.
pub async fn restore(
    from: &Path,
    file: &Path,
    seal: &CheckpointSigner,
    clock: &Clock,
    allow_unsigned: bool,
) -> Result<Restored, Error> {
    if backup::same(from, file) {
        return Err(Error::Conflict(format!("{} is the database itself.", from.display())));
    }
    // The file that a symbolic link points to is replaced.
    let file = &file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let unsound = |why: &str| Error::Conflict(format!("{} was not restored: {why}.", from.display()));
    if let Some(damage) = backup::damage(from).map_err(Error::verbatim)? {
        return Err(unsound(&format!("the file is damaged ({damage})")));
    }
    if backup::versions(from).map_err(Error::verbatim)?.is_empty() {
        return Err(unsound("it is not a Docket database"));
    }
    let draft = Draft::copy(from, file).map_err(Error::verbatim)?;
    let store = draft.store().await.map_err(Error::verbatim)?;
    if let Some(object) = store.foreign_object().await? {
        store.close().await;
        return Err(unsound(&format!("its schema is not the one that Docket creates ({object})")));
    }
    let broken = store::invariants::broken(&mut store.read().await?).await?;
    let copy = Ctx::new(store, Live::default(), clock.clone(), Limits::default());
    let outside = Outside::key_at(seal)?;
    let verified = audit::verify_within(&copy, &mut copy.read().await?, &outside, None).await?;
    copy.store.close().await;
    // Merges the write-ahead log into the file, so that no other file is left.
    backup::settle_log(draft.path()).map_err(Error::verbatim)?;
    if let Some(sentence) = broken.first() {
        return Err(unsound(&format!("a consistency check failed: “{sentence}”")));
    }
    if let Some(broken) = verified.broken.first() {
        return Err(unsound(&format!("its audit log does not verify ({})", broken.to_string().trim_end_matches('.'))));
    }
    let signed = verified.checkpoint.as_ref().filter(|seen| seen.signed);
    let newer = signed.filter(|seen| i64::try_from(verified.records) != Ok(seen.records)).map(|_| Unsigned::Newer);
    if newer.is_some() && !allow_unsigned {
        return Err(unsound(
            "it has records that are newer than its newest checkpoint, so anyone could have written them; add \
             --allow-unsigned to accept them",
        ));
    }
    let now = clock.now();
    let kept = file.exists().then(|| beside(file, &format!("replaced-{}", now.as_str().replace(':', "-"))));
    if file.exists() {
        backup::settle_log(file).map_err(Error::verbatim)?;
    }
    draft.replace(file, kept.as_deref()).map_err(Error::verbatim)?;
    Ok(Restored { kept, unsigned: newer.or(verified.unsigned.filter(|why| *why != Unsigned::NoLog)) })
}

/// Returns `docket.db` with a dot and a suffix.
fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(end);
    name.into()
}
