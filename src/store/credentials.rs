//! Credentials of turns: ids from the turn's row, and their names.

use sqlx::FromRow;

use super::{Error, Tx, on};
use crate::domain::credential::Credential;
use crate::domain::id::{SessionId, TokenId, UserId};
use crate::domain::user::Door;

/// Columns of a turn's credential.
#[derive(Debug, Clone, FromRow)]
pub(super) struct Starter {
    starter_door: Option<String>,
    starter_token: Option<TokenId>,
    starter_session: Option<SessionId>,
}

impl Starter {
    /// Reads the columns; `None` for a turn without a sender, or from before credentials were stored.
    pub(super) fn read(&self) -> Result<Option<Credential>, Error> {
        let Self { starter_door, starter_token: token_id, starter_session: session_id } = self.clone();
        let Some(door) = starter_door else { return Ok(None) };
        let door = Door::parse(&door).ok_or_else(|| Error::Corrupt("a turn that came by an unknown door".into()))?;
        Ok(Some(Credential { token_id, session_id, ..Credential::of(door) }))
    }
}

/// Returns the column values of a credential.
pub(super) fn columns(starter: Option<&Credential>) -> (Option<&'static str>, Option<TokenId>, Option<SessionId>) {
    starter.map_or((None, None, None), |by| (Some(by.door.as_str()), by.token_id, by.session_id))
}

/// Adds stored names to the user's credential: the token's label, and the browser's name while its session exists.
pub async fn named(tx: &mut Tx, user: UserId, credential: Credential) -> Result<Credential, Error> {
    let Credential { token_id, session_id, .. } = credential;
    if token_id.is_none() && session_id.is_none() {
        return Ok(credential);
    }
    let (token, device): (Option<String>, Option<String>) = on!(tx, |conn| sqlx::query_as(
        "SELECT (SELECT label FROM tokens WHERE user_id = $1 AND id = $2),
                (SELECT device FROM sessions WHERE user_id = $1 AND id = $3)"
    )
    .bind(user)
    .bind(token_id)
    .bind(session_id)
    .fetch_one(conn)
    .await)?;
    Ok(Credential { token, device: device.filter(|device| !device.is_empty()), ..credential })
}
