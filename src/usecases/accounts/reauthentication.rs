//! Actions that require the account's password again. With them, a thief of a session or token could keep access after it ends, or destroy
//! data for good (OWASP ASVS 5.0, 7.5).

use super::{alone, digest, still, tries};
use crate::domain::Invalid;
use crate::domain::user::{Caller, Door, Visitor};
use crate::domain::window::Window;
use crate::store;
use crate::usecases::{Ctx, Error};

/// Time for which an entered password counts: 10 minutes. Setting the clock back makes no password recent.
const RECENT: Window = Window::seconds(600);

/// An action that requires a browser session and the password within the last ten minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protected {
    CreateToken,
    LinkChat,
    /// An invitation or a password-reset link.
    CreateLink,
    ChangeRole,
    /// Erasing the texts of another account.
    Erase,
    /// Erasing one's own texts: requires the password each time, because one press would end them all.
    EraseOwn,
}

impl Protected {
    /// Returns the action as the subject of a sentence.
    fn subject(self) -> &'static str {
        match self {
            Self::CreateToken => "Creating a token",
            Self::LinkChat => "Linking a chat",
            Self::CreateLink => "Creating a link for an account",
            Self::ChangeRole => "Changing a role",
            Self::Erase | Self::EraseOwn => "Erasing",
        }
    }
}

/// A browser's evidence that its user is the account's owner.
#[derive(Debug, Clone, Copy)]
pub struct Proof<'a> {
    /// The session token.
    pub session: Option<&'a str>,
    /// The password, if it was entered with the request.
    pub password: Option<&'a str>,
    pub from: &'a Visitor,
}

/// Allows an action if the password comes with it, or was entered in the session within the last ten minutes.
///
/// # Errors
/// `Forbidden` for a token, and if the password is missing. `Invalid` for a wrong password, `RateLimited` after too many: they count as
/// attempts to sign in.
pub async fn require_password(ctx: &Ctx, caller: &Caller, action: Protected, proof: &Proof<'_>) -> Result<(), Error> {
    let subject = action.subject();
    if caller.door != Door::Web {
        return Err(Error::Forbidden(format!(
            "{subject} requires a browser session and is not possible with a token."
        )));
    }
    if let Some(password) = proof.password.filter(|password| !password.is_empty()) {
        return confirm(ctx, caller, password, proof).await;
    }
    if action == Protected::EraseOwn {
        return Err(Error::Forbidden(format!("{subject} requires your password. Send it with the request.")));
    }
    if has_recent_password(ctx, caller, proof.session).await? {
        return Ok(());
    }
    Err(Error::Forbidden(format!(
        "{subject} requires your password. Enter it again: you last entered it more than ten minutes ago."
    )))
}

/// Returns true if the password was entered in the session within the last ten minutes.
pub async fn has_recent_password(ctx: &Ctx, caller: &Caller, session: Option<&str>) -> Result<bool, Error> {
    let Some(session) = session else { return Ok(false) };
    let (hash, now) = (digest(session), ctx.now());
    let entered = store::sessions::authenticated_at(&mut ctx.peek().await?, caller.id(), &hash, &now).await?;
    Ok(entered.is_some_and(|entered| RECENT.holds(&entered, &now)))
}

/// Checks the password and stores in the session when it was entered.
async fn confirm(ctx: &Ctx, caller: &Caller, password: &str, proof: &Proof<'_>) -> Result<(), Error> {
    let name = &caller.user.name;
    let counted = tries::begin(ctx, name.as_str(), proof.from).await?;
    let hash = store::users::by_name(&mut ctx.read().await?, name).await?.and_then(|(_, hash)| hash);
    if !ctx.hashing.verify(password, hash.clone()).await {
        return Err(Invalid::because("The password is wrong. Nothing was changed.").into());
    }
    let (mut tx, at) = (alone(ctx, caller.id()).await?, ctx.now());
    still(&mut tx, &caller.user, hash.as_deref()).await?;
    counted.succeed(&mut tx, &at).await?;
    if let Some(session) = proof.session {
        store::sessions::authenticate(&mut tx, caller.id(), &digest(session), &at).await?;
    }
    ctx.commit(tx).await
}
