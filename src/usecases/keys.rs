//! Secrets of the server, not of a user: one for each purpose, kept with the data, so that every process on one database has the same.

use rand::RngCore as _;

use super::{Ctx, Error};
use crate::store;

/// Bytes of a key.
const LENGTH: usize = 32;

/// What a key is for. Each purpose has a key of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Sealing what an outside agent's client carries to and fro while a person is asked.
    RequestState,
}

impl Purpose {
    /// The name of its row.
    fn as_str(self) -> &'static str {
        match self {
            Self::RequestState => "request_state",
        }
    }
}

/// The key for that purpose, made by whoever asks first. It is read each time: no process keeps one that another has replaced.
pub async fn key(ctx: &Ctx, purpose: Purpose) -> Result<Vec<u8>, Error> {
    let name = purpose.as_str();
    if let Some(key) = store::keys::get(&mut ctx.peek().await?, name).await? {
        return Ok(key);
    }
    let mut fresh = [0_u8; LENGTH];
    rand::rng().fill_bytes(&mut fresh);
    let mut tx = ctx.write().await?;
    store::keys::keep(&mut tx, name, &fresh).await?;
    // Another process may have been quicker.
    let key = store::keys::get(&mut tx, name).await?;
    ctx.commit(tx).await?;
    Ok(key.unwrap_or_else(|| fresh.to_vec()))
}
