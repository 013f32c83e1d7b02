//! Tests of leases, fence tokens, order of turns, attempts and shutdown (R-202, R-306, R-1004).

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{World, ended, worlds};
use crate::agent::toolbox::{self, Place, Toolbox};
use crate::domain::decision::{DecisionKind, Engine, Outcome};
use crate::domain::id::TurnId;
use crate::domain::policy::Asker;
use crate::domain::text::ClientKey;
use crate::domain::tool::Call;
use crate::domain::turn::TurnStatus;
use crate::fault::crash::{Crashes, Point, Side};
use crate::fault::{Commit, Faults};
use crate::llm::rules::Rules;
use crate::llm::{Act, Llm, LlmError, Reply, Request};
use crate::state::AppState;
use crate::store::turns::TurnRow;
use crate::store::{self, testing};
use crate::tools::arguments::Moment;
use crate::tools::server::{self, Held, TurnServer};
use crate::usecases::approvals;
use crate::workflow::inbox::{self, IncomingMessage};
use crate::workflow::{commit_turn, turn, worker};

/// Time-out of every wait.
const PATIENCE: Duration = Duration::from_secs(20);

impl World {
    /// Accepts a message without starting its turn.
    pub(super) async fn left(&mut self, text: &str) -> TurnId {
        let incoming = IncomingMessage { text: text.into(), conversation: self.conversation, client_key: None };
        let places: Vec<_> = std::iter::from_fn(|| self.state.try_turn_slot()).collect();
        let accepted = inbox::accept(&self.state, &self.caller, incoming).await.unwrap();
        drop(places);
        self.conversation = Some(accepted.conversation);
        accepted.turn
    }

    async fn claim(&self) -> Option<TurnRow> {
        let mut tx = self.state.ctx.write().await.unwrap();
        let turn = store::turns::claim(&mut tx, self.state.ctx.limits.lease_ms).await.unwrap();
        tx.commit().await.unwrap();
        turn
    }

    /// Claims the waiting turn twice, as if its first worker had been too slow; returns the first worker's claim.
    async fn lost(&self) -> TurnRow {
        let first = self.claim().await.unwrap();
        self.expire_leases().await;
        let second = self.claim().await.unwrap();
        assert_eq!((first.id, first.fence + 1), (second.id, second.fence));
        first
    }

    pub(super) async fn expire_leases(&self) {
        let mut tx = self.state.ctx.write().await.unwrap();
        store::turns::take_over(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
    }

    async fn record(&self) -> Vec<(String, String)> {
        testing::bodies(&mut self.state.ctx.read().await.unwrap(), self.caller.id()).await
    }

    pub(super) async fn row(&self, id: TurnId) -> TurnRow {
        let mut tx = self.state.ctx.read().await.unwrap();
        store::turns::get(&mut tx, self.caller.id(), id).await.unwrap().unwrap()
    }

    fn toolbox(&self, turn: &TurnRow) -> Toolbox {
        let held = Held { turn: turn.id, fence: turn.fence, conversation: turn.conversation };
        let moment = Moment { now: self.state.ctx.now(), zone: "Europe/London".into() };
        let tools = TurnServer::new(self.state.ctx.clone(), self.state.tools(), self.caller.clone(), held, moment);
        Toolbox::connect(server::open(tools, None))
    }
}

/// Polls until `found` returns a value.
async fn until<T>(what: &str, mut found: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = found().await {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// An engine that answers when its gate opens, or panics.
struct Gated {
    gate: Arc<Semaphore>,
    breaks: bool,
}

#[async_trait]
impl Llm for Gated {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, _request: &Request) -> Result<Reply, LlmError> {
        assert!(!self.breaks, "this engine breaks");
        self.gate.acquire().await.unwrap().forget();
        let act = Act::Say { text: "Hello.".into() };
        Ok(Reply::plain(act, ""))
    }
}

/// Earlier messages, and a last one whose worker loses its lease before it writes.
const LOST: [(&[&str], &str); 6] = [
    (&[], "add milk"),
    (&[], "hello"),
    (&["add milk", "delete task 1"], "yes"),
    (&["add milk", "delete task 1"], "no"),
    (&["add milk"], "delete task 1"),
    (&["add milk"], "delete task 1, yes I'm sure"),
];

#[tokio::test]
async fn a_worker_that_lost_its_turn_writes_nothing() {
    for (before, last) in LOST {
        for mut world in worlds().await {
            for text in before {
                world.say(text).await;
            }
            world.left(last).await;
            let lost = world.lost().await;
            let record = world.record().await;
            let error = turn::run(&world.state, &lost).await.unwrap_err();
            assert!(error.is_fenced(), "{last}: {error}");
            let tired = commit_turn::give_up(&world.state, &lost).await.unwrap_err();
            let shut = commit_turn::end_disabled(&world.state, &lost, Instant::now()).await.unwrap_err();
            assert!(tired.is_fenced() && shut.is_fenced(), "{last}");
            assert_eq!(world.record().await, record, "{last}");
        }
    }
}

#[tokio::test]
async fn tool_calls_of_a_fenced_worker_have_no_effect() {
    for mut world in worlds().await {
        world.task("milk").await;
        world.say("delete task 1").await;
        // A verdict whose turn is lost before its approved call runs.
        let all = approvals::list(&world.state.ctx, &world.caller, None).await.unwrap();
        let asked = all[0].approval_id;
        world.left("yes").await;
        let lost = world.lost().await;
        let record = world.record().await;
        let tools = world.toolbox(&lost);
        for (tool, arguments, approval) in [
            ("add_task", json!({ "title": "eggs" }), None),
            ("list_tasks", json!({}), None),
            ("launch_rocket", json!({}), None),
            ("add_task", json!({ "colour": "red" }), None),
            ("delete_task", json!({ "task_id": 1 }), None),
            ("delete_task", json!({ "task_id": 1 }), Some(asked)),
        ] {
            let call = Call { tool: tool.into(), arguments, provider_id: None };
            let refused =
                tools.call(&call, Place { step: 0, index: 0, asker: Asker::Rules, approval }).await.unwrap_err();
            assert!(matches!(refused, toolbox::Error::Fenced), "{tool}: {refused}");
        }
        tools.close().await;
        assert_eq!(world.record().await, record);
    }
}

#[tokio::test]
async fn long_turn_renews_its_lease_and_aborts_when_fenced() {
    for mut world in worlds().await {
        let crashes = Arc::new(Crashes::watch());
        world.state.ctx.faults = Faults::default().crashing(&crashes);
        world.state.ctx.limits.lease_ms = 300;
        let gate = Arc::new(Semaphore::new(0));
        world.state.engine = Arc::new(Gated { gate: gate.clone(), breaks: false });
        let incoming = IncomingMessage { text: "hi".into(), conversation: None, client_key: None };
        let id = inbox::accept(&world.state, &world.caller, incoming).await.unwrap().turn;
        let renewed = Point { side: Side::After, commit: Commit::Renew };
        // Four thirds of the lease: without renewal it would have expired.
        until("renewals", async || {
            assert!(world.claim().await.is_none(), "a lease that is kept cannot be claimed");
            (crashes.reached().iter().filter(|point| **point == renewed).count() >= 4).then_some(())
        })
        .await;
        world.expire_leases().await;
        let taken = world.claim().await.expect("the lease was taken away");
        world.state.wait_idle().await;
        assert_eq!((taken.id, taken.fence, world.row(id).await.status), (id, 2, TurnStatus::Running));
        gate.add_permits(1);
        turn::run(&world.state, &taken).await.unwrap();
        assert_eq!(world.row(id).await.status, TurnStatus::Done);
    }
}

#[tokio::test]
async fn turn_that_crashes_every_worker_is_given_up_after_retries() {
    for mut world in worlds().await {
        world.state.ctx.limits.lease_ms = 20;
        world.state.engine = Arc::new(Gated { gate: Arc::new(Semaphore::new(0)), breaks: true });
        let id = world.left("hi").await;
        let next = world.left("hello").await;
        until("the end of the turn", async || {
            worker::settle(&world.state).await.unwrap();
            (world.row(id).await.status == TurnStatus::Done).then_some(())
        })
        .await;
        let turn = inbox::wait(&world.state, &world.caller, id).await.unwrap();
        ended(&turn, DecisionKind::RespondOnly, Outcome::Cancelled);
        assert_eq!(world.row(id).await.fence, 6, "five attempts and one that ends it");
        assert!(turn.reply.unwrap().contains("Something went wrong"));
        // The conversation continues.
        world.state = world.state.restarted();
        until("the next turn", async || {
            worker::settle(&world.state).await.unwrap();
            (world.row(next).await.status == TurnStatus::Done).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn restart_takes_over_running_turns_on_sqlite_only() {
    for mut world in worlds().await {
        world.left("add milk").await;
        let claimed = world.claim().await.unwrap();
        let fresh = world.state.restarted();
        worker::take_over(&fresh).await.unwrap();
        let next = world.claim().await.map(|turn| turn.fence);
        // On PostgreSQL other processes may be running: only the lease decides.
        assert_eq!(next, fresh.ctx.store.is_embedded().then_some(claimed.fence + 1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn turns_of_a_conversation_run_once_in_order_across_workers() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_minute = 0;
        let mut turns = vec![];
        for fruit in ["apple", "berry", "cherry"] {
            world.conversation = None;
            for size in ["tiny", "small", "big", "huge"] {
                turns.push((fruit, size, world.left(&format!("add {size} {fruit}")).await));
            }
        }
        let other = world.state.restarted();
        until("every turn", async || {
            tokio::try_join!(worker::settle(&world.state), worker::settle(&other)).unwrap();
            let mut done = true;
            for (_, _, id) in &turns {
                done &= world.row(*id).await.status == TurnStatus::Done;
            }
            done.then_some(())
        })
        .await;
        let changes: Vec<_> = world.record().await.into_iter().filter(|(kind, _)| kind == "change").collect();
        let place = |title: String| changes.iter().position(|(_, body)| body.contains(&title)).unwrap();
        assert_eq!(changes.len(), turns.len());
        for pair in turns.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let [(fruit, before, _), (_, after, _)] = pair else { unreachable!() };
            assert!(place(format!("{before} {fruit}")) < place(format!("{after} {fruit}")), "{pair:?}");
        }
        for (_, _, id) in &turns {
            assert_eq!(world.row(*id).await.fence, 1);
        }
    }
}

#[tokio::test]
async fn a_process_that_drains_lets_turns_finish_and_begins_none() {
    for mut world in worlds().await {
        let gate = Arc::new(Semaphore::new(0));
        world.state.engine = Arc::new(Gated { gate: gate.clone(), breaks: false });
        let incoming = || IncomingMessage { text: "hi".into(), conversation: None, client_key: None };
        let running = inbox::accept(&world.state, &world.caller, incoming()).await.unwrap().turn;
        let draining = world.state.clone();
        let drained = tokio::spawn(async move { draining.drain().await });
        until("the drain", async || world.state.is_draining().then_some(())).await;
        // Accepted and left to another process; a waiting client is answered at once.
        let late = inbox::accept(&world.state, &world.caller, incoming()).await.unwrap().turn;
        let waiting = inbox::wait(&world.state, &world.caller, late).await.unwrap();
        assert_eq!(waiting.status, TurnStatus::Queued);
        gate.add_permits(1);
        drained.await.unwrap();
        assert_eq!(world.row(running).await.status, TurnStatus::Done);
        world.state = world.state.restarted();
        worker::settle(&world.state).await.unwrap();
        assert_eq!(world.row(late).await.status, TurnStatus::Done);
    }
}

#[tokio::test]
async fn concurrent_sends_under_one_idempotency_key_create_one_turn() {
    for world in worlds().await {
        let incoming = || IncomingMessage {
            text: "add milk".into(),
            conversation: None,
            client_key: Some(ClientKey::parse("k").unwrap()),
        };
        let other = world.state.restarted();
        let sends =
            (0..8).map(|at| inbox::accept(if at % 2 == 0 { &world.state } else { &other }, &world.caller, incoming()));
        let accepted = futures::future::join_all(sends).await;
        let first = accepted[0].as_ref().unwrap().turn;
        assert!(accepted.iter().all(|one| one.as_ref().unwrap().turn == first), "{accepted:?}");
    }
}

/// Number of turns that wait when two replicas start.
const WAITING: usize = 200;

/// The rules, which wait until another process asks its engine too.
struct Together {
    here: CancellationToken,
    there: CancellationToken,
}

#[async_trait]
impl Llm for Together {
    fn engine(&self) -> Engine {
        Engine::Rules
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        self.here.cancel();
        self.there.cancelled().await;
        Rules.complete(request).await
    }
}

/// Returns a replica that records its commits and has fewer slots than turns. No turn ends there before another process has started one.
async fn replica(world: &World, here: &CancellationToken, there: &CancellationToken) -> (AppState, Arc<Crashes>) {
    let (mut replica, crashes) = (world.replica().await, Arc::new(Crashes::watch()));
    replica.ctx.faults = Faults::default().crashing(&crashes);
    replica.engine = Arc::new(Together { here: here.clone(), there: there.clone() });
    (replica, crashes)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_replicas_one_runs_each_waiting_turn() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_minute = 0;
        Arc::make_mut(&mut world.state.config).workers = 8;
        let mut turns = vec![];
        for n in 0..WAITING {
            if n % 4 == 0 {
                world.conversation = None;
            }
            turns.push(world.left(&format!("add errand {n}")).await);
        }
        let stop = CancellationToken::new();
        let (one, two) = (CancellationToken::new(), CancellationToken::new());
        let replicas = [replica(&world, &one, &two).await, replica(&world, &two, &one).await];
        let running = replicas.clone().map(|(replica, _)| tokio::spawn(worker::run(replica, stop.clone())));
        for turn in turns {
            let row =
                until("the turn", async || Some(world.row(turn).await).filter(|row| row.status == TurnStatus::Done))
                    .await;
            assert_eq!(row.fence, 1, "nobody else has held it");
        }
        stop.cancel();
        futures::future::join_all(running).await;
        let claim = Point { side: Side::After, commit: Commit::Claim };
        let claims = replicas.map(|(_, crashes)| crashes.reached().into_iter().filter(|point| *point == claim).count());
        assert!(claims.iter().all(|claims| *claims > 0), "both ran some: {claims:?}");
        assert_eq!(claims.iter().sum::<usize>(), WAITING);
        let bodies = world.record().await;
        let count = |kind: &str| bodies.iter().filter(|(of, _)| of == kind).count();
        assert_eq!((count("invocation"), count("change"), count("decision")), (WAITING, WAITING, WAITING));
    }
}
