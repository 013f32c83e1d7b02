//! Lists of tasks as queries: what a filter means, and where a search begins.

use sqlx::{Database, Postgres, QueryBuilder};

use super::columns::Bind;
use super::places::{Key, Place};
use super::tasks::key;
use super::{Conn, Error, Tx};
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::rank::{Order, Overdue};
use crate::domain::task::{DueFilter, Filter};
use crate::domain::time::{CivilDate, Timestamp};

/// Whether the filter has words that only a few blocks may hold.
pub(super) async fn few(tx: &mut Tx, user: UserId, filter: &Filter) -> Result<bool, Error> {
    let words: Vec<String> = words(filter).collect();
    Ok(!words.is_empty() && blocks(tx, user, &words).await? <= FEW)
}

/// In how many blocks of sixteen tasks all these words may be found; of words that many hold, no more are counted than tells so.
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

/// Narrows `search_blocks` to those that may hold all words.
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

/// That the text of a column holds that part, no sign of which means anything but itself.
fn contains<DB: Database>(query: &mut QueryBuilder<DB>, column: &str, part: String)
where
    String: Bind<DB>,
{
    let position = if DB::NAME == Postgres::NAME { "strpos(" } else { "instr(" };
    query.push(position).push(column).push(", ").push_bind(part).push(") > 0");
}

/// What one query reads of a list.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part<'a> {
    ByNumber,
    ByRest,
    Overdue(&'a Overdue),
    /// All that is not overdue, by day.
    Ahead(&'a Overdue),
}

/// The parts of a list behind that place, in the order in which they are shown. What is overdue is a part of its own, because the
/// line moves on with the clock: no index knows it.
pub(super) fn parts<'a>(filter: &'a Filter, after: Option<&Place>) -> Vec<Part<'a>> {
    match (&filter.order, after.map(|place| &place.key)) {
        (Order::Number, _) => vec![Part::ByNumber],
        (Order::Rested, _) => vec![Part::ByRest],
        (Order::Day(line), Some(Key::Day { overdue: false, .. })) => vec![Part::Ahead(line)],
        (Order::Day(line), _) => vec![Part::Overdue(line), Part::Ahead(line)],
    }
}

/// The query of a list. Where only a few blocks hold all words it goes from them to their tasks (a cross join, because
/// SQLite keeps to its order); else along the list, until the page is full.
pub(super) fn listing<DB>(
    user: UserId,
    filter: &Filter,
    few: bool,
    part: Part<'_>,
    after: Option<Place>,
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
    if few {
        query.push("(SELECT tasks.* FROM search_blocks CROSS JOIN tasks WHERE ");
        holding(&mut query, user, &words(filter).collect::<Vec<_>>());
        query.push(" AND tasks.user_id = ").push_bind(user);
        query.push(" AND tasks.number BETWEEN search_blocks.block * 16 AND search_blocks.block * 16 + 15) AS ");
    }
    query.push("tasks WHERE user_id = ");
    narrow(&mut query, user, filter);
    let by = match part {
        Part::ByNumber => "number",
        Part::ByRest if filter.binned => "deleted_at DESC, number",
        Part::ByRest => "completed_at DESC, number",
        Part::Overdue(_) => "COALESCE(rank, place), number",
        Part::Ahead(_) => "place, number",
    };
    divide(&mut query, part, after.is_none());
    if let Some(place) = after {
        behind(&mut query, filter, place);
    }
    query.push(" ORDER BY ").push(by).push(" LIMIT ").push_bind(limit);
    query
}

/// Keeps to the part of the list, of which the index need not be read beyond its end, nor before its beginning.
fn divide<DB>(query: &mut QueryBuilder<DB>, part: Part<'_>, from_its_beginning: bool)
where
    DB: Database<Arguments: Default>,
    String: Bind<DB>,
    CivilDate: Bind<DB>,
    Timestamp: Bind<DB>,
{
    let (line, overdue) = match part {
        Part::ByNumber | Part::ByRest => return,
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
        // Otherwise the place behind which the page begins is a closer bound, and SQLite takes one of the two.
        query.push(" AND place >= ").push_bind(from);
    }
}

/// Leaves out what comes before that place, and what stands there.
fn behind<DB>(query: &mut QueryBuilder<DB>, filter: &Filter, Place { key, number }: Place)
where
    DB: Database<Arguments: Default>,
    String: Bind<DB>,
    Timestamp: Bind<DB>,
    TaskNumber: Bind<DB>,
{
    match key {
        Key::Number => query.push(" AND number > ").push_bind(number),
        Key::Day { at: _, overdue, rank } => {
            let (column, rank) = (if overdue { "COALESCE(rank, place)" } else { "place" }, rank.as_str().to_owned());
            query.push(" AND ").push(column).push(" >= ").push_bind(rank.clone());
            query.push(" AND (").push(column).push(" > ").push_bind(rank);
            query.push(" OR number > ").push_bind(number).push(")")
        }
        Key::Rested(at) => {
            let column = if filter.binned { "deleted_at" } else { "completed_at" };
            query.push(" AND ").push(column).push(" <= ").push_bind(at.clone());
            query.push(" AND (").push(column).push(" < ").push_bind(at);
            query.push(" OR number > ").push_bind(number).push(")")
        }
    };
}

/// The query that counts what the filter lets through.
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
    narrow(&mut query, user, filter);
    query
}

/// The one place that says what a filter means.
fn narrow<DB>(query: &mut QueryBuilder<DB>, user: UserId, filter: &Filter)
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    String: Bind<DB>,
    CivilDate: Bind<DB>,
    Timestamp: Bind<DB>,
    i32: Bind<DB>,
{
    let Filter { status, query: _, due, priority, project, tag, binned, order: _ } = filter;
    query.push_bind(user);
    query.push(if *binned { " AND deleted_at IS NOT NULL AND purged_at IS NULL" } else { " AND deleted_at IS NULL" });
    if let Some(status) = status {
        query.push(" AND status = ").push_bind(status.as_str().to_owned());
    }
    for word in words(filter) {
        query.push(" AND ");
        contains(query, "search", word);
    }
    if let Some(DueFilter { from, to, before }) = due {
        query.push(" AND due_day IS NOT NULL");
        if let Some(from) = from {
            query.push(" AND due_day >= ").push_bind(from.clone());
        }
        if let Some(to) = to {
            query.push(" AND (due_day <= ").push_bind(to.clone());
            if let Some(before) = before {
                // An instant set in another zone may have passed although its day there has not.
                query.push(" AND due_at IS NULL OR due_at < ").push_bind(before.clone());
            }
            query.push(")");
        }
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

/// A search's words, as texts are kept for it.
fn words(filter: &Filter) -> impl Iterator<Item = String> {
    filter.query.iter().flat_map(|words| words.split_whitespace()).map(key)
}

/// So many blocks are looked through faster than the list, which is left as soon as a page is full.
const FEW: i64 = 64;
