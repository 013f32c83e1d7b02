//! Tests of daily token quotas, checked before each call, with concurrent turns.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::Barrier;

use super::*;
use crate::config::EngineChoice;
use crate::domain::decision::Engine;
use crate::domain::tool::Call;
use crate::llm::fallback::Fallback;
use crate::llm::rules::Rules;
use crate::llm::{Act, Llm, LlmError, Reply, Request, Usage};
use crate::usecases::accounts::set_uses_model;
use crate::workflow::model_check;

/// Tokens per day, and per call.
const SHARE: u64 = 100;
const TOOK: i64 = 60;

/// An engine that repeats one call forever, for [`TOOK`] tokens each.
struct Greedy {
    tool: &'static str,
    asked: AtomicUsize,
    estimated: bool,
    /// Barrier for the first calls of turns.
    together: Barrier,
    turns: usize,
}

impl Greedy {
    fn new(tool: &'static str, turns: usize) -> Self {
        Self { tool, asked: AtomicUsize::new(0), estimated: false, together: Barrier::new(turns), turns }
    }
}

#[async_trait]
impl Llm for Greedy {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        Some("greedy")
    }

    async fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        let asked = self.asked.fetch_add(1, Ordering::SeqCst);
        if asked < self.turns {
            self.together.wait().await;
        }
        let arguments = match self.tool {
            "add_task" => json!({ "title": format!("milk {}", request.entries.len()) }),
            _ => json!({}),
        };
        let calls = vec![Call { tool: self.tool.into(), arguments, provider_id: None }];
        let act = Act::Calls { text: String::new(), calls };
        let usage = Usage { tokens_in: TOOK - 1, tokens_out: 1, estimated: self.estimated };
        Ok(Reply { usage: Some(usage), raw: Some(Value::Null), ..Reply::plain(act, "more") })
    }
}

/// Sets the engine and a daily quota.
fn with_share(world: &mut World, engine: Arc<dyn Llm>) {
    let mut config = (*world.state.config).clone();
    config.turn.daily_tokens = SHARE;
    world.state.config = Arc::new(config);
    world.state.engine = engine;
}

/// Returns the recorded tokens of a turn, true if they are estimated, and the cause of a fallback.
async fn told(world: &World, turn: &Turn) -> (Option<i64>, bool, Option<String>) {
    let mut tx = world.state.ctx.read().await.unwrap();
    let row = store::decisions::get(&mut tx, world.caller.id(), turn.turn_id).await.unwrap().unwrap();
    let tokens = row.tokens_in.zip(row.tokens_out).map(|(tokens_in, tokens_out)| tokens_in + tokens_out);
    (tokens, row.tokens_estimated, row.engine_cause)
}

#[tokio::test]
async fn turn_over_the_quota_stops_and_lists_completed_calls() {
    for mut world in worlds().await {
        let engine = Arc::new(Greedy::new("add_task", 1));
        with_share(&mut world, engine.clone());
        let turn = world.say("shop").await;
        ended(&turn, DecisionKind::InvokeTool, Outcome::LlmUnavailable);
        let reply = turn.reply.as_deref().unwrap();
        assert!(reply.starts_with("Created task: milk"), "{reply}");
        assert!(reply.ends_with("AI quota, so I stopped here. Everything listed above is done."), "{reply}");
        assert_eq!(engine.asked.load(Ordering::SeqCst), 2, "60 and 120 tokens");
        assert_eq!(told(&world, &turn).await, (Some(2 * TOOK), false, Some("DAILY_TOKENS".into())));
    }
}

#[tokio::test]
async fn where_nothing_has_changed_the_rules_go_on() {
    for mut world in worlds().await {
        let engine = Arc::new(Greedy { estimated: true, ..Greedy::new("list_tasks", 1) });
        with_share(&mut world, Arc::new(Fallback::new(engine.clone(), Arc::new(Rules))));
        let turn = world.say("add milk").await;
        ended(&turn, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert!(turn.reply.as_deref().unwrap().contains("used up today’s AI quota"), "{turn:#?}");
        assert!(world.has(TaskNumber(1)).await);
        assert_eq!(engine.asked.load(Ordering::SeqCst), 2);
        assert_eq!(told(&world, &turn).await, (Some(2 * TOOK), true, Some("DAILY_TOKENS".into())));
    }
}

#[tokio::test]
async fn concurrent_turns_exceed_the_quota_by_one_call_each() {
    const TURNS: usize = 8;
    for world in worlds().await {
        let mut world = world;
        let engine = Arc::new(Greedy::new("list_tasks", TURNS));
        with_share(&mut world, engine.clone());
        let mut turns = vec![];
        for _ in 0..TURNS {
            let incoming = IncomingMessage { text: "shop".into(), conversation: None, client_key: None };
            turns.push(inbox::accept(&world.state, &world.caller, incoming).await.unwrap().turn);
        }
        worker::settle(&world.state).await.unwrap();
        let mut spent = 0;
        for turn in turns {
            let turn = inbox::wait(&world.state, &world.caller, turn).await.unwrap();
            assert_eq!(turn.decision.unwrap().outcome, Outcome::LlmUnavailable);
            let (tokens, _, cause) = told(&world, &turn).await;
            assert_eq!(cause.as_deref(), Some("DAILY_TOKENS"));
            spent += tokens.unwrap();
        }
        let asked = engine.asked.load(Ordering::SeqCst);
        assert_eq!(spent, TOOK * i64::try_from(asked).unwrap(), "every call is in the record");
        assert!(asked >= TURNS, "all of them had begun: {asked}");
        // Each turn started before any usage, and may exceed the quota by one call.
        let most = i64::try_from(SHARE).unwrap() + TOOK * i64::try_from(TURNS).unwrap();
        assert!(spent <= most, "{spent} of at most {most}");
    }
}

/// Runs the model check; returns its result, and true if the model was asked.
async fn tried(world: &World, engine: &Greedy) -> (Result<String, Error>, bool) {
    let before = engine.asked.load(Ordering::SeqCst);
    let said = model_check::run(&world.state, &world.caller).await;
    (said, engine.asked.load(Ordering::SeqCst) > before)
}

#[tokio::test]
async fn model_test_respects_opt_out_quota_and_rate_limit() {
    for mut world in worlds().await {
        let engine = Arc::new(Greedy::new("list_tasks", 1));
        with_share(&mut world, engine.clone());
        assert!(matches!(tried(&world, &engine).await, (Ok(said), false) if said.contains("No model is configured")));
        let mut config = (*world.state.config).clone();
        config.engine = EngineChoice::Compatible;
        config.turn.daily_tokens = 9 * u64::try_from(TOOK).unwrap();
        world.state.config = Arc::new(config.clone());

        world.caller.user.uses_model = false;
        assert!(
            matches!(tried(&world, &engine).await, (Ok(said), false) if said.contains("You chose the built-in rules"))
        );
        world.caller.user.uses_model = true;
        for _ in 0..5 {
            assert!(matches!(tried(&world, &engine).await, (Ok(said), true) if said.starts_with("The model answered")));
        }
        let clock = world.state.ctx.clock.clone();
        let Err(Error::RateLimited { retry_after_s }) = tried(&world, &engine).await.0 else { panic!("too often") };
        assert!((1..=301).contains(&retry_after_s), "{retry_after_s}");
        // Another user has a separate limit.
        let bob = world.beside(person(&world.state.ctx, "bob").await);
        assert!(tried(&bob, &engine).await.1);
        clock.advance(retry_after_s);
        assert!(tried(&world, &engine).await.1, "after the wait that was told");
        assert!(!tried(&world, &engine).await.1, "and once");

        let (tokens_in, tokens_out) =
            crate::usecases::spending::ever(&world.state.ctx, &world.caller.user).await.unwrap();
        assert_eq!(tokens_in + tokens_out, 6 * TOOK, "each counts to the share");
        clock.advance(3_600);
        config.turn.daily_tokens = 1;
        world.state.config = Arc::new(config);
        assert!(matches!(tried(&world, &engine).await, (Ok(said), false) if said.contains("used up today’s AI quota")));
    }
}

#[tokio::test]
async fn model_opt_out_during_a_turn_stops_further_model_calls() {
    for mut world in worlds().await {
        // Its first call waits for the opt-out.
        let engine = Arc::new(Greedy { together: Barrier::new(2), ..Greedy::new("list_tasks", 1) });
        world.state.engine = engine.clone();
        let (ctx, caller) = (world.state.ctx.clone(), world.caller.clone());
        let choose = async {
            while engine.asked.load(Ordering::SeqCst) == 0 {
                tokio::task::yield_now().await;
            }
            set_uses_model(&ctx, &caller, false).await.unwrap();
            engine.together.wait().await;
        };
        let (turn, ()) = tokio::join!(world.say("what is on my list?"), choose);
        ended(&turn, DecisionKind::InvokeTool, Outcome::Cancelled);
        let reply = "You switched the AI off, so I stopped here. Nothing was changed.";
        assert_eq!(turn.reply.as_deref(), Some(reply));
        assert_eq!(engine.asked.load(Ordering::SeqCst), 1);
    }
}
