//! Parts of sqlx's driver interface that are not supported: connections from URLs, statements prepared in advance, and sqlx's
//! transactions ([`crate::store::Tx`] begins its own).

use std::str::FromStr;
use std::time::Duration;

use sqlx::query::{Query, QueryAs, QueryScalar};
use sqlx::{ConnectOptions, Either, Error, FromRow, IntoArguments, SqlStr, Statement};
use sqlx_core::transaction::TransactionManager;

use super::{Bound, CellType, Column, Connection, Row, Sqlite};

/// An uninhabited type.
#[derive(Debug, Clone)]
pub enum Unsupported {}

/// Returns the error for unsupported calls.
pub fn unsupported<T>() -> Result<T, Error> {
    Err(Error::Configuration("the store opens its connections to SQLite and begins their transactions".into()))
}

impl FromStr for Unsupported {
    type Err = Error;

    fn from_str(_: &str) -> Result<Self, Error> {
        unsupported()
    }
}

impl ConnectOptions for Unsupported {
    type Connection = Connection;

    fn from_url(_: &sqlx_core::Url) -> Result<Self, Error> {
        unsupported()
    }

    async fn connect(&self) -> Result<Connection, Error> {
        match *self {}
    }

    fn log_statements(self, _: log::LevelFilter) -> Self {
        self
    }

    fn log_slow_statements(self, _: log::LevelFilter, _: Duration) -> Self {
        self
    }
}

impl Statement for Unsupported {
    type Database = Sqlite;

    fn into_sql(self) -> SqlStr {
        match self {}
    }

    fn sql(&self) -> &SqlStr {
        match *self {}
    }

    fn parameters(&self) -> Option<Either<&[CellType], usize>> {
        match *self {}
    }

    fn columns(&self) -> &[Column] {
        match *self {}
    }

    fn query(&self) -> Query<'_, Sqlite, Bound> {
        match *self {}
    }

    fn query_with<A: IntoArguments<Sqlite>>(&self, _: A) -> Query<'_, Sqlite, A> {
        match *self {}
    }

    fn query_as<O: for<'r> FromRow<'r, Row>>(&self) -> QueryAs<'_, Sqlite, O, Bound> {
        match *self {}
    }

    fn query_as_with<'s, O, A>(&'s self, _: A) -> QueryAs<'s, Sqlite, O, A>
    where
        O: for<'r> FromRow<'r, Row>,
        A: IntoArguments<Sqlite>,
    {
        match *self {}
    }

    fn query_scalar<O>(&self) -> QueryScalar<'_, Sqlite, O, Bound>
    where
        (O,): for<'r> FromRow<'r, Row>,
    {
        match *self {}
    }

    fn query_scalar_with<'s, O, A>(&'s self, _: A) -> QueryScalar<'s, Sqlite, O, A>
    where
        (O,): for<'r> FromRow<'r, Row>,
        A: IntoArguments<Sqlite>,
    {
        match *self {}
    }
}

/// A transaction manager without transactions.
#[derive(Debug)]
pub struct Transactions;

impl TransactionManager for Transactions {
    type Database = Sqlite;

    async fn begin(_: &mut Connection, _: Option<SqlStr>) -> Result<(), Error> {
        unsupported()
    }

    async fn commit(_: &mut Connection) -> Result<(), Error> {
        unsupported()
    }

    async fn rollback(_: &mut Connection) -> Result<(), Error> {
        unsupported()
    }

    fn start_rollback(_: &mut Connection) {}

    fn get_transaction_depth(_: &Connection) -> usize {
        0
    }
}
