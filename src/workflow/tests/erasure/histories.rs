//! Property tests of random histories with approvals, erased repeatedly at any time: verification, bundle, restore, copy and replay pass
//! and agree (R-704, R-1107).

use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config as Runs, TestCaseError, TestRunner};

use super::*;
use crate::domain::approval::Approval;
use crate::usecases::accounts::{self, Manager, Outsider};
use crate::usecases::audit::{bundle, verify_bundle};
use crate::usecases::checkpoints::{self, When};
use crate::usecases::testing::{add, titled};
use crate::usecases::{CheckpointSigner, Limits, backup, copying};
use crate::workflow::disable_account;
use crate::workflow::tests::replays;

/// Number of histories on each database, unless `DOCKET_ERASURE_HISTORIES` is set.
const HISTORIES: i64 = 8;
/// Initial number of tasks.
const TASKS: i64 = 3;

#[derive(Debug, Clone)]
enum Deed {
    /// A message whose turn runs at once.
    Say(String),
    /// A message whose turn is queued.
    Leave(String),
    /// A verdict by button on a pending approval.
    Press(usize, Verdict),
    /// A task is renamed by hand.
    Edit(i64),
    /// The task of a pending approval is renamed by hand, and the approval approved: it becomes void.
    Void(usize),
    /// A pending approval is extended.
    Extend(usize),
    /// An expired approval is requested again.
    Again(usize),
    /// An agent deletes a task, or repeats the call.
    Agent(i64),
    Undo,
    Disable,
    /// Pending work runs.
    Settle,
    /// Seconds pass; negative values set the clock back.
    Wait(i64),
    /// A checkpoint is made.
    Sign,
    /// A new conversation starts.
    Begin,
    Erase(Reach),
}

/// Range of an erasure.
#[derive(Debug, Clone, Copy)]
enum Reach {
    /// Everything so far.
    All,
    /// Eighths of the time since the beginning.
    Eighths(i64),
    /// Texts older than that many days.
    Days(i64),
}

fn texts() -> impl Strategy<Value = String> {
    let fixed = select(vec![
        "add milk",
        "complete all my tasks",
        "delete tasks 1 and 2",
        "delete all my tasks",
        "show my tasks",
        "yes",
        "yes",
        "no",
    ]);
    prop_oneof![
        2 => fixed.prop_map(str::to_owned),
        2 => (1..=TASKS).prop_map(|number| format!("delete task {number}")),
        1 => (1..=TASKS).prop_map(|number| format!("rename task {number} to wash both cars")),
        1 => (1..=TASKS).prop_map(|number| format!("delete task {number}, yes I'm sure")),
    ]
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let verdict = select(vec![Verdict::Approve, Verdict::Approve, Verdict::Reject]);
    let reach = prop_oneof![
        2 => Just(Reach::All),
        3 => (1..=8_i64).prop_map(Reach::Eighths),
        1 => (0..=1_i64).prop_map(Reach::Days),
    ];
    let deed = prop_oneof![
        8 => texts().prop_map(Deed::Say),
        1 => texts().prop_map(Deed::Leave),
        6 => (0..4_usize, verdict).prop_map(|(at, verdict)| Deed::Press(at, verdict)),
        2 => (1..=TASKS).prop_map(Deed::Edit),
        5 => (0..4_usize).prop_map(Deed::Void),
        1 => (0..4_usize).prop_map(Deed::Extend),
        1 => (0..4_usize).prop_map(Deed::Again),
        2 => (1..=TASKS).prop_map(Deed::Agent),
        1 => Just(Deed::Undo),
        1 => Just(Deed::Disable),
        1 => Just(Deed::Settle),
        3 => select(vec![1, 60, 3_600, 86_400, 86_400, -30]).prop_map(Deed::Wait),
        1 => Just(Deed::Sign),
        1 => Just(Deed::Begin),
        4 => reach.prop_map(Deed::Erase),
    ];
    prop::collection::vec(deed, 4..18)
}

/// A user in a separate database, with the targets of its copies.
struct Life {
    world: World,
    desk: Outsider,
    begun: Timestamp,
    last: Option<Turn>,
    folder: PathBuf,
    /// An empty database of the other kind, if available.
    other: Option<Ctx>,
}

impl Life {
    async fn begin(mut world: World, folder: &Path, other: Option<Ctx>) -> Self {
        let seal = CheckpointSigner::new(folder.join("checkpoint.key"), folder.join("checkpoints.log"));
        world.state.ctx.seal = Some(Arc::new(seal));
        world.state.ctx.limits.messages_per_minute = 0;
        let ctx = world.state.ctx.clone();
        checkpoints::make_ready(&ctx).await.unwrap();
        for title in ["wash car", "book flights", "call mum"] {
            add(&ctx, &world.caller, titled(title)).await;
        }
        let desk = desk(&ctx).await;
        let begun = ctx.now();
        Self { world, desk, begun, last: None, folder: folder.to_owned(), other }
    }

    fn ctx(&self) -> &Ctx {
        &self.world.state.ctx
    }

    async fn approvals(&self, status: ApprovalStatus) -> Vec<Approval> {
        approvals::list(self.ctx(), &self.world.caller, Some(status)).await.unwrap()
    }

    async fn act(&mut self, deed: &Deed) {
        match deed {
            Deed::Say(text) => self.last = Some(self.world.say(text).await),
            Deed::Leave(text) => drop(self.world.left(text).await),
            Deed::Press(at, verdict) => {
                let waiting = self.approvals(ApprovalStatus::Pending).await;
                let Some(approval) = waiting.get(at % waiting.len().max(1)) else { return };
                self.decide(approval, *verdict).await;
            }
            Deed::Edit(number) => self.edit(TaskNumber(*number)).await,
            Deed::Void(at) => {
                let waiting = self.approvals(ApprovalStatus::Pending).await;
                let Some(approval) = waiting.get(at % waiting.len().max(1)) else { return };
                if let Some(target) = approval.preview.first() {
                    self.edit(target.task_id).await;
                }
                self.decide(approval, Verdict::Approve).await;
            }
            Deed::Extend(at) => {
                let waiting = self.approvals(ApprovalStatus::Pending).await;
                let Some(approval) = waiting.get(at % waiting.len().max(1)) else { return };
                expected(approvals::extend(self.ctx(), &self.world.caller, approval.approval_id).await);
            }
            Deed::Again(at) => {
                let expired = self.approvals(ApprovalStatus::Expired).await;
                let Some(approval) = expired.get(at % expired.len().max(1)) else { return };
                let (state, caller) = (&self.world.state, &self.world.caller);
                expected(inbox::ask_again(state, caller, approval.approval_id, None).await);
                worker::settle(state).await.unwrap();
            }
            Deed::Agent(number) => {
                let arguments = json!({ "task_id": number });
                agent_call::call(&self.world.state, &self.desk, "delete_task", arguments).await.unwrap();
            }
            Deed::Undo => {
                let Some(turn) = &self.last else { return };
                let (ctx, by) = (self.ctx(), By::person(&self.world.caller));
                let mut tx = ctx.write().await.unwrap();
                if expected(undo::turn(ctx, &mut tx, by, turn.turn_id).await).is_some() {
                    ctx.commit(tx).await.unwrap();
                }
            }
            Deed::Disable => {
                let by = Manager::CommandLine;
                disable_account::disable(&self.world.state, &by, "ada").await.unwrap();
                accounts::enable(self.ctx(), &by, "ada").await.unwrap();
                // Disabling revoked its tokens.
                self.desk = desk(self.ctx()).await;
            }
            Deed::Settle => worker::settle(&self.world.state).await.unwrap(),
            Deed::Wait(seconds) => self.ctx().clock.advance(*seconds),
            Deed::Sign => {
                checkpoints::make(self.ctx(), When::Now).await.unwrap();
                checkpoints::keep_log(self.ctx(), 0).await.unwrap();
            }
            Deed::Begin => self.world.conversation = None,
            Deed::Erase(reach) => self.erase(*reach).await,
        }
    }

    async fn decide(&self, approval: &Approval, verdict: Verdict) {
        let (state, caller, id) = (&self.world.state, &self.world.caller, approval.approval_id);
        expected(inbox::decide(state, caller, id, verdict, DecidedVia::Web, Some("so it is")).await);
        worker::settle(state).await.unwrap();
    }

    async fn edit(&self, number: TaskNumber) {
        let ctx = self.ctx();
        let title = format!("renamed {}", ctx.now());
        let edit = Edit { title: Some(Title::parse(&title).unwrap()), ..Edit::default() };
        let mut tx = ctx.write().await.unwrap();
        if expected(tasks::edit(ctx, &mut tx, By::person(&self.world.caller), number, edit, None).await).is_some() {
            ctx.commit(tx).await.unwrap();
        }
    }

    async fn erase(&self, reach: Reach) {
        let (ctx, user) = (self.ctx(), &self.world.caller.user);
        let before = match reach {
            Reach::All => None,
            Reach::Eighths(eighths) => Some(self.begun.plus_ms(ctx.now().ms_since(&self.begun).max(0) * eighths / 8)),
            Reach::Days(days) => {
                erasure::retire(ctx, user.user_id, days).await.unwrap();
                return;
            }
        };
        erasure::by_operator(ctx, user, before.as_ref().filter(|before| **before <= ctx.now())).await.unwrap();
    }

    /// Checks that every reader of the audit log finds it intact.
    async fn check(&self) {
        let ctx = self.ctx();
        let report = audit::verify_all(ctx, None).await.unwrap();
        assert_eq!(report.broken, [], "verify");
        let mut written = vec![];
        bundle::write_all(ctx, None, &mut written).await.unwrap();
        let bundled = verify_bundle(written.as_slice(), None).unwrap().report;
        assert_eq!(bundled.broken, [], "bundle");
        assert_eq!((bundled.records, bundled.erased), (report.records, report.erased), "bundle");
        if let Some(file) = self.world.url.strip_prefix("sqlite://") {
            // The clock is fixed, so names of replaced files would collide: uses a separate folder.
            let folder = tempfile::tempdir_in(&self.folder).unwrap();
            let [copy, restored] = ["copy.db", "restored.db"].map(|name| folder.path().join(name));
            let seal = ctx.seal.as_ref().unwrap();
            backup::make(Path::new(file), &copy, true, seal, &ctx.clock).await.unwrap();
            backup::restore(&copy, &restored, seal, &ctx.clock, false).await.unwrap();
        }
        if let Some(other) = &self.other {
            // Not committed, so that the other database stays empty.
            copying::verified(ctx, other, ctx.seal.as_ref().unwrap()).await.unwrap();
        }
        assert_eq!(replays::different(&self.world.state).await, Vec::<String>::new(), "replay");
    }

    /// Checks that the other verifier agrees: without a checkpoint it reports that, and finds nothing broken.
    async fn check_bundle_elsewhere(&self) {
        let mut written = vec![];
        bundle::write_all(self.ctx(), None, &mut written).await.unwrap();
        let file = self.folder.join("bundle.jsonl");
        std::fs::write(&file, written).unwrap();
        let said = Command::new("python3")
            .current_dir(crate::domain::testing::REPOSITORY)
            .arg("end2end/record/verify.py")
            .arg(&file)
            .output()
            .expect("python3 runs");
        assert!(matches!(said.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&said.stdout));
    }
}

async fn desk(ctx: &Ctx) -> Outsider {
    let (_, token) = create_token(ctx, "ada", "desk", &[Scope::TasksDelete], 0).await.unwrap();
    agent_of_token(ctx, &token, None).await.unwrap().unwrap()
}

/// Returns the result unless it is an expected refusal.
fn expected<T: std::fmt::Debug>(done: Result<T, Error>) -> Option<T> {
    match done {
        Ok(done) => Some(done),
        Err(Error::Conflict(_) | Error::NotFound(_) | Error::Partly(_)) => None,
        Err(error) => panic!("{error}"),
    }
}

/// Runs the actions in a new database, and checks the audit log after each erasure.
async fn live(url: &str, folder: TempDir, other: Option<Ctx>, deeds: &[Deed]) {
    let path = folder.path().to_owned();
    let mut life = Life::begin(world(url, Arc::new(folder)).await, &path, other).await;
    // Each history starts with an approval that becomes void after a yes.
    let begin = [Deed::Say("delete task 1".into()), Deed::Void(0)];
    let end = [Deed::Settle, Deed::Erase(Reach::All), Deed::Wait(1), Deed::Erase(Reach::All)];
    for (at, deed) in begin.iter().chain(deeds).chain(&end).enumerate() {
        life.act(deed).await;
        if matches!(deed, Deed::Erase(_)) {
            life.check().await;
        }
        // Some actions happen at the same time.
        life.ctx().clock.advance([0, 1, 40][at % 3]);
    }
    life.check_bundle_elsewhere().await;
}

/// Runs random histories, each in a new database `db`.
fn live_in(db: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let fresh = |db: &str| {
        let folder = tempfile::tempdir().unwrap();
        let urls = runtime.block_on(testing::urls_on_disk(folder.path()));
        urls.into_iter().find(|(name, _)| *name == db).map(|(_, url)| (url, folder))
    };
    if fresh(db).is_none() {
        return;
    }
    let elsewhere = fresh(if db == "sqlite" { "postgres" } else { "sqlite" });
    let other = elsewhere.as_ref().map(|(url, _)| {
        let store = runtime.block_on(Store::open(url, false)).unwrap();
        Ctx::new(store, Default::default(), Clock::set(Timestamp::parse(NOW).unwrap()), Limits::default())
    });
    let cases = u32::try_from(testing::rounds("DOCKET_ERASURE_HISTORIES", HISTORIES)).unwrap();
    let runs = Runs { cases, failure_persistence: None, max_shrink_iters: 200, ..Runs::default() };
    let lived = TestRunner::new(runs).run(&deeds(), |deeds| {
        let (url, folder) = fresh(db).expect("it was there before");
        runtime.block_on(live(&url, folder, other.clone(), &deeds));
        Ok::<_, TestCaseError>(())
    });
    lived.unwrap_or_else(|failed| panic!("{db}: {failed}"));
}

#[test]
fn erased_histories_verify_on_sqlite() {
    live_in("sqlite");
}

#[test]
fn erased_histories_verify_on_postgres() {
    live_in("postgres");
}
