//! Amendments: records by older versions erased texts without stating the superseded verdicts, so a new record of each chain states them
//! . No record is rewritten. Everything must verify afterwards, so an amendment cannot cover other damage.

use serde_json::json;

use super::findings::Findings;
use super::{Outside, verify_within};
use crate::domain::audit::Verification;
use crate::domain::id::UserId;
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};
use crate::usecases::accounts::{self, Manager};
use crate::usecases::{Commit, Ctx, Error, checkpoints, superseded};

#[derive(Debug)]
pub struct Amended {
    /// Approximate number of records that were amended; 0 if none needed it.
    pub records: u64,
    pub report: Verification,
}

/// Amends the audit log of the named user, or everyone's, and signs it. For the command line.
///
/// # Errors
/// `Conflict` if there is no signing key, or if an erasure does not explain all that is broken. Nothing is written then.
pub async fn amend(ctx: &Ctx, user: Option<&str>) -> Result<Amended, Error> {
    checkpoints::can_sign(ctx).await?;
    let outside = Outside::of(ctx)?;
    let mut tx = ctx.write().await?;
    let owner = match user {
        Some(name) => Some(accounts::named(&mut tx, name).await?.user_id),
        None => None,
    };
    let amended = amend_within(ctx, &mut tx, &outside, owner).await?;
    if amended.records > 0 {
        ctx.commit_at(tx, Commit::Erase).await?;
        checkpoints::make_now(ctx).await?;
    }
    Ok(amended)
}

/// Amends one user's or everyone's records within a transaction. The caller must not commit it after an error.
///
/// # Errors
/// See [`amend`].
pub async fn amend_within(ctx: &Ctx, tx: &mut Tx, outside: &Outside, owner: Option<UserId>) -> Result<Amended, Error> {
    let owners = match owner {
        Some(user) => vec![user],
        None => store::chains::owners(tx).await?,
    };
    // Locks the chains during verification. A chain without a head has nothing to amend.
    for user in &owners {
        if store::chains::head(tx, *user).await?.is_some() {
            store::tasks::lock(tx, *user).await?;
        }
    }
    let report = verify_within(ctx, tx, outside, owner).await?;
    if report.broken.is_empty() {
        return Ok(Amended { records: 0, report });
    }
    let mut records = 0;
    for user in owners {
        records += amend_chain(ctx, tx, user).await?;
    }
    let report = verify_within(ctx, tx, outside, owner).await?;
    match report.broken.first() {
        None => Ok(Amended { records, report }),
        Some(broken) => Err(Error::Conflict(format!(
            "Nothing was amended: no erasure explains this finding, so the database was edited or damaged ({}).",
            broken.to_string().trim_end_matches('.')
        ))),
    }
}

/// Records the verdicts that erasures of the user's chain did not state; returns their number.
async fn amend_chain(ctx: &Ctx, tx: &mut Tx, user: UserId) -> Result<u64, Error> {
    let mut found = Findings::default();
    super::chain(tx, user, &mut found).await?;
    let superseded = superseded::unstated(tx, user, |seq| found.replaced_by(user, seq).is_some()).await?;
    if superseded.is_empty() {
        return Ok(0);
    }
    let at = ctx.now();
    let by = Manager::CommandLine.name();
    let body = json!({ "event": "amended", "by": by, "superseded": superseded, "at": at });
    records::append(tx, user, Kind::Amendment, &at, &body).await?;
    Ok(superseded.len() as u64)
}
