//! Checkpoints as signed notes (C2SP signed-note). The text follows C2SP tlog-checkpoint: origin, number of leaves, root, and
//! extension lines with number, time and record count. Keys have the format of golang.org/x/mod/sumdb/note.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use sha2::{Digest as _, Sha256};

use super::hex;
use super::tree::Hash;
use crate::domain::time::Timestamp;

/// The signature type of Ed25519.
const ED25519_TYPE: u8 = 1;
/// Maximum length of a note, in bytes.
const LONGEST: usize = 1 << 16;

/// Content of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// Name of the key that signs this audit log's checkpoints.
    pub origin: String,
    /// Number of chains.
    pub size: u64,
    /// Root of the tree over the chains' ends.
    pub root: Hash,
    /// Counted from 1.
    pub number: i64,
    pub at: Timestamp,
    /// Number of records in all chains.
    pub records: i64,
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, size, root, number, at, records } = self;
        let root = BASE64_STANDARD.encode(root);
        write!(f, "{origin}\n{size}\n{root}\nnumber {number}\ntime {at}\nrecords {records}\n")
    }
}

impl Body {
    /// Parses the text of a note; `None` unless it is exactly what [`Body`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let (origin, size, root) = (lines.next()?, lines.next()?, lines.next()?);
        let mut named = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let (number, at, records) = (named("number")?, named("time")?, named("records")?);
        let body = Self {
            origin: origin.to_owned(),
            size: size.parse().ok()?,
            root: BASE64_STANDARD.decode(root).ok()?.try_into().ok()?,
            number: number.parse().ok()?,
            at: Timestamp::parse(at).ok()?,
            records: records.parse().ok()?,
        };
        (body.to_string() == text).then_some(body)
    }

    /// Parses the text of a note without checking its signatures.
    pub fn of_note(note: &str) -> Option<Self> {
        Self::parse(split(note)?.0)
    }
}

/// Splits a note into its text, including the line end, and its signature lines.
fn split(note: &str) -> Option<(&str, &str)> {
    let at = note.rfind("\n\n").filter(|_| note.len() <= LONGEST)?;
    let (text, signatures) = (&note[..=at], &note[at + 2..]);
    signatures.ends_with('\n').then_some((text, signatures))
}

/// A public key with the name that appears on its signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verifier {
    name: String,
    key: [u8; 32],
}

impl fmt::Display for Verifier {
    /// Writes a verifier key: `<name>+<id>+<type and key>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}+{}", self.name, hex::text(&self.id()), BASE64_STANDARD.encode(typed(&self.key)))
    }
}

fn typed(key: &[u8; 32]) -> Vec<u8> {
    [&[ED25519_TYPE][..], key].concat()
}

/// Splits an encoded key into name, id and bytes.
fn parts(text: &str) -> Option<(&str, &str, [u8; 32])> {
    let (name, rest) = text.split_once('+')?;
    let (id, key) = rest.split_once('+')?;
    let key = BASE64_STANDARD.decode(key).ok()?;
    let (kind, key) = key.split_first()?;
    let valid = !name.is_empty() && !name.contains(char::is_whitespace) && *kind == ED25519_TYPE;
    valid.then_some((name, id, key.try_into().ok()?))
}

impl Verifier {
    /// Parses a verifier key; `None` unless it is an Ed25519 key.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, id, key) = parts(text.trim())?;
        let read = Self { name: name.to_owned(), key };
        (hex::text(&read.id()) == id).then_some(read)
    }

    /// Returns the key's name, which is the origin of its checkpoints.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the first bytes of SHA-256(name ‖ line end ‖ type ‖ key).
    fn id(&self) -> [u8; 4] {
        let digest =
            Sha256::new().chain_update(&self.name).chain_update("\n").chain_update(typed(&self.key)).finalize();
        [digest[0], digest[1], digest[2], digest[3]]
    }

    /// Returns the text of a note if this key has signed it.
    pub fn open<'a>(&self, note: &'a str) -> Option<&'a str> {
        let (text, signatures) = split(note)?;
        let own = signatures.lines().filter_map(|line| {
            let (name, signature) = line.strip_prefix("— ")?.split_once(' ')?;
            let signature = BASE64_STANDARD.decode(signature).ok().filter(|_| name == self.name)?;
            signature.strip_prefix(&self.id()[..]).map(<[u8]>::to_vec)
        });
        let key = UnparsedPublicKey::new(&ED25519, self.key);
        let mut own = own.peekable();
        own.peek()?;
        own.all(|signature| key.verify(text.as_bytes(), &signature).is_ok()).then_some(text)
    }
}

/// A signing key.
pub struct Signer {
    pair: Ed25519KeyPair,
    verifier: Verifier,
}

impl Signer {
    /// Creates a key from 32 secret bytes. The name must have no spaces and plus signs.
    pub fn new(name: &str, seed: &[u8; 32]) -> Option<Self> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).ok()?;
        let key = pair.public_key().as_ref().try_into().ok()?;
        Some(Self { verifier: Verifier { name: name.to_owned(), key }, pair })
    }

    /// Parses the output of [`secret`]; `None` if invalid.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, id, seed) = parts(text.trim().strip_prefix("PRIVATE+KEY+")?)?;
        Self::new(name, &seed).filter(|signer| hex::text(&signer.verifier.id()) == id)
    }

    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    /// Signs a text, which must end with a line end, as a note.
    pub fn sign(&self, text: &str) -> String {
        let signature = [&self.verifier.id()[..], self.pair.sign(text.as_bytes()).as_ref()].concat();
        format!("{text}\n— {} {}\n", self.verifier.name, BASE64_STANDARD.encode(signature))
    }
}

/// Returns the text of a signing key for its file.
pub fn secret(name: &str, seed: &[u8; 32]) -> Option<String> {
    let signer = Signer::new(name, seed)?;
    let id = hex::text(&signer.verifier.id());
    Some(format!("PRIVATE+KEY+{name}+{id}+{}", BASE64_STANDARD.encode(typed(seed))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_format_is_read_and_made() {
        // The example of golang.org/x/mod/sumdb/note.
        let key = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
        let text =
            "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
        let note = format!(
            "{text}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
        );
        let signer = Signer::parse(key).unwrap();
        assert_eq!(signer.verifier().to_string(), "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
        assert_eq!(signer.sign(text), note);
        assert_eq!(signer.verifier().open(&note), Some(text));
    }

    fn body() -> Body {
        Body {
            origin: "docket/test".into(),
            size: 3,
            root: [9; 32],
            number: 12,
            at: Timestamp::parse("2026-03-11T09:30:00Z").unwrap(),
            records: 812,
        }
    }

    /// Returns copies of the note, each with another character changed.
    fn changes(note: &str) -> impl Iterator<Item = String> {
        note.char_indices().map(|(at, old)| {
            let mut changed = note.to_owned();
            changed.replace_range(at..at + old.len_utf8(), if old == 'B' { "C" } else { "B" });
            changed
        })
    }

    #[test]
    fn a_note_that_somebody_else_signed_as_well_is_opened() {
        let signer = |name: &str, seed| Signer::parse(&secret(name, &[seed; 32]).unwrap()).unwrap();
        let (ours, witness) = (signer("docket/test", 7), signer("witness", 8));
        for text in [body().to_string(), "— ein Öl\n\n\nand more\n".to_owned()] {
            let (signed, theirs) = (ours.sign(&text), witness.sign(&text));
            let theirs = theirs.strip_prefix(&format!("{text}\n")).unwrap();
            for note in [signed.clone() + theirs, format!("{text}\n{theirs}{}", &signed[text.len() + 1..])] {
                assert_eq!(ours.verifier().open(&note), Some(text.as_str()));
                assert_eq!(witness.verifier().open(&note), Some(text.as_str()));
            }
        }
    }

    #[test]
    fn nothing_of_a_note_can_be_changed() {
        let (signer, body) = (Signer::new("docket/test", &[7; 32]).unwrap(), body());
        let note = signer.sign(&body.to_string());
        let verifier = Verifier::parse(&signer.verifier().to_string()).unwrap();
        assert_eq!(verifier.open(&note).and_then(Body::parse), Some(body.clone()));
        for changed in changes(&note) {
            assert_eq!(verifier.open(&changed).and_then(Body::parse), None, "{changed}");
        }
        let other = Signer::new("docket/test", &[8; 32]).unwrap();
        assert_eq!(verifier.open(&other.sign(&body.to_string())), None);
        assert!(Verifier::parse("docket/test+00000000+AQAA").is_none());
        assert!(Signer::parse(&secret("docket/test", &[7; 32]).unwrap()).is_some());
    }
}
