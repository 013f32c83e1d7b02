//! Export of the audit log for reading, a page at a time. Exporting another user's turns is recorded first in their chain, once per
//! file.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::json;

use super::{MAX_PAGE, end, owner, told};
use crate::domain::audit::{AuditEntry, AuditFilter};
use crate::domain::id::{TurnId, UserId};
use crate::domain::turn::ToolCall;
use crate::domain::user::{Caller, Scope};
use crate::store::audit::{Found, Place, Row};
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};
use crate::usecases::accounts::{self, Manager};
use crate::usecases::task_page::few_words;
use crate::usecases::{Ctx, Error, require, undo};

/// A running export, with at most one page in memory.
pub struct Export {
    ctx: Ctx,
    filter: AuditFilter,
    /// Owner of the turns; `None` for everyone's.
    owner: Option<UserId>,
    /// The exporting user, if any, and their name in audit records.
    reader: Option<UserId>,
    by: String,
    /// Users whose chain already records this export.
    known: HashSet<UserId>,
    before: Option<Place>,
    over: bool,
}

impl Export {
    /// Exports the turns that [`super::list`] shows the caller.
    pub async fn new(ctx: &Ctx, caller: &Caller, filter: AuditFilter) -> Result<Self, Error> {
        require(caller, Scope::Audit)?;
        filter.text.as_deref().map(few_words).transpose()?;
        let owner = owner(&mut ctx.read().await?, caller, filter.user.as_deref()).await?;
        Ok(Self::of(ctx, filter, owner, Some(caller.id()), caller.user.name.to_string()))
    }

    /// Exports turns for the command line.
    pub async fn by_operator(ctx: &Ctx, filter: AuditFilter) -> Result<Self, Error> {
        let owner = match filter.user.as_deref() {
            Some(name) => Some(accounts::caller_of_name(ctx, name).await?.id()),
            None => None,
        };
        Ok(Self::of(ctx, filter, owner, None, Manager::CommandLine.name()))
    }

    fn of(ctx: &Ctx, filter: AuditFilter, owner: Option<UserId>, reader: Option<UserId>, by: String) -> Self {
        Self { ctx: ctx.clone(), filter, owner, reader, by, known: HashSet::new(), before: None, over: false }
    }

    /// Returns the next page, newest first, without details that only a list shows; `None` after the last. A page of a search may be empty.
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
        let owners: BTreeSet<_> = rows.iter().map(|row| row.user.0).collect();
        let items = self.entries(&mut tx, rows).await?;
        drop(tx);
        for user in owners.into_iter().map(UserId) {
            self.record(user).await?;
        }
        Ok(Some(items))
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

    /// Records the export in the user's chain, unless the user exports their own turns.
    async fn record(&mut self, user: UserId) -> Result<(), Error> {
        if self.reader == Some(user) || !self.known.insert(user) {
            return Ok(());
        }
        let at = self.ctx.now();
        let body = json!({
            "event": "record_exported", "by": self.by, "since": self.filter.since, "until": self.filter.until, "at": at,
        });
        let mut tx = self.ctx.write().await?;
        records::append(&mut tx, user, Kind::Account, &at, &body).await?;
        self.ctx.commit(tx).await
    }
}
