//! Fixtures for tests of use cases and of the layers above.

use serde_json::json;

use super::{By, Ctx, Limits};
use crate::clock::Clock;
use crate::domain::id::UserId;
use crate::domain::task::{NewTask, Task, Title};
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Door, Role, Scope, User, UserName};
use crate::live::Live;
use crate::store;
use crate::store::records::{self, Kind};

/// Start time of tests: a Wednesday.
pub const NOW: &str = "2026-03-11T09:30:00Z";

/// Returns a new context on each available database, with its name for messages and a clock fixed at [`NOW`].
pub async fn ctxs() -> Vec<(&'static str, Ctx)> {
    let clock = || Clock::set(Timestamp::parse(NOW).unwrap());
    let stores = store::testing::stores().await.into_iter();
    stores.map(|(name, store)| (name, Ctx::new(store, Live::default(), clock(), Limits::default()))).collect()
}

/// Creates a user in London without a password, with all scopes of a user.
pub async fn person(ctx: &Ctx, name: &str) -> Caller {
    somebody(ctx, name, Role::User).await
}

/// Creates an admin in London without a password.
pub async fn admin(ctx: &Ctx, name: &str) -> Caller {
    somebody(ctx, name, Role::Admin).await
}

async fn somebody(ctx: &Ctx, name: &str, role: Role) -> Caller {
    let user = User {
        user_id: UserId::new(),
        name: UserName::parse(name).unwrap(),
        role,
        zone: "Europe/London".into(),
        uses_model: true,
        disabled: false,
        created_at: ctx.now(),
    };
    let mut tx = ctx.write().await.unwrap();
    assert!(store::users::insert(&mut tx, &user, Some("no hash")).await.unwrap());
    let at = &user.created_at;
    let body = json!({ "event": "created", "name": user.name, "role": user.role, "zone": user.zone, "by": "a test", "at": at });
    records::append(&mut tx, user.user_id, Kind::Account, at, &body).await.unwrap();
    ctx.commit(tx).await.unwrap();
    let scopes = Scope::ALL.into_iter().filter(|scope| role == Role::Admin || *scope != Scope::Admin).collect();
    Caller::new(user, Door::Web, scopes)
}

pub fn titled(title: &str) -> NewTask {
    NewTask::titled(Title::parse(title).unwrap())
}

pub async fn add(ctx: &Ctx, caller: &Caller, new: NewTask) -> Task {
    let mut tx = ctx.write().await.unwrap();
    let changed = super::tasks::add(ctx, &mut tx, By::person(caller), new).await.unwrap();
    ctx.commit(tx).await.unwrap();
    changed.after
}
