//! The repair of records that an older version erased without stating which verdicts were superseded: a new record of each chain states
//! it. Nothing is rewritten, and nothing else that is broken is covered: all of it has to verify afterwards.

use serde_json::json;

use super::findings::Findings;
use super::{Outside, verify_within};
use crate::domain::audit::Verification;
use crate::domain::id::UserId;
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};
use crate::usecases::accounts::{self, Manager};
use crate::usecases::{Commit, Ctx, Error, checkpoints, superseded};

/// An amended record.
#[derive(Debug)]
pub struct Amended {
    /// Records about which something was amended; 0 where nothing was to be.
    pub records: u64,
    /// The verification after it.
    pub report: Verification,
}

/// Amends the record of the user of that name, or everyone's, and signs it: for the command line.
///
/// # Errors
/// `Conflict` where there is no key that signs, or where something is broken that no erasure explains; nothing is written then.
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

/// Amends what a transaction sees of one user's record, or of everyone's; it is not to be committed where this fails.
///
/// # Errors
/// As for [`amend`].
pub async fn amend_within(ctx: &Ctx, tx: &mut Tx, outside: &Outside, owner: Option<UserId>) -> Result<Amended, Error> {
    let owners = match owner {
        Some(user) => vec![user],
        None => store::chains::owners(tx).await?,
    };
    // What is verified may not grow meanwhile. A chain without an end has nothing to be amended.
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
            "Nothing was amended: no erasure explains this, so it was changed by hand or damaged ({}).",
            broken.to_string().trim_end_matches('.')
        ))),
    }
}

/// Records what the erasures of the user's chain left out; returns about how many records.
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
