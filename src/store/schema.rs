//! Comparison of a database's schema with the one that the migrations make.

use super::{Conn, Error, Store};

mod postgres;

/// Kind, name, table and SQL of a table, index, trigger or view.
type Object = (String, String, String, Option<String>);

/// Query planner statistics tables, with the SQL by which SQLite creates them.
const STATISTICS: [(&str, &str); 2] = [
    ("sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
    ("sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
];

impl Store {
    /// Returns the first schema object that differs from the migrations: extra, altered or missing. Requires an up-to-date
    /// database. On PostgreSQL, checks tables with their dependent objects, and overloads of catalogue functions and operators.
    pub async fn foreign_object(&self) -> Result<Option<String>, Error> {
        if !self.is_embedded() {
            let mut tx = self.read().await?;
            let Conn::Pg(conn) = &mut tx.conn else { return Ok(None) };
            return postgres::foreign_object(conn).await;
        }
        let made = Self::open("sqlite::memory:", false).await?;
        let (own, made) = (self.objects().await?, made.objects().await?);
        let (mut own, mut made) = (own.iter().peekable(), made.iter().peekable());
        // Both lists are sorted, so the first difference is an object that only one of them has.
        while own.next_if(|object| made.next_if_eq(object).is_some()).is_some() {}
        let unlike = own.next().into_iter().chain(made.next()).min();
        Ok(unlike.map(|(kind, name, ..)| format!("{kind} {name}")))
    }

    /// Returns a sentence that says why the database cannot be trusted, or `None`. Only SQLite checks that each index matches its
    /// table.
    pub async fn unsound(&self) -> Result<Option<String>, Error> {
        if let Some(object) = self.foreign_object().await? {
            return Ok(Some(format!("the schema is not the one that Docket makes ({object}).")));
        }
        let mut tx = self.peek().await?;
        let Conn::Sqlite(conn) = &mut tx.conn else { return Ok(None) };
        let found: String = sqlx::query_scalar("PRAGMA integrity_check(1)").fetch_one(&mut **conn).await?;
        Ok((found != "ok").then(|| format!("the database's file is damaged ({found}).")))
    }

    /// Returns all rows of `sqlite_schema` in order, except statistics tables.
    async fn objects(&self) -> Result<Vec<Object>, Error> {
        let mut tx = self.peek().await?;
        let Conn::Sqlite(conn) = &mut tx.conn else { return Ok(vec![]) };
        let rows: Vec<Object> =
            sqlx::query_as("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2, 3, 4")
                .fetch_all(&mut **conn)
                .await?;
        let is_statistics = |(kind, name, _, sql): &Object| {
            kind == "table" && STATISTICS.iter().any(|(own, made)| name == own && sql.as_deref() == Some(*made))
        };
        Ok(rows.into_iter().filter(|object| !is_statistics(object)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing;

    #[tokio::test]
    async fn object_named_like_sqlites_statistics_is_foreign() {
        let folder = tempfile::tempdir().unwrap();
        let url = testing::urls_on_disk(folder.path()).await.remove(0).1;
        let store = Store::open(&url, false).await.unwrap();
        testing::execute(&store, "ANALYZE").await;
        assert_eq!(store.foreign_object().await.unwrap(), None);
        for (name, kind) in [
            ("sqlite_stat91", "trigger"),
            ("sqlite_stat1", "trigger"),
            ("tasks", "trigger"),
            ("records_refuse", "view"),
        ] {
            let mut tx = store.write().await.unwrap();
            testing::run(&mut tx, "PRAGMA writable_schema = ON").await;
            let made = match kind {
                "trigger" => format!("CREATE TRIGGER {name} BEFORE INSERT ON records BEGIN SELECT RAISE(IGNORE); END"),
                _ => format!("CREATE VIEW {name} AS SELECT 1"),
            };
            let row = format!("INSERT INTO sqlite_schema VALUES ('{kind}', '{name}', 'records', 0, '{made}')");
            testing::run(&mut tx, &row).await;
            tx.commit().await.unwrap();
            let found = store.foreign_object().await.unwrap();
            assert_eq!(found, Some(format!("{kind} {name}")), "{row}");
            let mut tx = store.write().await.unwrap();
            testing::run(&mut tx, &format!("DELETE FROM sqlite_schema WHERE sql = '{made}'")).await;
            tx.commit().await.unwrap();
        }
    }
}
