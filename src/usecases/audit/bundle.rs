//! The audit bundle, verifiable without the database: checkpoints, then each chain with the texts and salts of its digests.
//! `docs/record-format.md` specifies the format.

use std::io::Write;

use serde::{Deserialize, Serialize};

use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::domain::user::UserName;
use crate::store::chains::{Head, Link};
use crate::store::checkpoints::{self, End, Entry, Tree, hex};
use crate::store::{self, Tx};
use crate::usecases::{CheckpointSigner, Ctx, Error};

pub(super) const VERSION: u32 = 1;
/// Number of newest checkpoints in a bundle.
const NEWEST: i64 = 1_000;
/// Records or checkpoints per query.
const PAGE: i64 = 500;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Line {
    Bundle {
        version: u32,
        made_at: Timestamp,
        /// Public key of the checkpoints in signed-note format; `None` if the bundle was made without it.
        key: Option<String>,
        /// Owner of the records; `None` for everyone's.
        user: Option<UserId>,
    },
    /// A checkpoint of all chains. The first lists the ends of all chains, later ones those that grew since.
    Checkpoint(Entry),
    /// A checkpoint of one user's chain: its end, and the audit path from it to the root.
    Proof { number: i64, note: String, end: End, index: u64, path: Vec<String> },
    /// Start of a chain.
    Chain { user: UserId, name: String },
    /// A record of the current chain.
    Record(Record),
    /// End of the chain, from its owner's counters.
    Head {
        seq: i64,
        #[serde(with = "hex")]
        hash: Vec<u8>,
    },
    /// The last line, with the number of lines of each kind.
    End { records: u64, chains: u64, checkpoints: u64 },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    seq: i64,
    kind: String,
    at: String,
    #[serde(with = "hex")]
    digest: Vec<u8>,
    #[serde(with = "hex")]
    previous: Vec<u8>,
    #[serde(with = "hex")]
    hash: Vec<u8>,
    /// Hexadecimal; present together with the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    salt: Option<String>,
    /// Canonical JSON (RFC 8785) as text, exactly the bytes of the digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// Number of the record of the erasure.
    #[serde(skip_serializing_if = "Option::is_none")]
    erased_by: Option<i64>,
    /// Digest of the row's columns at the erasure, in hexadecimal; covered by the record of the erasure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    said: Option<String>,
}

impl Record {
    fn new(link: Link) -> Self {
        let Link { user: _, seq, kind, at, digest, previous, hash, body, erased_by, said } = link;
        let (salt, body) = body.map(|(salt, body)| (hex::text(&salt), body)).unzip();
        let said = said.map(|said| hex::text(&said));
        Self { seq, kind, at, digest, previous, hash, salt, body, erased_by, said }
    }

    /// Returns the record as a link of the user's chain; `None` if its salt or digest is not hexadecimal.
    pub(super) fn link(self, user: UserId) -> Option<Link> {
        let Self { seq, kind, at, digest, previous, hash, salt, body, erased_by, said } = self;
        let read = |text: Option<String>| text.map_or(Some(None), |text| hex::read(&text).map(Some));
        let (salt, said) = (read(salt)?, read(said)?);
        Some(Link { user, seq, kind, at, digest, previous, hash, body: salt.zip(body), erased_by, said })
    }
}

/// Contents of a bundle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    pub records: u64,
    pub chains: u64,
    pub checkpoints: u64,
}

/// Writes the audit log of the named user, or everyone's. Signs it first if there is a key. For the command line.
pub async fn write_all(ctx: &Ctx, user: Option<&str>, out: &mut (impl Write + Send)) -> Result<Written, Error> {
    if let Err(error) = crate::usecases::checkpoints::begin(ctx).await {
        tracing::warn!(%error, "the newest records of the bundle are not signed");
    }
    let owner = match user {
        None => None,
        Some(name) => {
            let found = store::users::by_name(&mut ctx.peek().await?, &UserName::parse(name)?).await?;
            let (user, _) =
                found.ok_or_else(|| Error::NotFound(format!("There is no user called {}.", name.trim())))?;
            Some(user.user_id)
        }
    };
    written(ctx, owner, out).await
}

async fn written(ctx: &Ctx, owner: Option<UserId>, out: &mut (impl Write + Send)) -> Result<Written, Error> {
    let signer = match ctx.seal.as_deref() {
        Some(CheckpointSigner(files, _)) => files.signer().map_err(Error::verbatim)?,
        None => None,
    };
    let key = signer.map(|signer| signer.verifier().to_string());
    let mut tx = ctx.read().await?;
    let mut bundle = Bundle { out, written: Written::default() };
    bundle.line(&Line::Bundle { version: VERSION, made_at: ctx.now(), key, user: owner })?;
    bundle.checkpoints(&mut tx, owner).await?;
    let owners = match owner {
        Some(user) => vec![user],
        None => store::chains::owners(&mut tx).await?,
    };
    for user in owners {
        bundle.chain(&mut tx, user).await?;
    }
    let Written { records, chains, checkpoints } = bundle.written;
    bundle.line(&Line::End { records, chains, checkpoints })?;
    Ok(bundle.written)
}

struct Bundle<'a, W> {
    out: &'a mut W,
    written: Written,
}

impl<W: Write> Bundle<'_, W> {
    fn line(&mut self, line: &Line) -> Result<(), Error> {
        let failed = |error: std::io::Error| Error::Conflict(format!("The bundle cannot be written: {error}."));
        serde_json::to_writer(&mut *self.out, line).map_err(|error| failed(error.into()))?;
        self.out.write_all(b"\n").map_err(failed)
    }

    async fn checkpoints(&mut self, tx: &mut Tx, owner: Option<UserId>) -> Result<(), Error> {
        let newest = checkpoints::newest(tx).await?.map_or(0, |(number, _)| number);
        let mut last = (newest - NEWEST).max(0);
        let mut tree = Tree::new(checkpoints::ends_at(tx, last).await?);
        let mut first = true;
        loop {
            let entries = checkpoints::after(tx, last, PAGE).await?;
            for entry in &entries {
                tree.put(entry.heads.iter().cloned());
                let line = match owner {
                    None if first => Some(Line::Checkpoint(Entry { heads: tree.ends().to_vec(), ..entry.clone() })),
                    None => Some(Line::Checkpoint(entry.clone())),
                    Some(user) => {
                        let grew = entry.heads.iter().any(|end| end.user == user);
                        if grew || entry.number == newest { proof(&tree, entry, user) } else { None }
                    }
                };
                first = false;
                if let Some(line) = line {
                    self.line(&line)?;
                    self.written.checkpoints += 1;
                }
            }
            match entries.last() {
                Some(entry) => last = entry.number,
                None => return Ok(()),
            }
        }
    }

    async fn chain(&mut self, tx: &mut Tx, user: UserId) -> Result<(), Error> {
        let name = match store::users::get(tx, user).await {
            Ok(Some(user)) => user.name.to_string(),
            Ok(None) if user == UserId::SYSTEM => "system".to_owned(),
            Ok(None) | Err(store::Error::Corrupt(_)) => user.to_string(),
            Err(error) => return Err(error.into()),
        };
        let mut links = store::chains::links(tx, user, 0, PAGE).await?;
        let head = store::chains::head(tx, user).await?.unwrap_or(Head { seq: 0, hash: vec![0; 32] });
        if links.is_empty() && head.seq == 0 {
            return Ok(());
        }
        self.line(&Line::Chain { user, name })?;
        self.written.chains += 1;
        while let Some(link) = links.last() {
            let after = link.seq;
            for link in links {
                self.line(&Line::Record(Record::new(link)))?;
                self.written.records += 1;
            }
            tokio::task::yield_now().await;
            links = store::chains::links(tx, user, after, PAGE).await?;
        }
        self.line(&Line::Head { seq: head.seq, hash: head.hash })
    }
}

/// Returns one user's proof of inclusion in a checkpoint; `None` if they had no record then.
fn proof(tree: &Tree, entry: &Entry, user: UserId) -> Option<Line> {
    let (index, path) = tree.proof(user)?;
    let end = tree.ends().get(usize::try_from(index).ok()?)?.clone();
    let path = path.iter().map(|hash| hex::text(hash)).collect();
    Some(Line::Proof { number: entry.number, note: entry.note.clone(), end, index, path })
}
