//! Records of the audit log: the hash chain and its bodies.

use rand::RngCore as _;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{Conn, Error, Tx, canonical, on, sequences};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;

/// Kind of a record. The names are part of every hash: never change one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Message,
    Step,
    Invocation,
    Change,
    ApprovalRequest,
    ApprovalVerdict,
    ApprovalExtension,
    Decision,
    Account,
    Token,
    SignIn,
    Policy,
    /// Erasure of other records' texts.
    Erasure,
    /// An admin's reading of another user's turn.
    Reading,
    /// Tasks as left by changes that were erased.
    Standing,
    /// Facts missing from the record of an erasure by an older version.
    Amendment,
}

impl Kind {
    pub const ALL: [Self; 16] = [
        Self::Message,
        Self::Step,
        Self::Invocation,
        Self::Change,
        Self::ApprovalRequest,
        Self::ApprovalVerdict,
        Self::ApprovalExtension,
        Self::Decision,
        Self::Account,
        Self::Token,
        Self::SignIn,
        Self::Policy,
        Self::Erasure,
        Self::Reading,
        Self::Standing,
        Self::Amendment,
    ];

    /// Parses a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Step => "step",
            Self::Invocation => "invocation",
            Self::Change => "change",
            Self::ApprovalRequest => "approval_request",
            Self::ApprovalVerdict => "approval_verdict",
            Self::ApprovalExtension => "approval_extension",
            Self::Decision => "decision",
            Self::Account => "account",
            Self::Token => "token",
            Self::SignIn => "sign_in",
            Self::Policy => "policy",
            Self::Erasure => "erasure",
            Self::Reading => "reading",
            Self::Standing => "standing",
            Self::Amendment => "amendment",
        }
    }
}

/// Domain separator of record hashes, with the version of their layout.
const DOMAIN: &[u8] = b"docket/record/v1";

/// `RECORD` and `BODY` in one statement. All three share one order of parameters.
const RECORD: &str =
    "INSERT INTO records (user_id, seq, kind, at, digest, previous, hash) VALUES ($1, $2, $3, $4, $5, $6, $7)";
const BODY: &str = "INSERT INTO bodies (user_id, seq, salt, body) VALUES ($1, $2, $8, $9)";
const BOTH: &str = "WITH record AS (INSERT INTO records (user_id, seq, kind, at, digest, previous, hash)
         VALUES ($1, $2, $3, $4, $5, $6, $7))
     INSERT INTO bodies (user_id, seq, salt, body) VALUES ($1, $2, $8, $9)";

/// Appends a record with its body to `owner`'s chain and returns its number.
///
/// digest = SHA-256(salt ‖ canonical JSON of `body`, RFC 8785); hash = SHA-256(domain ‖ owner ‖ number ‖ previous hash ‖ kind ‖
/// time ‖ digest). Variable parts are preceded by their length. The body repeats all columns of the typed row, so that a changed
/// column is detected.
pub async fn append(
    tx: &mut Tx,
    owner: UserId,
    kind: Kind,
    at: &Timestamp,
    body: &impl Serialize,
) -> Result<i64, Error> {
    let body =
        canonical::to_string(body).map_err(|error| Error::Corrupt(format!("a value that is no JSON ({error})")))?;
    let mut salt = [0_u8; 16];
    rand::rng().fill_bytes(&mut salt);
    let digest = digest(&salt, &body);

    let head = sequences::take(tx, owner).await?;
    let (seq, previous, hash) =
        head.next_record(|seq, previous| link(owner.0.as_bytes(), seq, previous, kind.as_str(), at.as_str(), &digest));
    // One statement saves a round trip to PostgreSQL.
    let statements: &[&'static str] = match &tx.conn {
        Conn::Sqlite(_) => &[RECORD, BODY],
        Conn::Pg(_) => &[BOTH],
    };
    for sql in statements.iter().copied() {
        on!(tx, |conn| sqlx::query(sql)
            .bind(owner)
            .bind(seq)
            .bind(kind.as_str())
            .bind(at)
            .bind(digest.as_slice())
            .bind(&previous)
            .bind(hash.as_slice())
            .bind(salt.as_slice())
            .bind(body.as_str())
            .execute(conn)
            .await
            .map(drop))?;
    }
    Ok(seq)
}

/// Returns the digest of a body, which its record stores.
pub fn digest(salt: &[u8], body: &str) -> [u8; 32] {
    Sha256::new().chain_update(salt).chain_update(body).finalize().into()
}

/// Returns the hash of a record, which the next record of the chain includes. `owner` is the id's bytes.
pub fn link(owner: &[u8; 16], seq: i64, previous: &[u8], kind: &str, at: &str, digest: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(DOMAIN);
    hash.update(owner);
    hash.update(seq.to_be_bytes());
    hash.update(previous);
    for part in [kind, at] {
        hash.update(u64::try_from(part.len()).expect("a length fits in 64 bits").to_be_bytes());
        hash.update(part);
    }
    hash.update(digest);
    hash.finalize().into()
}
