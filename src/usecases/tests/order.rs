//! Tests of the manual order within a day and among overdue tasks.

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use super::*;
use crate::domain::rank::{Order, Overdue};
use crate::domain::task::{Due, Filter, NewTask, Status};
use crate::domain::time::CivilDate;
use crate::domain::user::User;
use crate::domain::when;
use crate::usecases::order::{self, Beside};
use crate::usecases::tasks::{self, Changed};

fn date(day: &str) -> Option<Due> {
    Some(Due::Date(CivilDate::parse(day).unwrap()))
}

/// Returns a due time that many minutes from now.
fn timed(ctx: &Ctx, minutes: i64) -> Option<Due> {
    Due::at(ctx.now().plus_seconds(minutes * 60), "Europe/London")
}

async fn with_dues(ctx: &Ctx, caller: &Caller, dues: &[Option<Due>]) {
    for due in dues {
        add(ctx, caller, NewTask { due: due.clone(), ..titled("x") }).await;
    }
}

fn line(ctx: &Ctx, caller: &Caller) -> Overdue {
    when::overdue(&ctx.now(), &caller.user.zone)
}

/// Returns the open tasks' numbers in the order of a page.
async fn shown(ctx: &Ctx, caller: &Caller) -> Vec<i64> {
    let order = Order::Day(line(ctx, caller));
    let filter = Filter { status: Some(Status::Pending), order, ..Filter::default() };
    let list = tasks::list(ctx, caller, &filter, None, 50).await.unwrap();
    list.tasks.iter().map(|task| task.task_id.0).collect()
}

async fn put(ctx: &Ctx, caller: &Caller, number: i64, beside: Beside) -> Result<Changed, Error> {
    let moved = done!(ctx, |tx| order::place(ctx, tx, By::person(caller), TaskNumber(number), beside));
    moved.map(|moved| moved.changed)
}

fn before(number: i64) -> Beside {
    Beside::Before(TaskNumber(number))
}

fn after(number: i64) -> Beside {
    Beside::After(TaskNumber(number))
}

/// Moves tasks to their own positions, and asserts that nothing is recorded.
async fn stand(ctx: &Ctx, caller: &Caller, there: &[(i64, Beside)]) {
    for (number, beside) in there {
        let moved = put(ctx, caller, *number, *beside).await.unwrap();
        assert_eq!(moved.change_id, None, "#{number} stands {beside:?}");
    }
}

#[tokio::test]
async fn overdue_tasks_of_several_days_go_where_they_are_put() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        // Bills, taxes and fees.
        with_dues(&ctx, &ana, &[date("2026-01-01"), date("2026-01-02"), date("2026-01-03")]).await;
        stand(&ctx, &ana, &[(1, before(2)), (2, before(3)), (2, after(1)), (3, after(2))]).await;
        for (number, beside, order) in [
            (1, after(2), [2, 1, 3]),
            (2, after(1), [1, 2, 3]),
            (3, after(1), [1, 3, 2]),
            (2, before(3), [1, 2, 3]),
            (3, before(1), [3, 1, 2]),
            (1, before(3), [1, 3, 2]),
            (1, after(2), [3, 2, 1]),
            (2, before(3), [2, 3, 1]),
            (2, after(3), [3, 2, 1]),
        ] {
            put(&ctx, &ana, number, beside).await.unwrap();
            assert_eq!(shown(&ctx, &ana).await, order, "{db}: #{number} {beside:?}");
        }
        stand(&ctx, &ana, &[(3, before(2)), (2, before(1)), (1, after(2))]).await;
    }
}

#[tokio::test]
async fn newly_overdue_tasks_sort_by_date_and_can_be_reordered() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let timed = |minutes| timed(&ctx, minutes);
        with_dues(&ctx, &ana, &[timed(-60), date("2026-03-10"), date("2026-03-11"), timed(60), timed(120)]).await;
        assert_eq!(shown(&ctx, &ana).await, [2, 1, 3, 4, 5], "{db}");
        put(&ctx, &ana, 2, after(1)).await.unwrap();
        put(&ctx, &ana, 5, after(3)).await.unwrap();
        assert_eq!(shown(&ctx, &ana).await, [1, 2, 3, 5, 4], "{db}");
        let refused = put(&ctx, &ana, 3, after(2)).await;
        conflict(refused, "Task #2 has another date. To move task #3 there, give it that date.");
        ctx.clock.advance(3 * 3_600);
        let now = shown(&ctx, &ana).await;
        assert_eq!(now.last(), Some(&3), "{db}: what is due all day is not overdue");
        for (number, other) in [(4, 2), (2, 5), (5, 1), (1, 4)] {
            let mut expected = shown(&ctx, &ana).await;
            expected.retain(|it| *it != number);
            let at = expected.iter().position(|it| *it == other).unwrap();
            expected.insert(at + 1, number);
            put(&ctx, &ana, number, after(other)).await.unwrap();
            assert_eq!(shown(&ctx, &ana).await, expected, "{db}: #{number} after #{other}");
        }
    }
}

#[tokio::test]
async fn what_is_overdue_no_longer_stands_in_its_day_again() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        with_dues(&ctx, &ana, &[date("2026-03-11"), date("2026-03-11"), date("2026-01-01"), date("2026-03-12")]).await;
        // In Kiritimati the 11th is over.
        let there = Caller { user: User { zone: "Pacific/Kiritimati".into(), ..ana.user.clone() }, ..ana.clone() };
        ctx.clock.advance(3_600);
        put(&ctx, &there, 2, before(3)).await.unwrap();
        put(&ctx, &there, 3, after(1)).await.unwrap();
        assert_eq!(shown(&ctx, &there).await, [2, 1, 3, 4], "{db}");
        assert_eq!(shown(&ctx, &ana).await, [3, 1, 2, 4], "{db}: by its number");
        put(&ctx, &ana, 2, before(1)).await.unwrap();
        assert_eq!(shown(&ctx, &ana).await, [3, 2, 1, 4], "{db}");
    }
}

#[tokio::test]
async fn move_between_equal_ranks_is_refused_without_writing() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        with_dues(&ctx, &ana, &[date("2026-01-01"), date("2026-01-02"), date("2026-01-03")]).await;
        // Equal ranks, as an older version gave them.
        let same = "UPDATE tasks SET rank = '2026010200000000000000000005' WHERE number < 3";
        store::testing::execute(&ctx.store, same).await;
        assert_eq!(shown(&ctx, &ana).await, [1, 2, 3], "{db}");
        let refused = put(&ctx, &ana, 3, after(1)).await;
        conflict(refused, "There is no room next to task #1. Move that task first.");
        assert_eq!(tasks::get(&ctx, &ana, TaskNumber(3)).await.unwrap().version, 1, "{db}");
        put(&ctx, &ana, 2, before(1)).await.unwrap();
        put(&ctx, &ana, 3, before(1)).await.unwrap();
        assert_eq!(shown(&ctx, &ana).await, [2, 3, 1], "{db}");
    }
}

/// Moves per history.
const MOVES: usize = 60;

#[tokio::test]
async fn random_moves_within_a_group_give_the_requested_order() {
    for (db, ctx) in ctxs().await {
        for seed in 0..3 {
            let caller = person(&ctx, &format!("ana{seed}")).await;
            let mut dice = StdRng::seed_from_u64(seed);
            let mut dues: Vec<_> = (1..=4).map(|day| date(&format!("2026-03-0{day}"))).collect();
            dues.extend([date("2026-03-11"), date("2026-03-11"), None, None]);
            dues.extend([-90, -30, 30, 60, 90, 120].map(|minutes| timed(&ctx, minutes)));
            with_dues(&ctx, &caller, &dues).await;
            assert_eq!(shown(&ctx, &caller).await.len(), dues.len(), "{db}");
            for step in 0..MOVES {
                let order = shown(&ctx, &caller).await;
                let line = line(&ctx, &caller);
                let group = |number: i64| {
                    let due = dues[usize::try_from(number - 1).unwrap()].as_ref();
                    let late = due.is_some_and(|due| line.holds(due));
                    (late, due.filter(|_| !late).map(|due| due.day().to_owned()))
                };
                let moved = order[dice.random_range(0..order.len())];
                let others: Vec<i64> =
                    order.iter().copied().filter(|it| *it != moved && group(*it) == group(moved)).collect();
                let other = others[dice.random_range(0..others.len())];
                let below = dice.random_bool(0.5);
                let mut expected: Vec<i64> = order.into_iter().filter(|it| *it != moved).collect();
                let at = expected.iter().position(|it| *it == other).unwrap();
                expected.insert(at + usize::from(below), moved);
                put(&ctx, &caller, moved, if below { after(other) } else { before(other) }).await.unwrap();
                let what = format!("{db}, {seed}, {step}: #{moved} beside #{other}");
                assert_eq!(shown(&ctx, &caller).await, expected, "{what}");
                // Lets today's tasks become overdue one by one.
                if step % 12 == 11 {
                    ctx.clock.advance(32 * 60);
                }
            }
        }
    }
}
