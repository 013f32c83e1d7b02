//! Accounts, setup links for the first admin, and counters.

use sqlx::FromRow;

use super::{Conn, Error, Tx, on};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::domain::user::{Account, Role, User, UserName};

/// Stores an account; `None` as password hash if its owner has yet to choose one. Returns false if the name is taken.
pub async fn insert(tx: &mut Tx, user: &User, password_hash: Option<&str>) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query(
        "INSERT INTO users (id, name, role, zone, password_hash, disabled, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING"
    )
    .bind(user.user_id)
    .bind(user.name.as_str())
    .bind(user.role.as_str())
    .bind(&user.zone)
    .bind(password_hash)
    .bind(user.disabled)
    .bind(&user.created_at)
    .execute(conn)
    .await
    .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Returns an account, disabled or not.
pub async fn get(tx: &mut Tx, user: UserId) -> Result<Option<User>, Error> {
    let row: Option<Row> =
        on!(tx, |conn| sqlx::query_as("SELECT * FROM users WHERE id = $1").bind(user).fetch_optional(conn).await)?;
    row.map(User::try_from).transpose()
}

/// Returns the account with that name, disabled or not, and its password hash.
pub async fn by_name(tx: &mut Tx, name: &UserName) -> Result<Option<(User, Option<String>)>, Error> {
    let row: Option<Row> = on!(tx, |conn| sqlx::query_as("SELECT * FROM users WHERE name = $1")
        .bind(name.as_str())
        .fetch_optional(conn)
        .await)?;
    let Some(mut row) = row else { return Ok(None) };
    let hash = row.password_hash.take();
    Ok(Some((row.try_into()?, hash)))
}

/// Returns all accounts, ordered by name.
pub async fn list(tx: &mut Tx) -> Result<Vec<Account>, Error> {
    #[derive(FromRow)]
    struct Listed {
        #[sqlx(flatten)]
        user: Row,
        seen_at: Option<Timestamp>,
    }
    let rows: Vec<Listed> = on!(tx, |conn| sqlx::query_as("SELECT * FROM users ORDER BY name").fetch_all(conn).await)?;
    let account = |row: Listed| {
        let invited = row.user.password_hash.is_none();
        Ok(Account { invited, seen_at: row.seen_at, user: row.user.try_into()? })
    };
    rows.into_iter().map(account).collect()
}

/// Returns the admins who can sign in. They cannot change until commit: PostgreSQL locks the rows; SQLite has one writer.
pub async fn admins(tx: &mut Tx) -> Result<Vec<UserId>, Error> {
    macro_rules! sql {
        ($lock:literal) => {
            concat!(
                "SELECT id FROM users WHERE role = 'admin' AND NOT disabled AND password_hash IS NOT NULL ORDER BY id",
                $lock
            )
        };
    }
    Ok(match &mut tx.conn {
        Conn::Sqlite(tx) => sqlx::query_scalar(sql!("")).fetch_all(&mut **tx).await?,
        Conn::Pg(tx) => sqlx::query_scalar(sql!(" FOR NO KEY UPDATE")).fetch_all(&mut **tx).await?,
    })
}

/// Stores the time of the user's last activity.
pub async fn see(tx: &mut Tx, user: UserId, at: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE users SET seen_at = $2 WHERE id = $1")
        .bind(user)
        .bind(at)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

pub async fn set_role(tx: &mut Tx, user: UserId, role: Role) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE users SET role = $2 WHERE id = $1")
        .bind(user)
        .bind(role.as_str())
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

pub async fn set_password(tx: &mut Tx, user: UserId, hash: &str) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE users SET password_hash = $2 WHERE id = $1")
        .bind(user)
        .bind(hash)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

pub async fn set_zone(tx: &mut Tx, user: UserId, zone: &str) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE users SET zone = $2 WHERE id = $1")
        .bind(user)
        .bind(zone)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Sets whether a model may answer the user.
pub async fn set_uses_model(tx: &mut Tx, user: UserId, uses_model: bool) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE users SET uses_model = $2 WHERE id = $1")
        .bind(user)
        .bind(uses_model)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

pub async fn set_disabled(tx: &mut Tx, user: UserId, disabled: bool) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE users SET disabled = $2 WHERE id = $1")
        .bind(user)
        .bind(disabled)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Replaces the only setup link; `None` removes it.
pub async fn set_link(tx: &mut Tx, link: Option<(&[u8], &Timestamp)>) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("DELETE FROM setup_links").execute(conn).await.map(drop))?;
    if let Some((hash, at)) = link {
        on!(tx, |conn| sqlx::query("INSERT INTO setup_links (hash, created_at) VALUES ($1, $2)")
            .bind(hash)
            .bind(at)
            .execute(conn)
            .await
            .map(drop))?;
    }
    Ok(())
}

/// Returns true if the setup link is valid.
pub async fn link_is_good(tx: &mut Tx, hash: &[u8]) -> Result<bool, Error> {
    let found: i64 = on!(tx, |conn| sqlx::query_scalar("SELECT COUNT(*) FROM setup_links WHERE hash = $1")
        .bind(hash)
        .fetch_one(conn)
        .await)?;
    Ok(found > 0)
}

/// Consumes the setup link. Returns false if it is not valid.
pub async fn take_link(tx: &mut Tx, hash: &[u8]) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query("DELETE FROM setup_links WHERE hash = $1")
        .bind(hash)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Increments a counter and returns its value.
pub async fn count(tx: &mut Tx, name: &str) -> Result<i64, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "INSERT INTO counters (name, count) VALUES ($1, 1)
         ON CONFLICT (name) DO UPDATE SET count = counters.count + 1 RETURNING count"
    )
    .bind(name)
    .fetch_one(conn)
    .await)?)
}

/// A row of `users`, also as joined by other queries.
#[derive(FromRow)]
pub(super) struct Row {
    id: UserId,
    name: String,
    role: String,
    zone: String,
    uses_model: bool,
    password_hash: Option<String>,
    disabled: bool,
    created_at: Timestamp,
}

impl TryFrom<Row> for User {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        let corrupt = |what: &str| Error::Corrupt(format!("user {} with a bad {what}", row.id));
        Ok(Self {
            user_id: row.id,
            name: UserName::parse(&row.name)
                .ok()
                .filter(|name| name.as_str() == row.name)
                .ok_or_else(|| corrupt("name"))?,
            role: Role::parse(&row.role).map_err(|_| corrupt("role"))?,
            zone: row.zone,
            uses_model: row.uses_model,
            disabled: row.disabled,
            created_at: row.created_at,
        })
    }
}
