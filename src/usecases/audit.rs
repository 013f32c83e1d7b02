//! The audit log: users read their own, admins everyone's.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::task_page::few_words;
use super::{Ctx, Error, require, turn_detail, undo};
use crate::domain::Invalid;
use crate::domain::approval::Approval;
use crate::domain::audit::{AuditEntry, AuditFilter};
use crate::domain::erasure::ERASED;
use crate::domain::id::{TurnId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::turn::{Cause, ToolCall};
use crate::domain::user::{Caller, Scope, UserName};
use crate::store::audit::{Found, Place, Row};
use crate::store::{self, Tx};

pub mod bundle;
pub mod export;
mod verify;

pub use verify::{Outside, amend, amend_within, newest, verify, verify_all, verify_bundle, verify_within};

/// Maximum number of turns on a page.
const MAX_PAGE: usize = 200;
/// Text from which a page ends, in bytes.
const MAX_PAGE_TEXT: usize = 512 * 1024;

#[derive(Debug)]
pub struct Listed {
    pub items: Vec<AuditEntry>,
    /// Opaque cursor; `None` on the last page.
    pub next: Option<String>,
    /// Time that a text search has reached, if it stopped before the page was full; `next` continues it.
    pub searched: Option<Timestamp>,
}

/// Returns a page of turns, newest first, of at most `limit` (1–200). Without a user name an admin gets everyone's turns. The first time an
/// admin is shown another user's turn, a reading is recorded before it is returned.
pub async fn list(
    ctx: &Ctx,
    caller: &Caller,
    filter: &AuditFilter,
    cursor: Option<&str>,
    limit: i64,
) -> Result<Listed, Error> {
    require(caller, Scope::Audit)?;
    filter.text.as_deref().map(few_words).transpose()?;
    let before = cursor.map(place).transpose()?;
    let limit = usize::try_from(limit).unwrap_or(1).clamp(1, MAX_PAGE);
    let mut tx = ctx.read().await?;
    let owner = owner(&mut tx, caller, filter.user.as_deref()).await?;
    // One more row than `limit` reveals whether there is a next page.
    let far = ctx.limits.search_turns;
    let Found { mut rows, searched } = store::audit::list(&mut tx, owner, filter, before, limit + 1, far).await?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let (mut items, mut shown, mut text) = (Vec::with_capacity(rows.len()), vec![], 0);
    let (mut last, count) = (None, rows.len());
    for row in rows {
        let (at, turn) = (end(&row), (row.user, row.turn_id));
        let item = entry(&mut tx, row).await?;
        text += length(&item);
        if text > MAX_PAGE_TEXT && !items.is_empty() {
            break;
        }
        last = Some(at);
        shown.push(turn);
        items.push(item);
    }
    // A page that ends for its text has not reached the end of the search.
    let is_cut = items.len() < count;
    let searched = searched.filter(|_| !is_cut);
    let more = more || is_cut;
    let next = last.filter(|_| more).or(searched.clone()).map(|place| cursor_at(&place));
    let unread = unread(&mut tx, caller, shown).await?;
    undo::mark(&mut tx, owner, items.iter_mut().flat_map(|entry| entry.tool_calls.iter_mut())).await?;
    drop(tx);
    record_readings(ctx, caller, &unread).await?;
    Ok(Listed { items, next, searched: searched.map(|place| place.at) })
}

/// Returns the number of bytes of the approval and of the calls' arguments and results.
fn length(entry: &AuditEntry) -> usize {
    let bytes = |value: &Value| value.to_string().len();
    let calls = entry.tool_calls.iter().map(|call| bytes(&call.arguments) + call.result.as_ref().map_or(0, bytes));
    calls.sum::<usize>() + bytes(&json!(entry.approval))
}

/// Returns those of other users' turns that the caller has not read yet, ordered by owner.
async fn unread(tx: &mut Tx, caller: &Caller, shown: Vec<(UserId, TurnId)>) -> Result<Vec<(UserId, TurnId)>, Error> {
    let mut unread = vec![];
    for (user, turn) in shown.into_iter().filter(|(user, _)| *user != caller.id()) {
        if !store::admin_reads::has(tx, user, turn, caller.id()).await? {
            unread.push((user, turn));
        }
    }
    // Writers to several users lock them in one order, which avoids deadlocks.
    unread.sort_by_key(|(user, _)| user.0);
    Ok(unread)
}

async fn record_readings(ctx: &Ctx, caller: &Caller, turns: &[(UserId, TurnId)]) -> Result<(), Error> {
    if turns.is_empty() {
        return Ok(());
    }
    let mut tx = ctx.write().await?;
    for (owner, turn) in turns {
        store::admin_reads::insert(&mut tx, *owner, *turn, caller.id(), &ctx.now()).await?;
    }
    ctx.commit(tx).await
}

pub(super) async fn turn(tx: &mut Tx, owner: UserId, id: TurnId) -> Result<AuditEntry, Error> {
    let row = store::audit::get(tx, Some(owner), id).await?.ok_or_else(turn_detail::no_turn)?;
    let mut entry = entry(tx, row).await?;
    undo::mark(tx, Some(owner), entry.tool_calls.iter_mut()).await?;
    Ok(entry)
}

/// Returns the owner of a turn if the caller may read it; an admin may read any.
pub(super) async fn owner_of(tx: &mut Tx, caller: &Caller, id: TurnId) -> Result<UserId, Error> {
    require(caller, Scope::Audit)?;
    let owner = caller.admin().is_none().then(|| caller.id());
    Ok(store::audit::get(tx, owner, id).await?.ok_or_else(turn_detail::no_turn)?.user)
}

/// Resolves the user whose audit log the caller may read; `None` means everyone. Other users' names are unknown to non-admins.
pub(super) async fn owner(tx: &mut Tx, caller: &Caller, name: Option<&str>) -> Result<Option<UserId>, Error> {
    let admin = caller.admin();
    let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else {
        return Ok(admin.is_none().then(|| caller.id()));
    };
    let user = match UserName::parse(name) {
        Ok(name) => store::users::by_name(tx, &name).await?.map(|(user, _)| user.user_id),
        Err(_) => None,
    };
    let user = user.filter(|user| admin.is_some() || *user == caller.id());
    Ok(Some(user.ok_or_else(|| Error::NotFound(format!("There is no user called {name}.")))?))
}

async fn entry(tx: &mut Tx, row: Row) -> Result<AuditEntry, Error> {
    let calls = store::invocations::of_turn(tx, row.user, row.turn_id).await?;
    let approval = match row.cause {
        Cause::Approval => answered(tx, &row).await?,
        Cause::Message | Cause::Mcp => None,
    };
    Ok(told(row, calls.iter().map(|call| call.to_call()).collect(), approval))
}

fn told(row: Row, tool_calls: Vec<ToolCall>, approval: Option<Approval>) -> AuditEntry {
    let erased = || (ERASED.to_owned(), ERASED.to_owned());
    let (intent, reply) = row.texts.map_or_else(erased, |texts| (texts.intent, texts.reply));
    AuditEntry {
        turn_id: row.turn_id,
        conversation_id: row.conversation_id,
        user: row.user_name,
        at: row.at,
        cause: row.cause,
        by: row.by,
        decision: row.decision,
        engine: row.engine,
        engine_cause: row.engine_cause,
        intent,
        message: row.message,
        approval,
        reply,
        tool_calls,
        duration_ms: row.duration_ms,
    }
}

/// Returns the approval that the turn carried out or declined.
async fn answered(tx: &mut Tx, row: &Row) -> Result<Option<Approval>, Error> {
    let turn = store::turns::get(tx, row.user, row.turn_id).await?;
    let Some(id) = turn.and_then(|turn| turn.approval) else { return Ok(None) };
    Ok(store::approvals::get(tx, row.user, id).await?)
}

fn end(row: &Row) -> Place {
    Place { at: row.at.clone(), turn: row.turn_id }
}

fn cursor_at(place: &Place) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(format!("{} {}", place.at, place.turn))
}

fn place(cursor: &str) -> Result<Place, Invalid> {
    let read = || {
        let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
        let (at, turn) = text.split_once(' ')?;
        Some(Place { at: Timestamp::parse(at).ok()?, turn: TurnId::parse(turn).ok()? })
    };
    read().ok_or_else(|| Invalid::because("This cursor is not valid for this list. Start again without one."))
}
