//! Actions that need the account's password again. With them somebody who has stolen a session or a token could keep their access
//! when it ends, or destroy what nothing brings back (OWASP ASVS 5.0, 7.5).

use super::{alone, digest, still, tries};
use crate::domain::Invalid;
use crate::domain::user::{Caller, Door, Visitor};
use crate::domain::window::Window;
use crate::store;
use crate::usecases::{Ctx, Error};

/// How long an entered password counts: 10 minutes. A clock that is set back makes none recent.
const RECENT: Window = Window::seconds(600);

/// An action that needs the password within the last ten minutes, and a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protected {
    CreateToken,
    /// A code that links a chat on Telegram.
    LinkChat,
    /// An invitation, or a link to a new password.
    CreateLink,
    ChangeRole,
    /// Erasing the texts of another account.
    Erase,
    /// Erasing one's own texts: the password is needed each time, since one press would end them all.
    EraseOwn,
}

impl Protected {
    /// The action as the subject of a sentence.
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
    /// The token of the session.
    pub session: Option<&'a str>,
    /// The password, if it was entered with the request.
    pub password: Option<&'a str>,
    pub from: &'a Visitor,
}

/// Lets an action pass if the password comes with it, or was entered in the session within the last ten minutes.
///
/// # Errors
/// `Forbidden` for a token, and where the password is missing. `Invalid` for a wrong password, and `RateLimited` after too many:
/// they count as attempts to sign in.
pub async fn require_password(ctx: &Ctx, caller: &Caller, action: Protected, proof: &Proof<'_>) -> Result<(), Error> {
    let subject = action.subject();
    if caller.door != Door::Web {
        return Err(Error::Forbidden(format!("{subject} needs a signed-in browser session; a token cannot do it.")));
    }
    if let Some(password) = proof.password.filter(|password| !password.is_empty()) {
        return confirm(ctx, caller, password, proof).await;
    }
    if action == Protected::EraseOwn {
        return Err(Error::Forbidden(format!("{subject} needs your password: enter it with the request.")));
    }
    if has_recent_password(ctx, caller, proof.session).await? {
        return Ok(());
    }
    Err(Error::Forbidden(format!(
        "{subject} needs your password: enter it again, since the last time is more than ten minutes ago."
    )))
}

/// Returns true if the password was entered in the session within the last ten minutes.
pub async fn has_recent_password(ctx: &Ctx, caller: &Caller, session: Option<&str>) -> Result<bool, Error> {
    let Some(session) = session else { return Ok(false) };
    let (hash, now) = (digest(session), ctx.now());
    let entered = store::sessions::authenticated_at(&mut ctx.peek().await?, caller.id(), &hash, &now).await?;
    Ok(entered.is_some_and(|entered| RECENT.holds(&entered, &now)))
}

/// Checks the password, and notes in the session that it was entered.
async fn confirm(ctx: &Ctx, caller: &Caller, password: &str, proof: &Proof<'_>) -> Result<(), Error> {
    let name = &caller.user.name;
    let counted = tries::begin(ctx, name.as_str(), proof.from).await?;
    let hash = store::users::by_name(&mut ctx.read().await?, name).await?.and_then(|(_, hash)| hash);
    if !ctx.hashing.verify(password, hash.clone()).await {
        return Err(Invalid::because("The password is wrong; nothing was done.").into());
    }
    let (mut tx, at) = (alone(ctx, caller.id()).await?, ctx.now());
    still(&mut tx, &caller.user, hash.as_deref()).await?;
    counted.succeed(&mut tx, &at).await?;
    if let Some(session) = proof.session {
        store::sessions::authenticate(&mut tx, caller.id(), &digest(session), &at).await?;
    }
    ctx.commit(tx).await
}
