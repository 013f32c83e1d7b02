//! Actions that need the account's password again, if it was last entered more than ten minutes ago.

use super::{ApiError, context};
use crate::domain::user::{Admin, Caller};
use crate::state::AppState;
use crate::usecases::accounts::{self, Proof, Protected};

/// Returns the application state and a caller who has just proved the account's password.
pub async fn caller(action: Protected, password: Option<&str>) -> Result<(AppState, Caller), ApiError> {
    let (state, caller) = context::anyone()?;
    require(&state, &caller, action, password).await?;
    Ok((state, caller))
}

/// Returns the application state and an admin who has just proved their password.
pub async fn admin(action: Protected, password: Option<&str>) -> Result<(AppState, Admin), ApiError> {
    let (state, admin) = context::admin()?;
    require(&state, admin.caller(), action, password).await?;
    Ok((state, admin))
}

/// Accepts the action if the password comes with the request, or was entered in this session within the last ten minutes.
pub async fn require(
    state: &AppState,
    caller: &Caller,
    action: Protected,
    password: Option<&str>,
) -> Result<(), ApiError> {
    let (session, from) = (context::session_token(state), context::visitor());
    let proof = Proof { session: session.as_deref(), password, from: &from };
    Ok(accounts::require_password(&state.ctx, caller, action, &proof).await?)
}

/// Returns true if forms of protected actions must ask for the password.
pub async fn asks_password(state: &AppState, caller: &Caller) -> Result<bool, ApiError> {
    let session = context::session_token(state);
    Ok(!accounts::has_recent_password(&state.ctx, caller, session.as_deref()).await?)
}
