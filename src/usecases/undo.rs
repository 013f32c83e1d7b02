//! Undo: a change is taken back by another change, never by forgetting it.

use std::collections::{HashMap, HashSet};

use super::changes::{self, Changed, Standing};
use super::{By, Ctx, Error, require};
use crate::domain::id::{ActionId, ChangeId, ImportId, InvocationId, TurnId, UserId};
use crate::domain::task::{Actor, Change, Operation};
use crate::domain::tool::CallStatus;
use crate::domain::turn::{Effect, ToolCall};
use crate::domain::user::Scope;
use crate::store::changes::Entry;
use crate::store::erasures::Changes as Which;
use crate::store::{self, Tx};

/// How long something was done last, in seconds: what is older is not what somebody means who presses a key.
const LAST_S: i64 = 3600;
/// Changes that one key press takes back: an import is undone by its own name, as bulk work.
const LAST: usize = 1_000;
/// Changes that are looked through at once.
const AT_ONCE: i64 = 100;

/// What is to be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// One change and what came of it.
    Change(ChangeId),
    /// All that one tool call changed.
    Invocation(InvocationId),
    /// All that one turn changed.
    Turn(TurnId),
    /// All that one import added.
    Import(ImportId),
}

/// What an undo came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Undone {
    pub done: Vec<Changed>,
    /// Why the others were left, a sentence for each cause.
    pub left: Vec<String>,
}

/// Takes back one change and what came of it; refused where a later change of the same task stands.
///
/// All or nothing: after an error the transaction must be dropped.
pub async fn change(ctx: &Ctx, tx: &mut Tx, by: By<'_>, id: ChangeId) -> Result<Vec<Changed>, Error> {
    all(ctx, tx, by, Target::Change(id)).await
}

/// Takes back all that one tool call changed, newest first.
///
/// All or nothing: after an error the transaction must be dropped.
pub async fn invocation(ctx: &Ctx, tx: &mut Tx, by: By<'_>, id: InvocationId) -> Result<Vec<Changed>, Error> {
    all(ctx, tx, by, Target::Invocation(id)).await
}

/// Takes back all that one turn changed, newest first.
///
/// All or nothing: after an error the transaction must be dropped.
pub async fn turn(ctx: &Ctx, tx: &mut Tx, by: By<'_>, id: TurnId) -> Result<Vec<Changed>, Error> {
    all(ctx, tx, by, Target::Turn(id)).await
}

/// Takes back everything, or says what stands in the way: `Partly` where the rest could be taken back alone.
pub async fn all(ctx: &Ctx, tx: &mut Tx, by: By<'_>, target: Target) -> Result<Vec<Changed>, Error> {
    whole(attempt(ctx, tx, by, target).await?)
}

/// Takes back what the caller did last, all of it: by their own hand at once, or by a message to Docket. What an outside agent did
/// is not meant, nor is an undo: the next one takes back what was done before. Refused where nothing of the last hour stands.
pub async fn last(ctx: &Ctx, tx: &mut Tx, by: By<'_>) -> Result<Vec<Changed>, Error> {
    require(by.caller, Scope::TasksWrite)?;
    store::tasks::lock(tx, by.caller.id()).await?;
    let entries = last_done(ctx, tx, by.caller.id()).await?;
    if entries.is_empty() {
        return Err(Error::Conflict("There is nothing of the last hour to undo.".into()));
    }
    if entries.len() > LAST {
        let count = entries.len();
        return Err(Error::Conflict(format!(
            "The last action changed {count} tasks; undo it where it was done, or in the history of one of them."
        )));
    }
    whole(take_back(ctx, tx, by, entries).await?)
}

/// What was done at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Together {
    Action(ActionId),
    Turn(TurnId),
    /// From before actions were told apart.
    Alone(ChangeId),
}

impl Together {
    fn of(change: &Change, action: Option<ActionId>) -> Self {
        let turn = change.invocation_id.map(|call| Self::Turn(call.turn));
        turn.or(action.map(Self::Action)).unwrap_or(Self::Alone(change.change_id))
    }
}

/// The changes that stand of what the user did last, newest first.
async fn last_done(ctx: &Ctx, tx: &mut Tx, user: UserId) -> Result<Vec<Entry>, Error> {
    let since = ctx.now().plus_seconds(-LAST_S);
    let (mut found, mut before, mut group) = (vec![], i64::MAX, None);
    loop {
        let page = store::changes::newest(tx, user, before, AT_ONCE).await?;
        let Some(oldest) = page.last() else { return Ok(found) };
        before = oldest.seq;
        for past in page {
            if past.at < since {
                return Ok(found);
            }
            let Some(entry) = past.change else { continue };
            let change = &entry.change;
            let mine = matches!(change.actor, Actor::User | Actor::Agent) && change.undoes.is_none();
            let together = Together::of(change, entry.action);
            if group.is_some_and(|group| mine && group != together) {
                return Ok(found);
            }
            if mine && matches!(changes::standing(tx, user, entry.clone()).await?, Standing::Through(_)) {
                group = Some(together);
                found.push(entry);
            }
        }
    }
}

/// All of it, or why not.
fn whole(Undone { done, left }: Undone) -> Result<Vec<Changed>, Error> {
    if left.is_empty() {
        return Ok(done);
    }
    let why = left.join(" ");
    Err(if done.is_empty() { Error::Conflict(why) } else { Error::Partly(why) })
}

/// Takes back what stands alone, newest first, and names what it left; refused where nothing does.
pub async fn rest(ctx: &Ctx, tx: &mut Tx, by: By<'_>, target: Target) -> Result<Undone, Error> {
    let undone = attempt(ctx, tx, by, target).await?;
    if undone.done.is_empty() { Err(Error::Conflict(undone.left.join(" "))) } else { Ok(undone) }
}

async fn attempt(ctx: &Ctx, tx: &mut Tx, by: By<'_>, target: Target) -> Result<Undone, Error> {
    require(by.caller, Scope::TasksWrite)?;
    let user = by.caller.id();
    store::tasks::lock(tx, user).await?;
    let entries = entries(tx, user, target).await?;
    take_back(ctx, tx, by, entries).await
}

/// Takes back what of these changes stands, each by itself.
///
/// # Errors
/// `Forbidden` where that puts a task into the bin and the caller may delete none; `Conflict` where nothing of it stands.
async fn take_back(ctx: &Ctx, tx: &mut Tx, by: By<'_>, entries: Vec<Entry>) -> Result<Undone, Error> {
    let user = by.caller.id();
    let (at, mut undone, mut nothing) = (ctx.now(), Undone { done: vec![], left: vec![] }, true);
    let brought: HashSet<_> = entries.iter().flat_map(|entry| entry.brought.clone()).collect();
    for entry in entries {
        let alone = !brought.contains(&entry.change.change_id);
        let Standing::Through(entry) = changes::standing(tx, user, entry).await? else { continue };
        nothing = false;
        if alone && matches!(entry.change.operation, Operation::Add | Operation::Restore) {
            // It puts the task into the bin; what another change brought goes with that one.
            require(by.caller, Scope::TasksDelete)?;
        }
        tx.begin_part().await?;
        match changes::take_back(tx, by, &at, &entry).await {
            Ok(done) => {
                tx.keep_part().await?;
                undone.done.extend(done);
            }
            Err(Error::Conflict(why)) => {
                tx.undo_part().await?;
                if !undone.left.contains(&why) {
                    undone.left.push(why);
                }
            }
            Err(error) => return Err(error),
        }
    }
    if nothing {
        return Err(Error::Conflict("That was undone already.".into()));
    }
    Ok(undone)
}

/// What the target changed, newest first.
async fn entries(tx: &mut Tx, user: UserId, target: Target) -> Result<Vec<Entry>, Error> {
    let (which, entries, nothing) = match target {
        Target::Change(id) => {
            let entry = store::changes::get(tx, user, id).await?;
            (Which::One(id), entry.into_iter().collect(), "There is no such change.")
        }
        Target::Invocation(id) => {
            let entries = store::changes::of_invocation(tx, user, id).await?;
            (Which::OfInvocation(id), entries, "That call changed nothing that could be undone.")
        }
        Target::Import(id) => {
            (Which::OfImport(id), store::changes::of_import(tx, user, id).await?, "There is no such import.")
        }
        Target::Turn(id) => {
            let entries = store::changes::of_turn(tx, user, id).await?;
            (Which::OfTurn(id), entries, "That turn changed nothing that could be undone.")
        }
    };
    // All or nothing: what is left of it alone is not what was meant.
    if store::erasures::taken(tx, user, which).await? > 0 {
        return Err(Error::Conflict(
            "What was changed then has been erased from the record; it cannot be undone.".into(),
        ));
    }
    if entries.is_empty() { Err(Error::NotFound(nothing.into())) } else { Ok(entries) }
}

/// Marks on calls what stands of what they changed, in one query for all of them. `owner` is whose; `None` is anyone's, for an
/// admin.
pub(super) async fn mark(
    tx: &mut Tx,
    owner: Option<UserId>,
    calls: impl Iterator<Item = &mut ToolCall>,
) -> Result<(), Error> {
    let calls: Vec<_> = calls.filter(|call| call.status == CallStatus::Ok && call.writes()).collect();
    let mut turns: Vec<_> = calls.iter().map(|call| call.invocation_id.turn).collect();
    turns.dedup();
    if turns.is_empty() {
        return Ok(());
    }
    let mut effects: HashMap<InvocationId, Effect> = HashMap::new();
    for (call, stands) in store::changes::standing(tx, owner, &turns).await? {
        let effect = effects.entry(call).or_insert(Effect::Undone);
        if stands {
            *effect = Effect::Stands;
        }
    }
    for call in calls {
        call.effect = effects.get(&call.invocation_id).copied().unwrap_or_default();
    }
    Ok(())
}
