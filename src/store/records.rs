//! The hash chain and the bodies that it vouches for.

use rand::RngCore as _;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{Conn, Error, Tx, canonical, heads, on};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;

/// What a record is about. The names are part of every hash: never change one.
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
    /// Texts of other records were erased.
    Erasure,
    /// An admin's look at another's turn.
    Reading,
    /// Tasks as the changes that were erased had left them.
    Standing,
    /// Facts that an erasure by an older version left out of its record.
    Amendment,
}

impl Kind {
    /// Every kind.
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

    /// Reads a stored name.
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

/// Separates these hashes from any other use of SHA-256, and versions their layout.
const DOMAIN: &[u8] = b"docket/record/v1";

/// With the values of both in one order, so that either is told them all.
const RECORD: &str =
    "INSERT INTO records (user_id, seq, kind, at, digest, previous, hash) VALUES ($1, $2, $3, $4, $5, $6, $7)";
const BODY: &str = "INSERT INTO bodies (user_id, seq, salt, body) VALUES ($1, $2, $8, $9)";
const BOTH: &str = "WITH record AS (INSERT INTO records (user_id, seq, kind, at, digest, previous, hash)
         VALUES ($1, $2, $3, $4, $5, $6, $7))
     INSERT INTO bodies (user_id, seq, salt, body) VALUES ($1, $2, $8, $9)";

/// Appends a record to `owner`'s chain and keeps its body beside it; returns its number.
///
/// digest = SHA-256(salt ‖ canonical JSON of `body`, RFC 8785); hash = SHA-256(domain ‖ owner ‖ number ‖ previous hash ‖ kind ‖ time ‖ digest),
/// with variable parts preceded by their length. The body carries all that the typed row says, so that a changed column shows.
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

    let head = heads::take(tx, owner).await?;
    let (seq, previous, hash) =
        head.next_record(|seq, previous| link(owner.0.as_bytes(), seq, previous, kind.as_str(), at.as_str(), &digest));
    // PostgreSQL is a way away: what it can do in one statement, it is told in one.
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

/// What a record keeps of its body.
pub fn digest(salt: &[u8], body: &str) -> [u8; 32] {
    Sha256::new().chain_update(salt).chain_update(body).finalize().into()
}

/// The hash of a record, which the next one of its chain names; the owner as the bytes of their id.
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
