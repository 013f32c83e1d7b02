//! A row of an answer.

use std::sync::Arc;

use rusqlite::types::{Type as Kind, Value};
use sqlx::{ColumnIndex, Error};

use super::{CellRef, CellType, Sqlite};

/// A column of an answer.
#[derive(Debug)]
pub struct Column {
    name: String,
    ordinal: usize,
}

impl Column {
    /// The columns of these names.
    pub fn all(names: &[&str]) -> Arc<[Self]> {
        names.iter().enumerate().map(|(ordinal, name)| Self { name: (*name).to_owned(), ordinal }).collect()
    }
}

impl sqlx::Column for Column {
    type Database = Sqlite;

    fn ordinal(&self) -> usize {
        self.ordinal
    }

    fn name(&self) -> &str {
        &self.name
    }

    /// SQLite's values have types, its columns do not.
    fn type_info(&self) -> &CellType {
        &CellType(Kind::Null)
    }
}

/// A row, copied out of SQLite.
#[derive(Debug)]
pub struct Row {
    pub columns: Arc<[Column]>,
    pub cells: Vec<Value>,
}

impl sqlx::Row for Row {
    type Database = Sqlite;

    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn try_get_raw<I>(&self, index: I) -> Result<CellRef<'_>, Error>
    where
        I: ColumnIndex<Self>,
    {
        Ok(CellRef(&self.cells[index.index(self)?]))
    }
}

impl ColumnIndex<Row> for usize {
    fn index(&self, row: &Row) -> Result<usize, Error> {
        let len = row.cells.len();
        if *self < len { Ok(*self) } else { Err(Error::ColumnIndexOutOfBounds { len, index: *self }) }
    }
}

impl ColumnIndex<Row> for &str {
    fn index(&self, row: &Row) -> Result<usize, Error> {
        let found = row.columns.iter().position(|column| column.name == *self);
        found.ok_or_else(|| Error::ColumnNotFound((*self).to_owned()))
    }
}
