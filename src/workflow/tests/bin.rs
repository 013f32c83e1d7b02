//! Tests of the hourly purge by one process, for all accounts.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::{World, worlds};
use crate::config::Config;
use crate::domain::channel::{Card, ChatId};
use crate::domain::id::TaskNumber;
use crate::domain::task::{Filter, Operation};
use crate::domain::user::Caller;
use crate::state::AppState;
use crate::store;
use crate::store::testing;
use crate::usecases::accounts::Manager;
use crate::usecases::testing::{add, person, titled};
use crate::usecases::{By, bin as usecase, history, tasks};
use crate::workflow::{bin, disable_account, worker};

const DAY_S: i64 = 86_400;
const ONE: TaskNumber = TaskNumber(1);

async fn binned(world: &World, caller: &Caller) -> TaskNumber {
    let ctx = &world.state.ctx;
    let number = add(ctx, caller, titled("x")).await.task_id;
    let mut tx = ctx.write().await.unwrap();
    tasks::delete(ctx, &mut tx, By::person(caller), number, None).await.unwrap();
    ctx.commit(tx).await.unwrap();
    number
}

async fn in_bin(world: &World, caller: &Caller) -> i64 {
    let bin = Filter { binned: true, ..Filter::default() };
    tasks::list(&world.state.ctx, caller, &bin, None, 1).await.unwrap().total
}

async fn purges(world: &World, number: TaskNumber) -> usize {
    let history = history::changes(&world.state.ctx, &world.caller, number).await.unwrap();
    history.iter().filter(|change| change.operation == Operation::Purge).count()
}

#[tokio::test]
async fn the_bin_is_looked_at_every_hour_by_the_clock() {
    for world in worlds().await {
        let (state, clock) = (&world.state, &world.state.ctx.clock);
        binned(&world, &world.caller).await;
        clock.advance(60);
        binned(&world, &world.caller).await;
        clock.advance(30 * DAY_S - 60);
        bin::empty(state).await.unwrap();
        assert_eq!(in_bin(&world, &world.caller).await, 1, "the first has lain there for 30 days");
        clock.advance(3_599);
        bin::empty(state).await.unwrap();
        assert_eq!(in_bin(&world, &world.caller).await, 1, "the hour is not over");
        clock.advance(1);
        bin::empty(state).await.unwrap();
        assert_eq!(in_bin(&world, &world.caller).await, 0);
    }
}

#[tokio::test]
async fn bin_of_every_account_is_purged_even_if_disabled() {
    for world in worlds().await {
        let ctx = &world.state.ctx;
        let ben = person(ctx, "ben").await;
        for _ in 0..=usecase::AT_ONCE {
            binned(&world, &world.caller).await;
        }
        binned(&world, &ben).await;
        disable_account::disable(&world.state, &Manager::CommandLine, "ben").await.unwrap();
        ctx.clock.advance(30 * DAY_S);
        worker::settle(&world.state).await.unwrap();
        assert_eq!((in_bin(&world, &world.caller).await, in_bin(&world, &ben).await), (0, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_processes_at_once_purge_once() {
    for world in worlds().await {
        let clock = &world.state.ctx.clock;
        let other = testing::connect(&world.url).await;
        let other = AppState::with(Config::from(|_| None).unwrap(), other, clock.clone());
        for _ in 0..20 {
            binned(&world, &world.caller).await;
        }
        clock.advance(30 * DAY_S);
        let both = [&world.state, &other].map(|state| {
            let state = state.clone();
            tokio::spawn(async move { bin::empty(&state).await.unwrap() })
        });
        futures::future::try_join_all(both).await.unwrap();
        assert_eq!(in_bin(&world, &world.caller).await, 0);
        for number in 1..=20 {
            assert_eq!(purges(&world, TaskNumber(number)).await, 1);
        }
    }
}

#[tokio::test]
async fn running_worker_purges_the_bin_and_stops_on_shutdown() {
    for world in worlds().await {
        binned(&world, &world.caller).await;
        world.state.ctx.clock.advance(30 * DAY_S);
        let shutdown = CancellationToken::new();
        let worker = tokio::spawn(worker::run(world.state.clone(), shutdown.clone()));
        let begun = Instant::now();
        while purges(&world, ONE).await == 0 {
            assert!(begun.elapsed() < Duration::from_secs(20), "nobody emptied the bin");
            tokio::task::yield_now().await;
        }
        shutdown.cancel();
        worker.await.unwrap();
    }
}

#[tokio::test]
async fn a_card_that_was_sent_goes_after_30_days() {
    for world in worlds().await {
        let (state, ctx, user) = (&world.state, &world.state.ctx, world.caller.id());
        let new = store::outbox::NewCard { chat: ChatId(1), card: &Card::Tasks, key: None };
        let mut tx = ctx.write().await.unwrap();
        let card = store::outbox::insert(&mut tx, user, &new, &ctx.now()).await.unwrap().unwrap();
        store::outbox::stop(&mut tx, user).await.unwrap();
        ctx.commit(tx).await.unwrap();
        for (seconds, kept) in [(30 * DAY_S - 1, true), (1, false)] {
            ctx.clock.advance(seconds);
            bin::empty(state).await.unwrap();
            let found = store::outbox::get(&mut ctx.read().await.unwrap(), user, card).await.unwrap();
            assert_eq!(found.is_some(), kept);
        }
    }
}
