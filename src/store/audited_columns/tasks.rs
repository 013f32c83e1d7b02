//! Verification of tasks against their changes: columns that a change states, and those computed from them.

use serde::Deserialize as _;
use serde_json::{Value, json};
use sqlx::{ColumnIndex, Database, Decode, QueryBuilder, Type};
use uuid::Uuid;

use super::lists::Holds;
use super::{Cell, cell};
use crate::domain::comparison::key;
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::rank::Rank;
use crate::domain::task::{Due, Task};
use crate::domain::time::{CivilDate, Timestamp};
use crate::store::columns::Bind;
use crate::store::{Conn, Error, Tx, on, tasks};

/// Compared columns of a task's row. Owner and number are its key; `purged_at` is compared with its last change.
const COLUMNS: [(&str, Holds); 22] = [
    ("title", Holds::Text),
    ("description", Holds::Text),
    ("status", Holds::Text),
    ("due_date", Holds::Day),
    ("due_at", Holds::Instant),
    ("due_zone", Holds::Text),
    ("due_day", Holds::Day),
    ("priority", Holds::Number),
    ("project", Holds::Text),
    ("project_key", Holds::Text),
    ("tags", Holds::Text),
    ("tag_keys", Holds::Text),
    ("recurrence", Holds::Text),
    ("rank", Holds::Text),
    ("search", Holds::Text),
    ("place", Holds::Text),
    ("version", Holds::Number),
    ("created_at", Holds::Instant),
    ("updated_at", Holds::Instant),
    ("completed_at", Holds::Instant),
    ("deleted_at", Holds::Instant),
    ("number", Holds::Number),
];
const DUE_AT: usize = 4;
const DUE_ZONE: usize = 5;
const VERSION: usize = 16;
/// Length of a due date without a time.
const DATE: usize = 10;

/// A task according to a record.
#[derive(Debug)]
pub struct StatedTask {
    /// The task's JSON.
    pub task: Value,
    /// Zone of its due time; `None` if it has no due time or the record does not state the zone.
    pub zone: Option<String>,
    /// True if the record is of the task's purge.
    pub is_purged: bool,
}

impl StatedTask {
    pub fn number(&self) -> Option<TaskNumber> {
        self.task["task_id"].as_i64().map(TaskNumber)
    }

    pub fn version(&self) -> i64 {
        self.task["version"].as_i64().unwrap_or_default()
    }

    /// Returns the values of [`COLUMNS`]; `None` if this version cannot read the task.
    fn columns(&self) -> Option<[Value; COLUMNS.len()]> {
        let task = Task::deserialize(&self.task).ok()?;
        let day = task.due.as_deref().map(|due| due.get(..DATE)).map(Option::unwrap_or_default);
        let date = task.due.as_deref().filter(|due| due.len() == DATE);
        let at = match &task.due {
            Some(due) if date.is_none() => Some(Timestamp::parse(due).ok()?),
            _ => None,
        };
        let project_key = task.project.as_ref().map(|project| key(project.as_str()));
        let (tag_keys, search, place) = if self.is_purged {
            Default::default()
        } else {
            (tasks::tag_keys(&task), tasks::search(&task), Rank::in_day(&task).as_str().to_owned())
        };
        Some([
            json!(task.title),
            json!(task.description),
            json!(task.status),
            json!(date),
            json!(at.as_ref().map(Timestamp::as_str)),
            json!(self.zone),
            json!(day),
            json!(task.priority.rank()),
            json!(task.project),
            json!(project_key),
            json!(tasks::tags(&task)),
            json!(tag_keys),
            json!(task.recurrence),
            json!(task.rank),
            json!(search),
            json!(place),
            json!(task.version),
            json!(task.created_at),
            json!(task.updated_at),
            json!(task.completed_at),
            json!(task.deleted_at),
            json!(task.task_id),
        ])
    }
}

/// A task's row.
#[derive(Debug)]
pub struct TaskRow {
    pub number: TaskNumber,
    pub is_purged: bool,
    cells: Vec<Cell>,
}

impl TaskRow {
    /// Returns true if the row has that version of the task.
    pub fn is_at(&self, version: i64) -> bool {
        self.cells[VERSION] == Ok(json!(version))
    }

    /// Returns the first field that differs from the record.
    pub fn differs(&self, stated: &StatedTask) -> Option<&'static str> {
        let Some(mut columns) = stated.columns() else { return Some("a field") };
        if stated.zone.is_none() && columns[DUE_AT] != Value::Null {
            columns[DUE_ZONE] = self.zone_of(&stated.task["due"]);
        }
        let mut cells = self.cells.clone();
        // Records state due times to the second. Older versions stored rows to the millisecond.
        if let Ok(Value::String(at)) = &cells[DUE_AT]
            && let Ok(at) = Timestamp::parse(at)
        {
            cells[DUE_AT] = Ok(json!(at.to_second()));
        }
        let unlike = cells.iter().zip(columns).position(|(cell, stated)| *cell != Ok(stated))?;
        Some(match COLUMNS[unlike].0 {
            "due_date" | "due_at" | "due_day" => "due",
            name => name,
        })
    }

    /// Returns the row's zone if the due time has the stated wire form there.
    fn zone_of(&self, due: &Value) -> Value {
        let (Ok(Value::String(at)), Ok(Value::String(zone))) = (&self.cells[DUE_AT], &self.cells[DUE_ZONE]) else {
            return Value::Null;
        };
        let there = Timestamp::parse(at).ok().and_then(|at| Due::at(at, zone));
        if there.is_some_and(|there| due.as_str() == Some(there.as_str())) { json!(zone) } else { Value::Null }
    }
}

/// Returns the rows of the user's tasks with these numbers, including purged ones, in any order.
pub async fn task_rows(tx: &mut Tx, user: UserId, numbers: &[TaskNumber]) -> Result<Vec<TaskRow>, Error> {
    if numbers.is_empty() {
        return Ok(vec![]);
    }
    Ok(match &mut tx.conn {
        Conn::Sqlite(conn) => {
            let rows = numbered(user, numbers).build().fetch_all(&mut **conn).await?;
            rows.iter().map(read).collect::<Result<_, _>>()?
        }
        Conn::Pg(conn) => {
            let rows = numbered(user, numbers).build().fetch_all(&mut **conn).await?;
            rows.iter().map(read).collect::<Result<_, _>>()?
        }
    })
}

fn numbered<DB>(user: UserId, numbers: &[TaskNumber]) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    TaskNumber: Bind<DB>,
{
    let mut query = QueryBuilder::new("SELECT purged_at IS NOT NULL AS is_purged");
    for (name, _) in COLUMNS {
        query.push(", ").push(name).push(" AS t_").push(name);
    }
    query.push(" FROM tasks WHERE user_id = ").push_bind(user).push(" AND number IN (");
    let mut listed = query.separated(", ");
    for number in numbers {
        listed.push_bind(*number);
    }
    query.push(")");
    query
}

fn read<R: sqlx::Row>(row: &R) -> Result<TaskRow, sqlx::Error>
where
    for<'c> &'c str: ColumnIndex<R>,
    for<'r> Uuid: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> String: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> bool: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> i64: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> i32: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> Timestamp: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> CivilDate: Decode<'r, R::Database> + Type<R::Database>,
{
    Ok(TaskRow {
        number: TaskNumber(row.try_get("t_number")?),
        is_purged: row.try_get("is_purged")?,
        cells: COLUMNS.iter().map(|(name, holds)| cell(row, "t", name, *holds)).collect(),
    })
}

/// Returns owner and number of tasks whose version is not that of their last change. `owner` restricts them to one user.
pub async fn changed_by_nobody(tx: &mut Tx, owner: Option<UserId>) -> Result<Vec<(UserId, TaskNumber)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT t.user_id, t.number FROM tasks t
         WHERE t.version IS DISTINCT FROM (SELECT MAX(c.version_after) FROM changes c
                 WHERE c.user_id = t.user_id AND c.task_number = t.number)
             AND (CAST($1 AS UUID) IS NULL OR t.user_id = $1) ORDER BY t.user_id, t.number"
    )
    .bind(owner)
    .fetch_all(conn)
    .await)?)
}

/// Returns owner, number and last record of tasks that are purged without a purge as last change, or the reverse. Also returns
/// purged rows with left-over data. `owner` restricts them to one user.
pub async fn purged_otherwise(tx: &mut Tx, owner: Option<UserId>) -> Result<Vec<(UserId, TaskNumber, i64)>, Error> {
    Ok(on!(tx, |conn| {
        sqlx::query_as(
        "SELECT t.user_id, t.number, c.record_seq FROM tasks t
         JOIN changes c ON c.user_id = t.user_id AND c.task_number = t.number AND c.version_after = t.version
         WHERE ((t.purged_at IS NOT NULL) <> (c.operation = 'purge') OR t.purged_at <> c.at
                 OR t.purged_at IS NOT NULL AND (t.updated_at <> c.at OR t.priority <> 0 OR t.due_date IS NOT NULL
                     OR t.due_at IS NOT NULL OR t.deleted_at IS NULL OR t.title <> '' OR t.description IS NOT NULL
                     OR t.project IS NOT NULL OR t.tags <> '[]' OR t.recurrence IS NOT NULL OR t.rank IS NOT NULL OR t.search <> ''
                     OR t.due_zone IS NOT NULL OR t.due_day IS NOT NULL OR t.project_key IS NOT NULL OR t.tag_keys <> ''
                     OR t.place <> ''))
             AND (CAST($1 AS UUID) IS NULL OR t.user_id = $1) ORDER BY t.user_id, t.number"
    )
    .bind(owner)
    .fetch_all(conn)
    .await
    })?)
}

/// Returns owner, number and record of changes that do not continue the ones before: the first change adds the task at version 1, each one
/// raises the version by one, and none follows a purge. Texts may be erased, since the rows remain. `owner` restricts them to one user.
pub async fn out_of_order(tx: &mut Tx, owner: Option<UserId>) -> Result<Vec<(UserId, TaskNumber, i64)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT c.user_id, c.task_number, c.record_seq FROM (
             SELECT user_id, task_number, record_seq, operation, version_before, version_after,
                 LAG(version_after) OVER task AS last, LAG(operation) OVER task AS last_operation
             FROM changes WHERE CAST($1 AS UUID) IS NULL OR user_id = $1
             WINDOW task AS (PARTITION BY user_id, task_number ORDER BY record_seq)) c
         WHERE (c.operation = 'add') <> (c.last IS NULL) OR c.version_before IS DISTINCT FROM c.last
             OR c.version_after <> COALESCE(c.last, 0) + 1 OR c.last_operation = 'purge'
         ORDER BY c.user_id, c.record_seq"
    )
    .bind(owner)
    .fetch_all(conn)
    .await)?)
}

/// Returns owner, number and last record of unpurged tasks whose last change is erased. `owner` restricts them to one user.
pub async fn changed_by_erased(tx: &mut Tx, owner: Option<UserId>) -> Result<Vec<(UserId, TaskNumber, i64)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT t.user_id, t.number, c.record_seq FROM tasks t
         JOIN changes c ON c.user_id = t.user_id AND c.task_number = t.number AND c.version_after = t.version
         JOIN erasures e ON e.user_id = c.user_id AND e.seq = c.record_seq
         WHERE t.purged_at IS NULL AND (CAST($1 AS UUID) IS NULL OR t.user_id = $1) ORDER BY t.user_id, t.number"
    )
    .bind(owner)
    .fetch_all(conn)
    .await)?)
}

/// Returns owner and number of tasks that a search for their own words would miss, because their block lacks them. `owner`
/// restricts them to one user.
pub async fn unsearchable(tx: &mut Tx, owner: Option<UserId>) -> Result<Vec<(UserId, TaskNumber)>, Error> {
    macro_rules! sql {
        ($position:literal) => {
            concat!(
                "SELECT t.user_id, t.number FROM tasks t
                 LEFT JOIN search_blocks b ON b.user_id = t.user_id AND b.block = t.number / 16
                 WHERE (b.search IS NULL OR ",
                $position,
                "(b.search, substr(t.search, 1, 240)) = 0 OR length(t.search) > 240 AND NOT b.cut)
                     AND (CAST($1 AS UUID) IS NULL OR t.user_id = $1) ORDER BY t.user_id, t.number"
            )
        };
    }
    Ok(match &mut tx.conn {
        Conn::Sqlite(conn) => sqlx::query_as(sql!("instr")).bind(owner).fetch_all(&mut **conn).await?,
        Conn::Pg(conn) => sqlx::query_as(sql!("strpos")).bind(owner).fetch_all(&mut **conn).await?,
    })
}

/// Returns owner and record number of the first change of each missing task. `owner` restricts them to one user.
pub async fn changes_of_nothing(tx: &mut Tx, owner: Option<UserId>) -> Result<Vec<(UserId, i64)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT c.user_id, MIN(c.record_seq) FROM changes c
         LEFT JOIN tasks t ON t.user_id = c.user_id AND t.number = c.task_number
         WHERE t.number IS NULL AND (CAST($1 AS UUID) IS NULL OR c.user_id = $1) GROUP BY c.user_id, c.task_number"
    )
    .bind(owner)
    .fetch_all(conn)
    .await)?)
}

/// Returns the record number of the task's last change.
pub async fn last_change(tx: &mut Tx, user: UserId, task: TaskNumber) -> Result<Option<i64>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT record_seq FROM changes WHERE user_id = $1 AND task_number = $2 ORDER BY version_after DESC LIMIT 1"
    )
    .bind(user)
    .bind(task)
    .fetch_optional(conn)
    .await)?)
}
