//! Tests of token kinds.

use super::*;
use crate::domain::user::{Scope, TokenKind};
use crate::usecases::accounts::*;

#[tokio::test]
async fn agent_token_is_valid_only_at_mcp_without_audit_scope() {
    for (db, ctx) in ctxs().await {
        let ana = testing::admin(&ctx, "ana").await;
        let make = async |scopes: &[Scope]| create_token_for(&ctx, TokenKind::Agent, "ana", "robot", scopes, 0).await;
        for scope in [Scope::Audit, Scope::Admin] {
            assert!(matches!(make(&[Scope::TasksRead, scope]).await, Err(Error::Invalid(_))), "{db}: {scope:?}");
        }
        let (id, secret) = make(&[Scope::Chat, Scope::TasksWrite]).await.unwrap();
        let refused = caller_of_token(&ctx, &secret).await.unwrap_err();
        assert!(matches!(&refused, Error::Forbidden(why) if why.contains("valid at /mcp only")), "{db}: {refused:?}");
        let agent = agent_of_token(&ctx, &secret, None).await.unwrap().unwrap();
        assert_eq!(agent.caller.agent.as_ref().map(|agent| agent.token_id), Some(id), "{db}");
        assert_eq!(agent.caller.program, None, "{db}");
        let kinds: Vec<_> = list_tokens(&ctx, "ana").await.unwrap().into_iter().map(|token| token.kind).collect();
        assert_eq!(kinds, [TokenKind::Agent], "{db}");
        // Verification finds a row that was turned into a personal token.
        let mut tx = ctx.write().await.unwrap();
        store::agents::set_terms(&mut tx, ana.id(), id, TokenKind::Personal, 0).await.unwrap();
        tx.commit().await.unwrap();
        let report = crate::usecases::audit::verify(&ctx, &ana, None).await.unwrap();
        let found: Vec<_> = report.broken.iter().map(|broken| broken.problem.as_str()).collect();
        assert_eq!(found, ["tokens.kind does not match the record."], "{db}");
    }
}
