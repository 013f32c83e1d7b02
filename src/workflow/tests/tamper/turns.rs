//! Tests of turn rows, which must match their messages and decisions: otherwise a turn could vanish from lists and replays.

use serde_json::json;

use super::*;
use crate::domain::conversation::Speaker;
use crate::domain::decision::{Decision, DecisionKind, Engine, Outcome};
use crate::domain::id::ConversationId;
use crate::domain::live::EventKind;
use crate::domain::turn::Cause;
use crate::domain::user::Scope;
use crate::store;
use crate::store::decisions::DecisionRow;
use crate::store::messages::NewMessage;
use crate::store::turns::NewTurn;
use crate::usecases::accounts::{agent_of_token, create_token};
use crate::usecases::erasure;
use crate::workflow::agent_call;

/// Creates turns of a message, a verdict and an agent's call.
async fn lived(world: &mut World) {
    world.say("add milk").await;
    let asked = world.say("delete task 1").await;
    world.press(&asked, Verdict::Approve).await.unwrap();
    let (_, token) = create_token(&world.state.ctx, "ada", "desk", &[Scope::TasksWrite], 9).await.unwrap();
    let desk = agent_of_token(&world.state.ctx, &token, None).await.unwrap().unwrap();
    agent_call::call(&world.state, &desk, "add_task", json!({ "title": "by an agent" })).await.unwrap();
}

/// Returns the first record of ada's that a statement breaks, and the finding.
async fn found(world: &World, statement: &str) -> Option<(i64, String)> {
    let mut tx = testing::spoil(&world.state.ctx.store, "SELECT 1").await;
    assert_eq!(testing::run(&mut tx, statement).await, 1, "{statement}");
    let mut report = audit::verify_within(&world.state.ctx, &mut tx, &Outside::default(), None).await.unwrap();
    // Invariants of all turns belong to no record.
    report.broken.retain(|broken| broken.user != "system");
    assert!(report.broken.len() < 2 && report.broken.iter().all(|broken| broken.user == "ada"), "{:?}", report.broken);
    report.broken.into_iter().next().map(|broken| (broken.seq, format!("({}): {}", broken.kind, broken.problem)))
}

#[tokio::test]
async fn a_turn_that_is_gone_or_told_otherwise_is_found() {
    for mut world in worlds().await {
        lived(&mut world).await;
        let ctx = world.state.ctx.clone();
        for erased in [false, true] {
            if erased {
                ctx.clock.advance(60);
                erasure::by_operator(&ctx, &world.caller.user, None).await.unwrap();
            }
            for (cause, another) in [("message", "mcp"), ("approval", "mcp"), ("mcp", "message")] {
                let decided = format!("FROM decisions d JOIN turns t ON t.id = d.turn_id WHERE t.cause = '{cause}'");
                let mut tx = ctx.read().await.unwrap();
                let decision = testing::number(&mut tx, &format!("SELECT MIN(d.record_seq) {decided}")).await;
                let own = format!("(SELECT turn_id FROM decisions WHERE record_seq = {decision})");
                let said = format!("SELECT COALESCE(MIN(record_seq), {decision}) FROM messages WHERE turn_id = {own}");
                let message = testing::number(&mut tx, &said).await;
                drop(tx);
                let first = if message == decision { "decision" } else { "message" };
                let unlike = |kind: &str, column: &str| match erased {
                    true => format!("({kind}): its row in {kind}s changed after the text was erased."),
                    false => format!("({kind}): turns.{column} does not match the record."),
                };
                let missing = format!("({first}): its turn is missing or belongs to another user.");
                let set = |what: &str| format!("UPDATE turns SET {what} WHERE id = {own}");
                for (statement, seq, said) in [
                    (set(&format!("cause = '{another}'")), decision, unlike("decision", "cause")),
                    (set("approval_id = user_id"), decision, unlike("decision", "approval_id")),
                    (set("conversation_id = user_id"), message, unlike(first, "conversation_id")),
                    (set("starter_door = 'cli'"), message, unlike(first, "starter_door")),
                    (set("starter_token = user_id"), message, unlike(first, "starter_token")),
                    (set("starter_session = user_id"), message, unlike(first, "starter_session")),
                    (set("user_id = conversation_id"), message, missing.clone()),
                    (format!("DELETE FROM turns WHERE id = {own}"), message, missing),
                    (set("status = 'queued'"), decision, "(decision): its turn is open again.".to_owned()),
                ] {
                    assert_eq!(found(&world, &statement).await, Some((seq, said)), "{statement}, erased: {erased}");
                }
            }
        }
    }
}

#[tokio::test]
async fn older_decision_without_turn_facts_passes_verification() {
    for world in worlds().await {
        let (ctx, user, now) = (&world.state.ctx, world.caller.id(), world.state.ctx.now());
        let (conversation, cause) = (ConversationId::random(), Cause::Message);
        let mut tx = ctx.write().await.unwrap();
        store::conversations::create(&mut tx, user, conversation, "Hello", &now).await.unwrap();
        let new = NewTurn { conversation, cause, approval: None, client_key: None, lease_ms: None, starter: None };
        let turn = store::turns::insert(&mut tx, user, &new, &now).await.unwrap().id;
        for speaker in [Speaker::User, Speaker::Assistant] {
            let message = NewMessage { conversation, turn, speaker, text: "Hello", by: None };
            store::messages::insert(&mut tx, user, &message, &now).await.unwrap();
        }
        let row = DecisionRow {
            turn_id: turn,
            turn: None,
            decision: Decision { kind: DecisionKind::RespondOnly, outcome: Outcome::ResponseGiven },
            engine: Engine::Rules,
            engine_cause: None,
            model: None,
            intent: "hello".into(),
            reply: "Hello".into(),
            options: vec![],
            constitution: "00".into(),
            asked_approval: None,
            question: None,
            told_seq: None,
            memories: vec![],
            tokens_in: None,
            tokens_out: None,
            tokens_estimated: false,
            cost_micros: None,
            duration_ms: 1,
            basis: None,
            at: now.clone(),
        };
        store::decisions::insert(&mut tx, user, &row).await.unwrap();
        store::turns::refuse(&mut tx, user, turn, &now).await.unwrap();
        let heard = json!({ "turn_id": turn });
        store::events::append(&mut tx, user, EventKind::TurnFinished, &heard, &now).await.unwrap();
        ctx.commit(tx).await.unwrap();
        let bodies = testing::bodies(&mut ctx.read().await.unwrap(), user).await;
        let decision = &bodies.iter().find(|(kind, _)| kind == "decision").unwrap().1;
        assert!(!decision.contains("\"turn\""), "{decision}");
        for erased in [false, true] {
            if erased {
                ctx.clock.advance(60);
                erasure::by_operator(ctx, &world.caller.user, None).await.unwrap();
            }
            assert_eq!(audit::verify_all(ctx, None).await.unwrap().broken, []);
            // The cause is no longer stated, but the turn's existence is.
            assert_eq!(found(&world, "UPDATE turns SET cause = 'mcp'").await, None);
            let (_, said) = found(&world, "DELETE FROM turns").await.unwrap();
            assert!(said.ends_with("its turn is missing or belongs to another user."), "{said}");
        }
    }
}
