//! Tests of daily token quotas and the start of a day.

use super::*;
use crate::domain::decision::{Decision, DecisionKind, Engine, Outcome};
use crate::domain::user::User;
// These tests insert single rows, so the invariants do not hold.
use crate::usecases::spending;
use crate::usecases::testing::ctxs;

/// Tokens per day.
const SHARE: i64 = 100;
const HOUR: i64 = 3_600;

/// Inserts a turn with that many tokens, half of them input.
async fn spend(ctx: &Ctx, user: &User, tokens: i64) {
    let (conversation, at) = (ConversationId::random(), ctx.now());
    let mut tx = ctx.write().await.unwrap();
    store::conversations::create(&mut tx, user.user_id, conversation, "Hello", &at).await.unwrap();
    let (cause, lease_ms) = (Cause::Message, Some(60_000));
    let new = store::turns::NewTurn { conversation, cause, approval: None, client_key: None, lease_ms, starter: None };
    let turn = store::turns::insert(&mut tx, user.user_id, &new, &at).await.unwrap();
    let decision = store::decisions::DecisionRow {
        turn_id: turn.id,
        turn: Some(store::decisions::About::finished(&turn, &at)),
        decision: Decision { kind: DecisionKind::RespondOnly, outcome: Outcome::ResponseGiven },
        engine: Engine::Compatible,
        engine_cause: None,
        model: None,
        intent: "answer".into(),
        reply: "Hello.".into(),
        options: vec![],
        constitution: "00".into(),
        asked_approval: None,
        question: None,
        told_seq: None,
        memories: vec![],
        tokens_in: Some(tokens / 2),
        tokens_out: Some(tokens - tokens / 2),
        tokens_estimated: false,
        cost_micros: None,
        duration_ms: 1,
        basis: None,
        at,
    };
    store::decisions::insert(&mut tx, user.user_id, &decision).await.unwrap();
    ctx.commit(tx).await.unwrap();
}

async fn used_up(ctx: &Ctx, user: &User) -> bool {
    spending::used_up(&mut ctx.read().await.unwrap(), user, SHARE, 0, &ctx.now()).await.unwrap()
}

/// Advances the clock to that instant.
fn until(ctx: &Ctx, instant: &str) {
    let instant = crate::domain::time::Timestamp::parse(instant).unwrap();
    ctx.clock.advance(instant.ms_since(&ctx.now()).div_euclid(1000));
}

#[tokio::test]
async fn daily_quota_resets_at_midnight_in_the_users_time_zone() {
    for (zone, last, first) in [
        ("UTC", "2026-03-11T23:59:59Z", "2026-03-12T00:00:00Z"),
        ("Asia/Tokyo", "2026-03-11T14:59:59Z", "2026-03-11T15:00:00Z"),
        ("America/Los_Angeles", "2026-03-12T06:59:59Z", "2026-03-12T07:00:00Z"),
    ] {
        for (db, ctx) in ctxs().await {
            let (ana, ben) = (person(&ctx, "ana").await.user, person(&ctx, "ben").await.user);
            let ana = User { zone: zone.into(), ..ana };
            spend(&ctx, &ana, SHARE - 1).await;
            assert!(!used_up(&ctx, &ana).await, "{db}");
            let mut tx = ctx.read().await.unwrap();
            assert!(
                spending::used_up(&mut tx, &ana, SHARE, 1, &ctx.now()).await.unwrap(),
                "{db}: with what is under way"
            );
            drop(tx);
            spend(&ctx, &ana, 1).await;
            assert!(used_up(&ctx, &ana).await && !used_up(&ctx, &ben).await, "{db}");
            until(&ctx, last);
            assert!(used_up(&ctx, &ana).await, "{db} {zone}");
            until(&ctx, first);
            assert!(!used_up(&ctx, &ana).await, "{db} {zone}");
        }
    }
}

#[tokio::test]
async fn dst_change_day_has_one_quota_whatever_its_length() {
    // Usage in the first hour of a day of 23 or 25 hours counts until its end.
    for (begin, end) in
        [("2026-03-29T01:00:00Z", "2026-03-29T23:00:00Z"), ("2026-10-25T00:00:00Z", "2026-10-26T00:00:00Z")]
    {
        for (db, ctx) in ctxs().await {
            // In London, where the October day starts in summer time.
            let ana = person(&ctx, "ana").await.user;
            until(&ctx, begin);
            spend(&ctx, &ana, SHARE).await;
            until(&ctx, end);
            assert!(!used_up(&ctx, &ana).await, "{db} {end}");
            ctx.clock.advance(-1);
            assert!(used_up(&ctx, &ana).await, "{db} {end}");
        }
    }
}

#[tokio::test]
async fn westward_time_zone_changes_give_at_most_two_daily_quotas() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await.user;
        let mut shares = 0;
        // In each of these hours a day starts in a zone further west.
        for hour in 0..12 {
            until(&ctx, &format!("2026-03-12T{hour:02}:30:00Z"));
            let there = User { zone: if hour == 0 { "UTC".into() } else { format!("Etc/GMT+{hour}") }, ..ana.clone() };
            if !used_up(&ctx, &there).await {
                spend(&ctx, &there, SHARE).await;
                shares += 1;
            }
        }
        assert_eq!(shares, 2, "{db}");
        ctx.clock.advance(24 * HOUR);
        assert!(!used_up(&ctx, &ana).await, "{db}");
    }
}
