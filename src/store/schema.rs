//! The schema of a database, held against the one that the migrations make.

use std::collections::BTreeMap;

use super::{Conn, Error, Store};

/// Tables of PostgreSQL.
mod postgres;

/// Kind and name of a table, index, trigger or view.
type Object = (String, String);

impl Store {
    /// Returns an object of the schema that the migrations do not make, make otherwise, or make and is missing; `None` if there is none.
    /// The database has to be up to date. Of PostgreSQL the tables are looked at, with what belongs to them.
    pub async fn foreign_object(&self) -> Result<Option<String>, Error> {
        if !self.is_embedded() {
            let mut tx = self.peek().await?;
            let Conn::Pg(conn) = &mut tx.conn else { return Ok(None) };
            return Ok(postgres::foreign_table(conn).await?.map(|name| format!("table {name}")));
        }
        let made = Self::open("sqlite::memory:", false).await?;
        let (own, made) = (self.objects().await?, made.objects().await?);
        let unlike = own.iter().find(|(object, sql)| made.get(*object) != Some(*sql));
        let unlike = unlike.or_else(|| made.iter().find(|(object, _)| !own.contains_key(*object)));
        Ok(unlike.map(|((kind, name), _)| format!("{kind} {name}")))
    }

    /// Returns why nothing that the database says of itself can be relied on, as a sentence; `None` if it can. An index that does not fit its
    /// table is found in SQLite alone.
    pub async fn unsound(&self) -> Result<Option<String>, Error> {
        if let Some(object) = self.foreign_object().await? {
            return Ok(Some(format!("the schema is not the one that Docket makes ({object}).")));
        }
        let mut tx = self.peek().await?;
        let Conn::Sqlite(conn) = &mut tx.conn else { return Ok(None) };
        let found: String = sqlx::query_scalar("PRAGMA integrity_check(1)").fetch_one(&mut **conn).await?;
        Ok((found != "ok").then(|| format!("the database's file is damaged ({found}).")))
    }

    /// Returns the statements that made the schema. Tables of statistics are SQLite's own.
    async fn objects(&self) -> Result<BTreeMap<Object, Option<String>>, Error> {
        let mut tx = self.peek().await?;
        let Conn::Sqlite(conn) = &mut tx.conn else { return Ok(BTreeMap::new()) };
        let rows: Vec<(String, String, Option<String>)> = sqlx::query_as(
            "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'",
        )
        .fetch_all(&mut **conn)
        .await?;
        Ok(rows.into_iter().map(|(kind, name, sql)| ((kind, name), sql)).collect())
    }
}
