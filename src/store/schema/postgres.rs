//! The tables of a PostgreSQL database, held against those that the migrations make.
//!
//! Looked at are the relation that each name leads to, its columns, triggers with their functions, indexes, rules and row security: what could
//! show other rows than there are, or change them behind Docket's back. Tables, functions and schemas of others are not looked at, nor are the
//! server's roles and extensions.

use std::collections::BTreeMap;

use sqlx::PgConnection;

use crate::store::Error;

/// Lines of a table's name, a colon and what [`described`] says of it. A test keeps it true.
const MADE: &str = include_str!("postgres.txt");

const DESCRIBED: &str = "SELECT t.name, concat_ws('; ', \
     CASE WHEN c.oid IS NULL THEN 'missing' WHEN c.relkind <> 'r' THEN 'no table' END, \
     CASE WHEN c.relrowsecurity THEN 'row security' END, CASE WHEN c.relhasrules THEN 'rules' END, \
     (SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'not null' END, \
      CASE WHEN a.attgenerated <> '' THEN 'generated' END), ', ' ORDER BY a.attnum) \
      FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), \
     (SELECT string_agg(concat_ws(' ', g.tgname, g.tgtype, g.tgenabled, p.proname, md5(p.prosrc), CASE WHEN g.tgqual IS NOT NULL THEN 'when' END), \
      ', ' ORDER BY g.tgname) FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid WHERE g.tgrelid = c.oid AND NOT g.tgisinternal), \
     (SELECT string_agg(concat_ws(' ', i.relname, x.indnatts, CASE WHEN x.indisunique THEN 'unique' END, CASE WHEN NOT x.indisvalid THEN 'invalid' END), \
      ', ' ORDER BY i.relname) FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = c.oid)) \
     FROM unnest($1::text[]) AS t(name) LEFT JOIN pg_class c ON c.oid = to_regclass(quote_ident(t.name)) ORDER BY t.name";

/// Describes the tables of these names as the search path leads to them.
async fn described(conn: &mut PgConnection, names: &[&str]) -> Result<BTreeMap<String, String>, Error> {
    let rows: Vec<(String, String)> = sqlx::query_as(DESCRIBED).bind(names).fetch_all(conn).await?;
    Ok(rows.into_iter().collect())
}

/// Returns the name of a table that is not as the migrations make it; `None` if there is none.
pub(super) async fn foreign_table(conn: &mut PgConnection) -> Result<Option<String>, Error> {
    let made: BTreeMap<&str, &str> = MADE.lines().filter_map(|line| line.split_once(": ")).collect();
    let names: Vec<&str> = made.keys().copied().collect();
    let found = described(conn, &names).await?;
    Ok(found.into_iter().find(|(name, description)| made[name.as_str()] != description).map(|(name, _)| name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Conn, testing};

    #[tokio::test]
    async fn what_deceives_or_changes_behind_the_back_is_foreign() {
        for (db, store) in testing::stores().await {
            let mut tx = store.write().await.unwrap();
            let Conn::Pg(conn) = &mut tx.conn else { continue };
            let names: Vec<String> = sqlx::query_scalar(
                "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace",
            )
            .fetch_all(&mut **conn)
            .await
            .unwrap();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let made: String = described(conn, &names)
                .await
                .unwrap()
                .iter()
                .map(|(name, description)| format!("{name}: {description}\n"))
                .collect();
            assert!(made == MADE, "src/store/schema/postgres.txt has to be:\n{made}");
            assert_eq!(foreign_table(conn).await.unwrap(), None, "{db}");
            for (change, table) in [
                ("ALTER TABLE tasks RENAME TO others; CREATE VIEW tasks AS SELECT * FROM others", "tasks"),
                ("CREATE TRIGGER evil AFTER INSERT ON sessions EXECUTE FUNCTION refuse_change()", "sessions"),
                ("DROP TRIGGER records_refuse ON records", "records"),
                ("ALTER TABLE records DISABLE TRIGGER records_refuse", "records"),
                ("CREATE RULE evil AS ON UPDATE TO users DO INSTEAD NOTHING", "users"),
                ("ALTER TABLE tasks ENABLE ROW LEVEL SECURITY", "tasks"),
                ("DROP TABLE checkpoints CASCADE", "checkpoints"),
                (
                    "CREATE OR REPLACE FUNCTION gather_search() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
                    "tasks",
                ),
            ] {
                sqlx::raw_sql("SAVEPOINT before").execute(&mut **conn).await.unwrap();
                sqlx::raw_sql(change).execute(&mut **conn).await.unwrap();
                assert_eq!(foreign_table(conn).await.unwrap().as_deref(), Some(table), "{change}");
                sqlx::raw_sql("ROLLBACK TO before").execute(&mut **conn).await.unwrap();
            }
        }
    }
}
