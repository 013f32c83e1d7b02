//! Migrations: applied and pending versions, and a copy before the first change (R-1006).

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use super::sqlite::Location;
use super::{Db, Error, Store, backup, reason, task_keys, task_order};

impl Store {
    pub(super) async fn migrate(&self) -> Result<(), Error> {
        let migrator = self.migrator();
        self.keep_before(&migrator)?;
        self.bring_up_to_date(&migrator).await?;
        self.fill_places().await?;
        self.fill_keys().await
    }

    /// Fills keys that a migration left empty because only the program can compute them.
    pub(super) async fn fill_keys(&self) -> Result<(), Error> {
        let mut after = None;
        loop {
            let page = task_keys::unkeyed(&mut self.peek().await?, after).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.place());
            let mut tx = self.write().await?;
            task_keys::fill(&mut tx, page).await?;
            tx.commit().await?;
        }
    }

    /// Fills missing ranks. Checks the rows at each start, since an earlier start may have stopped after the migration.
    pub(super) async fn fill_places(&self) -> Result<(), Error> {
        let unplaced = task_order::unplaced(&mut self.peek().await?).await?;
        if unplaced.is_empty() {
            return Ok(());
        }
        let mut tx = self.write().await?;
        task_order::fill(&mut tx, unplaced).await?;
        tx.commit().await?;
        Ok(())
    }

    pub(super) fn migrator(&self) -> Migrator {
        match &self.db {
            Db::Sqlite { .. } => sqlx::migrate!("../migrations/sqlite"),
            Db::Pg(_) => sqlx::migrate!("../migrations/postgres"),
        }
    }

    /// Returns the applied migrations; empty if this is not a Docket database.
    pub(super) async fn seen(&self) -> Result<Vec<i64>, Error> {
        let pool = match &self.db {
            Db::Sqlite { at: Location::File { path, .. }, .. } => return backup::versions(path),
            Db::Sqlite { at: Location::Memory(_), .. } => return Ok(vec![]),
            Db::Pg(pool) => pool,
        };
        let there = "SELECT to_regclass('_sqlx_migrations') IS NOT NULL";
        if !sqlx::query_scalar::<_, bool>(there).fetch_one(pool).await? {
            return Ok(vec![]);
        }
        let seen = "SELECT version FROM _sqlx_migrations WHERE success";
        Ok(sqlx::query_scalar(seen).fetch_all(pool).await?)
    }

    pub(super) async fn bring_up_to_date(&self, migrator: &Migrator) -> Result<(), Error> {
        self.run(migrator).await.map_err(|error| match error {
            MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..) => {
                Error::Open("The database was made by a newer version of Docket; update Docket to open it.".into())
            }
            MigrateError::VersionMismatch(version) => Error::Open(format!(
                "The database was made by another build: migration {version} differs. Use the build that made it."
            )),
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
                Error::Open(format!("The database cannot be brought up to date: {}.", reason(&error)))
            }
            other => Error::Open(format!("The database cannot be brought up to date: {other}.")),
        })
    }

    /// Copies an SQLite file before a migration changes it (R-1006). PostgreSQL has its own backups.
    fn keep_before(&self, migrator: &Migrator) -> Result<(), Error> {
        let Db::Sqlite { at: Location::File { path, .. }, .. } = &self.db else { return Ok(()) };
        let seen = backup::versions(path)?;
        let pending =
            migrator.iter().map(|migration| migration.version).filter(|version| !seen.contains(version)).min();
        if let Some(next) = pending.filter(|_| !seen.is_empty()) {
            let copy = backup::before_migration(path, next)?;
            tracing::info!(copy = %copy.display(), "the database is older than this Docket: copied before it is brought up to date");
        }
        Ok(())
    }

    pub(super) async fn run(&self, migrator: &Migrator) -> Result<(), MigrateError> {
        match &self.db {
            Db::Sqlite { at, .. } => {
                let options = match at {
                    Location::File { path, parameters } => {
                        let read_only = parameters.as_deref().is_some_and(|text| text.contains("mode=ro"));
                        SqliteConnectOptions::new().filename(path).read_only(read_only)
                    }
                    Location::Memory(name) => SqliteConnectOptions::new().filename(format!("/{name}")).vfs("memdb"),
                };
                // A migration that rebuilds a table drops it first, which foreign keys would forbid. Such migrations check them
                // at the end.
                let mut conn = options.foreign_keys(false).connect().await?;
                migrator.run(&mut conn).await?;
                conn.close().await?;
                Ok(())
            }
            Db::Pg(pool) => migrator.run(pool).await,
        }
    }
}
