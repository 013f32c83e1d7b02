//! Headings and pages at different times.

use super::*;
use crate::domain::rank::Order;
use crate::domain::task::{Filter, NewTask};
use crate::domain::user::{Caller, User};
use crate::usecases::order::{self, Beside};
use crate::usecases::testing::{NOW, add, ctxs, person, titled};
use crate::usecases::{By, Ctx, tasks};

#[test]
fn a_task_in_the_bin_is_late_for_nothing() {
    let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
    let mut task: Task = serde_json::from_value(serde_json::json!({
        "task_id": 1, "title": "Pay rent", "description": null, "status": "pending", "priority": "none", "due": "2026-03-01",
        "project": null, "tags": [], "recurrence": null, "version": 1, "created_at": now, "updated_at": now,
        "completed_at": null, "deleted_at": null,
    }))
    .unwrap();
    assert!(row(task.clone(), &now, "UTC").overdue);
    task.deleted_at = Some(now.clone());
    assert!(!row(task, &now, "UTC").overdue);
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// Days around [`NOW`], and hours around it in zones where the day differs.
fn dues() -> Vec<Option<Due>> {
    let mut dues = vec![None, None];
    for day in 8..=14 {
        let date = Due::Date(CivilDate::parse(&format!("2026-03-{day:02}")).unwrap());
        dues.extend([Some(date.clone()), Some(date)]);
    }
    for zone in ["Europe/London", "Pacific/Kiritimati", "Etc/GMT+12"] {
        let hours = [-40, -26, -13, -1, 1, 5, 13, 26, 40];
        dues.extend(hours.map(|hours| Due::at(at(NOW).plus_seconds(hours * 3_600), zone)));
    }
    dues
}

fn within(caller: &Caller, zone: &str) -> Caller {
    Caller { user: User { zone: zone.to_owned(), ..caller.user.clone() }, ..caller.clone() }
}

/// Reads a list by day in pages of `limit` tasks, `seconds` apart, and returns its rows.
async fn shown(ctx: &Ctx, caller: &Caller, limit: i64, seconds: i64) -> Vec<(String, i64)> {
    let zone = &caller.user.zone;
    let line = when::overdue(&ctx.now(), zone);
    let filter = Filter { status: Some(Status::Pending), order: Order::Day(line), ..Filter::default() };
    let (mut rows, mut cursor) = (vec![], None::<String>);
    loop {
        let page = tasks::list(ctx, caller, &filter, cursor.as_deref(), limit).await.unwrap();
        let found: Vec<_> = page.tasks.iter().map(|task| task.task_id).collect();
        cursor = page.next.clone();
        let page = super::rows(page, &Marks::default(), None, &ctx.now(), zone).tasks;
        assert_eq!(page.iter().map(|row| row.task.task_id).collect::<Vec<_>>(), found, "{zone}: as it was found");
        rows.extend(page.into_iter().map(|row| (row.group, row.task.task_id.0)));
        if cursor.is_none() {
            return rows;
        }
        ctx.clock.advance(seconds);
    }
}

/// Returns the headings of a list from top to bottom.
fn headings(rows: &[(String, i64)]) -> Vec<&str> {
    let mut headings: Vec<_> = rows.iter().map(|(group, _)| group.as_str()).collect();
    headings.dedup();
    headings
}

#[track_caller]
fn each_heading_stands_once(rows: &[(String, i64)], what: &str) {
    let headings = headings(rows);
    let mut distinct = headings.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), headings.len(), "{what}: {headings:?}");
}

/// Moves tasks next to others of all kinds; refused moves change nothing.
async fn mix(ctx: &Ctx, caller: &Caller, count: i64) {
    for (number, other) in (1..=count).step_by(3).map(|number| (number, number * 7 % count + 1)) {
        let mut tx = ctx.write().await.unwrap();
        let beside = if number % 2 == 0 { Beside::Before(TaskNumber(other)) } else { Beside::After(TaskNumber(other)) };
        if order::place(ctx, &mut tx, By::person(caller), TaskNumber(number), beside).await.is_ok() {
            ctx.commit(tx).await.unwrap();
        }
    }
}

#[tokio::test]
async fn pagination_matches_the_whole_list_at_any_time_and_zone() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let dues = dues();
        let count = i64::try_from(dues.len()).unwrap();
        for due in dues {
            add(&ctx, &ana, NewTask { due, ..titled("x") }).await;
        }
        for _ in 0..6 {
            for zone in ["Europe/London", "Pacific/Kiritimati", "Etc/GMT+12"] {
                let caller = within(&ana, zone);
                let whole = shown(&ctx, &caller, 200, 0).await;
                let what = format!("{db}, {zone}, {}", ctx.now());
                assert_eq!(whole.len(), usize::try_from(count).unwrap(), "{what}");
                assert_eq!(headings(&whole)[0], messages::OVERDUE, "{what}");
                each_heading_stands_once(&whole, &what);
                assert_eq!(shown(&ctx, &caller, 7, 0).await, whole, "{what}");
                // An order made in one zone applies in the others.
                mix(&ctx, &caller, count).await;
            }
            ctx.clock.advance(5 * 3_600 + 60);
        }
    }
}

#[tokio::test]
async fn pagination_across_midnight_returns_every_task_once() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        for due in dues() {
            add(&ctx, &ana, NewTask { due, ..titled("x") }).await;
        }
        // The clock also passes midnight.
        let before: Vec<_> = shown(&ctx, &ana, 200, 0).await.into_iter().map(|(_, number)| number).collect();
        let rows = shown(&ctx, &ana, 7, 3 * 3_600).await;
        assert_eq!(rows.iter().map(|(_, number)| *number).collect::<Vec<_>>(), before, "{db}");
    }
}

#[tokio::test]
async fn task_overdue_since_the_first_page_is_marked_in_place() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let day = |text: &str| Some(Due::Date(CivilDate::parse(text).unwrap()));
        for due in [day("2026-03-10"), day("2026-03-11"), Due::at(at("2026-03-11T10:00:00Z"), "Europe/London")] {
            add(&ctx, &ana, NewTask { due, ..titled("x") }).await;
        }
        let line = when::overdue(&ctx.now(), "Europe/London");
        let filter = Filter { status: Some(Status::Pending), order: Order::Day(line), ..Filter::default() };
        let first = tasks::list(&ctx, &ana, &filter, None, 2).await.unwrap();
        ctx.clock.advance(3_600);
        let second = tasks::list(&ctx, &ana, &filter, first.next.as_deref(), 2).await.unwrap();
        let rows = super::rows(second, &Marks::default(), None, &ctx.now(), "Europe/London").tasks;
        let told: Vec<_> = rows.iter().map(|row| (row.task.task_id.0, row.group.as_str(), row.overdue)).collect();
        assert_eq!(told, [(3, "Today", true)], "{db}");
        let again = shown(&ctx, &ana, 2, 0).await;
        assert_eq!(
            again.iter().map(|(_, number)| *number).collect::<Vec<_>>(),
            [1, 3, 2],
            "{db}: the list as it is now"
        );
    }
}
