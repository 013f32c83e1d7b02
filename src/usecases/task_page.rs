//! Pages of the task list: filters, cursors and limits.

use serde::Serialize;

use super::{Ctx, Error, cursors, require};
use crate::domain::Invalid;
use crate::domain::comparison::{folded, has_accents, key};
use crate::domain::id::UserId;
use crate::domain::rank::{Order, Overdue};
use crate::domain::task::{Filter, Task};
use crate::domain::user::{Caller, Scope};
use crate::domain::when;
use crate::store::task_order::{Cursor, SortKey};
use crate::store::tasks::Stored;
use crate::store::{self, Tx};

/// Maximum number of tasks on a page.
pub const MAX_PAGE: i64 = 1000;
/// Maximum number of tasks on a page by urgency, which has no cursor.
const MAX_URGENT: i64 = 200;
/// Maximum number of bytes of text on a page of more than one task.
const MAX_PAGE_TEXT: usize = 256 * 1024;
/// Tasks per query.
const AT_ONCE: i64 = 100;
/// Maximum number of words in a search.
const MAX_WORDS: usize = 20;

/// A page of tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskPage {
    pub tasks: Vec<Task>,
    /// Number of tasks on all pages.
    pub total: i64,
    /// Cursor of the next page; `None` on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Criterion for overdue tasks, which come first in a list by day. Later pages keep the first page's criterion.
    #[serde(skip)]
    pub overdue: Option<Overdue>,
}

/// Returns a page of at most `limit` (1–1,000) of the caller's tasks, in the filter's order after `cursor`. The page ends before the
/// task that would exceed 256 KB of text.
pub async fn list(
    ctx: &Ctx,
    caller: &Caller,
    filter: &Filter,
    cursor: Option<&str>,
    limit: i64,
) -> Result<TaskPage, Error> {
    let list = async {
        let mut tx = ctx.read().await?;
        page(&mut tx, caller, filter, cursor, limit).await
    };
    ctx.lists.run(caller.id(), list).await
}

/// Does the work of [`list`] in an open transaction.
pub async fn page(
    tx: &mut Tx,
    caller: &Caller,
    filter: &Filter,
    cursor: Option<&str>,
    limit: i64,
) -> Result<TaskPage, Error> {
    require(caller, Scope::TasksRead)?;
    filter.query.as_deref().map(few_words).transpose()?;
    if filter.query.iter().any(|query| query.contains(|c: char| c.is_control() && !c.is_whitespace())) {
        return Err(Invalid::because("A search must not contain control characters.").into());
    }
    let after = cursor.map(|cursor| cursors::place(cursor, &filter.order)).transpose()?;
    let mut filter = filter.clone();
    // Keeps the first page's criterion: a task that became overdue since would move before the cursor and be on no page.
    if let Some(SortKey::Day { at, .. }) = after.as_ref().map(|place| &place.key) {
        filter.order = Order::Day(when::overdue(at, &caller.user.zone));
    }
    // Accents in a query are significant only if some task matches with them.
    if filter.query.as_deref().is_some_and(|query| has_accents(&key(query))) {
        filter.accents = true;
        filter.accents = store::tasks::count(tx, caller.id(), &filter).await? > 0;
    }
    let first = after.is_none();
    let (found, more) = read(tx, caller.id(), &filter, after, limit).await?;
    // A list on a single page needs no count.
    let total = if first && !more {
        i64::try_from(found.len()).unwrap_or(i64::MAX)
    } else {
        store::tasks::count(tx, caller.id(), &filter).await?
    };
    let last = match found.last().filter(|_| more) {
        Some(last) => store::task_order::place(tx, caller.id(), last, &filter.order).await?,
        None => None,
    };
    let next = last.as_ref().map(cursors::after);
    let overdue = match filter.order {
        Order::Day(line) | Order::Urgency(line) => Some(line),
        Order::Number | Order::Rested => None,
    };
    Ok(TaskPage { tasks: found.into_iter().map(|stored| stored.task).collect(), total, next, overdue })
}

/// Refuses a search of too many words.
pub(super) fn few_words(query: &str) -> Result<(), Invalid> {
    // Some letters fold to several words.
    if folded(query).split_whitespace().nth(MAX_WORDS).is_some() {
        return Err(Invalid::because(format!("A search can have at most {MAX_WORDS} words.")));
    }
    Ok(())
}

/// Returns the tasks of a page and whether more follow.
async fn read(
    tx: &mut Tx,
    user: UserId,
    filter: &Filter,
    after: Option<Cursor>,
    limit: i64,
) -> Result<(Vec<Stored>, bool), Error> {
    let is_urgency = matches!(filter.order, Order::Urgency(_));
    let limit = limit.clamp(1, if is_urgency { MAX_URGENT } else { MAX_PAGE });
    let at_once = if is_urgency { MAX_URGENT + 1 } else { AT_ONCE };
    let (mut found, mut after, mut left, mut text) = (Vec::<Stored>::new(), after, limit, 0);
    loop {
        // One more row than the page holds reveals whether there is a next page.
        let asked = at_once.min(left + 1);
        let mut rows = store::tasks::list(tx, user, filter, after.take(), asked).await?;
        let ended = i64::try_from(rows.len()).is_ok_and(|count| count < asked);
        for stored in rows.drain(..) {
            text += length(&stored.task);
            if left == 0 || (text > MAX_PAGE_TEXT && !found.is_empty()) {
                return Ok((found, true));
            }
            found.push(stored);
            left -= 1;
        }
        after = match found.last().filter(|_| !ended) {
            Some(last) => store::task_order::place(tx, user, last, &filter.order).await?,
            None => None,
        };
        if after.is_none() {
            return Ok((found, false));
        }
    }
}

/// Returns the number of bytes of the task's texts.
fn length(task: &Task) -> usize {
    let notes = task.description.as_ref().map_or(0, |notes| notes.as_str().len());
    let project = task.project.as_ref().map_or(0, |project| project.as_str().len());
    task.title.as_str().len() + notes + project + task.tags.iter().map(|tag| tag.as_str().len()).sum::<usize>()
}
