//! Replay and verification of every turn of every test: a test fails if a replay differs or verification finds something (R-702, R-704).

use super::*;
use crate::domain::replay::Decider;
use crate::domain::user::Scope;
use crate::usecases::accounts::{agent_of_token, create_token};
use crate::usecases::audit;
use crate::workflow::{agent_call, replay};

/// Panics if the replay of a finished turn differs, or if verification fails. Called from `Drop`, which cannot await.
pub fn assert_same(state: &AppState, url: &str) {
    let wrong = std::thread::scope(|scope| {
        let replay = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let mut fresh = state.restarted();
                // Connections belong to the runtime that created them.
                if !fresh.ctx.store.is_embedded() {
                    fresh.ctx.store = store::testing::connect(url).await;
                }
                let verified = audit::verify_all(&fresh.ctx, None).await.unwrap();
                (different(&fresh).await, verified.broken)
            })
        });
        replay.join().unwrap()
    });
    let (different, broken) = wrong;
    assert!(different.is_empty(), "decided otherwise: {different:#?}");
    assert!(broken.is_empty(), "a false alarm: {broken:#?}");
}

pub async fn different(state: &AppState) -> Vec<String> {
    let mut different = vec![];
    for turn in replay::all(state).await.unwrap() {
        match replay::unless_erased(state, turn, Decider::Recorded).await {
            Ok(Ok(replay)) if replay.same => {}
            Ok(Err(_)) => {}
            Ok(Ok(replay)) => different.push(format!("{turn}: {:?}", replay.differences)),
            Err(error) => different.push(format!("{turn}: {error}")),
        }
    }
    different
}

#[tokio::test]
async fn rules_replay_matches_own_turns_and_reports_differences_from_models() {
    for mut world in worlds().await {
        let first = world.say("add buy milk").await;
        let replay = replay::of(&world.state, &world.caller, first.turn_id, Decider::Rules).await.unwrap();
        assert_eq!(replay.differences, Vec::<String>::new());
        world.state.engine = crate::state::scripted(vec![vec![("add_task", json!({ "title": "buy milk and eggs" }))]]);
        let second = world.say("add buy eggs").await;
        let replay = replay::of(&world.state, &world.caller, second.turn_id, Decider::Rules).await.unwrap();
        assert!(!replay.same);
        let calls = &replay.made.as_ref().unwrap().calls;
        assert_eq!(calls, &[r#"add_task {"title":"buy eggs"}"#]);
        assert_eq!(replay.made.unwrap().decision, None, "nobody knows what another call would have come to");
        assert!(replay.differences.iter().any(|line| line.contains("buy milk and eggs")), "{:?}", replay.differences);
        assert!(!world.has(TaskNumber(3)).await, "nothing ran");
    }
}

/// Returns the recorded verdicts of the user's approvals, oldest first, with their numbers.
async fn verdicts(world: &World) -> Vec<(i64, serde_json::Value)> {
    let bodies = store::testing::bodies(&mut world.state.ctx.read().await.unwrap(), world.caller.id()).await;
    let verdicts = (1..).zip(bodies).filter(|(_, (kind, _))| kind == "approval_verdict");
    verdicts.map(|(seq, (_, body))| (seq, serde_json::from_str(&body).unwrap())).collect()
}

#[tokio::test]
async fn superseding_verdict_names_the_one_it_replaces() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let asked = world.say("delete task 1").await;
        let ctx = world.state.ctx.clone();
        let mut tx = ctx.write().await.unwrap();
        tasks::complete(&ctx, &mut tx, By::person(&world.caller), one, None).await.unwrap();
        ctx.commit(tx).await.unwrap();
        ended(&world.press(&asked, Verdict::Approve).await.unwrap(), DecisionKind::InvokeTool, Outcome::ApprovalVoid);
        let told = verdicts(&world).await;
        let [(yes, approved), (no, void)] = &told[..] else { panic!("{told:?}") };
        assert_eq!((&approved["status"], approved.get("replaces")), (&json!("approved"), None));
        assert_eq!((&void["status"], &void["replaces"]), (&json!("void"), &json!(yes)));
        let verified = audit::verify_all(&ctx, None).await.unwrap();
        assert_eq!(verified.broken, []);

        // The row as the yes had left it, before it was superseded.
        let back = format!(
            "UPDATE approvals SET status = 'approved', decided_seq = {yes}, decided_via = 'web', decided_by = user_id
             WHERE status = 'void'"
        );
        for (sql, seq, problem) in [
            (back.as_str(), no, "which this one replaced"),
            ("UPDATE approvals SET status = 'approved' WHERE status = 'void'", no, "approvals.status"),
            ("DELETE FROM approvals WHERE status = 'void'", &0, "its row in approvals is missing"),
        ] {
            let mut tx = store::testing::spoil(&ctx.store, sql).await;
            let broken = audit::verify_within(&ctx, &mut tx, &Default::default(), None).await.unwrap().broken;
            assert_eq!(broken.len(), 1, "{sql}: {broken:?}");
            assert!(broken[0].problem.contains(problem), "{sql}: {broken:?}");
            // Without its row, the approval is missed before its verdict.
            assert!(*seq == 0 || broken[0].seq == *seq, "{sql}: {broken:?}");
        }
    }
}

#[tokio::test]
async fn agent_request_replays_without_differences() {
    for mut world in worlds().await {
        let ctx = world.state.ctx.clone();
        for title in ["wash car", "book flights", "call mum"] {
            world.task(title).await;
        }
        let (_, token) = create_token(&ctx, "ada", "desk", &[Scope::TasksDelete], 9).await.unwrap();
        let desk = agent_of_token(&ctx, &token, None).await.unwrap().unwrap();
        for (number, verdict) in [(1, Verdict::Approve), (2, Verdict::Reject)] {
            let answer =
                agent_call::call(&world.state, &desk, "delete_task", json!({ "task_id": number })).await.unwrap();
            let id = answer.waits.unwrap().approval_id;
            let accepted =
                inbox::decide(&world.state, &world.caller, id, verdict, DecidedVia::Web, None).await.unwrap();
            worker::settle(&world.state).await.unwrap();
            for decider in [Decider::Recorded, Decider::Rules] {
                let replay = replay::of(&world.state, &world.caller, accepted.turn, decider).await.unwrap();
                assert_eq!(replay.differences, Vec::<String>::new(), "{verdict:?}, {decider:?}");
            }
        }
        assert!(!world.has(TaskNumber(1)).await && world.has(TaskNumber(2)).await);
        // A yes in a message carries it out in the message's turn.
        let answer = agent_call::call(&world.state, &desk, "delete_task", json!({ "task_id": 3 })).await.unwrap();
        world.conversation = Some(answer.waits.unwrap().conversation_id);
        let yes = world.say("yes").await;
        assert!(!world.has(TaskNumber(3)).await, "{yes:#?}");
        let replay = replay::of(&world.state, &world.caller, yes.turn_id, Decider::Rules).await.unwrap();
        assert_eq!(replay.differences, Vec::<String>::new());
    }
}
