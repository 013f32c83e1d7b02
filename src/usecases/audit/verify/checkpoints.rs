//! The checkpoints: each signed, each over the ends that are kept of it, the log as the table, and every signed end still in its
//! chain. So a chain whose tail was cut, or that was written anew, shows although it is a chain.

use std::collections::BTreeMap;

use super::findings::Findings;
use crate::domain::audit::{CheckpointSeen, Unsigned};
use crate::domain::id::UserId;
use crate::store::Tx;
use crate::store::checkpoints::{self, Body, Entry, Tail, Tree, Verifier};
use crate::usecases::backup::said;
use crate::usecases::{Ctx, Error, Seal};

/// So many of the newest checkpoints are looked at one by one; of all others only the ends that they signed.
const NEWEST: i64 = 1_000;
/// Checkpoints read at once.
const PAGE: i64 = 250;
/// So many checkpoints the log may be behind: a process died before it told the last one, or is another machine's.
const BEHIND: i64 = 2;

/// What lies outside the database. Read before the database, so that the log knows of nothing that comes after.
#[derive(Debug, Default)]
pub struct Outside {
    /// The key's public half; `None` where the key is not.
    verifier: Option<Verifier>,
    /// The end of the log; `None` where there is no log.
    log: Option<Tail>,
}

impl Outside {
    pub fn of(ctx: &Ctx) -> Result<Self, Error> {
        ctx.seal.as_deref().map_or_else(|| Ok(Self::default()), Self::at)
    }

    /// Reads the key and the log at their places.
    pub fn at(seal: &Seal) -> Result<Self, Error> {
        let Seal(files) = seal;
        let log = if files.log.exists() { Some(files.tail().map_err(said)?) } else { None };
        Ok(Self { log, ..Self::key_at(seal)? })
    }

    /// Reads the key at its place, for a database that the log does not tell of.
    pub fn key_at(Seal(files): &Seal) -> Result<Self, Error> {
        let signer = files.signer().map_err(said)?;
        Ok(Self { verifier: signer.map(|signer| signer.verifier().clone()), log: None })
    }

    /// Returns why a database with this newest checkpoint is not held against signatures in full.
    pub fn unsigned(&self, newest: Option<&CheckpointSeen>) -> Option<Unsigned> {
        match (&self.verifier, newest) {
            (None, _) => Some(Unsigned::NoKey),
            (Some(_), None) => Some(Unsigned::NoCheckpoint),
            (Some(_), Some(newest)) if !newest.signed => Some(Unsigned::OtherKey),
            // An empty log tells no more than none.
            (Some(_), Some(_)) if self.entries().is_empty() => Some(Unsigned::NoLog),
            (Some(_), Some(_)) => None,
        }
    }

    fn entries(&self) -> &[Entry] {
        self.log.as_ref().map_or(&[], |log| &log.entries)
    }
}

/// The newest checkpoint, if it says what a checkpoint says.
pub async fn newest(ctx: &Ctx) -> Result<Option<CheckpointSeen>, Error> {
    let Some((number, note)) = checkpoints::newest(&mut ctx.peek().await?).await? else { return Ok(None) };
    let signer = match ctx.seal.as_deref() {
        Some(Seal(files)) => files.signer().map_err(said)?,
        None => None,
    };
    let signed = signer.is_some_and(|signer| signer.verifier().open(&note).is_some());
    let seen = |body: Body| CheckpointSeen { number, at: body.at, records: body.records, signed };
    Ok(Body::of_note(&note).map(seen))
}

/// Checks the checkpoints and holds the chains against them; the newest one. `owner` is whose chain; `None` is everyone's.
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
    Ok(seen.newest)
}

/// Checkpoints up to the one that was taken last.
pub struct Seen<'a> {
    verifier: Option<&'a Verifier>,
    /// The number of the last one; where one begins in the midst, of the one before the first.
    last: i64,
    tree: Tree,
    /// By their numbers, with whether each is what was signed.
    entries: BTreeMap<i64, (Entry, bool)>,
    newest: Option<CheckpointSeen>,
}

impl<'a> Seen<'a> {
    pub fn new(verifier: Option<&'a Verifier>, last: i64) -> Self {
        Self { verifier, last: last.max(0), tree: Tree::default(), entries: BTreeMap::new(), newest: None }
    }

    /// Takes the next checkpoint.
    pub fn take(&mut self, entry: &Entry, found: &mut Findings) {
        let (number, expected) = (entry.number, self.last + 1);
        if number != expected {
            found.checkpoint(expected, "it is missing.");
        }
        self.last = number;
        self.tree.put(entry.heads.iter().cloned());
        self.entries.insert(number, (entry.clone(), false));
        let Some(body) = Body::of_note(&entry.note).filter(|body| body.number == number) else {
            found.checkpoint(number, "its note was changed: it is not what a checkpoint says.");
            return;
        };
        let signed = match self.verifier {
            Some(key) if key.name() == body.origin && key.open(&entry.note).is_none() => {
                found.checkpoint(number, "it was changed: its signature is not that of what it says.");
                return;
            }
            // An earlier key, from before a copy was put back elsewhere, signs nothing after a newer one did.
            Some(key) if key.name() != body.origin && self.newest.as_ref().is_some_and(|newest| newest.signed) => {
                found.checkpoint(number, "it is signed with another key than those before it.");
                return;
            }
            key => key.is_some_and(|key| key.name() == body.origin),
        };
        let records: i64 = self.tree.ends().iter().map(|end| end.seq).sum();
        if (body.size, body.root, body.records) != (self.tree.size(), self.tree.root(), records) {
            found.checkpoint(number, "the ends of chains that are kept of it are not those that it signed.");
        } else {
            self.entries.insert(number, (entry.clone(), true));
        }
        self.newest = Some(CheckpointSeen { number, at: body.at, records: body.records, signed });
    }

    /// The newest one that says what a checkpoint says.
    pub fn newest(self) -> Option<CheckpointSeen> {
        self.newest
    }
}

/// Compares the log with the table, and holds the chains against those ends of which the table knows otherwise.
async fn log(
    tx: &mut Tx,
    outside: &Outside,
    seen: &Seen<'_>,
    owner: Option<UserId>,
    found: &mut Findings,
) -> Result<(), Error> {
    if let Some(line) = outside.log.as_ref().and_then(|log| log.unreadable.as_ref()) {
        found.checkpoint(0, format!("the log has a line that is no checkpoint: {line}"));
    }
    let first = seen.entries.keys().next().copied().unwrap_or(seen.last + 1);
    let mut before = None;
    for entry in outside.entries() {
        let number = entry.number;
        if before.is_some_and(|before| number != before + 1) {
            found.checkpoint(number, "the log does not have the one before it.");
        }
        before = Some(number);
        let known = seen.entries.get(&number);
        if number < first || known.is_some_and(|(known, _)| known == entry) {
            continue;
        }
        found.checkpoint(
            number,
            match known {
                Some(_) => "the log tells it otherwise than the table.",
                None => "it is in the log, but not in the table.",
            },
        );
        // Where the table has what was signed, it is the log that is wrong, and so it is where no key has signed what it tells.
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
    let told = before.unwrap_or(0);
    if signed && outside.log.is_some() && told < seen.last - BEHIND {
        let problem = match before {
            None => "it is missing in the log, and so are those after it.".to_owned(),
            Some(_) => format!("it is missing in the log, which ends with {told}."),
        };
        found.checkpoint(told + 1, problem);
    }
    Ok(())
}

/// Holds the chains against all ends that the table knows to be signed.
async fn unmet(tx: &mut Tx, owner: Option<UserId>, found: &mut Findings) -> Result<(), Error> {
    let mut last = None;
    for unmet in checkpoints::unmet(tx, owner).await? {
        if last.replace(unmet.user_id) != Some(unmet.user_id) {
            differs(tx, unmet.user_id, unmet.seq, unmet.number, unmet.kind, found).await?;
        }
    }
    Ok(())
}

/// Notes that a chain does not have a record that was signed as its last one, or has another in its place.
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
            // A gap in the midst is a finding of the chain's own.
            found.cut(user, seq, number, if last < seq { last } else { seq - 1 });
        }
    }
    Ok(())
}
