//! Tests of erasures by an earlier release: marks by version 1 of the column lists stay valid, and are still compared.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::*;
use crate::domain::conversation::Speaker;
use crate::domain::decision::{Decision, DecisionKind, Engine, Outcome};
use crate::domain::id::{ConversationId, TurnId};
use crate::domain::live::EventKind;
use crate::domain::turn::Cause;
use crate::store;
use crate::store::decisions::{About, DecisionRow};
use crate::store::erasures::{self, Mark};
use crate::store::messages::NewMessage;
use crate::store::records::Kind;
use crate::store::turns::NewTurn;
use crate::usecases::audit::{bundle, verify_bundle};
use crate::usecases::erasure;

/// Inserts a turn as the first release that recorded decisions' turns did, without a starter.
async fn turn_of_before(world: &World) -> TurnId {
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
        turn: Some(About {
            conversation_id: conversation,
            cause,
            approval_id: None,
            by: None,
            ordinal: None,
            accepted_at: None,
            finished_at: None,
        }),
        decision: Decision { kind: DecisionKind::RespondOnly, outcome: Outcome::ResponseGiven },
        engine: Engine::Rules,
        engine_cause: None,
        model: None,
        intent: "hello".into(),
        reply: "Hello".into(),
        question: None,
        told_seq: None,
        options: vec![],
        constitution: "00".into(),
        asked_approval: None,
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
    turn
}

/// Erases all messages and decisions as the release before versioned lists did.
async fn erase_as_before(world: &World) {
    let (ctx, user) = (&world.state.ctx, world.caller.id());
    let bodies = testing::bodies(&mut ctx.read().await.unwrap(), user).await;
    let mut marks = vec![];
    for (seq, (kind, body)) in (1..).zip(bodies) {
        let kind = Kind::parse(&kind).filter(|kind| matches!(kind, Kind::Message | Kind::Decision));
        let Some(table) = kind.and_then(audited_columns::Table::of) else { continue };
        let body: Value = serde_json::from_str(&body).unwrap();
        marks.push(Mark { seq, said: Some(table.said_by(1, &body)) });
    }
    let rows = marks.iter().fold(Sha256::new(), |rows, mark| {
        rows.chain_update(mark.seq.to_be_bytes()).chain_update([1]).chain_update(mark.said.unwrap())
    });
    let rows: String = rows.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let (first, last) = (marks[0].seq, marks[marks.len() - 1].seq);
    assert_eq!(usize::try_from(last - first).unwrap() + 1, marks.len(), "one range");
    let (mut tx, now) = (ctx.write().await.unwrap(), ctx.now());
    let body = json!({
        "event": "erased", "by": "owner", "until": now, "texts": marks.len(), "records": [[first, last]], "rows": rows,
        "events": 0, "through": 0, "events_through": 0, "at": now,
    });
    let record = records::append(&mut tx, user, Kind::Erasure, &now, &body).await.unwrap();
    erasures::take(&mut tx, user, &marks, record).await.unwrap();
    ctx.commit(tx).await.unwrap();
}

#[tokio::test]
async fn erasures_of_the_release_before_stay_valid_and_are_compared() {
    for mut world in worlds().await {
        let turn = turn_of_before(&world).await;
        erase_as_before(&world).await;
        let ctx = world.state.ctx.clone();
        // Another turn, erased by the current version.
        world.say("add milk").await;
        ctx.clock.advance(60);
        erasure::by_operator(&ctx, &world.caller.user, None).await.unwrap();
        let mut tx = ctx.read().await.unwrap();
        for (length, marks) in [(32, 3), (33, 3)] {
            let kinds = "r.kind IN ('message', 'decision')";
            let sql = format!(
                "SELECT COUNT(*) FROM erasures e JOIN records r ON r.user_id = e.user_id AND r.seq = e.seq
                 WHERE {kinds} AND length(e.said) = {length}"
            );
            assert_eq!(testing::number(&mut tx, &sql).await, marks, "{length} bytes");
        }
        drop(tx);
        assert_eq!(audit::verify_all(&ctx, None).await.unwrap().broken, []);
        let mut file = vec![];
        bundle::write_all(&ctx, None, &mut file).await.unwrap();
        assert_eq!(verify_bundle(&file[..], None).unwrap().report.broken, []);

        // Columns that the mark covers, and a later one, which no body contains.
        let id = if ctx.store.is_embedded() { format!("x'{}'", turn.0.simple()) } else { format!("'{turn}'") };
        for (statement, kind) in [
            (format!("UPDATE turns SET conversation_id = user_id WHERE id = {id}"), "message"),
            (format!("UPDATE turns SET cause = 'mcp' WHERE id = {id}"), "decision"),
            (format!("UPDATE turns SET starter_door = 'cli' WHERE id = {id}"), "message"),
            (format!("UPDATE decisions SET outcome = 'SUCCESS:TASK_COMPLETED' WHERE turn_id = {id}"), "decision"),
        ] {
            let mut tx = testing::spoil(&ctx.store, &statement).await;
            let report = audit::verify_within(&ctx, &mut tx, &Outside::default(), None).await.unwrap();
            let [broken] = &report.broken[..] else { panic!("{statement}: {:?}", report.broken) };
            assert_eq!(broken.kind, kind, "{statement}");
            assert!(broken.problem.ends_with("changed after the text was erased."), "{}", broken.problem);
        }
    }
}
