//! What tests of use cases, and of all that stands on them, begin with.

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

/// When tests begin: a Wednesday.
pub(crate) const NOW: &str = "2026-03-11T09:30:00Z";

/// A fresh context on each database at hand, with its name for messages and a clock that stands at [`NOW`].
pub(crate) async fn ctxs() -> Vec<(&'static str, Ctx)> {
    let clock = || Clock::set(Timestamp::parse(NOW).unwrap());
    let stores = store::testing::stores().await.into_iter();
    stores.map(|(name, store)| (name, Ctx::new(store, Live::default(), clock(), Limits::default()))).collect()
}

/// Somebody in London with an account, without a password, allowed everything that a user is.
pub(crate) async fn person(ctx: &Ctx, name: &str) -> Caller {
    somebody(ctx, name, Role::User).await
}

/// An admin in London without a password.
pub(crate) async fn admin(ctx: &Ctx, name: &str) -> Caller {
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

/// A task of only a title.
pub(crate) fn titled(title: &str) -> NewTask {
    NewTask::titled(Title::parse(title).unwrap())
}

/// Adds a task by the caller's own hand.
pub(crate) async fn add(ctx: &Ctx, caller: &Caller, new: NewTask) -> Task {
    let mut tx = ctx.write().await.unwrap();
    let changed = super::tasks::add(ctx, &mut tx, By::person(caller), new).await.unwrap();
    ctx.commit(tx).await.unwrap();
    changed.after
}
