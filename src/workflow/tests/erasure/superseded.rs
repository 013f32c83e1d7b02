//! Tests of approvals that became void after they were approved, with two verdicts and one row: erased together and separately, and
//! tampered with.

use super::*;
use crate::fault::crash::{Act as Death, Crashes, Point, Side};
use crate::fault::{Commit, Faults};
use crate::usecases::audit::Outside;

/// Requests the deletion of task 1 and approves it after the task was renamed: the approval becomes void and is requested again.
pub(super) async fn voided(world: &mut World) -> Turn {
    world.task("wash car").await;
    let asked = world.say("delete task 1").await;
    rename(world, 1, "wash both cars").await;
    world.state.ctx.clock.advance(60);
    let void = world.press(&asked, Verdict::Approve).await.unwrap();
    ended(&void, DecisionKind::InvokeTool, Outcome::ApprovalVoid);
    // Answers the new one too, so that everything can be erased.
    world.press(&void, Verdict::Reject).await.unwrap();
    world.state.ctx.clock.advance(60);
    asked
}

/// Returns the findings of a verification within a transaction that is not committed.
pub(super) async fn found(world: &World, mut tx: crate::store::Tx) -> Vec<String> {
    let ctx = &world.state.ctx;
    let report = audit::verify_within(ctx, &mut tx, &Outside::default(), None).await.unwrap();
    report.broken.iter().map(ToString::to_string).collect()
}

/// Returns the record numbers of the void approval's verdicts.
pub(super) async fn verdicts(world: &World) -> [i64; 2] {
    let (user, mut tx) = (world.caller.id(), world.state.ctx.read().await.unwrap());
    let (_, by) = store::approvals::voided(&mut tx, user).await.unwrap()[0];
    let links = store::chains::links(&mut tx, user, 0, 10_000).await.unwrap();
    let earlier = links.iter().filter(|link| link.kind == "approval_verdict" && link.seq < by);
    [earlier.map(|link| link.seq).next_back().unwrap(), by]
}

pub(super) const ADA: &str = "user_id = (SELECT id FROM users WHERE name = 'ada')";

/// Statements that change the rows of the erased verdicts; `seq` and `by` are those of the void approval.
pub(super) fn spoilt([seq, by]: [i64; 2]) -> Vec<String> {
    let void = format!("{ADA} AND status = 'void'");
    let rejected = format!("(SELECT decided_seq FROM approvals WHERE {ADA} AND status = 'rejected')");
    let nobody = "decided_at = NULL, decided_by = NULL, decided_via = NULL";
    vec![
        format!("UPDATE approvals SET status = 'pending', decided_seq = NULL, {nobody} WHERE {void}"),
        format!("UPDATE approvals SET decided_seq = NULL WHERE {void}"),
        format!("UPDATE approvals SET decided_seq = {seq} WHERE {void}"),
        format!(
            "UPDATE approvals SET decided_seq = {seq}, status = 'approved', decided_by = user_id, decided_via = 'web' WHERE {void}"
        ),
        format!("UPDATE approvals SET decided_seq = {rejected} WHERE {void}"),
        format!("UPDATE approvals SET status = 'approved' WHERE {void}"),
        format!("UPDATE approvals SET decided_at = created_at WHERE {void}"),
        format!("UPDATE approvals SET decided_by = user_id WHERE {void}"),
        format!("DELETE FROM approvals WHERE {void}"),
        format!(
            "UPDATE approvals SET status = 'pending', decided_seq = NULL, {nobody} WHERE {ADA} AND status = 'rejected'"
        ),
        format!("DELETE FROM approvals WHERE {ADA} AND status = 'rejected'"),
        format!(
            "UPDATE erasures SET said = (SELECT said FROM erasures WHERE {ADA} AND seq = {by}) WHERE {ADA} AND seq = {seq}"
        ),
        format!("UPDATE erasures SET said = NULL WHERE {ADA} AND seq = {seq}"),
        format!("UPDATE records SET kind = 'step' WHERE {ADA} AND seq = {seq}"),
    ]
}

#[tokio::test]
async fn erased_void_approval_verifies_and_tampering_is_found() {
    for mut world in worlds().await {
        voided(&mut world).await;
        let verdicts = verdicts(&world).await;
        erase(&world).await;
        assert_eq!(verified(&world).await.0, Vec::<String>::new());
        for statement in spoilt(verdicts) {
            let tx = testing::spoil(&world.state.ctx.store, &statement).await;
            let found = found(&world, tx).await;
            assert!(found.len() == 1 && found[0].starts_with("ada, record "), "{statement}: {found:?}");
        }
    }
}

#[tokio::test]
async fn verdicts_erased_one_by_one_verify_in_any_order() {
    // The clock decides which of the two is erased first.
    for (step, first) in [(60, 0), (-60, 1)] {
        for mut world in worlds().await {
            let ctx = world.state.ctx.clone();
            world.task("wash car").await;
            let asked = world.say("delete task 1").await;
            rename(&world, 1, "wash both cars").await;
            let places: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
            let id = asked.approval.as_ref().unwrap().approval_id;
            inbox::decide(&world.state, &world.caller, id, Verdict::Approve, DecidedVia::Web, None).await.unwrap();
            let approved = ctx.now();
            drop(places);
            ctx.clock.advance(step);
            worker::settle(&world.state).await.unwrap();
            let voided = ctx.now();
            world.say("no").await;
            ctx.clock.advance(3_600);
            let earlier = approved.min(voided).plus_ms(1);
            let numbers = verdicts(&world).await;
            erasure::by_operator(&ctx, &world.caller.user, Some(&earlier)).await.unwrap();
            let links =
                store::chains::links(&mut ctx.read().await.unwrap(), world.caller.id(), 0, 1_000).await.unwrap();
            let erased = |seq: i64| links.iter().any(|link| link.seq == seq && link.erased_by.is_some());
            assert_eq!(numbers.map(erased), [first == 0, first == 1], "{step}");
            assert_eq!(verified(&world).await.0, Vec::<String>::new(), "{step}");
            erase(&world).await;
            assert_eq!(verified(&world).await.0, Vec::<String>::new(), "{step}");
            ctx.clock.advance(60);
            erase(&world).await;
            assert_eq!(verified(&world).await.0, Vec::<String>::new(), "{step}");
        }
    }
}

#[tokio::test]
async fn verdict_is_carried_out_though_everything_is_erased_meanwhile() {
    // The message or button that approves, and the commit after which the process dies.
    for (words, commit) in [
        (Some("yes"), Commit::Yes),
        (Some("yes"), Commit::Approved),
        (Some("delete task 1, yes I'm sure"), Commit::Inline),
        (None, Commit::CarryOut),
    ] {
        for mut world in worlds().await {
            let car = world.task("wash car").await;
            let asked = world.say("delete task 1").await.approval.unwrap().approval_id;
            let dies = Arc::new(Crashes::at(Point { side: Side::After, commit }, 1, Death::Stop));
            world.state.ctx.faults = Faults::default().crashing(&dies);
            if let Some(text) = words {
                let incoming =
                    IncomingMessage { text: text.into(), conversation: world.conversation, client_key: None };
                inbox::accept(&world.state, &world.caller, incoming).await.unwrap();
            } else {
                let yes = (Verdict::Approve, DecidedVia::Web);
                inbox::decide(&world.state, &world.caller, asked, yes.0, yes.1, None).await.unwrap();
            }
            dies.down().await;
            world.state = world.replica().await;
            world.state.ctx.faults = Faults::default();
            world.state.ctx.clock.advance(60);
            erase(&world).await;
            assert_eq!(verified(&world).await.0, Vec::<String>::new(), "{commit:?}");
            world.expire_leases().await;
            worker::settle(&world.state).await.unwrap();
            assert!(!world.has(car).await, "{commit:?}: what was approved is done");
            world.state.ctx.clock.advance(86_400);
            worker::settle(&world.state).await.unwrap();
            erase(&world).await;
            assert_eq!(verified(&world).await.0, Vec::<String>::new(), "{commit:?}");
        }
    }
}
