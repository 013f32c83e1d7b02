//! Tests of accounts: access and its end.

use super::*;
use crate::domain::user::{Door, LinkPurpose, Role, Scope, User, Visitor};
use crate::store;
use crate::usecases::accounts::*;

pub const PASSWORD: &str = "correct horse battery";
const NOTHING: AlsoEnd = AlsoEnd { tokens: false, chats: false };

pub async fn set_up_ana(ctx: &Ctx) -> NewSession {
    let link = first_link(ctx).await.unwrap().unwrap();
    set_up(ctx, &link, "Ana", PASSWORD, "europe/london", &Visitor::default()).await.unwrap()
}

/// Disables an account without running work.
async fn shut(ctx: &Ctx, name: &str) -> Result<User, Error> {
    let mut tx = ctx.write().await?;
    let user = named(&mut tx, name).await?;
    let user = disable(ctx, &mut tx, &Manager::CommandLine, user).await?;
    ctx.commit(tx).await?;
    Ok(user)
}

#[track_caller]
fn unauthenticated<T: std::fmt::Debug>(result: Result<T, Error>) {
    assert!(matches!(result, Err(Error::Unauthenticated(_))), "{result:?}");
}

#[tokio::test]
async fn setup_link_creates_one_admin_and_only_the_newest_works() {
    for (db, ctx) in ctxs().await {
        let old = first_link(&ctx).await.unwrap().unwrap();
        let new = first_link(&ctx).await.unwrap().unwrap();
        let refused = set_up(&ctx, &old, "ana", PASSWORD, "UTC", &Visitor::default()).await;
        assert!(matches!(refused, Err(Error::Forbidden(_))), "{db}");
        for (name, password, zone) in [("", PASSWORD, "UTC"), ("ana", "short", "UTC"), ("ana", PASSWORD, "Mars/North")]
        {
            let refused = set_up(&ctx, &new, name, password, zone, &Visitor::default()).await;
            assert!(matches!(refused, Err(Error::Invalid(_))), "{db}: {name} {zone}");
        }
        let session = set_up(&ctx, &new, "Ana", PASSWORD, "europe/london", &Visitor::default()).await.unwrap();
        assert_eq!((session.user.role, session.user.zone.as_str()), (Role::Admin, "Europe/London"), "{db}");
        let again = set_up(&ctx, &new, "eve", PASSWORD, "UTC", &Visitor::default()).await;
        assert!(matches!(again, Err(Error::Forbidden(_))), "{db}");
        assert_eq!(first_link(&ctx).await.unwrap(), None, "{db}");
        let caller = caller_of_session(&ctx, &session.token).await.unwrap().unwrap();
        assert!(caller.admin().is_some() && caller.door == Door::Web, "{db}");
    }
}

#[tokio::test]
async fn session_starts_with_password_and_ends_by_signout_or_expiry() {
    for (db, ctx) in ctxs().await {
        set_up_ana(&ctx).await;
        unauthenticated(sign_in(&ctx, "ana", "wrong wrong wrong", &Visitor::default(), None).await);
        unauthenticated(sign_in(&ctx, "nobody", PASSWORD, &Visitor::default(), None).await);
        unauthenticated(sign_in(&ctx, "no name at all!", PASSWORD, &Visitor::default(), None).await);
        let first = sign_in(&ctx, " ANA ", PASSWORD, &Visitor::default(), None).await.unwrap().token;
        let second = sign_in(&ctx, "ana", PASSWORD, &Visitor::default(), None).await.unwrap().token;
        assert_ne!(first, second, "{db}");
        assert_eq!(first.len(), 43, "{db}: 256 bits in base64");
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
        let wrong =
            change_password(&ctx, &ana, "wrong wrong wrong", "another good one", NOTHING, &Visitor::default()).await;
        assert!(matches!(wrong, Err(Error::Invalid(_))), "{db}");
        let new =
            change_password(&ctx, &ana, PASSWORD, "another good one", NOTHING, &Visitor::default()).await.unwrap();
        assert!(caller_of_session(&ctx, &old.token).await.unwrap().is_none(), "{db}");
        assert!(caller_of_session(&ctx, &new.token).await.unwrap().is_some(), "{db}");
        unauthenticated(sign_in(&ctx, "ana", PASSWORD, &Visitor::default(), None).await);
        set_password(&ctx, "ana", PASSWORD, NOTHING).await.unwrap();
        assert!(caller_of_session(&ctx, &new.token).await.unwrap().is_none(), "{db}");
        sign_in(&ctx, "ana", PASSWORD, &Visitor::default(), None).await.unwrap();
    }
}

#[tokio::test]
async fn a_disabled_account_gets_nothing() {
    for (db, ctx) in ctxs().await {
        set_up_ana(&ctx).await;
        conflict(shut(&ctx, "ana").await, "ana is the only admin. Make another user an admin first.");
        let ben = add_user(&ctx, "ben", PASSWORD, Role::User, "UTC").await.unwrap();
        conflict(add_user(&ctx, "BEN", PASSWORD, Role::User, "UTC").await, "There is already a user called ben.");
        let session = sign_in(&ctx, "ben", PASSWORD, &Visitor::default(), None).await.unwrap().token;
        let (_, token) = create_token(&ctx, "ben", "cli", &[Scope::Chat], 0).await.unwrap();
        assert!(caller_of_token(&ctx, &token).await.unwrap().is_some(), "{db}");
        assert!(shut(&ctx, "ben").await.unwrap().disabled, "{db}");
        unauthenticated(sign_in(&ctx, "ben", PASSWORD, &Visitor::default(), None).await);
        assert!(caller_of_session(&ctx, &session).await.unwrap().is_none(), "{db}");
        assert!(caller_of_token(&ctx, &token).await.unwrap().is_none(), "{db}");
        assert!(caller_of_user(&ctx, ben.user_id, Door::Web).await.unwrap().is_none(), "{db}");
        enable(&ctx, &Manager::CommandLine, "ben").await.unwrap();
        assert!(caller_of_session(&ctx, &session).await.unwrap().is_none(), "{db}: sessions are gone");
        assert!(caller_of_token(&ctx, &token).await.unwrap().is_none(), "{db}: tokens are gone");
        let names: Vec<_> = list_users(&ctx).await.unwrap().into_iter().map(|it| it.user.name.to_string()).collect();
        assert_eq!(names, ["ana", "ben"], "{db}");
        not_found(shut(&ctx, "cleo").await, "There is no user called cleo.");
    }
}

#[tokio::test]
async fn a_token_has_its_scopes_until_it_is_revoked() {
    for (db, ctx) in ctxs().await {
        set_up_ana(&ctx).await;
        add_user(&ctx, "ben", PASSWORD, Role::User, "UTC").await.unwrap();
        let admin = create_token(&ctx, "ben", "x", &[Scope::Admin], 0).await;
        assert!(matches!(admin, Err(Error::Invalid(_))), "{db}");
        assert!(create_token(&ctx, "ben", "", &[Scope::Chat], 0).await.is_err(), "{db}");
        assert!(create_token(&ctx, "ben", "x", &[], 0).await.is_err(), "{db}");
        let (id, secret) = create_token(&ctx, "ben", "phone", &[Scope::TasksRead, Scope::Chat], 0).await.unwrap();
        assert!(secret.starts_with("dkt_") && secret.len() == 47, "{db}");
        let caller = caller_of_token(&ctx, &secret).await.unwrap().unwrap();
        assert_eq!((caller.door, caller.scopes.as_slice()), (Door::Api, [Scope::Chat, Scope::TasksRead].as_slice()));
        assert!(caller_of_token(&ctx, "dkt_nonsense").await.unwrap().is_none(), "{db}");
        revoke_token(&ctx, id).await.unwrap();
        conflict(revoke_token(&ctx, id).await, "This token is already revoked.");
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
async fn a_password_is_taken_as_it_was_typed() {
    for (db, ctx) in ctxs().await {
        set_up_ana(&ctx).await;
        let typed = "  Žluťoučký KŮŇ 🔑 úpěl\t";
        add_user(&ctx, "ben", typed, Role::User, "UTC").await.unwrap();
        for other in [typed.trim(), &typed.to_lowercase(), &typed.replace('\t', " "), typed.trim_end()] {
            unauthenticated(sign_in(&ctx, "ben", other, &Visitor::default(), None).await);
        }
        assert!(sign_in(&ctx, "ben", typed, &Visitor::default(), None).await.is_ok(), "{db}");
    }
}

#[tokio::test]
async fn common_password_is_refused_except_from_the_command_line() {
    for (db, ctx) in ctxs().await {
        let tried = "Password2024";
        let refused = |told: Error| matches!(&told, Error::Invalid(why) if why.to_string().contains("too common"));
        let link = first_link(&ctx).await.unwrap().unwrap();
        let first = set_up(&ctx, &link, "Ana", tried, "UTC", &Visitor::default()).await;
        assert!(first.err().is_some_and(refused), "{db}");
        let ben = add_user(&ctx, "ben", PASSWORD, Role::User, "UTC").await.unwrap();
        let ben = caller_of_user(&ctx, ben.user_id, Door::Web).await.unwrap().unwrap();
        let changed = change_password(&ctx, &ben, PASSWORD, tried, NOTHING, &Visitor::default()).await;
        assert!(changed.err().is_some_and(refused), "{db}");
        add_user(&ctx, "cleo", tried, Role::User, "UTC").await.unwrap();
        set_password(&ctx, "ben", tried, NOTHING).await.unwrap();
        for name in ["ben", "cleo"] {
            assert!(sign_in(&ctx, name, tried, &Visitor::default(), None).await.is_ok(), "{db}");
        }
    }
}

#[tokio::test]
async fn account_changes_are_recorded_without_secrets() {
    for (db, ctx) in ctxs().await {
        let session = set_up_ana(&ctx).await;
        let ana = caller_of_session(&ctx, &session.token).await.unwrap().unwrap();
        add_user(&ctx, "eve", PASSWORD, Role::Admin, "UTC").await.unwrap();
        let (id, secret) = create_token(&ctx, "ana", "phone", &[Scope::Chat], 0).await.unwrap();
        revoke_token(&ctx, id).await.unwrap();
        set_zone(&ctx, &ana, "UTC").await.unwrap();
        set_uses_model(&ctx, &ana, false).await.unwrap();
        let session =
            change_password(&ctx, &ana, PASSWORD, "another good one", NOTHING, &Visitor::default()).await.unwrap();
        sign_out(&ctx, &session.token).await.unwrap();
        unauthenticated(sign_in(&ctx, "ana", PASSWORD, &Visitor::default(), None).await);
        set_password(&ctx, "ana", PASSWORD, NOTHING).await.unwrap();
        shut(&ctx, "ana").await.unwrap();
        shut(&ctx, "ana").await.unwrap();
        enable(&ctx, &Manager::CommandLine, "ana").await.unwrap();
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
    use crate::domain::password::Password;
    let hashing = crate::usecases::Hashing::default();
    let password = Password::parse(PASSWORD).unwrap();
    let hash = hashing.hash(&password).await;
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    let all = futures::future::join_all((0..4).map(|_| hashing.verify(PASSWORD, Some(hash.clone())))).await;
    assert_eq!(all, [true; 4]);
    assert!(!hashing.verify(PASSWORD, None).await);
}

/// Returns a browser at that IP address.
pub fn at(address: &str) -> Visitor {
    Visitor { address: Some(address.parse().unwrap()), device: "Firefox on Linux".into(), trace: None }
}

#[track_caller]
fn wait<T: std::fmt::Debug>(result: Result<T, Error>) -> i64 {
    match result {
        Err(Error::RateLimited { retry_after_s }) => retry_after_s,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn guessing_becomes_slow_and_locks_nobody_out() {
    for (db, ctx) in ctxs().await {
        set_up_ana(&ctx).await;
        let (home, stranger) = (at("203.0.113.7"), at("198.51.100.1"));
        sign_in(&ctx, "ana", PASSWORD, &home, None).await.unwrap();
        // An unknown name is answered alike.
        for name in ["ana", "nobody"] {
            for _ in 0..4 {
                unauthenticated(sign_in(&ctx, name, "wrong wrong wrong", &stranger, None).await);
            }
            unauthenticated(sign_in(&ctx, name, "wrong wrong wrong", &stranger, None).await);
            let first = wait(sign_in(&ctx, name, PASSWORD, &stranger, None).await);
            assert_eq!(first, 2, "{db}: the right password is not looked at either");
            // An attempt while throttled does not lengthen the delay.
            assert_eq!(wait(sign_in(&ctx, name, PASSWORD, &stranger, None).await), first, "{db}");
            ctx.clock.advance(2);
            unauthenticated(sign_in(&ctx, name, "wrong wrong wrong", &stranger, None).await);
            assert_eq!(wait(sign_in(&ctx, name, PASSWORD, &stranger, None).await), 3, "{db}: it doubles");
        }
        // Attempts from many addresses throttle the account, for a minute at most, but not at its owner's address.
        for step in 0..40 {
            let other = at(&format!("192.0.2.{step}"));
            let tried = sign_in(&ctx, "ana", "wrong wrong wrong", &other, None).await;
            assert!(tried.is_err(), "{db}");
            ctx.clock.advance(1);
        }
        let elsewhere = at("192.0.2.200");
        assert!((1..=61).contains(&wait(sign_in(&ctx, "ana", PASSWORD, &elsewhere, None).await)), "{db}");
        sign_in(&ctx, "ana", PASSWORD, &home, None).await.unwrap();
        ctx.clock.advance(61);
        sign_in(&ctx, "ana", PASSWORD, &elsewhere, None).await.unwrap();
        // After an hour all failures are forgotten.
        ctx.clock.advance(3_601);
        sign_in(&ctx, "ana", PASSWORD, &stranger, None).await.unwrap();
    }
}

#[tokio::test]
async fn concurrent_sign_in_attempts_check_only_the_free_guesses() {
    for (db, ctx) in ctxs().await {
        set_up_ana(&ctx).await;
        let stranger = at("198.51.100.1");
        let guesses = (0..30).map(|_| sign_in(&ctx, "ana", "wrong wrong wrong", &stranger, None));
        let answers = futures::future::join_all(guesses).await;
        let looked_at = answers.iter().filter(|answer| matches!(answer, Err(Error::Unauthenticated(_)))).count();
        assert_eq!(looked_at, 5, "{db}");
    }
}

#[tokio::test]
async fn invited_account_is_active_once_its_password_is_chosen() {
    for (db, ctx) in ctxs().await {
        let session = set_up_ana(&ctx).await;
        let ana = caller_of_session(&ctx, &session.token).await.unwrap().unwrap().admin().unwrap();
        let by = Manager::Admin(&ana);
        let link = invite(&ctx, &by, "Ben", Role::User).await.unwrap();
        conflict(invite(&ctx, &by, "ben", Role::User).await.map(drop), "There is already a user called ben.");
        unauthenticated(sign_in(&ctx, "ben", PASSWORD, &Visitor::default(), None).await);
        let (user, purpose) = look(&ctx, &link.token).await.unwrap().unwrap();
        assert_eq!((user.name.as_str(), purpose), ("ben", LinkPurpose::Invite), "{db}");
        let bad = join(&ctx, &link.token, "short", Some("UTC"), NOTHING, &Visitor::default()).await;
        assert!(matches!(bad, Err(Error::Invalid(_))), "{db}");
        let newer = super::accounts::link(&ctx, &by, "ben").await.unwrap();
        assert!(
            matches!(
                join(&ctx, &link.token, PASSWORD, None, NOTHING, &Visitor::default()).await,
                Err(Error::Forbidden(_))
            ),
            "{db}"
        );
        let session =
            join(&ctx, &newer.token, PASSWORD, Some("asia/tokyo"), NOTHING, &at("203.0.113.7")).await.unwrap();
        assert_eq!((session.user.zone.as_str(), session.user.role), ("Asia/Tokyo", Role::User), "{db}");
        let again = join(&ctx, &newer.token, PASSWORD, None, NOTHING, &Visitor::default()).await;
        assert!(matches!(again, Err(Error::Forbidden(_))), "{db}: once");
        sign_in(&ctx, "ben", PASSWORD, &Visitor::default(), None).await.unwrap();
        // A password reset ends all sessions.
        let reset = super::accounts::link(&ctx, &by, "ben").await.unwrap();
        assert_eq!(reset.purpose, LinkPurpose::Reset, "{db}");
        assert!(caller_of_session(&ctx, &session.token).await.unwrap().is_some(), "{db}: not before it is used");
        join(&ctx, &reset.token, "another good one", None, NOTHING, &Visitor::default()).await.unwrap();
        assert!(caller_of_session(&ctx, &session.token).await.unwrap().is_none(), "{db}");
        let late = super::accounts::link(&ctx, &by, "ben").await.unwrap();
        ctx.clock.advance(86_400);
        assert!(look(&ctx, &late.token).await.unwrap().is_none(), "{db}: a day is over");
        let shut_out = super::accounts::link(&ctx, &by, "ben").await.unwrap();
        shut(&ctx, "ben").await.unwrap();
        assert!(look(&ctx, &shut_out.token).await.unwrap().is_none(), "{db}");
        // Each link is recorded with its author and purpose, and without its token.
        let bodies = store::testing::bodies(&mut ctx.read().await.unwrap(), user.user_id).await;
        let made: Vec<_> = bodies.iter().filter(|(_, body)| body.contains("link_made")).collect();
        let purposes = ["invite", "invite", "reset", "reset", "reset"];
        assert_eq!(made.len(), purposes.len(), "{db}");
        for ((kind, body), purpose) in made.into_iter().zip(purposes) {
            let told: serde_json::Value = serde_json::from_str(body).unwrap();
            assert_eq!(
                (kind.as_str(), &told["purpose"], &told["by"]),
                ("account", &purpose.into(), &"ana".into()),
                "{db}"
            );
        }
        for link in [&link, &newer, &reset, &late, &shut_out] {
            assert!(bodies.iter().all(|(_, body)| !body.contains(&link.token)), "{db}");
        }
    }
}

#[tokio::test]
async fn the_last_admin_stays_one() {
    for (db, ctx) in ctxs().await {
        let session = set_up_ana(&ctx).await;
        let ana = caller_of_session(&ctx, &session.token).await.unwrap().unwrap().admin().unwrap();
        let by = Manager::Admin(&ana);
        let last = "ana is the only admin. Make another user an admin first.";
        conflict(set_role(&ctx, &by, "ana", Role::User).await, last);
        // Neither an invited admin nor a disabled one can sign in.
        invite(&ctx, &by, "eve", Role::Admin).await.unwrap();
        conflict(set_role(&ctx, &by, "ana", Role::User).await, last);
        conflict(shut(&ctx, "ana").await, last);
        set_role(&ctx, &by, "eve", Role::User).await.unwrap();
        add_user(&ctx, "ben", PASSWORD, Role::User, "UTC").await.unwrap();
        assert_eq!(set_role(&ctx, &by, "ben", Role::Admin).await.unwrap().role, Role::Admin, "{db}");
        assert_eq!(set_role(&ctx, &by, "ana", Role::User).await.unwrap().role, Role::User, "{db}");
        conflict(shut(&ctx, "ben").await, "ben is the only admin. Make another user an admin first.");
        let events = store::testing::bodies(&mut ctx.read().await.unwrap(), ana.caller().id()).await;
        assert!(events.iter().any(|(_, body)| body.contains("role_changed") && body.contains(r#""by":"ana""#)), "{db}");
    }
}

#[tokio::test]
async fn links_of_a_former_admin_end() {
    for (db, ctx) in ctxs().await {
        set_up_ana(&ctx).await;
        let eve = crate::usecases::testing::admin(&ctx, "eve").await.admin().unwrap();
        for ends in ["password", "role", "disabled"] {
            let link = invite(&ctx, &Manager::Admin(&eve), &format!("after-{ends}"), Role::Admin).await.unwrap();
            match ends {
                "password" => set_password(&ctx, "eve", PASSWORD, NOTHING).await.unwrap(),
                "role" => {
                    set_role(&ctx, &Manager::CommandLine, "eve", Role::User).await.unwrap();
                    set_role(&ctx, &Manager::CommandLine, "eve", Role::Admin).await.unwrap();
                }
                _ => drop(shut(&ctx, "eve").await.unwrap()),
            }
            assert_eq!(look(&ctx, &link.token).await.unwrap(), None, "{db} {ends}");
        }
    }
}
