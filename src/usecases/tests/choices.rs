//! Tests of verification: user choices changed without a record.

use super::*;
use crate::domain::channel::ChatId;
use crate::domain::policy::{Asker, Entry, Rule};
use crate::store::testing;
use crate::usecases::policy::{self, Whose};
use crate::usecases::testing::admin;
use crate::usecases::{audit, memories, telegram};

/// A statement, the user in whose chain it is found, and the start of the finding.
#[rustfmt::skip]
const CHANGED: &[(&str, &str, &str)] = &[
    ("UPDATE policies SET rule = 'ask' WHERE rule = 'deny'", "ana", "policies (mcp.delete_task) does not match the record."),
    ("DELETE FROM policies WHERE rule = 'deny'", "ana", "policies (mcp.delete_task) does not match the record."),
    ("INSERT INTO policies (user_id, asker, tool, rule, changed_at)
      SELECT user_id, 'rules', tool, rule, changed_at FROM policies WHERE rule = 'deny'",
     "ana", "no record mentions policies (rules.delete_task)."),
    ("INSERT INTO policies (user_id, asker, tool, rule, changed_at)
      SELECT user_id, asker, 'add_task', rule, changed_at FROM policies WHERE rule = 'deny'",
     "ana", "policies (mcp.add_task) does not match the record."),
    ("UPDATE policies SET rule = 'deny' WHERE tool = 'update_task'", "eve", "policies (mcp.update_task) for everyone does not match the record."),
    ("DELETE FROM policies WHERE tool = 'update_task'", "eve", "policies (mcp.update_task) for everyone does not match the record."),
    ("INSERT INTO policies (user_id, asker, tool, rule, changed_at)
      SELECT user_id, 'rules', tool, rule, changed_at FROM policies WHERE tool = 'update_task'",
     "system", "no record mentions policies (rules.update_task) for everyone."),
    ("DELETE FROM memory_off", "ana", "memory_off does not match the record."),
    ("INSERT INTO memory_off (user_id, at) SELECT id, created_at FROM users WHERE name = 'eve'", "eve", "no record mentions memory_off."),
    ("UPDATE telegram_links SET chat_id = 8", "ana", "telegram_links does not match the record."),
    ("UPDATE telegram_links SET user_id = (SELECT id FROM users WHERE name = 'ben')", "ben", "no record mentions telegram_links."),
    ("DELETE FROM telegram_links", "ana", "telegram_links does not match the record."),
];

#[tokio::test]
async fn verification_detects_settings_that_differ_from_the_record() {
    for (db, ctx) in ctxs().await {
        let (ana, eve) = (person(&ctx, "ana").await, admin(&ctx, "eve").await);
        person(&ctx, "ben").await;
        let field = |tool, rule| Entry { asker: Asker::Mcp, tool, rule };
        let own = [field(ToolName::DeleteTask, Rule::Deny), field(ToolName::AddTask, Rule::Ask)];
        policy::set(&ctx, Whose::Own(&ana), &own).await.unwrap();
        policy::set(&ctx, Whose::Own(&ana), &[field(ToolName::AddTask, Rule::Run)]).await.unwrap();
        let root = eve.admin().unwrap();
        for rule in [Rule::Deny, Rule::Ask] {
            policy::set(&ctx, Whose::Everyones(&root), &[field(ToolName::UpdateTask, rule)]).await.unwrap();
            // A clock that is set back does not change which rule is the last.
            ctx.clock.advance(-30);
        }
        for on in [false, true, false] {
            memories::switch(&ctx, &ana, on).await.unwrap();
        }
        let code = telegram::code(&ctx, &ana).await.unwrap().code;
        let linked = done!(ctx, |tx| telegram::link(&ctx, tx, &code, ChatId(7), "Ana")).unwrap();
        assert!(linked.is_some(), "{db}");
        let sound =
            audit::verify_within(&ctx, &mut ctx.read().await.unwrap(), &Default::default(), None).await.unwrap();
        assert_eq!(sound.broken, [], "{db}");
        for (sql, user, problem) in CHANGED {
            let mut tx = testing::spoil(&ctx.store, sql).await;
            let broken = audit::verify_within(&ctx, &mut tx, &Default::default(), None).await.unwrap().broken;
            let named = |it: &crate::domain::audit::Broken| it.user == *user && it.problem.starts_with(problem);
            assert!(broken.iter().any(named), "{db}, {sql}: {broken:?}");
        }
        done!(ctx, |tx| telegram::unlink(&ctx, tx, &ana)).unwrap();
        let sound =
            audit::verify_within(&ctx, &mut ctx.read().await.unwrap(), &Default::default(), None).await.unwrap();
        assert_eq!(sound.broken, [], "{db}");
    }
}
