//! A whole database into an empty one of the other kind (R-1006).

use super::audit::{self, Outside};
use super::backup::said;
use super::{Ctx, Error, Seal};
use crate::domain::audit::Unsigned;
use crate::store::Tx;
use crate::store::copying::{self, Copied};

/// Copies everything, all or nothing; the copy is kept only if every count, the ends of all chains, what holds at any moment and the
/// whole record agree. The record is checked with the key and the log of the source, at `seal`: neither comes along. Returns as well
/// why its signatures were not checked, if they were not.
///
/// Nobody may write to either meanwhile, or what comes after the first row is missing in the copy.
pub async fn copy(from: &Ctx, to: &Ctx, seal: &Seal) -> Result<(Copied, Option<Unsigned>), Error> {
    let (tx, copied, unsigned) = verified(from, to, seal).await?;
    to.commit(tx).await?;
    Ok((copied, unsigned))
}

/// Copies everything without keeping it.
pub(crate) async fn verified(from: &Ctx, to: &Ctx, seal: &Seal) -> Result<(Tx, Copied, Option<Unsigned>), Error> {
    // Before the database, as for any verification.
    let outside = Outside::at(seal)?;
    let (mut tx, copied) = copying::copy(&from.store, &to.store).await.map_err(said)?;
    let report = audit::verify_within(to, &mut tx, &outside, None).await?;
    if let Some(broken) = report.broken.first() {
        return Err(Error::Conflict(format!("The copy was given up, since its record does not verify: {broken}")));
    }
    Ok((tx, copied, report.unsigned))
}
