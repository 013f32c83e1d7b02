//! Comparison of a PostgreSQL database's tables with those that the migrations make.
//!
//! Covers relations, columns, defaults, constraints, triggers and their functions, indexes, rules, row security and overloads of
//! catalogue functions. Any of these could hide rows or change data unnoticed. Foreign tables and schemas, roles and extensions
//! are not checked.

use std::collections::BTreeMap;

use sqlx::PgConnection;

use crate::store::Error;

/// Expected description of each table, as `name: description` lines of [`described`]. A test keeps the file current.
const MADE: &str = include_str!("postgres.txt");

const DESCRIBED: &str = "SELECT t.name, concat_ws('; ', \
     CASE WHEN c.oid IS NULL THEN 'missing' WHEN c.relkind <> 'r' THEN 'no table' END, \
     CASE WHEN c.relpersistence <> 'p' THEN 'not logged' END, \
     CASE WHEN c.relrowsecurity THEN 'row security' END, CASE WHEN c.relhasrules THEN 'rules' END, \
     CASE WHEN EXISTS (SELECT FROM pg_inherits h WHERE c.oid IN (h.inhparent, h.inhrelid)) THEN 'inheritance' END, \
     (SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'not null' END, \
      CASE WHEN a.attgenerated <> '' THEN 'generated' END, \
      (SELECT 'default ' || pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d WHERE d.adrelid = c.oid AND d.adnum = a.attnum), \
      CASE WHEN a.attcollation NOT IN (0, '\"default\"'::regcollation) THEN a.attcollation::regcollation::text END), ', ' ORDER BY a.attnum) \
      FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), \
     (SELECT string_agg(concat_ws(' ', pg_get_triggerdef(g.oid, true), g.tgenabled, md5(p.prosrc), \
      CASE WHEN p.proconfig IS NOT NULL OR p.prosecdef OR p.pronamespace <> c.relnamespace \
       OR p.prolang <> (SELECT l.oid FROM pg_language l WHERE l.lanname = 'plpgsql') THEN 'settings' END), \
      ', ' ORDER BY g.tgname) FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid WHERE g.tgrelid = c.oid AND NOT g.tgisinternal), \
     (SELECT string_agg(concat_ws(' ', o.conname, pg_get_constraintdef(o.oid, true), CASE WHEN NOT o.convalidated THEN 'not valid' END), \
      ', ' ORDER BY o.conname) FROM pg_constraint o WHERE o.conrelid = c.oid AND o.contype IN ('c', 'f', 'p', 'u', 'x')), \
     (SELECT string_agg(concat_ws(' ', pg_get_indexdef(x.indexrelid, 0, true), CASE WHEN NOT x.indisvalid THEN 'invalid' END), \
      ', ' ORDER BY i.relname) FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = c.oid)), \
     quote_ident(c.schema) || '.' \
     FROM unnest($1::text[]) AS t(name) LEFT JOIN LATERAL (SELECT r.*, n.nspname AS schema \
      FROM unnest($2::text[]) WITH ORDINALITY AS s(name, at) JOIN pg_namespace n ON n.nspname = s.name \
      JOIN pg_class r ON r.relnamespace = n.oid AND r.relname = t.name ORDER BY s.at LIMIT 1) c ON true";

/// Finds a function or operator in these schemas that overloads one of `pg_catalog` and takes only catalogue types or domains.
/// PostgreSQL prefers the best match of argument types over the search path.
const OVERLOADS: &str = "SELECT p.proname::text FROM pg_proc p WHERE p.pronamespace IN (SELECT n.oid FROM pg_namespace n WHERE n.nspname = ANY($1)) \
     AND EXISTS (SELECT FROM pg_proc c WHERE c.pronamespace = 'pg_catalog'::regnamespace AND c.proname = p.proname) \
     AND NOT EXISTS (SELECT FROM pg_proc c WHERE c.pronamespace = 'pg_catalog'::regnamespace AND c.proname = p.proname AND c.proargtypes = p.proargtypes) \
     AND NOT EXISTS (SELECT FROM pg_type t WHERE t.oid = ANY(p.proargtypes) AND t.typnamespace <> 'pg_catalog'::regnamespace AND t.typtype <> 'd') \
     UNION ALL SELECT o.oprname::text FROM pg_operator o WHERE o.oprnamespace IN (SELECT n.oid FROM pg_namespace n WHERE n.nspname = ANY($1)) \
     AND EXISTS (SELECT FROM pg_operator c WHERE c.oprnamespace = 'pg_catalog'::regnamespace AND c.oprname = o.oprname) \
     AND NOT EXISTS (SELECT FROM pg_operator c WHERE c.oprnamespace = 'pg_catalog'::regnamespace AND c.oprname = o.oprname \
      AND c.oprleft = o.oprleft AND c.oprright = o.oprright) \
     AND NOT EXISTS (SELECT FROM pg_type t WHERE t.oid IN (o.oprleft, o.oprright) AND t.typnamespace <> 'pg_catalog'::regnamespace AND t.typtype <> 'd') \
     ORDER BY 1 LIMIT 1";

/// A connection with the search path limited to `pg_catalog` and `pg_temp`, so that no other schema can shadow a name.
struct Catalogue<'a> {
    conn: &'a mut PgConnection,
    /// The previous search path.
    path: String,
    /// Schemas of the previous search path, in order.
    schemas: Vec<String>,
}

impl<'a> Catalogue<'a> {
    /// Limits the search path. Requires an open transaction.
    async fn of(conn: &'a mut PgConnection) -> Result<Self, Error> {
        let path: String =
            sqlx::query_scalar("SELECT pg_catalog.current_setting('search_path')").fetch_one(&mut *conn).await?;
        let schemas = sqlx::query_scalar("SELECT pg_catalog.unnest(pg_catalog.current_schemas(false))::text")
            .fetch_all(&mut *conn)
            .await?;
        sqlx::raw_sql("SET LOCAL search_path = pg_catalog, pg_temp").execute(&mut *conn).await?;
        Ok(Self { conn, path, schemas })
    }

    /// Restores the previous search path.
    async fn leave(self) -> Result<(), Error> {
        sqlx::query("SELECT set_config('search_path', $1, true)").bind(self.path).execute(self.conn).await?;
        Ok(())
    }

    /// Describes the tables that these names resolve to on the previous search path.
    async fn described(&mut self, names: &[&str]) -> Result<BTreeMap<String, String>, Error> {
        let rows: Vec<(String, String, Option<String>)> =
            sqlx::query_as(DESCRIBED).bind(names).bind(&self.schemas).fetch_all(&mut *self.conn).await?;
        // Definitions contain the schema's name, which differs between databases.
        let own = |(name, description, schema): (String, String, Option<String>)| match schema {
            Some(schema) => (name, description.replace(&schema, "")),
            None => (name, description),
        };
        Ok(rows.into_iter().map(own).collect())
    }

    async fn overload(&mut self) -> Result<Option<String>, Error> {
        Ok(sqlx::query_scalar(OVERLOADS).bind(&self.schemas).fetch_optional(&mut *self.conn).await?)
    }
}

/// Returns a table that differs from the migrations, or an overload of a catalogue function or operator. Requires an open
/// transaction.
pub(super) async fn foreign_object(conn: &mut PgConnection) -> Result<Option<String>, Error> {
    let made: BTreeMap<&str, &str> = MADE.lines().filter_map(|line| line.split_once(": ")).collect();
    let names: Vec<&str> = made.keys().copied().collect();
    let mut catalogue = Catalogue::of(conn).await?;
    let overload = catalogue.overload().await?;
    let found = catalogue.described(&names).await?;
    catalogue.leave().await?;
    if let Some(name) = overload {
        return Ok(Some(format!("function or operator {name}")));
    }
    let mut unlike = names.into_iter().filter(|name| found.get(*name).map(String::as_str) != Some(made[name]));
    // Foreign keys of other tables refer to the missing one, so report the missing table first.
    let is_gone =
        |name: &&str| found.get(*name).is_none_or(|it| it.starts_with("missing") || it.starts_with("no table"));
    let first = unlike.clone().find(is_gone).or_else(|| unlike.next());
    Ok(first.map(|name| format!("table {name}")))
}

#[cfg(test)]
mod tests {
    use sqlx::AssertSqlSafe;

    use super::*;
    use crate::store::{Conn, Store, testing};

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
            let mut catalogue = Catalogue::of(conn).await.unwrap();
            let described = catalogue.described(&names).await.unwrap();
            catalogue.leave().await.unwrap();
            let made: String = described.iter().map(|(name, description)| format!("{name}: {description}\n")).collect();
            assert!(made == MADE, "src/store/schema/postgres.txt has to be:\n{made}");
            assert_eq!(foreign_object(conn).await.unwrap(), None, "{db}");
            for (change, object) in [
                ("ALTER TABLE tasks RENAME TO others; CREATE VIEW tasks AS SELECT * FROM others", "table tasks"),
                ("CREATE TRIGGER evil AFTER INSERT ON sessions EXECUTE FUNCTION refuse_change()", "table sessions"),
                ("DROP TRIGGER records_refuse ON records", "table records"),
                ("ALTER TABLE records DISABLE TRIGGER records_refuse", "table records"),
                ("CREATE RULE evil AS ON UPDATE TO users DO INSTEAD NOTHING", "table users"),
                ("ALTER TABLE tasks ENABLE ROW LEVEL SECURITY", "table tasks"),
                ("DROP TABLE checkpoints CASCADE", "table checkpoints"),
                ("CREATE TABLE evil () INHERITS (users)", "table users"),
                ("ALTER FUNCTION gather_search() SET search_path = evil", "table tasks"),
                ("ALTER FUNCTION gather_search() SECURITY DEFINER", "table tasks"),
                ("ALTER TABLE users ALTER zone TYPE text COLLATE \"C\"", "table users"),
                (
                    "CREATE OR REPLACE FUNCTION gather_search() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
                    "table tasks",
                ),
                (
                    "CREATE COLLATION \"default\" FROM \"C\"; DO $$ BEGIN EXECUTE
                     format('ALTER TABLE users ALTER zone TYPE text COLLATE %I.\"default\"', current_schema()); END $$",
                    "table users",
                ),
                ("ALTER TABLE bodies SET UNLOGGED", "table bodies"),
                ("ALTER TABLE users DROP CONSTRAINT users_role_check", "table users"),
                ("ALTER TABLE users ADD CHECK (name <> 'eve')", "table users"),
                ("ALTER TABLE tasks ALTER priority SET DEFAULT 3", "table tasks"),
                (
                    "DROP TRIGGER records_refuse ON records;
                     CREATE TRIGGER records_refuse BEFORE UPDATE OF user_id ON records FOR EACH ROW EXECUTE FUNCTION refuse_change()",
                    "table records",
                ),
                (
                    "CREATE FUNCTION unnest(text[]) RETURNS SETOF text LANGUAGE sql AS $$SELECT 'users'$$",
                    "function or operator unnest",
                ),
                (
                    "CREATE FUNCTION concat_ws(text, text, text) RETURNS text LANGUAGE sql AS 'SELECT $1'",
                    "function or operator concat_ws",
                ),
                (
                    "CREATE DOMAIN word AS text; CREATE FUNCTION lower(word) RETURNS text LANGUAGE sql AS $$SELECT 'x'$$",
                    "function or operator lower",
                ),
                (
                    "CREATE FUNCTION alike(varchar, varchar) RETURNS bool LANGUAGE sql AS 'SELECT true';
                     CREATE OPERATOR = (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = alike)",
                    "function or operator =",
                ),
            ] {
                sqlx::raw_sql("SAVEPOINT before").execute(&mut **conn).await.unwrap();
                sqlx::raw_sql(change).execute(&mut **conn).await.unwrap();
                assert_eq!(foreign_object(conn).await.unwrap().as_deref(), Some(object), "{change}");
                sqlx::raw_sql("ROLLBACK TO before").execute(&mut **conn).await.unwrap();
            }
        }
    }
    #[tokio::test]
    async fn search_path_of_a_role_deceives_nobody() {
        for (db, url) in testing::urls().await {
            if db != "postgres" {
                continue;
            }
            let store = Store::open(&url, false).await.unwrap();
            let own: String = sqlx::query_scalar("SELECT current_schema()::text").fetch_one(pg(&store)).await.unwrap();
            let evil = format!("{own}_evil");
            for statement in [
                format!("CREATE SCHEMA {evil}"),
                format!("CREATE VIEW {evil}.tasks AS SELECT * FROM {own}.tasks"),
                format!(
                    "CREATE FUNCTION {evil}.to_regclass(text) RETURNS regclass LANGUAGE sql STABLE
                     AS $$SELECT pg_catalog.to_regclass('{own}.' || $1)$$"
                ),
            ] {
                sqlx::query(AssertSqlSafe(statement)).execute(pg(&store)).await.unwrap();
            }
            let led = url.replace(&format!("%3D{own}"), &format!("%3D{evil},{own},pg_catalog"));
            assert_ne!(led, url);
            let led = testing::connect(&led).await;
            let path: String = sqlx::query_scalar("SHOW search_path").fetch_one(pg(&led)).await.unwrap();
            assert_eq!(path, format!("{evil}, {own}, pg_temp"));
            assert_eq!(led.foreign_object().await.unwrap().as_deref(), Some("table tasks"));
            sqlx::query(AssertSqlSafe(format!("DROP SCHEMA {evil} CASCADE"))).execute(pg(&store)).await.unwrap();
        }
    }

    fn pg(store: &Store) -> &sqlx::PgPool {
        let crate::store::Db::Pg(pool) = &store.db else { panic!("SQLite has no search path") };
        pool
    }
}
