//! Tasks in their present state, including those in the bin.

use sqlx::{Database, FromRow, QueryBuilder};

use super::columns::Bind;
use super::listing::{counting, few, listing, parts};
use super::task_order::Cursor;
use super::{Conn, Error, Tx, on, sequences};
use crate::domain::comparison::{key, search_text};
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::rank::Rank;
use crate::domain::task::{Description, Due, Filter, Priority, Project, Status, Tag, Task, Title};
use crate::domain::time::{CivilDate, Timestamp};

/// A task with the parts that its serialised form omits.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    pub task: Task,
    /// The due date of `task.due` with its time zone.
    pub due: Option<Due>,
}

/// Locks the user's counters until this transaction ends, so that data read from here on cannot change.
pub async fn lock(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    sequences::take(tx, user).await.map(drop)
}

/// Allocates the user's next task number.
pub async fn next_number(tx: &mut Tx, user: UserId) -> Result<TaskNumber, Error> {
    Ok(sequences::take(tx, user).await?.next_task())
}

pub async fn insert(tx: &mut Tx, user: UserId, stored: &Stored) -> Result<(), Error> {
    let Stored { task, due } = stored;
    let due = Columns::of(due.as_ref())?;
    on!(tx, |conn| {
        sqlx::query(
        "INSERT INTO tasks (user_id, number, title, description, status, due_date, due_at, due_zone, due_day, priority,
             project, project_key, tags, tag_keys, recurrence, search, place, version, created_at, updated_at,
             completed_at, deleted_at, rank)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)"
    )
    .bind(user)
    .bind(task.task_id)
    .bind(task.title.as_str())
    .bind(task.description.as_ref().map(Description::as_str))
    .bind(task.status.as_str())
    .bind(due.date)
    .bind(due.at)
    .bind(due.zone)
    .bind(due.day)
    .bind(task.priority.rank())
    .bind(task.project.as_ref().map(Project::as_str))
    .bind(task.project.as_ref().map(|project| key(project.as_str())))
    .bind(tags(task))
    .bind(tag_keys(task))
    .bind(task.recurrence.as_deref())
    .bind(search(task))
    .bind(Rank::in_day(task).as_str())
    .bind(task.version)
    .bind(&task.created_at)
    .bind(&task.updated_at)
    .bind(&task.completed_at)
    .bind(&task.deleted_at)
    .bind(task.rank.as_ref().map(Rank::as_str))
    .execute(conn)
    .await
    .map(drop)
    })?;
    Ok(())
}

/// Stores the new state of a task. Returns false unless the stored version is the one before.
pub async fn update(tx: &mut Tx, user: UserId, stored: &Stored) -> Result<bool, Error> {
    let Stored { task, due } = stored;
    let due = Columns::of(due.as_ref())?;
    let rows = on!(tx, |conn| sqlx::query(
        "UPDATE tasks SET title = $3, description = $4, status = $5, due_date = $6, due_at = $7, due_zone = $8,
             due_day = $9, priority = $10, project = $11, project_key = $12, tags = $13, tag_keys = $14,
             recurrence = $15, search = $16, place = $17, version = $18, updated_at = $19, completed_at = $20,
             deleted_at = $21, rank = $22
         WHERE user_id = $1 AND number = $2 AND version = $18 - 1"
    )
    .bind(user)
    .bind(task.task_id)
    .bind(task.title.as_str())
    .bind(task.description.as_ref().map(Description::as_str))
    .bind(task.status.as_str())
    .bind(due.date)
    .bind(due.at)
    .bind(due.zone)
    .bind(due.day)
    .bind(task.priority.rank())
    .bind(task.project.as_ref().map(Project::as_str))
    .bind(task.project.as_ref().map(|project| key(project.as_str())))
    .bind(tags(task))
    .bind(tag_keys(task))
    .bind(task.recurrence.as_deref())
    .bind(search(task))
    .bind(Rank::in_day(task).as_str())
    .bind(task.version)
    .bind(&task.updated_at)
    .bind(&task.completed_at)
    .bind(&task.deleted_at)
    .bind(task.rank.as_ref().map(Rank::as_str))
    .execute(conn)
    .await
    .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Returns a task, in the bin or not; `None` if it was purged.
pub async fn get(tx: &mut Tx, user: UserId, number: TaskNumber) -> Result<Option<Stored>, Error> {
    let row: Option<Row> =
        on!(tx, |conn| sqlx::query_as("SELECT * FROM tasks WHERE user_id = $1 AND number = $2 AND purged_at IS NULL")
            .bind(user)
            .bind(number)
            .fetch_optional(conn)
            .await)?;
    row.map(Stored::try_from).transpose()
}

/// Returns at most `limit` of the user's tasks that match the filter, after the cursor.
pub async fn list(
    tx: &mut Tx,
    user: UserId,
    filter: &Filter,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Stored>, Error> {
    let few = few(tx, user, filter).await?;
    let (mut rows, mut left, mut after) = (Vec::<Row>::new(), limit, after);
    for part in parts(filter, after.as_ref()) {
        let after = after.take();
        let found: Vec<Row> = match &mut tx.conn {
            Conn::Sqlite(conn) => {
                listing(user, filter, few, part, after, left).build_query_as().fetch_all(&mut **conn).await?
            }
            Conn::Pg(conn) => {
                listing(user, filter, few, part, after, left).build_query_as().fetch_all(&mut **conn).await?
            }
        };
        left -= i64::try_from(found.len()).unwrap_or(left);
        rows.extend(found);
        if left <= 0 {
            break;
        }
    }
    rows.into_iter().map(Stored::try_from).collect()
}

/// Returns the tasks with these numbers, in the bin or not, in any order. Skips purged tasks.
pub async fn of_numbers(tx: &mut Tx, user: UserId, numbers: &[TaskNumber]) -> Result<Vec<Stored>, Error> {
    if numbers.is_empty() {
        return Ok(vec![]);
    }
    let rows: Vec<Row> = match &mut tx.conn {
        Conn::Sqlite(conn) => numbered(user, numbers).build_query_as().fetch_all(&mut **conn).await?,
        Conn::Pg(conn) => numbered(user, numbers).build_query_as().fetch_all(&mut **conn).await?,
    };
    rows.into_iter().map(Stored::try_from).collect()
}

fn numbered<DB>(user: UserId, numbers: &[TaskNumber]) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    TaskNumber: Bind<DB>,
{
    let mut query = QueryBuilder::new("SELECT * FROM tasks WHERE user_id = ");
    query.push_bind(user).push(" AND purged_at IS NULL AND number IN (");
    let mut listed = query.separated(", ");
    for number in numbers {
        listed.push_bind(*number);
    }
    query.push(")");
    query
}

/// Returns the number of the user's tasks that match the filter.
pub async fn count(tx: &mut Tx, user: UserId, filter: &Filter) -> Result<i64, Error> {
    Ok(match &mut tx.conn {
        Conn::Sqlite(conn) => counting(user, filter).build_query_scalar().fetch_one(&mut **conn).await?,
        Conn::Pg(conn) => counting(user, filter).build_query_scalar().fetch_one(&mut **conn).await?,
    })
}

pub(super) fn search(task: &Task) -> String {
    search_text(&format!("{} {}", task.title, task.description.as_ref().map_or("", Description::as_str)))
}

pub(super) fn tags(task: &Task) -> String {
    serde_json::to_string(&task.tags).expect("texts are JSON")
}

pub(super) fn tag_keys(task: &Task) -> String {
    task.tags.iter().fold("\n".to_owned(), |keys, tag| keys + &key(tag.as_str()) + "\n")
}

/// A due date as its columns.
#[derive(Default)]
struct Columns {
    date: Option<CivilDate>,
    at: Option<Timestamp>,
    zone: Option<String>,
    day: Option<CivilDate>,
}

impl Columns {
    fn of(due: Option<&Due>) -> Result<Self, Error> {
        Ok(match due {
            None => Self::default(),
            Some(Due::Date(date)) => Self { date: Some(date.clone()), day: Some(date.clone()), ..Self::default() },
            Some(due @ Due::At { at, zone, .. }) => {
                let day = CivilDate::parse(due.day()).map_err(|error| Error::Corrupt(error.to_string()))?;
                Self { date: None, at: Some(at.clone()), zone: Some(zone.clone()), day: Some(day) }
            }
        })
    }
}

#[derive(FromRow)]
pub(super) struct Row {
    pub(super) number: TaskNumber,
    title: String,
    description: Option<String>,
    status: String,
    due_date: Option<CivilDate>,
    due_at: Option<Timestamp>,
    due_zone: Option<String>,
    priority: i32,
    project: Option<String>,
    tags: String,
    recurrence: Option<String>,
    rank: Option<String>,
    version: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
    completed_at: Option<Timestamp>,
    deleted_at: Option<Timestamp>,
}

pub(super) fn corrupt(number: TaskNumber, what: &str) -> Error {
    Error::Corrupt(format!("task #{number} with a bad {what}"))
}

/// Returns the due date from its columns.
pub(super) fn due(
    number: TaskNumber,
    date: Option<CivilDate>,
    at: Option<Timestamp>,
    zone: Option<String>,
) -> Result<Option<Due>, Error> {
    match (date, at, zone) {
        (None, None, None) => Ok(None),
        (Some(date), None, None) => Ok(Some(Due::Date(date))),
        (None, Some(at), Some(zone)) => Ok(Some(Due::at(at, &zone).ok_or_else(|| corrupt(number, "zone"))?)),
        _ => Err(corrupt(number, "due date")),
    }
}

impl TryFrom<Row> for Stored {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        let number = row.number;
        let corrupt = |what: &str| corrupt(number, what);
        let due = due(number, row.due_date, row.due_at, row.due_zone)?;
        let task = Task {
            task_id: number,
            title: Title::from_stored(&row.title).map_err(|_| corrupt("title"))?,
            description: row
                .description
                .as_deref()
                .map(Description::from_stored)
                .transpose()
                .map_err(|_| corrupt("description"))?,
            status: Status::parse(&row.status).map_err(|_| corrupt("status"))?,
            due: due.as_ref().map(Due::to_string),
            priority: Priority::from_rank(row.priority),
            project: row.project.as_deref().map(Project::from_stored).transpose().map_err(|_| corrupt("project"))?,
            tags: serde_json::from_str::<Vec<Tag>>(&row.tags).map_err(|_| corrupt("tag"))?,
            recurrence: row.recurrence,
            rank: row.rank.map(|rank| Rank::from_stored(rank).ok_or_else(|| corrupt("rank"))).transpose()?,
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
            completed_at: row.completed_at,
            deleted_at: row.deleted_at,
        };
        Ok(Self { task, due })
    }
}
