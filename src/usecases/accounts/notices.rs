//! Notices to an account's owner: shown in open tabs at once, and at each visit until they are dismissed.

use serde_json::json;

use crate::domain::account_notice::{AccountNotice, NoticeBody};
use crate::domain::id::{NoticeId, UserId};
use crate::domain::live::EventKind;
use crate::domain::time::Timestamp;
use crate::domain::user::Caller;
use crate::store::{self, Tx};
use crate::usecases::{Ctx, Error};

/// Stores a notice and announces it to the owner's open tabs. The caller has locked the account.
pub async fn notify(tx: &mut Tx, user: UserId, body: NoticeBody, at: &Timestamp) -> Result<(), Error> {
    let notice = AccountNotice { notice_id: NoticeId::new(), body, created_at: at.clone() };
    store::account_notices::insert(tx, user, &notice).await?;
    let event = json!({ "notice_id": notice.notice_id, "text": notice.body.sentence() });
    store::events::append(tx, user, EventKind::AccountNotice, &event, at).await?;
    Ok(())
}

/// Lists the caller's undismissed notices, newest first.
pub async fn list_notices(ctx: &Ctx, caller: &Caller) -> Result<Vec<AccountNotice>, Error> {
    Ok(store::account_notices::list(&mut ctx.peek().await?, caller.id()).await?)
}

pub async fn dismiss_notice(ctx: &Ctx, caller: &Caller, id: NoticeId) -> Result<(), Error> {
    let mut tx = ctx.write().await?;
    if !store::account_notices::delete(&mut tx, caller.id(), id).await? {
        return Err(Error::NotFound("There is no such notice. It may have been dismissed.".into()));
    }
    ctx.commit(tx).await
}
