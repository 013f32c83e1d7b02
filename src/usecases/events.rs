//! A user's event stream.

use super::{Ctx, Error};
use crate::domain::live::{Event, EventKind};
use crate::domain::user::Caller;
use crate::store;

/// Returns the caller's events after `seq`, oldest first, at most `limit` and fewer if they are long. Of consecutive erased events only the last is returned.
pub async fn after(ctx: &Ctx, caller: &Caller, seq: i64, limit: i64) -> Result<Vec<Event>, Error> {
    let mut tx = ctx.read().await?;
    let limit = store::events::page(&mut tx, caller.id(), seq, limit).await?;
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

/// Returns the sequence number of the caller's newest event; 0 before the first.
pub async fn head(ctx: &Ctx, caller: &Caller) -> Result<i64, Error> {
    let mut tx = ctx.read().await?;
    Ok(store::events::head(&mut tx, caller.id()).await?)
}
