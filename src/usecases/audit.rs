//! The record: a user reads their own, an admin everyone's.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use super::{Ctx, Error, require, story, undo};
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

/// The record as a file that is verified.
pub mod bundle;
/// The record as a file that is read.
pub mod export;
/// Whether the record is as it was written.
mod verify;

pub use verify::{Outside, amend, amend_within, newest, verify, verify_all, verify_bundle, verify_within};

/// Most turns on one page.
const MAX_PAGE: usize = 200;

/// A page of turns, newest first.
#[derive(Debug)]
pub struct Listed {
    pub items: Vec<AuditEntry>,
    /// Opaque; `None` on the last page.
    pub next: Option<String>,
    /// How far back was looked for words, where the page ends there and not at its end or the record's; `next` looks further.
    pub searched: Option<Timestamp>,
}

/// A page of turns, newest first, `limit` (1–200) at most. Without a user's name an admin sees everyone's; each turn of another's that
/// the list shows an admin for the first time is recorded as read, before it is shown.
pub async fn list(
    ctx: &Ctx,
    caller: &Caller,
    filter: &AuditFilter,
    cursor: Option<&str>,
    limit: i64,
) -> Result<Listed, Error> {
    require(caller, Scope::Audit)?;
    let before = cursor.map(place).transpose()?;
    let limit = usize::try_from(limit).unwrap_or(1).clamp(1, MAX_PAGE);
    let mut tx = ctx.read().await?;
    let owner = owner(&mut tx, caller, filter.user.as_deref()).await?;
    // One more than asked for tells whether there is a next page.
    let far = ctx.limits.search_turns;
    let Found { mut rows, searched } = store::audit::list(&mut tx, owner, filter, before, limit + 1, far).await?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(end).or(searched.clone()).map(|place| cursor_at(&place));
    let unread = unread(&mut tx, caller, &rows).await?;
    let mut items = Vec::with_capacity(rows.len());
    for row in rows {
        items.push(entry(&mut tx, row).await?);
    }
    undo::mark(&mut tx, owner, items.iter_mut().flat_map(|entry| entry.tool_calls.iter_mut())).await?;
    drop(tx);
    record_readings(ctx, caller, &unread).await?;
    Ok(Listed { items, next, searched: searched.map(|place| place.at) })
}

/// The turns that are another's and that the caller has not read yet, in the order of their owners.
async fn unread(tx: &mut Tx, caller: &Caller, rows: &[Row]) -> Result<Vec<(UserId, TurnId)>, Error> {
    let mut unread = vec![];
    for row in rows.iter().filter(|row| row.user != caller.id()) {
        if !store::readings::has(tx, row.user, row.turn_id, caller.id()).await? {
            unread.push((row.user, row.turn_id));
        }
    }
    // Whoever writes about several users takes them in one order, so that no two wait for each other.
    unread.sort_by_key(|(user, _)| user.0);
    Ok(unread)
}

async fn record_readings(ctx: &Ctx, caller: &Caller, turns: &[(UserId, TurnId)]) -> Result<(), Error> {
    if turns.is_empty() {
        return Ok(());
    }
    let mut tx = ctx.write().await?;
    for (owner, turn) in turns {
        store::readings::insert(&mut tx, *owner, *turn, caller.id(), &ctx.now()).await?;
    }
    ctx.commit(tx).await
}

/// One of the owner's turns.
pub(super) async fn turn(tx: &mut Tx, owner: UserId, id: TurnId) -> Result<AuditEntry, Error> {
    let row = store::audit::get(tx, Some(owner), id).await?.ok_or_else(story::no_turn)?;
    let mut entry = entry(tx, row).await?;
    undo::mark(tx, Some(owner), entry.tool_calls.iter_mut()).await?;
    Ok(entry)
}

/// Whose the turn is, if the caller may read it; an admin may read anyone's.
pub(super) async fn owner_of(tx: &mut Tx, caller: &Caller, id: TurnId) -> Result<UserId, Error> {
    require(caller, Scope::Audit)?;
    let owner = caller.admin().is_none().then(|| caller.id());
    Ok(store::audit::get(tx, owner, id).await?.ok_or_else(story::no_turn)?.user)
}

/// Whose record the caller may read when asking for that name; `None` is everyone's. Another's name is unknown to who is no admin.
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

/// The request that the turn carried out, or did not.
async fn answered(tx: &mut Tx, row: &Row) -> Result<Option<Approval>, Error> {
    let turn = store::turns::get(tx, row.user, row.turn_id).await?;
    let Some(id) = turn.and_then(|turn| turn.approval) else { return Ok(None) };
    Ok(store::approvals::get(tx, row.user, id).await?)
}

/// Where a page ends whose last row that is.
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
    read().ok_or_else(|| Invalid::because("That is not a cursor of this list; start again without one."))
}
