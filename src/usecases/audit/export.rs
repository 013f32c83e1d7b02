//! The record as a file that people and programs read, a page at a time.

use std::collections::HashMap;

use super::{MAX_PAGE, end, owner, told};
use crate::domain::audit::{AuditEntry, AuditFilter};
use crate::domain::id::{TurnId, UserId};
use crate::domain::turn::ToolCall;
use crate::domain::user::{Caller, Scope};
use crate::store::audit::{Found, Place, Row};
use crate::store::{self, Tx};
use crate::usecases::{Ctx, Error, require, undo};

/// An export under way. It holds no more than a page.
pub struct Export {
    ctx: Ctx,
    filter: AuditFilter,
    /// Whose record; `None` is everyone's.
    owner: Option<UserId>,
    before: Option<Place>,
    over: bool,
}

impl Export {
    /// The same turns as [`super::list`] shows the caller.
    pub async fn new(ctx: &Ctx, caller: &Caller, filter: AuditFilter) -> Result<Self, Error> {
        require(caller, Scope::Audit)?;
        let owner = owner(&mut ctx.read().await?, caller, filter.user.as_deref()).await?;
        Ok(Self { ctx: ctx.clone(), filter, owner, before: None, over: false })
    }

    /// The next page, newest first, as many turns at once as are worth a query, and without what a list shows beside; one of a search
    /// may be empty. `None` after the last.
    pub async fn next(&mut self) -> Result<Option<Vec<AuditEntry>>, Error> {
        if self.over {
            return Ok(None);
        }
        let mut tx = self.ctx.read().await?;
        let (before, far) = (self.before.take(), self.ctx.limits.search_turns);
        let Found { rows, searched } =
            store::audit::list(&mut tx, self.owner, &self.filter, before, MAX_PAGE, far).await?;
        self.before = rows.last().filter(|_| rows.len() == MAX_PAGE).map(end).or(searched);
        self.over = self.before.is_none();
        Ok(Some(self.entries(&mut tx, rows).await?))
    }

    async fn entries(&self, tx: &mut Tx, rows: Vec<Row>) -> Result<Vec<AuditEntry>, Error> {
        let turns: Vec<TurnId> = rows.iter().map(|row| row.turn_id).collect();
        let mut calls: HashMap<TurnId, Vec<ToolCall>> = HashMap::new();
        for invocation in store::invocations::of_turns(tx, self.owner, &turns).await? {
            calls.entry(invocation.id.turn).or_default().push(invocation.to_call());
        }
        let entry = |row: Row| {
            let calls = calls.remove(&row.turn_id).unwrap_or_default();
            told(row, calls, None)
        };
        let mut items: Vec<AuditEntry> = rows.into_iter().map(entry).collect();
        undo::mark(tx, self.owner, items.iter_mut().flat_map(|entry| entry.tool_calls.iter_mut())).await?;
        Ok(items)
    }
}
