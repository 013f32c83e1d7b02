//! An sqlx driver for SQLite that runs each statement on the calling thread.
//!
//! sqlx's own driver runs each connection on a separate thread. Two thread switches per statement take several times as long as a
//! typical statement, and a turn runs dozens. This driver calls SQLite directly. It blocks only for the disk, at a commit, and
//! for another process that writes. Callers use sqlx's queries, binds and rows as on PostgreSQL.

use sqlx::Database;

mod connection;
mod error;
mod row;
mod unsupported;
mod value;

pub use connection::{Connection, Done, Location};
pub use error::failed;
pub use row::{Column, Row};
use unsupported::{Transactions, Unsupported};
pub use value::{Bound, Cell, CellRef, CellType};

/// The driver's database type.
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
    type Statement = Unsupported;

    const NAME: &'static str = "SQLite";
    const URL_SCHEMES: &'static [&'static str] = &["sqlite"];
}
