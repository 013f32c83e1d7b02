//! A whole database into an empty one of the other kind (R-1006).

use super::audit::{self, Outside};
use super::backup::said;
use super::{Ctx, Error};
use crate::store::copying::{self, Copied};

/// Copies everything, all or nothing; the copy is kept only if every count, the ends of all chains, what holds at any moment and the
/// whole record agree. Nobody may write to either meanwhile, or what comes after the first row is missing in the copy.
pub async fn copy(from: &Ctx, to: &Ctx) -> Result<Copied, Error> {
    let (mut tx, copied) = copying::copy(&from.store, &to.store).await.map_err(said)?;
    // The key and the log of checkpoints do not come along.
    let verified = audit::verify_within(to, &mut tx, &Outside::default(), None).await?;
    if let Some(broken) = verified.broken.first() {
        return Err(Error::Conflict(format!("The copy was given up, since its record does not verify: {broken}")));
    }
    to.commit(tx).await?;
    Ok(copied)
}
