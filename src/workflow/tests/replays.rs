//! Every turn of every test, decided again from its record: the identical decision, or the test that it comes from fails (R-702).

use super::*;
use crate::domain::replay::Decider;
use crate::workflow::replay;

/// Fails if a turn that is done comes to another decision; from a `Drop`, where nothing can be awaited.
pub fn assert_same(state: &AppState, url: &str) {
    let different = std::thread::scope(|scope| {
        let replay = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let mut fresh = state.restarted();
                // Connections belong to the runtime that made them.
                if !fresh.ctx.store.is_embedded() {
                    fresh.ctx.store = store::testing::connect(url).await;
                }
                different(&fresh).await
            })
        });
        replay.join().unwrap()
    });
    assert!(different.is_empty(), "decided otherwise: {different:#?}");
}

async fn different(state: &AppState) -> Vec<String> {
    let mut different = vec![];
    for turn in replay::all(state).await.unwrap() {
        match replay::of_any(state, turn, Decider::Recorded).await {
            Ok(replay) if replay.same => {}
            Ok(replay) => different.push(format!("{turn}: {:?}", replay.differences)),
            Err(error) => different.push(format!("{turn}: {error}")),
        }
    }
    different
}

#[tokio::test]
async fn the_rules_come_to_their_own_decision_again_and_say_where_a_models_differs() {
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
