//! Checkpoints of the record: now and then the ends of all chains are signed with a key that is not in the database, and the
//! signed note is told once more in a file.

use std::collections::HashMap;
use std::path::PathBuf;

use super::backup::said;
use super::{Commit, Ctx, Error};
use crate::clock::Clock;
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::store::checkpoints::{self, Body, End, Entry, Files, Signer, Tree};

/// Most seconds until added records are signed.
pub const EVERY_S: i64 = 60;
/// So many added records are signed at once.
pub const EVERY_RECORDS: i64 = 1_000;
/// Checkpoints that are told in the log at once.
const PAGE: i64 = 500;

/// Where the key and the log are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal(pub(super) Files);

impl Seal {
    pub fn new(key: PathBuf, log: PathBuf) -> Self {
        Self(Files { key, log })
    }
}

/// Puts the log away, since another database takes the place of the one that it tells of; the new name if there was a log.
pub fn put_log_away(Seal(files): &Seal, clock: &Clock) -> Result<Option<PathBuf>, Error> {
    files.put_log_away(&format!("replaced-{}", clock.now().as_str().replace(':', "-"))).map_err(said)
}

/// Makes the key at the first start, and the first checkpoint with it. Returns a sentence for the operator where the database and the key do
/// not belong together: checkpoints without the key, or a key that is older than the first checkpoint of records.
pub async fn make_ready(ctx: &Ctx) -> Result<Option<String>, Error> {
    let Some(Seal(files)) = ctx.seal.as_deref() else { return Ok(None) };
    let newest = checkpoints::newest(&mut ctx.peek().await?).await?;
    let key = files.key.display();
    match (newest, files.signer().map_err(said)?) {
        // Several servers share a database: one that came without the key is not to sign with another.
        (Some(_), None) if !ctx.store.is_embedded() => Ok(Some(format!(
            "The record has checkpoints, but their key is not at {key}: this server makes none until it is there."
        ))),
        (Some(_), None) => {
            files.make_key().map_err(said)?;
            Ok(Some(format!("The key of the record's checkpoints was not at {key}; from now on a new one signs them.")))
        }
        (Some((_, note)), Some(signer)) if !ctx.store.is_embedded() && signer.verifier().open(&note).is_none() => {
            Ok(Some(format!(
                "The record's checkpoints are signed with another key than {key}: this server makes none until it has that one."
            )))
        }
        (Some(_), Some(_)) => Ok(None),
        (None, _) => {
            let (made, records) =
                (files.make_key().map_err(said)?, checkpoints::records(&mut ctx.peek().await?).await?);
            if made && records > 0 {
                make(ctx, When::Accepted).await?;
                return Ok(Some(format!(
                    "There was no key at {key}: a new one signs the {records} records as they are. That is expected after an upgrade from a \
                     release without checkpoints, and at no other start."
                )));
            } else if records > 0 {
                return Ok(Some(format!(
                    "The record has no checkpoint, though {key} was there before: its checkpoints may have been deleted, and its records changed. \
                     Nothing is signed until `docket audit checkpoint` accepts the record as it is."
                )));
            }
            Ok(None)
        }
    }
}

/// What a checkpoint waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// [`EVERY_S`] or [`EVERY_RECORDS`].
    Due,
    /// Any added record, or an empty record that has no checkpoint.
    Now,
    /// Any added record, and records without any checkpoint: the caller vouches for them.
    Accepted,
}

/// Signs the ends of all chains, if it is time, there is a key and nobody else does it; returns the number of the new checkpoint.
pub async fn make(ctx: &Ctx, when: When) -> Result<Option<i64>, Error> {
    let Some(Seal(files)) = ctx.seal.as_deref() else { return Ok(None) };
    // All of it is as it was at one moment; who signs need not keep those waiting who write.
    let mut tx = ctx.read().await?;
    let newest = checkpoints::newest(&mut tx).await?;
    let before = newest.as_ref().and_then(|(_, note)| Body::of_note(note));
    let records = checkpoints::records(&mut tx).await?;
    let time = match when {
        When::Due => is_due(before.as_ref(), records, &ctx.now()),
        When::Now => before.map_or(records == 0, |newest| newest.records != records),
        When::Accepted => before.is_none_or(|newest| newest.records != records),
    };
    if !time {
        return Ok(None);
    }
    let Some(signer) = files.signer().map_err(said)? else { return Ok(None) };
    // See `make_ready`: where there is one server, whoever has its files is that server.
    let foreign = newest.as_ref().is_some_and(|(_, note)| signer.verifier().open(note).is_none());
    if foreign && !ctx.store.is_embedded() {
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

/// Signs what no checkpoint covers, and tells it in the log: for the command line. The number of the newest checkpoint.
pub async fn make_now(ctx: &Ctx) -> Result<i64, Error> {
    let signer = can_sign(ctx).await?;
    make(ctx, When::Accepted).await?;
    keep_log(ctx, 0).await?;
    match checkpoints::newest(&mut ctx.peek().await?).await? {
        Some((number, note)) if signer.verifier().open(&note).is_some() => Ok(number),
        _ => Err(refused("its checkpoints are signed with another key")),
    }
}

fn refused(why: impl std::fmt::Display) -> Error {
    Error::Conflict(format!("The record cannot be signed: {why}."))
}

/// Returns what would sign the record now.
///
/// # Errors
/// `Conflict` where there is no key, and where another one signs a database that several servers may share.
pub async fn can_sign(ctx: &Ctx) -> Result<Signer, Error> {
    let Some(Seal(files)) = ctx.seal.as_deref() else { return Err(refused("a database in memory has no key")) };
    let key = files.key.display();
    let Some(signer) = files.signer().map_err(said)? else {
        return Err(refused(format_args!("there is no key at {key}, which the server makes when it starts")));
    };
    let newest = checkpoints::newest(&mut ctx.peek().await?).await?;
    if !ctx.store.is_embedded() && newest.is_some_and(|(_, note)| signer.verifier().open(&note).is_none()) {
        return Err(refused(format_args!("its checkpoints are signed with another key than {key}")));
    }
    Ok(signer)
}

/// Signs what no checkpoint covers before a server answers anybody, an empty record too: from then on each verification can be held
/// against a signature. Without a key that may sign, nothing is done.
pub async fn begin(ctx: &Ctx) -> Result<(), Error> {
    make(ctx, When::Now).await?;
    keep_log(ctx, 0).await?;
    Ok(())
}

/// Does the same for a SQLite database that has no checkpoint yet, for a command that may have made it, and makes the key as well.
/// Several servers may share a PostgreSQL database: the first of them makes its key.
pub async fn begin_new(ctx: &Ctx) -> Result<(), Error> {
    if !ctx.store.is_embedded() || checkpoints::newest(&mut ctx.peek().await?).await?.is_some() {
        return Ok(());
    }
    make_ready(ctx).await?;
    begin(ctx).await
}

/// Whether there are records that no checkpoint covers, and enough of them or for long enough.
fn is_due(newest: Option<&Body>, records: i64, now: &Timestamp) -> bool {
    let Some(newest) = newest else { return false };
    let (added, age_ms) = (records - newest.records, now.ms_since(&newest.at));
    // The first records are signed at once, and a clock that was put back does not keep records from being signed.
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

/// Tells in the log which checkpoints it does not have yet, this process's and others'. `told` is the number of the last one that
/// this process knows to be there, 0 at first; returns the same afterwards.
pub async fn keep_log(ctx: &Ctx, told: i64) -> Result<i64, Error> {
    let Some(Seal(files)) = ctx.seal.as_deref() else { return Ok(told) };
    let newest = checkpoints::newest(&mut ctx.peek().await?).await?.map_or(0, |(number, _)| number);
    if newest <= told {
        return Ok(told);
    }
    let mut last = files.tail().map_err(said)?.entries.last().map_or(0, |entry| entry.number);
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
        files.append(&entries).map_err(said)?;
    }
}
