//! Tests of accounts and daily quotas after the clock was set back.

use super::accounts::{PASSWORD, set_up_ana};
use super::*;
use crate::clock::Clock;
use crate::domain::time::Timestamp;
use crate::domain::user::Visitor;
use crate::usecases::accounts::*;
use crate::usecases::spending;
use crate::usecases::testing::ctxs;

const DAY: i64 = 86_400;

async fn sign_in_with(ctx: &Ctx, password: &str) -> Result<NewSession, Error> {
    let from = Visitor { address: "203.0.113.9".parse().ok(), ..Visitor::default() };
    sign_in(ctx, "ana", password, &from, None).await
}

#[tokio::test]
async fn transaction_that_decides_hears_the_clock_of_postgres() {
    for (db, ctx) in ctxs().await {
        // A process whose database clock was a day ahead when last read.
        let ahead = Timestamp::from(jiff::Timestamp::now()).plus_seconds(DAY);
        let ctx = Ctx { clock: Clock::database(ahead.clone()), ..ctx };
        let (before, heard) = {
            let mut tx = ctx.write().await.unwrap();
            (ctx.now(), ctx.now_in(&mut tx).await.unwrap())
        };
        assert!(before >= ahead, "{db}");
        assert_eq!(heard < ahead, !ctx.store.is_embedded(), "{db}: {heard}");
        assert_eq!(ctx.now() < ahead, !ctx.store.is_embedded(), "{db}: and goes by it from then on");
    }
}

#[tokio::test]
async fn owner_signs_in_at_once_after_the_clock_goes_back() {
    for (db, ctx) in ctxs().await {
        set_up_ana(&ctx).await;
        sign_in_with(&ctx, PASSWORD).await.unwrap();
        for step in [-3_600, -DAY, 2 * DAY, -DAY] {
            ctx.clock.advance(step);
            let signed_in = sign_in_with(&ctx, PASSWORD).await;
            assert!(signed_in.is_ok(), "{db} {step}: {signed_in:?}");
        }
    }
}

#[tokio::test]
async fn sign_in_throttle_keeps_its_delay_after_clock_set_back() {
    for (db, ctx) in ctxs().await {
        set_up_ana(&ctx).await;
        let guess = async || sign_in_with(&ctx, "wrong wrong wrong").await;
        for _ in 0..5 {
            assert!(matches!(guess().await, Err(Error::Unauthenticated(_))), "{db}");
        }
        ctx.clock.advance(2);
        assert!(matches!(guess().await, Err(Error::Unauthenticated(_))), "{db}");
        // The sixth failure throttles the account for two seconds.
        assert!(matches!(guess().await, Err(Error::RateLimited { retry_after_s: 3 })), "{db}");
        ctx.clock.advance(-DAY);
        let early = sign_in_with(&ctx, PASSWORD).await;
        assert!(matches!(early, Err(Error::RateLimited { retry_after_s: 3 })), "{db}: {early:?}");
        ctx.clock.advance(2);
        sign_in_with(&ctx, PASSWORD).await.unwrap();
    }
}

#[tokio::test]
async fn password_entered_at_another_process_a_moment_ahead_is_recent() {
    for (db, ctx) in ctxs().await {
        let session = set_up_ana(&ctx).await.token;
        let ana = caller_of_session(&ctx, &session).await.unwrap().unwrap();
        ctx.clock.advance(-1);
        assert!(has_recent_password(&ctx, &ana, Some(&session)).await.unwrap(), "{db}");
        ctx.clock.advance(-DAY);
        assert!(!has_recent_password(&ctx, &ana, Some(&session)).await.unwrap(), "{db}: nobody knows when it was");
    }
}

#[tokio::test]
async fn session_last_seen_and_expiry_follow_a_clock_set_back() {
    for (db, ctx) in ctxs().await {
        let session = set_up_ana(&ctx).await.token;
        let seen = async || {
            let ana = caller_of_session(&ctx, &session).await.unwrap().expect("a session");
            list_sessions(&ctx, &ana, None).await.unwrap().remove(0).seen_at.expect("it was seen")
        };
        assert_eq!(seen().await, ctx.now(), "{db}");
        ctx.clock.advance(-10 * DAY);
        assert_eq!(seen().await, ctx.now(), "{db}");
        ctx.clock.advance(SESSION_S);
        assert!(caller_of_session(&ctx, &session).await.unwrap().is_none(), "{db}: no longer than any other");
    }
}

#[tokio::test]
async fn daily_quota_is_unused_after_clock_set_back() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let used_up =
            async || spending::used_up(&mut ctx.read().await.unwrap(), &ana.user, 100, 0, &ctx.now()).await.unwrap();
        spending::note(&ctx, ana.id(), (60, 60), None).await.unwrap();
        assert!(used_up().await, "{db}");
        ctx.clock.advance(-DAY);
        assert!(!used_up().await, "{db}");
        spending::note(&ctx, ana.id(), (60, 60), None).await.unwrap();
        assert!(used_up().await, "{db}");
    }
}
