//! What waits to be done, over all users: numbers, and nothing of anybody's.

use super::{Ctx, Error};
use crate::domain::load::Load;
use crate::store;

/// As it is in the database, whichever server is asked.
pub async fn now(ctx: &Ctx) -> Result<Load, Error> {
    let mut tx = ctx.read().await?;
    Ok(store::load::now(&mut tx, &ctx.now()).await?)
}
