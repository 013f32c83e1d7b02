//! Migration of a whole database into an empty one of the other kind (R-1006).

use super::audit::{self, Outside};
use super::{CheckpointSigner, Ctx, Error};
use crate::domain::audit::Unsigned;
use crate::store::Tx;
use crate::store::transfer::{self, Copied};

/// Copies everything in one transaction and commits if counts, chain ends, invariants and the verification agree. `seal` is the source's
/// key and log. Also returns the reason if signatures were not checked.
///
/// The caller prevents writes to both databases: later rows would be missing in the copy.
pub async fn copy(from: &Ctx, to: &Ctx, seal: &CheckpointSigner) -> Result<(Copied, Option<Unsigned>), Error> {
    let (tx, copied, unsigned) = verified(from, to, seal).await?;
    to.commit(tx).await?;
    Ok((copied, unsigned))
}

/// Copies and verifies everything without committing.
pub(crate) async fn verified(
    from: &Ctx,
    to: &Ctx,
    seal: &CheckpointSigner,
) -> Result<(Tx, Copied, Option<Unsigned>), Error> {
    // Read before the database, as for any verification.
    let outside = Outside::at(seal, from)?;
    let (mut tx, copied) = transfer::copy(&from.store, &to.store).await.map_err(Error::verbatim)?;
    let report = audit::verify_within(to, &mut tx, &outside, None).await?;
    if let Some(broken) = report.broken.first() {
        return Err(Error::Conflict(format!("The copy was cancelled because its audit log does not verify: {broken}")));
    }
    Ok((tx, copied, report.unsigned))
}
