//! Property tests of random histories: undoing any change or turn restores the list.

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use super::*;
use crate::domain::id::ChangeId;
use crate::domain::task::{Due, Edit, Filter, NewTask, Priority, Project, Status, Tag, Task, Title};
use crate::domain::time::{CivilDate, Timestamp};
use crate::usecases::tasks;
use crate::usecases::testing::NOW;
use crate::usecases::undo::{self, Target};

/// Number of histories on each database.
const HISTORIES: u64 = 1_000;
/// Actions per history, each a change or a turn; some are refused.
const ATTEMPTS: usize = 5;

/// Visible state of the lists, in order: all fields but version and update time.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    open: Vec<Task>,
    bin: Vec<Task>,
}

impl Seen {
    /// Removes tasks that are new in the bin: undoing an addition bins its task.
    fn known_to(self, before: &Self) -> Self {
        let known = |task: &Task| before.open.iter().chain(&before.bin).any(|old| old.task_id == task.task_id);
        Self { bin: self.bin.into_iter().filter(known).collect(), ..self }
    }
}

struct History {
    ctx: Ctx,
    caller: Caller,
    tx: Tx,
    dice: StdRng,
    tasks: i64,
    changes: Vec<ChangeId>,
}

impl History {
    fn roll(&mut self, sides: usize) -> usize {
        self.dice.random_range(0..sides)
    }

    fn number(&mut self) -> TaskNumber {
        TaskNumber(self.dice.random_range(1..=self.tasks.max(1)))
    }

    fn due(&mut self) -> Option<Due> {
        match self.roll(3) {
            0 => None,
            1 => Some(Due::Date(CivilDate::parse(&format!("2026-03-{:02}", 1 + self.roll(28))).unwrap())),
            _ => Due::at(Timestamp::parse(NOW).unwrap().plus_seconds(3_600), "Pacific/Auckland"),
        }
    }

    fn title(&mut self) -> Title {
        Title::parse(["milk", "eggs", "wash the car", "tax"][self.roll(4)]).unwrap()
    }

    async fn seen(&mut self) -> Seen {
        let (user, tx) = (self.caller.id(), &mut self.tx);
        let open = store::tasks::list(tx, user, &Filter::default(), None, 200).await.unwrap();
        let bin = store::tasks::list(tx, user, &Filter { binned: true, ..Filter::default() }, None, 200).await.unwrap();
        let told = |stored: store::tasks::Stored| {
            let at = stored.task.created_at.clone();
            Task { version: 0, updated_at: at, ..stored.task }
        };
        let mut bin: Vec<_> = bin.into_iter().map(told).collect();
        // Last binned first, as in the user interface.
        bin.sort_by(|a, b| b.deleted_at.cmp(&a.deleted_at).then(a.task_id.0.cmp(&b.task_id.0)));
        Seen { open: open.into_iter().map(told).collect(), bin }
    }

    /// Performs a random action, by hand or as an agent's turn; returns the target that undoes it, or `None` if nothing changed.
    async fn act(&mut self) -> Option<Target> {
        let (ctx, caller) = (self.ctx.clone(), self.caller.clone());
        match self.roll(18) {
            0 | 1 => return self.undo_something(By::person(&caller)).await,
            2..10 => return self.change(By::person(&caller)).await.map(Target::Change),
            _ => {}
        }
        let calls = self.dice.random_range(1..=3);
        let turn = turn_in(&ctx, &mut self.tx, &caller, calls).await;
        let mut done = vec![];
        for index in 0..calls {
            let call = InvocationId { turn, step: 0, index };
            done.extend(self.change(By::agent(&caller, call)).await.map(|change| (call, change)));
        }
        match (&done[..], self.roll(3)) {
            ([], _) => None,
            ([(_, change)], 0) => Some(Target::Change(*change)),
            ([(call, _)], 1) => Some(Target::Invocation(*call)),
            _ => Some(Target::Turn(turn)),
        }
    }

    async fn change(&mut self, by: By<'_>) -> Option<ChangeId> {
        let kind = self.roll(8);
        let (number, title, due) = (self.number(), self.title(), self.due());
        let (ctx, rest) = (self.ctx.clone(), self.roll(4));
        let changed = match kind {
            0 | 1 => {
                let recurrence = (rest == 0).then(|| "FREQ=WEEKLY;BYDAY=MO".to_owned());
                tasks::add(&ctx, &mut self.tx, by, NewTask { due, recurrence, ..NewTask::titled(title) }).await
            }
            2 => {
                let mut edit = Edit { title: Some(title), due: Some(due), ..Edit::default() };
                match rest {
                    0 => edit.priority = Some(Priority::High),
                    1 => edit.tags = Some(vec![Tag::parse("home").unwrap()]),
                    2 => edit.project = Some(Some(Project::parse("garden").unwrap())),
                    _ => edit.status = Some(Status::Completed),
                }
                tasks::edit(&ctx, &mut self.tx, by, number, edit, None).await
            }
            3 | 4 => tasks::complete(&ctx, &mut self.tx, by, number, None).await,
            5 => tasks::reopen(&ctx, &mut self.tx, by, number, None).await,
            6 => tasks::delete(&ctx, &mut self.tx, by, number, None).await,
            _ => tasks::restore(&ctx, &mut self.tx, by, number, None).await,
        };
        let changed = match changed {
            Ok(changed) => changed,
            Err(Error::Conflict(_) | Error::NotFound(_)) => return None,
            Err(error) => panic!("{error}"),
        };
        let made = changed.next.as_ref().map_or(changed.after.task_id.0, |next| next.task_id.0);
        self.tasks = self.tasks.max(made);
        let id = changed.change_id?;
        self.changes.push(id);
        Some(id)
    }

    /// Undoes any earlier change, which may be an undo.
    async fn undo_something(&mut self, by: By<'_>) -> Option<Target> {
        if self.changes.is_empty() {
            return None;
        }
        let at = self.roll(self.changes.len());
        let (ctx, id) = (self.ctx.clone(), self.changes[at]);
        match undo::change(&ctx, &mut self.tx, by, id).await {
            Ok(done) => {
                let id = done.last()?.change_id?;
                self.changes.push(id);
                Some(Target::Change(id))
            }
            Err(Error::Conflict(_)) => None,
            Err(error) => panic!("{error}"),
        }
    }
}

async fn history(db: &str, ctx: &Ctx, seed: u64) {
    let caller = person(ctx, &format!("ana{seed}")).await;
    // One transaction: commits are not tested here.
    let tx = ctx.write().await.unwrap();
    let dice = StdRng::seed_from_u64(seed);
    let mut history = History { ctx: ctx.clone(), caller: caller.clone(), tx, dice, tasks: 0, changes: vec![] };
    let mut done = vec![];
    for _ in 0..ATTEMPTS {
        let before = history.seen().await;
        ctx.clock.advance(60);
        if let Some(target) = history.act().await {
            done.push((before, target));
        }
    }
    while let Some((before, target)) = done.pop() {
        ctx.clock.advance(60);
        let undone = undo::all(ctx, &mut history.tx, By::person(&caller), target).await;
        assert!(undone.is_ok(), "{db}, history {seed}: {target:?} {undone:?}");
        let now = history.seen().await.known_to(&before);
        assert_eq!(now, before, "{db}, history {seed}: after undoing {target:?}");
    }
    ctx.commit(history.tx).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undo_of_random_histories_restores_the_list() {
    let runs = ctxs().await.into_iter().map(|(db, ctx)| {
        tokio::spawn(async move {
            for seed in 0..HISTORIES {
                history(db, &ctx, seed).await;
            }
        })
    });
    futures::future::try_join_all(runs).await.unwrap();
}
