//! Server secrets, one per purpose, stored in the database and shared by all its processes.

use rand::RngCore as _;

use super::{Ctx, Error};
use crate::store;

/// Size of a key, in bytes.
const LENGTH: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Seals the state that an MCP client keeps while a person is asked.
    RequestState,
}

impl Purpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::RequestState => "request_state",
        }
    }
}

/// Returns the key for that purpose and creates it on first use. Reads the database each time, so that a replaced key is never used.
pub async fn key(ctx: &Ctx, purpose: Purpose) -> Result<Vec<u8>, Error> {
    let name = purpose.as_str();
    if let Some(key) = store::keys::get(&mut ctx.peek().await?, name).await? {
        return Ok(key);
    }
    let mut fresh = [0_u8; LENGTH];
    rand::rng().fill_bytes(&mut fresh);
    let mut tx = ctx.write().await?;
    store::keys::keep(&mut tx, name, &fresh).await?;
    // Another process may have stored its key first.
    let key = store::keys::get(&mut tx, name).await?;
    ctx.commit(tx).await?;
    Ok(key.unwrap_or_else(|| fresh.to_vec()))
}
