//! Crash tests: a process dies at each commit of each history, and the next one must reach the result of an undisturbed run.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::clock::Clock;
use crate::config::Config;
use crate::domain::approval::DecidedVia;
use crate::domain::decision::Outcome;
use crate::domain::id::{ConversationId, TaskNumber, TurnId};
use crate::domain::task::Operation;
use crate::domain::text::ClientKey;
use crate::domain::time::Timestamp;
use crate::domain::turn::Turn;
use crate::domain::user::{Caller, Scope};
use crate::fault::crash::{Act, Crashes, Point};
use crate::fault::{Commit, Faults};
use crate::state::AppState;
use crate::store::{self, Store, testing};
use crate::usecases::accounts::{Outsider, agent_of_token, create_token};
use crate::usecases::testing::{NOW, add, person, titled};
use crate::usecases::{By, Error, approvals, audit, conversations, erasure, tasks, undo};
use crate::workflow::inbox::{self, IncomingMessage};
use crate::workflow::{agent_call, worker};
use histories::{Deed, HISTORIES, History};

mod asking;
mod histories;
mod source;

/// A database with a process that only observes.
struct Place {
    url: String,
    clock: Clock,
    onlooker: Process,
    _folder: TempDir,
}

impl Place {
    fn new(url: &str, folder: TempDir, history: &History) -> Self {
        let clock = Clock::set(Timestamp::parse(NOW).unwrap());
        let onlooker = Process::start(url, &clock, history, Crashes::watch());
        Self { url: url.to_owned(), clock, onlooker, _folder: folder }
    }

    /// Creates a user with the history's initial list.
    fn person(&self, name: &str, history: &History) -> Person {
        let ctx = &self.onlooker.state.ctx;
        let new = async {
            let caller = person(ctx, name).await;
            for title in history.tasks {
                add(ctx, &caller, titled(title)).await;
            }
            let scopes = [Scope::TasksWrite, Scope::TasksDelete];
            let (_, token) = create_token(ctx, name, "desk", &scopes, 0).await.unwrap();
            (caller, agent_of_token(ctx, &token, None).await.unwrap().unwrap())
        };
        let (caller, agent) = self.onlooker.run(new).unwrap();
        Person { caller, agent, conversation: None, last: None, sent: vec![] }
    }

    /// Returns the process that takes over: on SQLite a new one, on PostgreSQL another replica.
    fn next(&self, history: &History) -> Living<'_> {
        if self.onlooker.state.ctx.store.is_embedded() {
            Living::Own(Box::new(Process::start(&self.url, &self.clock, history, Crashes::watch())))
        } else {
            Living::Replica(&self.onlooker)
        }
    }

    fn assert_invariants(&self, when: &str) {
        let broken = async { testing::broken(&mut self.onlooker.state.ctx.read().await.unwrap()).await };
        assert_eq!(self.onlooker.run(broken).unwrap(), Vec::<&str>::new(), "{when}");
        let verified = self.onlooker.run(audit::verify_all(&self.onlooker.state.ctx, None)).unwrap().unwrap();
        assert_eq!(verified.broken, [], "{when}: a false alarm");
    }
}

/// The process that runs a history: a separate one, or the observing replica.
enum Living<'a> {
    Own(Box<Process>),
    Replica(&'a Process),
}

impl Deref for Living<'_> {
    type Target = Process;

    fn deref(&self) -> &Process {
        match self {
            Self::Own(process) => process,
            Self::Replica(process) => process,
        }
    }
}

/// A process with its own runtime, which ends with it.
struct Process {
    state: AppState,
    crashes: Arc<Crashes>,
    runtime: Runtime,
}

impl Process {
    fn start(url: &str, clock: &Clock, history: &History, crashes: Crashes) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let crashes = Arc::new(crashes);
        let state = runtime.block_on(async {
            let store = testing::connect(url).await;
            let mut state = AppState::with(Config::from(|_| None).unwrap(), store, clock.clone());
            state.ctx.faults = Faults::default().crashing(&crashes);
            state.ctx.limits.messages_per_minute = history.messages_per_minute;
            state.ctx.limits.lease_ms = history.lease_ms;
            if let Some(engine) = history.engine {
                state.engine = engine(&crashes);
            }
            state
        });
        Self { state, crashes, runtime }
    }

    /// Runs a job, unless the process dies.
    fn run<T>(&self, job: impl Future<Output = T>) -> Option<T> {
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = self.crashes.down() => None,
                done = job => Some(done),
            }
        })
    }
}

/// A user whose client retries until it gets an answer.
struct Person {
    caller: Caller,
    agent: Outsider,
    conversation: Option<ConversationId>,
    last: Option<Turn>,
    /// Turns by the idempotency keys of their messages.
    sent: Vec<(ClientKey, TurnId)>,
}

impl Person {
    /// Performs the deed; without one, sends every message again, and each has to return its turn.
    async fn act_or_retry(&mut self, state: &AppState, deed: Option<(usize, &Deed)>) {
        if let Some((at, deed)) = deed {
            return self.act(state, at, *deed).await;
        }
        worker::settle(state).await.unwrap();
        for (key, turn) in self.sent.clone() {
            assert_eq!(self.send(state, "again", &key, false).await.turn_id, turn, "one key, one turn");
        }
    }

    async fn act(&mut self, state: &AppState, at: usize, deed: Deed) {
        let ctx = &state.ctx;
        match deed {
            Deed::Say(text) | Deed::Leave(text) => {
                let key = ClientKey::parse(&format!("{}-{at}", self.caller.user.name)).unwrap();
                let turn = self.send(state, text, &key, matches!(deed, Deed::Leave(_))).await;
                // A message over the rate limit may be sent again.
                if turn.decision.is_none_or(|decision| decision.outcome != Outcome::RateLimited) {
                    self.sent.push((key, turn.turn_id));
                }
                self.last = Some(turn);
            }
            Deed::Press(verdict) => {
                let id = self.last.as_ref().unwrap().approval.as_ref().unwrap().approval_id;
                match inbox::decide(state, &self.caller, id, verdict, DecidedVia::Web, None).await {
                    // The verdict was committed, and the response was lost.
                    Ok(_) | Err(Error::Conflict(_)) => worker::settle(state).await.unwrap(),
                    Err(error) => panic!("{error}"),
                }
            }
            Deed::Call(tool, number) => {
                let answer = agent_call::call(state, &self.agent, tool, json!({ "task_id": number })).await.unwrap();
                if let Some(waits) = answer.waits {
                    self.last = Some(conversations::turn(ctx, &self.caller, waits.turn_id).await.unwrap());
                }
            }
            Deed::Stop => drop(inbox::stop(state, &self.caller, self.last.as_ref().unwrap().turn_id).await.unwrap()),
            Deed::Extend => {
                let id = self.last.as_ref().unwrap().approval.as_ref().unwrap().approval_id;
                approvals::extend(ctx, &self.caller, id).await.unwrap();
            }
            Deed::Settle => worker::settle(state).await.unwrap(),
            Deed::Wait(seconds) => ctx.clock.advance(seconds),
            Deed::Add(title) => {
                let key = ClientKey::parse(&format!("{}-{at}", self.caller.user.name)).unwrap();
                let mut tx = ctx.write().await.unwrap();
                tasks::add_idempotent(ctx, &mut tx, By::person(&self.caller), &key, titled(title)).await.unwrap();
                ctx.commit_at(tx, Commit::Edit).await.unwrap();
            }
            Deed::Complete(number) => {
                let mut tx = ctx.write().await.unwrap();
                match tasks::complete(ctx, &mut tx, By::person(&self.caller), TaskNumber(number), None).await {
                    Ok(_) => ctx.commit_at(tx, Commit::Edit).await.unwrap(),
                    Err(Error::Conflict(_)) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            Deed::Erase => drop(erasure::by_operator(ctx, &self.caller.user, None).await.unwrap()),
            Deed::Undo => {
                let mut tx = ctx.write().await.unwrap();
                let turn = self.last.as_ref().unwrap().turn_id;
                match undo::turn(ctx, &mut tx, By::person(&self.caller), turn).await {
                    Ok(_) => ctx.commit_at(tx, Commit::Undo).await.unwrap(),
                    Err(Error::Conflict(_)) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }

    async fn send(&mut self, state: &AppState, text: &str, key: &ClientKey, leave: bool) -> Turn {
        let incoming =
            IncomingMessage { text: text.into(), conversation: self.conversation, client_key: Some(key.clone()) };
        let places: Vec<_> = std::iter::from_fn(|| leave.then(|| state.try_turn_slot()).flatten()).collect();
        let accepted = inbox::accept(state, &self.caller, incoming).await.unwrap();
        drop(places);
        self.conversation = Some(accepted.conversation);
        if leave {
            return conversations::turn(&state.ctx, &self.caller, accepted.turn).await.unwrap();
        }
        worker::settle(state).await.unwrap();
        inbox::wait(state, &self.caller, accepted.turn).await.unwrap()
    }

    /// Returns all visible state: tasks, messages and calls.
    async fn sees(&self, state: &AppState) -> String {
        let mut told = String::new();
        let mut tx = state.ctx.read().await.unwrap();
        for number in 1.. {
            let past = store::changes::since(&mut tx, self.caller.id(), TaskNumber(number), 0, 99).await.unwrap();
            let Some(last) = past.into_iter().next() else { break };
            let task = last.change.after;
            let place = match (last.change.operation, &task.deleted_at) {
                (Operation::Purge, _) => "gone",
                (_, Some(_)) => "in the bin",
                (_, None) => task.status.as_str(),
            };
            writeln!(told, "#{number} {} {place} {:?} v{}", task.title.as_str(), task.priority, task.version).unwrap();
        }
        drop(tx);
        if let Some(conversation) = self.conversation {
            let page = conversations::messages(&state.ctx, &self.caller, conversation, None, 50).await.unwrap();
            for message in page.items {
                let calls: Vec<_> = message.tool_calls.iter().map(|call| (&call.tool, call.status)).collect();
                let decision = message.decision.map(|decision| decision.outcome);
                writeln!(told, "{:?}: {} {decision:?} {calls:?}", message.speaker, message.text).unwrap();
            }
        }
        for approval in approvals::list(&state.ctx, &self.caller, None).await.unwrap() {
            writeln!(told, "{} {:?}", approval.question, (approval.status, approval.decided_via)).unwrap();
        }
        told
    }
}

/// Runs the history in a process that may die, and in its successor; returns the visible state at the end and the commit points reached.
fn live(place: &Place, name: &str, history: &History, crashes: Crashes) -> (String, Vec<Point>) {
    let mut someone = place.person(name, history);
    let mut process = Living::Own(Box::new(Process::start(&place.url, &place.clock, history, crashes)));
    let mut reached = None;
    let mut stillborn = process.run(worker::take_over(&process.state)).is_none();
    // After the last deed, every message is sent again.
    for deed in history.deeds.iter().enumerate().map(Some).chain([None]) {
        while stillborn || process.run(someone.act_or_retry(&process.state, deed)).is_none() {
            assert!(reached.is_none(), "only the first process dies");
            reached = Some(process.crashes.reached());
            // Drops the dead process with its connections and locks.
            process = place.next(history);
            process.run(take_over(&process.state)).unwrap();
            stillborn = false;
        }
    }
    let reached = reached.unwrap_or_else(|| process.crashes.reached());
    let seen = process.run(someone.sees(&process.state));
    (seen.expect("reading commits nothing"), reached)
}

/// First action of the next process. Expires the leases of the dead one, which PostgreSQL otherwise waits for.
async fn take_over(state: &AppState) {
    worker::take_over(state).await.unwrap();
    let mut tx = state.ctx.write().await.unwrap();
    store::turns::take_over(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
}

/// Crashes once at each point and repetition that the history reaches; returns the number of crashes and the points.
fn die_everywhere(url: &str, folder: TempDir, history: &History) -> (usize, BTreeSet<Point>) {
    let place = Place::new(url, folder, history);
    let (calm, reached) = live(&place, "calm", history, Crashes::watch());
    assert!(calm.starts_with(history.comes_to), "{}: {calm}", history.name);
    let mut tried: Vec<Point> = vec![];
    let mut deaths = 0;
    for point in &reached {
        let nth = tried.iter().filter(|one| *one == point).count() + 1;
        tried.push(*point);
        // The number of lease renewals depends on the machine.
        if point.commit == Commit::Renew && nth > 1 {
            continue;
        }
        let who = format!("u{}", tried.len());
        let (seen, until) = live(&place, &who, history, Crashes::at(*point, nth, Act::Stop));
        assert_eq!(until.last(), Some(point), "{}: died at {point:?}", history.name);
        assert_eq!(seen, calm, "{}: after {point:?} {nth}", history.name);
        deaths += 1;
    }
    // Each crash had a separate user, whose rows are untouched afterwards.
    place.assert_invariants(history.name);
    (deaths, reached.into_iter().collect())
}

/// Crashes everywhere in every second history on the database `db`, from that of `share` on, and prints the time. Both halves run
/// concurrently.
fn die_in(db: &str, share: usize) {
    let begun = Instant::now();
    let mut deaths = 0;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut seen = BTreeSet::new();
    for (at, history) in HISTORIES.iter().enumerate() {
        if at % 2 == share {
            let folder = tempfile::tempdir().unwrap();
            let urls = runtime.block_on(testing::urls_on_disk(folder.path()));
            let Some((_, url)) = urls.into_iter().find(|(name, _)| *name == db) else { return };
            runtime.block_on(async { Store::open(&url, false).await.unwrap().close().await });
            let (died, points) = die_everywhere(&url, folder, history);
            deaths += died;
            seen.extend(points);
        }
    }
    assert!(!seen.is_empty());
    // Standard error, because the harness captures the output of passing tests.
    let (half, took) = (share + 1, begun.elapsed().as_secs());
    writeln!(std::io::stderr(), "crash matrix, {db}, half {half} of 2: {deaths} deaths in {took} s").unwrap();
}

#[test]
fn crash_at_any_commit_is_recovered_on_sqlite_half_1() {
    die_in("sqlite", 0);
}

#[test]
fn crash_at_any_commit_is_recovered_on_sqlite_half_2() {
    die_in("sqlite", 1);
}

#[test]
fn crash_at_any_commit_is_recovered_on_postgres_half_1() {
    die_in("postgres", 0);
}

#[test]
fn crash_at_any_commit_is_recovered_on_postgres_half_2() {
    die_in("postgres", 1);
}

#[test]
fn the_histories_reach_every_point() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let url = runtime.block_on(testing::urls_on_disk(folder.path())).remove(0).1;
    runtime.block_on(async { Store::open(&url, false).await.unwrap().close().await });
    let mut place = Place::new(&url, folder, &HISTORIES[0]);
    // Commits of chats, reminders and memories have other tests: end2end/server/telegram (failing.rs and gaps.rs), reminders.rs and
    // remembering/dying.rs.
    let elsewhere = [Commit::Outbox, Commit::Sent, Commit::Chat, Commit::Remind, Commit::Remember, Commit::Embed];
    let mut missing: BTreeSet<_> = Point::all().filter(|point| !elsewhere.contains(&point.commit)).collect();
    for (at, history) in HISTORIES.iter().enumerate() {
        place.clock = Clock::set(Timestamp::parse(NOW).unwrap());
        for point in live(&place, &format!("u{at}"), history, Crashes::watch()).1 {
            missing.remove(&point);
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}
