//! Tests of protected actions, and of access that a new password ends.

use super::accounts::{PASSWORD, set_up_ana};
use super::*;
use crate::domain::channel::ChatId;
use crate::domain::user::{Door, Role, Scope, Visitor};
use crate::usecases::accounts::*;
use crate::usecases::telegram;

/// Tries a protected action in the session, with or without a password.
async fn act(
    ctx: &Ctx,
    caller: &Caller,
    session: &str,
    action: Protected,
    password: Option<&str>,
) -> Result<(), Error> {
    let from = Visitor { address: "203.0.113.9".parse().ok(), ..Visitor::default() };
    require_password(ctx, caller, action, &Proof { session: Some(session), password, from: &from }).await
}

#[track_caller]
fn forbidden(result: Result<(), Error>, part: &str) {
    assert!(matches!(&result, Err(Error::Forbidden(why)) if why.contains(part)), "{result:?}");
}

#[tokio::test]
async fn protected_action_requires_a_password_within_ten_minutes() {
    for (db, ctx) in ctxs().await {
        let session = set_up_ana(&ctx).await.token;
        let ana = caller_of_session(&ctx, &session).await.unwrap().unwrap();
        let try_it = async |password| act(&ctx, &ana, &session, Protected::CreateToken, password).await;
        ctx.clock.advance(599);
        try_it(None).await.unwrap();
        try_it(Some("")).await.unwrap();
        ctx.clock.advance(1);
        assert!(!has_recent_password(&ctx, &ana, Some(&session)).await.unwrap(), "{db}");
        for missing in [None, Some("")] {
            forbidden(try_it(missing).await, "Creating a token requires your password");
        }
        let wrong = try_it(Some("wrong wrong wrong")).await;
        assert!(matches!(wrong, Err(Error::Invalid(_))), "{db}: {wrong:?}");
        forbidden(try_it(None).await, "requires your password");
        try_it(Some(PASSWORD)).await.unwrap();
        try_it(None).await.unwrap();
        // A password counts only in the session in which it was entered.
        ctx.clock.advance(600);
        let other = sign_in(&ctx, "ana", PASSWORD, &Visitor::default(), None).await.unwrap().token;
        forbidden(try_it(None).await, "requires your password");
        act(&ctx, &ana, &other, Protected::CreateLink, None).await.unwrap();
        for strange in ["", "nonsense"] {
            assert!(!has_recent_password(&ctx, &ana, Some(strange)).await.unwrap(), "{db}");
        }
        assert!(!has_recent_password(&ctx, &ana, None).await.unwrap(), "{db}");
        // Erasing one's own texts requires the password each time.
        act(&ctx, &ana, &other, Protected::Erase, None).await.unwrap();
        forbidden(act(&ctx, &ana, &other, Protected::EraseOwn, None).await, "Erasing requires your password");
        act(&ctx, &ana, &other, Protected::EraseOwn, Some(PASSWORD)).await.unwrap();
        // Sessions of older versions have no password time.
        let sql = "UPDATE sessions SET authenticated_at = NULL";
        let tx = crate::store::testing::spoil(&ctx.store, sql).await;
        tx.commit().await.unwrap();
        forbidden(act(&ctx, &ana, &other, Protected::ChangeRole, None).await, "Changing a role requires your password");
    }
}

#[tokio::test]
async fn no_token_does_what_is_protected() {
    for (db, ctx) in ctxs().await {
        let session = set_up_ana(&ctx).await.token;
        let scopes = Scope::ALL;
        let (_, secret) = create_token(&ctx, "ana", "all", &scopes, 0).await.unwrap();
        let program = caller_of_token(&ctx, &secret).await.unwrap().unwrap();
        assert_eq!(program.door, Door::Api, "{db}");
        for action in [
            Protected::CreateToken,
            Protected::LinkChat,
            Protected::CreateLink,
            Protected::ChangeRole,
            Protected::Erase,
            Protected::EraseOwn,
        ] {
            // Not even with a session and the password.
            forbidden(act(&ctx, &program, &session, action, Some(PASSWORD)).await, "requires a browser session");
        }
    }
}

#[tokio::test]
async fn wrong_passwords_of_protected_actions_count_as_sign_ins() {
    for (db, ctx) in ctxs().await {
        let session = set_up_ana(&ctx).await.token;
        let ana = caller_of_session(&ctx, &session).await.unwrap().unwrap();
        let mut limited = 0;
        for _ in 0..7 {
            let refused = act(&ctx, &ana, &session, Protected::CreateToken, Some("wrong wrong wrong")).await;
            limited += i32::from(matches!(refused, Err(Error::RateLimited { .. })));
        }
        assert_eq!(limited, 2, "{db}: five are free");
        let from = Visitor { address: "203.0.113.9".parse().ok(), ..Visitor::default() };
        let signed_in = sign_in(&ctx, "ana", PASSWORD, &from, None).await;
        assert!(matches!(signed_in, Err(Error::RateLimited { .. })), "{db}");
    }
}

/// Returns an account with a token, a linked chat and a code.
async fn furnished(ctx: &Ctx, name: &str) -> (Caller, String, String) {
    let caller = caller_of_name(ctx, name).await.unwrap();
    let (_, token) = create_token(ctx, name, "phone", &[Scope::Chat], 0).await.unwrap();
    let code = telegram::code(ctx, &caller).await.unwrap().code;
    done!(ctx, |tx| telegram::link(ctx, tx, &code, ChatId(7), "Ben")).unwrap();
    let late = telegram::code(ctx, &caller).await.unwrap().code;
    (caller, token, late)
}

#[tokio::test]
async fn password_change_ends_tokens_and_telegram_link_only_on_request() {
    for (db, ctx) in ctxs().await {
        add_user(&ctx, "ben", PASSWORD, Role::User, "UTC").await.unwrap();
        for (tokens, chats) in [(false, false), (true, false), (false, true), (true, true)] {
            let (ben, token, late) = furnished(&ctx, "ben").await;
            let also = AlsoEnd { tokens, chats };
            set_password(&ctx, "ben", PASSWORD, also).await.unwrap();
            assert_eq!(caller_of_token(&ctx, &token).await.unwrap().is_none(), tokens, "{db}: {also:?}");
            assert_eq!(telegram::linked(&ctx, &ben).await.unwrap().is_none(), chats, "{db}: {also:?}");
            let linked = done!(ctx, |tx| telegram::link(&ctx, tx, &late, ChatId(8), "Ben")).unwrap();
            assert!(linked.is_none(), "{db}: a code of the old password links nothing");
        }
        let ben = caller_of_name(&ctx, "ben").await.unwrap();
        let bodies = crate::store::testing::bodies(&mut ctx.read().await.unwrap(), ben.id()).await;
        let count = |part: &str| bodies.iter().filter(|(_, body)| body.contains(part)).count();
        assert_eq!((count("password_changed"), count("\"revoked\"")), (4, 4), "{db}: two ends took two tokens each");
        assert_eq!(count("telegram_unlinked"), 2, "{db}");
    }
}
