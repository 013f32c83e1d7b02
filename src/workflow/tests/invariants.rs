//! Tests of invariants: they hold after any history, and each broken row is detected.

use std::collections::BTreeSet;

use serde_json::json;

use super::{World, worlds};
use crate::domain::approval::Verdict;
use crate::domain::user::Scope;
use crate::store::testing;
use crate::usecases::accounts::{agent_of_token, create_token};
use crate::usecases::testing::{add, person, titled};
use crate::workflow::{agent_call, worker};

/// Runs a history with rows of every kind and several users.
async fn lived(world: &mut World) {
    world.task("wash car").await;
    world.say("add milk").await;
    let asked = world.say("delete task 1").await;
    world.press(&asked, Verdict::Approve).await.unwrap();
    world.say("delete task 2, yes I'm sure").await;
    world.state.ctx.clock.advance(30 * 86_400);
    worker::settle(&world.state).await.unwrap();
    world.say("add eggs").await;
    let asked = world.say("delete task 3").await;
    world.press(&asked, Verdict::Reject).await.unwrap();
    world.say("delete task 3").await;
    let (_, token) =
        create_token(&world.state.ctx, "ada", "desk", &[Scope::TasksWrite, Scope::TasksDelete], 9).await.unwrap();
    let desk = agent_of_token(&world.state.ctx, &token, None).await.unwrap().unwrap();
    agent_call::call(&world.state, &desk, "add_task", json!({ "title": "butter" })).await.unwrap();
    agent_call::call(&world.state, &desk, "delete_task", json!({ "task_id": 4 })).await.unwrap();
    let ben = person(&world.state.ctx, "ben").await;
    add(&world.state.ctx, &ben, titled("his")).await;
}

/// A statement that breaks a row, and the invariant that it violates.
#[rustfmt::skip]
const SPOILT: &[(&str, &str)] = &[
    ("UPDATE messages SET user_id = (SELECT id FROM users WHERE name = 'ben')", "A message belongs to a turn"),
    ("DELETE FROM messages WHERE speaker = 'user'", "A turn set off by a message has exactly one"),
    ("UPDATE turns SET cause = 'approval' WHERE cause = 'message'", "A turn set off by a message has exactly one"),
    ("DELETE FROM decisions", "A turn that is done has exactly one decision"),
    ("UPDATE turns SET status = 'running'", "A turn that is done has exactly one decision"),
    ("DELETE FROM messages WHERE speaker = 'assistant'", "A turn that is done has exactly one reply"),
    ("UPDATE turns SET status = 'queued' WHERE ordinal = 1", "Turns of a conversation end in the order"),
    ("UPDATE invocations SET status = 'running'", "A call attempt has an end"),
    ("DELETE FROM steps", "A call attempt belongs to a recorded step"),
    ("UPDATE invocations SET risk = 'high'", "A high-risk effect comes after"),
    ("UPDATE approvals SET status = 'rejected' WHERE status = 'approved'", "A high-risk effect comes after"),
    ("UPDATE approvals SET decided_by = NULL", "A high-risk effect comes after"),
    ("UPDATE invocations SET record_seq = 0 WHERE risk = 'high'", "A high-risk effect comes after"),
    ("UPDATE invocations SET approval_id = (SELECT id FROM approvals WHERE decided_via = 'web' AND status = 'approved' LIMIT 1) WHERE status = 'ok'", "An approval is carried out at most once"),
    ("UPDATE approvals SET decided_seq = NULL", "A request for approval is settled"),
    ("UPDATE approvals SET decided_seq = 1", "A request for approval is settled"),
    ("DELETE FROM turns WHERE cause = 'approval'", "A verdict by button or expiry has exactly one turn"),
    ("UPDATE approvals SET decided_via = 'chat'", "A verdict by button or expiry has exactly one turn"),
    ("DELETE FROM invocations WHERE tool = 'add_task'", "A change by an agent belongs to a call"),
    ("UPDATE invocations SET status = 'error' WHERE tool = 'add_task'", "A change by an agent belongs to a call"),
    ("DELETE FROM changes WHERE actor = 'agent'", "A call that added or deleted has its change"),
    ("UPDATE tasks SET version = version + 1", "A task has a change for each"),
    ("DELETE FROM changes WHERE actor = 'user'", "A task has a change for each"),
    ("DELETE FROM changes WHERE operation = 'purge'", "A task is purged if and only if"),
    ("UPDATE tasks SET purged_at = NULL", "A task is purged if and only if"),
    ("UPDATE changes SET actor = 'user' WHERE operation = 'purge'", "A task is purged if and only if"),
    ("UPDATE changes SET actor = 'system' WHERE operation = 'delete'", "A task is purged if and only if"),
    ("DELETE FROM events WHERE seq = 2", "Events are numbered from 1"),
    ("UPDATE events SET seq = seq + 1000 WHERE seq = 1", "Events are numbered from 1"),
    ("DELETE FROM records WHERE seq = 2", "Records are numbered from 1"),
    ("UPDATE records SET seq = seq + 1000 WHERE seq = 1", "Records are numbered from 1"),
    ("UPDATE records SET hash = digest WHERE seq = 3", "A record follows from the one before"),
    ("DELETE FROM bodies WHERE seq = 2", "A record has its text, or an erasure"),
    ("INSERT INTO erasures (user_id, seq, record_seq) SELECT user_id, seq, seq FROM records WHERE seq = 2", "A record has its text, or an erasure"),
    ("UPDATE records SET kind = 'step' WHERE kind = 'message'", "Rows and records tell of each other"),
    ("DELETE FROM invocations", "Rows and records tell of each other"),
    ("DELETE FROM events WHERE kind = 'turn.finished'", "Every change, call and end of a turn was told"),
    ("UPDATE events SET kind = 'turn.finished' WHERE kind = 'task.changed'", "Every change, call and end of a turn was told"),
    ("UPDATE turns SET token_id = NULL", "An outside agent's call is one call"),
    ("UPDATE changes SET actor = 'agent' WHERE actor = 'external'", "An outside agent's call is one call"),
    ("DELETE FROM invocations", "An outside agent's call is one call"),
    ("DELETE FROM outside_changes", "A change counts for an outside agent"),
    ("UPDATE turns SET user_id = (SELECT id FROM users WHERE name = 'ben')", "What belongs together"),
    ("UPDATE changes SET user_id = (SELECT id FROM users WHERE name = 'ben')", "What belongs together"),
    ("INSERT INTO reminders SELECT user_id, number, updated_at FROM tasks WHERE deleted_at IS NOT NULL", "A notice waits only for"),
    ("INSERT INTO outbox (id, user_id, channel, address, card, turn_id, created_at) SELECT t.id, u.id, 'telegram', 1, '{}', t.id, t.accepted_at FROM turns t, users u WHERE u.name = 'ben' AND t.ordinal = 1", "A card of a turn is"),
    ("UPDATE search_blocks SET search = 'other words'", "What a search looks through first"),
    ("UPDATE heads SET task_number = 0", "The counts of a person's tasks and turns"),
    ("UPDATE heads SET turn_ordinal = 0", "The counts of a person's tasks and turns"),
];

#[tokio::test]
async fn every_spoilt_row_breaks_its_invariant() {
    for mut world in worlds().await {
        lived(&mut world).await;
        let store = &world.state.ctx.store;
        assert_eq!(testing::broken(&mut store.read().await.unwrap()).await, Vec::<&str>::new());
        for (sql, invariant) in SPOILT {
            let broken = testing::broken(&mut testing::spoil(store, sql).await).await;
            assert!(broken.iter().any(|sentence| sentence.starts_with(invariant)), "{sql} breaks only {broken:#?}");
        }
        let tried: BTreeSet<_> = testing::invariants()
            .map(|(sentence, _)| sentence)
            .filter(|sentence| SPOILT.iter().any(|(_, invariant)| sentence.starts_with(invariant)))
            .collect();
        assert_eq!(tried, testing::invariants().map(|(sentence, _)| sentence).collect(), "each invariant is tried");
        // SQLite compares each row of one side with all of the other.
        assert!(testing::invariants().all(|(_, query)| !query.contains("FULL JOIN")));
    }
}
