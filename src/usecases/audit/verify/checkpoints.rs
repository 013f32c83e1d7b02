//! Verification of checkpoints: signatures, the stored chain ends, the log against the table, and every signed end against its chain.
//! Detects a truncated or rewritten chain whose links are consistent.

use std::collections::BTreeMap;

use super::findings::Findings;
use crate::domain::audit::{CheckpointSeen, Unsigned};
use crate::domain::id::UserId;
use crate::store::Tx;
use crate::store::checkpoints::{self, Body, Entry, Tail, Tree, Verifier};
use crate::usecases::{CheckpointSigner, Ctx, Error};

/// Number of newest checkpoints that are verified fully; of older ones only the signed ends are compared.
const NEWEST: i64 = 1_000;
/// Checkpoints per query.
const PAGE: i64 = 250;
/// Number of checkpoints that the log may lag behind: a process died before logging one, or another machine logged it.
const BEHIND: i64 = 2;

/// Problem of a checkpoint of another key after the newest one of the key.
pub const DIFFERENT_KEY: &str = "it is signed with a different key than the checkpoints before it.";

/// Files outside the database, read before it, so that the log names no later checkpoint.
#[derive(Debug, Default)]
pub struct Outside {
    /// Public half of the key; `None` without a key.
    verifier: Option<Verifier>,
    /// Tail of the log; `None` without a log.
    log: Option<Tail>,
    /// True if several servers may sign. The log of a machine whose server is off then lags behind.
    is_shared: bool,
}

impl Outside {
    pub fn of(ctx: &Ctx) -> Result<Self, Error> {
        ctx.seal.as_deref().map_or_else(|| Ok(Self::default()), |seal| Self::at(seal, ctx))
    }

    /// Reads the key, and the log of the database of `ctx`.
    pub fn at(seal: &CheckpointSigner, ctx: &Ctx) -> Result<Self, Error> {
        let CheckpointSigner(files, _) = seal;
        let log = if files.log.exists() { Some(files.tail().map_err(Error::verbatim)?) } else { None };
        Ok(Self { log, is_shared: !ctx.store.is_embedded(), ..Self::key_at(seal)? })
    }

    /// Reads the key only, for a database that the log does not cover.
    pub fn key_at(CheckpointSigner(files, _): &CheckpointSigner) -> Result<Self, Error> {
        let signer = files.signer().map_err(Error::verbatim)?;
        Ok(Self { verifier: signer.map(|signer| signer.verifier().clone()), ..Self::default() })
    }

    /// Returns why a database with this newest checkpoint cannot be verified fully against signatures.
    pub fn unsigned(&self, newest: Option<&CheckpointSeen>) -> Option<Unsigned> {
        match (&self.verifier, newest) {
            (None, _) => Some(Unsigned::NoKey),
            (Some(_), None) => Some(Unsigned::NoCheckpoint),
            (Some(_), Some(newest)) if !newest.signed => Some(Unsigned::OtherKey),
            // An empty log proves nothing, as a missing one.
            (Some(_), Some(_)) if self.entries().is_empty() => Some(Unsigned::NoLog),
            (Some(_), Some(newest)) if self.is_shared && self.lags(newest.number) => Some(Unsigned::OldLog),
            (Some(_), Some(_)) => None,
        }
    }

    /// Returns true if the log lacks more checkpoints before `newest` than a running server leaves out.
    fn lags(&self, newest: i64) -> bool {
        self.entries().last().map_or(0, |entry| entry.number) < newest - BEHIND
    }

    fn entries(&self) -> &[Entry] {
        self.log.as_ref().map_or(&[], |log| &log.entries)
    }
}

/// Returns the newest checkpoint if its note is well-formed.
pub async fn newest(ctx: &Ctx) -> Result<Option<CheckpointSeen>, Error> {
    let Some((number, note)) = checkpoints::newest(&mut ctx.peek().await?).await? else { return Ok(None) };
    let signer = match ctx.seal.as_deref() {
        Some(CheckpointSigner(files, _)) => files.signer().map_err(Error::verbatim)?,
        None => None,
    };
    let signed = signer.is_some_and(|signer| signer.verifier().open(&note).is_some());
    let seen = |body: Body| CheckpointSeen { number, at: body.at, records: body.records, signed };
    Ok(Body::of_note(&note).map(seen))
}

/// Verifies the checkpoints and compares the chains with them; returns the newest. `owner` selects one chain, `None` all.
pub async fn check(
    tx: &mut Tx,
    outside: &Outside,
    owner: Option<UserId>,
    found: &mut Findings,
) -> Result<Option<CheckpointSeen>, Error> {
    let newest = checkpoints::newest(tx).await?.map_or(0, |(number, _)| number);
    let mut seen = Seen::new(outside.verifier.as_ref(), newest - NEWEST);
    seen.tree = Tree::new(checkpoints::ends_at(tx, seen.last).await?);
    loop {
        let entries = checkpoints::after(tx, seen.last, PAGE).await?;
        for entry in &entries {
            seen.take(entry, found);
        }
        if i64::try_from(entries.len()).is_ok_and(|count| count < PAGE) {
            break;
        }
        tokio::task::yield_now().await;
    }
    log(tx, outside, &seen, owner, found).await?;
    unmet(tx, owner, found).await?;
    Ok(seen.newest(found))
}

/// State of the verification after a checkpoint.
pub struct Seen<'a> {
    verifier: Option<&'a Verifier>,
    /// Number of the last checkpoint; initially of the one before the first.
    last: i64,
    tree: Tree,
    /// Checkpoints by number, with true if the stored ends are those that were signed.
    entries: BTreeMap<i64, (Entry, bool)>,
    newest: Option<CheckpointSeen>,
    /// Number of the first checkpoint of another key since the newest one of `verifier`.
    foreign: Option<i64>,
}

impl<'a> Seen<'a> {
    pub fn new(verifier: Option<&'a Verifier>, last: i64) -> Self {
        Self {
            verifier,
            last: last.max(0),
            tree: Tree::default(),
            entries: BTreeMap::new(),
            newest: None,
            foreign: None,
        }
    }

    /// Verifies the next checkpoint.
    pub fn take(&mut self, entry: &Entry, found: &mut Findings) {
        let (number, expected) = (entry.number, self.last + 1);
        if number != expected {
            found.checkpoint(expected, "the checkpoint is missing.");
        }
        self.last = number;
        self.tree.put(entry.heads.iter().cloned());
        self.entries.insert(number, (entry.clone(), false));
        let Some(body) = Body::of_note(&entry.note).filter(|body| body.number == number) else {
            found.checkpoint(number, "its note is not a valid checkpoint.");
            return;
        };
        let signed = match self.verifier {
            Some(key) if key.name() == body.origin && key.open(&entry.note).is_none() => {
                found.checkpoint(number, "its signature does not match its contents.");
                return;
            }
            // A newer checkpoint of the key covers all that another key signed.
            Some(key) if key.name() != body.origin && self.newest.as_ref().is_some_and(|newest| newest.signed) => {
                self.foreign.get_or_insert(number);
                return;
            }
            key => key.is_some_and(|key| key.name() == body.origin),
        };
        self.foreign = None;
        let records: i64 = self.tree.ends().iter().map(|end| end.seq).sum();
        if (body.size, body.root, body.records) != (self.tree.size(), self.tree.root(), records) {
            found.checkpoint(number, "its stored chain ends do not match the ones that it signed.");
        } else {
            self.entries.insert(number, (entry.clone(), true));
        }
        self.newest = Some(CheckpointSeen { number, at: body.at, records: body.records, signed });
    }

    /// Returns the number of the chain's last record that the newest checkpoint covers; 0 if it covers none.
    pub fn end_of(&self, user: UserId) -> i64 {
        self.tree.end_of(user).map_or(0, |end| end.seq)
    }

    /// Reports newest checkpoints of another key, and returns the newest well-formed one otherwise.
    pub fn newest(self, found: &mut Findings) -> Option<CheckpointSeen> {
        if let Some(number) = self.foreign {
            found.checkpoint(number, DIFFERENT_KEY);
        }
        self.newest
    }
}

/// Compares the log with the table, and the chains with logged ends that the table lacks or shows differently.
async fn log(
    tx: &mut Tx,
    outside: &Outside,
    seen: &Seen<'_>,
    owner: Option<UserId>,
    found: &mut Findings,
) -> Result<(), Error> {
    if let Some(line) = outside.log.as_ref().and_then(|log| log.unreadable.as_ref()) {
        found.checkpoint(0, format!("the checkpoint log has an invalid line: {line}"));
    }
    let first = seen.entries.keys().next().copied().unwrap_or(seen.last + 1);
    let mut before = None;
    for entry in outside.entries() {
        let number = entry.number;
        if before.is_some_and(|before| number != before + 1) {
            found.checkpoint(number, "the checkpoint before it is missing from the log.");
        }
        before = Some(number);
        let known = seen.entries.get(&number);
        if number < first || known.is_some_and(|(known, _)| known == entry) {
            continue;
        }
        found.checkpoint(
            number,
            match known {
                Some(_) => "the log and the database contain different versions of it.",
                None => "it is in the log, but not in the database.",
            },
        );
        // If the table has what was signed, or no key signed the log's entry, then the log is wrong.
        let genuine = outside.verifier.as_ref().is_none_or(|key| key.open(&entry.note).is_some());
        if !genuine || known.is_some_and(|(_, signed)| *signed) {
            continue;
        }
        for end in entry.heads.iter().filter(|end| owner.is_none_or(|owner| owner == end.user)) {
            let record = checkpoints::record(tx, end.user, end.seq).await?;
            if record.as_ref().is_none_or(|(_, hash)| *hash != end.hash) {
                let kind = record.map(|(kind, _)| kind);
                differs(tx, end.user, end.seq, number, kind, found).await?;
            }
        }
    }
    let signed = seen.newest.as_ref().is_some_and(|newest| newest.signed);
    if signed && outside.log.is_some() && outside.lags(seen.last) {
        match before {
            None => found.checkpoint(1, "it is missing from the log, and so are all later ones."),
            Some(_) if outside.is_shared => {}
            Some(told) => found.checkpoint(told + 1, format!("it is missing from the log, which ends with {told}.")),
        }
    }
    Ok(())
}

/// Compares the chains with all ends that the table shows as signed.
async fn unmet(tx: &mut Tx, owner: Option<UserId>, found: &mut Findings) -> Result<(), Error> {
    let mut last = None;
    for unmet in checkpoints::unmet(tx, owner).await? {
        if last.replace(unmet.user_id) != Some(unmet.user_id) {
            differs(tx, unmet.user_id, unmet.seq, unmet.number, unmet.kind, found).await?;
        }
    }
    Ok(())
}

/// Reports that a signed record is missing or replaced.
async fn differs(
    tx: &mut Tx,
    user: UserId,
    seq: i64,
    number: i64,
    kind: Option<String>,
    found: &mut Findings,
) -> Result<(), Error> {
    match kind {
        Some(kind) => {
            let met = checkpoints::met_before(tx, user, seq).await?;
            found.rewritten(user, seq, &kind, number, met);
        }
        None => {
            let last = checkpoints::last_record(tx, user).await?;
            // A gap within the chain is reported by the chain's check.
            found.cut(user, seq, number, if last < seq { last } else { seq - 1 });
        }
    }
    Ok(())
}
