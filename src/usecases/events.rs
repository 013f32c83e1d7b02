//! A user's own event stream, as far as they have heard it.

use super::{Ctx, Error};
use crate::domain::live::{Event, EventKind};
use crate::domain::user::Caller;
use crate::store;

/// The caller's events after number `seq`, oldest first, at most `limit`. Of erased ones in a row the last stands for all.
pub async fn after(ctx: &Ctx, caller: &Caller, seq: i64, limit: i64) -> Result<Vec<Event>, Error> {
    let mut tx = ctx.read().await?;
    let mut events = store::events::after(&mut tx, caller.id(), seq, limit).await?;
    events.dedup_by(|later, earlier| {
        let same = later.kind == EventKind::StreamReset && earlier.kind == EventKind::StreamReset;
        if same {
            std::mem::swap(earlier, later);
        }
        same
    });
    Ok(events)
}

/// The number of the caller's newest event; 0 before the first.
pub async fn head(ctx: &Ctx, caller: &Caller) -> Result<i64, Error> {
    let mut tx = ctx.read().await?;
    Ok(store::events::head(&mut tx, caller.id()).await?)
}
