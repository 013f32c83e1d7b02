//! Tests of messages that ask to remember a fact.

use super::*;
use crate::usecases::memories;

#[tokio::test]
async fn fact_becomes_a_memory_and_no_task() {
    for mut world in worlds().await {
        let turn = world.say("can you remember that I don't eat meat").await;
        ended(&turn, DecisionKind::RespondOnly, Outcome::ResponseGiven);
        let reply = turn.reply.as_deref().unwrap();
        assert!(reply.contains("“I don't eat meat”") && reply.contains("/settings/memory"), "{reply}");
        assert!(turn.tool_calls.is_empty() && !world.has(TaskNumber(1)).await);
        let (kept, _) = memories::list(&world.state.ctx, &world.caller, None).await.unwrap();
        assert_eq!(kept.iter().map(|memory| memory.text.as_str()).collect::<Vec<_>>(), ["I don't eat meat"]);
        let sources = memories::with_sources(&world.state.ctx, &world.caller, kept).await.unwrap();
        assert!(sources[0].1[0].text.as_deref().unwrap().contains("remember that"), "{sources:?}");
        let bodies = store::testing::bodies(&mut world.state.ctx.read().await.unwrap(), world.caller.id()).await;
        let is_noted = |body: &str| body.contains("memory_noted") && !body.contains("meat");
        assert!(bodies.iter().any(|(kind, body)| kind == "account" && is_noted(body)));
        // A repeated fact is stored once.
        let again = world.say("remember that I don't eat meat").await;
        assert!(again.reply.as_deref().unwrap().starts_with("I already remember that"), "{again:#?}");
        assert_eq!(memories::list(&world.state.ctx, &world.caller, None).await.unwrap().0.len(), 1);
        // A reminder to do something is a task.
        world.say("remember to buy milk").await;
        assert!(world.has(TaskNumber(1)).await);
    }
}

#[tokio::test]
async fn nothing_is_noted_where_memory_is_off() {
    for mut world in worlds().await {
        memories::switch(&world.state.ctx, &world.caller, false).await.unwrap();
        let turn = world.say("remember that I don't eat meat").await;
        let reply = turn.reply.as_deref().unwrap();
        assert!(reply.starts_with("Memory is off") && reply.contains("/settings/memory"), "{reply}");
        assert!(memories::list(&world.state.ctx, &world.caller, None).await.unwrap().0.is_empty());
        assert!(!world.has(TaskNumber(1)).await);
    }
}
