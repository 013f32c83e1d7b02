//! Verification of a bundle without the database: chains link by link, and checkpoints. Audited rows are not in a bundle and are not
//! compared.

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;

use serde_json::Value;

use super::chain::Chain;
use super::checkpoints::{DIFFERENT_KEY, Seen};
use super::findings::Findings;
use crate::domain::audit::{CheckpointSeen, Unsigned, Verification};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::store::chains::{Head, Link};
use crate::store::checkpoints::{Body, End, Entry, Hash, Verifier, hex, root_by};
use crate::store::records::Kind;
use crate::usecases::Error;
use crate::usecases::audit::bundle::{Line, VERSION, Written};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    pub report: Verification,
    /// Key that verified the checkpoints, in signed-note format.
    pub key: Option<String>,
}

/// Verifies a bundle. Its checkpoints must be signed with `key`, or without one with the key that the bundle names.
pub fn verify_bundle(from: impl BufRead, key: Option<&str>) -> Result<Verified, Error> {
    let mut lines = from.lines().enumerate().map(|(at, line)| {
        let line = line.map_err(|error| Error::Conflict(format!("The bundle cannot be read: {error}.")))?;
        serde_json::from_str(&line).map_err(|_| refused(&format!("line {} is invalid", at + 1)))
    });
    let Some(Line::Bundle { version: VERSION, made_at, key: own, user }) = lines.next().transpose()? else {
        return Err(refused("its first line is not a bundle header of a known version"));
    };
    let key = match (key.map(str::trim), own) {
        (Some(given), Some(own)) if given != own => {
            return Err(Error::Conflict(format!("The bundle is signed with a different key: {own}")));
        }
        (Some(_), None) => return Err(Error::Conflict("The bundle is not signed: it contains no key.".into())),
        (_, own) => own,
    };
    let unreadable = || refused("its key is not an Ed25519 key");
    let verifier = key.as_deref().map(|key| Verifier::parse(key).ok_or_else(unreadable)).transpose()?;
    let mut check = Check {
        verifier: verifier.as_ref(),
        whose: user,
        seen: None,
        newest: None,
        foreign: None,
        covered: 0,
        signed: HashMap::new(),
        names: HashMap::new(),
        open: None,
        is_ahead: false,
        written: Written::default(),
        found: Findings::default(),
    };
    for line in &mut lines {
        let line = line?;
        if let Line::End { records, chains, checkpoints } = line {
            if check.written != (Written { records, chains, checkpoints }) || check.open.is_some() {
                return Err(refused("its number of lines does not match its last line"));
            }
            return match lines.next() {
                None => Ok(Verified { report: check.report(made_at), key }),
                Some(_) => Err(refused("there is content after its last line")),
            };
        }
        check.take(line)?;
    }
    Err(refused("its last line is missing"))
}

/// Returns true if the record creates an account with a name other than that of its chain.
fn names_another(link: &Link, body: &Value, name: Option<&String>) -> bool {
    Kind::parse(&link.kind) == Some(Kind::Account)
        && body["event"] == "created"
        && body["name"].as_str() != name.map(String::as_str)
}

fn refused(why: &str) -> Error {
    Error::Conflict(format!("This is not a complete bundle of an audit log: {why}."))
}

struct Check<'a> {
    verifier: Option<&'a Verifier>,
    /// Owner of the records; `None` for everyone's.
    whose: Option<UserId>,
    /// Checkpoints of all chains.
    seen: Option<Seen<'a>>,
    /// Newest checkpoint of one user's chain.
    newest: Option<CheckpointSeen>,
    /// Number of the first checkpoint of another key since the newest one of `verifier`, in one user's bundle.
    foreign: Option<i64>,
    /// Number of the last record that `verifier` signed in one user's chain.
    covered: i64,
    /// Signed ends by their number in the chain: the first checkpoint that signed them, and the hash. The key does not matter.
    signed: HashMap<UserId, BTreeMap<i64, (i64, Vec<u8>)>>,
    names: HashMap<UserId, String>,
    open: Option<Open>,
    /// True if a chain has records after its last signed end.
    is_ahead: bool,
    written: Written,
    found: Findings,
}

/// The current chain.
struct Open {
    chain: Chain,
    user: UserId,
    signed: BTreeMap<i64, (i64, Vec<u8>)>,
    /// Number of the last matching signed end.
    met: i64,
    /// First signed end that differs: number, kind, checkpoint, and the last matching end before it.
    unmet: Option<(i64, String, i64, i64)>,
}

impl Check<'_> {
    fn take(&mut self, line: Line) -> Result<(), Error> {
        match (line, &mut self.open) {
            (Line::Checkpoint(entry), None) if self.whose.is_none() && self.written.chains == 0 => {
                self.checkpoint(&entry)
            }
            (Line::Proof { number, note, end, index, path }, None)
                if self.whose == Some(end.user) && self.written.chains == 0 =>
            {
                self.proof(number, &note, end, index, &path);
            }
            (Line::Chain { user, name }, None) if self.whose.is_none_or(|whose| whose == user) => {
                if self.names.insert(user, name).is_some() {
                    return Err(refused("a chain occurs twice"));
                }
                self.written.chains += 1;
                let signed = self.signed.remove(&user).unwrap_or_default();
                self.open = Some(Open { chain: Chain::new(user), user, signed, met: 0, unmet: None });
            }
            (Line::Record(record), Some(open)) => {
                let link = record.link(open.user).ok_or_else(|| refused("a salt is invalid"))?;
                self.written.records += 1;
                match open.signed.remove(&link.seq) {
                    Some((_, hash)) if hash == link.hash => open.met = link.seq,
                    Some((number, _)) if open.unmet.is_none() => {
                        open.unmet = Some((link.seq, link.kind.clone(), number, open.met));
                    }
                    _ => {}
                }
                let body = open.chain.take(&link, &mut self.found);
                if body.is_some_and(|body| names_another(&link, &body, self.names.get(&open.user))) {
                    self.found.broken(open.user, link.seq, &link.kind, "the bundle gives its account another name.");
                }
            }
            (Line::Head { seq, hash }, Some(_)) => {
                let open = self.open.take().expect("it was just looked at");
                self.end(open, &Head { seq, hash });
            }
            _ => return Err(refused("its lines are in the wrong order")),
        }
        Ok(())
    }

    fn checkpoint(&mut self, entry: &Entry) {
        self.written.checkpoints += 1;
        let verifier = self.verifier;
        let seen = self.seen.get_or_insert_with(|| Seen::new(verifier, entry.number - 1));
        seen.take(entry, &mut self.found);
        for end in &entry.heads {
            self.sign(entry.number, end);
        }
    }

    fn sign(&mut self, number: i64, End { user, seq, hash }: &End) {
        let ends = self.signed.entry(*user).or_default();
        let (_, known) = ends.entry(*seq).or_insert_with(|| (number, hash.clone()));
        if known != hash {
            self.found.checkpoint(number, "it signed another record than a checkpoint before it.");
        }
    }

    /// Returns the number of the chain's last record that a checkpoint of `verifier` covers.
    fn covered(&self, user: UserId) -> i64 {
        self.seen.as_ref().map_or(self.covered, |seen| seen.end_of(user))
    }

    fn proof(&mut self, number: i64, note: &str, end: End, index: u64, path: &[String]) {
        self.written.checkpoints += 1;
        let Some(body) = Body::of_note(note).filter(|body| body.number == number) else {
            self.found.checkpoint(number, "its note is not a valid checkpoint.");
            return;
        };
        let own = self.verifier.filter(|key| key.name() == body.origin);
        if own.is_some_and(|key| key.open(note).is_none()) {
            self.found.checkpoint(number, "its signature does not match its contents.");
            return;
        }
        if own.is_none() && self.newest.as_ref().is_some_and(|newest| newest.signed) {
            self.foreign.get_or_insert(number);
            return;
        }
        self.foreign = None;
        let path: Option<Vec<Hash>> = path.iter().map(|hash| hex::read(hash)?.try_into().ok()).collect();
        if path.and_then(|path| root_by(end.leaf(), index, body.size, &path)) != Some(body.root) {
            self.found.checkpoint(number, "its listed chain end does not match the one that it signed.");
        }
        let signed = own.is_some();
        if signed {
            self.covered = end.seq;
        }
        self.newest = Some(CheckpointSeen { number, at: body.at, records: body.records, signed });
        self.sign(number, &end);
    }

    fn end(&mut self, open: Open, head: &Head) {
        let (user, last) = (open.user, open.chain.seen());
        self.is_ahead |= last > self.covered(user);
        open.chain.end(Some(head), &mut self.found);
        if let Some((seq, kind, number, met)) = open.unmet {
            self.found.rewritten(user, seq, &kind, number, met);
        }
        if let Some((seq, (number, _))) = open.signed.first_key_value() {
            // A gap within the chain is reported by the chain's check.
            self.found.cut(user, *seq, *number, if last < *seq { last } else { *seq - 1 });
        }
    }

    fn report(mut self, made_at: Timestamp) -> Verification {
        for (user, signed) in std::mem::take(&mut self.signed) {
            if let Some((seq, (number, _))) = signed.first_key_value() {
                self.found.cut(user, *seq, *number, 0);
            }
        }
        if let Some(number) = self.foreign {
            self.found.checkpoint(number, DIFFERENT_KEY);
        }
        let checkpoint = match self.seen {
            Some(seen) => seen.newest(&mut self.found),
            None => self.newest,
        };
        let broken = self.found.listed(&self.names);
        // Compares without a log: all that the checkpoints signed is in the bundle.
        let unsigned = match (self.verifier, &checkpoint) {
            (None, _) => Some(Unsigned::NoKey),
            (Some(_), None) => Some(Unsigned::NoCheckpoint),
            (Some(_), Some(newest)) if !newest.signed => Some(Unsigned::OtherKey),
            // Anybody without the key could have written newer records.
            (Some(_), Some(_)) => self.is_ahead.then_some(Unsigned::Newer),
        };
        Verification {
            records: self.found.records,
            erased: self.found.erased,
            amended: self.found.amended,
            users: self.found.chains,
            verified_through: broken.is_empty().then_some(made_at),
            checkpoint,
            unsigned,
            broken,
        }
    }
}
