//! Notices about an account, shown to its owner until dismissed.

use sqlx::FromRow;

use super::{Error, Tx, on};
use crate::domain::account_notice::{AccountNotice, NoticeBody};
use crate::domain::id::{NoticeId, UserId};
use crate::domain::time::Timestamp;

/// Maximum number of notices shown at once.
const SHOWN: i64 = 20;

pub async fn insert(tx: &mut Tx, user: UserId, notice: &AccountNotice) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("INSERT INTO account_notices (id, user_id, body, created_at) VALUES ($1, $2, $3, $4)")
        .bind(notice.notice_id)
        .bind(user)
        .bind(serde_json::to_string(&notice.body).expect("a notice is JSON"))
        .bind(&notice.created_at)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Returns the user's newest notices, newest first.
pub async fn list(tx: &mut Tx, user: UserId) -> Result<Vec<AccountNotice>, Error> {
    #[derive(FromRow)]
    struct Row {
        id: NoticeId,
        body: String,
        created_at: Timestamp,
    }
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT id, body, created_at FROM account_notices WHERE user_id = $1 ORDER BY id DESC LIMIT $2"
    )
    .bind(user)
    .bind(SHOWN)
    .fetch_all(conn)
    .await)?;
    let notice = |row: Row| {
        let body: NoticeBody = serde_json::from_str(&row.body)
            .map_err(|_| Error::Corrupt("a notice of a kind that is not known".into()))?;
        Ok(AccountNotice { notice_id: row.id, body, created_at: row.created_at })
    };
    rows.into_iter().map(notice).collect()
}

/// Deletes a notice. Returns false if the user has none with this id.
pub async fn delete(tx: &mut Tx, user: UserId, id: NoticeId) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query("DELETE FROM account_notices WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(id)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}
