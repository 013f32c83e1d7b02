//! Rows of a result.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::types::{Type as Kind, Value};
use sqlx::{ColumnIndex, Error};

use super::{CellRef, CellType, Sqlite};

/// A column of a result.
#[derive(Debug)]
pub struct Column {
    name: String,
    ordinal: usize,
}

impl Column {
    /// Creates the columns with these names.
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

/// A row, copied from SQLite.
#[derive(Debug)]
pub struct Row {
    columns: Arc<[Column]>,
    cells: Vec<Value>,
    /// Index at which the search for the next name begins, since names are mostly requested in order.
    next: AtomicUsize,
}

impl Row {
    /// Creates a row with a value for each column.
    pub fn new(columns: Arc<[Column]>, cells: Vec<Value>) -> Self {
        Self { columns, cells, next: AtomicUsize::new(0) }
    }
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
        let first = row.next.load(Ordering::Relaxed).min(row.columns.len());
        let mut places = (first..row.columns.len()).chain(0..first);
        let found = places.find(|at| row.columns[*at].name == *self);
        let found = found.ok_or_else(|| Error::ColumnNotFound((*self).to_owned()))?;
        row.next.store(found + 1, Ordering::Relaxed);
        Ok(found)
    }
}
