//! A driver of sqlx for SQLite that runs each statement on the thread that asks.
//!
//! SQLite answers in microseconds, from its own memory or the system's. sqlx's own driver gives each connection a thread and
//! passes statements and rows between the two: per statement that costs two wake-ups of a thread, several times what the
//! statement does, and a turn has dozens of them. Here a statement is a function call. What it may wait for is short: the disk,
//! at a commit, and another process that writes. Everything above sees sqlx: the same queries, binds and rows as on PostgreSQL.

use sqlx::Database;

/// What is bound and what is found, and how Rust's types are written.
mod cell;
/// A connection and how it runs statements.
mod connection;
/// What SQLite said no with.
mod failure;
/// The write-ahead log, written a commit at a time.
mod log;
/// A row of an answer.
mod row;
/// What sqlx asks of a driver and nobody here uses.
mod unused;

pub use cell::{Bound, Cell, CellRef, CellType};
pub use connection::{Connection, Done, Location};
pub use failure::failed;
pub use row::{Column, Row};
use unused::{Never, Transactions};

/// SQLite, in this process.
#[derive(Debug)]
pub struct Sqlite;

impl Database for Sqlite {
    type Connection = Connection;
    type TransactionManager = Transactions;
    type Row = Row;
    type QueryResult = Done;
    type Column = Column;
    type TypeInfo = CellType;
    type Value = Cell;
    type ValueRef<'r> = CellRef<'r>;
    type Arguments = Bound;
    type ArgumentBuffer = Vec<rusqlite::types::Value>;
    type Statement = Never;

    const NAME: &'static str = "SQLite";
    const URL_SCHEMES: &'static [&'static str] = &["sqlite"];
}
