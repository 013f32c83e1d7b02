//! Queue depths over all users, without user data.

use super::{Ctx, Error};
use crate::domain::queue_depth::Load;
use crate::store;

/// Returns the current queue depths from the database.
pub async fn now(ctx: &Ctx) -> Result<Load, Error> {
    let mut tx = ctx.read().await?;
    Ok(store::queue_depth::now(&mut tx, &ctx.now()).await?)
}
