//! Accounts: who is let in, and who no more.

use super::*;
use crate::domain::user::{Door, Role, Scope};
use crate::store;
use crate::usecases::accounts::*;

const PASSWORD: &str = "correct horse battery";

async fn set_up_ana(ctx: &Ctx) -> NewSession {
    let link = first_link(ctx).await.unwrap().unwrap();
    set_up(ctx, &link, "Ana", PASSWORD, "europe/london").await.unwrap()
}

#[track_caller]
fn unauthenticated<T: std::fmt::Debug>(result: Result<T, Error>) {
    assert!(matches!(result, Err(Error::Unauthenticated(_))), "{result:?}");
}

#[tokio::test]
async fn a_setup_link_makes_one_admin_and_only_the_newest_is_good() {
    for (db, ctx) in ctxs().await {
        let old = first_link(&ctx).await.unwrap().unwrap();
        let new = first_link(&ctx).await.unwrap().unwrap();
        let refused = set_up(&ctx, &old, "ana", PASSWORD, "UTC").await;
        assert!(matches!(refused, Err(Error::Forbidden(_))), "{db}");
        for (name, password, zone) in [("", PASSWORD, "UTC"), ("ana", "short", "UTC"), ("ana", PASSWORD, "Mars/North")]
        {
            let refused = set_up(&ctx, &new, name, password, zone).await;
            assert!(matches!(refused, Err(Error::Invalid(_))), "{db}: {name} {zone}");
        }
        let session = set_up(&ctx, &new, "Ana", PASSWORD, "europe/london").await.unwrap();
        assert_eq!((session.user.role, session.user.zone.as_str()), (Role::Admin, "Europe/London"), "{db}");
        let again = set_up(&ctx, &new, "eve", PASSWORD, "UTC").await;
        assert!(matches!(again, Err(Error::Forbidden(_))), "{db}");
        assert_eq!(first_link(&ctx).await.unwrap(), None, "{db}");
        let caller = caller_of_session(&ctx, &session.token).await.unwrap().unwrap();
        assert!(caller.admin().is_some() && caller.door == Door::Web, "{db}");
    }
}

#[tokio::test]
async fn a_session_begins_with_the_password_and_ends_on_request_or_with_time() {
    for (db, ctx) in ctxs().await {
        set_up_ana(&ctx).await;
        unauthenticated(sign_in(&ctx, "ana", "wrong wrong wrong").await);
        unauthenticated(sign_in(&ctx, "nobody", PASSWORD).await);
        unauthenticated(sign_in(&ctx, "no name at all!", PASSWORD).await);
        let first = sign_in(&ctx, " ANA ", PASSWORD).await.unwrap().token;
        let second = sign_in(&ctx, "ana", PASSWORD).await.unwrap().token;
        assert_ne!(first, second, "{db}");
        sign_out(&ctx, &first).await.unwrap();
        sign_out(&ctx, "nonsense").await.unwrap();
        assert!(caller_of_session(&ctx, &first).await.unwrap().is_none(), "{db}");
        assert!(caller_of_session(&ctx, &second).await.unwrap().is_some(), "{db}");
        ctx.clock.advance(SESSION_S - 1);
        assert!(caller_of_session(&ctx, &second).await.unwrap().is_some(), "{db}");
        ctx.clock.advance(1);
        assert!(caller_of_session(&ctx, &second).await.unwrap().is_none(), "{db}");
    }
}

#[tokio::test]
async fn a_new_password_ends_every_session() {
    for (db, ctx) in ctxs().await {
        let old = set_up_ana(&ctx).await;
        let ana = caller_of_session(&ctx, &old.token).await.unwrap().unwrap();
        let wrong = change_password(&ctx, &ana, "wrong wrong wrong", "another good one").await;
        assert!(matches!(wrong, Err(Error::Invalid(_))), "{db}");
        let new = change_password(&ctx, &ana, PASSWORD, "another good one").await.unwrap();
        assert!(caller_of_session(&ctx, &old.token).await.unwrap().is_none(), "{db}");
        assert!(caller_of_session(&ctx, &new.token).await.unwrap().is_some(), "{db}");
        unauthenticated(sign_in(&ctx, "ana", PASSWORD).await);
        set_password(&ctx, "ana", PASSWORD).await.unwrap();
        assert!(caller_of_session(&ctx, &new.token).await.unwrap().is_none(), "{db}");
        sign_in(&ctx, "ana", PASSWORD).await.unwrap();
    }
}

#[tokio::test]
async fn a_disabled_account_gets_nothing() {
    for (db, ctx) in ctxs().await {
        set_up_ana(&ctx).await;
        conflict(disable(&ctx, "ana").await, "ana is the only admin; make another one first.");
        let ben = add_user(&ctx, "ben", PASSWORD, Role::User, "UTC").await.unwrap();
        conflict(add_user(&ctx, "BEN", PASSWORD, Role::User, "UTC").await, "There is already a user called ben.");
        let session = sign_in(&ctx, "ben", PASSWORD).await.unwrap().token;
        let (_, token) = create_token(&ctx, "ben", "cli", &[Scope::Chat]).await.unwrap();
        assert!(caller_of_token(&ctx, &token).await.unwrap().is_some(), "{db}");
        assert!(disable(&ctx, "ben").await.unwrap().disabled, "{db}");
        unauthenticated(sign_in(&ctx, "ben", PASSWORD).await);
        assert!(caller_of_session(&ctx, &session).await.unwrap().is_none(), "{db}");
        assert!(caller_of_token(&ctx, &token).await.unwrap().is_none(), "{db}");
        assert!(caller_of_user(&ctx, ben.user_id, Door::Web).await.unwrap().is_none(), "{db}");
        enable(&ctx, "ben").await.unwrap();
        assert!(caller_of_session(&ctx, &session).await.unwrap().is_none(), "{db}: sessions are gone");
        assert!(caller_of_token(&ctx, &token).await.unwrap().is_some(), "{db}");
        let names: Vec<_> = list_users(&ctx).await.unwrap().into_iter().map(|user| user.name.to_string()).collect();
        assert_eq!(names, ["ana", "ben"], "{db}");
        not_found(disable(&ctx, "cleo").await, "There is no user called cleo.");
    }
}

#[tokio::test]
async fn a_token_has_its_scopes_until_it_is_revoked() {
    for (db, ctx) in ctxs().await {
        set_up_ana(&ctx).await;
        add_user(&ctx, "ben", PASSWORD, Role::User, "UTC").await.unwrap();
        let admin = create_token(&ctx, "ben", "x", &[Scope::Admin]).await;
        assert!(matches!(admin, Err(Error::Invalid(_))), "{db}");
        assert!(create_token(&ctx, "ben", "", &[Scope::Chat]).await.is_err(), "{db}");
        assert!(create_token(&ctx, "ben", "x", &[]).await.is_err(), "{db}");
        let (id, secret) = create_token(&ctx, "ben", "phone", &[Scope::TasksRead, Scope::Chat]).await.unwrap();
        assert!(secret.starts_with("dkt_") && secret.len() == 47, "{db}");
        let caller = caller_of_token(&ctx, &secret).await.unwrap().unwrap();
        assert_eq!((caller.door, caller.scopes.as_slice()), (Door::Api, [Scope::Chat, Scope::TasksRead].as_slice()));
        assert!(caller_of_token(&ctx, "dkt_nonsense").await.unwrap().is_none(), "{db}");
        revoke_token(&ctx, id).await.unwrap();
        conflict(revoke_token(&ctx, id).await, "That token was revoked already.");
        assert!(caller_of_token(&ctx, &secret).await.unwrap().is_none(), "{db}");
        let listed = list_tokens(&ctx, "ben").await.unwrap();
        assert_eq!(
            (listed.len(), listed[0].label.as_str(), listed[0].revoked_at.is_some()),
            (1, "phone", true),
            "{db}"
        );
    }
}

#[tokio::test]
async fn a_zone_is_one_that_exists() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let bad = set_zone(&ctx, &ana, "Mars/North").await;
        assert!(matches!(bad, Err(Error::Invalid(_))), "{db}");
        set_zone(&ctx, &ana, "Asia/Kolkata").await.unwrap();
        let now = caller_of_user(&ctx, ana.id(), Door::Web).await.unwrap().unwrap();
        assert_eq!(now.user.zone, "Asia/Kolkata", "{db}");
    }
}

#[tokio::test]
async fn all_that_happens_to_an_account_is_recorded_without_its_secrets() {
    for (db, ctx) in ctxs().await {
        let session = set_up_ana(&ctx).await;
        let ana = caller_of_session(&ctx, &session.token).await.unwrap().unwrap();
        add_user(&ctx, "eve", PASSWORD, Role::Admin, "UTC").await.unwrap();
        let (id, secret) = create_token(&ctx, "ana", "phone", &[Scope::Chat]).await.unwrap();
        revoke_token(&ctx, id).await.unwrap();
        set_zone(&ctx, &ana, "UTC").await.unwrap();
        set_uses_model(&ctx, &ana, false).await.unwrap();
        let session = change_password(&ctx, &ana, PASSWORD, "another good one").await.unwrap();
        sign_out(&ctx, &session.token).await.unwrap();
        unauthenticated(sign_in(&ctx, "ana", PASSWORD).await);
        set_password(&ctx, "ana", PASSWORD).await.unwrap();
        disable(&ctx, "ana").await.unwrap();
        disable(&ctx, "ana").await.unwrap();
        enable(&ctx, "ana").await.unwrap();
        let bodies = store::testing::bodies(&mut ctx.read().await.unwrap(), ana.id()).await;
        let events: Vec<_> = bodies
            .iter()
            .map(|(kind, body)| {
                let body: serde_json::Value = serde_json::from_str(body).unwrap();
                format!("{kind} {}", body["event"].as_str().unwrap())
            })
            .collect();
        let expected = [
            "account created",
            "sign_in signed_in",
            "token created",
            "token revoked",
            "account zone_changed",
            "account model_choice_changed",
            "account password_changed",
            "sign_in signed_in",
            "sign_in signed_out",
            "account password_changed",
            "account disabled",
            "account enabled",
        ];
        assert_eq!(events, expected, "{db}");
        for (_, body) in &bodies {
            for secret in [PASSWORD, "another good one", "argon2", &session.token, &secret] {
                assert!(!body.contains(secret), "{db}: {body}");
            }
        }
        let mut tx = ctx.write().await.unwrap();
        assert_eq!(store::users::count(&mut tx, "failed_sign_ins").await.unwrap(), 2, "{db}: one failed before");
    }
}

#[tokio::test]
async fn hashing_takes_turns() {
    use crate::domain::user::Password;
    let hashing = crate::usecases::Hashing::default();
    let password = Password::parse(PASSWORD).unwrap();
    let hash = hashing.hash(&password).await;
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    let all = futures::future::join_all((0..4).map(|_| hashing.verify(PASSWORD, Some(hash.clone())))).await;
    assert_eq!(all, [true; 4]);
    assert!(!hashing.verify(PASSWORD, None).await);
}
