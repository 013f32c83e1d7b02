//! Checkpoints of the audit log: the ends of all chains are signed periodically with a key outside the database. Each signed note is also
//! appended to a log file.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use super::{Commit, Ctx, Error};
use crate::clock::Clock;
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::store::checkpoints::{self, Body, End, Entry, Files, Signer, Tree};

/// Maximum delay until new records are signed, in seconds.
pub const EVERY_S: i64 = 60;
/// Number of new records that are signed immediately.
pub const EVERY_RECORDS: i64 = 1_000;
/// Checkpoints appended to the log per query.
const PAGE: i64 = 500;

/// Paths of the signing key and the log; true if this process made the key for an audit log that another one had signed.
#[derive(Debug)]
pub struct CheckpointSigner(pub(super) Files, pub(super) AtomicBool);

impl CheckpointSigner {
    pub fn new(key: PathBuf, log: PathBuf) -> Self {
        Self(Files { key, log }, AtomicBool::new(false))
    }
}

/// Renames the log of a database that is being replaced; returns the new path if there was a log.
pub fn put_log_away(CheckpointSigner(files, _): &CheckpointSigner, clock: &Clock) -> Result<Option<PathBuf>, Error> {
    files.put_log_away(&format!("replaced-{}", clock.now().as_str().replace(':', "-"))).map_err(Error::verbatim)
}

/// Creates the key at the first start, and the first checkpoint. Returns a warning for the operator if database and key do not match: the
/// key is missing, or it is older than the first checkpoint.
pub async fn make_ready(ctx: &Ctx) -> Result<Option<String>, Error> {
    let Some(CheckpointSigner(files, is_new)) = ctx.seal.as_deref() else { return Ok(None) };
    let newest = checkpoints::newest(&mut ctx.peek().await?).await?;
    let key = files.key.display();
    match (newest, files.signer().map_err(Error::verbatim)?) {
        // Servers can share a database: one without the key must not sign with another.
        (Some(_), None) if !ctx.store.is_embedded() => Ok(Some(format!(
            "The audit log has checkpoints, but their key is missing at {key}. This server signs nothing until the \
                 key is there."
        ))),
        (Some(_), None) => {
            files.make_key().map_err(Error::verbatim)?;
            is_new.store(true, Relaxed);
            Ok(Some(format!("The checkpoint key was missing at {key}. A new key signs checkpoints from now on.")))
        }
        (Some((_, note)), Some(signer)) if !ctx.store.is_embedded() && signer.verifier().open(&note).is_none() => {
            Ok(Some(format!(
                "The checkpoints of the audit log are signed with a different key than {key}. This server signs \
                     nothing until it has that key."
            )))
        }
        (Some((_, note)), Some(signer)) if signer.verifier().open(&note).is_none() => Ok(Some(format!(
            "The checkpoints of the audit log are signed with a different key than {key}: the database may have been \
                 replaced. Nothing is signed until `docket audit checkpoint` accepts the audit log as it is."
        ))),
        (Some(_), Some(_)) => Ok(None),
        (None, _) => {
            let (made, records) =
                (files.make_key().map_err(Error::verbatim)?, checkpoints::records(&mut ctx.peek().await?).await?);
            if made && records > 0 {
                make(ctx, When::Accepted).await?;
                return Ok(Some(format!(
                    "There was no checkpoint key at {key}. A new key signs the {records} existing records as they \
                         are. This is expected only after an upgrade from a release without checkpoints."
                )));
            } else if records > 0 {
                return Ok(Some(format!(
                    "The audit log has no checkpoint, although {key} already existed: checkpoints may have been \
                         deleted, and records changed. Nothing is signed until `docket audit checkpoint` accepts the \
                         audit log as it is."
                )));
            }
            Ok(None)
        }
    }
}

/// Condition for a new checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// [`EVERY_S`] or [`EVERY_RECORDS`].
    Due,
    /// Any new record, or no checkpoint of an empty audit log.
    Now,
    /// Any new record, no checkpoint, or one of another key; the caller vouches for the existing records.
    Accepted,
}

/// Signs the ends of all chains if `when` applies and the key may sign; returns the new checkpoint's number. `None` if another process won.
pub async fn make(ctx: &Ctx, when: When) -> Result<Option<i64>, Error> {
    let Some(CheckpointSigner(files, is_new)) = ctx.seal.as_deref() else { return Ok(None) };
    // A read snapshot suffices, so that signing does not block writers.
    let mut tx = ctx.read().await?;
    let newest = checkpoints::newest(&mut tx).await?;
    let before = newest.as_ref().and_then(|(_, note)| Body::of_note(note));
    let records = checkpoints::records(&mut tx).await?;
    let time = match when {
        When::Due => is_due(before.as_ref(), records, &ctx.now()),
        When::Now => before.as_ref().map_or(records == 0, |newest| newest.records != records),
        When::Accepted => true,
    };
    if !time {
        return Ok(None);
    }
    let Some(signer) = files.signer().map_err(Error::verbatim)? else { return Ok(None) };
    let foreign = newest.as_ref().is_some_and(|(_, note)| signer.verifier().open(note).is_none());
    // An operator accepts the audit log of another key. A key that was just made for it may go on.
    let accepts = ctx.store.is_embedded() && (when == When::Accepted || is_new.load(Relaxed));
    let covered = !foreign && before.is_some_and(|newest| newest.records == records);
    if foreign && !accepts || covered {
        return Ok(None);
    }
    let number = newest.map_or(0, |(number, _)| number);
    let ends = checkpoints::ends(&mut tx).await?;
    let known: HashMap<UserId, End> =
        checkpoints::ends_at(&mut tx, number).await?.into_iter().map(|end| (end.user, end)).collect();
    drop(tx);
    let heads = ends.iter().filter(|end| known.get(&end.user) != Some(end)).cloned().collect();
    let checkpoint = Entry { number: number + 1, note: note(ctx, &signer, number + 1, ends), heads };
    let mut tx = ctx.write().await?;
    if !checkpoints::insert(&mut tx, &checkpoint).await? {
        return Ok(None);
    }
    ctx.commit_at(tx, Commit::Job).await?;
    Ok(Some(number + 1))
}

/// Signs all unsigned records and appends to the log; returns the newest checkpoint's number. For the command line.
pub async fn make_now(ctx: &Ctx) -> Result<i64, Error> {
    let signer = can_sign(ctx).await?;
    make(ctx, When::Accepted).await?;
    keep_log(ctx, 0).await?;
    match checkpoints::newest(&mut ctx.peek().await?).await? {
        Some((number, note)) if signer.verifier().open(&note).is_some() => Ok(number),
        _ => Err(refused("its checkpoints are signed with a different key")),
    }
}

fn refused(why: impl std::fmt::Display) -> Error {
    Error::Conflict(format!("The audit log cannot be signed: {why}."))
}

/// Returns the signer of the audit log.
///
/// # Errors
/// `Conflict` without a key, and if another key signs a database that servers may share.
pub async fn can_sign(ctx: &Ctx) -> Result<Signer, Error> {
    let Some(CheckpointSigner(files, _)) = ctx.seal.as_deref() else {
        return Err(refused("an in-memory database has no key"));
    };
    let key = files.key.display();
    let Some(signer) = files.signer().map_err(Error::verbatim)? else {
        return Err(refused(format_args!("there is no key at {key}; the server creates it when it starts")));
    };
    let newest = checkpoints::newest(&mut ctx.peek().await?).await?;
    if !ctx.store.is_embedded() && newest.is_some_and(|(_, note)| signer.verifier().open(&note).is_none()) {
        return Err(refused(format_args!("its checkpoints are signed with a different key than {key}")));
    }
    Ok(signer)
}

/// Signs all unsigned records before the server accepts requests, so that each verification has a signature. Does nothing without a valid
/// key.
pub async fn begin(ctx: &Ctx) -> Result<(), Error> {
    make(ctx, When::Now).await?;
    keep_log(ctx, 0).await?;
    Ok(())
}

/// Creates the key and the first checkpoint of a new SQLite database, for commands that may have created it. A PostgreSQL database may be
/// shared: its first server creates the key.
pub async fn begin_new(ctx: &Ctx) -> Result<(), Error> {
    if !ctx.store.is_embedded() || checkpoints::newest(&mut ctx.peek().await?).await?.is_some() {
        return Ok(());
    }
    make_ready(ctx).await?;
    begin(ctx).await
}

/// True if there are unsigned records, and they are many or old enough.
fn is_due(newest: Option<&Body>, records: i64, now: &Timestamp) -> bool {
    let Some(newest) = newest else { return false };
    let (added, age_ms) = (records - newest.records, now.ms_since(&newest.at));
    // The first records are signed immediately. A clock that was set back must not delay signing.
    let at_once = newest.records == 0 || added >= EVERY_RECORDS;
    added != 0 && (at_once || !(0..EVERY_S * 1_000).contains(&age_ms))
}

fn note(ctx: &Ctx, signer: &Signer, number: i64, ends: Vec<End>) -> String {
    let records = ends.iter().map(|end| end.seq).sum();
    let tree = Tree::new(ends);
    let origin = signer.verifier().name().to_owned();
    let body = Body { origin, size: tree.size(), root: tree.root(), number, at: ctx.now(), records };
    signer.sign(&body.to_string())
}

/// Appends missing checkpoints to the log, other processes' included. Takes and returns the number of the last one that this
/// process knows to be logged, initially 0.
pub async fn keep_log(ctx: &Ctx, told: i64) -> Result<i64, Error> {
    let Some(CheckpointSigner(files, _)) = ctx.seal.as_deref() else { return Ok(told) };
    let newest = checkpoints::newest(&mut ctx.peek().await?).await?.map_or(0, |(number, _)| number);
    if newest <= told {
        return Ok(told);
    }
    let mut last = files.tail().map_err(Error::verbatim)?.entries.last().map_or(0, |entry| entry.number);
    if told == 0 && last + 1 < newest {
        tracing::warn!(
            last,
            newest,
            "the checkpoint log lacks checkpoints that the database has; they are added to it"
        );
    }
    loop {
        let entries = checkpoints::after(&mut ctx.read().await?, last, PAGE).await?;
        let Some(entry) = entries.last() else { return Ok(newest) };
        last = entry.number;
        files.append(&entries).map_err(Error::verbatim)?;
    }
}
