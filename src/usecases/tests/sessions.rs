//! Tests of browser sessions.

use super::accounts::{PASSWORD, at, set_up_ana};
use super::*;
use crate::usecases::accounts::*;

#[tokio::test]
async fn sessions_are_listed_and_ended_singly_or_all_others() {
    for (db, ctx) in ctxs().await {
        set_up_ana(&ctx).await;
        let own = sign_in(&ctx, "ana", PASSWORD, &at("203.0.113.7"), None).await.unwrap().token;
        // A new sign-in of the same browser replaces its session.
        let old = own;
        let own = sign_in(&ctx, "ana", PASSWORD, &at("203.0.113.7"), Some(&old)).await.unwrap().token;
        assert!(caller_of_session(&ctx, &old).await.unwrap().is_none(), "{db}");
        let other = sign_in(&ctx, "ana", PASSWORD, &at("203.0.113.8"), None).await.unwrap().token;
        ctx.clock.advance(60);
        let ana = caller_of_session(&ctx, &own).await.unwrap().unwrap();
        let list = list_sessions(&ctx, &ana, Some(&own)).await.unwrap();
        assert_eq!(list.len(), 3, "{db}: with the one of the set-up");
        assert!(
            list[0].current && list[0].device == "Firefox on Linux" && list[0].seen_at.is_some(),
            "{db}: {list:#?}"
        );
        let eve = person(&ctx, "eve").await;
        not_found(end_session(&ctx, &eve, list[1].session_id).await, "There is no such session. It may have ended.");
        let mut others = list.iter().filter(|it| !it.current).map(|it| it.session_id);
        end_session(&ctx, &ana, others.next_back().unwrap()).await.unwrap();
        assert_eq!(end_others(&ctx, &ana, Some(&own)).await.unwrap(), 1, "{db}");
        assert!(caller_of_session(&ctx, &other).await.unwrap().is_none(), "{db}");
        assert!(caller_of_session(&ctx, &own).await.unwrap().is_some(), "{db}");
        let bodies = store::testing::bodies(&mut ctx.read().await.unwrap(), ana.id()).await;
        let ended = bodies.iter().filter(|(kind, body)| kind == "sign_in" && body.contains("session_ended")).count();
        assert_eq!(ended, 2, "{db}: each is told of");
        assert!(bodies.iter().all(|(_, body)| ![&old, &own, &other].iter().any(|token| body.contains(*token))), "{db}");
    }
}
