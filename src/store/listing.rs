//! Queries for task lists: filters, pages and full-text search.

use sqlx::{Database, Postgres, QueryBuilder};

use super::columns::Bind;
use super::task_order::{Cursor, SortKey};
use super::{Conn, Error, Tx};
use crate::domain::comparison::{folded, key};
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::rank::{Order, Overdue};
use crate::domain::task::{CompletedFilter, DueFilter, Filter};
use crate::domain::time::{CivilDate, Timestamp};

/// Returns true if few blocks of the search index may contain the filter's words.
pub(super) async fn few(tx: &mut Tx, user: UserId, filter: &Filter) -> Result<bool, Error> {
    let words: Vec<String> = words(filter).collect();
    Ok(!words.is_empty() && blocks(tx, user, &words).await? <= FEW)
}

/// Counts the blocks of sixteen tasks that may contain all words, up to [`FEW`] + 1.
async fn blocks(tx: &mut Tx, user: UserId, words: &[String]) -> Result<i64, Error> {
    fn query<DB>(user: UserId, words: &[String]) -> QueryBuilder<DB>
    where
        DB: Database<Arguments: Default>,
        UserId: Bind<DB>,
        String: Bind<DB>,
        i64: Bind<DB>,
    {
        let mut query = QueryBuilder::new("SELECT COUNT(*) FROM (SELECT 1 FROM search_blocks WHERE ");
        holding(&mut query, user, words);
        query.push(" LIMIT ").push_bind(FEW + 1).push(") AS held");
        query
    }
    Ok(match &mut tx.conn {
        Conn::Sqlite(conn) => query(user, words).build_query_scalar().fetch_one(&mut **conn).await?,
        Conn::Pg(conn) => query(user, words).build_query_scalar().fetch_one(&mut **conn).await?,
    })
}

/// Restricts `search_blocks` to those that may contain all words.
fn holding<DB>(query: &mut QueryBuilder<DB>, user: UserId, words: &[String])
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    String: Bind<DB>,
{
    query.push("search_blocks.user_id = ").push_bind(user);
    for word in words {
        query.push(" AND (search_blocks.cut OR ");
        contains(query, "search_blocks.search", word.clone());
        query.push(")");
    }
}

/// Adds the condition that a column contains `part` literally.
pub(super) fn contains<DB: Database>(query: &mut QueryBuilder<DB>, column: &str, part: String)
where
    String: Bind<DB>,
{
    let position = if DB::NAME == Postgres::NAME { "strpos(" } else { "instr(" };
    query.push(position).push(column).push(", ").push_bind(part).push(") > 0");
}

/// Part of a list that a single query reads.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part<'a> {
    ByNumber,
    ByRest,
    Overdue(&'a Overdue),
    /// Tasks that are not overdue, by day.
    Ahead(&'a Overdue),
    ByUrgency(&'a Overdue),
}

/// Returns the parts of a list after the cursor, in display order. Overdue tasks are a separate part, since no index can depend
/// on the current time.
pub(super) fn parts<'a>(filter: &'a Filter, after: Option<&Cursor>) -> Vec<Part<'a>> {
    match (&filter.order, after.map(|place| &place.key)) {
        (Order::Number, _) => vec![Part::ByNumber],
        (Order::Rested, _) => vec![Part::ByRest],
        (Order::Urgency(line), _) => vec![Part::ByUrgency(line)],
        (Order::Day(line), Some(SortKey::Day { overdue: false, .. })) => vec![Part::Ahead(line)],
        (Order::Day(line), _) => vec![Part::Overdue(line), Part::Ahead(line)],
    }
}

/// Builds the query of a list part. If few blocks match the words, it starts from their tasks; a cross join keeps SQLite to that
/// order. Otherwise it finds the page's numbers in the index first, so that long texts are read only for the page.
pub(super) fn listing<DB>(
    user: UserId,
    filter: &Filter,
    few: bool,
    part: Part<'_>,
    after: Option<Cursor>,
    limit: i64,
) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    String: Bind<DB>,
    CivilDate: Bind<DB>,
    Timestamp: Bind<DB>,
    TaskNumber: Bind<DB>,
    i32: Bind<DB>,
    i64: Bind<DB>,
{
    let mut query = QueryBuilder::new("SELECT * FROM ");
    // A list by day without further conditions needs no other rows than those of its page.
    let is_filtered = words(filter).next().is_some()
        || filter.due.is_some()
        || filter.completed.is_some()
        || filter.priority.is_some()
        || filter.project.is_some()
        || filter.tag.is_some();
    let apart = !few && !matches!(part, Part::ByNumber) && (is_filtered || !matches!(part, Part::Ahead(_)));
    if few {
        query.push("(SELECT tasks.* FROM search_blocks CROSS JOIN tasks WHERE ");
        holding(&mut query, user, &words(filter).collect::<Vec<_>>());
        query.push(" AND tasks.user_id = ").push_bind(user);
        query.push(" AND tasks.number BETWEEN search_blocks.block * 16 AND search_blocks.block * 16 + 15) AS ");
    } else if apart {
        query.push("tasks WHERE user_id = ").push_bind(user);
        query.push(" AND number IN (SELECT number FROM ");
    }
    query.push("tasks WHERE user_id = ");
    query.push_bind(user);
    narrow(&mut query, filter);
    if few {
        said(&mut query, filter);
    } else if words(filter).next().is_some() {
        query.push(" AND number IN (SELECT number FROM tasks WHERE user_id = ").push_bind(user);
        said(&mut query, filter);
        query.push(")");
    }
    divide(&mut query, part, after.is_none());
    if let Some(place) = after {
        behind(&mut query, filter, place);
    }
    sort(&mut query, filter, part);
    query.push(" LIMIT ").push_bind(limit);
    if apart {
        query.push(")");
        sort(&mut query, filter, part);
    }
    query
}

/// Sorts the tasks of a part.
fn sort<DB>(query: &mut QueryBuilder<DB>, filter: &Filter, part: Part<'_>)
where
    DB: Database<Arguments: Default>,
    CivilDate: Bind<DB>,
    Timestamp: Bind<DB>,
{
    query.push(" ORDER BY ");
    if let Part::ByUrgency(line) = part {
        query.push("((due_date < ").push_bind(line.today.clone());
        query.push(" OR due_at < ").push_bind(line.now.clone()).push(") IS TRUE) DESC, ");
    }
    query.push(match part {
        Part::ByNumber => "number",
        Part::ByRest if filter.binned => "deleted_at DESC, number",
        Part::ByRest => "completed_at DESC, number",
        Part::Overdue(_) => "COALESCE(rank, place), number",
        Part::Ahead(_) => "place, number",
        Part::ByUrgency(_) => "priority DESC, place, number",
    });
}

/// Restricts the query to the part, with bounds for the index.
fn divide<DB>(query: &mut QueryBuilder<DB>, part: Part<'_>, from_its_beginning: bool)
where
    DB: Database<Arguments: Default>,
    String: Bind<DB>,
    CivilDate: Bind<DB>,
    Timestamp: Bind<DB>,
{
    let (line, overdue) = match part {
        Part::ByNumber | Part::ByRest | Part::ByUrgency(_) => return,
        Part::Overdue(line) => (line, true),
        Part::Ahead(line) => (line, false),
    };
    let (from, until) = line.bounds();
    query.push(" AND (due_date < ").push_bind(line.today.clone());
    query.push(" OR due_at < ").push_bind(line.now.clone());
    query.push(if overdue { ") IS TRUE" } else { ") IS NOT TRUE" });
    if overdue {
        query.push(" AND place < ").push_bind(until);
    } else if from_its_beginning {
        // SQLite uses one lower bound only; after a cursor, the cursor's is closer.
        query.push(" AND place >= ").push_bind(from);
    }
}

/// Skips the tasks up to and including the cursor.
fn behind<DB>(query: &mut QueryBuilder<DB>, filter: &Filter, Cursor { key, number }: Cursor)
where
    DB: Database<Arguments: Default>,
    String: Bind<DB>,
    Timestamp: Bind<DB>,
    TaskNumber: Bind<DB>,
{
    match key {
        SortKey::Number => query.push(" AND number > ").push_bind(number),
        SortKey::Day { at: _, overdue, rank } => {
            let (column, rank) = (if overdue { "COALESCE(rank, place)" } else { "place" }, rank.as_str().to_owned());
            query.push(" AND ").push(column).push(" >= ").push_bind(rank.clone());
            query.push(" AND (").push(column).push(" > ").push_bind(rank);
            query.push(" OR number > ").push_bind(number).push(")")
        }
        SortKey::Rested(at) => {
            let column = if filter.binned { "deleted_at" } else { "completed_at" };
            query.push(" AND ").push(column).push(" <= ").push_bind(at.clone());
            query.push(" AND (").push(column).push(" < ").push_bind(at);
            query.push(" OR number > ").push_bind(number).push(")")
        }
    };
}

/// Builds the query that counts matching tasks.
pub(super) fn counting<DB>(user: UserId, filter: &Filter) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    String: Bind<DB>,
    CivilDate: Bind<DB>,
    Timestamp: Bind<DB>,
    i32: Bind<DB>,
{
    let mut query = QueryBuilder::new("SELECT COUNT(*) FROM tasks WHERE user_id = ");
    query.push_bind(user);
    narrow(&mut query, filter);
    said(&mut query, filter);
    query
}

/// Adds the condition that a task has all words of the filter.
fn said<DB>(query: &mut QueryBuilder<DB>, filter: &Filter)
where
    DB: Database<Arguments: Default>,
    String: Bind<DB>,
{
    for word in words(filter) {
        query.push(" AND ");
        contains(query, "search", word);
    }
}

/// Adds the conditions of a filter other than its words.
fn narrow<DB>(query: &mut QueryBuilder<DB>, filter: &Filter)
where
    DB: Database<Arguments: Default>,
    String: Bind<DB>,
    CivilDate: Bind<DB>,
    Timestamp: Bind<DB>,
    i32: Bind<DB>,
{
    let Filter { status, query: _, accents: _, due, completed, priority, project, tag, binned, order: _ } = filter;
    query.push(if *binned { " AND deleted_at IS NOT NULL AND purged_at IS NULL" } else { " AND deleted_at IS NULL" });
    if let Some(status) = status {
        query.push(" AND status = ").push_bind(status.as_str().to_owned());
    }
    if let Some(DueFilter { from, to, before }) = due {
        query.push(" AND due_day IS NOT NULL");
        if let Some(from) = from {
            query.push(" AND due_day >= ").push_bind(from.clone());
        }
        if let Some(to) = to {
            query.push(" AND (due_day <= ").push_bind(to.clone());
            if let Some(before) = before {
                // A time set in another zone can pass before the day ends here.
                query.push(" AND due_at IS NULL OR due_at < ").push_bind(before.clone());
            }
            query.push(")");
        }
    }
    if let Some(CompletedFilter { from, until }) = completed {
        query.push(" AND completed_at >= ").push_bind(from.clone());
        query.push(" AND completed_at < ").push_bind(until.clone());
    }
    if let Some(priority) = priority {
        query.push(" AND priority = ").push_bind(priority.rank());
    }
    if let Some(project) = project {
        query.push(" AND project_key = ").push_bind(key(project.as_str()));
    }
    if let Some(tag) = tag {
        query.push(" AND ");
        contains(query, "tag_keys", format!("\n{}\n", key(tag.as_str())));
    }
}

/// Returns the words of the search text, normalised as in the index.
fn words(filter: &Filter) -> impl Iterator<Item = String> {
    let query = filter.query.as_deref().map(if filter.accents { key } else { folded });
    let words: Vec<_> = query.iter().flat_map(|query| query.split_whitespace()).map(str::to_owned).collect();
    words.into_iter()
}

/// Number of blocks up to which reading them is faster than scanning the list.
const FEW: i64 = 64;
